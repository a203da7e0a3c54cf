// SPDX-License-Identifier: BSD-3-Clause
// What a dashboard draws and asks, beyond the facts of a sweep: where everything stands on paper,
// what each cable would carry, what a loss would do. Whoever starts the server makes these, away
// from its thread: the first answer may be "under way", and a later one has the result.
#pragma once

#include <string>

#include "api/message.hpp"

namespace heddle::api {

struct State;

struct LossQuestion {
  std::string cut;       // as plan::parse_loss has it: "leaf-1:7", "spine-2"
  std::string from, to;  // endports, both or none: how packets would go then
};

// Called on the server's thread, and only once there is a fabric.
class Atlas {
 public:
  virtual ~Atlas() = default;
  virtual Response picture(const State& state) = 0;
  virtual Response load(const State& state) = 0;
  virtual Response what_if(const State& state, const LossQuestion& question) = 0;
};

// 202: the same request will be answered soon.
Response under_way();

}  // namespace heddle::api
