// SPDX-License-Identifier: BSD-3-Clause
// The control socket of a running fabric: a Unix stream socket with a JSON object in each line.
//
//   {"line": "link down leaf-1 3"}               or  {"verb": "link down", "arguments": ["leaf-1",
//   3]}
//   {"ok": true, "text": "...", "result": ...}   or  {"ok": false, "error": "...", "column": 11}
//
// Each line is answered by one, in order; "wait" answers when it is over.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.hpp"
#include "doors/control/verbs.hpp"

namespace heddle::doors::control {

inline constexpr std::size_t kMostSessions = 64;
inline constexpr std::size_t kLongestRequest = 16 * 1024;

// The line of verbs that a request means; the error says what is wrong with it.
base::Result<std::string> decode_request(std::string_view json);
// An answer without its newline.
std::string encode_answer(const Outcome& outcome);

class Channel {
 public:
  // Only the owner may connect. A socket that nobody listens on any more is replaced; one that is
  // alive is an error.
  static base::Result<std::unique_ptr<Channel>> listen(boost::asio::io_context& loop,
                                                       const std::filesystem::path& path,
                                                       Context context);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

 private:
  class Session;
  Channel(boost::asio::io_context& loop, std::filesystem::path path, Context context);
  void accept();
  void accept_later();

  boost::asio::io_context& loop_;
  std::filesystem::path path_;
  Context context_;
  boost::asio::local::stream_protocol::acceptor acceptor_;
  boost::asio::steady_timer again_;
  std::shared_ptr<std::size_t> sessions_ = std::make_shared<std::size_t>(0);
};

// Asks a running fabric: one request there, its answer back. Blocks. The error says that nobody
// listens, or that it went away in the midst.
base::Result<std::string> ask(const std::filesystem::path& path, const std::string& request);

}  // namespace heddle::doors::control
