// SPDX-License-Identifier: BSD-3-Clause
// The seam between the SM machine and a fabric, real or simulated: datagrams out, datagrams in.
// No policy lives here: retries, windows and timeouts belong to the machine's transactions.
#pragma once

#include <functional>
#include <span>

#include "mad/datagram.hpp"

namespace heddle::transport {

enum class Arrival : std::uint8_t {
  Message,  // a MAD from the fabric
  // Our own request, given back: it could not be sent, or nobody answered it in the kernel's time.
  // Only its first 24 bytes (the common header) and its address count: the kernel keeps no more.
  SendFailed,
};

struct Received {
  Arrival arrival = Arrival::Message;
  mad::Datagram datagram;
};

// Called on the loop's thread, with everything that came since the last call.
using Receiver = std::function<void(std::span<Received> batch)>;

class Transport {
 public:
  virtual ~Transport() = default;

  // Set once, before the first send.
  virtual void set_receiver(Receiver receiver) = 0;

  // Never blocks for the fabric and never fails to the caller: a request that could not be sent
  // comes back as SendFailed, later, never from inside this call; a response that could not be
  // sent is lost, as on the wire. The high 32 bits of a request's transaction id are the
  // transport's; its response and its SendFailed carry zero there. A request with the id and class
  // of one that is still in the kernel is refused, so each retry needs a new id. What others
  // asked comes up with all 64 bits, which the answer must bear.
  virtual void send(mad::Datagram datagram) = 0;

  // Tells the port's agent that an SM sits here (PortInfo IsSM).
  virtual void set_is_sm(bool is_sm) = 0;
};

}  // namespace heddle::transport
