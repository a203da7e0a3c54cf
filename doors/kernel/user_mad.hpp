// SPDX-License-Identifier: BSD-3-Clause
// What passes through a umad file, as <rdma/ib_user_mad.h> lays it out: the header in front of each
// MAD, and the registrations of agents. Numbers here are in host order, whatever they are outside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "mad/datagram.hpp"

namespace heddle::doors::kernel {

inline constexpr std::uint32_t kUmadAbiVersion = 5;

// The header with a P_Key index, and the older one for files that never asked for it.
inline constexpr std::size_t kHeaderBytes = 64;
inline constexpr std::size_t kOldHeaderBytes = 56;

struct UserMadHeader {
  std::uint32_t id = 0;  // the agent's place among those of its file
  std::uint32_t status = 0;
  std::uint32_t timeout_ms = 0;  // 0: no answer is awaited
  std::uint32_t retries = 0;
  std::uint32_t length = 0;  // on receipt: header and MAD in bytes
  mad::Address peer{};
};

// Nothing when there are too few bytes. Without `with_p_key` the index is 0.
std::optional<UserMadHeader> decode_header(std::span<const std::byte> bytes, bool with_p_key);
void encode_header(const UserMadHeader& header, bool with_p_key, std::span<std::byte> bytes);

// Bit n is method n; methods with the response bit cannot be asked for.
using MethodMask = std::array<std::uint64_t, 2>;

struct Registration {
  std::uint32_t qpn = 0;              // as the program gave it; 0 or 1 are right
  std::uint8_t management_class = 0;  // 0: only sends
  std::uint8_t class_version = 0;
  MethodMask methods{};
  std::uint32_t oui = 0;  // 24 bits, for classes 0x30..0x4F
  std::uint8_t rmpp_version = 0;
  std::uint32_t flags = 0;  // kUserRmpp
};
inline constexpr std::uint32_t kUserRmpp = 1;  // the program does RMPP itself

// The argument of the two ioctls that register an agent: 28 and 40 bytes.
inline constexpr std::size_t kRegistrationBytes = 28;
inline constexpr std::size_t kRegistration2Bytes = 40;
std::optional<Registration> decode_registration(std::span<const std::byte> bytes);
std::optional<Registration> decode_registration2(std::span<const std::byte> bytes);

// The numbers of the ioctls, without the sizes that the C library folds in.
inline constexpr std::uint8_t kIoctlType = 0x1b;
enum class Ioctl : std::uint8_t {
  RegisterAgent = 1,
  UnregisterAgent = 2,
  EnablePKey = 3,
  RegisterAgent2 = 4,
};

}  // namespace heddle::doors::kernel
