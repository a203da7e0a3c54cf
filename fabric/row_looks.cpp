// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/row_looks.hpp"

#include <algorithm>
#include <array>

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

}  // namespace

// Scratch memory: one per thread.
class RowLooks::Looker {
 public:
  Looker(const RowLooks& looks, Dependencies* dependencies)
      : survey_(looks.survey_), looks_(looks), dependencies_(dependencies), ports_(kPortValues) {}

  void look_from(SwitchIndex from) {
    const auto channels = survey_.topology.channels_from(from);
    for (Port& port : ports_) {
      port.entries = looks_.no_row_.data();
      port.hops = looks_.walks_.hops().no_row();
    }
    for (const Channel& channel : channels) {
      Port& port = ports_[channel.out.value];
      port.entries = survey_.tables.row(channel.to).data();
      port.hops = looks_.walks_.hops().row(channel.to);
      port.seen.fill(0);
    }
    row_ = survey_.tables.row(from).data();
    hops_ = looks_.walks_.hops().row(from);
    look_at_departed(from);
    for (const Hosts& hosts : looks_.hosts_) look_at(hosts);
    look_at_switches(from);
    if (dependencies_ == nullptr) return;
    ChannelIndex held = survey_.topology.first_channel(from);
    for (const Channel& channel : channels) {
      add(held, channel);
      ++held.value;
    }
  }

 private:
  struct Port {
    // By out port of the switch beyond: whether it is the next for some LID that takes this one.
    std::array<std::uint8_t, kPortValues> seen{};
    const std::uint8_t* entries = nullptr;  // of that switch, by LID
    const std::uint8_t* hops = nullptr;     // and by column
  };

  void look_at_departed(SwitchIndex from) {
    for (const Departed& gone : looks_.departed_) {
      if (gone.passed.empty() || gone.passed[from.value]) note(gone.lid.value);
    }
  }

  void look_at(const Hosts& hosts) {
    const std::uint8_t hops =
        hosts.column == LidWalks::kNoColumn ? HopColumns::kUnknown : hops_[hosts.column];
    if (hops == HopColumns::kUnknown) {
      for (std::size_t lid = hosts.first; lid < hosts.end; ++lid) note(lid);
    } else if (hops == 0 ? !arrive(hosts) : !come_nearer(hosts, hops)) {
      looks_.walks_.say_astray(hosts.column);
    }
  }

  bool arrive(const Hosts& hosts) {
    bool all = true;
    for (std::size_t lid = hosts.first; lid < hosts.end; ++lid) {
      note(lid);
      all = all && row_[lid] == survey_.targets[lid].out;
    }
    return all;
  }

  // Bytes may be anything's: what is not at hand here would be read again after each store.
  bool come_nearer(const Hosts& hosts, unsigned hops) {
    const std::uint8_t* const row = row_;
    Port* const ports = ports_.data();
    const std::uint32_t column = hosts.column;
    const unsigned wanted = hops - 1;
    unsigned astray = 0;
    for (std::size_t lid = hosts.first, end = hosts.end; lid < end; ++lid) {
      Port& port = ports[row[lid]];
      astray |= port.hops[column] ^ wanted;
      port.seen[port.entries[lid]] = 1;
    }
    return astray == 0;
  }

  void look_at_switches(SwitchIndex from) {
    const std::uint64_t* word = survey_.forwards.data() + from.value * survey_.forwards_words;
    const std::uint8_t* const row = row_;
    Port* const ports = ports_.data();
    const std::uint32_t* lid = looks_.switch_lids_.data();
    const std::uint32_t* const end = lid + looks_.switch_lids_.size();
    for (; lid < end; ++word) {
      const std::uint32_t* const last = lid + std::min<std::ptrdiff_t>(64, end - lid);
      for (std::uint64_t forwards = *word; lid < last; ++lid, forwards >>= 1) {
        // No channel leaves by port 0, so nobody looks at what is noted there.
        Port& port = ports[row[*lid] * (forwards & 1)];
        port.seen[port.entries[*lid]] = 1;
      }
    }
  }

  // The pair of ports that a LID takes here and at the next switch. Stored without asking: what
  // leads nowhere is noted beside the rest, and never looked at.
  void note(std::size_t lid) {
    Port& port = ports_[row_[lid]];
    port.seen[port.entries[lid]] = 1;
  }

  void add(ChannelIndex held, const Channel& channel) {
    const auto& seen = ports_[channel.out.value].seen;
    const auto onward = survey_.topology.channels_from(channel.to);
    for (std::size_t first = 0; first < onward.size(); first += 64) {
      const std::size_t count = std::min<std::size_t>(64, onward.size() - first);
      std::uint64_t word = 0;
      for (std::size_t i = 0; i < count; ++i) {
        word |= std::uint64_t{seen[onward[first + i].out.value]} << i;
      }
      dependencies_->add_word(held, first / 64, word);
    }
  }

  const Survey& survey_;
  const RowLooks& looks_;
  Dependencies* dependencies_;
  const std::uint8_t* row_ = nullptr;   // entries from here
  const std::uint8_t* hops_ = nullptr;  // and hops
  std::vector<Port> ports_;
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
}

void RowLooks::add_host(std::size_t lid, std::uint32_t column) {
  if (hosts_.empty() || hosts_.back().end != lid || hosts_.back().column != column) {
    hosts_.push_back({lid, lid, column});
  }
  ++hosts_.back().end;
}

void RowLooks::look(Dependencies* dependencies, const base::ParallelFor& parallel) {
  const auto order = by_neighbour(survey_.topology);
  parallel(order.size(), [&](std::size_t begin, std::size_t end) {
    Looker looker(*this, dependencies);
    for (std::size_t i = begin; i < end; ++i) looker.look_from(order[i]);
  });
}

}  // namespace heddle::fabric
