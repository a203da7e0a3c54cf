// SPDX-License-Identifier: BSD-3-Clause
// The class tree, in the formats of Linux' ib_core.
#include <array>
#include <cstring>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "doors/device/host_plan.hpp"
#include "doors/kernel/user_mad.hpp"
#include "mad/link.hpp"
#include "mad/p_key_table.hpp"
#include "sim/counters.hpp"
#include "sim/virtual_ports.hpp"

namespace heddle::doors {
namespace {

// What Linux calls them, by number.
constexpr std::array<std::string_view, 4> kNodeTypes{"", "CA", "switch", "router"};
constexpr std::array<std::string_view, 5> kStates{"NOP", "DOWN", "INIT", "ARMED", "ACTIVE"};
constexpr std::array<std::string_view, 8> kPhysicalStates{"",
                                                          "Sleep",
                                                          "Polling",
                                                          "Disabled",
                                                          "PortConfigurationTraining",
                                                          "LinkUp",
                                                          "LinkErrorRecovery",
                                                          "Phy Test"};
constexpr unsigned kUmadMajor = 231;
constexpr unsigned kFirstIsSmMinor = 64;

// counters/NAME, as Linux reads them from the port's own PMA: the old errors in few bits from
// PortCounters, what is 64 bits wide from PortCountersExtended.
struct CounterFile {
  const char* name;
  sim::Counter counter;
  sim::Register reg;
  unsigned bits;
};
using sim::Counter;
constexpr auto kNarrow = sim::Register::Narrow;
constexpr auto kWide = sim::Register::Wide;
constexpr CounterFile kCounterFiles[] = {
    {"symbol_error", Counter::SymbolErrorCounter, kNarrow, 16},
    {"link_error_recovery", Counter::LinkErrorRecoveryCounter, kNarrow, 8},
    {"link_downed", Counter::LinkDownedCounter, kNarrow, 8},
    {"port_rcv_errors", Counter::PortRcvErrors, kNarrow, 16},
    {"port_rcv_remote_physical_errors", Counter::PortRcvRemotePhysicalErrors, kNarrow, 16},
    {"port_rcv_switch_relay_errors", Counter::PortRcvSwitchRelayErrors, kNarrow, 16},
    {"port_xmit_discards", Counter::PortXmitDiscards, kNarrow, 16},
    {"port_xmit_constraint_errors", Counter::PortXmitConstraintErrors, kNarrow, 8},
    {"port_rcv_constraint_errors", Counter::PortRcvConstraintErrors, kNarrow, 8},
    {"local_link_integrity_errors", Counter::LocalLinkIntegrityErrors, kNarrow, 4},
    {"excessive_buffer_overrun_errors", Counter::ExcessiveBufferOverrunErrors, kNarrow, 4},
    {"VL15_dropped", Counter::VL15Dropped, kNarrow, 16},
    {"port_xmit_wait", Counter::PortXmitWait, kNarrow, 32},
    {"port_xmit_data", Counter::PortXmitData, kWide, 64},
    {"port_rcv_data", Counter::PortRcvData, kWide, 64},
    {"port_xmit_packets", Counter::PortXmitPkts, kWide, 64},
    {"port_rcv_packets", Counter::PortRcvPkts, kWide, 64},
    {"unicast_xmit_packets", Counter::PortUnicastXmitPkts, kWide, 64},
    {"unicast_rcv_packets", Counter::PortUnicastRcvPkts, kWide, 64},
    {"multicast_xmit_packets", Counter::PortMulticastXmitPkts, kWide, 64},
    {"multicast_rcv_packets", Counter::PortMulticastRcvPkts, kWide, 64},
};

template <std::size_t N>
std::string numbered(const std::array<std::string_view, N>& names, std::size_t number) {
  return fmt::format("{}: {}\n", number, number < N ? names[number] : "<unknown>");
}

std::string guid_text(std::uint64_t guid) {
  return fmt::format("{:04x}:{:04x}:{:04x}:{:04x}", guid >> 48, guid >> 32 & 0xffff,
                     guid >> 16 & 0xffff, guid & 0xffff);
}

// Gb/s of data on one lane, tenfold, as Linux counts it (encoding taken off up to QDR).
unsigned lane_rate10(mad::LinkSpeed speed) {
  constexpr std::array<unsigned, 9> kRates{25, 50, 100, 100, 140, 250, 500, 1000, 2000};
  return kRates[static_cast<std::size_t>(speed)];
}

std::string rate_text(const mad::PortInfo& info) {
  const mad::LinkSpeedEntry& speed =
      mad::entry(mad::active_speed(info).value_or(mad::LinkSpeed::SDR));
  const mad::LinkWidthEntry& width =
      mad::entry(mad::active_width(info).value_or(mad::LinkWidth::X4));
  const unsigned rate = lane_rate10(speed.speed) * width.lanes;
  return fmt::format("{}{} Gb/sec ({}X {})\n", rate / 10, rate % 10 == 5 ? ".5" : "", width.lanes,
                     speed.name);
}

// The registers of one port, looked at anew each time.
struct PortLook {
  const sim::World* world;
  sim::PortIndex port;

  const sim::Devices& devices() const { return world->devices(); }
  const mad::PortInfo& info() const { return devices().ports[port].info; }

  mad::PortState state() const {
    // Port 0 of a switch has no link and no line of its own that could go down.
    const sim::NodeIndex node = devices().lines[port].node;
    return devices().is_switch(node) ? mad::PortState::Active : devices().lines[port].state;
  }

  std::string gid(unsigned index) const {
    const auto gid = sim::gid_at(devices(), port, index);
    return fmt::format("{}:{}\n", guid_text(info().gid_prefix.value),
                       guid_text(gid ? gid->guid.value : 0));
  }

  std::uint16_t p_key(unsigned index) const {
    const auto block = world->look(port, mad::AttributeId::PKeyTable,
                                   static_cast<std::uint32_t>(index / mad::kPKeysPerBlock));
    if (!block) return 0;
    return mad::decode<mad::PKeyTable>(*block).p_keys[index % mad::kPKeysPerBlock].value;
  }
};

void add_tables(Tree& tree, Inode folder, const PortLook& look, unsigned p_keys) {
  const Inode gids = tree.add_folder(folder, "gids");
  // The GUID table, and behind it virtual ports, as many as there may be.
  const auto& guests = look.devices().ports[look.port].virtual_ports;
  const unsigned count = look.info().guid_cap + (guests ? guests->cap - 1u : 0u);
  for (unsigned index = 0; index < count; ++index) {
    tree.add_text(gids, std::to_string(index), [look, index] { return look.gid(index); });
  }
  const Inode keys = tree.add_folder(folder, "pkeys");
  for (unsigned index = 0; index < p_keys; ++index) {
    tree.add_text(keys, std::to_string(index),
                  [look, index] { return fmt::format("0x{:04x}\n", look.p_key(index)); });
  }
}

void add_counters(Tree& tree, Inode folder, const PortLook& look) {
  const Inode here = tree.add_folder(folder, "counters");
  for (const CounterFile& file : kCounterFiles) {
    tree.add_text(here, file.name, [look, &file] {
      return fmt::format(
          "{}\n", sim::shown_in(look.devices(), look.port, file.counter, file.reg, file.bits));
    });
  }
}

void add_port(Tree& tree, Inode ports, const PortLook& look, std::uint8_t number, unsigned p_keys) {
  const Inode folder = tree.add_folder(ports, std::to_string(number));
  const auto text = [&](const char* name, auto make) {
    tree.add_text(folder, name, [look, make] { return make(look); });
  };
  text("lid", [](const PortLook& l) { return fmt::format("0x{:x}\n", l.info().lid.value); });
  text("lid_mask_count", [](const PortLook& l) { return fmt::format("{}\n", l.info().lmc); });
  text("sm_lid",
       [](const PortLook& l) { return fmt::format("0x{:x}\n", l.info().master_sm_lid.value); });
  text("sm_sl", [](const PortLook& l) { return fmt::format("{}\n", l.info().master_sm_sl.value); });
  text("state",
       [](const PortLook& l) { return numbered(kStates, static_cast<std::size_t>(l.state())); });
  text("phys_state", [](const PortLook& l) {
    return numbered(kPhysicalStates, static_cast<std::size_t>(l.info().port_physical_state));
  });
  text("rate", [](const PortLook& l) { return rate_text(l.info()); });
  text("cap_mask",
       [](const PortLook& l) { return fmt::format("0x{:08x}\n", l.info().capability_mask); });
  text("link_layer", [](const PortLook&) { return std::string("InfiniBand\n"); });
  add_tables(tree, folder, look, p_keys);
  add_counters(tree, folder, look);
}

void add_device(Tree& tree, Inode folder, const sim::World& world, const HostDevice& device) {
  const sim::Device& node = world.devices().nodes[device.node];
  const Inode here = tree.add_folder(folder, device.name);
  const auto constant = [&](const char* name, std::string value) {
    tree.add_text(here, name, [value = std::move(value) + "\n"] { return value; });
  };
  constant("node_type", fmt::format("{}: {}", static_cast<int>(node.type),
                                    kNodeTypes.at(static_cast<std::size_t>(node.type))));
  constant("node_guid", guid_text(node.info.node_guid.value));
  constant("sys_image_guid", guid_text(node.info.system_image_guid.value));
  constant("fw_ver", "1.0.0");
  constant("hw_rev", fmt::format("0x{:x}", node.info.revision));
  constant("hca_type", fmt::format("MT{}", node.info.device_id));
  constant("board_id", "HEDDLE0000000001");
  tree.add_text(here, "node_desc", [plan = &world, index = device.node] {
    return base::printable(plan->devices().plan.nodes[index].description) + "\n";
  });
  const Inode ports = tree.add_folder(here, "ports");
  for (const HostPort& port : device.ports) {
    add_port(tree, ports, {&world, port.endpoint}, port.number, node.info.partition_cap);
  }
}

void add_umad(Tree& tree, Inode folder, const std::string& name, unsigned minor,
              const HostDevice& device, const HostPort& port) {
  const Inode here = tree.add_folder(folder, name);
  const auto constant = [&](const char* file, std::string value) {
    tree.add_text(here, file, [value = std::move(value) + "\n"] { return value; });
  };
  constant("ibdev", device.name);
  constant("port", std::to_string(port.number));
  constant("dev", fmt::format("{}:{}", kUmadMajor, minor));
}

}  // namespace

Tree make_host_tree(const sim::World& world, const HostPlan& plan) {
  Tree tree;
  const Inode dev = tree.add_folder(kRootInode, "dev");
  const Inode classes = tree.add_folder(kRootInode, "class");
  const Inode infiniband = tree.add_folder(classes, "infiniband");
  const Inode umads = tree.add_folder(classes, "infiniband_mad");
  tree.add_text(umads, "abi_version", [] { return fmt::format("{}\n", kernel::kUmadAbiVersion); });
  unsigned number = 0;
  for (const HostDevice& device : plan.devices) {
    add_device(tree, infiniband, world, device);
    for (const HostPort& port : device.ports) {
      const std::string umad = fmt::format("umad{}", number);
      const std::string is_sm = fmt::format("issm{}", number);
      tree.add_device(dev, umad, Tree::Kind::Umad, number);
      tree.add_device(dev, is_sm, Tree::Kind::IsSm, number);
      add_umad(tree, umads, umad, number, device, port);
      add_umad(tree, umads, is_sm, kFirstIsSmMinor + number, device, port);
      ++number;
    }
  }
  return tree;
}

}  // namespace heddle::doors
