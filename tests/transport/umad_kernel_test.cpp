// SPDX-License-Identifier: BSD-3-Clause
// The umad transport against a kernel that misbehaves to order.
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "mad/rmpp_header.hpp"
#include "tests/support/folder.hpp"
#include "tests/transport/fake_umad.hpp"
#include "tests/transport/sample.hpp"
#include "transport/umad.hpp"

namespace heddle::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class UmadKernel : public ::testing::Test {
 protected:
  UmadKernel() { reset_fake_kernel(); }

  base::Result<std::unique_ptr<Transport>> try_open() {
    UmadOptions options;
    options.kernel_timeout = 1234ms;
    options.on_trouble = [this](const std::string& sentence) { trouble = sentence; };
    options.at_once = at_once;
    return open_umad(loop, {"mlx5_0", 1}, options);
  }
  void open() {
    auto opened = try_open();
    ASSERT_TRUE(opened) << opened.error().message;
    port = std::move(*opened);
    port->set_receiver([this](std::span<Received> batch) {
      EXPECT_EQ(std::this_thread::get_id(), loop_thread);
      received.insert(received.end(), batch.begin(), batch.end());
    });
  }
  std::string refusal() {
    const auto opened = try_open();
    EXPECT_FALSE(opened);
    return opened ? "" : opened.error().message;
  }

  template <class Done>
  bool run_until(Done done) {
    const auto end = std::chrono::steady_clock::now() + 5s;
    while (!done() && std::chrono::steady_clock::now() < end) {
      loop.restart();
      loop.run_for(2ms);
    }
    return done();
  }
  void arrive(const mad::Datagram& datagram, std::uint32_t status = 0) {
    auto& kernel = fake_kernel();
    const std::scoped_lock lock(kernel.mutex);
    kernel.inbound.push_back({{datagram.payload.begin(), datagram.payload.end()}, status});
  }

  boost::asio::io_context loop;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
      loop.get_executor()};
  std::thread::id loop_thread = std::this_thread::get_id();
  std::vector<Received> received;
  std::string trouble;
  decltype(UmadOptions::at_once) at_once;
  std::unique_ptr<Transport> port;
};

mad::Datagram of_class(mad::Datagram datagram, mad::ManagementClass management_class) {
  datagram.payload[1] = static_cast<std::byte>(management_class);
  return datagram;
}

TEST_F(UmadKernel, TheAgentsAskForWhatASubnetManagerServes) {
  open();
  const auto& agents = fake_kernel().agents;
  const auto find = [&](int management_class) {
    return std::find_if(agents.begin(), agents.end(), [&](const FakeAgent& agent) {
      return agent.management_class == management_class;
    });
  };
  const auto bit = [](mad::Method method) { return 1ull << static_cast<int>(method); };
  for (const int management_class : {0x81, 0x01}) {
    const auto agent = find(management_class);
    ASSERT_NE(agent, agents.end());
    EXPECT_EQ(agent->version, 1);
    EXPECT_EQ(agent->methods[0] & 0xff, bit(mad::Method::Get) | bit(mad::Method::Set) |
                                            bit(mad::Method::Trap) | bit(mad::Method::TrapRepress));
  }
  const auto administration = find(0x03);
  ASSERT_NE(administration, agents.end());
  EXPECT_EQ(administration->version, 2);
  EXPECT_EQ(administration->rmpp_version, 1);
  EXPECT_NE(administration->methods[0] & bit(mad::Method::GetTable), 0u);
  const auto performance = find(0x04);
  ASSERT_NE(performance, agents.end());
  EXPECT_EQ(performance->methods[0] | performance->methods[1], 0u) << "a client serves nobody";
}

TEST_F(UmadKernel, AnotherSubnetManagerOnThePortIsNamed) {
  for (const int reason : {EINVAL, EBUSY}) {
    fake_kernel().refused_class = 0x81;
    fake_kernel().refusal = reason;
    EXPECT_THAT(refusal(),
                HasSubstr("another subnet manager (opensm, for example) runs on mlx5_0"));
  }
  EXPECT_EQ(fake_kernel().closed, 2) << "the port is closed again";
}

TEST_F(UmadKernel, WithoutRmppInTheKernelLongMessagesAreNotCutButKeptBack) {
  fake_kernel().refuses_rmpp = true;
  open();
  auto table = of_class(sample(mad::Method::GetTableResp, 1), mad::ManagementClass::SubnAdm);
  port->send(table);
  table.payload.resize(1000);
  port->send(table);
  ASSERT_EQ(fake_kernel().sent.size(), 1u);
  EXPECT_EQ(fake_kernel().sent[0].length, 256);
}

// The receiver of a table acknowledges a window of segments; one that is lost must come again.
TEST_F(UmadKernel, OfALongAnswerTheKernelRepeatsWhatIsLost) {
  open();
  auto table = of_class(sample(mad::Method::GetTableResp, 1), mad::ManagementClass::SubnAdm);
  constexpr std::size_t kRmppFlags = 26;
  table.payload[kRmppFlags] = std::byte{mad::kRmppActive};
  port->send(table);
  ASSERT_EQ(fake_kernel().sent.size(), 1u);
  EXPECT_EQ(fake_kernel().sent[0].timeout_ms, 0);
  EXPECT_EQ(fake_kernel().sent[0].retries, 3);
}

TEST_F(UmadKernel, WithRmppInTheKernelLongMessagesAreHandedOverWhole) {
  open();
  auto table = of_class(sample(mad::Method::GetTableResp, 1), mad::ManagementClass::SubnAdm);
  table.payload.resize(70'000, std::byte{7});
  port->send(table);
  ASSERT_EQ(fake_kernel().sent.size(), 1u);
  EXPECT_EQ(fake_kernel().sent[0].length, 70'000);
  EXPECT_EQ(fake_kernel().sent[0].mad,
            std::vector<std::byte>(table.payload.begin(), table.payload.end()));
}

TEST_F(UmadKernel, OnlyWhatAwaitsAnAnswerHasATimeAndNothingIsRepeatedByTheKernel) {
  open();
  port->send(sample_request(1));
  port->send(answer_to(sample_request(2)));
  port->send(sample(mad::Method::TrapRepress, 3));
  const auto& sent = fake_kernel().sent;
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_EQ(sent[0].timeout_ms, 1234);
  EXPECT_EQ(sent[1].timeout_ms, 0);
  EXPECT_EQ(sent[2].timeout_ms, 0);
  for (const auto& each : sent) EXPECT_EQ(each.retries, 0);
}

TEST_F(UmadKernel, ARequestThatCannotBeSentComesBackLaterAnAnswerDoesNot) {
  open();
  for (const int reason : {EAGAIN, ENOSPC, ENOBUFS, EINVAL}) {
    fake_kernel().send_errno = reason;
    received.clear();
    port->send(answer_to(sample_request(1)));
    port->send(sample_request(0xaaaa'0000'0000'0002));
    EXPECT_TRUE(received.empty()) << "not inside the call";
    ASSERT_TRUE(run_until([&] { return !received.empty(); }));
    ASSERT_EQ(received.size(), 1u);
    EXPECT_EQ(received[0].arrival, Arrival::SendFailed);
    EXPECT_EQ(id_of(received[0].datagram), 2u);
  }
}

TEST_F(UmadKernel, ARequestOfAClassWithoutAgentComesBack) {
  open();
  port->send(of_class(sample_request(5), mad::ManagementClass::DeviceManagement));
  EXPECT_TRUE(run_until([&] { return !received.empty(); }));
  EXPECT_TRUE(fake_kernel().sent.empty());
}

TEST_F(UmadKernel, WhatTheKernelGivesBackAfterItsTimeIsSendFailed) {
  open();
  auto timed_out = sample_request(0x0000'0009'0000'0004);
  timed_out.payload.resize(kHeaderBytes);
  arrive(timed_out, ETIMEDOUT);
  ASSERT_TRUE(run_until([&] { return !received.empty(); }));
  EXPECT_EQ(received[0].arrival, Arrival::SendFailed);
  const auto smp = mad::decode_smp(received[0].datagram.payload);
  ASSERT_TRUE(smp);
  EXPECT_EQ(smp->transaction_id.value, 4u);
  EXPECT_EQ(smp->attribute_id, mad::AttributeId::NodeInfo);
}

TEST_F(UmadKernel, ManyArriveInOrderAndALongOneAmongThemIsReadWhole) {
  open();
  for (std::uint64_t id = 1; id <= 1000; ++id) {
    auto answer = answer_to(sample_request(id));
    if (id == 500) {
      answer = of_class(answer, mad::ManagementClass::SubnAdm);
      answer.payload.resize(50'000, std::byte{3});
    }
    arrive(answer);
  }
  ASSERT_TRUE(run_until([&] { return received.size() == 1000; }));
  for (std::uint64_t id = 1; id <= 1000; ++id) {
    EXPECT_EQ(id_of(received[id - 1].datagram), id);
    EXPECT_EQ(received[id - 1].datagram.payload.size(), id == 500 ? 50'000u : 256u);
  }
}

TEST_F(UmadKernel, WhatIsAnsweredAtOnceIsNotHandedUp) {
  // Answers even transaction ids, drops those that three divides, and leaves the rest.
  at_once = [this](const mad::Datagram& request, std::optional<mad::Datagram>& reply) {
    EXPECT_NE(std::this_thread::get_id(), loop_thread);
    const auto id = id_of(request);
    if (id % 2 == 0) reply = answer_to(request);
    return id % 2 == 0 || id % 3 == 0;
  };
  open();
  for (std::uint64_t id = 1; id <= 30; ++id) arrive(sample_request(id));
  ASSERT_TRUE(run_until([&] { return received.size() == 10; }));
  for (const Received& each : received) {
    EXPECT_NE(id_of(each.datagram) % 2, 0u);
    EXPECT_NE(id_of(each.datagram) % 3, 0u);
  }
  const std::scoped_lock lock(fake_kernel().mutex);
  ASSERT_EQ(fake_kernel().sent.size(), 15u);
  for (const FakeSent& sent : fake_kernel().sent) {
    EXPECT_EQ(sent.length, 256);
    EXPECT_EQ(sent.timeout_ms, 0);
  }
}

TEST_F(UmadKernel, WhatTheKernelGivesBackIsNoQuestion) {
  at_once = [](const mad::Datagram&, std::optional<mad::Datagram>&) { return true; };
  open();
  auto timed_out = sample_request(4);
  timed_out.payload.resize(kHeaderBytes);
  arrive(timed_out, ETIMEDOUT);
  ASSERT_TRUE(run_until([&] { return !received.empty(); }));
  EXPECT_EQ(received[0].arrival, Arrival::SendFailed);
}

// One at a time, each when the last has been read: the reader must not sleep on what is there.
TEST_F(UmadKernel, WhatComesOneByOneAndThenAllAtOnceIsAllRead) {
  open();
  std::uint64_t id = 0;
  for (int i = 0; i < 20; ++i) {
    arrive(sample_request(++id));
    ASSERT_TRUE(run_until([&] { return received.size() == id; }));
  }
  for (int i = 0; i < 300; ++i) arrive(sample_request(++id));
  ASSERT_TRUE(run_until([&] { return received.size() == id; }));
  for (std::uint64_t i = 1; i <= id; ++i) EXPECT_EQ(id_of(received[i - 1].datagram), i);
}

// As long as all that comes is answered by the reader; the machine's own is handed up at once, and
// the end interrupts the read.
TEST_F(UmadKernel, WhereNothingIsHandedUpReadsWaitAndNobodyPolls) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
  fake_kernel().open_result = ends[0];
  fake_kernel().is_file = true;
  const auto question = sample_request(2);
  at_once = [](const mad::Datagram& asked, std::optional<mad::Datagram>&) {
    return id_of(asked) == 2;
  };
  open();
  const auto waits = [&] { return (::fcntl(ends[0], F_GETFL) & O_NONBLOCK) == 0; };
  arrive(question);
  ASSERT_TRUE(run_until(waits));
  const auto polls = [] {
    const std::scoped_lock lock(fake_kernel().mutex);
    return fake_kernel().polls;
  };
  const int before = polls();
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(polls(), before);

  arrive(sample_request(3));
  EXPECT_TRUE(run_until([&] { return !received.empty() && polls() > before; }));
  EXPECT_FALSE(waits());

  arrive(question);
  EXPECT_TRUE(run_until(waits));
  port.reset();
  EXPECT_EQ(fake_kernel().closed, 1);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(UmadKernel, ADeviceThatGoesAwayIsToldOnceAndDoesNotHang) {
  open();
  {
    const std::scoped_lock lock(fake_kernel().mutex);
    fake_kernel().read_errno = EIO;
  }
  ASSERT_TRUE(run_until([&] { return !trouble.empty(); }));
  EXPECT_THAT(trouble, HasSubstr("mlx5_0:1 cannot be read any more"));
  port.reset();
  EXPECT_EQ(fake_kernel().closed, 1);
}

TEST_F(UmadKernel, TheDeathOfADeviceIsToldThoughAReadWaits) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
  fake_kernel().open_result = ends[0];
  fake_kernel().is_file = true;
  at_once = [](const mad::Datagram&, std::optional<mad::Datagram>&) { return true; };
  open();
  arrive(sample_request(2));
  ASSERT_TRUE(run_until([&] { return (::fcntl(ends[0], F_GETFL) & O_NONBLOCK) == 0; }));
  std::this_thread::sleep_for(50ms);  // it waits by now
  {
    const std::scoped_lock lock(fake_kernel().mutex);
    fake_kernel().read_errno = EIO;
  }
  EXPECT_TRUE(run_until([&] { return !trouble.empty(); }));
  EXPECT_THAT(trouble, HasSubstr("cannot be read any more"));
  port.reset();
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(UmadKernel, NothingIsDeliveredAfterTheEnd) {
  open();
  port->send(of_class(sample_request(5), mad::ManagementClass::DeviceManagement));
  arrive(sample_request(1));
  std::this_thread::sleep_for(20ms);  // both are posted now, and nobody has looked
  port.reset();
  loop.restart();
  loop.poll();
  EXPECT_TRUE(received.empty());
}

TEST_F(UmadKernel, IsSmHoldsItsDeviceOpenAndOneThatCannotBeOpenedIsTold) {
  const test::Folder folder;
  const std::string path = folder.path() / "issm0";
  std::ofstream{path};
  open();
  fake_kernel().issm_path = path;
  port->set_is_sm(true);
  EXPECT_EQ(trouble, "");
  port->set_is_sm(false);
  ::unlink(path.c_str());
  port->set_is_sm(true);
  EXPECT_THAT(trouble, HasSubstr("IsSM cannot be set on mlx5_0:1"));
  EXPECT_THAT(trouble, HasSubstr(path + ": No such file or directory"));
  fake_kernel().issm_path.clear();
  port->set_is_sm(true);
  EXPECT_THAT(trouble, HasSubstr("has no issm device"));
}

}  // namespace
}  // namespace heddle::transport
