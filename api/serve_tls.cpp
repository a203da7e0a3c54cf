// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <optional>
#include <utility>

#include "api/session.hpp"

namespace heddle::api {

void serve(Host& host, boost::asio::ip::tcp::socket socket, boost::asio::ssl::context& tls) {
  using Stream = boost::beast::ssl_stream<boost::beast::tcp_stream>;
  std::make_shared<Session<Stream>>(host, Stream(std::move(socket), tls), std::nullopt)->start();
}

}  // namespace heddle::api
