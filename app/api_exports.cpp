// SPDX-License-Identifier: BSD-3-Clause
#include "app/api_exports.hpp"

#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "app/dumps.hpp"
#include "app/live_text.hpp"
#include "app/snapshot_blueprint.hpp"
#include "sim/export.hpp"

namespace heddle::app {
namespace {

using Next = std::function<std::optional<std::string>()>;

// In one piece.
Next whole(std::string text) {
  return [text = std::optional(std::move(text))]() mutable {
    return std::exchange(text, std::nullopt);
  };
}

Next ibnetdiscover(const api::State& state) {
  return whole(sim::export_fabric(blueprint_of(*state.fabric), sim::ExportFormat::Ibnetdiscover));
}

Next subnet_list(const api::State& state) {
  std::ostringstream out;
  write_subnet_list(out, *state.fabric);
  return whole(out.str());
}

// Switch by switch: all tables of a large fabric are gigabytes of text.
Next forwarding_tables(const api::State& state) {
  return [picture = state.fabric, at = 0u]() mutable -> std::optional<std::string> {
    if (picture->routes == nullptr || at == picture->topology.switch_count()) return std::nullopt;
    std::ostringstream out;
    write_forwarding_dump(out, *picture, fabric::SwitchIndex{at++});
    return out.str();
  };
}

Next live(const api::State& state) {
  return live_text(state.fabric, state.seat.options);
}

}  // namespace

std::vector<api::Export> api_exports() {
  constexpr std::string_view kText = "text/plain; charset=utf-8";
  return {{"ibnetdiscover", kText, &ibnetdiscover},
          {"lft", kText, &forwarding_tables},
          {"live", kText, &live},
          {"subnet", kText, &subnet_list}};
}

}  // namespace heddle::app
