// SPDX-License-Identifier: BSD-3-Clause
// A fabric that a tiny manager brought up, with registers that tests may spoil.
#pragma once

#include <initializer_list>
#include <string_view>

#include "mad/multicast_forwarding_table.hpp"
#include "mad/p_key_table.hpp"
#include "sim/walker.hpp"
#include "tests/sim/tiny_manager.hpp"

namespace heddle::sim {

inline constexpr mad::Lid kGroup{0xC000};

class Stage {
 public:
  explicit Stage(std::string_view fabric)
      : world_(generate_fabric(fabric).value(), {}), manager_(world_, *world_.default_endpoint()) {
    manager_.bring_up();
  }

  Devices& devices() { return const_cast<Devices&>(world_.devices()); }
  PortIndex port(std::string_view node, std::uint8_t number = 1) {
    return devices().port_at(*world_.find_node(node), number);
  }
  NodeIndex node(std::string_view name) { return *world_.find_node(name); }
  mad::Lid lid(PortIndex at) { return manager_.lids.at(at); }
  SwitchRegisters& registers(std::string_view name) { return devices().switch_at(node(name)); }

  Packet to(std::string_view host) {
    Packet packet;
    packet.dlid = lid(port(host));
    return packet;
  }
  Walk go(std::string_view from, const Packet& packet) {
    return walk(devices(), port(from), packet);
  }

  void set_multicast(std::string_view name, std::initializer_list<unsigned> ports) {
    for (const unsigned number : ports) {
      const mad::PortNumber port{static_cast<std::uint8_t>(number)};
      auto& data =
          registers(name)
              .multicast[{static_cast<std::uint8_t>(mad::mft_position_of(port)), std::uint16_t{0}}];
      auto table = mad::decode<mad::MulticastForwardingTable>(data);
      table.port_masks[mad::mft_entry_of(kGroup)] |= mad::mft_bit_of(port);
      mad::encode(table, std::span(data));
    }
  }

  void set_keys(PortIndex at, std::initializer_list<std::uint16_t> keys) {
    mad::PKeyTable table;
    std::size_t entry = 0;
    for (const std::uint16_t key : keys) table.p_keys[entry++] = mad::PKey{key};
    mad::encode(table, std::span(devices().tables(at).p_keys[0]));
  }

 private:
  World world_;
  TinyManager manager_;
};

}  // namespace heddle::sim
