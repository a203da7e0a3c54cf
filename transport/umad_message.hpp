// SPDX-License-Identifier: BSD-3-Clause
// A datagram as libibumad carries it: struct ib_user_mad, then the MAD. One buffer, reused.
#pragma once

#include <cstddef>
#include <vector>

#include "mad/datagram.hpp"
#include "transport/transport.hpp"

namespace heddle::transport {

class UmadMessage {
 public:
  // Room for one MAD; grows with what is put in or asked for.
  UmadMessage();

  // Makes room for `length` bytes of MAD behind the header.
  void reserve(std::size_t length);
  // Bytes of MAD there is room for.
  std::size_t room() const;
  void* data() { return buffer_.data(); }

  // Address and payload in; a payload shorter than a MAD is filled up with zeros. Returns the
  // length to send.
  std::size_t fill(const mad::Datagram& datagram);

  // What was received: `length` bytes of MAD, of which the caller vouches that they are in the
  // buffer. Nothing when it is no MAD, or our own response given back. Transaction ids are made
  // the sender's own again, as transport.hpp says.
  std::optional<Received> take(std::size_t length);

 private:
  std::vector<std::byte> buffer_;
};

}  // namespace heddle::transport
