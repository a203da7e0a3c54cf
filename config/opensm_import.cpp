// SPDX-License-Identifier: BSD-3-Clause
#include "config/opensm_import.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/text.hpp"
#include "config/opensm_congestion.hpp"
#include "config/opensm_lanes.hpp"
#include "config/options.hpp"

namespace heddle::config {
namespace {

using Outcome = Imported::Outcome;

constexpr std::string_view kNone = "(null)";

// How many letters must change to make one of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
    }
  }
  return row.back();
}

std::string likely(std::string_view name) {
  constexpr std::size_t kClose = 3;
  const auto all = opensm_options();
  const auto* best = &*std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return distance(a.name, name) < distance(b.name, name);
  });
  return distance(best->name, name) <= kClose ? std::string(best->name) : std::string();
}

struct Words {
  std::string_view name, value;  // no name: the line says nothing
};

// What follows # means nothing to OpenSM, wherever it stands.
Words words_of(std::string_view line) {
  line = base::trim(line.substr(0, line.find('#')));
  if (line.empty()) return {};
  const auto end = std::min(line.find_first_of(" \t"), line.size());
  return {line.substr(0, end), base::trim(line.substr(end))};
}

std::string_view without_quotes(std::string_view value) {
  const bool quoted = value.size() > 1 && value.front() == value.back() &&
                      (value.front() == '"' || value.front() == '\'');
  return quoted ? value.substr(1, value.size() - 2) : value;
}

class Importer {
 public:
  explicit Importer(const std::function<bool(const std::string&)>& exists) : exists_(exists) {}

  Imported import(std::string_view text) {
    unsigned number = 0;
    while (!text.empty()) {
      const auto end = std::min(text.find('\n'), text.size());
      read(++number, text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    for (const auto& [name, line] : last_) settle(name, line);
    settle_levels();
    for (Imported::Remark& remark : out_.remarks) {
      const Columns& columns = columns_[remark.line];
      remark.column = remark.outcome == Outcome::Wrong ? columns.value : columns.name;
    }
    std::sort(out_.remarks.begin(), out_.remarks.end(),
              [](const auto& a, const auto& b) { return a.line < b.line; });
    write();
    return std::move(out_);
  }

 private:
  struct Line {
    unsigned number = 0;
    std::string value;
  };

  struct Columns {
    unsigned name = 1, value = 1;
  };

  // What stands later wins, as in OpenSM.
  void read(unsigned number, std::string_view whole) {
    const Words words = words_of(whole);
    if (words.name.empty()) return;
    const std::string name(words.name);
    const auto column = [&](std::string_view part) {
      return static_cast<unsigned>(part.data() - whole.data()) + 1;
    };
    columns_[number] = {column(words.name), column(words.value.empty() ? words.name : words.value)};
    const std::string_view value = without_quotes(words.value);
    if (find_opensm_option(name) == nullptr) {
      return remark(number, name, Outcome::Unknown, likely(name));
    }
    if (is_of_level(name)) {
      of_levels_.push_back({name, {number, std::string(value)}});
    } else {
      last_[name] = {number, std::string(value)};
    }
  }

  std::string value_of(std::string_view name) const {
    const auto line = last_.find(name);
    return line != last_.end() ? line->second.value : std::string(find_opensm_option(name)->usual);
  }

  void settle(const std::string& name, const Line& line) {
    const OpensmOption& option = *find_opensm_option(name);
    if (line.value == option.usual || line.value.empty()) return;
    if (option.fate == Fate::Needless) {
      return remark(line.number, name, Outcome::Needless, std::string(option.note));
    }
    if (option.fate == Fate::Missing || line.value == kNone) {
      return remark(line.number, name, Outcome::Missing, std::string(option.note));
    }
    if (option.convert == nullptr) return settle_by_hand(option, line);
    const auto text = option.convert(line.value);
    if (!text) {
      return remark(line.number, name, Outcome::Wrong,
                    "'" + line.value + "' is not what OpenSM takes; its default is " +
                        std::string(option.usual));
    }
    take(option, line, *text);
  }

  void settle_by_hand(const OpensmOption& option, const Line& line) {
    if (option.name == "routing_engine") return take_engines(option, line);
    if (option.name == "cc_ca_cong_setting_control_map") return;  // settle_levels()
    if (option.section == "qos") return take_lanes(option, line);
    if (option.key == "switches") return take_switches(option, line);
    if (option.name == "sa_key") {
      if (line.value == value_of("sm_key")) {
        return remark(line.number, "sa_key", Outcome::Needless, "sm_key says the same, for both");
      }
      return remark(line.number, "sa_key", Outcome::Missing, std::string(option.note));
    }
    if (option.name == "no_partition_enforcement") {
      if (line.value == "TRUE") take(option, line, "off");
      return;
    }
    if (option.name == "force_heavy_sweep") return take_heavy_sweeps(option, line);
    if (option.key == "highest_rate_code") return take_old_rates(option, line);
    if (option.name == "ignore_other_sm") return take_only_itself(option, line);
    HEDDLE_CHECK(option.name == "qos_policy_file");
    if (value_of("qos") == "TRUE") return take(option, line, line.value);
    remark(line.number, "qos_policy_file", Outcome::Needless, "OpenSM reads it only with qos TRUE");
  }

  // Whoever allows itself alone has no rivals.
  void take_only_itself(const OpensmOption& option, const Line& line) {
    if (line.value != "TRUE") {
      return remark(line.number, std::string(option.name), Outcome::Wrong,
                    "'" + line.value + "' is neither TRUE nor FALSE");
    }
    const auto own = opensm_number(value_of("guid"));
    if (own && *own != 0) return take(option, line, base::hex(*own));
    remark(line.number, std::string(option.name), Outcome::Missing,
           "put the GUID of the port that it sits on, and no other, into [sm] allowed_sm_guids");
  }

  // max_rate_enum has been taken: its name comes before.
  void take_old_rates(const OpensmOption& option, const Line& line) {
    constexpr std::uint32_t kLastOfOldRates = 18;
    if (line.value != "TRUE") {
      return remark(line.number, std::string(option.name), Outcome::Wrong,
                    "'" + line.value + "' is neither TRUE nor FALSE");
    }
    take(option, line, std::to_string(std::min(out_.config.highest_rate_code, kLastOfOldRates)));
  }

  void take_heavy_sweeps(const OpensmOption& option, const Line& line) {
    if (line.value != "TRUE") {
      return remark(line.number, std::string(option.name), Outcome::Wrong,
                    "'" + line.value + "' is neither TRUE nor FALSE");
    }
    const OpensmOption& interval = *find_opensm_option("sweep_interval");
    const auto text = interval.convert(value_of(interval.name));
    if (text) take(option, line, *text);  // what is wrong is told of that one
  }

  void take_lanes(const OpensmOption& option, const Line& line) {
    if (value_of("qos") != "TRUE") {
      return remark(line.number, std::string(option.name), Outcome::Needless,
                    "OpenSM writes it only with qos TRUE");
    }
    if (lane_word(option.name, line.value))
      return take(option, line, lane_words(option.name, values()));
    remark(line.number, std::string(option.name), Outcome::Wrong,
           "'" + line.value + "' is not what OpenSM takes");
  }

  OpensmValue values() const {
    return [this](std::string_view name) { return value_of(name); };
  }

  void take_switches(const OpensmOption& option, const Line& line) {
    const bool is_map = option.name.ends_with("_control_map");
    if (!is_map && !is_set_at_switches(option.name, values())) {
      return remark(line.number, std::string(option.name), Outcome::Needless,
                    "OpenSM does not set it: its bit in cc_sw_cong_setting_control_map is 0");
    }
    const auto text = congestion_switches(values());
    if (text) return take(option, line, *text);
    remark(line.number, std::string(option.name), Outcome::Wrong,
           "not all of cc_sw_cong_setting_... are what OpenSM takes");
  }

  // What stands for a service level has a line of its own for each.
  void settle_levels() {
    const OpensmOption& head = *find_opensm_option("cc_ca_cong_setting_control_map");
    const std::uint64_t map = opensm_number(value_of(head.name)).value_or(0);
    std::map<unsigned, LevelValues> given;
    for (const auto& [name, line] : of_levels_) {
      const auto value = parse_of_level(line.value);
      if (!value) {
        remark(line.number, name, Outcome::Wrong,
               "'" + line.value + "' is not what OpenSM takes: a service level and a value");
      } else if ((map >> value->level & 1) != 0) {
        given[value->level][name] = value->value;
        remark(line.number, name, Outcome::TakenOver, "congestion.levels");
      } else if (value->value != 0) {
        remark(line.number, name, Outcome::Needless,
               "OpenSM does not set it: its bit in cc_ca_cong_setting_control_map is 0");
      }
    }
    if (map != 0) take(head, last_.find(head.name)->second, congestion_levels(map, given));
  }

  void take_engines(const OpensmOption& option, const Line& line) {
    static const std::set<std::string, std::less<>> kOnLanes{"lash", "dfsssp", "nue", "torus-2QoS"};
    std::string engines;
    std::string_view rest = line.value;
    while (!rest.empty()) {
      const auto begin = rest.find_first_not_of(", \t");
      if (begin == std::string_view::npos) break;
      const auto end = std::min(rest.find_first_of(", \t", begin), rest.size());
      const std::string_view engine = rest.substr(begin, end - begin);
      rest.remove_prefix(end);
      if (engine == "no_fallback") {
        out_.config.fallback = false;
        set_.insert("routing.fallback");
        continue;
      }
      engines += (engines.empty() ? "" : ",") + std::string(engine);
      const bool on_lanes = kOnLanes.count(engine) != 0;
      if (on_lanes && value_of("nue_max_num_vls") == find_opensm_option("nue_max_num_vls")->usual) {
        out_.config.max_vls = kLanesOfOpensm;
        set_.insert("routing.max_vls");
      }
    }
    if (!engines.empty()) take(option, line, engines);
  }

  void take(const OpensmOption& from, const Line& line, const std::string& text) {
    const Option* option = find_option(from.section, from.key);
    HEDDLE_CHECK(option != nullptr);
    const bool is_file = from.name.ends_with("_file") || from.name == "torus_config" ||
                         from.name == "node_name_map_name";
    if (is_file && from.name != "log_file" && !exists_(text)) {
      return remark(line.number, std::string(from.name), Outcome::Missing,
                    "there is no file " + text + ", and it is left out");
    }
    const auto stored = store_from_command_line(out_.config, *option, text);
    if (!stored) {
      return remark(line.number, std::string(from.name), Outcome::Wrong,
                    qualified(*option) + ' ' + stored.error().message);
    }
    set_.insert(qualified(*option));
    remark(line.number, std::string(from.name), Outcome::TakenOver,
           qualified(*option) + " = " + text_of(out_.config, *option));
  }

  void remark(unsigned line, std::string option, Outcome outcome, std::string text) {
    out_.remarks.push_back({line, std::move(option), outcome, std::move(text)});
  }

  void write() {
    std::string& file = out_.file;
    file = "# Made from an opensm.conf by heddle config import.\n";
    std::string_view section;
    for (const Option& option : options()) {
      if (set_.count(qualified(option)) == 0) continue;
      if (option.section != section) file += fmt::format("\n[{}]\n", option.section);
      section = option.section;
      file += fmt::format("{} = {}\n", option.key, text_of(out_.config, option));
    }
  }

  // OpenSM lets these engines take as many as they need and the links have.
  static constexpr std::uint32_t kLanesOfOpensm = 8;

  const std::function<bool(const std::string&)>& exists_;
  std::map<std::string, Line, std::less<>> last_;
  std::vector<std::pair<std::string, Line>> of_levels_;  // in the order of the file
  std::map<unsigned, Columns> columns_;                  // by line
  std::set<std::string> set_;                            // options of ours
  Imported out_;
};

}  // namespace

Imported import_opensm(std::string_view text,
                       const std::function<bool(const std::string& file)>& exists) {
  return Importer(exists).import(text);
}

std::string opensm_values(std::string_view text) {
  std::map<std::string_view, std::string, std::less<>> given;
  for (const std::string_view line : base::split(text, '\n')) {
    const Words words = words_of(line);
    if (words.name.empty()) continue;
    std::string& lines = given[words.name];
    // What stands for a service level has a line of its own for each.
    if (!is_of_level(words.name)) lines.clear();
    lines += fmt::format("{} {}\n", words.name, words.value);
  }
  std::string out;
  for (const OpensmOption& option : opensm_options()) {
    const auto found = given.find(option.name);
    if (option.name.ends_with("_key")) {
      out += fmt::format("# {} is told to nobody\n", option.name);
    } else if (found != given.end()) {
      out += found->second;
    } else {
      out += fmt::format("{} {}\n", option.name, option.usual);
    }
  }
  return out;
}

}  // namespace heddle::config
