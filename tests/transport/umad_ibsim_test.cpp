// SPDX-License-Identifier: BSD-3-Clause
// Our umad transport against Debian's ibsim, through the real libibumad and libumad2sim. The
// other end of each check is somebody else's program.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "tests/support/folder.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/transport/program.hpp"

namespace heddle::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Two switches, joined twice (ports 3 and 5); Hca1 and Hca3 at the first, Hca2 and Hca4 at the
// other. Each HCA has two ports and a cable on the first.
constexpr const char* kNet = R"(Switch 8 "Switch1"
[1] "Hca1"[1]
[2] "Hca3"[1]
[3] "Switch2"[3]
[5] "Switch2"[5]

Switch 8 "Switch2"
[1] "Hca2"[1]
[2] "Hca4"[1]
[3] "Switch1"[3]
[5] "Switch1"[5]

Hca 2 "Hca1"
[1] "Switch1"[1]

Hca 2 "Hca2"
[1] "Switch2"[1]

Hca 2 "Hca3"
[1] "Switch1"[2]

Hca 2 "Hca4"
[1] "Switch2"[2]
)";

// Two hosts and one cable, which have LIDs.
constexpr const char* kPair = R"(Hca 2 "Hca1"
[1] "Hca2"[1] # lid 1 lmc 0

Hca 2 "Hca2"
[1] "Hca1"[1] # lid 2 lmc 0
)";

class UmadOnIbsim : public ::testing::Test {
 protected:
  void SetUp() override {
    if (test::kSanitized) {
      GTEST_SKIP() << "libumad2sim reads behind its own buffers: no use under a sanitizer";
    }
    ::signal(SIGPIPE, SIG_IGN);  // a probe that crashed is a failure to report, not ours to share
    socket_ = "heddle" + std::to_string(::getpid());
    ::setenv("IBSIM_SOCKNAME", socket_.c_str(), 1);
  }
  // Starts the simulated fabric. A client that comes before the server is there sleeps for two
  // seconds, so this waits until its socket exists.
  void start(std::string_view net) {
    std::ofstream(folder_ / "net") << net;
    const std::vector<std::string> words{"ibsim", "-s", "-n", "net"};
    ibsim_ = std::make_unique<Program>(words, folder_);
    const auto until = std::chrono::steady_clock::now() + 10s;
    while (!listens() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(5ms);
    ASSERT_TRUE(listens()) << "ibsim did not start: scripts/install-deps --test";
  }
  bool listens() const {
    std::ifstream sockets("/proc/net/unix");
    const std::string text{std::istreambuf_iterator<char>(sockets), {}};
    // The last that it opens.
    return text.find("@" + socket_ + ":out9") != std::string::npos;
  }
  ~UmadOnIbsim() override { ibsim_.reset(); }

  // A program at a host of the simulated fabric.
  std::unique_ptr<Program> at(const char* host, std::vector<std::string> words) const {
    words.insert(words.begin(), {"env", std::string("SIM_HOST=") + host, "ibsim-run"});
    return std::make_unique<Program>(words, folder_);
  }
  std::unique_ptr<Program> probe_at(const char* host) const {
    auto probe = at(host, {UMAD_PROBE});
    EXPECT_EQ(probe->hear(), "ready");
    return probe;
  }

  test::Folder own_;
  std::filesystem::path folder_ = own_.path();
  std::string socket_;
  std::unique_ptr<Program> ibsim_;
};

TEST_F(UmadOnIbsim, ThePortIsFoundThroughLibibumadWhenLibibverbsKnowsNone) {
  start(kNet);
  const auto guid = at("Hca2", {"ibstat", "-p"})->hear();
  ASSERT_THAT(guid, StartsWith("0x"));
  EXPECT_EQ(probe_at("Hca2")->ask("ports"),
            "ibsim0:1 " + guid + " InfiniBand INIT LinkUp 10 Gb/s sm 0 []");
}

TEST_F(UmadOnIbsim, APortThatTheDeviceHasNotIsRefused) {
  start(kNet);
  auto probe = at("Hca1", {UMAD_PROBE, "ibsim0:3"});
  EXPECT_THAT(probe->hear(), HasSubstr("there is no InfiniBand port ibsim0:3"));
  EXPECT_EQ(probe->end(), 1);
}

TEST_F(UmadOnIbsim, NodeInfoComesFromTheOwnNodeAndTheNextOnes) {
  start(kNet);
  const auto probe = probe_at("Hca1");
  // The low half of the id is ours again; the kernel's half of it is gone.
  EXPECT_THAT(probe->ask("get 17"), StartsWith("status 0 id 0x1 type 1 ports 2 local 1"));
  EXPECT_THAT(probe->ask("get 17 1"), StartsWith("status 0 id 0x2 type 2 ports 8 local 1"));
  EXPECT_THAT(probe->ask("get 17 1 5"), StartsWith("status 0 id 0x3 type 2 ports 8 local 5"));
  EXPECT_THAT(probe->ask("get 17 1 5 2"), StartsWith("status 0 id 0x4 type 1 ports 2 local 1"));
}

TEST_F(UmadOnIbsim, ARequestOverAPortWithoutCableComesBackAsFailed) {
  start(kNet);
  const auto probe = probe_at("Hca1");
  EXPECT_EQ(probe->ask("get 17 1 8"), "failed id 0x1");
  EXPECT_EQ(probe->ask("get 17 2"), "failed id 0x2");
  EXPECT_THAT(probe->ask("get 17"), StartsWith("status 0 id 0x3"));
}

TEST_F(UmadOnIbsim, ManyRequestsAtOnceAreAllAnswered) {
  start(kNet);
  const auto probe = probe_at("Hca1");
  EXPECT_EQ(probe->ask("burst 64"), "64");
  EXPECT_EQ(probe->ask("burst 64"), "64");
}

TEST_F(UmadOnIbsim, IsSmIsSeenFromAnotherHostWhileItIsSet) {
  start(kNet);
  const auto probe = probe_at("Hca1");
  const std::vector<std::string> ask{"smpquery", "-D", "portinfo", "0,1,3,1", "1"};
  const std::string bit = "\t\t\t\tIsSM\n";
  EXPECT_THAT(at("Hca2", ask)->hear_all(), Not(HasSubstr(bit)));
  EXPECT_EQ(probe->ask("sm 1"), "ok");
  EXPECT_THAT(at("Hca2", ask)->hear_all(), HasSubstr(bit));
  EXPECT_EQ(probe->ask("sm 0"), "ok");
  EXPECT_THAT(at("Hca2", ask)->hear_all(), Not(HasSubstr(bit)));
}

TEST_F(UmadOnIbsim, IsSmIsClearedWhenTheTransportEnds) {
  start(kNet);
  const auto probe = probe_at("Hca1");
  EXPECT_EQ(probe->ask("sm 1"), "ok");
  probe->say("quit");
  EXPECT_EQ(probe->end(), 0);
  EXPECT_THAT(at("Hca2", {"smpquery", "-D", "portinfo", "0,1,3,1", "1"})->hear_all(),
              Not(HasSubstr("\t\t\t\tIsSM\n")));
}

TEST_F(UmadOnIbsim, SminfoFromAnotherHostIsDeliveredAndOurAnswerAccepted) {
  start(kNet);
  const auto probe = probe_at("Hca1");
  EXPECT_EQ(probe->ask("sm 1"), "ok");
  const auto answer = at("Hca2", {"sminfo", "-D", "0,1,3,1"})->hear_all();
  EXPECT_THAT(answer, HasSubstr("sm guid 0x100001, activity count 42 priority 13 state 3"));
  EXPECT_EQ(probe->ask("served"), "1");
}

TEST_F(UmadOnIbsim, SminfoByLidIsDeliveredAndOurAnswerAccepted) {
  start(kPair);
  const auto probe = probe_at("Hca1");
  EXPECT_EQ(probe->ask("sm 1"), "ok");
  EXPECT_THAT(at("Hca2", {"sminfo", "1"})->hear_all(),
              HasSubstr("sm lid 1 sm guid 0x100001, activity count 42 priority 13 state 3"));
  EXPECT_EQ(probe->ask("served"), "1");
}

// libumad2sim crashes the process on a class without an agent: ibping's, for example.
TEST_F(UmadOnIbsim, AnInboundMadOfAClassWeDoNotServeDoesNotEndTheProcess) {
  start(kPair);
  const auto probe = probe_at("Hca1");
  EXPECT_EQ(probe->ask("sm 1"), "ok");
  EXPECT_THAT(at("Hca2", {"timeout", "2", "ibping", "-c", "1", "1"})->hear_all(),
              HasSubstr("1 packets transmitted"));
  EXPECT_THAT(probe->ask("get 17"), StartsWith("status 0 id 0x1"));
}

}  // namespace
}  // namespace heddle::transport
