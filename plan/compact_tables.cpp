// SPDX-License-Identifier: BSD-3-Clause
#include "plan/compact_tables.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace heddle::plan {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Row = std::span<const std::uint8_t>;

// A match costs up to five bytes to tell.
constexpr std::size_t kLeastMatch = 6;
// Rows that are tried as the base of the next: those that served last.
constexpr std::size_t kBases = 8;
// A row becomes a base itself if more than this part of it stands in no other.
constexpr std::size_t kForeign = 4;
constexpr unsigned kHashBits = 13;

void append_number(Bytes& to, std::size_t number) {
  for (; number >= 128; number >>= 7) to.push_back(static_cast<std::uint8_t>(number | 128));
  to.push_back(static_cast<std::uint8_t>(number));
}

// Finds earlier entries that go on like those here, by a hash of four of them.
class Matcher {
 public:
  Matcher() { latest_.fill(kNone); }

  void prepare(Row base, Row row) {
    window_.assign(base.begin(), base.end());
    window_.insert(window_.end(), row.begin(), row.end());
    latest_.fill(kNone);
    for (std::size_t i = 0; i + 4 <= base.size(); ++i) remember(i);
  }

  void append_row(std::size_t begin, Bytes& to) {
    std::size_t literals = begin;
    for (std::size_t i = begin; i < window_.size();) {
      const Match match = best_at(i, begin);
      if (match.length < kLeastMatch) {
        remember(i++);
        continue;
      }
      append_literals(literals, i, to);
      append_number(to, match.length);
      append_number(to, match.distance);
      const std::size_t end = i + match.length;
      // Of long matches the ends suffice.
      for (std::size_t k = i; k < end && k < i + 16; ++k) remember(k);
      i = literals = end;
    }
    if (literals < window_.size()) append_literals(literals, window_.size(), to);
  }

 private:
  struct Match {
    std::size_t length = 0;
    std::size_t distance = 0;
  };
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  std::size_t slot(std::size_t i) const {
    const std::uint32_t four = static_cast<std::uint32_t>(window_[i]) |
                               static_cast<std::uint32_t>(window_[i + 1]) << 8 |
                               static_cast<std::uint32_t>(window_[i + 2]) << 16 |
                               static_cast<std::uint32_t>(window_[i + 3]) << 24;
    return (four * 2654435761u) >> (32 - kHashBits);
  }
  void remember(std::size_t i) {
    if (i + 4 <= window_.size()) latest_[slot(i)] = static_cast<std::uint32_t>(i);
  }
  Match match_with(std::size_t earlier, std::size_t i) const {
    std::size_t length = 0;
    while (i + length < window_.size() && window_[earlier + length] == window_[i + length]) {
      ++length;
    }
    return {length, i - earlier};
  }
  // The same place of the base row, which fits best as a rule, or the last that began alike.
  Match best_at(std::size_t i, std::size_t row_size) const {
    Match best;
    if (row_size > 0) best = match_with(i - row_size, i);
    if (i + 4 > window_.size()) return best;
    const std::uint32_t earlier = latest_[slot(i)];
    if (earlier == kNone) return best;
    const Match other = match_with(earlier, i);
    return other.length > best.length ? other : best;
  }
  void append_literals(std::size_t begin, std::size_t end, Bytes& to) const {
    append_number(to, end - begin);
    to.insert(to.end(), window_.begin() + static_cast<std::ptrdiff_t>(begin),
              window_.begin() + static_cast<std::ptrdiff_t>(end));
  }

  Bytes window_;
  std::array<std::uint32_t, std::size_t{1} << kHashBits> latest_;
};

std::size_t differences(Row a, Row b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1u : 0u;
  return count;
}

std::vector<std::uint32_t> choose_bases(const fabric::ForwardingTables& tables) {
  std::vector<std::uint32_t> chosen(tables.switch_count(), CompactTables::kNoBase);
  std::vector<std::uint32_t> bases;  // the last that served first
  for (std::uint32_t s = 0; s < chosen.size(); ++s) {
    const Row row = tables.row(fabric::SwitchIndex{s});
    std::size_t fewest = row.size() + 1, at = 0;
    for (std::size_t b = 0; b < bases.size() && fewest * 64 > row.size(); ++b) {
      const auto count = differences(row, tables.row(fabric::SwitchIndex{bases[b]}));
      if (count < fewest) fewest = count, at = b;
    }
    if (fewest * kForeign <= row.size()) {
      chosen[s] = bases[at];
      std::rotate(bases.begin(), bases.begin() + static_cast<std::ptrdiff_t>(at),
                  bases.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      continue;
    }
    bases.insert(bases.begin(), s);
    if (bases.size() > kBases) bases.pop_back();
  }
  return chosen;
}

}  // namespace

std::optional<CompactTables> compact(const fabric::ForwardingTables& tables, std::size_t most,
                                     const base::ParallelFor& parallel) {
  CompactTables compacted;
  compacted.row_size = tables.row_size();
  compacted.base = choose_bases(tables);
  // In portions, so that tables that will not fit are given up early.
  constexpr std::size_t kPortion = 256;
  std::vector<Bytes> rows(kPortion);
  compacted.first.push_back(0);
  for (std::size_t begin = 0; begin < tables.switch_count(); begin += kPortion) {
    const std::size_t count = std::min(kPortion, tables.switch_count() - begin);
    parallel(count, [&](std::size_t first, std::size_t last) {
      Matcher matcher;
      for (std::size_t i = first; i < last; ++i) {
        const fabric::SwitchIndex at{static_cast<std::uint32_t>(begin + i)};
        const std::uint32_t base_of = compacted.base[at.value];
        const Row before =
            base_of == CompactTables::kNoBase ? Row{} : tables.row(fabric::SwitchIndex{base_of});
        matcher.prepare(before, tables.row(at));
        rows[i].clear();
        matcher.append_row(before.size(), rows[i]);
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      compacted.bytes.insert(compacted.bytes.end(), rows[i].begin(), rows[i].end());
      compacted.first.push_back(static_cast<std::uint32_t>(compacted.bytes.size()));
    }
    if (compacted.bytes.size() > most) return std::nullopt;
  }
  return compacted;
}

namespace {

// Takes numbers and entries out of a row's bytes.
class Reader {
 public:
  explicit Reader(Row bytes) : bytes_(bytes) {}
  std::optional<std::size_t> number() {
    std::size_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      if (at_ == bytes_.size()) return std::nullopt;
      const std::uint8_t digit = bytes_[at_++];
      value |= static_cast<std::size_t>(digit & 127) << shift;
      if (digit < 128) return value;
    }
    return std::nullopt;
  }
  std::optional<Row> take(std::size_t count) {
    if (count > bytes_.size() - at_) return std::nullopt;
    at_ += count;
    return bytes_.subspan(at_ - count, count);
  }
  bool done() const { return at_ == bytes_.size(); }

 private:
  Row bytes_;
  std::size_t at_ = 0;
};

bool expand_into(Bytes& window, std::size_t full, Row bytes) {
  Reader reader(bytes);
  while (window.size() < full) {
    const auto count = reader.number();
    const auto literals = count ? reader.take(*count) : std::nullopt;
    if (!literals || *count > full - window.size()) return false;
    window.insert(window.end(), literals->begin(), literals->end());
    if (window.size() == full) break;
    const auto length = reader.number(), distance = reader.number();
    if (!length || !distance || *length == 0 || *distance == 0) return false;
    if (*length > full - window.size() || *distance > window.size()) return false;
    for (std::size_t i = 0; i < *length; ++i) window.push_back(window[window.size() - *distance]);
  }
  return reader.done();
}

}  // namespace

std::optional<Bytes> expand(const CompactTables& tables, std::size_t row) {
  Bytes window;
  const std::uint32_t base_of = tables.base[row];
  const auto bytes_of = [&](std::size_t at) {
    return Row(tables.bytes).subspan(tables.first[at], tables.first[at + 1] - tables.first[at]);
  };
  if (base_of != CompactTables::kNoBase) {
    if (tables.base[base_of] != CompactTables::kNoBase) return std::nullopt;
    if (!expand_into(window, tables.row_size, bytes_of(base_of))) return std::nullopt;
  }
  const std::size_t begin = window.size();
  if (!expand_into(window, begin + tables.row_size, bytes_of(row))) return std::nullopt;
  return Bytes(window.begin() + static_cast<std::ptrdiff_t>(begin), window.end());
}

}  // namespace heddle::plan
