// SPDX-License-Identifier: BSD-3-Clause
// Hosts join and leave while cables are cut and nodes restart, drawn by seed; then calm. Whoever is
// a member then, as subnet administration tells it, must be reached by every other member, once,
// through the switches' own tables. seeds.hpp says which seeds.
#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "base/text.hpp"
#include "sim/devices.hpp"
#include "tests/simulation/ipoib_client.hpp"
#include "tests/simulation/membership_judging.hpp"
#include "tests/simulation/seeds.hpp"

namespace heddle::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kFabrics[] = {"fat-tree:3,6", "ring:5,hosts=2", "torus:3x3", "star:6",
                                    "random:switches=12,degree=4,hosts=2,seed=7"};
// As many groups as this test knows, the first of which is of policy.
constexpr std::uint64_t kGroups = 3;

mad::Gid group(std::uint64_t number) {
  return number == 0 ? kIpv4Broadcast : mad::Gid{kIpv4Broadcast.prefix, mad::Guid{number}};
}

class MembershipChaos {
 public:
  explicit MembershipChaos(std::uint64_t seed)
      : prng_(seed), box_(kFabrics[prng_.below(std::size(kFabrics))], quick_to_forgive(seed)) {
    box_.run_until_quiet();
    clients_ = clients_of(box_);
  }

  // Links that come and go must be used again before the verdict.
  static BoxOptions quick_to_forgive(std::uint64_t seed) {
    BoxOptions options;
    options.sm.flap_hold = seconds(20);
    options.sm.durable = seed % 2 == 0;
    return options;
  }

  void make_trouble() {
    for (std::uint64_t steps = 20 + prng_.below(40); steps > 0; --steps) {
      prng_.chance(0.75) ? one_membership() : one_fault();
      if (prng_.chance(0.3)) box_.run_for(milliseconds(prng_.below(3000)));
    }
  }

  void calm() {
    const sim::Devices& devices = box_.world().devices();
    for (std::uint32_t cable = 0; cable < devices.cables.size(); ++cable) {
      box_.world().restore(cable);
    }
    for (std::uint32_t node = 0; node < devices.nodes.size(); ++node) box_.world().power_on(node);
    box_.run_for(seconds(90));
  }

  // Empty when all groups are as their members want them.
  std::string complaint() {
    for (std::uint64_t number = 0; number < kGroups; ++number) {
      const auto verdict = judge_group(box_, clients_, group(number));
      if (!verdict.complaint.empty()) return fmt::format("group {}: {}", number, verdict.complaint);
      members_ += verdict.members.size();
    }
    return {};
  }
  Box& box() { return box_; }
  std::size_t members() const { return members_; }

 private:
  IpoibClient& any_client() { return clients_[prng_.below(clients_.size())]; }

  void one_membership() {
    const auto number = prng_.below(kGroups);
    IpoibClient& client = any_client();
    if (prng_.chance(0.3)) {
      client.leave(group(number));
    } else if (client.join(group(number)).status() != mad::kStatusOk && number != 0) {
      const auto broadcast = client.join(kIpv4Broadcast);
      if (broadcast.records.size() == 1) client.create(group(number), broadcast.records[0]);
    }
  }

  void one_fault() {
    const sim::Devices& devices = box_.world().devices();
    const auto cable = static_cast<std::uint32_t>(prng_.below(devices.cables.size()));
    switch (prng_.below(4)) {
      case 0:
        return box_.world().cut(cable);
      case 1:
        return box_.world().restore(cable);
      case 2:
        return box_.world().reboot(any_client().host(), seconds(1));
      default:
        return restart_a_switch();
    }
  }

  void restart_a_switch() {
    const sim::Devices& devices = box_.world().devices();
    const auto node = static_cast<std::uint32_t>(prng_.below(devices.nodes.size()));
    const bool is_switch = devices.nodes[node].type == mad::NodeType::Switch;
    if (is_switch) box_.world().reboot(node, milliseconds(1 + prng_.below(2000)));
  }

  base::Prng prng_;
  Box box_;
  std::vector<IpoibClient> clients_;
  std::size_t members_ = 0;
};

TEST(Membership, EndsInOrderHoweverItWasDisturbed) {
  std::size_t members = 0;
  for (std::uint64_t seed = seeds(40).first; seed < seeds(40).end; ++seed) {
    MembershipChaos chaos(seed);
    chaos.make_trouble();
    chaos.calm();
    EXPECT_EQ(chaos.complaint(), "") << "seed " << seed;
    EXPECT_EQ(trouble(chaos.box()), "") << "seed " << seed;
    members += chaos.members();
  }
  EXPECT_GT(members, seeds(40).count());
}

}  // namespace
}  // namespace heddle::test
