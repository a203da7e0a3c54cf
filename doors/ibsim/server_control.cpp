// SPDX-License-Identifier: BSD-3-Clause
// Control messages: who comes, who goes, and what a client asks about its port when it starts.
#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "doors/ibsim/server.hpp"
#include "mad/port_info.hpp"

namespace heddle::doors::ibsim {

std::optional<sim::EndpointId> find_seat(const sim::World& world, const std::string& wish) {
  if (wish.empty()) return world.default_endpoint();
  if (const auto whole = world.find_endpoint(wish)) return whole;
  const std::size_t colon = wish.rfind(':');
  if (colon != std::string::npos) {
    const auto port = base::parse_number(wish.substr(colon + 1), 254);
    if (port) {
      const auto one = world.find_endpoint(wish.substr(0, colon), static_cast<std::uint8_t>(*port));
      if (one) return one;
    }
  }
  if (wish.size() < kNodeIdBytes - 1) return std::nullopt;
  const sim::PlannedNode* only = nullptr;
  for (const sim::PlannedNode& node : world.devices().plan.nodes) {
    if (!node.name.starts_with(wish) && !node.description.starts_with(wish)) continue;
    if (only != nullptr) return std::nullopt;
    only = &node;
  }
  return only == nullptr ? std::nullopt : world.find_endpoint(only->name);
}

void Server::read_control(Gate& gate) {
  constexpr int kMostInARow = 64;
  std::array<std::byte, kControlBytes + 1> buffer{};
  SocketAddress from;
  std::size_t length = 0;
  for (int i = 0; i < kMostInARow && gate.socket.receive_from(buffer, length, from); ++i) {
    const auto control = decode_control(std::span<const std::byte>(buffer).first(length));
    if (control.has_error()) {
      ++counters_.garbage_control;
      continue;
    }
    const auto reply = answer(*control, from, gate);
    if (reply) gate.socket.send_to(encode_control(*reply), from);
  }
  gate.socket.when_readable([this, &gate, alive = alive_] {
    if (*alive) read_control(gate);
  });
}

void Server::refuse(const std::string& why) {
  ++counters_.refused;
  say_(why);
}

std::optional<Control> Server::answer(const Control& control, const SocketAddress& from,
                                      Gate& gate) {
  Control reply = control;
  std::optional<ControlData> data;
  const auto known = clients_.find(control.client);
  const bool own = known != clients_.end() && known->second->control() == from;
  if (control.type == ControlType::Connect) {
    data = answer_connect(control, from, gate);
  } else if (!own) {
    ++counters_.garbage_control;
  } else if (control.type == ControlType::Disconnect) {
    ++counters_.left;
    say_(fmt::format("client {} on {} has left", known->first, known->second->node()));
    remove(known->first);
    data = control.data;
  } else if (control.type == ControlType::SetIsSm) {
    Client& client = *known->second;
    client.set_is_sm(decode_is_sm(control.data));
    host_.set_is_sm(client.port(), client, client.is_sm());
    data = control.data;
  } else {
    data = answer_about_port(control, *known->second);
  }
  if (data) {
    reply.data = *data;
  } else {
    reply.type = ControlType::Error;
  }
  return reply;
}

// libumad2sim binds BASE:ctlPID and BASE:inPID; by UDP it tells the port of the second.
std::optional<SocketAddress> Server::data_address(const ClientInfo& info,
                                                  const SocketAddress& from) const {
  if (from.is_udp()) {
    if (info.id == 0 || info.id > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
    return from.with_port(static_cast<std::uint16_t>(info.id));
  }
  const auto control = SocketAddress::local(fmt::format("{}:ctl{}", options_.socket_name, info.id));
  if (control.has_error() || !(*control == from)) return std::nullopt;
  const auto data = SocketAddress::local(fmt::format("{}:in{}", options_.socket_name, info.id));
  return data.has_error() ? std::nullopt : std::optional(*data);
}

std::optional<ControlData> Server::answer_connect(const Control& control, const SocketAddress& from,
                                                  Gate& gate) {
  ClientInfo info = decode_client_info(control.data);
  const auto data = data_address(info, from);
  if (!data) {
    refuse(fmt::format("{} was refused: it is not who it says", from.text()));
    return std::nullopt;
  }
  // The program before it with this pid or port is no more, or begins anew.
  for (const auto& [index, client] : clients_) {
    if (!(client->data() == *data)) continue;
    ++counters_.reaped;
    remove(index);
    break;
  }
  const auto port = find_seat(host_.world(), info.node);
  if (!port) {
    refuse(fmt::format("{} was refused: the fabric has no host or switch '{}' (SIM_HOST)",
                       from.text(), base::printable(info.node)));
    return std::nullopt;
  }
  const sim::Devices& devices = host_.world().devices();
  const std::string& node = devices.plan.nodes[devices.lines[*port].node].name;
  const auto client = seat({*port, node}, from, *data, gate);
  if (!client) return std::nullopt;
  client->set_is_sm(info.is_sm);
  host_.set_is_sm(client->port(), *client, info.is_sm);
  info.id = client->tag() - 1u;
  info.node = node;
  return encode_client_info(info);
}

// On the lowest number that is free and whose socket can be bound: somebody else may have one of
// our names or ports.
std::shared_ptr<Client> Server::seat(Client::Place place, const SocketAddress& control,
                                     const SocketAddress& data, Gate& gate) {
  std::string why = fmt::format("there are {} clients already", kMostClients);
  for (std::uint32_t index = 0; index < kMostClients; ++index) {
    if (clients_.contains(index)) continue;
    const std::uint32_t udp_port = data.is_udp() ? gate.name.port() + 1u + index : 0;
    if (udp_port > std::numeric_limits<std::uint16_t>::max()) break;
    const auto own =
        data.is_udp()
            ? base::Result<SocketAddress>(gate.name.with_port(static_cast<std::uint16_t>(udp_port)))
            : SocketAddress::local(fmt::format("{}:out{}", options_.socket_name, index));
    if (own.has_error()) {
      why = own.error().message;
      break;
    }
    auto socket = DatagramSocket::bound(loop_, *own);
    if (socket.has_error()) {
      why = socket.error().message;
      continue;
    }
    if (!socket->connect(data)) {
      why = "it is gone already";
      break;
    }
    const auto client =
        std::make_shared<Client>(host_.world(), outstanding_, static_cast<ClientTag>(index + 1),
                                 std::move(place), std::move(*socket), control, data);
    client->last_heard = host_.now();
    client->on_waiting([this, index] { note_waiting(index); });
    clients_.emplace(index, client);
    host_.attach(client->port(), *client);
    wait_readable(client);
    ++counters_.connected;
    say_(fmt::format("client {} ({}) sits on {}", index, control.text(), client->node()));
    return client;
  }
  refuse(fmt::format("{} was refused: {}", control.text(), why));
  return nullptr;
}

std::optional<ControlData> Server::answer_about_port(const Control& control,
                                                     const Client& client) const {
  const sim::World& world = host_.world();
  const sim::Devices& devices = world.devices();
  const sim::PortRegisters& registers = devices.ports[client.port()];
  switch (control.type) {
    case ControlType::GetPort:
      return encode_port(registers.info.lid, devices.lines[client.port()].state);
    case ControlType::GetVendor: {
      const mad::NodeInfo& info = devices.nodes[devices.lines[client.port()].node].info;
      return encode_vendor(info.vendor_id, info.device_id, info.revision);
    }
    case ControlType::GetGid:
      return encode_gid(registers.info.gid_prefix, world.port_guid(client.port()));
    case ControlType::GetGuid:
      return encode_guid(world.port_guid(client.port()));
    case ControlType::GetNodeInfo:
      return world.look(client.port(), mad::AttributeId::NodeInfo, 0);
    case ControlType::GetPortInfo:
      return world.look(client.port(), mad::AttributeId::PortInfo,
                        decode_port_number(control.data));
    case ControlType::GetPKeys:
      return world.look(client.port(), mad::AttributeId::PKeyTable, 0);
    default:
      return std::nullopt;
  }
}

}  // namespace heddle::doors::ibsim
