// SPDX-License-Identifier: BSD-3-Clause
#include "app/given_names.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/dumps.hpp"
#include "tests/app/small_fabric.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using testing::HasSubstr;
using testing::Not;

NodeNames names_of(std::string_view text) {
  auto names = NodeNames::parse(text, "map");
  EXPECT_TRUE(names) << names.error().message;
  return names ? *names : NodeNames();
}

TEST(GivenNames, AreReadAsOpensmHasThem) {
  const NodeNames names = names_of(
      "# our switches\n0x10 \"row 1 leaf\"\n\n0x20 row-2-leaf # old\n0x10 "
      "again\n0x30\t\"a\x1b\"\n");
  EXPECT_EQ(*names.find(mad::Guid{0x10}), "again") << "the last one counts";
  EXPECT_EQ(*names.find(mad::Guid{0x20}), "row-2-leaf");
  EXPECT_EQ(*names.find(mad::Guid{0x30}), "a?");
  EXPECT_EQ(names.find(mad::Guid{0x40}), nullptr);
  EXPECT_EQ(NodeNames::parse("0x10 a\nleaf b\n", "map").error().message,
            "map:2:1: 'leaf' is no node GUID such as 0x0002c90300a1b2c3");
  EXPECT_THAT(NodeNames::parse("0x10", "map").error().message, HasSubstr("map:1:5: "));
}

TEST(GivenNames, StandInEachEventThatNamesTheNode) {
  const NodeNames names = names_of("0x10 \"row 1\"\n0x20 \"row 2\"\n");
  const sm::NodeName one{mad::Guid{0x10}, "leaf-1"}, two{mad::Guid{0x20}, "leaf-2"},
      other{mad::Guid{0x99}, "leaf-9"};
  const auto told = [&](sm::EventValue value) {
    sm::Event event{std::move(value)};
    rename_nodes(names, event);
    return sm::sentence(event);
  };
  EXPECT_THAT(told(sm::NodeAppeared{one, mad::NodeType::Switch}), HasSubstr("row 1"));
  EXPECT_THAT(told(sm::NodeAppeared{other, mad::NodeType::Switch}), HasSubstr("leaf-9"));
  const std::string link =
      told(sm::LinkDisappeared{{one, mad::PortNumber{1}}, {two, mad::PortNumber{2}}});
  EXPECT_THAT(link, HasSubstr("row 1"));
  EXPECT_THAT(link, HasSubstr("row 2"));
  EXPECT_THAT(link, Not(HasSubstr("leaf")));
  EXPECT_THAT(told(sm::LidConflict{{one, {}}, {two, {}}, mad::Lid{7}}), Not(HasSubstr("leaf")));
  EXPECT_THAT(told(sm::RouteTooLong{{two, mad::PortNumber{3}}}), HasSubstr("row 2"));
  EXPECT_THAT(told(sm::LinkOrderRefused{{one, mad::PortNumber{3}}, "disable", "why"}),
              HasSubstr("row 1"));
  sm::AdministrationLoad load;
  load.requests = 1;
  load.top.push_back({two, mad::Lid{2}, 5, 0});
  EXPECT_THAT(told(load), HasSubstr("row 2"));
  EXPECT_EQ(told(sm::PortLocked{one, mad::Guid{0x11}}).find("leaf"), std::string::npos);
}

TEST(GivenNames, ChangeNothingElseOfWhatIsShown) {
  const auto snapshot = std::make_shared<const sm::Snapshot>(small_fabric());
  const auto shown = with_names(names_of("0x10 \"row 1\"\n"), snapshot);
  const auto text_of = [](const sm::Snapshot& each) {
    std::ostringstream out;
    write_subnet_list(out, each);
    return out.str();
  };
  std::string expected = text_of(*snapshot);
  for (std::size_t at; (at = expected.find("{leaf-1}")) != std::string::npos;) {
    expected.replace(at, 8, "{row 1}");
  }
  EXPECT_THAT(expected, HasSubstr("{row 1}"));
  EXPECT_EQ(text_of(*shown), expected);
  const auto& before = snapshot->topology;
  const auto& after = shown->topology;
  ASSERT_EQ(after.port_count(), before.port_count());
  for (std::uint32_t i = 0; i < before.port_count(); ++i) {
    const fabric::PortIndex port{i};
    EXPECT_EQ(after.port(port).guid, before.port(port).guid);
    EXPECT_EQ(after.peer(port), before.peer(port));
    EXPECT_EQ(after.port(port).slowness, before.port(port).slowness);
  }
  EXPECT_EQ(shown->view, snapshot->view) << "clients are answered as before";
  EXPECT_EQ(with_names(names_of("0x10 leaf-1\n0x77 \"row 7\"\n"), snapshot), snapshot)
      << "nobody is called otherwise: no copy";
}

TEST(GivenNames, AFileThatBecameWrongChangesNothing) {
  const test::Folder folder;
  config::Config config;
  auto log = Log::open({"info", "text", (folder.path() / "log").string(), 1000});
  ASSERT_TRUE(log);
  NodeNamesFile file;
  EXPECT_EQ(file.read(config, **log), nullptr);
  config.node_name_map = (folder.path() / "map").string();
  EXPECT_EQ(file.read(config, **log), nullptr) << "it is not there";
  std::ofstream(config.node_name_map) << "0x10 \"row 1\"\n";
  const auto names = file.read(config, **log);
  ASSERT_NE(names, nullptr);
  std::ofstream(config.node_name_map) << "ten \"row 1\"\n";
  EXPECT_EQ(file.read(config, **log), names);
  std::ifstream in(folder.path() / "log");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_THAT(text, HasSubstr(config.node_name_map + ":1:1: 'ten' is no node GUID"));
  EXPECT_THAT(text, HasSubstr("Nodes are called as before"));
}

}  // namespace
}  // namespace heddle::app
