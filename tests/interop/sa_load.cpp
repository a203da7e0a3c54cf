// SPDX-License-Identifier: BSD-3-Clause
// Requests as hosts make them, with some under way at once: how many are answered in a second, and
// how long one takes.
//
//   sa_load COUNT WINDOW [paths|joins|groups]
//
// Paths are PathRecord queries. Joins go to one group after the other, each for another host (one
// host asks for all of them, as a proxy), so that a group has as many members as there are hosts;
// with "groups" it has four.
//
// Prints one line: answered, refused, without an answer, queries per second, and the median, 99th
// percentile and longest of their times in microseconds.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "mad/node_record.hpp"
#include "mad/path_record.hpp"
#include "tests/interop/sa_client.hpp"

namespace heddle::interop {
namespace {

using Clock = std::chrono::steady_clock;
using mad::component;
using mad::PathRecord;

constexpr int kWaitMilliseconds = 10'000;
constexpr std::uint64_t kGroupPrefix = 0xff12'0000'0000'0077;  // no group of anybody else's
// What the kernel asks for when a connection is made.
constexpr auto kMask = component<&PathRecord::sgid>() | component<&PathRecord::dgid>() |
                       component<&PathRecord::reversible>() | component<&PathRecord::numb_path>() |
                       component<&PathRecord::p_key>();

std::vector<mad::Guid> hosts_of(SAClient& client) {
  std::vector<mad::Guid> hosts;
  const Question question{mad::Method::GetTable, mad::SAAttributeId::NodeRecord, 0, Bytes(200), {}};
  const auto reply = client.ask(question, 30'000);
  for (const auto& record : reply.records<mad::NodeRecord>()) {
    if (record.node_info.node_type == mad::NodeType::ChannelAdapter) {
      hosts.push_back(record.node_info.port_guid);
    }
  }
  return hosts;
}

struct Tally {
  std::size_t answered = 0, refused = 0, silent = 0;
  std::vector<double> microseconds;

  std::size_t done() const { return answered + refused + silent; }
  double at(double share) {
    if (microseconds.empty()) return 0;
    std::sort(microseconds.begin(), microseconds.end());
    const auto last = static_cast<double>(microseconds.size() - 1);
    return microseconds[static_cast<std::size_t>(share * last)];
  }
};

class Load {
 public:
  Load(SAClient& client, std::string_view what) : client_(client), hosts_(hosts_of(client)) {
    constexpr std::size_t kSmallGroup = 4;
    if (what == "joins") members_ = hosts_.size();
    if (what == "groups") members_ = kSmallGroup;
    wanted_.sgid = client.gid();
    wanted_.dgid.prefix = wanted_.sgid.prefix;
    wanted_.reversible = true;
    wanted_.numb_path = 1;
    wanted_.p_key = mad::PKey{0xffff};
  }

  std::size_t hosts() const { return hosts_.size(); }

  bool send() {
    const auto id = client_.send(members_ != 0 ? join() : path(), kWaitMilliseconds);
    if (id) begun_[*id] = Clock::now();
    return id.has_value();
  }

  // False when nothing came for long.
  bool receive(Tally& tally) {
    const auto answer = client_.next_answer(kWaitMilliseconds + 1000);
    if (!answer) return false;
    const auto begun = begun_.find(doors::id_of(answer->mad));
    if (begun == begun_.end()) return true;
    const std::chrono::duration<double, std::micro> time = Clock::now() - begun->second;
    begun_.erase(begun);
    if (answer->status != 0) {
      ++tally.silent;
    } else if (answer->mad[4] != 0 || answer->mad[5] != 0) {
      ++tally.refused;
    } else {
      ++tally.answered;
      tally.microseconds.push_back(time.count());
    }
    return true;
  }

 private:
  Question path() {
    wanted_.dgid.guid = hosts_[chance_() % hosts_.size()];
    return {mad::Method::Get, mad::SAAttributeId::PathRecord, kMask, bytes_of(wanted_), {}};
  }
  Question join() {
    mad::MCMemberRecord record;
    record.mgid = {mad::GidPrefix{kGroupPrefix},
                   mad::Guid{std::uint64_t{members_} << 32 | (1 + joined_ / members_)}};
    // From all over the fabric, and each host once before any comes again.
    constexpr std::uint64_t kStride = 7919;  // a prime
    record.port_gid = {wanted_.sgid.prefix, hosts_[joined_++ * kStride % hosts_.size()]};
    record.join_state = 1;
    record.p_key = wanted_.p_key;
    return {
        mad::Method::Set, mad::SAAttributeId::MCMemberRecord, kCreationMask, bytes_of(record), {}};
  }

  SAClient& client_;
  std::vector<mad::Guid> hosts_;
  std::size_t members_ = 0;  // of a group; 0: paths are asked for
  std::uint64_t joined_ = 0;
  PathRecord wanted_;
  std::mt19937 chance_{1};  // NOLINT(cert-msc51-cpp): the same questions to everybody
  std::unordered_map<std::uint32_t, Clock::time_point> begun_;
};

int run(std::size_t count, std::size_t window, std::string_view what) {
  SAClient client("mlx5_0");
  Load load(client, what);
  if (load.hosts() == 0) return 3;
  Tally tally;
  std::size_t sent = 0;
  const auto begin = Clock::now();
  while (tally.done() < count) {
    while (sent < count && sent - tally.done() < window) {
      if (!load.send()) return 4;
      ++sent;
    }
    if (!load.receive(tally)) return 5;
  }
  const std::chrono::duration<double> spent = Clock::now() - begin;
  fmt::print("{} {} {} {:.0f} {:.0f} {:.0f} {:.0f}\n", tally.answered, tally.refused, tally.silent,
             static_cast<double>(count) / spent.count(), tally.at(0.5), tally.at(0.99),
             tally.at(1));
  return 0;
}

}  // namespace
}  // namespace heddle::interop

int main(int count, char** words) {
  if (count != 3 && count != 4) return 2;
  const std::string_view what = count == 4 ? words[3] : "paths";
  return heddle::interop::run(std::strtoul(words[1], nullptr, 10),
                              std::strtoul(words[2], nullptr, 10), what);
}
