// SPDX-License-Identifier: BSD-3-Clause
#include "doors/control/arguments.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/devices.hpp"
#include "sim/link_kind.hpp"

namespace heddle::doors::control {
namespace {

// A day; what is longer is a slip of the finger.
constexpr base::Duration kLongest = std::chrono::hours(24);

// Digits with at most one point; no sign, exponent or blank.
std::optional<double> decimal(std::string_view text) {
  const bool plain = !text.empty() && text.size() < 20 && text != "." &&
                     text.find_first_not_of("0123456789.") == std::string_view::npos &&
                     std::count(text.begin(), text.end(), '.') <= 1;
  return plain ? std::optional(std::strtod(std::string(text).c_str(), nullptr)) : std::nullopt;
}

std::optional<base::Duration> duration(std::string_view text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"us", 1e3}, {"ms", 1e6}, {"min", 60e9}, {"s", 1e9}, {"h", 3600e9}};
  double unit = 1e9;
  for (const auto& [name, nanoseconds] : kUnits) {
    if (!text.ends_with(name)) continue;
    text.remove_suffix(name.size());
    unit = nanoseconds;
    break;
  }
  const auto count = decimal(text);
  if (!count || *count * unit > static_cast<double>(kLongest.count())) return std::nullopt;
  return base::Duration(static_cast<base::Duration::rep>(*count * unit));
}

std::string upper(std::string text) {
  for (char& letter : text) {
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return text;
}

std::string unknown_node(const sim::World& world, const std::string& name) {
  std::vector<std::string_view> names;
  for (const sim::PlannedNode& node : world.devices().plan.nodes) names.push_back(node.name);
  const auto like = base::closest(name, names);
  return fmt::format("there is no node '{}'{}", base::printable(name),
                     like ? fmt::format("; do you mean '{}'?", *like) : "");
}

}  // namespace

void Arguments::refuse(std::string error) {
  if (!error_.empty()) return;
  error_ = std::move(error);
  column_ = last_;
}

const Word* Arguments::next(std::string_view what) {
  if (left_.empty()) {
    last_ = 0;
    refuse(fmt::format("{} is missing", what));
    return nullptr;
  }
  const Word& word = left_.front();
  left_ = left_.subspan(1);
  last_ = word.column;
  return &word;
}

std::string Arguments::word(std::string_view what) {
  const Word* word = next(what);
  return word == nullptr ? std::string() : word->text;
}

std::uint32_t Arguments::node() {
  const Word* word = next("the node");
  if (word == nullptr) return 0;
  const auto found = world_.find_node(word->text);
  if (!found) refuse(unknown_node(world_, word->text));
  return found.value_or(0);
}

std::uint8_t Arguments::port(std::uint32_t node) {
  const std::uint64_t last = world_.devices().nodes[node].port_count;
  return static_cast<std::uint8_t>(number("the port", 1, error_.empty() ? last : 254));
}

std::uint8_t Arguments::any_port(std::uint32_t node) {
  const std::uint64_t last = world_.devices().nodes[node].port_count;
  return static_cast<std::uint8_t>(number("the port", 0, error_.empty() ? last : 254));
}

std::uint32_t Arguments::cable() {
  const std::uint32_t at = node();
  const std::uint8_t number = port(at);
  if (!error_.empty()) return 0;
  const auto cable = world_.find_cable(at, number);
  if (!cable) refuse(fmt::format("port {} has no cable", number));
  return cable.value_or(0);
}

std::uint64_t Arguments::number(std::string_view what, std::uint64_t least, std::uint64_t most) {
  const Word* word = next(what);
  if (word == nullptr) return least;
  const auto number = base::parse_number(word->text, most);
  if (!number || *number < least) {
    refuse(fmt::format("{} must be a number from {} to {}, not '{}'", what, least, most,
                       base::printable(word->text)));
  }
  return number.value_or(least);
}

double Arguments::chance() {
  const Word* word = next("the chance");
  if (word == nullptr) return 0;
  std::string_view text = word->text;
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const auto number = decimal(text);
  const double chance = number.value_or(2) / (percent ? 100 : 1);
  if (chance > 1) {
    refuse(fmt::format("a chance is a number from 0 to 1 or from 0% to 100%, not '{}'",
                       base::printable(word->text)));
  }
  return chance;
}

base::Duration Arguments::time() {
  const Word* word = next("the time");
  if (word == nullptr) return {};
  const auto time = duration(word->text);
  if (!time) {
    refuse(fmt::format("'{}' is no time of at most a day: 50us, 200ms, 1.5s, 2min",
                       base::printable(word->text)));
  }
  return time.value_or(base::Duration{});
}

bool Arguments::on_or_off() {
  const std::string text = word("on or off");
  if (text != "on" && text != "off") refuse("this is on or off");
  return text == "on";
}

sim::Width Arguments::width() {
  const auto width = sim::parse_width(word("the width"));
  if (!width) refuse("a width is 1x, 2x, 4x, 8x or 12x");
  return width.value_or(sim::Width::X4);
}

sim::Speed Arguments::speed() {
  const auto speed = sim::parse_speed(upper(word("the speed")));
  if (!speed) refuse("a speed is SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR");
  return speed.value_or(sim::Speed::SDR);
}

bool Arguments::complete() {
  if (error_.empty() && !left_.empty()) {
    last_ = left_.front().column;
    refuse(fmt::format("'{}' is one word too many", base::printable(left_.front().text)));
  }
  return error_.empty() && !dry_;
}

}  // namespace heddle::doors::control
