// SPDX-License-Identifier: BSD-3-Clause
// Loops over a frozen topology that read what was observed of each port: no cache holds it all, so
// that of the next ports is fetched while one is worked on. Use as a range:
//
//   for (const PortIndex port : all_ports(observation, frozen)) ...
//
// Observation and topology stay as they are meanwhile, but for the values of ports.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/prefetch.hpp"
#include "fabric/observation.hpp"

namespace heddle::fabric {

// Order: size(topology), at(topology, number), and whether what the port's node said of itself is
// fetched, too.
template <class Order>
class Walk {
 public:
  Walk(const Observation& observation, const Frozen& frozen)
      : observation_(observation), frozen_(frozen) {
    for (std::size_t i = 0; i < base::kAhead && i < size(); ++i) fetch_at(i);
  }

  class Iterator {
   public:
    Iterator(const Walk& walk, std::size_t at) : walk_(walk), at_(at) {}
    PortIndex operator*() const {
      if (at_ + base::kAhead < walk_.size()) walk_.fetch_at(at_ + base::kAhead);
      return Order::at(*walk_.frozen_.topology, at_);
    }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const Walk& walk_;
    std::size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  std::size_t size() const { return Order::size(*frozen_.topology); }
  void fetch_at(std::size_t at) const {
    const ObservedEnd end = frozen_.end_of[Order::at(*frozen_.topology, at).value];
    base::prefetch(&observation_.port(end));
    if (Order::kWithNodes) base::prefetch(&observation_[end.node].info);
  }

  const Observation& observation_;
  const Frozen& frozen_;
};

struct OrderOfPorts {
  static constexpr bool kWithNodes = false;
  static std::size_t size(const Topology& topology) { return topology.port_count(); }
  static PortIndex at(const Topology&, std::size_t at) {
    return PortIndex{static_cast<std::uint32_t>(at)};
  }
};
struct OrderOfEndports : OrderOfPorts {
  static constexpr bool kWithNodes = true;
  static std::size_t size(const Topology& topology) { return topology.endports().size(); }
  static PortIndex at(const Topology& topology, std::size_t at) { return topology.endports()[at]; }
};

// By PortIndex.
inline Walk<OrderOfPorts> all_ports(const Observation& observation, const Frozen& frozen) {
  return {observation, frozen};
}
inline Walk<OrderOfEndports> all_endports(const Observation& observation, const Frozen& frozen) {
  return {observation, frozen};
}

}  // namespace heddle::fabric
