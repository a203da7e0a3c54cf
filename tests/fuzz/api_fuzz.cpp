// SPDX-License-Identifier: BSD-3-Clause
// Whatever is asked of the API: it gets an answer, whose pieces end or run dry, and JSON where it
// says so.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "api/handler.hpp"
#include "base/check.hpp"
#include "tests/support/box.hpp"

namespace {

using namespace heddle;

api::State& state() {
  static api::State made = [] {
    test::Box box("fat-tree:2,4");
    box.run_until_quiet();
    api::State state;
    for (const sm::Event& event : box.events()) state.take(event, {});
    state.take(std::make_shared<const sm::Snapshot>(box.snapshot()), {});
    state.groups = box.seat().groups();
    return state;
  }();
  // What the last request made of partitions is forgotten.
  partitions::Managed managed;
  managed.partitions[partitions::BaseKey{0x12}].members[mad::Guid{1}] =
      partitions::Membership::Full;
  made.book = std::make_shared<api::PartitionBook>(
      std::make_shared<const partitions::Managed>(std::move(managed)),
      [](const partitions::Managed&) { return base::Result<>(); });
  return made;
}

std::string body_of(const api::Response& response) {
  if (!response.pieces) return response.body;
  std::string body;
  while (const auto piece = response.pieces()) {
    if (piece->empty()) break;
    body += *piece;
  }
  return body;
}

}  // namespace

// The first byte says method and role; a line is the target, the rest the body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  constexpr const char* kMethods[] = {"GET", "POST", "HEAD", "DELETE", "PUT", "GET", "GET", "POST"};
  const std::string_view text(reinterpret_cast<const char*>(bytes + 1), size - 1);
  const std::size_t end = std::min(text.find('\n'), text.size());
  api::Request request;
  request.method = kMethods[(bytes[0] & 3) | (bytes[0] >> 2 & 4)];
  request.role = static_cast<api::Role>((bytes[0] >> 2 & 3) % 3);
  request.target = std::string(text.substr(0, end));
  request.body = std::string(text.substr(std::min(end + 1, text.size())));
  const api::Response response = api::handle(request, state());
  HEDDLE_CHECK(response.status >= 200 && response.status < 600 && response.status != 500);
  HEDDLE_CHECK(!response.command || request.role == api::Role::Writer);
  if (response.later) {
    const auto later = response.later();
    HEDDLE_CHECK(!later || nlohmann::json::accept(later->body));
    return 0;
  }
  const std::string body = body_of(response);
  if (response.type == "application/json") HEDDLE_CHECK(nlohmann::json::accept(body));
  return 0;
}
