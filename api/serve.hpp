// SPDX-License-Identifier: BSD-3-Clause
// Connections of the server, over each kind of stream. What they are made of takes a compiler a
// minute and a gigabyte for each kind, so each has a file of its own.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>

#include "api/access.hpp"
#include "api/handler.hpp"

namespace heddle::api {

// A connection that waits for events.
class Waiter {
 public:
  virtual ~Waiter() = default;
  // There may be some; or there are none, and `idle` time has passed.
  virtual void on_news(bool idle) = 0;
};

// What connections want of their server. Outlives them.
class Host {
 public:
  virtual ~Host() = default;
  virtual Response answer(const Request& request, const Caller& caller) = 0;
  // By the headers of a request, where the connection itself does not tell.
  virtual Caller caller(std::string_view authorization, std::string_view host) = 0;
  // False when there are too many already.
  virtual bool begin_stream() = 0;
  virtual void end_stream() = 0;
  // Keeps it until there is news.
  virtual void wait(std::shared_ptr<Waiter> waiter) = 0;
  virtual void left() = 0;
  virtual std::chrono::milliseconds patience() const = 0;
};

// Each answers what comes over the socket until it is closed, by handlers of its loop. The host has
// counted it, and is told when it has left. By TCP each request must say who makes it.
void serve(Host& host, boost::asio::local::stream_protocol::socket socket, const Caller& caller);
void serve(Host& host, boost::asio::ip::tcp::socket socket);
// `tls` must outlive the connection.
void serve(Host& host, boost::asio::ip::tcp::socket socket, boost::asio::ssl::context& tls);

}  // namespace heddle::api
