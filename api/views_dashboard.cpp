// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "api/atlas.hpp"
#include "api/pages.hpp"
#include "api/views.hpp"

namespace heddle::api {
namespace {

std::string_view type_of(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kTypes{{
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".json", "application/json"},
  }};
  for (const auto& [ending, type] : kTypes) {
    if (name.ends_with(ending)) return type;
  }
  return "application/octet-stream";
}

Response page(std::string_view name) {
  const auto all = pages();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Page& each) { return each.name == name; });
  if (found == all.end()) return refusal(404, "the dashboard has no such file");
  Response response;
  response.type = type_of(name);
  response.body = found->bytes;
  return response;
}

std::string value(const Target& target, const char* name) {
  const auto found = target.query.find(name);
  return found == target.query.end() ? std::string() : found->second;
}

// What is asked of the atlas, if there is one and something to ask about.
template <class Ask>
Response by_atlas(const State& state, Ask ask) {
  if (state.fabric == nullptr) return not_yet();
  if (state.atlas == nullptr) return refusal(404, "this subnet manager draws no pictures");
  return ask(*state.atlas);
}

}  // namespace

Response under_way() {
  return json_response({{"under_way", true}}, 202);
}

Response get_index(const State&, const Request&, const Target&) {
  return page("index.html");
}

Response get_openapi(const State&, const Request&, const Target&) {
  return page("openapi.json");
}

Response get_page(const State&, const Request&, const Target& target) {
  return page(target.path.back());
}

Response get_picture(const State& state, const Request&, const Target&) {
  return by_atlas(state, [&](Atlas& atlas) { return atlas.picture(state); });
}

Response get_load(const State& state, const Request&, const Target&) {
  return by_atlas(state, [&](Atlas& atlas) { return atlas.load(state); });
}

Response get_what_if(const State& state, const Request&, const Target& target) {
  const LossQuestion question{value(target, "cut"), value(target, "from"), value(target, "to")};
  if (question.cut.empty()) return refusal(400, "cut is wanted: what is lost");
  if (question.from.empty() != question.to.empty()) return refusal(400, "from and to go together");
  return by_atlas(state, [&](Atlas& atlas) { return atlas.what_if(state, question); });
}

}  // namespace heddle::api
