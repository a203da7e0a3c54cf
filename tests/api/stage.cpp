// SPDX-License-Identifier: BSD-3-Clause
#include "tests/api/stage.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

BoxOptions with(const sm::Options& options) {
  BoxOptions chosen;
  chosen.sm = options;
  return chosen;
}

}  // namespace

ApiStage::ApiStage(std::string_view fabric, const sm::Options& options)
    : box_(fabric, with(options)) {
  state_.identity.version = "0.0.0";
  state_.seat = {std::string(fabric), 3};
  EXPECT_TRUE(box_.run_until_quiet());
  catch_up();
}

void ApiStage::catch_up() {
  state_.now = api::WallTime{std::chrono::hours(1)};
  for (const sm::Event& event : box_.events()) state_.take(event, state_.now);
  box_.forget_events();
  state_.take(std::make_shared<const sm::Snapshot>(box_.snapshot()), state_.now);
  state_.groups = box_.seat().groups();
}

api::Response ApiStage::ask(const std::string& target, const std::string& method,
                            const std::string& body, api::Role role) const {
  return api::handle({method, target, body, {}, role}, state_);
}

nlohmann::json ApiStage::get(const std::string& target) const {
  const api::Response response = ask(target);
  const std::string text = text_of(response);
  EXPECT_EQ(response.status, 200u) << target << ": " << text;
  return nlohmann::json::parse(text);
}

std::string text_of(const api::Response& response) {
  if (!response.pieces) return response.body;
  std::string text;
  while (const auto piece = response.pieces()) {
    if (piece->empty()) break;
    text += *piece;
  }
  return text;
}

}  // namespace heddle::test
