// SPDX-License-Identifier: BSD-3-Clause
#include "api/counters.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/handler.hpp"
#include "api/lookup.hpp"
#include "base/text.hpp"
#include "mad/link.hpp"

namespace heddle::api {
namespace {

using fabric::PortIndex;
using perf::Counter;

constexpr std::size_t kAll = perf::kCounterCount;

// Data in bytes, whatever the wire has.
std::uint64_t shown(Counter counter, std::uint64_t value) {
  return perf::is_data(counter) ? value * perf::kBytesPerWord : value;
}
double shown_rate(const perf::PortReading& reading, Counter counter) {
  const double rate = reading.rate(counter);
  return perf::is_data(counter) ? rate * perf::kBytesPerWord : rate;
}

// "transmit_data_bytes", as JSON and metrics have it.
std::string shown_name(Counter counter) {
  return std::string(perf::name_of(counter)) + (perf::is_data(counter) ? "_bytes" : "");
}

double share(double words, std::uint64_t bits_per_second) {
  if (bits_per_second == 0) return 0;
  return words * perf::kBytesPerWord * 8 / static_cast<double>(bits_per_second);
}

// As Prometheus wants the text of a label.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

// The lines for one family of metrics after another, ports in between.
class PortMetricsText {
 public:
  explicit PortMetricsText(const State& state)
      : fabric_(state.fabric),
        readings_(state.readings),
        zeros_(state.seat.metrics == PortMetrics::All) {
    for (const bool is_switch : {true, false}) {
      for (std::size_t i = 0; i < kFamilies; ++i) families_.push_back({is_switch, i});
    }
  }

  // Never an empty piece: that would be one of a stream.
  std::optional<std::string> next() {
    while (family_ < families_.size()) {
      std::string text = some();
      if (!text.empty()) return text;
    }
    return std::nullopt;
  }

 private:
  std::string some() {
    const auto [is_switch, which] = families_[family_];
    std::string text = node_ == 0 ? head(is_switch, which) : std::string();
    for (std::size_t made = 0; made < kRowsAtOnce && node_ < readings_->nodes.size(); ++node_) {
      const perf::Readings::Node& node = readings_->nodes[node_];
      if (node.is_switch != is_switch) continue;
      const auto at = fabric_->topology.find_node(node.guid);
      if (!at) continue;
      add(is_switch, which, node, *at, text);
      made += node.count;
    }
    if (node_ == readings_->nodes.size()) {
      node_ = 0;
      ++family_;
    }
    return text;
  }

  // Behind the counters: the rates of the link, of the node and of where its ports lead, and of
  // bit errors.
  static constexpr std::size_t kRate = kAll, kRawRate = kAll + 1, kInfo = kAll + 2,
                               kUplink = kAll + 3, kRawBer = kAll + 4, kEffectiveBer = kAll + 5,
                               kFamilies = kAll + 6;

  static std::string name(bool is_switch, std::size_t which) {
    const std::string_view kind = is_switch ? "switch" : "hca";
    if (which == kInfo) return fmt::format("infiniband_{}_info", kind);
    if (which == kUplink) return fmt::format("infiniband_{}_uplink_info", kind);
    if (which == kRawBer) return fmt::format("infiniband_{}_port_raw_bit_error_ratio", kind);
    if (which == kEffectiveBer) {
      return fmt::format("infiniband_{}_port_effective_bit_error_ratio", kind);
    }
    if (which == kRate) return fmt::format("infiniband_{}_port_rate_bytes_per_second", kind);
    if (which == kRawRate) return fmt::format("infiniband_{}_port_raw_rate_bytes_per_second", kind);
    return fmt::format("infiniband_{}_port_{}_total", kind,
                       shown_name(static_cast<Counter>(which)));
  }

  static std::string head(bool is_switch, std::size_t which) {
    const std::string family = name(is_switch, which);
    return fmt::format("# TYPE {} {}\n", family, which < kAll ? "counter" : "gauge");
  }

  void add(bool is_switch, std::size_t which, const perf::Readings::Node& node,
           fabric::NodeIndex at, std::string& text) const {
    const std::string family = name(is_switch, which);
    const std::string guid = base::hex(node.guid.value);
    auto out = std::back_inserter(text);
    if (which == kInfo) {
      const auto first = readings_->of(node).front().number;
      const PortIndex owner = fabric_->topology.port_of(at, is_switch ? mad::PortNumber{0} : first);
      fmt::format_to(out, "{}{{guid=\"{}\",{}=\"{}\",lid=\"{}\"}} 1\n", family, guid,
                     is_switch ? "switch" : "hca", escaped(fabric_->topology.node(at).description),
                     lid_of(*fabric_, owner).value);
      return;
    }
    for (const perf::PortReading& port : readings_->of(node)) {
      if (port.known == 0) continue;
      if (which == kUplink) {
        add_uplink(is_switch, family, guid, at, port.number, text);
      } else if (which == kRawBer || which == kEffectiveBer) {
        add_bit_errors(which, family, guid, port, text);
      } else if (which >= kAll) {
        const PortIndex index = fabric_->topology.port_of(at, port.number);
        const auto width = mad::active_width(fabric_->registers->ports[index.value]);
        const auto speed = fabric::link_speed(*fabric_->registers, index);
        if (!width || !speed) continue;
        const std::uint64_t raw = mad::link_rate(*width, *speed) * 1'000'000'000ull / 64 / 8;
        fmt::format_to(out, "{}{{guid=\"{}\",port=\"{}\"}} {}\n", family, guid, port.number.value,
                       which == kRawRate ? raw : port.bits_per_second / 8);
      } else if (port.knows(static_cast<Counter>(which))) {
        const auto counter = static_cast<Counter>(which);
        const std::uint64_t value = shown(counter, port.total(counter));
        if (value == 0 && !zeros_) continue;
        fmt::format_to(out, "{}{{guid=\"{}\",port=\"{}\"}} {}\n", family, guid, port.number.value,
                       value);
      }
    }
  }

  void add_bit_errors(std::size_t which, const std::string& family, const std::string& guid,
                      const perf::PortReading& port, std::string& text) const {
    if (port.interval <= base::Duration{0} || port.bits_per_second == 0) return;
    const double ratio = which == kRawBer ? port.raw_ber() : port.effective_ber();
    if (ratio == 0 && !zeros_) return;
    fmt::format_to(std::back_inserter(text), "{}{{guid=\"{}\",port=\"{}\"}} {:g}\n", family, guid,
                   port.number.value, ratio);
  }

  void add_uplink(bool is_switch, const std::string& family, const std::string& guid,
                  fabric::NodeIndex at, mad::PortNumber number, std::string& text) const {
    const fabric::Topology& topology = fabric_->topology;
    if (number.value > topology.node(at).port_count) return;
    const PortIndex peer = topology.peer(topology.port_of(at, number));
    if (peer == fabric::kNoPort) return;
    const fabric::NodeIndex there = topology.node_of(peer);
    const bool to_switch = topology.is_switch(there);
    const PortIndex owner = to_switch ? topology.port_of(there, mad::PortNumber{0}) : peer;
    fmt::format_to(std::back_inserter(text),
                   "{}{{guid=\"{}\",port=\"{}\",{}=\"{}\",uplink=\"{}\",uplink_guid=\"{}\","
                   "uplink_type=\"{}\",uplink_port=\"{}\",uplink_lid=\"{}\"}} 1\n",
                   family, guid, number.value, is_switch ? "switch" : "hca",
                   escaped(topology.node(at).description),
                   escaped(topology.node(there).description),
                   base::hex(topology.node(there).guid.value), to_switch ? "SW" : "CA",
                   topology.number_of(peer).value, lid_of(*fabric_, owner).value);
  }

  std::shared_ptr<const sm::Snapshot> fabric_;
  std::shared_ptr<const perf::Readings> readings_;
  bool zeros_;
  std::vector<std::pair<bool, std::size_t>> families_;
  std::size_t family_ = 0;
  std::size_t node_ = 0;
};

}  // namespace

const perf::PortReading* reading_of(const sm::Snapshot& fabric, const perf::Readings* readings,
                                    PortIndex port) {
  if (readings == nullptr) return nullptr;
  const fabric::Topology& topology = fabric.topology;
  return readings->find(topology.node(topology.node_of(port)).guid, topology.number_of(port));
}

Json counted_port_row(const sm::Snapshot& fabric, const perf::Readings* readings, PortIndex port) {
  const perf::PortReading* reading = reading_of(fabric, readings, port);
  Json row = port_row(fabric, port);
  const bool has_rates = reading != nullptr && reading->interval > base::Duration{0};
  row["utilisation"] = has_rates ? Json(reading->utilisation()) : Json(nullptr);
  row["errors"] = reading != nullptr ? Json(errors_of(*reading)) : Json(nullptr);
  row["exceeded"] = reading != nullptr ? exceeded_json(*reading) : Json::array();
  return row;
}

Json exceeded_json(const perf::PortReading& reading) {
  Json names = Json::array();
  for (std::size_t i = 0; i < kAll; ++i) {
    if ((reading.exceeded >> i & 1) != 0) names.push_back(perf::name_of(static_cast<Counter>(i)));
  }
  return names;
}

std::uint64_t errors_of(const perf::PortReading& reading) {
  std::uint64_t errors = 0;
  for (std::size_t i = 0; i < kAll; ++i) {
    const auto counter = static_cast<Counter>(i);
    // Multicast that comes back to where it came from is counted there, and is no error.
    const bool counts = perf::is_error(counter) && counter != Counter::ReceiveSwitchRelayErrors;
    if (counts && reading.knows(counter)) errors += reading.total(counter);
  }
  return errors;
}

Json counters_json(const perf::PortReading& reading) {
  Json counters = Json::object();
  const bool has_rates = reading.interval > base::Duration{0};
  for (std::size_t i = 0; i < kAll; ++i) {
    const auto counter = static_cast<Counter>(i);
    if (!reading.knows(counter)) continue;
    counters[shown_name(counter)] = {
        {"total", shown(counter, reading.total(counter))},
        {"per_second", has_rates ? Json(shown_rate(reading, counter)) : Json(nullptr)},
        {"saturated", (reading.saturated & perf::bit(counter)) != 0}};
  }
  return counters;
}

Use use_of_link(const sm::Snapshot& fabric, const perf::Readings& readings, PortIndex port) {
  const perf::PortReading* a = reading_of(fabric, &readings, port);
  const perf::PortReading* b = reading_of(fabric, &readings, fabric.topology.peer(port));
  // What one end sends the other receives; a host's own port need not be asked.
  const auto use = [](const perf::PortReading* from,
                      const perf::PortReading* to) -> std::optional<double> {
    if (from != nullptr && from->interval > base::Duration{0}) {
      return share(from->rate(Counter::TransmitData), from->bits_per_second);
    }
    if (to != nullptr && to->interval > base::Duration{0}) {
      return share(to->rate(Counter::ReceiveData), to->bits_per_second);
    }
    return std::nullopt;
  };
  return {use(a, b), use(b, a),
          (a != nullptr && a->exceeded != 0) || (b != nullptr && b->exceeded != 0)};
}

Json load_row(const sm::Snapshot& fabric, const perf::Readings& readings, PortIndex port) {
  const PortIndex peer = fabric.topology.peer(port);
  std::uint64_t errors = 0;
  Json exceeded = Json::array();
  bool is_known = false;
  for (const PortIndex end : {port, peer}) {
    const perf::PortReading* reading = reading_of(fabric, &readings, end);
    if (reading == nullptr) continue;
    is_known = true;
    errors += errors_of(*reading);
    for (const Json& name : exceeded_json(*reading)) {
      if (std::find(exceeded.begin(), exceeded.end(), name) == exceeded.end()) {
        exceeded.push_back(name);
      }
    }
  }
  if (!is_known) return nullptr;
  const Use use = use_of_link(fabric, readings, port);
  Json row = link_row(fabric, port);
  row["utilisation"] = use.there ? Json(*use.there) : Json(nullptr);
  row["utilisation_back"] = use.back ? Json(*use.back) : Json(nullptr);
  row["hot"] = std::max(use.there.value_or(0), use.back.value_or(0)) >= readings.hot_share;
  row["errors"] = errors;
  row["exceeded"] = std::move(exceeded);
  return row;
}

Pieces port_metrics(const State& state) {
  if (state.fabric == nullptr || state.readings == nullptr) return {};
  if (state.seat.metrics == PortMetrics::None) return {};
  auto text = std::make_shared<PortMetricsText>(state);
  return [text] { return text->next(); };
}

}  // namespace heddle::api
