// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <optional>
#include <utility>

#include "api/session.hpp"

namespace heddle::api {

void serve(Host& host, boost::asio::local::stream_protocol::socket socket, const Caller& caller) {
  using Stream = boost::beast::basic_stream<boost::asio::local::stream_protocol>;
  std::make_shared<Session<Stream>>(host, Stream(std::move(socket)), caller)->start();
}

}  // namespace heddle::api
