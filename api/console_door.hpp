// SPDX-License-Identifier: BSD-3-Clause
// The ways to OpenSM's console: this terminal, or a TCP port. Plain text, no login: by TCP whoever
// is on this host may look, root and the user that we run as may have things done, and others only
// look, where they are let in at all.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include <boost/asio/io_context.hpp>

#include "api/access.hpp"
#include "api/opensm_console.hpp"
#include "base/result.hpp"

namespace heddle::api {

inline constexpr std::size_t kMostConsoles = 8;

struct ConsoleOptions {
  enum class Where { Terminal, Loopback, AnyAddress };
  Where where = Where::Loopback;
  std::uint16_t port = 0;  // 0: any free one
  // Who says nothing for so long has left.
  std::chrono::milliseconds idle = std::chrono::minutes(10);
  // Who takes nothing of an answer for so long has left, too.
  std::chrono::milliseconds patience = std::chrono::seconds(30);
  std::chrono::milliseconds repeat = std::chrono::seconds(10);  // `status loop`
};

// Whether standard input is a terminal that a shell has for somebody else, since we are in its
// background. To read from it does not stop this process any more from then on, but is an error,
// also for who is put into the background later.
bool terminal_is_anothers();

class ConsoleDoor {
 public:
  // Asked on the loop's thread. What is to be done is done already.
  using Talk = std::function<ConsoleAnswer(std::string_view line, const Caller& caller)>;

  // Open as long as it lives; connections live in the loop's handlers, and `talk` with them.
  static base::Result<std::unique_ptr<ConsoleDoor>> open(boost::asio::io_context& loop,
                                                         ConsoleOptions options, Talk talk);
  virtual ~ConsoleDoor() = default;
  // Of TCP; 0 at the terminal.
  virtual std::uint16_t port() const = 0;
};

}  // namespace heddle::api
