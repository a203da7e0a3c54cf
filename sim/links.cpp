// SPDX-License-Identifier: BSD-3-Clause
#include "sim/links.hpp"

#include <algorithm>

#include "sim/link_kind.hpp"
#include "sim/virtual_ports.hpp"

namespace heddle::sim {
namespace {

bool may_train(const Devices& devices, PortIndex port) {
  return devices.nodes[devices.lines[port].node].powered &&
         devices.ports[port].info.port_physical_state != mad::PortPhysicalState::Disabled;
}

// The highest bit of those that both ends allow; widths are compared by what they carry, and 2x
// has the highest bit but carries less than 4x.
std::uint8_t best_width(std::uint8_t common) {
  constexpr std::uint8_t kByRank[] = {8, 4, 2, 16, 1};
  for (const std::uint8_t bit : kByRank) {
    if (common & bit) return bit;
  }
  return 0;
}

std::uint8_t highest_bit(std::uint8_t bits) {
  std::uint8_t bit = 0;
  for (unsigned shift = 0; shift < 8; ++shift) {
    if (bits & 1u << shift) bit = static_cast<std::uint8_t>(1u << shift);
  }
  return bit;
}

struct Negotiated {
  std::uint8_t width = 0;
  SpeedBits speed;  // the active bits; FDR10 is the vendor's bit beside QDR

  bool works() const { return width != 0 && (speed.speed | speed.extended) != 0; }
};

SpeedBits best_speed(const SpeedBits& common) {
  SpeedBits best{highest_bit(common.speed), highest_bit(common.extended),
                 highest_bit(common.extended2), 0};
  if (best.extended2 != 0 && best.extended == 0) best.extended2 = 0;
  const std::uint8_t qdr = speed_bits(Speed::QDR).speed;
  if (best.extended == 0 && best.speed == qdr) best.vendor = common.vendor;
  return best;
}

Negotiated negotiate(const Devices& devices, const Cable& cable) {
  const PortRegisters& a = devices.ports[cable.a];
  const PortRegisters& b = devices.ports[cable.b];
  const SpeedBits carried = speeds_up_to(cable.speed);
  const auto common = [](std::uint8_t x, std::uint8_t y, std::uint8_t z) {
    return static_cast<std::uint8_t>(x & y & z);
  };
  Negotiated result;
  result.width = best_width(
      common(a.info.link_width_enabled, b.info.link_width_enabled, widths_up_to(cable.width)));
  // A cable planned at 1x or 2x is a bad one: it never runs wider, whatever the ports allow.
  if (cable.width == Width::X1 || cable.width == Width::X2) {
    result.width &= width_bit(cable.width);
    if (result.width == 0) result.width = width_bit(cable.width);
  }
  result.speed = best_speed(
      {common(a.info.link_speed_enabled, b.info.link_speed_enabled, carried.speed),
       common(a.info.link_speed_ext_enabled, b.info.link_speed_ext_enabled, carried.extended),
       common(a.info.link_speed_ext2_enabled, b.info.link_speed_ext2_enabled, carried.extended2),
       common(a.vendor.link_speed_enabled, b.vendor.link_speed_enabled, carried.vendor)});
  return result;
}

void note_change(Devices& devices, PortIndex port) {
  const NodeIndex node = devices.lines[port].node;
  if (!devices.is_switch(node)) return;
  devices.switch_at(node).info.port_state_change = true;
  devices.changed_switches.push_back(node);
}

void bring_down(Devices& devices, PortIndex port) {
  mad::PortInfo& info = devices.ports[port].info;
  if (info.port_physical_state != mad::PortPhysicalState::Disabled) {
    info.port_physical_state = mad::PortPhysicalState::Polling;
  }
  if (devices.lines[port].state == mad::PortState::Down) return;
  devices.lines[port].state = mad::PortState::Down;
  count(devices, port, Counter::LinkDownedCounter);
  virtual_ports_follow(devices, port);
  note_change(devices, port);
}

void bring_up(Devices& devices, PortIndex port, const Negotiated& negotiated) {
  mad::PortInfo& info = devices.ports[port].info;
  info.port_physical_state = mad::PortPhysicalState::LinkUp;
  info.link_width_active = negotiated.width;
  info.link_speed_active = negotiated.speed.speed;
  info.link_speed_ext_active = negotiated.speed.extended;
  info.link_speed_ext2_active = negotiated.speed.extended2;
  devices.ports[port].vendor.link_speed_active = negotiated.speed.vendor;
  devices.lines[port].state = mad::PortState::Init;
  virtual_ports_follow(devices, port);
  note_change(devices, port);
}

}  // namespace

namespace {

bool can_be_up(const Devices& devices, const Cable& cable, const Negotiated& negotiated) {
  return !cable.cut && may_train(devices, cable.a) && may_train(devices, cable.b) &&
         negotiated.works();
}

}  // namespace

void train(Devices& devices, CableIndex index) {
  Cable& cable = devices.cables[index];
  const Negotiated negotiated = negotiate(devices, cable);
  if (!can_be_up(devices, cable, negotiated)) {
    take_down(devices, index);
    return;
  }
  if (devices.lines[cable.a].state != mad::PortState::Down) return;
  if (!devices.training_takes_time) {
    bring_up(devices, cable.a, negotiated);
    bring_up(devices, cable.b, negotiated);
    return;
  }
  for (const PortIndex port : {cable.a, cable.b}) {
    devices.ports[port].info.port_physical_state =
        mad::PortPhysicalState::PortConfigurationTraining;
  }
  ++cable.epoch;
  devices.training.push_back(index);
}

void finish_training(Devices& devices, CableIndex index, std::uint32_t epoch) {
  const Cable& cable = devices.cables[index];
  if (cable.epoch != epoch) return;
  const Negotiated negotiated = negotiate(devices, cable);
  if (!can_be_up(devices, cable, negotiated)) return;
  bring_up(devices, cable.a, negotiated);
  bring_up(devices, cable.b, negotiated);
}

void take_down(Devices& devices, CableIndex index) {
  Cable& cable = devices.cables[index];
  ++cable.epoch;
  bring_down(devices, cable.a);
  bring_down(devices, cable.b);
}

}  // namespace heddle::sim
