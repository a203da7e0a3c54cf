// SPDX-License-Identifier: BSD-3-Clause
#include "app/doctor.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/support_bundle.hpp"

namespace heddle::app {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

transport::LocalPort port(const char* device) {
  transport::LocalPort made;
  made.id = {device, 1};
  made.link_layer = transport::LinkLayer::InfiniBand;
  made.state = mad::PortState::Active;
  made.physical_state = mad::PortPhysicalState::LinkUp;
  made.rate = "200 Gb/s";
  made.sm_lid = 1;
  made.candidate = true;
  return made;
}

// A host on which all is as it should be.
HostFacts sound() {
  HostFacts host;
  host.has_umad_module = true;
  host.ports = {port("mlx5_0")};
  host.devices = {{"/dev/infiniband/issm0", true}, {"/dev/infiniband/umad0", true}};
  host.configuration.path = "/etc/heddle/heddle.toml";
  host.managers.push_back({"/run/heddle/sm.sock", "", "master", 5, {}, {}});
  return host;
}

// What is said that is not fine, as text.
std::string ills(const HostFacts& host) {
  auto all = diagnose(host);
  std::erase_if(all, [](const Diagnosis& one) { return one.health == Health::Fine; });
  for (const Diagnosis& one : all) EXPECT_THAT(one.mend, Not(IsEmpty())) << one.what;
  return diagnosis_text(all);
}

TEST(Doctor, OfASoundHostNothingIsWrong) {
  EXPECT_THAT(ills(sound()), IsEmpty());
}

TEST(Doctor, NamesWhatIsMissingUnderTheProgram) {
  HostFacts host = sound();
  host.devices[1].may_open = false;
  EXPECT_THAT(ills(host), HasSubstr("may not open /dev/infiniband/umad0\n"));
  host = sound();
  host.devices.clear();
  EXPECT_THAT(ills(host), HasSubstr("there is no /dev/infiniband/umad*"));
  host.has_umad_module = false;
  EXPECT_THAT(ills(host), HasSubstr("modprobe ib_umad"));
  host.ports.clear();
  EXPECT_THAT(ills(host), HasSubstr("no RDMA device"));
}

TEST(Doctor, APortThatNobodyManagesWantsAManager) {
  HostFacts host = sound();
  host.managers.clear();
  host.ports[0].state = mad::PortState::Init;
  host.ports[0].sm_lid = 0;
  EXPECT_THAT(ills(host), HasSubstr("no subnet manager has been here"));
  EXPECT_THAT(ills(host), HasSubstr("systemctl enable --now heddle@mlx5_0:1"));
  host.ports[0].state = mad::PortState::Down;
  host.ports[0].physical_state = mad::PortPhysicalState::Polling;
  EXPECT_THAT(ills(host), HasSubstr("has no link (Polling)"));
}

TEST(Doctor, APortOfAnotherKindIsNoTrouble) {
  HostFacts host = sound();
  host.ports.push_back(port("mlx5_1"));
  host.ports[1].candidate = false;
  host.ports[1].link_layer = transport::LinkLayer::Ethernet;
  host.ports[1].state = mad::PortState::Down;
  EXPECT_THAT(ills(host), IsEmpty());
}

TEST(Doctor, SeveralPortsWantAChoice) {
  HostFacts host = sound();
  host.managers.clear();
  host.ports.push_back(port("mlx5_1"));
  EXPECT_THAT(ills(host), HasSubstr("2 ports could be managed"));
  host.configuration.port = "mlx5_1:1";
  EXPECT_THAT(ills(host), IsEmpty());
}

TEST(Doctor, KeysThatAnybodyReadsAreNone) {
  HostFacts host = sound();
  host.configuration.anybody_reads = true;
  EXPECT_THAT(ills(host), IsEmpty()) << "there are no keys in it";
  host.configuration.has_keys = true;
  EXPECT_THAT(ills(host), HasSubstr("chmod 640 /etc/heddle/heddle.toml"));
  host.configuration.problems = {"heddle.toml:3:1: what is this"};
  EXPECT_THAT(ills(host), HasSubstr("what is this"));
}

// Of what nobody may look at, nothing is known.
TEST(Doctor, AFileThatIsNotForWhoAsksIsADoubt) {
  HostFacts host = sound();
  host.managers.clear();
  host.ports.push_back(port("mlx5_1"));
  host.configuration.unreadable = true;
  EXPECT_THAT(ills(host), HasSubstr("/etc/heddle/heddle.toml cannot be read by you"));
  EXPECT_THAT(ills(host), Not(HasSubstr("sm.port")));
  const auto all = diagnose(host);
  EXPECT_TRUE(std::none_of(all.begin(), all.end(),
                           [](const Diagnosis& one) { return one.health == Health::Wrong; }));
}

TEST(Doctor, SeesOthersWhoManage) {
  HostFacts host = sound();
  host.other_managers = {{4711, "opensm"}};
  EXPECT_THAT(ills(host), HasSubstr("opensm (process 4711)"));
  host = sound();
  host.managers[0].peers = {{"host-9", "standby", 5}};
  EXPECT_THAT(ills(host), HasSubstr("host-9 has the same priority 5"));
  host.managers[0].peers = {{"host-9", "master", 3}};
  EXPECT_THAT(ills(host), HasSubstr("host-9 says that it is master too"));
  host.managers[0].peers = {{"host-9", "standby", 3}};
  EXPECT_THAT(ills(host), IsEmpty());
  host.managers[0].complaints = {"2 links between switches lost"};
  EXPECT_THAT(ills(host), HasSubstr("2 links between switches lost"));
  host.managers[0] = {"/run/x", "nobody there", "", 0, {}, {}};
  EXPECT_THAT(ills(host), HasSubstr("/run/x does not answer: nobody there"));
}

TEST(Doctor, TellsProgramsTheSame) {
  HostFacts host = sound();
  host.configuration.memory_folder = "/nowhere";
  host.configuration.memory_kept = false;
  const auto json = nlohmann::json::parse(diagnosis_json(diagnose(host)));
  const auto& last = json["findings"][3];
  EXPECT_EQ(last["health"], "doubtful");
  EXPECT_THAT(last["what"].get<std::string>(), HasSubstr("/nowhere"));
  EXPECT_EQ(json["findings"][0]["mend"], nullptr);
}

TEST(SupportBundle, LeavesKeysOutOfTheConfiguration) {
  config::Config config;
  config.m_key = 0x1122334455667788;
  config.former_m_keys = {0xAABBCCDDEEFF0011};
  config.sm_key = 0x99;
  config.priority = 7;
  config.api_key = "/etc/heddle/api.key";
  const std::string text = configuration_without_keys(config);
  EXPECT_THAT(text, HasSubstr("priority = 7"));
  EXPECT_THAT(text, HasSubstr("# m_key is set"));
  EXPECT_THAT(text, HasSubstr("# former_m_keys is set"));
  EXPECT_THAT(text, HasSubstr("# sm_key is set"));
  EXPECT_THAT(text, HasSubstr("key = \"/etc/heddle/api.key\"")) << "where a file lies is no secret";
  for (const char* secret : {"1122334455667788", "aabbccddeeff0011", "AABBCCDDEEFF0011", "99"}) {
    EXPECT_THAT(text, Not(HasSubstr(secret)));
  }
}

}  // namespace
}  // namespace heddle::app
