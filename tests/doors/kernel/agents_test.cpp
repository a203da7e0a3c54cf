// SPDX-License-Identifier: BSD-3-Clause
#include "tests/doors/kernel/kernel_pair.hpp"

namespace heddle::doors::kernel {
namespace {

constexpr auto kInvalid = std::errc::invalid_argument;
constexpr std::errc kFine{};

class AgentsTest : public testing::Test {
 protected:
  void deliver(const Message& message, std::uint32_t qpn = 1) {
    const auto bytes = mad_of(message);
    mad::Datagram datagram{{}, mad::Payload(bytes.begin(), bytes.end())};
    datagram.peer.lid = mad::Lid{9};
    datagram.peer.qpn = qpn;
    host.port.receive(datagram, {});
  }

  Host host{1};
  std::unique_ptr<UmadFile> file = host.open();
};

TEST_F(AgentsTest, AMethodOfAClassHasOneTaker) {
  auto other = host.open();
  EXPECT_EQ(register_agent(*file, {.methods = {1, 2}}), kFine);
  EXPECT_EQ(register_agent(*other, {.methods = {2, 0x12}}), kInvalid);
  EXPECT_EQ(register_agent(*other, {.methods = {0x12}}), kFine);
  EXPECT_EQ(register_agent(*other, {.version = 1, .methods = {1}}), kFine) << "another version";
  EXPECT_EQ(register_agent(*other, {}), kFine) << "only answers to its own requests";
}

TEST_F(AgentsTest, AClosedFileGivesItsMethodsBack) {
  auto other = host.open();
  ASSERT_EQ(register_agent(*other, {.methods = {1}}), kFine);
  other.reset();
  EXPECT_EQ(register_agent(*file, {.methods = {1}}), kFine);
}

TEST_F(AgentsTest, WrongRegistrationsAreRefused) {
  EXPECT_EQ(register_agent(*file, {.qpn = 2}), kInvalid);
  EXPECT_EQ(register_agent(*file, {.qpn = 0}), kInvalid) << "SubnAdm is not on QP0";
  EXPECT_EQ(register_agent(*file, {.management_class = 0x01, .version = 1}), kInvalid);
  EXPECT_EQ(register_agent(*file, {.management_class = 0x81, .version = 1, .qpn = 0}), kFine);
  EXPECT_EQ(register_agent(*file, {.management_class = 0x50}), kInvalid);
  EXPECT_EQ(register_agent(*file, {.version = 0x83}), kInvalid);
  EXPECT_EQ(register_agent(*file, {.rmpp = 2}), kInvalid);
  EXPECT_EQ(register_agent(*file, {.management_class = 0x04, .version = 1, .rmpp = 1}), kInvalid);
  EXPECT_EQ(register_agent(*file, {.management_class = 0x32, .version = 1}), kInvalid) << "no OUI";
}

TEST_F(AgentsTest, AFileHas32AgentsAndReusesTheirPlaces) {
  std::uint32_t id = 0;
  for (std::uint32_t i = 0; i < 32; ++i) {
    ASSERT_EQ(register_agent(*file, {}, &id), kFine);
    EXPECT_EQ(id, i);
  }
  EXPECT_EQ(register_agent(*file, {}), std::errc::not_enough_memory);
  std::array<std::byte, 4> five{std::byte{5}};
  EXPECT_EQ(file->ioctl(_IOW(kIoctlType, 2, std::uint32_t), five), kFine);
  EXPECT_EQ(file->ioctl(_IOW(kIoctlType, 2, std::uint32_t), five), kInvalid) << "it is gone";
  EXPECT_EQ(register_agent(*file, {}, &id), kFine);
  EXPECT_EQ(id, 5u);
}

TEST_F(AgentsTest, ThePKeyIndexMustBeAskedForFirst) {
  auto late = host.open(false);
  ASSERT_EQ(register_agent(*late, {.methods = {1}}), kFine);
  EXPECT_EQ(late->ioctl(_IO(kIoctlType, 3), {}), kInvalid);
  deliver({});
  EXPECT_EQ(late->next_size(), kOldHeaderBytes + 256);
}

TEST_F(AgentsTest, UnknownAndShortIoctlsAreRefused) {
  std::array<std::byte, 8> few{};
  EXPECT_EQ(file->ioctl(_IO(kIoctlType, 9), few), std::errc::inappropriate_io_control_operation);
  EXPECT_EQ(file->ioctl(_IO(0x77, 1), few), std::errc::inappropriate_io_control_operation);
  EXPECT_EQ(file->ioctl(_IOWR(kIoctlType, 1, int), few), std::errc::bad_address);
  EXPECT_EQ(file->ioctl(_IOWR(kIoctlType, 4, int), few), std::errc::bad_address);
  EXPECT_EQ(file->ioctl(_IOW(kIoctlType, 2, int), std::span(few).first(2)), std::errc::bad_address);
}

TEST_F(AgentsTest, TheSecondIoctlKnowsFlagsAndWideOuis) {
  const auto try_it = [this](std::uint32_t flags, std::uint32_t oui, std::uint8_t rmpp) {
    ib_user_mad_reg_req2 request{};
    request.id = 99;
    request.qpn = 1;
    request.mgmt_class = 0x32;
    request.mgmt_class_version = 1;
    request.flags = flags;
    request.oui = oui;
    request.rmpp_version = rmpp;
    std::array<std::byte, sizeof request> bytes;
    std::memcpy(bytes.data(), &request, sizeof request);
    return file->ioctl(_IOWR(kIoctlType, 4, ib_user_mad_reg_req2), bytes);
  };
  EXPECT_EQ(try_it(0, 0x1405, 0), kFine);
  EXPECT_EQ(try_it(1, 0x1405, 1), kFine);
  EXPECT_EQ(try_it(2, 0x1405, 0), kInvalid);
  EXPECT_EQ(try_it(0, 0x01'00'14'05, 0), kInvalid);
}

// --- who gets what ------------------------------------------------------------------------------

TEST_F(AgentsTest, RequestsGoByClassVersionAndMethod) {
  std::uint32_t sa = 0;
  std::uint32_t pm = 0;
  ASSERT_EQ(register_agent(*file, {.methods = {1}}, &sa), kFine);
  ASSERT_EQ(register_agent(*file, {.management_class = 4, .version = 1, .methods = {1}}, &pm),
            kFine);
  deliver({});
  EXPECT_EQ(read(*file).header.id, sa);
  deliver({.management_class = 4, .version = 1});
  EXPECT_EQ(read(*file).header.id, pm);
  deliver({.method = 2});
  deliver({.version = 3});
  deliver({}, 0);
  EXPECT_FALSE(file->readable());
}

TEST_F(AgentsTest, VendorClassesGoByTheirOui) {
  auto other = host.open();
  const Wish wish{.management_class = 0x32, .version = 1, .methods = {1}, .oui = 0x1405};
  Wish another = wish;
  another.oui = 0x2c9;
  ASSERT_EQ(register_agent(*file, wish), kFine);
  ASSERT_EQ(register_agent(*other, another), kFine);
  deliver({.management_class = 0x32, .version = 1, .oui = 0x2c9});
  EXPECT_FALSE(file->readable());
  EXPECT_TRUE(other->readable());
  EXPECT_EQ(register_agent(*other, wish), kInvalid) << "taken";
  EXPECT_EQ(register_agent(*other, {.management_class = 0x0a, .version = 1, .methods = {1}}), kFine)
      << "the first vendor classes have no OUI";
}

TEST_F(AgentsTest, GetAndSetThatNobodyTakesAreRefusedByTheKernel) {
  deliver({.management_class = 0x32, .version = 1, .transaction_id = 77, .oui = 0x1405});
  ASSERT_EQ(host.sent.size(), 1u);
  const auto& answer = host.sent[0];
  EXPECT_EQ(answer.peer.lid.value, 9);
  const auto header =
      mad::decode<mad::MADHeader>(std::span(answer.payload).first<kMadHeaderBytes>());
  EXPECT_EQ(header.method, mad::Method::GetResp);
  EXPECT_EQ(header.status, mad::kStatusBadMethodAttribute);
  EXPECT_EQ(header.transaction_id.value, 77u);
  deliver({.method = 0x12});
  deliver({.method = 0x81});
  host.is_alone = false;
  deliver({});
  EXPECT_EQ(host.sent.size(), 1u) << "nothing else is";
}

TEST_F(AgentsTest, WhatIsNoMadIsDropped) {
  ASSERT_EQ(register_agent(*file, {.methods = {1}}), kFine);
  host.port.receive({}, {});
  mad::Datagram shorter{{}, mad::Payload(255)};
  shorter.peer.qpn = 1;
  host.port.receive(shorter, {});
  auto wrong_version = mad_of({});
  wrong_version[0] = std::byte{2};
  mad::Datagram datagram{{}, mad::Payload(wrong_version.begin(), wrong_version.end())};
  datagram.peer.qpn = 1;
  host.port.receive(datagram, {});
  EXPECT_FALSE(file->readable());
  EXPECT_TRUE(host.sent.empty());
}

}  // namespace
}  // namespace heddle::doors::kernel
