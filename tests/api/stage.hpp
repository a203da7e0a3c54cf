// SPDX-License-Identifier: BSD-3-Clause
// A state of the API as a real subnet manager leaves it, on a simulated fabric.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "api/handler.hpp"
#include "tests/support/box.hpp"

namespace heddle::test {

class ApiStage {
 public:
  // Brings the fabric up.
  explicit ApiStage(std::string_view fabric, const sm::Options& options = {});

  Box& box() { return box_; }
  const api::State& state() const { return state_; }
  api::State& state() { return state_; }
  // Takes over what the subnet manager has said and published since.
  void catch_up();

  api::Response ask(const std::string& target, const std::string& method = "GET",
                    const std::string& body = {}, api::Role role = api::Role::Writer) const;
  // The body of a GET that must be answered with 200.
  nlohmann::json get(const std::string& target) const;

 private:
  Box box_;
  api::State state_;
};

// The body, however it is made; of an endless one what there is now.
std::string text_of(const api::Response& response);

}  // namespace heddle::test
