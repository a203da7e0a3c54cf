// SPDX-License-Identifier: BSD-3-Clause
// Joins, leaves, lost links, policy and queries in any order, with any record. What changed is told
// to the trees, their tables are proven, and the way from the old tables to the new is walked in
// part, with packets in flight.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.hpp"
#include "multicast/change.hpp"
#include "multicast/groups.hpp"
#include "multicast/trees.hpp"
#include "multicast/verification.hpp"
#include "tests/multicast/floods.hpp"
#include "tests/multicast/stage.hpp"

namespace heddle::multicast {
namespace {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : left_(data, size) {}
  bool empty() const { return left_.empty(); }
  std::uint8_t byte() {
    if (left_.empty()) return 0;
    const std::uint8_t value = left_.front();
    left_ = left_.subspan(1);
    return value;
  }
  std::uint64_t word(unsigned bytes) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value = value << 8 | byte();
    return value;
  }

 private:
  std::span<const std::uint8_t> left_;
};

// The same ring of five switches whole, with one cable less, and fallen apart.
const std::array<std::shared_ptr<const fabric::Topology>, 4>& fabrics() {
  static const auto recipe = support::ring(5, 2);
  static const std::array all{testing::staged(recipe, 6),
                              testing::staged(support::degraded(recipe, 1, 1), 6),
                              testing::staged(support::degraded(recipe, 2, 2), 6),
                              testing::staged(support::degraded(recipe, 2, 3), 3)};
  return all;
}

constexpr std::array<mad::Gid, 8> kMgids{{
    {},
    {mad::GidPrefix{0xff12'a0ff'0000'0000}, mad::Guid{1}},
    {mad::GidPrefix{0xff12'a0ff'0000'0000}, mad::Guid{2}},
    broadcast_mgid(mad::PKey{0xFFFF}, mad::kIPv4Signature),
    {mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{1}},
    {mad::GidPrefix{0xff12'601b'ffff'0000}, mad::Guid{0x1'ff00'0001}},
    {mad::GidPrefix{0xff12'601b'ffff'0000}, mad::Guid{0x1'ff00'0002}},
    {mad::GidPrefix{0xff12'a01b'fe80'0000}, mad::Guid{1}},
}};

class Session {
 public:
  explicit Session(Input& input) : input_(input) {
    Policy policy;
    policy.limits = {.groups = 12, .members_per_group = 6, .groups_per_port = 5, .memberships = 30};
    policy.solicited_node_mlids = input.byte() % 3;
    groups_ = Groups(policy, 1 + input.byte() % 6);
  }

  void run() {
    while (!input_.empty() && ++steps_ < kMaxSteps) step();
  }

 private:
  static constexpr int kMaxSteps = 200;

  mad::MCMemberRecord record() {
    mad::MCMemberRecord record;
    const std::uint8_t which = input_.byte();
    record.mgid = kMgids[which % kMgids.size()];
    if (which >= 0xF0) record.mgid = {mad::GidPrefix{input_.word(8)}, mad::Guid{input_.word(8)}};
    record.port_gid = testing::gid(port().value + (input_.byte() >= 0xF0 ? 1u << 20 : 0u));
    record.q_key = input_.byte() % 2;
    record.p_key.value =
        input_.byte() % 4 == 0 ? static_cast<std::uint16_t>(input_.word(2)) : std::uint16_t{0xFFFF};
    const std::uint8_t selectors = input_.byte();
    record.mtu_selector = mad::Selector{static_cast<std::uint8_t>(selectors & 3)};
    record.rate_selector = mad::Selector{static_cast<std::uint8_t>(selectors >> 2 & 3)};
    record.packet_life_time_selector = mad::Selector{static_cast<std::uint8_t>(selectors >> 4 & 3)};
    record.mtu = mad::Mtu{static_cast<std::uint8_t>(input_.byte() & 0x3F)};
    record.rate = input_.byte() & 0x3F;
    record.packet_life_time = input_.byte() & 0x3F;
    record.mlid = mad::Lid{static_cast<std::uint16_t>(input_.word(2))};
    record.scope = input_.byte() & 0xF;
    record.join_state = input_.byte() & 0xF;
    return record;
  }

  mad::Guid port() {
    static const auto ports = testing::stage_ports(*fabrics()[0], true);
    return ports[input_.byte() % ports.size()];
  }

  Request request() {
    Request request;
    request.port.port = port();
    request.wanted = record();
    request.mask = input_.byte() < 0x80 ? testing::kCreateMask : input_.word(3);
    if (input_.byte() < 0x40) request.requester.port = port();
    request.trusted = input_.byte() < 0x20;
    const auto keys = input_.byte();
    request.port.has_p_key = [keys](mad::PKey) { return keys < 0xE0; };
    request.port.rate = input_.byte() % (mad::kFastestRank + 1);
    return request;
  }

  void take(const Answer& answer) {
    HEDDLE_CHECK(answer.ok() == answer.reason.empty());
    HEDDLE_CHECK(answer.ok() || answer.changes.empty());
    take(answer.changes);
  }
  void take(const Changes& changes) {
    trees_.apply(changes.roles);
    for (const RoleChange& change : changes.roles) {
      HEDDLE_CHECK(groups_.role(change.mlid, change.port) == change.role ||
                   changes.roles.size() > 1);
    }
  }

  void step() {
    switch (input_.byte() % 10) {
      case 0:
      case 1:
      case 2:
      case 3:
        take(groups_.join(request()));
        break;
      case 4:
      case 5:
        take(groups_.leave(request()));
        break;
      case 6:
        take(groups_.add_permanent(record()));
        break;
      case 7: {
        const std::uint8_t kept = input_.byte();
        take(groups_.retain_permanent({kMgids.data(), kept % kMgids.size()}));
        const mad::Guid gone = port();
        take(groups_.drop_ports({&gone, 1}));
        break;
      }
      case 8:
        query();
        break;
      case 9:
        topology_ = fabrics()[input_.byte() % fabrics().size()];
        trees_.set_topology(topology_);
        groups_.set_mlid_capacity(mlid_capacity(*topology_));
        break;
    }
    prove();
  }

  void query() {
    Groups::Query query;
    query.wanted = record();
    query.mask = input_.word(3);
    query.trusted = input_.byte() < 0x80;
    unsigned left = input_.byte() % 8;
    groups_.for_each_record(query, [&](const mad::MCMemberRecord& found) {
      HEDDLE_CHECK(groups_.find(found.mgid) != nullptr);
      HEDDLE_CHECK(query.trusted == (found.join_state != 0));
      return left-- > 1;
    });
  }

  void prove() {
    const auto roles = groups_.roles();
    const auto proof = verify(*topology_, trees_.tables(), roles);
    HEDDLE_CHECK(proof.proven());
    std::size_t members = 0;
    for (const auto& [mgid, group] : groups_.all()) {
      members += group.members().size();
      HEDDLE_CHECK(group.permanent() || !group.members().empty());
    }
    HEDDLE_CHECK(members == groups_.memberships());
    // What the changes told the trees is what is.
    std::vector<RoleChange> told;
    for (const mad::Lid mlid : trees_.mlids()) {
      const auto these = trees_.members(mlid);
      told.insert(told.end(), these.begin(), these.end());
    }
    HEDDLE_CHECK(told == roles);
    walk_over();
  }

  void walk_over() {
    for (const Stage& stage : plan_change(*topology_, standing_, trees_.tables())) {
      const std::size_t first = stage.empty() ? 0 : input_.byte() % stage.size();
      for (std::size_t i = 0; i < stage.size(); ++i) {
        const BlockWrite& write = stage[(first + i) % stage.size()];
        standing_.set_block(write);
        const mad::Lid mlid{static_cast<std::uint16_t>(0xC000 + i % 6)};
        const auto sent = testing::flood(*topology_, standing_, mlid, port());
        HEDDLE_CHECK(!sent.looped && !sent.doubled());
      }
    }
    HEDDLE_CHECK(standing_ == trees_.tables());
  }

  Input& input_;
  Groups groups_;
  std::shared_ptr<const fabric::Topology> topology_ = fabrics()[0];
  Trees trees_{topology_};
  Tables standing_{topology_->switch_count()};
  int steps_ = 0;
};

}  // namespace
}  // namespace heddle::multicast

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::multicast::Input input(data, size);
  heddle::multicast::Session(input).run();
  return 0;
}
