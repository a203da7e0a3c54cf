// SPDX-License-Identifier: BSD-3-Clause
#include "routing/torus_file.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/file_place.hpp"
#include "base/text.hpp"

namespace heddle::routing {
namespace {

using Words = std::vector<std::string_view>;

std::optional<mad::Guid> parse_guid(std::string_view word) {
  const auto value = base::parse_hex(word);
  if (!value || *value == 0) return std::nullopt;
  return mad::Guid{*value};
}

// As the size of a torus may be, so a dateline may be moved both ways.
std::optional<std::int32_t> parse_offset(std::string_view word) {
  const bool negative = word.substr(0, 1) == "-";
  const auto size = base::parse_number(word.substr(negative ? 1 : 0), kMaxTorusRadix);
  if (!size) return std::nullopt;
  const auto value = static_cast<std::int32_t>(*size);
  return negative ? -value : value;
}

class TorusFileReader {
 public:
  explicit TorusFileReader(std::string_view file) : place_{file, 0, {}} {}

  std::optional<base::Error> read(std::string_view line) {
    ++place_.number;
    place_.line = line;
    const Words words = base::words(line);
    if (words.empty() || words.front().front() == '#') return std::nullopt;
    const std::string_view keyword = words.front();
    if (!shaped_ && keyword != "torus" && keyword != "mesh") {
      return place_.wrong(keyword, "'torus' or 'mesh' and three sizes must come first");
    }
    if (keyword == "torus" || keyword == "mesh") return read_shape(words);
    if (keyword == "next_seed") return begin_seed(words);
    if (keyword == "port_order") return read_port_order(words);
    if (keyword == "portgroup_max_ports" || keyword == "max_changes") return check_limit(words);
    const std::size_t axis = keyword.front() < 'x' || keyword.front() > 'z'
                                 ? kTorusAxes
                                 : static_cast<std::size_t>(keyword.front() - 'x');
    if (axis < kTorusAxes) {
      const std::string_view rest = keyword.substr(1);
      if (rest == "p_link" || rest == "m_link") return read_link(words, axis, rest == "p_link");
      if (rest == "_dateline") return read_dateline(words, axis);
    }
    return place_.wrong(keyword,
                        fmt::format("'{}' is no keyword of this file", base::printable(keyword)));
  }

  base::Result<TorusFile> finish() {
    if (!shaped_)
      return base::error(fmt::format("{}: there is no 'torus' or 'mesh' line", place_.file));
    if (auto problem = check_seed()) return *problem;
    return std::move(torus_);
  }

 private:
  std::optional<base::Error> read_shape(const Words& words) {
    if (shaped_) return place_.wrong(words.front(), "the shape is given twice");
    if (words.size() < 1 + kTorusAxes)
      return place_.wrong({}, "three sizes are needed, such as 4 4 1");
    for (std::size_t axis = 0; axis < kTorusAxes; ++axis) {
      std::string_view word = words[1 + axis];
      bool wraps = words.front() == "torus";
      if (const char last = word.back(); std::string_view("tTmM").find(last) != word.npos) {
        wraps = last == 't' || last == 'T';
        word.remove_suffix(1);
      }
      const auto radix = base::parse_number(word, kMaxTorusRadix);
      if (!radix || *radix == 0) {
        return place_.wrong(words[1 + axis],
                            fmt::format("'{}' is no size from 1 to {}",
                                        base::printable(words[1 + axis]), kMaxTorusRadix));
      }
      // Around two switches there is nothing to close.
      torus_.axes[axis] = {static_cast<std::uint32_t>(*radix), wraps && *radix > 2};
    }
    shaped_ = true;
    return std::nullopt;
  }

  TorusFile::Seed& seed() {
    if (torus_.seeds.empty()) {
      torus_.seeds.emplace_back();
      seed_place_ = place_;
    }
    return torus_.seeds.back();
  }

  std::optional<base::Error> begin_seed(const Words& words) {
    if (auto problem = check_seed()) return problem;
    if (torus_.seeds.size() == kMaxTorusSeeds) {
      return place_.wrong(words.front(), fmt::format("more than {} seeds", kMaxTorusSeeds));
    }
    torus_.seeds.emplace_back();
    seed_place_ = place_;
    return std::nullopt;
  }

  // Of the last one, once all of it is read.
  std::optional<base::Error> check_seed() const {
    if (torus_.seeds.empty()) return std::nullopt;
    const TorusFile::Seed& seed = torus_.seeds.back();
    for (std::size_t axis = 0; axis < kTorusAxes; ++axis) {
      const bool told = seed.plus[axis] != mad::Guid{} || seed.minus[axis] != mad::Guid{};
      if (told == (torus_.axes[axis].radix > 1)) continue;
      return seed_place_.wrong(
          seed_place_.line,
          fmt::format("this seed {} for {}", told ? "has a link too many:" : "lacks a link",
                      told ? fmt::format("the size of {} is 1", "xyz"[axis])
                           : std::string(1, "xyz"[axis])));
    }
    return std::nullopt;
  }

  std::optional<base::Error> read_link(const Words& words, std::size_t axis, bool plus) {
    if (words.size() < 3) return place_.wrong({}, "two node GUIDs are needed");
    const auto from = parse_guid(words[1]), to = parse_guid(words[2]);
    if (!from || !to || *from == *to) {
      return place_.wrong(from ? words[2] : words[1], "two different node GUIDs are needed");
    }
    TorusFile::Seed& own = seed();
    if (own.at != mad::Guid{} && own.at != *from) {
      return place_.wrong(words[1],
                          fmt::format("the links of a seed must begin at one switch, here {}",
                                      base::hex(own.at.value)));
    }
    own.at = *from;
    (plus ? own.plus : own.minus)[axis] = *to;
    return std::nullopt;
  }

  std::optional<base::Error> read_dateline(const Words& words, std::size_t axis) {
    const auto offset = words.size() < 2 ? std::nullopt : parse_offset(words[1]);
    if (!offset) {
      return place_.wrong(words.size() < 2 ? std::string_view() : words[1],
                          "a position is needed, such as -2");
    }
    seed().dateline[axis] = *offset;
    return std::nullopt;
  }

  std::optional<base::Error> read_port_order(const Words& words) {
    torus_.port_order.clear();
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto port = base::parse_number(words[i], 254);
      if (!port || *port == 0) {
        return place_.wrong(words[i],
                            fmt::format("'{}' is no port number", base::printable(words[i])));
      }
      const auto number = static_cast<std::uint8_t>(*port);
      auto& order = torus_.port_order;
      if (std::find(order.begin(), order.end(), number) == order.end()) order.push_back(number);
    }
    return std::nullopt;
  }

  std::optional<base::Error> check_limit(const Words& words) const {
    if (words.size() > 1 && base::parse_number(words[1], 0xFFFF'FFFF)) return std::nullopt;
    return place_.wrong(words.size() < 2 ? std::string_view() : words[1], "a number is needed");
  }

  base::FilePlace place_, seed_place_;
  bool shaped_ = false;
  TorusFile torus_;
};

}  // namespace

base::Result<TorusFile> parse_torus_file(std::string_view text, std::string_view file) {
  const std::string whole(text);
  TorusFileReader reader(file);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (auto wrong = reader.read(text.substr(0, end))) return *wrong;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  auto torus = reader.finish();
  if (torus) torus->source = whole;
  return torus;
}

}  // namespace heddle::routing
