// SPDX-License-Identifier: BSD-3-Clause
// What two subnet managers tell each other about what they remember, as lines of text:
//
//   heddle-stream 1 FABRIC        the first line of either side
//   beat ROLE EPOCH               ROLE: master, standby or none
//   state EPOCH NUMBER WHOLE N    and N lines AGE<tab>NAME<tab>VALUE, or AGE<tab>NAME to forget it
//   ack NUMBER                    the state of this number, and all before, has been taken
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "store/database.hpp"

namespace heddle::store {

struct Greeting {
  std::string fabric;
  friend bool operator==(const Greeting&, const Greeting&) = default;
};
enum class Role : std::uint8_t { None, Standby, Master };
struct Beat {
  Role role{};
  std::uint64_t epoch = 0;
  friend bool operator==(const Beat&, const Beat&) = default;
};
struct State {
  std::uint64_t number = 0;
  Batch batch;
};
struct Ack {
  std::uint64_t number = 0;
  friend bool operator==(const Ack&, const Ack&) = default;
};
using Message = std::variant<Greeting, Beat, State, Ack>;

std::string to_lines(const Message& message);

// Puts messages together from whatever pieces they come in.
class StreamReader {
 public:
  static constexpr std::size_t kMaxLine = 64u << 10;
  static constexpr std::uint64_t kMaxRecords = 8u << 20;

  // The messages that this piece completes. After an error the stream cannot be read any more.
  base::Result<std::vector<Message>> feed(std::string_view piece);

 private:
  bool take(std::string_view line, std::vector<Message>& messages);
  bool take_record(std::string_view line);

  std::string begun_;  // a line
  State state_;
  std::uint64_t missing_ = 0;  // records of the state
};

}  // namespace heddle::store
