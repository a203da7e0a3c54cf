// SPDX-License-Identifier: BSD-3-Clause
#include "routing/lid_matrix.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/file_place.hpp"
#include "base/text.hpp"
#include "routing/balance.hpp"

namespace heddle::routing {
namespace {

using fabric::SwitchIndex;

constexpr std::uint8_t kNoHops = LidMatrix::kNoWay;

class MatrixReader {
 public:
  MatrixReader(std::string_view file, const fabric::Topology& topology,
               const CompactChannels& channels, LidMatrix& matrix)
      : place_{file, 0, {}}, topology_(topology), channels_(channels), matrix_(matrix) {
    for (std::uint32_t s = 0; s < topology.switch_count(); ++s) {
      const auto own = topology.port_of(SwitchIndex{s}, mad::PortNumber{0});
      by_port_guid_.emplace(topology.port(own).guid, s);
    }
  }

  std::optional<base::Error> read(std::string_view line) {
    ++place_.number;
    place_.line = line;
    line = base::trim(line);
    if (line.empty()) return std::nullopt;
    constexpr std::string_view kHeading = "Switch: guid ";
    if (line.substr(0, kHeading.size()) == kHeading) {
      return begin_switch(line.substr(kHeading.size()));
    }
    if (!began_)
      return place_.wrong(line, "hop counts before any switch: \"Switch: guid 0xGUID\" first");
    return read_hops(line);
  }

  void tell_unknown() {
    if (unknown_ == 0) return;
    matrix_.notes.push_back(fmt::format(
        "{} lines of the matrix are about switches that are not in the fabric", unknown_));
  }

 private:
  std::optional<base::Error> begin_switch(std::string_view guid) {
    began_ = true;
    const auto value = base::parse_hex(guid);
    if (!value)
      return place_.wrong(guid, "the node GUID of a switch is wanted here, as 0x0002c90300a1b2c3");
    at_ = find_switch(mad::Guid{*value});
    by_port_.assign(std::size_t{fabric::kMaxPortCount} + 1, kNone);
    if (!at_) return std::nullopt;
    for (std::uint32_t c = channels_.first[*at_]; c < channels_.first[*at_ + 1]; ++c) {
      by_port_[channels_.out[c]] = c;
    }
    return std::nullopt;
  }

  std::optional<base::Error> read_hops(std::string_view line) {
    const std::size_t colon = line.find(':');
    constexpr std::string_view kOwner = "# portguid ";
    const std::size_t owner = line.find(kOwner);
    if (colon == std::string_view::npos || owner == std::string_view::npos || owner < colon) {
      return place_.wrong(line, "hop counts are wanted: \"0xLID: 00 01 ... # portguid 0xGUID\"");
    }
    if (!base::parse_hex(line.substr(0, colon))) {
      return place_.wrong(line, "a LID is wanted here, as 0x0001");
    }
    const std::string_view port_guid = line.substr(owner + kOwner.size());
    const auto guid = base::parse_hex(port_guid);
    if (!guid) {
      return place_.wrong(port_guid,
                          "the port GUID of a switch is wanted here, as 0x0002c90300a1b2c3");
    }
    const auto owner_of_lid = by_port_guid_.find(mad::Guid{*guid});
    std::optional<std::uint32_t> target;
    if (owner_of_lid != by_port_guid_.end()) target = owner_of_lid->second;
    unknown_ += at_ && target ? 0 : 1;
    std::size_t port = 0;
    std::string_view rest = line.substr(colon + 1, owner - colon - 1);
    for (rest = base::trim(rest); !rest.empty(); rest = base::trim(rest), ++port) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      const auto hops = base::parse_hex(rest.substr(0, end));
      if (!hops || *hops > kNoHops) {
        return place_.wrong(rest, "a hop count is wanted here, 00 to ff in hexadecimal");
      }
      if (port > fabric::kMaxPortCount) {
        return place_.wrong(rest, "a switch has no more than 254 ports, and one count for each");
      }
      rest.remove_prefix(end);
      if (!at_ || !target || by_port_[port] == kNone) continue;
      matrix_.hops[*target * channels_.count() + by_port_[port]] = static_cast<std::uint8_t>(*hops);
    }
    return std::nullopt;
  }

  std::optional<std::uint32_t> find_switch(mad::Guid guid) const {
    const auto node = topology_.find_node(guid);
    if (!node || !topology_.is_switch(*node)) return std::nullopt;
    return node->value;
  }

  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  base::FilePlace place_;
  const fabric::Topology& topology_;
  const CompactChannels& channels_;
  LidMatrix& matrix_;
  std::unordered_map<mad::Guid, std::uint32_t> by_port_guid_;  // switches
  std::size_t unknown_ = 0;
  bool began_ = false;
  std::optional<std::uint32_t> at_;     // the switch in hand, if the fabric has it
  std::vector<std::uint32_t> by_port_;  // its channels
};

class MatrixWays : public WayFinder {
 public:
  MatrixWays(const fabric::Topology& topology, const CompactChannels& channels,
             const LidMatrix& matrix)
      : channels_(channels), matrix_(matrix), ways_(topology), least_(topology.switch_count()) {}

  const Ways& toward(SwitchIndex target) override {
    const std::uint8_t* hops = matrix_.hops.data() + target.value * channels_.count();
    for (std::uint32_t s = 0; s < least_.size(); ++s) {
      least_[s] = kNoHops;
      for (std::uint32_t c = channels_.first[s]; c < channels_.first[s + 1]; ++c) {
        least_[s] = std::min(least_[s], hops[c]);
      }
    }
    least_[target.value] = 0;
    order_.clear();
    for (std::uint32_t s = 0; s < least_.size(); ++s) {
      if (least_[s] != kNoHops && s != target.value) order_.push_back(s);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return least_[a] < least_[b]; });
    ways_.clear();
    ways_.add_switch(target);
    // Nearest first, so whether the next switch arrives is known; who does not is as good as away.
    for (const std::uint32_t at : order_) {
      bool arrives = false;
      for (std::uint32_t c = channels_.first[at]; c < channels_.first[at + 1]; ++c) {
        const std::uint32_t next = channels_.to[c];
        if (hops[c] != least_[at] || least_[next] >= least_[at]) continue;
        ways_.offer(SwitchIndex{at}, static_cast<std::uint8_t>(c - channels_.first[at]));
        arrives = true;
      }
      if (arrives) ways_.add_switch(SwitchIndex{at});
      if (!arrives) least_[at] = kNoHops;
    }
    return ways_;
  }

 private:
  const CompactChannels& channels_;
  const LidMatrix& matrix_;
  Ways ways_;
  std::vector<std::uint8_t> least_;  // by switch
  std::vector<std::uint32_t> order_;
};

}  // namespace

base::Result<LidMatrix> parse_lid_matrix(std::string_view text, std::string_view file,
                                         const fabric::Topology& topology,
                                         const CompactChannels& channels) {
  LidMatrix matrix;
  if (topology.switch_count() * channels.count() > kMaxMatrixCells) {
    return base::error(fmt::format("{}: the fabric has more than {} pairs of switch and link", file,
                                   kMaxMatrixCells));
  }
  matrix.hops.assign(topology.switch_count() * channels.count(), kNoHops);
  MatrixReader reader(file, topology, channels, matrix);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (auto error = reader.read(text.substr(0, end))) return *error;
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  reader.tell_unknown();
  return matrix;
}

fabric::ForwardingTables matrix_tables(const Request& request, const LidMatrix& matrix,
                                       const CompactChannels& channels) {
  return balanced_tables(request, channels, [&] {
    return std::make_unique<MatrixWays>(request.topology, channels, matrix);
  });
}

std::string lid_matrix_text(const fabric::Topology& topology, const fabric::LidMap& lids,
                            SwitchIndex from,
                            const std::vector<std::vector<std::uint8_t>>& distances) {
  std::string text = fmt::format("Switch: guid 0x{:016x}\n", topology.node(from).guid.value);
  for (std::uint32_t to = 0; to < topology.switch_count(); ++to) {
    const auto own = topology.port_of(SwitchIndex{to}, mad::PortNumber{0});
    if (lids.base(own) == mad::kNoLid) continue;
    text += fmt::format("0x{:04x}: {:02x}", lids.base(own).value, distances[to][from.value]);
    for (unsigned port = 1; port <= topology.node(from).port_count; ++port) {
      const auto channel =
          topology.channel_by_port(from, mad::PortNumber{static_cast<std::uint8_t>(port)});
      const std::uint8_t ahead = channel == fabric::kNoChannel
                                     ? kNoHops
                                     : distances[to][topology.channels()[channel.value].to.value];
      text += fmt::format(" {:02x}", ahead >= kNoHops - 1 ? kNoHops : ahead + 1);
    }
    text += fmt::format(" # portguid 0x{:016x}\n", topology.port(own).guid.value);
  }
  return text;
}

}  // namespace heddle::routing
