// SPDX-License-Identifier: BSD-3-Clause
#include "app/partition_records.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "api/partitions_json.hpp"
#include "base/text.hpp"

namespace heddle::app {
namespace {

using partitions::BaseKey;
using partitions::Managed;
using partitions::ManagedPartition;
using partitions::Membership;

constexpr std::string_view kGeneration = "partitions";
constexpr std::string_view kPartition = "partition";
constexpr std::string_view kMember = "partition-member";

std::string name_of(BaseKey key) {
  return std::string(kPartition) + ' ' + base::hex(key.value, 4);
}
std::string name_of(BaseKey key, mad::Guid member) {
  return std::string(kMember) + ' ' + base::hex(key.value, 4) + ' ' + base::hex(member.value);
}

std::string text_of(BaseKey key, const ManagedPartition& partition) {
  api::Json json = api::json_of(key, partition);
  json.erase("members");
  return json.dump();
}

void add_members(BaseKey key, const std::map<mad::Guid, Membership>& before,
                 const std::map<mad::Guid, Membership>& after, std::vector<base::Record>& changes) {
  for (const auto& [guid, membership] : before) {
    if (after.count(guid) == 0) changes.push_back({name_of(key, guid), std::nullopt});
  }
  for (const auto& [guid, membership] : after) {
    const auto known = before.find(guid);
    if (known != before.end() && known->second == membership) continue;
    changes.push_back({name_of(key, guid), membership == Membership::Full ? "full" : "limited"});
  }
}

std::string_view kind_of(const base::Record& record) {
  return std::string_view(record.name).substr(0, record.name.find(' '));
}

// Records in any order: members may come before their partition.
class Reader {
 public:
  explicit Reader(Managed before) : now_(std::move(before)) {}

  bool take(const base::Record& record) {
    const auto words = base::split(record.name, ' ');
    if (words[0] == kGeneration) return words.size() == 1 && take_generation(record);
    const auto key = words.size() > 1 ? api::base_key_of(words[1]) : std::nullopt;
    if (!key) return false;
    if (words[0] == kPartition) return words.size() == 2 && take_partition(*key, record);
    const auto guid = words.size() == 3 ? api::guid_of(words[2]) : std::nullopt;
    return guid && take_member(*key, *guid, record);
  }
  // A member that is left of a partition that is gone is an error of whoever told it.
  std::optional<Managed> done() {
    const bool sound =
        std::all_of(now_.partitions.begin(), now_.partitions.end(), [&](const auto& each) {
          const auto known = named_.find(each.first);
          return known == named_.end() || known->second;
        });
    if (!has_generation_ || !sound) return std::nullopt;
    return std::move(now_);
  }

 private:
  bool take_generation(const base::Record& record) {
    const auto number = record.value ? base::parse_number(*record.value) : std::nullopt;
    if (!number) return false;
    now_.generation = *number;
    has_generation_ = true;
    return true;
  }
  bool take_partition(BaseKey key, const base::Record& record) {
    named_[key] = record.value.has_value();
    if (!record.value) {
      now_.partitions.erase(key);
      return true;
    }
    auto json = api::Json::parse(*record.value, nullptr, /*allow_exceptions=*/false);
    auto set = api::partition_of(json);
    if (set.has_error() || set->key != key) return false;
    ManagedPartition& partition = now_.partitions[key];
    set->partition.members = std::move(partition.members);
    partition = std::move(set->partition);
    return true;
  }
  bool take_member(BaseKey key, mad::Guid guid, const base::Record& record) {
    if (!record.value) {
      const auto found = now_.partitions.find(key);
      if (found != now_.partitions.end()) found->second.members.erase(guid);
      return true;
    }
    if (*record.value != "full" && *record.value != "limited") return false;
    const auto [at, made] = now_.partitions.try_emplace(key);
    if (made) named_.emplace(key, false);
    at->second.members[guid] = *record.value == "full" ? Membership::Full : Membership::Limited;
    return true;
  }

  Managed now_;
  bool has_generation_ = false;
  std::map<BaseKey, bool> named_;  // those told of, and whether it was said what they are
};

}  // namespace

std::vector<base::Record> partition_changes(const Managed& before, const Managed& after) {
  std::vector<base::Record> changes{{std::string(kGeneration), std::to_string(after.generation)}};
  for (const auto& [key, partition] : before.partitions) {
    if (after.partitions.count(key) != 0) continue;
    add_members(key, partition.members, {}, changes);
    changes.push_back({name_of(key), std::nullopt});
  }
  for (const auto& [key, partition] : after.partitions) {
    const auto known = before.partitions.find(key);
    const bool is_new = known == before.partitions.end();
    if (!is_new && known->second == partition) continue;
    std::string text = text_of(key, partition);
    if (is_new || text_of(key, known->second) != text) {
      changes.push_back({name_of(key), std::move(text)});
    }
    static const std::map<mad::Guid, Membership> kNobody;
    add_members(key, is_new ? kNobody : known->second.members, partition.members, changes);
  }
  return changes;
}

std::vector<base::Record> take_partition_records(std::vector<base::Record>& records) {
  const auto ours =
      std::stable_partition(records.begin(), records.end(), [](const base::Record& record) {
        const auto kind = kind_of(record);
        return kind != kGeneration && kind != kPartition && kind != kMember;
      });
  std::vector<base::Record> taken(std::make_move_iterator(ours),
                                  std::make_move_iterator(records.end()));
  records.erase(ours, records.end());
  return taken;
}

std::optional<Managed> with_records(Managed before, bool whole,
                                    const std::vector<base::Record>& records) {
  Reader reader(whole ? Managed{} : std::move(before));
  for (const base::Record& record : records) {
    if (!reader.take(record)) return std::nullopt;
  }
  return reader.done();
}

}  // namespace heddle::app
