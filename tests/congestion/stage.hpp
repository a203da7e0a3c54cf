// SPDX-License-Identifier: BSD-3-Clause
// The congestion control manager on a simulated fabric that is up, in virtual time. What devices
// hold is read from the simulated devices, not from the machine.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "congestion/machine.hpp"
#include "sim/world.hpp"
#include "tests/sim/tiny_manager.hpp"

namespace heddle::test {

class CongestionStage {
 public:
  explicit CongestionStage(std::string_view fabric, congestion::Options options = {});

  // All devices with a LID.
  std::shared_ptr<const congestion::Picture> picture() const;
  void give(std::shared_ptr<const congestion::Picture> picture);
  void give() { give(picture()); }
  void change(congestion::Options options);
  void tell_of_return(std::string_view node);

  // Until so many more checks of all devices are over, one hour of virtual time at most.
  void run_checks(unsigned count);
  void run_for(base::Duration time);

  const congestion::Report& report() const { return *published.back(); }
  const congestion::AgentReport& agent(std::string_view node) const;
  std::uint32_t node(std::string_view name) const { return *world.find_node(name); }
  mad::Guid guid(std::string_view name) const {
    return world.devices().plan.nodes[node(name)].guid;
  }

  // What the device holds: the attribute as it was written last, zero if nobody did.
  template <class T>
  T held(std::string_view name, mad::CongestionAttributeId attribute, std::uint32_t block = 0,
         std::size_t offset = 0) const {
    return congestion::decode_at<T>(bytes(name, attribute, block), offset);
  }
  congestion::Data bytes(std::string_view name, mad::CongestionAttributeId attribute,
                         std::uint32_t block) const;
  mad::CongestionKeyInfo key_of(std::string_view name) const;
  // As somebody else writes it, with that key.
  template <class T>
  void write(std::string_view name, mad::CongestionAttributeId attribute, const T& value,
             mad::CCKey key = {}, std::uint32_t block = 0) {
    auto mad = congestion::request(mad::Method::Set, attribute, block, kForeign, key);
    congestion::encode_at(mad.data, 0, value);
    deliver(name, mad);
  }
  // All devices off and on again at once, all registers lost; they have their LIDs afterwards.
  void restart_all();

  std::size_t writes() const;  // Sets that went out

  sim::World world;
  sim::TinyManager manager;
  congestion::Machine machine;
  base::Instant now{};
  std::vector<std::shared_ptr<const congestion::Report>> published;
  struct Sent {
    base::Instant when{};
    congestion::CongestionMad mad;
    mad::Lid to{};
  };
  std::vector<Sent> sent;
  std::size_t most_in_flight = 0;
  // Changes an answer, or keeps it back by returning false.
  std::function<bool(mad::Datagram&, congestion::CongestionMad&)> on_answer;

 private:
  static constexpr std::uint32_t kForeign = 0x8000'0000;
  void deliver(std::string_view name, const congestion::CongestionMad& mad);
  sim::PortIndex port_of(std::string_view name) const;
  void step(congestion::Input input);
  void turn();

  std::size_t in_flight_ = 0;
};

}  // namespace heddle::test
