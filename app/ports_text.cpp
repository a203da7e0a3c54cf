// SPDX-License-Identifier: BSD-3-Clause
#include "app/ports_text.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace heddle::app {
namespace {

bool is_chosen(const transport::LocalPort& port, const PortChoiceResult& choice) {
  return choice.has_value() && choice->id == port.id;
}

std::string remark(const PortChoiceResult& choice) {
  return choice.has_value() ? choice->remark : choice.error().message;
}

using PortRow = std::array<std::string, 6>;

PortRow row_of(const transport::LocalPort& port, const PortChoiceResult& choice) {
  const std::string use = is_chosen(port, choice) ? "chosen by heddle sm"
                          : port.candidate        ? "usable"
                                                  : "skipped: " + port.reason;
  return {to_string(port.id),
          base::hex(port.port_guid.value),
          std::string(to_string(port.link_layer)),
          fmt::format("{}/{}", transport::to_string(port.state),
                      transport::to_string(port.physical_state)),
          port.rate,
          use};
}

}  // namespace

std::string ports_table(std::span<const transport::LocalPort> ports,
                        const PortChoiceResult& choice) {
  std::string out;
  if (!ports.empty()) {
    std::vector<PortRow> rows{{"PORT", "PORT GUID", "LINK LAYER", "STATE", "RATE", "USE"}};
    for (const transport::LocalPort& port : ports) rows.push_back(row_of(port, choice));
    std::array<std::size_t, 5> widths{};  // the last column needs none
    for (const PortRow& row : rows) {
      for (std::size_t i = 0; i < widths.size(); ++i)
        widths[i] = std::max(widths[i], row[i].size());
    }
    for (const PortRow& row : rows) {
      for (std::size_t i = 0; i < widths.size(); ++i) {
        out += fmt::format("{:<{}}  ", row[i], widths[i]);
      }
      out += row.back() + "\n";
    }
    out += "\n";
  }
  return out + remark(choice) + "\n";
}

std::string ports_json(std::span<const transport::LocalPort> ports,
                       const PortChoiceResult& choice) {
  using PortsJson = nlohmann::ordered_json;
  PortsJson list = PortsJson::array();
  for (const transport::LocalPort& port : ports) {
    list.push_back({{"device", port.id.device},
                    {"port", port.id.port},
                    {"port_guid", base::hex(port.port_guid.value)},
                    {"link_layer", to_string(port.link_layer)},
                    {"state", transport::to_string(port.state)},
                    {"physical_state", transport::to_string(port.physical_state)},
                    {"rate", port.rate},
                    {"sm_lid", port.sm_lid},
                    {"usable", port.candidate},
                    {"reason", port.reason}});
  }
  const PortsJson whole{
      {"ports", std::move(list)},
      {"chosen", choice.has_value() ? PortsJson(to_string(choice->id)) : PortsJson(nullptr)},
      {"remark", remark(choice)}};
  return whole.dump(2, ' ', true, PortsJson::error_handler_t::replace) + "\n";
}

}  // namespace heddle::app
