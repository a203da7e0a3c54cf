// SPDX-License-Identifier: BSD-3-Clause
#include "app/api_client.hpp"

#include <cctype>
#include <cstdlib>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/runtime_dir.hpp"

namespace heddle::app {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::local::stream_protocol;
using boost::system::error_code;
using Stream = beast::basic_stream<stream_protocol>;

bool somebody_listens(const std::filesystem::path& path) {
  asio::io_context loop;
  stream_protocol::socket probe(loop);
  error_code error;
  probe.connect(stream_protocol::endpoint(path.string()), error);
  return !error;
}

std::vector<std::string> sockets_in(const std::filesystem::path& directory) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("sm") || !name.ends_with(".sock")) continue;
    if (somebody_listens(entry.path())) found.push_back(entry.path().string());
  }
  return found;
}

// One request on a connection of its own. Everything is asynchronous, so that it can be timed.
class Exchange {
 public:
  explicit Exchange(std::filesystem::path socket) : socket_(std::move(socket)), stream_(loop_) {
    parser_.body_limit(boost::none);
  }

  base::Result<> send(std::string_view method, const std::string& target, const std::string& body) {
    error_code error;
    stream_.socket().connect(stream_protocol::endpoint(socket_.string()), error);
    if (error) return wrong(error);
    http::request<http::string_body> request;
    request.version(11);
    request.method(http::string_to_verb({method.data(), method.size()}));
    request.target(target);
    request.set(http::field::host, "localhost");
    request.body() = body;
    request.prepare_payload();
    if (const auto failure =
            timed([&](auto done) { http::async_write(stream_, request, std::move(done)); })) {
      return wrong(failure);
    }
    if (const auto failure = timed([&](auto done) {
          http::async_read_header(stream_, buffer_, parser_, std::move(done));
        })) {
      return wrong(failure);
    }
    return {};
  }

  // Reads some more of the body. False at its end.
  base::Result<bool> more() {
    if (parser_.is_done()) return false;
    const auto failure = timed(
        [&](auto done) { http::async_read_some(stream_, buffer_, parser_, std::move(done)); });
    if (failure) return wrong(failure);
    return true;
  }

  unsigned status() const { return parser_.get().result_int(); }
  std::string take() { return std::exchange(parser_.get().body(), {}); }

 private:
  template <class Begin>
  error_code timed(const Begin& begin) {
    error_code outcome = asio::error::would_block;
    stream_.expires_after(kApiPatience);
    begin([&outcome](error_code error, std::size_t) { outcome = error; });
    loop_.restart();
    loop_.run();
    return outcome;
  }

  base::Error wrong(const error_code& error) const {
    return base::error(
        fmt::format("the subnet manager does not answer on {}: {}", socket_.string(),
                    error == beast::error::timeout ? "it is silent" : error.message()));
  }

  std::filesystem::path socket_;
  asio::io_context loop_;
  Stream stream_;
  beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
};

}  // namespace

std::vector<std::filesystem::path> api_sockets() {
  std::vector<std::string> found;
  const auto own = runtime_directory({});
  if (own) found = sockets_in(*own);
  // Where the service has it, whoever asks.
  if (!own || *own != "/run/heddle") {
    for (std::string& path : sockets_in("/run/heddle")) found.push_back(std::move(path));
  }
  // Where services have theirs, one for each port (packaging/systemd).
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/run/heddle-sm", ignored)) {
    for (std::string& path : sockets_in(entry.path())) found.push_back(std::move(path));
  }
  return {found.begin(), found.end()};
}

base::Result<std::filesystem::path> find_api_socket(const std::filesystem::path& wanted) {
  if (!wanted.empty()) return {boost::system::in_place_value, wanted};
  const char* const named = std::getenv("HEDDLE_SOCKET");
  if (named != nullptr && *named != '\0') {
    return {boost::system::in_place_value, named};
  }
  std::vector<std::string> found;
  for (const auto& path : api_sockets()) found.push_back(path.string());
  if (found.size() == 1) return {boost::system::in_place_value, found.front()};
  if (found.empty()) {
    return base::error("no subnet manager listens here; --socket names the socket of one");
  }
  return base::error(fmt::format("several subnet managers listen here; choose with --socket: {}",
                                 fmt::join(found, " ")));
}

std::string ApiAnswer::complaint() const {
  const auto json = nlohmann::json::parse(body, nullptr, /*allow_exceptions=*/false);
  const auto path = nlohmann::json::json_pointer("/error/message");
  if (json.is_object() && json.contains(path) && json[path].is_string()) {
    return json[path].get<std::string>();
  }
  return fmt::format("the subnet manager answers with status {}", status);
}

base::Result<ApiAnswer> ask_api(const std::filesystem::path& socket, std::string_view method,
                                const std::string& target, const std::string& body) {
  Exchange exchange(socket);
  const auto sent = exchange.send(method, target, body);
  if (sent.has_error()) return sent.error();
  for (;;) {
    const auto more = exchange.more();
    if (more.has_error()) return more.error();
    if (!*more) return ApiAnswer{exchange.status(), exchange.take()};
  }
}

base::Result<ApiAnswer> follow_api(const std::filesystem::path& socket, const std::string& target,
                                   const std::function<bool(std::string_view)>& take) {
  Exchange exchange(socket);
  const auto sent = exchange.send("GET", target, {});
  if (sent.has_error()) return sent.error();
  const bool ok = exchange.status() == 200;
  for (;;) {
    if (ok && !take(exchange.take())) return ApiAnswer{200, {}};
    const auto more = exchange.more();
    if (more.has_error()) return more.error();
    if (!*more) break;
  }
  if (!ok) return ApiAnswer{exchange.status(), exchange.take()};
  return base::error("the subnet manager has ended");
}

std::string escaped(std::string_view word) {
  std::string out;
  for (const char c : word) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                       c == '.' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

}  // namespace heddle::app
