// SPDX-License-Identifier: BSD-3-Clause
// The files of [routing], as a reload of the configuration meets them: good, broken and gone.
#include "app/routing_files.hpp"

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

struct Named {
  std::string config::Config::*option;
  const char* good;
  const char* broken;
  const char* place;  // of the mistake
};
const std::vector<Named> kFiles{
    {&config::Config::root_guid_file, "0x10\n", "0x10\nten\n", ":2:1: "},
    {&config::Config::guid_routing_order_file, "0x11\n", "\n0\n", ":2:1: "},
    {&config::Config::cn_guid_file, "0x12\n", "12x\n", ":1:1: "},
    {&config::Config::io_guid_file, "0x13\n", " -1\n", ":1:2: "},
    {&config::Config::ids_guid_file, "0x14 5\n", "0x14 five\n", ":1:6: "},
    {&config::Config::hop_weights_file, "0x15 1 9\n", "0x15 1 0\n", ":1:8: "},
    {&config::Config::port_prof_ignore_file, "0x16 3\n", "0x16 300\n", ":1:6: "},
    {&config::Config::torus_config, "torus 3 1 1\nxp_link 0x1 0x2\n", "torus 3\n", ":1:8: "},
};

class RoutingFilesTest : public testing::Test {
 protected:
  void write(const Named& named, const char* text) {
    config_.*named.option = (folder_.path() / std::to_string(&named - kFiles.data())).string();
    std::ofstream(config_.*named.option) << text;
  }
  routing::Options read() {
    routing::Options options;
    refused_ = files_.read(config_, options);
    return options;
  }

  test::Folder folder_;
  config::Config config_;
  RoutingFiles files_;
  std::vector<base::Error> refused_;
};

TEST_F(RoutingFilesTest, SayWhatRoutesAreMadeBy) {
  for (const Named& named : kFiles) write(named, named.good);
  const routing::Options options = read();
  EXPECT_THAT(refused_, IsEmpty());
  EXPECT_THAT(options.root_guids, ElementsAre(mad::Guid{0x10}));
  EXPECT_THAT(options.routing_order, ElementsAre(mad::Guid{0x11}));
  EXPECT_THAT(options.compute_guids, ElementsAre(mad::Guid{0x12}));
  EXPECT_THAT(options.io_guids, ElementsAre(mad::Guid{0x13}));
  EXPECT_THAT(options.switch_ids, ElementsAre(routing::SwitchId{mad::Guid{0x14}, 5}));
  ASSERT_EQ(options.hop_weights.size(), 1u);
  EXPECT_EQ(options.uncounted_ports.size(), 1u);
  EXPECT_TRUE(options.torus);
}

TEST_F(RoutingFilesTest, ThatBecomeBrokenChangeNothingAndNameThePlace) {
  for (const Named& named : kFiles) write(named, named.good);
  const routing::Options before = read();
  for (const Named& named : kFiles) {
    write(named, named.broken);
    EXPECT_EQ(read(), before) << named.broken;
    ASSERT_EQ(refused_.size(), 1u) << named.broken;
    EXPECT_THAT(refused_[0].message, StartsWith(config_.*named.option + named.place));
    std::filesystem::remove(config_.*named.option);
    EXPECT_EQ(read(), before) << "nor does one that is gone";
    ASSERT_EQ(refused_.size(), 1u);
    EXPECT_THAT(refused_[0].message, HasSubstr(config_.*named.option));
    write(named, named.good);
    EXPECT_EQ(read(), before);
    EXPECT_THAT(refused_, IsEmpty());
  }
}

TEST_F(RoutingFilesTest, ThatAreNamedNoLongerSayNothing) {
  for (const Named& named : kFiles) write(named, named.good);
  read();
  config_ = {};
  EXPECT_EQ(read(), routing::Options{});
  EXPECT_THAT(refused_, IsEmpty());
}

}  // namespace
}  // namespace heddle::app
