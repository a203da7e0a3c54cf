// SPDX-License-Identifier: BSD-3-Clause
#include "config/load.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "base/text.hpp"
#include "config/duration.hpp"
#include "config/options.hpp"

namespace heddle::config {
namespace {

constexpr std::uintmax_t kMaxFileBytes = 1 << 20;

struct Place {
  unsigned line = 0;
  unsigned column = 0;
};

Place place_of(const toml::source_region& region) {
  return {static_cast<unsigned>(region.begin.line), static_cast<unsigned>(region.begin.column)};
}

// Reads one document; collects problems instead of stopping at the first.
class Reader {
 public:
  Reader(std::string_view file, const Vocabulary& vocabulary)
      : file_(file), vocabulary_(vocabulary) {}

  Loaded read(const toml::table& document) {
    for (const auto& [name, node] : document) {
      if (!is_section(name.str())) {
        unknown_at_top(name, node);
      } else if (const toml::table* table = node.as_table()) {
        read_section(name.str(), *table);
      } else {
        report(place_of(node.source()),
               fmt::format("'{}' is a section: write [{}] and its options below", name.str(),
                           name.str()));
      }
    }
    check_together();
    std::stable_sort(loaded_.problems.begin(), loaded_.problems.end(),
                     [](const Problem& a, const Problem& b) {
                       return std::tie(a.line, a.column) < std::tie(b.line, b.column);
                     });
    return std::move(loaded_);
  }

 private:
  static bool is_section(std::string_view name) {
    return std::any_of(sections().begin(), sections().end(),
                       [&](const Section& section) { return section.name == name; });
  }

  void report(Place place, std::string message) {
    loaded_.problems.push_back({std::string(file_), place.line, place.column, std::move(message)});
  }

  // An option outside of any section, or a section that is not one.
  void unknown_at_top(const toml::key& name, const toml::node& node) {
    std::vector<std::string_view> names;
    for (const Section& section : sections()) names.push_back(section.name);
    const std::string_view kind = node.is_table() ? "section" : "option";
    std::string advice = fmt::format("sections are {}", fmt::join(names, ", "));
    if (const auto section = base::closest(name.str(), names); section && node.is_table()) {
      advice = fmt::format("did you mean [{}]?", *section);
    } else if (const Option* option = nearest("", name.str()); option && !node.is_table()) {
      advice = fmt::format("did you mean '{}' in [{}]?", option->key, option->section);
    }
    report(place_of(name.source()), fmt::format("unknown {} '{}'; {}", kind, name.str(), advice));
  }

  // The option that the key most likely means: in its own section first, then in any.
  static const Option* nearest(std::string_view section, std::string_view key) {
    for (const bool own : {true, false}) {
      std::vector<std::string_view> keys;
      for (const Option& option : options()) {
        if ((option.section == section) == own) keys.push_back(option.key);
      }
      const auto found = base::closest(key, keys);
      if (!found) continue;
      for (const Option& option : options()) {
        if ((option.section == section) == own && option.key == *found) return &option;
      }
    }
    return nullptr;
  }

  void read_section(std::string_view section, const toml::table& table) {
    for (const auto& [key, node] : table) {
      if (const Option* option = find_option(section, key.str())) {
        read_option(*option, node);
      } else {
        unknown_in(section, key);
      }
    }
  }

  void unknown_in(std::string_view section, const toml::key& key) {
    std::string message = fmt::format("unknown option '{}' in [{}]", key.str(), section);
    if (const Option* option = nearest(section, key.str())) {
      message += option->section == section
                     ? fmt::format("; did you mean '{}'?", option->key)
                     : fmt::format("; did you mean '{}' in [{}]?", option->key, option->section);
    } else {
      message += "; heddle config sample prints all options";
    }
    report(place_of(key.source()), std::move(message));
  }

  void read_option(const Option& option, const toml::node& node) {
    const Place place = place_of(node.source());
    places_[&option] = place;
    const auto stored = store(option, node);
    if (stored.has_error()) {
      report(place,
             fmt::format("'{}' {}, not {}", option.key, stored.error().message, written(node)));
    }
  }

  base::Result<void> store(const Option& option, const toml::node& node) {
    Config& config = loaded_.config;
    if (const auto number = node.value_exact<std::int64_t>()) {
      return store_number(config, option, *number);
    }
    if (const auto flag = node.value_exact<bool>()) return store_flag(config, option, *flag);
    if (const auto text = node.value_exact<std::string_view>()) {
      return store_text(config, option, *text);
    }
    if (const toml::array* array = node.as_array()) {
      std::vector<std::string> values;
      for (const toml::node& element : *array) {
        const auto value = element.value_exact<std::string_view>();
        if (!value) return wrong_type(option);
        values.emplace_back(*value);
      }
      return store_list(config, option, values);
    }
    return wrong_type(option);
  }

  static base::Error wrong_type(const Option& option) {
    return base::error(fmt::format("must be {}", range_text(option)));
  }

  // What stands in the file, short enough for a message.
  static std::string written(const toml::node& node) {
    std::ostringstream out;
    node.visit([&out](const auto& value) { out << value; });
    constexpr std::size_t kLongest = 60;
    std::string text = base::printable(out.str());
    if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
    return text;
  }

  // What no option can check alone, told where the first of them stands that is in the file.
  void check_together() {
    for (const auto& [first, second, message] : contradictions(loaded_.config, vocabulary_)) {
      Place place;
      for (const Option* option : {second, first}) {
        if (const auto found = places_.find(option); found != places_.end()) place = found->second;
      }
      report(place, message);
    }
  }

  std::string_view file_;
  const Vocabulary& vocabulary_;
  std::map<const Option*, Place> places_;
  Loaded loaded_;
};

Loaded one_problem(std::string_view file, Place place, std::string message) {
  Loaded loaded;
  loaded.problems.push_back({std::string(file), place.line, place.column, std::move(message)});
  return loaded;
}

constexpr std::size_t kMostFormerKeys = 16;

// A port of which nothing is known yet cannot be asked with its own key.
void check_m_keys(const Config& config, std::vector<Contradiction>& out) {
  if (config.m_key_per_port && config.m_key_protection > 1) {
    out.push_back({find_option("sm", "m_key_protection"), find_option("sm", "m_key_per_port"),
                   "with 'm_key_per_port' the 'm_key_protection' must be 0 or 1: above that, ports "
                   "do not even say who they are to those that lack their key"});
  }
  if (config.former_m_keys.size() > kMostFormerKeys) {
    out.push_back({find_option("sm", "former_m_keys"), nullptr,
                   fmt::format("'former_m_keys' lists {} keys; each is tried on every port that "
                               "takes none before it, so {} must do",
                               config.former_m_keys.size(), kMostFormerKeys)});
  }
  if (config.m_key_per_port && config.m_key == 0) {
    out.push_back({find_option("sm", "m_key_per_port"), find_option("sm", "m_key"),
                   "'m_key_per_port' needs an 'm_key' to work the keys out from"});
  }
}

void check_engines(const Config& config, const Vocabulary& vocabulary,
                   std::vector<Contradiction>& out) {
  const Option* option = find_option("routing", "engines");
  const auto& names = vocabulary.engines;
  if (config.engines.empty() && !config.fallback) {
    out.push_back({option, find_option("routing", "fallback"),
                   "no engine is left: list one in 'engines' or set 'fallback' to true"});
  }
  std::set<std::string_view> seen;
  for (const std::string& engine : config.engines) {
    if (!seen.insert(engine).second) {
      out.push_back({option, nullptr, fmt::format("engine '{}' is listed twice", engine)});
    } else if (!names.empty() && std::find(names.begin(), names.end(), engine) == names.end()) {
      const auto near = base::closest(engine, names);
      out.push_back({option, nullptr,
                     fmt::format("unknown routing engine '{}'; {}", base::printable(engine),
                                 near ? fmt::format("did you mean '{}'?", *near)
                                      : fmt::format("engines are {}", fmt::join(names, ", ")))});
    }
  }
}

void check_phrases(const Config& config, const Vocabulary& vocabulary,
                   std::vector<Contradiction>& out) {
  const auto check = [&](std::string (*wrong_in)(std::string_view), const auto& texts,
                         const Option* option) {
    if (wrong_in == nullptr) return;
    for (const std::string& text : texts) {
      std::string wrong = wrong_in(text);
      if (!wrong.empty()) out.push_back({option, nullptr, std::move(wrong)});
    }
  };
  check(vocabulary.wrong_threshold, config.performance_thresholds,
        find_option("performance", "thresholds"));
  check(vocabulary.wrong_health_action, config.health_actions, find_option("health", "actions"));
  for (const Option& option : options()) {
    const auto* text = std::get_if<std::string Config::*>(&option.member);
    if (option.section != "qos" || text == nullptr) continue;
    check(vocabulary.wrong_lanes, std::array{config.*(*text)}, &option);
  }
}

// Nobody would reach subnet administration.
void check_level_of_sm(const Config& config, const Vocabulary& vocabulary,
                       std::vector<Contradiction>& out) {
  if (!config.qos_tables || vocabulary.drops_level == nullptr) return;
  for (const Option& option : options()) {
    const auto* text = std::get_if<std::string Config::*>(&option.member);
    if (option.section != "qos" || text == nullptr) continue;
    if (!vocabulary.drops_level(config.*(*text), config.sm_sl)) continue;
    out.push_back({find_option("sm", "sm_sl"), &option,
                   fmt::format("packets of 'sm_sl' ({}) must not be dropped: the sl2vl of '{}' in "
                               "[qos] leads them to lane 15",
                               config.sm_sl, option.key)});
  }
}

void check_congestion(const Config& config, const Vocabulary& vocabulary,
                      std::vector<Contradiction>& out) {
  const Option* key = find_option("congestion", "key");
  const Option* mode = find_option("congestion", "key_mode");
  if (config.congestion_key_mode == "hide" && config.congestion_key == 0) {
    out.push_back({mode, key, "'key_mode' = \"hide\" needs a 'key' other than 0"});
  }
  if (vocabulary.wrong_congestion == nullptr) return;
  const auto check = [&](std::string_view name, const std::string& text) {
    std::string wrong = vocabulary.wrong_congestion(name, text);
    if (wrong.empty()) return;
    out.push_back({find_option("congestion", name), nullptr, std::move(wrong)});
  };
  check("switches", config.congestion_switches);
  for (const std::string& text : config.congestion_ports) check("ports", text);
  for (const std::string& text : config.congestion_levels) check("levels", text);
  for (const std::string& text : config.congestion_table) check("table", text);
}

// With whom the memory is shared.
void check_sharing(const Config& config, std::vector<Contradiction>& out) {
  for (const auto& [key, text] :
       {std::pair("listen", config.standby_listen), std::pair("peer", config.standby_peer)}) {
    const auto colon = text.rfind(':');
    if (text.empty() || (colon != text.npos && base::parse_number(text.substr(colon + 1), 65535))) {
      continue;
    }
    out.push_back(
        {find_option("standby", key), nullptr,
         fmt::format("'{}' of [standby] is HOST:PORT, not '{}'", key, base::printable(text))});
  }
  if (config.replica_endpoints.empty()) return;
  const bool listens = !config.standby_listen.empty();
  if (listens || !config.standby_peer.empty()) {
    out.push_back({find_option("replica", "endpoints"),
                   find_option("standby", listens ? "listen" : "peer"),
                   "[replica] and [standby] are two ways to the same; take one of them"});
  }
  if (config.replica_certificate.empty() != config.replica_key.empty()) {
    out.push_back({find_option("replica", "certificate"), find_option("replica", "key"),
                   "'certificate' of [replica] needs its 'key', and the key its certificate"});
  }
}

}  // namespace

std::vector<Contradiction> contradictions(const Config& config, const Vocabulary& vocabulary) {
  std::vector<Contradiction> out;
  if (config.smallest_timeout > config.largest_timeout) {
    out.push_back({find_option("mads", "smallest_timeout"), find_option("mads", "largest_timeout"),
                   fmt::format("'smallest_timeout' ({}) must not be above 'largest_timeout' ({})",
                               duration_text(config.smallest_timeout),
                               duration_text(config.largest_timeout))});
  }
  if (config.window_per_device > config.window) {
    out.push_back({find_option("mads", "window_per_device"), find_option("mads", "window"),
                   fmt::format("'window_per_device' ({}) must not be above 'window' ({})",
                               config.window_per_device, config.window)});
  }
  if (!config.api_enabled && config.api_console != "off") {
    out.push_back({find_option("api", "console"), find_option("api", "enabled"),
                   "the 'console' asks the API, which 'enabled' = false leaves out"});
  }
  check_m_keys(config, out);
  check_engines(config, vocabulary, out);
  check_phrases(config, vocabulary, out);
  check_level_of_sm(config, vocabulary, out);
  check_congestion(config, vocabulary, out);
  check_sharing(config, out);
  return out;
}

std::string text_of(const Problem& problem) {
  if (problem.line == 0) return fmt::format("{}: {}", problem.file, problem.message);
  return fmt::format("{}:{}:{}: {}", problem.file, problem.line, problem.column, problem.message);
}

Loaded parse(std::string_view text, std::string_view file, const Vocabulary& vocabulary) {
  try {
    const toml::table document = toml::parse(text, file);
    return Reader(file, vocabulary).read(document);
  } catch (const toml::parse_error& broken) {
    return one_problem(file, place_of(broken.source()),
                       base::printable(std::string(broken.description())));
  }
}

Loaded load(const std::filesystem::path& file, const Vocabulary& vocabulary) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (status.type() == std::filesystem::file_type::not_found) {
    return one_problem(file.string(), {}, "no such file; heddle config sample prints one");
  }
  // Its folder keeps it from us, most likely.
  if (status.type() == std::filesystem::file_type::none) {
    return one_problem(file.string(), {}, "cannot be read: " + failure.message());
  }
  if (!std::filesystem::is_regular_file(status)) {
    return one_problem(file.string(), {}, "is not a regular file");
  }
  if (std::filesystem::file_size(file, failure) > kMaxFileBytes) {
    return one_problem(file.string(), {}, "is larger than 1 MiB, which no configuration is");
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) {
    return one_problem(file.string(), {}, "cannot be read; check its permissions");
  }
  return parse(text, file.string(), vocabulary);
}

}  // namespace heddle::config
