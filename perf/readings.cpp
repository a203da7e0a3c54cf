// SPDX-License-Identifier: BSD-3-Clause
#include "perf/readings.hpp"

#include <algorithm>

namespace heddle::perf {

double PortReading::rate(Counter counter) const {
  if (interval <= base::Duration{0}) return 0;
  const double grown = static_cast<double>(deltas[index(counter)]);
  return grown / std::chrono::duration<double>(interval).count();
}

double PortReading::utilisation() const {
  if (bits_per_second == 0) return 0;
  const double words = std::max(rate(Counter::TransmitData), rate(Counter::ReceiveData));
  return words * kBytesPerWord * 8 / static_cast<double>(bits_per_second);
}

const PortReading* Readings::find(mad::Guid node, mad::PortNumber number) const {
  const auto at = std::lower_bound(nodes.begin(), nodes.end(), node,
                                   [](const Node& n, mad::Guid guid) { return n.guid < guid; });
  if (at == nodes.end() || at->guid != node) return nullptr;
  const auto row = of(*at);
  const auto port = std::lower_bound(
      row.begin(), row.end(), number,
      [](const PortReading& p, mad::PortNumber wanted) { return p.number < wanted; });
  if (port == row.end() || port->number != number || port->known == 0) return nullptr;
  return &*port;
}

double PortReading::raw_ber() const {
  if (bits_per_second == 0) return 0;
  const Counter mended = knows(Counter::FECCorrectedSymbols) ? Counter::FECCorrectedSymbols
                                                             : Counter::FECCorrectedBlocks;
  return effective_ber() + rate(mended) / static_cast<double>(bits_per_second);
}

double PortReading::effective_ber() const {
  if (bits_per_second == 0) return 0;
  const double errors = rate(Counter::SymbolError) + rate(Counter::FECUncorrectedBlocks);
  return errors / static_cast<double>(bits_per_second);
}

}  // namespace heddle::perf
