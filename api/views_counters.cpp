// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <memory>

#include <nlohmann/json.hpp>

#include "api/counters.hpp"
#include "api/views.hpp"
#include "base/text.hpp"

namespace heddle::api {
namespace {

using fabric::PortIndex;

Response no_counters() {
  return refusal(503,
                 "no counters have been read: only the master does, after its first sweep, if "
                 "[performance] has it enabled");
}

// What the parameter `only` asks for.
enum class Only { All, Hot, Errors };

base::Result<Only> wanted(const Target& target) {
  const std::string* word = parameter(target, "only");
  if (word == nullptr) return Only::All;
  if (*word == "hot") return Only::Hot;
  if (*word == "errors") return Only::Errors;
  return base::error("only is one of hot, errors");
}

Json counters_row(const sm::Snapshot& fabric, const perf::Readings& readings, PortIndex port,
                  Only only) {
  const fabric::Topology& topology = fabric.topology;
  const perf::PortReading* reading = reading_of(fabric, &readings, port);
  if (reading == nullptr) return nullptr;
  const bool is_hot = reading->utilisation() >= readings.hot_share;
  if (only == Only::Hot && !is_hot) return nullptr;
  if (only == Only::Errors && errors_of(*reading) == 0) return nullptr;
  Json row = end_row(topology, port);
  const auto interval = std::chrono::duration<double>(reading->interval).count();
  row["interval_seconds"] = interval > 0 ? Json(interval) : Json(nullptr);
  row["utilisation"] = interval > 0 ? Json(reading->utilisation()) : Json(nullptr);
  row["raw_ber"] = interval > 0 ? Json(reading->raw_ber()) : Json(nullptr);
  row["effective_ber"] = interval > 0 ? Json(reading->effective_ber()) : Json(nullptr);
  row["hot"] = is_hot;
  row["errors"] = errors_of(*reading);
  row["exceeded"] = exceeded_json(*reading);
  row["resets"] = reading->resets;
  row["wide"] = reading->wide;
  row["counters"] = counters_json(*reading);
  return row;
}

}  // namespace

Response get_counters(const State& state, const Request&, const Target& target) {
  if (state.fabric == nullptr) return not_yet();
  if (state.readings == nullptr) return no_counters();
  const auto node = wanted_node(*state.fabric, target);
  if (node.has_error()) return refusal(404, node.error().message);
  const auto only = wanted(target);
  if (only.has_error()) return refusal(400, only.error().message);
  return table_response(state.fabric->sweep.number, "ports", state.fabric->topology.port_count(),
                        [fabric = state.fabric, readings = state.readings, node = *node,
                         only = *only](std::size_t i) -> Json {
                          const PortIndex port{static_cast<std::uint32_t>(i)};
                          if (node && fabric->topology.node_of(port) != *node) return nullptr;
                          return counters_row(*fabric, *readings, port, only);
                        });
}

Response get_links_load(const State& state, const Request&, const Target& target) {
  if (state.fabric == nullptr) return not_yet();
  if (state.readings == nullptr) return no_counters();
  const auto node = wanted_node(*state.fabric, target);
  if (node.has_error()) return refusal(404, node.error().message);
  const auto only = wanted(target);
  if (only.has_error()) return refusal(400, only.error().message);
  return table_response(
      state.fabric->sweep.number, "links", state.fabric->topology.port_count(),
      [fabric = state.fabric, readings = state.readings, node = *node,
       only = *only](std::size_t i) -> Json {
        const auto& topology = fabric->topology;
        const PortIndex port{static_cast<std::uint32_t>(i)};
        const PortIndex peer = topology.peer(port);
        if (peer == fabric::kNoPort || peer.value < port.value) return nullptr;
        if (node && topology.node_of(port) != *node && topology.node_of(peer) != *node) {
          return nullptr;
        }
        Json row = load_row(*fabric, *readings, port);
        if (row.is_null() || (only == Only::Hot && row["hot"] != true)) return nullptr;
        if (only == Only::Errors && row["errors"] == 0) return nullptr;
        return row;
      });
}

}  // namespace heddle::api
