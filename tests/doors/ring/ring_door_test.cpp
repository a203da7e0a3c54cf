// SPDX-License-Identifier: BSD-3-Clause
// The door against whoever knocks, and against what is written into memory that is shared: a
// program that lies loses its file, and nobody else anything.
#include "doors/ring/ring_door.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "doors/device/device_door.hpp"
#include "doors/kernel/user_mad.hpp"
#include "mad/smp.hpp"
#include "sim/blueprint.hpp"
#include "tests/support/descriptors.hpp"
#include "tests/support/folder.hpp"

namespace heddle::doors::ring {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

using RegisterArgument = std::array<char, 28>;
constexpr std::uint32_t kRegister = _IOWR(0x1b, 1, RegisterArgument);

class Program;

class RingDoorTest : public testing::Test {
 protected:
  void run(int turns = 3) {
    for (int i = 0; i < turns; ++i) {
      loop.restart();
      loop.run_for(milliseconds(5));
    }
  }
  Reply ask(int socket, Question question, std::string names, Descriptors& along,
            Descriptors send = {}) {
    Reply reply;
    reply.error = -1;
    std::string text(kMostText, '\0');
    EXPECT_TRUE(
        send_packet(socket, {&question, sizeof question, names.data(), names.size()}, send, 0));
    run();
    receive_packet(socket, {&reply, sizeof reply, text.data(), text.size()}, along, MSG_DONTWAIT);
    said = text.c_str();
    return reply;
  }
  Reply open(int socket, const std::string& path, const std::string& at = "") {
    return ask(socket, {}, path + '\0' + at + '\0', came);
  }
  UniqueFd knock() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    door.rings().admit(UniqueFd(ends[0]));
    return UniqueFd(ends[1]);
  }

  test::Folder folder;
  boost::asio::io_context loop;
  FabricHost fabric{loop, sim::World(sim::generate_fabric("pair").value(), {})};
  DeviceDoor door{loop, fabric};
  Descriptors came;
  std::string said;
};

// A program that has a umad file open, by hand.
class Program {
 public:
  Program(UniqueFd calls, const Descriptors& ends)
      : calls_(std::move(calls)), memory_(ends.fds[0]), wake_(ends.fds[1]) {
    void* place =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory_.get(), 0);
    shared = static_cast<Shared*>(place);
    in = RingReader(shared->to_program);
    out = RingWriter(shared->to_fabric);
  }
  ~Program() { munmap(shared, sizeof(Shared)); }

  int calls() const { return calls_.get(); }
  int memory() const { return memory_.get(); }
  void wake() const { EXPECT_EQ(send(calls_.get(), "", 1, MSG_NOSIGNAL), 1); }
  bool hung_up_on() const {
    char byte = 0;
    return recv(wake_.get(), &byte, 1, MSG_DONTWAIT) == 0;
  }
  // Requests NodeInfo of the own device; `route` makes it one that may not leave.
  void request(std::uint32_t id, std::uint8_t route = 0) {
    mad::Smp smp;
    smp.method = mad::Method::Get;
    smp.attribute_id = mad::AttributeId::NodeInfo;
    smp.transaction_id = mad::TransactionId{id};
    smp.dr_slid = smp.dr_dlid = mad::kPermissiveLid;
    if (route != 0) smp.initial_path[++smp.hop_count] = mad::PortNumber{route};
    kernel::UserMadHeader header;
    header.timeout_ms = 1000;
    header.peer.lid = mad::kPermissiveLid;
    const auto mad = mad::encode_smp(smp);
    std::vector<std::byte> bytes(kernel::kOldHeaderBytes + mad.size());
    kernel::encode_header(header, false, bytes);
    std::memcpy(bytes.data() + kernel::kOldHeaderBytes, mad.data(), mad.size());
    Frame frame;
    frame.size = static_cast<std::uint32_t>(bytes.size());
    frame.message = frame.size;
    ASSERT_EQ(out.put(frame, bytes.data()), RingWriter::Put::Done);
    if (out.must_wake()) wake();
  }
  // Whether the fabric has taken all that was requested.
  bool taken() const { return shared->to_fabric.read.load() == shared->to_fabric.written.load(); }
  // The status of the next message; nothing when there is none.
  std::optional<std::uint32_t> answer() {
    Frame frame;
    if (in.peek(frame) != RingReader::Found::Message) return std::nullopt;
    std::vector<std::byte> bytes(frame.size);
    in.copy(bytes.data(), frame.size);
    in.pass(frame);
    return kernel::decode_header(bytes, false)->status;
  }

  Shared* shared = nullptr;
  RingReader in;
  RingWriter out;

 private:
  UniqueFd calls_;
  UniqueFd memory_;
  UniqueFd wake_;
};

class RingFileTest : public RingDoorTest {
 protected:
  std::unique_ptr<Program> start() {
    UniqueFd calls = knock();
    EXPECT_EQ(open(calls.get(), "dev/umad0").error, 0);
    auto program = std::make_unique<Program>(std::move(calls), came);
    Question question;
    question.what = Ask::Ioctl;
    question.command = kRegister;
    question.argument[25] = std::byte{0x81};  // the class
    question.argument[26] = std::byte{1};
    Descriptors none;
    EXPECT_EQ(ask(program->calls(), question, "", none).error, 0);
    return program;
  }
  void expect_it_lives(Program& program, std::uint32_t id) {
    program.request(id);
    run();
    EXPECT_EQ(program.answer(), 0u);
  }
};

TEST_F(RingDoorTest, FilesAreOpenedByTheirPathsAndNothingElseIs) {
  ASSERT_TRUE(door.rings().listen(folder.path(), "sim"));
  auto lid = knock();
  EXPECT_EQ(open(lid.get(), "class/infiniband/mlx5_0/ports/1/lid").error, 0);
  const UniqueFd text(came.fds[0]);
  std::array<char, 16> bytes{};
  EXPECT_GT(read(text.get(), bytes.data(), bytes.size()), 0);
  EXPECT_STREQ(bytes.data(), "0x0\n");
  EXPECT_EQ(open(knock().get(), "dev/umad7").error, ENOENT);
  EXPECT_EQ(open(knock().get(), "dev/umad0", std::string("nobody") + '\0').error, ENODEV);
  EXPECT_THAT(said, HasSubstr("'nobody'"));
}

TEST_F(RingDoorTest, OneConnectionHoldsIsSm) {
  const auto first = knock();
  EXPECT_EQ(open(first.get(), "dev/issm0").error, 0);
  EXPECT_EQ(open(knock().get(), "dev/issm0").error, EBUSY);
  {
    const UniqueFd gone(fcntl(first.get(), F_DUPFD_CLOEXEC, 0));
    shutdown(gone.get(), SHUT_RDWR);
  }
  run();
  EXPECT_EQ(open(knock().get(), "dev/issm0").error, 0);
}

TEST_F(RingDoorTest, NonsenseIsHungUpOn) {
  const auto socket = knock();
  ASSERT_EQ(send(socket.get(), "what", 4, MSG_NOSIGNAL), 4);
  run();
  char byte = 0;
  EXPECT_EQ(recv(socket.get(), &byte, 1, MSG_DONTWAIT), 0);
  EXPECT_EQ(door.rings().connections(), 0u);
}

TEST_F(RingDoorTest, ANameIsTakenOnceAndTheHostsAreShown) {
  ASSERT_TRUE(door.rings().listen(folder.path(), "sim"));
  DeviceDoor second(loop, fabric);
  EXPECT_THAT(second.rings().listen(folder.path(), "sim").error().message,
              HasSubstr("another fabric"));
  const auto socket = knock();
  EXPECT_EQ(open(socket.get(), "").kind, Kind::Folder);
  EXPECT_TRUE(std::filesystem::exists(said + "/dev/umad0")) << said;
  EXPECT_TRUE(std::filesystem::exists(said + "/class/infiniband/mlx5_0/ports/1/lid"));
}

TEST_F(RingDoorTest, FilesOfAHostAreShownNowhereWhileTheDoorIsShut) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  EXPECT_EQ(open(knock().get(), "").error, EIO);
  std::filesystem::current_path(before);
  EXPECT_THAT(said, HasSubstr("not open"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "in the folder that we are in";
}

TEST_F(RingDoorTest, WithoutDescriptorsThereIsAPauseAndThenWhoKnockedIsLetIn) {
  HEDDLE_SKIP_WITHOUT_DESCRIPTORS();
  ASSERT_TRUE(door.rings().listen(folder.path(), "sim"));
  const UniqueFd visitor(connect_packets((folder.path() / "sim.ring").c_str()));
  ASSERT_TRUE(visitor);
  std::size_t tries = 0;
  {
    const test::NoDescriptorsLeft none;
    loop.restart();
    tries = loop.run_for(milliseconds(50));
  }
  EXPECT_GE(tries, 1u);
  EXPECT_LE(tries, 3u);
  EXPECT_EQ(door.rings().connections(), 0u);
  for (int i = 0; i < 100 && door.rings().connections() == 0; ++i) run();
  EXPECT_EQ(door.rings().connections(), 1u);
}

// --- a file -------------------------------------------------------------------------------------

TEST_F(RingFileTest, RequestsAreAnsweredAndTheProgramIsWoken) {
  const auto program = start();
  ASSERT_TRUE(program->in.announce_sleep());
  expect_it_lives(*program, 7);
  EXPECT_EQ(program->shared->to_program.reader_sleeps.load(), 0u);
}

TEST_F(RingFileTest, ARefusedRequestComesBackWithTheReason) {
  const auto program = start();
  program->request(8, 2);  // a host has one port
  run();
  EXPECT_EQ(program->answer(), static_cast<std::uint32_t>(EINVAL));
  expect_it_lives(*program, 9);
}

TEST_F(RingFileTest, MoreThanTheRingHoldsWaitsForRoom) {
  const auto program = start();
  constexpr std::uint32_t kRequests = 3000;
  for (std::uint32_t id = 1; id <= kRequests; ++id) {
    program->request(id);
    for (int i = 0; id % 256 == 0 && !program->taken() && i < 1000; ++i) run(1);
  }
  std::uint32_t answers = 0;
  for (int i = 0; i < 1000 && answers < kRequests; ++i) {
    for (; program->answer() == 0u; ++answers) continue;
    program->wake();
    run();
  }
  EXPECT_EQ(answers, kRequests);
}

TEST_F(RingFileTest, AProgramThatLiesLosesItsFileAndNobodyElse) {
  const auto honest = start();
  using Lie = void (*)(Program&);
  const std::array<Lie, 4> lies{[](Program& p) { p.shared->to_fabric.written = ~std::uint64_t{0}; },
                                [](Program& p) { p.shared->to_fabric.written = kRingBytes + 1; },
                                [](Program& p) {
                                  p.shared->to_fabric.written = 64;  // of a frame that is longer
                                  std::memset(p.shared->to_fabric.bytes, 0xff, 64);
                                },
                                [](Program& p) {
                                  p.shared->to_program.read = 1 << 20;
                                  p.request(1);
                                }};
  for (const Lie lie : lies) {
    const auto liar = start();
    EXPECT_EQ(door.rings().held(), 2u);
    lie(*liar);
    liar->wake();
    run();
    EXPECT_TRUE(liar->hung_up_on());
    EXPECT_EQ(door.rings().held(), 1u);
    expect_it_lives(*honest, 11);
  }
}

TEST_F(RingFileTest, MessagesWithoutAHeaderAreDropped) {
  const auto program = start();
  Frame frame;
  EXPECT_EQ(program->out.put(frame, ""), RingWriter::Put::Done);
  frame.size = 10;
  EXPECT_EQ(program->out.put(frame, "0123456789"), RingWriter::Put::Done);
  expect_it_lives(*program, 12);
}

TEST_F(RingFileTest, TheMemoryCannotBeCut) {
  const auto program = start();
  EXPECT_EQ(ftruncate(program->memory(), 0), -1);
  EXPECT_EQ(errno, EPERM);
}

TEST_F(RingFileTest, ALongMessageComesInMemoryAndInNothingThatCouldBlock) {
  const auto program = start();
  Question question;
  question.what = Ask::Write;
  question.size = 100;
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const UniqueFd first(pipe_ends[0]);
  const UniqueFd second(pipe_ends[1]);
  Descriptors none;
  EXPECT_EQ(ask(program->calls(), question, "", none, {{first.get(), -1}}).error, EINVAL);
  const UniqueFd memory(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(ask(program->calls(), question, "", none, {{memory.get(), -1}}).error, EFAULT)
      << "shorter than it says";
  question.size = ~std::uint64_t{0};
  EXPECT_EQ(ask(program->calls(), question, "", none, {{memory.get(), -1}}).error, EINVAL);
  question.what = Ask::Take;
  EXPECT_EQ(ask(program->calls(), question, "", none).error, ENOMEM) << "nothing was announced";
  expect_it_lives(*program, 13);
}

TEST_F(RingFileTest, CloseIsAnsweredWhenItIsDoneAndDeathIsSeen) {
  auto program = start();
  Question question;
  question.what = Ask::Close;
  Descriptors none;
  EXPECT_EQ(ask(program->calls(), question, "", none).error, 0);
  EXPECT_EQ(door.rings().held(), 0u);
  program = start();
  EXPECT_EQ(door.rings().held(), 1u);
  program.reset();
  run();
  EXPECT_EQ(door.rings().held(), 0u);
}

}  // namespace
}  // namespace heddle::doors::ring
