// SPDX-License-Identifier: BSD-3-Clause
#include "app/opensm_line.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::app {
namespace {

enum class Kind : std::uint8_t {
  Value,   // the key gets the value
  True,    // the key gets TRUE
  False,   // and FALSE
  Config,  // the rest is not about opensm.conf
  Create,
  PidFile,
  Once,
  Daemon,
  Help,
  Version,
  Verbose,
  Debug,
};

struct Row {
  std::string_view name;
  char letter = 0;  // 0: none
  Kind kind{};
  std::string_view key{};  // in opensm.conf
};

constexpr std::array kRows{
    Row{"version", 0, Kind::Version},
    Row{"help", 'h', Kind::Help},
    Row{"config", 'F', Kind::Config},
    Row{"create-config", 'c', Kind::Create},
    Row{"once", 'o', Kind::Once},
    Row{"daemon", 'B', Kind::Daemon},
    Row{"pidfile", 'J', Kind::PidFile},
    Row{"verbose", 'v', Kind::Verbose},
    Row{"V", 'V', Kind::Verbose},
    Row{"D", 'D', Kind::Value, "log_flags"},
    Row{"debug", 'd', Kind::Debug},
    Row{"guid", 'g', Kind::Value, "guid"},
    Row{"lmc", 'l', Kind::Value, "lmc"},
    Row{"priority", 'p', Kind::Value, "sm_priority"},
    Row{"subnet_prefix", 0, Kind::Value, "subnet_prefix"},
    Row{"smkey", 'k', Kind::Value, "sm_key"},
    Row{"reassign_lids", 'r', Kind::True, "reassign_lids"},
    Row{"sm_sl", 0, Kind::Value, "sm_sl"},
    Row{"routing_engine", 'R', Kind::Value, "routing_engine"},
    Row{"ucast_cache", 'A', Kind::True, "use_ucast_cache"},
    Row{"connect_roots", 'z', Kind::True, "connect_roots"},
    Row{"lid_matrix_file", 'M', Kind::Value, "lid_matrix_dump_file"},
    Row{"lfts_file", 'U', Kind::Value, "lfts_file"},
    Row{"sadb_file", 'S', Kind::Value, "sa_db_file"},
    Row{"root_guid_file", 'a', Kind::Value, "root_guid_file"},
    Row{"cn_guid_file", 'u', Kind::Value, "cn_guid_file"},
    Row{"io_guid_file", 'G', Kind::Value, "io_guid_file"},
    Row{"port-shifting", 0, Kind::True, "port_shifting"},
    Row{"scatter-ports", 0, Kind::Value, "scatter_ports"},
    Row{"max_reverse_hops", 'H', Kind::Value, "max_reverse_hops"},
    Row{"ids_guid_file", 'm', Kind::Value, "ids_guid_file"},
    Row{"guid_routing_order_file", 'X', Kind::Value, "guid_routing_order_file"},
    Row{"guid_routing_order_no_scatter", 0, Kind::True, "guid_routing_order_no_scatter"},
    Row{"ignore_guids", 'i', Kind::Value, "port_prof_ignore_file"},
    Row{"hop_weights_file", 'w', Kind::Value, "hop_weights_file"},
    Row{"port_search_ordering_file", 'O', Kind::Value, "port_search_ordering_file"},
    Row{"dimn_ports_file", 0, Kind::Value, "port_search_ordering_file"},
    Row{"torus_config", 0, Kind::Value, "torus_config"},
    Row{"do_mesh_analysis", 0, Kind::True, "do_mesh_analysis"},
    Row{"lash_start_vl", 0, Kind::Value, "lash_start_vl"},
    Row{"nue_max_num_vls", 0, Kind::Value, "nue_max_num_vls"},
    Row{"sweep", 's', Kind::Value, "sweep_interval"},
    Row{"timeout", 't', Kind::Value, "transaction_timeout"},
    Row{"retries", 0, Kind::Value, "transaction_retries"},
    Row{"maxsmps", 'n', Kind::Value, "max_wire_smps"},
    Row{"console", 'q', Kind::Value, "console"},
    Row{"console-port", 'C', Kind::Value, "console_port"},
    Row{"log_file", 'f', Kind::Value, "log_file"},
    Row{"log_limit", 'L', Kind::Value, "log_max_size"},
    Row{"erase_log_file", 'e', Kind::False, "accum_log_file"},
    Row{"log_prefix", 0, Kind::Value, "log_prefix"},
    Row{"dump_files_dir", 0, Kind::Value, "dump_files_dir"},
    Row{"Pconfig", 'P', Kind::Value, "partition_config_file"},
    Row{"no_part_enforce", 'N', Kind::True, "no_partition_enforcement"},
    Row{"part_enforce", 'Z', Kind::Value, "part_enforce"},
    Row{"allow_both_pkeys", 'W', Kind::True, "allow_both_pkeys"},
    Row{"qos", 'Q', Kind::True, "qos"},
    Row{"qos_policy_file", 'Y', Kind::Value, "qos_policy_file"},
    Row{"congestion_control", 0, Kind::True, "congestion_control"},
    Row{"congestion-control", 0, Kind::True, "congestion_control"},  // as its manual page has it
    Row{"cc_key", 0, Kind::Value, "cc_key"},
    Row{"cckey", 0, Kind::Value, "cc_key"},
    Row{"stay_on_fatal", 'y', Kind::False, "exit_on_fatal"},
    Row{"honor_guid2lid", 'x', Kind::True, "honor_guid2lid_file"},
    Row{"inactive", 'I', Kind::True, "sm_inactive"},
    Row{"perfmgr", 0, Kind::True, "perfmgr"},
    Row{"perfmgr_sweep_time_s", 0, Kind::Value, "perfmgr_sweep_time_s"},
    Row{"prefix_routes_file", 0, Kind::Value, "prefix_routes_file"},
    Row{"consolidate_ipv6_snm_req", 0, Kind::True, "consolidate_ipv6_snm_req"},
};

bool takes_value(const Row& row) {
  return row.kind == Kind::Value || row.kind == Kind::Config || row.kind == Kind::Create ||
         row.kind == Kind::PidFile || row.kind == Kind::Debug;
}

bool is_same(const Row& a, const Row& b) {
  return a.kind == b.kind && a.key == b.key;
}

// Rows that the name, perhaps cut short, can stand for; one if it is unambiguous.
std::vector<const Row*> rows_for(std::string_view name) {
  std::vector<const Row*> found;
  for (const Row& row : kRows) {
    if (row.name == name) return {&row};
    if (!row.name.starts_with(name)) continue;
    if (found.empty() || !is_same(*found.back(), row)) found.push_back(&row);
  }
  return found;
}

const Row* row_for(char letter) {
  const char wanted = letter == '?' ? 'h' : letter;
  const auto found = std::find_if(kRows.begin(), kRows.end(),
                                  [&](const Row& row) { return row.letter == wanted; });
  return found == kRows.end() ? nullptr : &*found;
}

class Reader {
 public:
  explicit Reader(std::span<const std::string> words) : words_(words) {}

  base::Result<OpensmLine> read() {
    while (at_ < words_.size()) {
      const std::string_view word = words_[at_++];
      if (word == "--") break;
      const auto done = word.size() > 1 && word[0] == '-' ? take_word(word) : stray(word);
      if (done.has_error()) return done.error();
    }
    if (loudness_ > 0) add("log_flags", loudness_ > 1 ? "0x0F" : "0x07");
    return std::move(line_);
  }

 private:
  base::Result<> stray(std::string_view word) {
    line_.remarks.push_back(
        fmt::format("'{}' is no option, and is passed over as OpenSM does", base::printable(word)));
    return {};
  }

  base::Result<> take_word(std::string_view word) {
    const bool is_long = word.starts_with("--");
    const bool is_letter = !is_long && word.size() == 2 && row_for(word[1]) != nullptr;
    if (!is_letter) {
      const std::string_view rest = word.substr(is_long ? 2 : 1);
      const std::size_t equals = std::min(rest.find('='), rest.size());
      const auto found = rows_for(rest.substr(0, equals));
      if (found.size() == 1) return take_long(*found[0], rest, equals);
      if (is_long || row_for(word[1]) == nullptr) return unknown(word, found);
      // More than one: OpenSM's own reader asks for more letters, too.
      if (found.size() > 1) return unknown(word, found);
    }
    return take_letters(word.substr(1));
  }

  base::Result<> unknown(std::string_view word, const std::vector<const Row*>& found) const {
    std::string message = fmt::format("there is no option '{}'", base::printable(word));
    if (!found.empty()) {
      message = fmt::format("'{}' may be", base::printable(word));
      for (const Row* row : found) {
        message += fmt::format("{} --{}", row == found[0] ? "" : " or", row->name);
      }
      return base::error(message);
    }
    std::vector<std::string_view> names;
    for (const Row& row : kRows) names.push_back(row.name);
    const std::size_t first = std::min(word.find_first_not_of('-'), word.size());
    const auto near = base::closest(word.substr(first), names);
    if (near) message += fmt::format("; did you mean --{}?", *near);
    return base::error(message);
  }

  base::Result<> take_long(const Row& row, std::string_view rest, std::size_t equals) {
    const bool has_value = equals != rest.size();
    if (!takes_value(row)) {
      if (has_value) return base::error(fmt::format("--{} takes no value", row.name));
      return take(row, {});
    }
    if (has_value) return take(row, rest.substr(equals + 1));
    return take_next(row);
  }

  base::Result<> take_letters(std::string_view letters) {
    while (!letters.empty()) {
      const Row* row = row_for(letters[0]);
      if (row == nullptr) {
        return base::error(
            fmt::format("there is no option '-{}'", base::printable(letters.substr(0, 1))));
      }
      letters.remove_prefix(1);
      if (!takes_value(*row)) {
        const auto done = take(*row, {});
        if (done.has_error()) return done;
        continue;
      }
      return letters.empty() ? take_next(*row) : take(*row, letters);
    }
    return {};
  }

  base::Result<> take_next(const Row& row) {
    if (at_ == words_.size()) return base::error(fmt::format("--{} needs a value", row.name));
    return take(row, words_[at_++]);
  }

  void add(std::string_view key, std::string_view value) {
    line_.lines += fmt::format("{} {}\n", key, value);
  }

  base::Result<> take(const Row& row, std::string_view value) {
    if (value.find('\n') != std::string_view::npos) {
      return base::error(fmt::format("the value of --{} has a line break in it", row.name));
    }
    switch (row.kind) {
      case Kind::Value:
        add(row.key, value);
        break;
      case Kind::True:
        add(row.key, "TRUE");
        break;
      case Kind::False:
        add(row.key, "FALSE");
        break;
      case Kind::Config:
        line_.config = value;
        break;
      case Kind::Create:
        line_.create_config = value;
        break;
      case Kind::PidFile:
        line_.pid_file = value;
        break;
      case Kind::Once:
        line_.once = true;
        break;
      case Kind::Daemon:
        line_.daemon = true;
        break;
      case Kind::Help:
        line_.help = true;
        break;
      case Kind::Version:
        line_.version = true;
        break;
      case Kind::Verbose:
        loudness_ += row.letter == 'V' ? 2u : 1u;
        break;
      case Kind::Debug:
        line_.remarks.push_back(
            fmt::format("--debug {} is for OpenSM's developers, and does nothing here",
                        base::printable(value)));
        break;
    }
    return {};
  }

  std::span<const std::string> words_;
  std::size_t at_ = 0;
  unsigned loudness_ = 0;
  OpensmLine line_;
};

}  // namespace

base::Result<OpensmLine> parse_opensm_line(std::span<const std::string> words) {
  return Reader(words).read();
}

std::string opensm_line_help() {
  std::string text;
  for (const Row& row : kRows) {
    const std::string letter = row.letter == 0 ? std::string() : fmt::format("-{}, ", row.letter);
    text += fmt::format("  {:>4}--{}{}\n", letter, row.name, takes_value(row) ? " VALUE" : "");
  }
  return text;
}

std::vector<std::string_view> opensm_line_keys() {
  std::vector<std::string_view> keys{"log_flags"};
  for (const Row& row : kRows) {
    if (!row.key.empty()) keys.push_back(row.key);
  }
  return keys;
}

}  // namespace heddle::app
