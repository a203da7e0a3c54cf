// SPDX-License-Identifier: BSD-3-Clause
// What goes over the sockets between ibsim's preload library (libumad2sim) and its server: control
// messages, answered one by one, and requests, which are MADs with addresses. Control messages are
// in the byte order and alignment of the machine, addresses in network order. Everything here is
// pure; bytes come from strangers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"
#include "mad/datagram.hpp"
#include "mad/smp.hpp"
#include "mad/types.hpp"

namespace heddle::doors::ibsim {

inline constexpr std::size_t kControlBytes = 80;
inline constexpr std::size_t kControlDataBytes = 64;
inline constexpr std::size_t kRequestBytes = 288;
inline constexpr std::size_t kNodeIdBytes = 32;  // of CONNECT, its NUL included

using ControlBytes = std::array<std::byte, kControlBytes>;
using ControlData = std::array<std::byte, kControlDataBytes>;
using RequestBytes = std::array<std::byte, kRequestBytes>;

enum class ControlType : std::uint32_t {
  Error = 0,  // in answers only
  Connect = 1,
  Disconnect = 2,
  GetPort = 3,
  GetVendor = 4,
  GetGid = 5,
  GetGuid = 6,
  GetNodeInfo = 7,
  GetPortInfo = 8,
  SetIsSm = 9,
  GetPKeys = 10,
};

struct Control {
  std::uint32_t client = 0;  // as CONNECT answered; meaningless in CONNECT itself
  ControlType type{};
  std::uint32_t length = 0;  // of data, at most 64
  ControlData data{};
};

// Refuses other sizes, a wrong magic number, an unknown type and a length beyond the data.
base::Result<Control> decode_control(std::span<const std::byte> bytes);
ControlBytes encode_control(const Control& control);

// The data of CONNECT, both ways.
struct ClientInfo {
  std::uint32_t id = 0;  // in: the pid, or the UDP port of the client's data socket; out: its index
  std::uint32_t qp = 0;
  bool is_sm = false;
  std::string node;  // in: $SIM_HOST, empty for any; out: the node it sits on, cut to 31 characters
};
ClientInfo decode_client_info(const ControlData& data);
ControlData encode_client_info(const ClientInfo& info);

// The data of SET_ISSM.
bool decode_is_sm(const ControlData& data);

// The data of GET_PORTINFO's request: the port number asked for, 0 for the client's own.
std::uint8_t decode_port_number(const ControlData& data);

// The data of GET_VENDOR's, GET_PORT's, GET_GID's and GET_GUID's answers.
ControlData encode_vendor(std::uint32_t vendor, std::uint32_t device, std::uint32_t revision);
ControlData encode_port(mad::Lid lid, mad::PortState state);
ControlData encode_gid(mad::GidPrefix prefix, mad::Guid guid);
ControlData encode_guid(mad::Guid guid);

// How a request of the client's comes back when nobody answers it: its status is ETIMEDOUT.
inline constexpr std::uint32_t kStatusTimedOut = 110;

// A MAD with its addresses, seen in place: the bytes are those of the datagram.
class Request {
 public:
  // Refuses every size but kRequestBytes.
  static base::Result<Request> from_datagram(std::span<const std::byte> bytes);
  // As a client receives it: from `datagram.peer` to `own_lid`. What is longer than one MAD is cut.
  static Request to_client(const mad::Datagram& datagram, mad::Lid own_lid);

  const RequestBytes& bytes() const { return bytes_; }
  // As the client sends it.
  mad::Datagram datagram() const;
  // The same back to its sender, untouched but for the status.
  Request timed_out() const;

  std::uint8_t method() const;
  std::uint8_t management_class() const;
  mad::TransactionId transaction() const;
  void set_transaction(mad::TransactionId transaction);

 private:
  RequestBytes bytes_{};
};

}  // namespace heddle::doors::ibsim
