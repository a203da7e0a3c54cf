// SPDX-License-Identifier: BSD-3-Clause
// Virtual ports that refuse what they are told, or say yes and do nothing: told once, tried again
// now and then, a problem as long as it lasts, and never in the way of the others.
#include <chrono>
#include <functional>
#include <ostream>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/simulation/judging.hpp"
#include "tests/simulation/virtual_judging.hpp"

namespace heddle::test {
namespace {

using mad::AttributeId;
using std::chrono::seconds;

constexpr const char* kStrange = "host-0004";
constexpr std::uint8_t kItsSwitchPort = 4;
constexpr unsigned kVPorts = 2;

// The device behind one port of a star's switch: Sets of one attribute change nothing there, and
// are answered with `status`.
class Stubborn {
 public:
  Stubborn(AttributeId attribute, mad::Status status) : attribute_(attribute), status_(status) {}

  BoxOptions options() {
    BoxOptions options;
    options.sm.partitions = policy("Default=0x7fff: ALL=full; V=5: ALL_VCAS=full;");
    options.on_way_out = [this](mad::Datagram& datagram) { stop(datagram); };
    options.on_way_in = [this](mad::Datagram& datagram) { answer(datagram); };
    return options;
  }
  unsigned sets() const { return sets_; }
  void come_to_its_senses() { sane_ = true; }

 private:
  void stop(mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (sane_ || !smp || smp->method != mad::Method::Set || smp->attribute_id != attribute_) return;
    if (smp->hop_count != 2 || smp->initial_path[2].value != kItsSwitchPort) return;
    ++sets_;
    stopped_.insert(smp->transaction_id.value);
    smp->method = mad::Method::Get;
    datagram = mad::make_datagram(datagram.peer, *smp);
  }
  void answer(mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!smp || stopped_.erase(smp->transaction_id.value) == 0) return;
    smp->status = status_;
    datagram = mad::make_datagram(datagram.peer, *smp);
  }

  AttributeId attribute_;
  mad::Status status_;
  bool sane_ = false;
  unsigned sets_ = 0;
  std::set<std::uint64_t> stopped_;
};

struct Case {
  AttributeId attribute{};
  mad::Status status{};
  unsigned refusals = 0;
};
std::ostream& operator<<(std::ostream& out, const Case& of) {
  return out << static_cast<unsigned>(of.attribute) << " status " << of.status.value;
}

class VirtualRefusal : public testing::TestWithParam<Case> {};

TEST_P(VirtualRefusal, IsToldOnceTriedSeldomAndAProblemAsLongAsItLasts) {
  Stubborn device(GetParam().attribute, GetParam().status);
  Box box("star:5,vports=" + std::to_string(kVPorts), device.options());
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_EQ(trouble(box), "");
  EXPECT_EQ(box.count<sm::SetRefused>(), GetParam().refusals);
  const auto resweep = [&] {
    box.input(sm::ResweepCommand{"to see what is tried again"});
    ASSERT_TRUE(box.run_until_quiet());
  };
  const auto told = [&] {
    unsigned problems = 0;
    for (const std::string& problem : box.snapshot().problems) {
      problems += problem.find(kStrange) == std::string::npos ? 0 : 1;
    }
    return problems;
  };
  for (int sweep = 0; sweep < 20; ++sweep) {
    resweep();
    EXPECT_GE(told(), 1u) << "after " << sweep << " sweeps";
    EXPECT_EQ(told(), box.snapshot().problems.size()) << "nobody else has any";
  }
  EXPECT_LE(device.sets(), 6 * kVPorts);
  EXPECT_EQ(box.count<sm::SetRefused>(), GetParam().refusals);
  for (const char* other : {"host-0002", "host-0003", "host-0005"}) {
    for (const auto& vport : behind(box, other).ports) {
      EXPECT_EQ(vport.state, mad::PortState::Active);
      EXPECT_EQ(keys_of(vport), (std::set<std::uint16_t>{0xFFFF, 0x8005}));
    }
  }
  EXPECT_EQ(sets_during(box, [&] { box.run_for(seconds(60)); }), 0u);
  device.come_to_its_senses();
  for (int sweep = 0; sweep < 63; ++sweep) resweep();
  EXPECT_EQ(virtual_trouble(box), "");
  for (const auto& vport : behind(box, kStrange).ports) {
    EXPECT_EQ(keys_of(vport), (std::set<std::uint16_t>{0xFFFF, 0x8005}));
  }
  EXPECT_EQ(told(), 0u) << testing::PrintToString(box.snapshot().problems);
}

INSTANTIATE_TEST_SUITE_P(Of, VirtualRefusal,
                         testing::Values(Case{AttributeId::VirtualizationInfo, mad::kStatusBadField,
                                              1},
                                         Case{AttributeId::VPortInfo, mad::kStatusBadField, 2},
                                         Case{AttributeId::VPortInfo, mad::kStatusOk, 0},
                                         Case{AttributeId::VPortPKeyTable, mad::kStatusBadField, 2},
                                         Case{AttributeId::VPortPKeyTable, mad::kStatusOk, 0}));

// Where somebody else may have written everything is read again; what works goes on until then.
TEST(VirtualPorts, ThatWorkAreNotGivenUpBecauseTheyCannotBeReadAgain) {
  bool refuses = false;
  unsigned refused = 0;
  BoxOptions options;
  options.on_way_in = [&](mad::Datagram& datagram) {
    auto smp = mad::decode_smp(datagram.payload);
    if (!refuses || !smp || smp->attribute_id != AttributeId::VNodeInfo) return;
    ++refused;
    smp->status = mad::kStatusBadField;
    datagram = mad::make_datagram(datagram.peer, *smp);
  };
  Box box("star:5,vports=2,vport-lids=1", options);
  ASSERT_TRUE(box.run_until_quiet());
  SeatOptions lower;
  lower.sm.priority = 0;
  box.add_seat("host-0005", lower);
  box.run_for(seconds(30));
  const auto kept = own_lids(box);
  ASSERT_EQ(box.snapshot().view->subnet().virtual_ports->all().size(), 10u);
  refuses = true;
  box.input(sm::ResweepCommand{"to have everything read"});
  ASSERT_TRUE(box.run_until_quiet());
  ASSERT_GE(refused, 10u) << "or this test says nothing";
  ASSERT_NE(box.snapshot().view->subnet().virtual_ports, nullptr);
  EXPECT_EQ(box.snapshot().view->subnet().virtual_ports->all().size(), 10u);
  EXPECT_EQ(own_lids(box), kept);
  EXPECT_FALSE(box.snapshot().problems.empty());
  refuses = false;
  box.input(sm::ResweepCommand{"once more"});
  ASSERT_TRUE(box.run_until_quiet());
  EXPECT_TRUE(box.snapshot().problems.empty());
}

}  // namespace
}  // namespace heddle::test
