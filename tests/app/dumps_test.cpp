// SPDX-License-Identifier: BSD-3-Clause
#include "app/dumps.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/app/small_fabric.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/registers.hpp"

namespace heddle::app {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

template <class Write>
std::string text_of(Write write, const sm::Snapshot& snapshot) {
  std::ostringstream out;
  write(out, snapshot);
  return out.str();
}

// Of all switches; there is another one of that name.
constexpr auto kForwardingDump = [](std::ostream& out, const sm::Snapshot& snapshot) {
  write_forwarding_dump(out, snapshot);
};

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(SubnetList, HasALineForEachEndOfEachLink) {
  const auto snapshot = small_fabric();
  const std::string text = text_of(&write_subnet_list, snapshot);
  EXPECT_EQ(count_lines(text), 2 * snapshot.topology.link_count());
  EXPECT_THAT(
      text,
      HasSubstr("{ SW Ports:08 SystemGUID:0000000000000010 NodeGUID:0000000000000010 "
                "PortGUID:0000000000000010 VenID:000002C9 DevID:D2F0 Rev:000000A0 {leaf-1} "
                "LID:0001 PN:07 } { SW Ports:08 SystemGUID:0000000000000020 "
                "NodeGUID:0000000000000020 PortGUID:0000000000000020 VenID:000002C9 DevID:D2F0 "
                "Rev:000000A0 {leaf-2} LID:0002 PN:07 } PHY=4x LOG=ACT SPD=50\n"));
}

TEST(SubnetList, TheSubnetManagersNodeIsMarked) {
  const std::string text = text_of(&write_subnet_list, small_fabric());
  EXPECT_THAT(text, HasSubstr("{ CA-SM Ports:01 SystemGUID:0000000000001000 "));
  EXPECT_THAT(text, Not(HasSubstr("{ CA-SM Ports:01 SystemGUID:0000000000001010 ")));
}

TEST(SubnetList, ABraceInANameDoesNotEndIt) {
  const std::string text = text_of(&write_subnet_list, small_fabric());
  EXPECT_THAT(text, HasSubstr("{host-2 (spare)} "));
}

TEST(SubnetList, StateWidthAndSpeedAreThoseOfThePort) {
  auto snapshot = small_fabric();
  mad::PortInfo& own = support::own_registers(snapshot).ports.change(snapshot.sm_port.value);
  own.port_state = mad::PortState::Init;
  own.link_width_active = 0;
  const std::string text = text_of(&write_subnet_list, snapshot);
  EXPECT_THAT(text, HasSubstr("PHY=1x LOG=ACT SPD=2.5\n"));
  EXPECT_THAT(text, HasSubstr("PHY=?? LOG=INI SPD=50\n"));
}

TEST(ForwardingList, SaysPortAndHopsOfEveryLid) {
  const auto snapshot = small_fabric();
  const std::string text = text_of(&write_forwarding_list, snapshot);
  // leaf-1: itself, leaf-2 behind one of two cables, two own hosts, two behind the other switch.
  EXPECT_THAT(text, StartsWith("dump_ucast_routes: Switch 0x0000000000000010\n"
                               "LID    : Port : Hops : Optimal\n"
                               "0x0001 : 000  : 00   : yes\n"));
  EXPECT_THAT(text, HasSubstr("0x0003 : 001  : 01   : yes\n"));
  EXPECT_THAT(text, HasSubstr(" : 02   : yes\n"));
  EXPECT_THAT(text, Not(HasSubstr("No ")));
  EXPECT_EQ(count_lines(text), 2 * (2 + 6 + 1));
}

TEST(ForwardingList, ADetourAndAHoleAreToldAsSuch) {
  auto snapshot = small_fabric();
  auto routes = *snapshot.routes;
  const auto leaf1 = fabric::SwitchIndex{0};
  const auto leaf2 = fabric::SwitchIndex{1};
  routes.routes.tables.set(leaf1, mad::Lid{5}, mad::kNoPortNumber);
  routes.routes.tables.set(leaf1, mad::Lid{6}, mad::PortNumber{7});
  routes.routes.tables.set(leaf2, mad::Lid{6}, mad::PortNumber{7});  // back again: a loop
  snapshot.routes = std::make_shared<const routing::Selected>(routes);
  const std::string text = text_of(&write_forwarding_list, snapshot);
  EXPECT_THAT(text, HasSubstr("0x0005 : UNREACHABLE\n"));
  // leaf-2 is where LID 6 hangs, so only leaf-1's walk arrives there.
  EXPECT_THAT(text, HasSubstr("0x0006 : 007  : 02   : yes\n"));
}

TEST(ForwardingDump, SaysWhoEachLidIs) {
  const std::string text = text_of(kForwardingDump, small_fabric());
  EXPECT_THAT(text, StartsWith("Unicast lids [0-6] of switch Lid 1 guid 0x0000000000000010 "
                               "('leaf-1'):\n"
                               "0x0001 000 # Switch portguid 0x0000000000000010: 'leaf-1'\n"));
  EXPECT_THAT(
      text,
      HasSubstr("0x0003 001 # Channel Adapter portguid 0x0000000000001001: 'host-1 HCA-1'\n"));
  EXPECT_THAT(text, HasSubstr("6 lids dumped\n"));
}

TEST(Dumps, AFabricThatWasNeverRoutedHasNoTables) {
  auto snapshot = small_fabric();
  snapshot.routes.reset();
  EXPECT_EQ(text_of(&write_forwarding_list, snapshot), "");
  EXPECT_EQ(text_of(kForwardingDump, snapshot), "");
}

TEST(Dumps, ASweepThatGaveOutNoLidsWritesZeros) {
  auto snapshot = small_fabric();
  snapshot.routes.reset();
  snapshot.lids = fabric::LidMap{};
  EXPECT_THAT(text_of(&write_subnet_list, snapshot), HasSubstr("{leaf-1} LID:0000 PN:07 }"));
}

TEST(Dumps, ReplaceTheirFilesAndLeaveNothingElse) {
  const test::Folder folder;
  const auto& directory = folder.path();
  std::ofstream(directory / "opensm.fdbs") << "old";
  ASSERT_TRUE(write_dumps(directory, small_fabric()));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(directory)) ++files;
  EXPECT_EQ(files, 4u);
  std::ifstream stream(directory / "opensm.fdbs");
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(text, text_of(&write_forwarding_list, small_fabric()));
}

// Switches without a copy to make are left out, as in OpenSM's.
TEST(Dumps, MulticastHasTheSwitchesThatSendCopies) {
  const test::Folder folder;
  const auto& directory = folder.path();
  const auto snapshot = small_fabric();
  const auto written = [&](const multicast::Tables& tables) {
    EXPECT_TRUE(write_multicast_dump(directory, snapshot.topology, tables));
    std::ifstream stream(directory / "opensm.mcfdbs");
    return std::string{std::istreambuf_iterator<char>(stream), {}};
  };
  multicast::Tables tables(snapshot.topology.switch_count());
  EXPECT_EQ(written(tables), "");
  tables.set(fabric::SwitchIndex{1}, mad::Lid{0xC001}, mad::PortNumber{3}, true);
  tables.set(fabric::SwitchIndex{1}, mad::Lid{0xC001}, mad::PortNumber{7}, true);
  const std::string text =
      "Switch 0x0000000000000020\nLID    : Out Port(s)\n0xC001 : 0x003  0x007 \n\n";
  EXPECT_EQ(written(tables), text);
  EXPECT_EQ(written(multicast::Tables(1)), text) << "of other switches than there are";
}

TEST(Dumps, ADirectoryThatIsNotThereIsTold) {
  const auto written = write_dumps("/nonexistent/heddle", small_fabric());
  ASSERT_TRUE(written.has_error());
  EXPECT_THAT(written.error().message, HasSubstr("/nonexistent/heddle/opensm-subnet.lst"));
}

}  // namespace
}  // namespace heddle::app
