// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/row_looks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "fabric/port_set.hpp"

namespace heddle::fabric {
namespace {

// Those with a neighbour in common one after another: its entries are then at hand still.
std::vector<SwitchIndex> by_neighbour(const Topology& topology) {
  std::vector<std::uint32_t> last(topology.switch_count());
  std::vector<SwitchIndex> order(topology.switch_count());
  for (std::uint32_t s = 0; s < order.size(); ++s) {
    order[s] = SwitchIndex{s};
    for (const Channel& channel : topology.channels_from(SwitchIndex{s})) {
      last[s] = std::max(last[s], channel.to.value);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](SwitchIndex a, SwitchIndex b) { return last[a.value] < last[b.value]; });
  return order;
}

// Ports side by side, whose bytes are 0 or 1: what is left of all products but one lies below or
// above the highest eight bits.
constexpr std::size_t kEight = 8;
std::uint64_t bits_of_eight(const std::uint8_t* bytes) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < kEight; ++i) word |= std::uint64_t{bytes[i]} << (kEight * i);
  return word * 0x0102'0408'1020'4080u >> 56;
}

// Whether all of these bytes are the same. Most are the hosts of one switch: too short for a call.
bool are_same(const std::uint8_t* bytes, std::size_t count) {
  constexpr std::size_t kWord = 8;
  const auto word_at = [bytes](std::size_t i) {
    std::array<std::uint8_t, kWord> word;
    std::copy_n(bytes + i, kWord, word.begin());
    return std::bit_cast<std::uint64_t>(word);
  };
  if (bytes[0] != bytes[count - 1]) return false;
  if (count < kWord)
    return std::count(bytes, bytes + count, bytes[0]) == static_cast<std::ptrdiff_t>(count);
  const std::uint64_t wanted = bytes[0] * 0x0101'0101'0101'0101u;
  std::uint64_t others = word_at(count - kWord) ^ wanted;
  for (std::size_t i = 0; i + kWord < count; i += kWord) others |= word_at(i) ^ wanted;
  return others == 0;
}

}  // namespace

// Scratch memory: one per thread.
//
// What matters at a switch are pairs of ports: the one that a LID takes here, and the one it takes
// at the next switch. Of tens of thousands of LIDs there are few pairs. Where all are seen that a
// port can have, entries that name it need only lead nearer, and that is seen of many at once.
class RowLooks::Looker {
 public:
  Looker(const RowLooks& looks, Dependencies* dependencies)
      : survey_(looks.survey_),
        looks_(looks),
        dependencies_(dependencies),
        ports_(kPortValues),
        seen_(kPortValues * kPortValues) {
    forget_ports();
  }

  // Whether all LIDs with hops come as much nearer as they should. If not, here or at a neighbour,
  // dependencies from here may be missing, or some there that are none.
  bool look_from(SwitchIndex from) {
    begin(from);
    look_at_departed();
    if (dependencies_ != nullptr) look_nearby();
    look_at_hosts();
    if (dependencies_ == nullptr) return is_straight_;
    look_at_switches();
    set_all();
    return is_straight_;
  }

  // For dependencies only, in place of those that were found before.
  void look_at_all_from(SwitchIndex from) {
    begin(from);
    look_at_departed();
    for (const Hosts& hosts : looks_.hosts_) note_all(hosts);
    note_switches();
    set_all();
  }

 private:
  struct Port {
    const std::uint8_t* hops = nullptr;  // of the switch beyond, by column
    const std::uint8_t* only = nullptr;  // its NearerPorts
    // Channels from there: all before this one are seen, or lead back.
    const Channel* unseen = nullptr;
    const Channel* last = nullptr;
  };

  void forget_ports() {
    for (std::size_t out = 0; out < kPortValues; ++out) forget_port(out);
  }

  // Now no channel leaves by it.
  void forget_port(std::size_t out) {
    beyond_[out] = looks_.no_row_.data();
    ports_[out] = {looks_.walks_.hops().no_row(), looks_.nearer_.no_only(), nullptr, nullptr};
  }

  void begin(SwitchIndex from) {
    for (const Channel& channel : channels_) forget_port(channel.out.value);
    from_ = from;
    is_straight_ = true;
    channels_ = survey_.topology.channels_from(from);
    for (const Channel& channel : channels_) {
      beyond_[channel.out.value] = survey_.tables.row(channel.to).data();
      const std::size_t ports = survey_.topology.node(channel.to).port_count;
      std::fill_n(seen_by(channel.out.value), ports + 1, std::uint8_t{0});
      Port& port = ports_[channel.out.value];
      port.hops = looks_.walks_.hops().row(channel.to);
      port.only = looks_.nearer_.only(channel.to);
      const auto onward = survey_.topology.channels_from(channel.to);
      port.unseen = onward.data();
      port.last = onward.data() + onward.size();
    }
    row_ = survey_.tables.row(from).data();
    hops_ = looks_.walks_.hops().row(from);
  }

  void look_at_departed() {
    for (const Departed& gone : looks_.departed_) {
      if (gone.passed.empty() || gone.passed[from_.value]) note(gone.lid.value);
    }
  }

  // Whether more entries that name the port and lead nearer here and beyond show nothing new: what
  // is nearer by two hops is another switch. Without dependencies nothing is new.
  bool is_seen(mad::PortNumber out) {
    if (dependencies_ == nullptr) return true;
    const std::uint8_t* const seen = seen_by(out.value);
    Port& port = ports_[out.value];
    while (port.unseen != port.last &&
           (port.unseen->to == from_ || seen[port.unseen->out.value] != 0)) {
      ++port.unseen;
    }
    return port.unseen == port.last;
  }

  // What is near is the only one beyond some ports; of what is far there is much of a kind. So who
  // begins with what is near has soon seen all beyond a port, wherever that stands.
  void look_nearby() {
    std::size_t few = 0;
    for (const Channel& channel : channels_) {
      few = std::max(few, survey_.topology.channels_from(channel.to).size());
    }
    find_nearest(few);
    for (const Hosts* hosts : nearest_) note_all(*hosts);
  }

  // Those that are reached by way of one other switch, or else of as few as any: if they are few.
  void find_nearest(std::size_t few) {
    nearest_.clear();
    const std::uint8_t* const own = hops_;
    const std::size_t columns = looks_.stands_apart_.size();
    constexpr std::uint8_t kNear = 2;
    std::uint8_t least = 0xFF;  // beyond kNear
    for (std::size_t c = 0; c < columns; ++c) {
      least = std::min(least, static_cast<std::uint8_t>(own[c] - kNear));
    }
    const auto hops = static_cast<std::uint8_t>(least + kNear);
    if (hops > HopColumns::kMost || hops < kNear) return;
    if (static_cast<std::size_t>(std::count(own, own + columns, hops)) > few) return;
    for (const Hosts& hosts : looks_.hosts_) {
      if (hops_to(hosts) == hops) nearest_.push_back(&hosts);
    }
  }

  std::uint8_t hops_to(const Hosts& hosts) const {
    return hosts.column == LidWalks::kNoColumn ? HopColumns::kUnknown : hops_[hosts.column];
  }

  void look_at_hosts() {
    const auto& all = looks_.hosts_;
    for (std::size_t i = 0; i < all.size();) {
      const std::size_t end = end_of_alike(i);
      if (end - i < kWorthIt) {
        for (; i < end; ++i) look_at(all[i]);
      } else {
        look_at_alike(i, end);
        i = end;
      }
    }
  }

  // Of hosts that the same ports lead nearer to, beginning with these.
  std::size_t end_of_alike(std::size_t first) const {
    const Hosts& hosts = looks_.hosts_[first];
    const std::uint8_t hops = hops_to(hosts);
    if (hops == 0 || hops == HopColumns::kUnknown) return first + 1;
    const std::uint8_t* const others = looks_.nearer_.others(from_);
    const std::uint8_t* const apart = looks_.stands_apart_.data();
    const std::size_t columns = looks_.stands_apart_.size();
    std::size_t column = hosts.column + std::size_t{1};
    while (column < columns && (others[column] | apart[column]) == 0) ++column;
    return first + (column - hosts.column);
  }

  void look_at_alike(std::size_t first, std::size_t end) {
    const auto& all = looks_.hosts_;
    const std::size_t lid = all[first].first;
    if (are_same(row_ + lid, all[end - 1].end - lid)) return look_along(first, end);
    find_nearer(all[first]);
    while (first < end) {
      const std::size_t last = end_of_like_ways(first, std::min(first + kAtOnce, end));
      look_at_many(first, last);
      first = last;
    }
  }

  // All by one port.
  void look_along(std::size_t first, std::size_t end) {
    const auto& all = looks_.hosts_;
    const std::uint8_t out = row_[all[first].first];
    const std::uint32_t column = all[first].column;
    const bool is_nearer = ports_[out].hops[column] == hops_[column] - 1;
    for (; first < end; ++first) {
      if (!is_nearer) {
        look_at(all[first]);
      } else {
        note_all_by(out, all[first]);
      }
    }
  }

  // Where one port beyond leads nearer, or several, from one of the next switches.
  std::size_t end_of_like_ways(std::size_t first, std::size_t end) const {
    const auto& all = looks_.hosts_;
    const std::uint8_t* const only = ports_[row_[all[first].first]].only + all[first].column;
    const std::uint8_t* const last = only + (end - first);
    return first + static_cast<std::size_t>(
                       std::find_if(only, last, [&](auto port) { return port != *only; }) - only);
  }

  void look_at_many(std::size_t first, std::size_t last) {
    const auto& all = looks_.hosts_;
    const std::size_t lid = all[first].first, count = all[last - 1].end - lid;
    if (fit_.holds_all(row_ + lid, count)) return;
    if (last - first < kWorthIt || !nearer_.holds_all(row_ + lid, count)) {
      for (; first < last; ++first) look_at(all[first]);
      return;
    }
    if (note_only_ways(first, last)) return;
    for (; first < last; ++first) note_all(all[first]);
    find_fit();
  }

  // Whether that is enough: where it is known by which port each next switch sends the LIDs on, all
  // by one, it matters only which of these switches are next for any.
  bool note_only_ways(std::size_t first, std::size_t last) {
    const auto& all = looks_.hosts_;
    const std::uint32_t column = all[first].column;
    if (only_beyond(row_[all[first].first], column) == kSeveral) return false;
    std::array<std::uint8_t, kPortValues> is_used{};
    const std::uint8_t* const row = row_;
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t end = all[i].end;
      for (std::size_t lid = all[i].first; lid < end; ++lid) is_used[row[lid]] = 1;
    }
    for (const Channel& channel : channels_) {
      const std::uint8_t out = channel.out.value;
      if (is_used[out] == 0) continue;
      const std::uint8_t* const only = ports_[out].only + column;
      if (*only == kSeveral || !are_same(only, last - first)) return false;
      seen_by(out)[*only] = 1;
    }
    return true;
  }

  // Ports that lead nearer.
  void find_nearer(const Hosts& hosts) {
    const int wanted = hops_[hosts.column] - 1;
    nearer_.clear();
    for (const Channel& channel : channels_) {
      if (ports_[channel.out.value].hops[hosts.column] == wanted) nearer_.add(channel.out.value);
    }
    find_fit();
  }

  // Of these, those beyond which all is seen.
  void find_fit() {
    fit_.clear();
    for (const Channel& channel : channels_) {
      if (nearer_.has(channel.out.value) && is_seen(channel.out)) fit_.add(channel.out.value);
    }
  }

  void look_at(const Hosts& hosts) {
    const std::uint8_t hops = hops_to(hosts);
    if (hops == HopColumns::kUnknown) {
      note_all(hosts);
    } else if (hops == 0 ? !arrive(hosts) : !come_nearer(hosts, hops)) {
      looks_.walks_.say_astray(hosts.column);
      is_straight_ = false;
    }
  }

  bool arrive(const Hosts& hosts) {
    note_all(hosts);
    bool all = true;
    for (std::size_t lid = hosts.first; lid < hosts.end; ++lid) {
      all = all && row_[lid] == survey_.targets[lid].out;
    }
    return all;
  }

  bool come_nearer(const Hosts& hosts, unsigned hops) {
    const std::uint8_t* const row = row_;
    const Port* const ports = ports_.data();
    if (are_same(row + hosts.first, hosts.end - hosts.first)) {
      const std::uint8_t out = row[hosts.first];
      const bool is_nearer = ports[out].hops[hosts.column] == hops - 1;
      if (is_nearer) note_all_by(out, hosts);
      return is_nearer;
    }
    const std::uint8_t* const* const beyond = beyond_.data();
    std::uint8_t* const seen = seen_.data();
    unsigned astray = 0;
    for (std::size_t lid = hosts.first, end = hosts.end; lid < end; ++lid) {
      const std::size_t out = row[lid];
      seen[out * kPortValues + beyond[out][lid]] = 1;
      astray |= ports[out].hops[hosts.column] ^ (hops - 1);
    }
    return astray == 0;
  }

  // The pairs of ports that LIDs take here and at the next switch. Stored without asking: what
  // leads nowhere is noted beside the rest, and never looked at. Bytes may be anything's: what is
  // not at hand here would be read again after each store.
  void note_all(const Hosts& hosts) {
    const std::uint8_t* const row = row_;
    const std::uint8_t* const* const beyond = beyond_.data();
    std::uint8_t* const seen = seen_.data();
    for (std::size_t lid = hosts.first, end = hosts.end; lid < end; ++lid) {
      const std::size_t out = row[lid];
      seen[out * kPortValues + beyond[out][lid]] = 1;
    }
  }

  // By one port that leads nearer.
  void note_all_by(std::uint8_t out, const Hosts& hosts) {
    const std::uint8_t only = only_beyond(out, hosts.column);
    if (only != kSeveral) {
      seen_by(out)[only] = 1;
    } else {
      note_all(hosts);
    }
  }

  // The port by which the next switch sends these LIDs on, if it is straight; kSeveral if it may be
  // several.
  std::uint8_t only_beyond(std::uint8_t out, std::uint32_t column) const {
    return column == LidWalks::kNoColumn ? kSeveral : ports_[out].only[column];
  }

  void note(std::size_t lid) { seen_by(row_[lid])[beyond_[row_[lid]][lid]] = 1; }

  // Where all switches' own LIDs arrive, no entry leads to a switch that leads back.
  void look_at_switches() {
    if (looks_.walks_.has_faults()) return note_switches();
    fit_.clear();
    for (const Channel& channel : channels_) {
      if (is_seen(channel.out)) fit_.add(channel.out.value);
    }
    const auto& lids = looks_.switch_lids_;
    for (std::size_t first = 0; first < lids.size(); first += 64) {
      const std::size_t count = std::min<std::size_t>(64, lids.size() - first);
      const bool side_by_side = lids[first + count - 1] - lids[first] == count - 1;
      if (side_by_side && fit_.holds_all(row_ + lids[first], count)) continue;
      note_switches(first, count);
    }
  }

  void note_switches() {
    const std::size_t size = looks_.switch_lids_.size();
    for (std::size_t first = 0; first < size; first += 64) {
      note_switches(first, std::min<std::size_t>(64, size - first));
    }
  }

  // Those of one word.
  void note_switches(std::size_t first, std::size_t count) {
    const std::size_t words = from_.value * survey_.forwards_words;
    std::uint64_t forwards = survey_.forwards[words + first / 64];
    const std::uint8_t* const row = row_;
    const std::uint8_t* const* const beyond = beyond_.data();
    std::uint8_t* const seen = seen_.data();
    const std::uint32_t* lid = looks_.switch_lids_.data() + first;
    for (const std::uint32_t* const last = lid + count; lid < last; ++lid, forwards >>= 1) {
      // No channel leaves by port 0, so nobody looks at what is noted there.
      const std::size_t out = row[*lid] * (forwards & 1);
      seen[out * kPortValues + beyond[out][*lid]] = 1;
    }
  }

  void set_all() {
    ChannelIndex held = survey_.topology.first_channel(from_);
    for (const Channel& channel : channels_) {
      set(held, channel);
      ++held.value;
    }
  }

  void set(ChannelIndex held, const Channel& channel) {
    const std::uint8_t* const seen = seen_by(channel.out.value);
    const auto onward = survey_.topology.channels_from(channel.to);
    for (std::size_t first = 0; first < onward.size(); first += 64) {
      const auto some = onward.subspan(first, std::min<std::size_t>(64, onward.size() - first));
      dependencies_->set_word(held, first / 64, bits_of(seen, some));
    }
  }

  // Bit i: whether what leaves by the port of onward[i] is seen. At most 64.
  static std::uint64_t bits_of(const std::uint8_t* seen, std::span<const Channel> onward) {
    std::uint64_t bits = 0;
    std::size_t i = 0;
    for (; i + kEight <= onward.size(); i += kEight) {
      const std::size_t port = onward[i].out.value;
      if (onward[i + kEight - 1].out.value != port + kEight - 1) break;
      bits |= bits_of_eight(seen + port) << i;
    }
    for (; i < onward.size(); ++i) bits |= std::uint64_t{seen[onward[i].out.value]} << i;
    return bits;
  }

  // By out port of the switch beyond: whether it is the next for some LID that takes this one here.
  std::uint8_t* seen_by(std::uint8_t out) { return seen_.data() + out * kPortValues; }

  // How many hosts' switches: for which a set of ports pays, and at once.
  static constexpr std::uint8_t kSeveral = NearerPorts::kSeveral;
  static constexpr std::size_t kWorthIt = 4;
  static constexpr std::size_t kAtOnce = 24;

  const Survey& survey_;
  const RowLooks& looks_;
  Dependencies* dependencies_;
  SwitchIndex from_{};
  bool is_straight_ = true;
  std::span<const Channel> channels_;   // from here
  const std::uint8_t* row_ = nullptr;   // entries from here
  const std::uint8_t* hops_ = nullptr;  // and hops
  std::vector<Port> ports_;
  std::array<const std::uint8_t*, kPortValues> beyond_{};  // by port: entries of the switch there
  std::vector<std::uint8_t> seen_;                         // by port, and by port of that switch
  std::vector<const Hosts*> nearest_;
  PortSet nearer_, fit_;
};

RowLooks::RowLooks(const Survey& survey, LidWalks& walks, const std::vector<Departed>& departed)
    : survey_(survey),
      walks_(walks),
      departed_(departed),
      no_row_(survey.tables.row_size(), mad::kNoPortNumber.value) {
  const std::size_t count = std::min(no_row_.size(), survey.targets.size());
  for (const LidBatch& batch : walks.batches()) {
    for (std::size_t lid = batch.first; lid < std::min(batch.end, count); ++lid) {
      if (survey.targets[lid].at == kNowhere) continue;
      if (survey.targets[lid].switch_row != kNowhere) {
        switch_lids_.push_back(static_cast<std::uint32_t>(lid));
      } else {
        const std::uint32_t at = survey.targets[lid].at;
        add_host(lid, batch.of_one_switch ? walks.column_of(at) : LidWalks::kNoColumn);
      }
    }
  }
  find_apart();
}

void RowLooks::add_host(std::size_t lid, std::uint32_t column) {
  if (hosts_.empty() || hosts_.back().end != lid || hosts_.back().column != column) {
    hosts_.push_back({lid, lid, column});
  }
  ++hosts_.back().end;
}

// By column. Those side by side are looked at together, with a switch's LID or a few between them:
// that does no harm, and mostly is no reason to look closer.
void RowLooks::find_apart() {
  constexpr std::size_t kGap = 4;
  std::vector<std::uint32_t> count(walks_.hops().pitch());
  for (const Hosts& hosts : hosts_) {
    if (hosts.column != LidWalks::kNoColumn) ++count[hosts.column];
  }
  const auto is_alone = [&](const Hosts& hosts) {
    return hosts.column != LidWalks::kNoColumn && count[hosts.column] == 1;
  };
  stands_apart_.assign(count.size(), 1);
  for (std::size_t i = 1; i < hosts_.size(); ++i) {
    const Hosts& hosts = hosts_[i];
    const Hosts& before = hosts_[i - 1];
    if (!is_alone(hosts) || !is_alone(before)) continue;
    const bool is_next = hosts.column == before.column + 1 && hosts.first - before.end <= kGap;
    stands_apart_[hosts.column] = is_next ? 0 : 1;
  }
}

void RowLooks::look(Dependencies* dependencies, const base::ParallelFor& parallel) {
  nearer_.find(survey_.topology, walks_.hops(), parallel);
  const auto order = by_neighbour(survey_.topology);
  std::vector<std::uint8_t> is_straight(order.size());
  parallel(order.size(), [&](std::size_t begin, std::size_t end) {
    Looker looker(*this, dependencies);
    for (std::size_t i = begin; i < end; ++i) {
      is_straight[order[i].value] = looker.look_from(order[i]) ? 1 : 0;
    }
  });
  if (dependencies != nullptr) look_again(is_straight, *dependencies, parallel);
}

// Entries that lead elsewhere may lead back, which was not looked for, and by other ports than the
// only one that leads nearer, which was taken for granted.
void RowLooks::look_again(const std::vector<std::uint8_t>& is_straight, Dependencies& dependencies,
                          const base::ParallelFor& parallel) {
  std::vector<SwitchIndex> again;
  for (std::uint32_t s = 0; s < is_straight.size(); ++s) {
    const auto channels = survey_.topology.channels_from(SwitchIndex{s});
    const bool all_straight =
        is_straight[s] != 0 &&
        std::all_of(channels.begin(), channels.end(),
                    [&](const Channel& channel) { return is_straight[channel.to.value] != 0; });
    if (!all_straight) again.push_back(SwitchIndex{s});
  }
  parallel(again.size(), [&](std::size_t begin, std::size_t end) {
    Looker looker(*this, &dependencies);
    for (std::size_t i = begin; i < end; ++i) looker.look_at_all_from(again[i]);
  });
}

}  // namespace heddle::fabric
