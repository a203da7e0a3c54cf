// SPDX-License-Identifier: BSD-3-Clause
#include "api/partitions_json.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "mad/link.hpp"
#include "mad/sa_rate.hpp"

namespace heddle::api {
namespace {

using partitions::BaseKey;
using partitions::ManagedPartition;
using partitions::Membership;

constexpr std::array<std::pair<int, mad::Mtu>, 5> kMtus{{{256, mad::Mtu::Bytes256},
                                                         {512, mad::Mtu::Bytes512},
                                                         {1024, mad::Mtu::Bytes1024},
                                                         {2048, mad::Mtu::Bytes2048},
                                                         {4096, mad::Mtu::Bytes4096}}};

double gigabits_of(std::uint8_t code) {
  for (const mad::SARate& rate : mad::kSARates) {
    if (rate.code == code) return rate.tenths / 10.0;
  }
  return 0;
}

// Members of an object, each of which must be one that is known.
class Fields {
 public:
  Fields(const Json& json, std::string_view what) : json_(json), what_(what) {
    if (!json.is_object()) fail("is no object");
  }

  // Nothing if it is not there.
  const Json* find(std::string_view name) {
    known_.push_back(name);
    if (!json_.is_object()) return nullptr;
    const auto found = json_.find(name);
    return found == json_.end() ? nullptr : &*found;
  }
  void flag(std::string_view name, bool& value) {
    const Json* found = find(name);
    if (found == nullptr) return;
    if (!found->is_boolean()) return fail(fmt::format("has a {} that is not true or false", name));
    value = found->get<bool>();
  }
  void text(std::string_view name, std::string& value) {
    const Json* found = find(name);
    if (found == nullptr) return;
    if (!found->is_string()) return fail(fmt::format("has a {} that is no text", name));
    value = found->get<std::string>();
  }
  void fail(const std::string& why) {
    if (fault_.empty()) fault_ = fmt::format("{} {}", what_, why);
  }
  // Empty if all is well.
  std::string fault() {
    if (!fault_.empty()) return fault_;
    for (const auto& [name, value] : json_.items()) {
      if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
        return fmt::format("{} has nothing called '{}'", what_, base::printable(name));
      }
    }
    return {};
  }

 private:
  const Json& json_;
  std::string_view what_;
  std::vector<std::string_view> known_;
  std::string fault_;
};

std::optional<Membership> membership_of(const Json& json) {
  if (json == "full") return Membership::Full;
  if (json == "limited") return Membership::Limited;
  return std::nullopt;
}

// A GUID, or an object with one and a membership.
bool add_member(const Json& json, std::map<mad::Guid, Membership>& members) {
  const bool bare = json.is_string();
  if (!bare && (!json.is_object() || !json.contains("guid") || !json["guid"].is_string())) {
    return false;
  }
  const auto guid = guid_of((bare ? json : json["guid"]).get<std::string>());
  const auto membership = bare || !json.contains("membership") ? std::optional(Membership::Full)
                                                               : membership_of(json["membership"]);
  if (!guid || !membership) return false;
  members[*guid] = *membership;
  return true;
}

void read_members(Fields& fields, std::map<mad::Guid, Membership>& members) {
  const Json* list = fields.find("members");
  if (list == nullptr) return;
  const bool sound =
      list->is_array() && std::all_of(list->begin(), list->end(),
                                      [&](const Json& m) { return add_member(m, members); });
  if (!sound) {
    fields.fail("has members that are not [{\"guid\": \"0x...\", \"membership\": \"full\"}, ...]");
  }
}

void read_key(Fields& fields, BaseKey& key) {
  const Json* found = fields.find("p_key");
  const auto read = found == nullptr ? std::nullopt : base_key_of(*found);
  if (read) key = *read;
  if (!read) fields.fail("needs a p_key, 0x0001 to 0x7fff");
}

void read_limits(Fields& fields, ManagedPartition& partition) {
  if (const Json* level = fields.find("service_level")) {
    const bool sound = level->is_number_unsigned() && level->get<std::uint64_t>() < 16;
    if (sound) partition.sl = level->get<std::uint8_t>();
    if (!sound) fields.fail("has a service_level that is not 0 to 15");
  }
  if (const Json* mtu = fields.find("mtu")) {
    const auto* known = std::find_if(kMtus.begin(), kMtus.end(),
                                     [&](const auto& each) { return *mtu == each.first; });
    if (known != kMtus.end()) partition.mtu = known->second;
    if (known == kMtus.end()) fields.fail("has an mtu that is not 256, 512, 1024, 2048 or 4096");
  }
  if (const Json* rate = fields.find("gigabits")) {
    const auto* known =
        std::find_if(mad::kSARates.begin(), mad::kSARates.end(), [&](const mad::SARate& each) {
          return rate->is_number() && rate->get<double>() * 10 == each.tenths;
        });
    if (known != mad::kSARates.end()) partition.rate = known->code;
    if (known == mad::kSARates.end()) fields.fail("has gigabits that no link carries");
  }
}

void read_partition(Fields& fields, ManagedPartition& partition) {
  fields.text("name", partition.name);
  fields.flag("ipoib", partition.ipoib);
  fields.flag("index0", partition.index0);
  read_limits(fields, partition);
  read_members(fields, partition.members);
}

base::Result<partitions::ManagedChange> remove_members(const Json& json) {
  partitions::RemoveMembers change;
  Fields fields(json, "remove_members");
  read_key(fields, change.key);
  std::map<mad::Guid, Membership> members;
  read_members(fields, members);
  for (const auto& [guid, membership] : members) change.members.push_back(guid);
  if (auto fault = fields.fault(); !fault.empty()) return base::error(std::move(fault));
  return partitions::ManagedChange(std::move(change));
}

base::Result<partitions::ManagedChange> add_members(const Json& json) {
  partitions::AddMembers change;
  Fields fields(json, "add_members");
  read_key(fields, change.key);
  read_partition(fields, change.like);
  change.members = std::exchange(change.like.members, {});
  if (auto fault = fields.fault(); !fault.empty()) return base::error(std::move(fault));
  return partitions::ManagedChange(std::move(change));
}

base::Result<partitions::ManagedChange> change_of(const Json& json) {
  if (json.is_object() && json.size() == 1) {
    const std::string& verb = json.begin().key();
    const Json& what = json.begin().value();
    if (verb == "set") {
      auto set = partition_of(what);
      if (set.has_error()) return set.error();
      return partitions::ManagedChange(std::move(*set));
    }
    if (verb == "remove") {
      if (const auto key = base_key_of(what)) {
        return partitions::ManagedChange(partitions::RemovePartition{*key});
      }
      return base::error("remove takes a P_Key");
    }
    if (verb == "add_members") return add_members(what);
    if (verb == "remove_members") return remove_members(what);
  }
  return base::error(
      "a change is {VERB: ...} with one of set, remove, add_members, remove_members");
}

}  // namespace

std::optional<BaseKey> base_key_of(std::string_view text) {
  const auto number = base::parse_hex(text);
  if (!number || *number > 0xffff) return std::nullopt;
  const BaseKey key = partitions::base_of(mad::PKey{static_cast<std::uint16_t>(*number)});
  return key.value == 0 ? std::nullopt : std::optional(key);
}

std::optional<BaseKey> base_key_of(const Json& json) {
  return json.is_string() ? base_key_of(std::string_view(json.get_ref<const std::string&>()))
                          : std::nullopt;
}

std::optional<mad::Guid> guid_of(std::string_view text) {
  std::string digits(text);
  digits.erase(std::remove(digits.begin(), digits.end(), ':'), digits.end());
  const auto number = base::parse_hex(digits);
  return number && *number != 0 ? std::optional(mad::Guid{*number}) : std::nullopt;
}

Json json_of(BaseKey key, const ManagedPartition& partition) {
  Json members = Json::array();
  for (const auto& [guid, membership] : partition.members) {
    members.push_back({{"guid", base::hex(guid.value)},
                       {"membership", membership == Membership::Full ? "full" : "limited"}});
  }
  return {{"p_key", base::hex(key.value, 4)},
          {"name", partition.name},
          {"ipoib", partition.ipoib},
          {"index0", partition.index0},
          {"service_level", partition.sl},
          {"mtu", mad::mtu_bytes(partition.mtu)},
          {"gigabits", gigabits_of(partition.rate)},
          {"members", std::move(members)}};
}

Json json_of(const partitions::Managed& managed) {
  Json rows = Json::array();
  for (const auto& [key, partition] : managed.partitions) rows.push_back(json_of(key, partition));
  return {{"generation", managed.generation}, {"partitions", std::move(rows)}};
}

base::Result<partitions::SetPartition> partition_of(const Json& json) {
  partitions::SetPartition set;
  Fields fields(json, "a partition");
  read_key(fields, set.key);
  read_partition(fields, set.partition);
  if (auto fault = fields.fault(); !fault.empty()) return base::error(std::move(fault));
  return set;
}

base::Result<partitions::Managed> managed_of(const Json& json) {
  const bool sound = json.is_object() && json.contains("generation") &&
                     json["generation"].is_number_unsigned() && json.contains("partitions") &&
                     json["partitions"].is_array();
  if (!sound) return base::error("it is not {\"generation\": N, \"partitions\": [...]}");
  std::vector<partitions::ManagedChange> changes;
  for (const Json& row : json["partitions"]) {
    auto set = partition_of(row);
    if (set.has_error()) return set.error();
    changes.emplace_back(std::move(*set));
  }
  auto managed = partitions::changed({}, changes);
  if (managed.has_error()) return managed.error();
  managed->generation = json["generation"].get<std::uint64_t>();
  return managed;
}

base::Result<std::vector<partitions::ManagedChange>> changes_of(const Json& json) {
  if (!json.is_array()) return base::error("changes is a list");
  std::vector<partitions::ManagedChange> changes;
  for (const Json& each : json) {
    auto change = change_of(each);
    if (change.has_error()) {
      return base::error(fmt::format("change {}: {}", changes.size() + 1, change.error().message));
    }
    changes.push_back(std::move(*change));
  }
  return changes;
}

}  // namespace heddle::api
