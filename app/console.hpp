// SPDX-License-Identifier: BSD-3-Clause
// The console of `heddle sim`: verbs from standard input, answers to standard output.
#pragma once

#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>

#include "doors/control/verbs.hpp"

namespace heddle::app {

class Console {
 public:
  // Reads while the loop runs, until the input ends. Input from a file is read at once.
  Console(boost::asio::io_context& loop, doors::control::Context context);

 private:
  void read();
  void take_lines();

  doors::control::Context context_;
  boost::asio::posix::stream_descriptor input_;
  boost::asio::steady_timer pause_;
  boost::asio::streambuf buffer_;
  bool at_end_ = false;
};

}  // namespace heddle::app
