// SPDX-License-Identifier: BSD-3-Clause
// Run inside the device door on a fabric with LIDs: messages between programs of one host and of
// different hosts. The program is its own partner: as "table-server" it answers GetTable with as
// many bytes as the attribute modifier says, as "echo" it sends back what it gets.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/doors/device/umad_client.hpp"

namespace heddle::doors {
namespace {

constexpr std::size_t kSaHeader = 56;
constexpr std::uint8_t kGetTable = 0x12;
constexpr int kOui = 0x001405;
// Where the echo server writes by which entry of its P_Key table a message came.
constexpr std::size_t kSeenPKeyIndex = 255;

std::uint32_t modifier_of(const Bytes& mad) {
  return static_cast<std::uint32_t>(mad.at(20) << 24 | mad.at(21) << 16 | mad.at(22) << 8 |
                                    mad.at(23));
}

void put_modifier(Bytes& mad, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) {
    mad[20 + i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
  }
}

std::uint8_t pattern(std::size_t i) {
  return static_cast<std::uint8_t>(i * 31 + i / 251);
}

// A message of one segment for the echo.
Bytes vendor_message(std::uint32_t id) {
  Bytes message = gmp(0x33, 1, 1, id);
  message[26] = 0x01;  // RMPPFlags: Active
  message[38] = 0x14;
  message[39] = 0x05;
  return message;
}

// Says its LID and GID when it is ready, and serves until it is killed.
int serve(const std::string& what) {
  Umad umad;
  const bool tables = what == "table-server";
  const int agent =
      tables ? umad.listen(0x03, 2, 1, {kGetTable}) : umad.listen_oui(0x33, 1, kOui, {1});
  if (agent < 0) return 1;
  std::printf("%d %s\n", own_lid(), class_text("ports/1/gids/0").c_str());
  std::fflush(stdout);
  while (true) {
    Answer request = umad.receive(-1);
    if (request.agent < 0 || request.status != 0) continue;
    Bytes reply = request.mad;
    reply[3] |= 0x80;
    if (tables) {
      reply.resize(kSaHeader + modifier_of(request.mad));
      for (std::size_t i = kSaHeader; i < reply.size(); ++i) reply[i] = pattern(i);
    }
    reply[26] |= 0x01;  // RMPPFlags: Active
    if (!tables) reply.at(kSeenPKeyIndex) = static_cast<std::uint8_t>(request.from.pkey_index);
    umad.reply(agent, reply, request.from);
  }
}

// A partner in another process, on this host or another.
class Partner {
 public:
  Partner(const std::string& what, const std::string& node) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      become(what, node);
    }
    close(ends[1]);
    std::array<char, 64> line{};
    std::array<char, 40> gid{};
    if (read(ends[0], line.data(), line.size() - 1) > 0 &&
        std::sscanf(line.data(), "%d %39s", &lid_, gid.data()) == 2) {
      inet_pton(AF_INET6, gid.data(), gid_.data());
    }
    close(ends[0]);
  }
  ~Partner() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  int lid() const { return lid_; }
  RawGid gid() const { return gid_; }

 private:
  [[noreturn]] static void become(const std::string& what, const std::string& node) {
    const std::string self = "/proc/self/exe";
    std::array<char, 512> path{};
    if (readlink(self.c_str(), path.data(), path.size() - 1) < 0) _exit(1);
    if (node.empty()) {
      execl(path.data(), path.data(), what.c_str(), nullptr);
    } else {
      execl(std::getenv("HEDDLE"), "heddle", "sim", "enter", std::getenv("HEDDLE_SIM"), "--at",
            node.c_str(), "--", path.data(), what.c_str(), nullptr);
    }
    _exit(1);
  }
  pid_t child_ = -1;
  int lid_ = 0;
  RawGid gid_{};
};

// On a fabric that loses, each loss costs two seconds: the kernel's time for an Ack.
bool too_long_here(std::size_t bytes) {
  const char* const most = std::getenv("HEDDLE_MOST_BYTES");
  return most != nullptr && bytes > std::strtoul(most, nullptr, 10);
}

class InsideRemote : public testing::Test {
 protected:
  static void expect_table(Umad& umad, int agent, int lid, std::uint32_t bytes) {
    Bytes request = gmp(0x03, 2, kGetTable, bytes);
    put_modifier(request, bytes);
    ASSERT_EQ(umad.send(agent, request, lid, 1, 20'000), 0);
    const Answer answer = umad.receive(30'000);
    ASSERT_EQ(answer.agent, agent);
    ASSERT_EQ(answer.status, 0u);
    ASSERT_EQ(answer.mad.size(), kSaHeader + bytes);
    std::size_t wrong = 0;
    for (std::size_t i = kSaHeader; i < answer.mad.size(); ++i) {
      wrong += answer.mad[i] != pattern(i);
    }
    EXPECT_EQ(wrong, 0u);
  }
};

TEST_F(InsideRemote, TablesComeFromAnotherHost) {
  const Partner partner("table-server", std::getenv("HEDDLE_FAR"));
  ASSERT_GT(partner.lid(), 0);
  ASSERT_NE(partner.lid(), own_lid());
  Umad umad;
  const int agent = umad.listen(0x03, 2, 1, {});
  for (const std::uint32_t bytes : {1u, 200u, 201u, 5'000u, 112u * 3'000, 112u * 20'000}) {
    SCOPED_TRACE(bytes);
    if (!too_long_here(bytes)) expect_table(umad, agent, partner.lid(), bytes);
  }
}

TEST_F(InsideRemote, TablesComeFromAnotherProcessOfThisHost) {
  const Partner partner("table-server", "");
  ASSERT_EQ(partner.lid(), own_lid());
  Umad umad;
  const int agent = umad.listen(0x03, 2, 1, {});
  expect_table(umad, agent, partner.lid(), 50'000);
}

TEST_F(InsideRemote, LongMessagesGoBothWays) {
  const Partner partner("echo", std::getenv("HEDDLE_FAR"));
  ASSERT_GT(partner.lid(), 0);
  Umad umad;
  const int agent = umad.listen_oui(0x33, 1, kOui, {});
  ASSERT_GE(agent, 0);
  for (const std::size_t size : {256u, 300u, 10'000u, 2'000'000u}) {
    SCOPED_TRACE(size);
    if (too_long_here(size)) continue;
    Bytes message = vendor_message(static_cast<std::uint32_t>(size));
    message.resize(size);
    for (std::size_t i = 40; i < size; ++i) message[i] = pattern(i);
    ASSERT_EQ(umad.send(agent, message, partner.lid(), 1, 10'000, 3), 0);
    const Answer answer = umad.receive(60'000);
    ASSERT_EQ(answer.status, 0u);
    ASSERT_EQ(answer.mad.size(), size);
    message[kSeenPKeyIndex] = 0;
    EXPECT_TRUE(std::equal(message.begin() + 40, message.end(), answer.mad.begin() + 40));
  }
}

TEST_F(InsideRemote, RequestsThatNobodyTakesAreRefusedByTheOtherKernel) {
  const Partner partner("table-server", std::getenv("HEDDLE_FAR"));
  Umad umad;
  const int agent = umad.listen_oui(0x32, 0, kOui, {});
  Bytes request = gmp(0x32, 1, 1, 5);
  request[38] = 0x14;
  request[39] = 0x05;
  ASSERT_EQ(umad.send(agent, request, partner.lid(), 1, 1000), 0);
  const Answer answer = umad.receive(2000);
  ASSERT_EQ(answer.status, 0u);
  EXPECT_EQ(answer.mad[3], 0x81);
  EXPECT_EQ(answer.mad[4] << 8 | answer.mad[5], 0x0c);
}

TEST_F(InsideRemote, AGlobalRouteGoesThereAndBack) {
  const Partner partner("echo", std::getenv("HEDDLE_FAR"));
  Umad umad;
  const int agent = umad.listen_oui(0x33, 1, kOui, {});
  RawGid far = partner.gid();
  ASSERT_EQ(umad.send_by({0, &far}, agent, vendor_message(0x70), partner.lid()), 0);
  const Answer answer = umad.receive(2000);
  ASSERT_EQ(answer.agent, agent);
  ASSERT_EQ(answer.status, 0u);
  EXPECT_EQ(answer.from.grh_present, 1) << "the echo has one if it came with one";
  EXPECT_EQ(std::memcmp(answer.from.gid, far.data(), far.size()), 0);
  ASSERT_EQ(umad.send_by({}, agent, vendor_message(0x71), partner.lid()), 0);
  const Answer local = umad.receive(2000);
  EXPECT_EQ(local.status, 0u);
  EXPECT_EQ(local.from.grh_present, 0);
  far[15] ^= 0xff;  // nobody's
  ASSERT_EQ(umad.send_by({0, &far}, agent, vendor_message(0x72), partner.lid(), 100), 0);
  EXPECT_EQ(umad.receive(2000).status, static_cast<unsigned>(ETIMEDOUT));
}

// The same partition stands at other places in the two tables.
TEST_F(InsideRemote, EachSideCountsPKeysByItsOwnTable) {
  const Partner partner("echo", std::getenv("HEDDLE_FAR"));
  Umad umad;
  const int smi = umad.listen(0x81, 1, 0, {});
  const int agent = umad.listen_oui(0x33, 1, kOui, {});
  const auto set_keys = [&](const std::vector<std::uint8_t>& route, std::vector<unsigned> keys) {
    mad::SmpData data{};
    for (std::size_t i = 0; i < keys.size(); ++i) {
      data[2 * i] = static_cast<std::byte>(keys[i] >> 8);
      data[2 * i + 1] = static_cast<std::byte>(keys[i]);
    }
    const auto set = directed(mad::Method::Set, mad::AttributeId::PKeyTable, route, 0x60, data);
    return umad.send(smi, set, 0xffff, 0) == 0 && umad.receive(1000).status == 0;
  };
  ASSERT_TRUE(set_keys({}, {0xffff, 0x8123, 0x8456}));
  ASSERT_TRUE(set_keys({1}, {0xffff, 0, 0, 0x8123}));
  ASSERT_EQ(umad.send_by({1}, agent, vendor_message(0x73), partner.lid()), 0);
  const Answer answer = umad.receive(2000);
  ASSERT_EQ(answer.agent, agent);
  ASSERT_EQ(answer.status, 0u);
  EXPECT_EQ(answer.from.pkey_index, 1);
  EXPECT_EQ(answer.mad.at(kSeenPKeyIndex), 3);
  for (const int useless : {2, 5, 9999}) {  // not the partner's, empty, beyond the table
    ASSERT_EQ(umad.send_by({useless}, agent, vendor_message(0x74), partner.lid(), 60), 0);
    EXPECT_EQ(umad.receive(2000).status, static_cast<unsigned>(ETIMEDOUT)) << useless;
  }
  EXPECT_EQ(class_text("ports/1/pkeys/1"), "0x8123");
  ASSERT_TRUE(set_keys({}, {0xffff}));
  ASSERT_TRUE(set_keys({1}, {0xffff}));
}

TEST_F(InsideRemote, ADeadServersMethodsAreFreeAgain) {
  {
    const Partner first("table-server", "");
    ASSERT_GT(first.lid(), 0);
    Umad umad;
    EXPECT_EQ(umad.listen(0x03, 2, 1, {kGetTable}), -EINVAL);
  }
  Umad umad;
  int agent = -EINVAL;
  for (int i = 0; i < 100 && agent < 0; ++i) {
    agent = umad.listen(0x03, 2, 1, {kGetTable});
    if (agent < 0) usleep(10'000);
  }
  EXPECT_GE(agent, 0);
}

}  // namespace

// A host of two adapters, both ends of the fabric "pair".
TEST(InsideTwoAdapters, EachPortHasItsOwnDeviceAndTheyReachEachOther) {
  char names[4][UMAD_CA_NAME_LEN];
  ASSERT_EQ(umad_get_cas_names(names, 4), 2);
  Umad first("mlx5_0", 1);
  Umad second("mlx5_1", 1);
  ASSERT_NE(own_lid("mlx5_0"), own_lid("mlx5_1"));
  const int asks = first.listen(0x03, 2, 0, {});
  const int answers = second.listen(0x03, 2, 0, {1});
  ASSERT_GE(first.listen(0x03, 2, 0, {1}), 0) << "another port, another taker";
  ASSERT_EQ(first.send(asks, gmp(0x03, 2, 1, 77), own_lid("mlx5_1"), 1, 1000), 0);
  const Answer request = second.receive(1000);
  ASSERT_EQ(request.agent, answers);
  EXPECT_EQ(ntohs(request.from.lid), own_lid("mlx5_0"));
  Bytes reply = request.mad;
  reply[3] = 0x81;
  ASSERT_EQ(second.send(answers, reply, own_lid("mlx5_0"), 1, 0), 0);
  EXPECT_EQ(id_of(first.receive(1000).mad), 77u);
}

// An adapter with two ports on one switch.
TEST(InsideTwoPorts, EachHasADeviceAndARegisterOfItsOwn) {
  umad_ca_t adapter{};
  ASSERT_EQ(umad_get_ca("mlx5_0", &adapter), 0);
  EXPECT_EQ(adapter.numports, 2);
  umad_release_ca(&adapter);
  Umad first("mlx5_0", 1);
  Umad second("mlx5_0", 2);
  EXPECT_NE(own_lid("mlx5_0", 1), own_lid("mlx5_0", 2));
  const int asks = first.listen(0x03, 2, 0, {});
  const int answers = second.listen(0x03, 2, 0, {1});
  ASSERT_EQ(first.send(asks, gmp(0x03, 2, 1, 78), own_lid("mlx5_0", 2), 1, 1000), 0);
  const Answer request = second.receive(1000);
  ASSERT_EQ(request.agent, answers);
  EXPECT_EQ(ntohs(request.from.lid), own_lid("mlx5_0", 1));
  EXPECT_EQ(Umad("mlx5_0", 3).port(), -EINVAL);
}

}  // namespace heddle::doors

int main(int argc, char** argv) {
  umad_init();
  const std::string role = argc > 1 ? argv[1] : "";
  if (role == "table-server" || role == "echo") return heddle::doors::serve(role);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
