// SPDX-License-Identifier: BSD-3-Clause
#include "app/console.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::app {
namespace {

// What people type while a "wait" lasts; more stays in the pipe.
constexpr std::size_t kMostBuffered = 64 * 1024;
constexpr std::size_t kAtOnce = 4096;

}  // namespace

Console::Console(boost::asio::io_context& loop, doors::control::Context context)
    : context_(std::move(context)), input_(loop), pause_(loop) {
  struct stat kind {};
  const bool is_file = ::fstat(STDIN_FILENO, &kind) == 0 && S_ISREG(kind.st_mode);
  boost::system::error_code error;
  if (!is_file) input_.assign(::dup(STDIN_FILENO), error);
  if (!is_file && !error) {
    read();
    return;
  }
  // A plain file cannot be waited for, and needs no waiting.
  std::array<char, kAtOnce> bytes{};
  for (ssize_t count = 0; (count = ::read(STDIN_FILENO, bytes.data(), bytes.size())) > 0;) {
    buffer_.sputn(bytes.data(), count);
  }
  at_end_ = true;
  boost::asio::post(loop, [this] { take_lines(); });
}

void Console::read() {
  if (at_end_) return;
  input_.async_read_some(buffer_.prepare(kAtOnce),
                         [this](const boost::system::error_code& error, std::size_t count) {
                           if (error) return;
                           buffer_.commit(count);
                           take_lines();
                         });
}

void Console::take_lines() {
  for (;;) {
    const auto held = buffer_.data();
    const std::string_view text(static_cast<const char*>(held.data()), held.size());
    std::size_t end = text.find('\n');
    if (end == std::string_view::npos && at_end_ && !text.empty()) end = text.size();
    if (end == std::string_view::npos) break;
    const std::string line(text.substr(0, end));
    buffer_.consume(std::min(end + 1, text.size()));
    const auto outcome = doors::control::run_line(context_, line);
    std::cout << outcome.text << std::flush;
    if (!outcome.ok()) {
      std::cerr << fmt::format("column {}: {}\n", outcome.column, outcome.error) << std::flush;
    }
    if (outcome.pause == base::Duration::zero()) continue;
    pause_.expires_after(outcome.pause);
    pause_.async_wait([this](const boost::system::error_code& error) {
      if (!error) take_lines();
    });
    return;
  }
  if (buffer_.size() > kMostBuffered) buffer_.consume(buffer_.size());
  read();
}

}  // namespace heddle::app
