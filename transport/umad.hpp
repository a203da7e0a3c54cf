// SPDX-License-Identifier: BSD-3-Clause
// The real fabric: a local port through libibumad and the kernel's ib_umad.
//
// Agents stand for the subnet management classes (both routings), for subnet administration with
// the kernel's RMPP where it offers it, and as a client for performance management.
//
// ib_umad never blocks a sender. The preload library of ibsim does, and for ever, once its socket
// buffers are full: keep fewer than 128 requests unanswered there.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/io_context.hpp>

#include "base/result.hpp"
#include "transport/port_id.hpp"
#include "transport/transport.hpp"

namespace heddle::transport {

struct UmadOptions {
  // How long the kernel waits for the answer to a request before it gives it back. It must be
  // longer than the SM's own time: the kernel drops an answer that comes later.
  std::chrono::milliseconds kernel_timeout{3000};
  // Asked first about each message from the fabric, on the thread that reads. True: nobody else is
  // told of it, and the reply, if there is one, goes out at once. It must outlive the transport.
  std::function<bool(const mad::Datagram& received, std::optional<mad::Datagram>& reply)> at_once;
  // A sentence for the operator about trouble that no request's fate shows: the device went away,
  // IsSM could not be set. Called on the loop's thread.
  std::function<void(const std::string&)> on_trouble;
};

// One thread reads and posts batches to `loop`; everything else, destruction included, must happen
// on the loop's thread. While many requests are in flight and answers come one at a time, it waits
// about 0.1 ms for a few of them. Destruction clears IsSM first, takes up to 25 ms and delivers
// nothing more; it sends the thread SIGURG, whose handler is taken for it. Errors say what is wrong
// with the port and what to do.
base::Result<std::unique_ptr<Transport>> open_umad(boost::asio::io_context& loop,
                                                   const PortId& port, UmadOptions options);

}  // namespace heddle::transport
