// SPDX-License-Identifier: BSD-3-Clause
// Whatever is said to OpenSM's console: there is an answer of whole lines, in bounded time, and
// what it asks of the API is something that the API understands.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "api/handler.hpp"
#include "api/opensm_console.hpp"
#include "base/check.hpp"
#include "tests/support/box.hpp"

namespace {

using namespace heddle;

const api::State& state(bool with_fabric) {
  static const api::State nothing;
  static const api::State made = [] {
    test::Box box("fat-tree:2,4");
    box.run_until_quiet();
    api::State state;
    for (const sm::Event& event : box.events()) state.take(event, {});
    state.take(std::make_shared<const sm::Snapshot>(box.snapshot()), {});
    return state;
  }();
  return with_fabric ? made : nothing;
}

bool whole_lines(std::string_view text) {
  return text.empty() || text.back() == '\n';
}

// They end.
void read_to_the_end(api::Pieces& pieces) {
  constexpr int kMostPieces = 1000;
  int count = 0;
  while (const auto piece = pieces()) {
    HEDDLE_CHECK(whole_lines(*piece));
    HEDDLE_CHECK(++count < kMostPieces);
  }
}

}  // namespace

// The first byte says whether there is a fabric yet; the rest is the line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0 || size > api::kMaxConsoleLine + 1) return 0;
  const std::string_view line(reinterpret_cast<const char*>(bytes + 1), size - 1);
  const api::State& known = state((bytes[0] & 1) == 0);
  api::ConsoleAnswer answer = api::answer_console(line, known);
  HEDDLE_CHECK(whole_lines(answer.text));
  if (answer.pieces) read_to_the_end(answer.pieces);
  if (!answer.request) return 0;
  answer.request->role = api::Role::Writer;
  const api::Response response = api::handle(*answer.request, known);
  HEDDLE_CHECK(response.status != 404 && response.status != 405 && response.status < 500);
  if (response.status >= 400) HEDDLE_CHECK(whole_lines(api::console_complaint(response)));
  return 0;
}
