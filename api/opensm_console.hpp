// SPDX-License-Identifier: BSD-3-Clause
// OpenSM's console: what scripts say to it that were written for OpenSM, and answers in the form
// that they take apart. It knows nothing and does nothing of its own: answers are made of the same
// state as those of the API, and what is to be done is a request to the API.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/message.hpp"
#include "api/state.hpp"

namespace heddle::api {

inline constexpr std::string_view kConsolePrompt = "OpenSM $ ";
inline constexpr std::size_t kMaxConsoleLine = 1024;

struct ConsoleAnswer {
  std::string text;                // whole lines, or nothing
  Pieces pieces;                   // if set, come behind it; an empty one is passed over
  std::optional<Request> request;  // to be made; the text is told if it is not refused
  bool ends = false;               // whoever asked is done
  bool repeats = false;            // the same again from time to time, until "q" is said
};

// `line`: without its end; anything. Whatever it holds, there is an answer.
ConsoleAnswer answer_console(std::string_view line, const State& state);

// What a request was refused for, as a line.
std::string console_complaint(const Response& refused);

}  // namespace heddle::api
