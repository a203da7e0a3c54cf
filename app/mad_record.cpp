// SPDX-License-Identifier: BSD-3-Clause
#include "app/mad_record.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "doors/control/verbs.hpp"
#include "sim/devices.hpp"

namespace heddle::app {
namespace {

const char* name_of(sim::Sighting::What what) {
  switch (what) {
    case sim::Sighting::What::Sent:
      return "sent";
    case sim::Sighting::What::Answered:
      return "answered";
    case sim::Sighting::What::Delivered:
      return "delivered";
    case sim::Sighting::What::Lost:
      return "lost";
    case sim::Sighting::What::Discarded:
      return "discarded";
  }
  return "?";
}

std::int64_t nanoseconds(base::Instant when) {
  return when.time_since_epoch().count();
}

std::string hex_of(const mad::Payload& payload) {
  std::string text;
  for (const std::byte byte : payload) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return text;
}

// A file may say anything; the world counts nanoseconds in 63 bits.
constexpr base::Duration kLongestRun = std::chrono::hours(24 * 365 * 10);
constexpr base::Duration kLongestDelay = std::chrono::hours(1);

base::Duration duration_of(const nlohmann::json& number, base::Duration longest) {
  const base::Duration duration(number.get<base::Duration::rep>());
  return std::clamp(duration, base::Duration::zero(), longest);
}

base::Result<mad::Payload> payload_of(const std::string& text) {
  mad::Payload payload;
  for (std::size_t at = 0; at + 2 <= text.size(); at += 2) {
    const auto byte = base::parse_hex(std::string_view(text).substr(at, 2));
    if (!byte) break;
    payload.push_back(static_cast<std::byte>(*byte));
  }
  if (payload.size() != mad::kMadBytes || text.size() != 2 * mad::kMadBytes) {
    return base::error(fmt::format("a MAD has {} bytes in hexadecimal", mad::kMadBytes));
  }
  return payload;
}

base::Result<mad::Datagram> datagram_of(const nlohmann::json& line) {
  auto payload = payload_of(line.at("bytes").get<std::string>());
  if (!payload) return payload.error();
  mad::Datagram datagram;
  datagram.payload = std::move(*payload);
  datagram.peer.lid = mad::Lid{line.at("lid").get<std::uint16_t>()};
  datagram.peer.qpn = line.at("qpn").get<std::uint32_t>();
  datagram.peer.q_key = line.at("q_key").get<std::uint32_t>();
  datagram.peer.sl = mad::ServiceLevel{line.at("sl").get<std::uint8_t>()};
  datagram.peer.path_bits = line.at("path_bits").get<std::uint8_t>();
  datagram.peer.p_key_index = line.at("p_key_index").get<std::uint16_t>();
  if (!line.contains("guid")) return datagram;
  mad::GlobalRoute& route = datagram.peer.global_route.emplace();
  route.remote = {mad::GidPrefix{line.at("prefix").get<std::uint64_t>()},
                  mad::Guid{line.at("guid").get<std::uint64_t>()}};
  route.gid_index = line.at("gid_index").get<std::uint8_t>();
  route.hop_limit = line.at("hop_limit").get<std::uint8_t>();
  route.traffic_class = line.at("traffic_class").get<std::uint8_t>();
  route.flow_label = line.at("flow_label").get<std::uint32_t>();
  return datagram;
}

}  // namespace

nlohmann::json begin_line(const SimArguments& arguments) {
  return {{"fabric", arguments.fabric},
          {"ibnl", arguments.ibnl},
          {"seed", arguments.seed},
          {"hop_delay", arguments.hop_delay.count()},
          {"agent_delay", arguments.agent_delay.count()},
          {"loss", arguments.loss}};
}

SimArguments arguments_of(const nlohmann::json& begin) {
  SimArguments arguments;
  arguments.fabric = begin.at("fabric").get<std::string>();
  arguments.ibnl = begin.at("ibnl").get<std::string>();
  arguments.seed = begin.at("seed").get<std::uint64_t>();
  arguments.hop_delay = duration_of(begin.at("hop_delay"), kLongestDelay);
  arguments.agent_delay = duration_of(begin.at("agent_delay"), kLongestDelay);
  arguments.loss = std::clamp(begin.at("loss").get<double>(), 0.0, 1.0);
  return arguments;
}

base::Result<> carry_out(const nlohmann::json& line, doors::FabricHost& host) {
  const auto kind = line.at("in").get<std::string>();
  host.go_to(base::Instant(duration_of(line.at("ns"), kLongestRun)));
  if (kind == "verb") {
    doors::control::Context context{host, nullptr, {}};
    // What it refused then it refuses again.
    (void)doors::control::run_line(context, line.at("line").get<std::string>());
    return {};
  }
  const auto port = line.at("port").get<sim::EndpointId>();
  if (port >= host.world().devices().lines.size()) {
    return base::error(fmt::format("the fabric has no port {}", port));
  }
  if (kind == "is_sm") {
    const bool on = line.at("on").get<bool>();
    host.change([&](sim::World& world) { world.set_is_sm(port, on); });
    return {};
  }
  if (kind != "mad") return base::error("nothing of this kind comes into a fabric");
  auto datagram = datagram_of(line);
  if (!datagram) return datagram.error();
  host.send(port, std::move(*datagram));
  return {};
}

MadRecord::MadRecord(Sink sink, doors::FabricHost& host) : sink_(std::move(sink)), host_(host) {
  host.change([this](sim::World& world) {
    world.set_watcher([this](const sim::Sighting& sighting) { write(sighting); });
  });
  host.set_recorder(this);
}

std::unique_ptr<MadRecord> MadRecord::open(const SimArguments& arguments, doors::FabricHost& host,
                                           RecordFile::Warn warn) {
  auto file = std::make_shared<RecordFile>(arguments.record);
  if (!file->is_open()) return nullptr;
  file->set_warn(std::move(warn));
  file->write(begin_line(arguments).dump());
  auto record =
      std::make_unique<MadRecord>([file](const std::string& line) { file->write(line); }, host);
  record->file_ = std::move(file);
  return record;
}

void MadRecord::sent(base::Instant when, sim::EndpointId port, const mad::Datagram& datagram) {
  const mad::Address& peer = datagram.peer;
  nlohmann::json line{{"in", "mad"},
                      {"ns", nanoseconds(when)},
                      {"port", port},
                      {"lid", peer.lid.value},
                      {"qpn", peer.qpn},
                      {"q_key", peer.q_key},
                      {"sl", peer.sl.value},
                      {"path_bits", peer.path_bits},
                      {"p_key_index", peer.p_key_index},
                      {"bytes", hex_of(datagram.payload)}};
  if (const auto& route = peer.global_route) {
    line["prefix"] = route->remote.prefix.value;
    line["guid"] = route->remote.guid.value;
    line["gid_index"] = route->gid_index;
    line["hop_limit"] = route->hop_limit;
    line["traffic_class"] = route->traffic_class;
    line["flow_label"] = route->flow_label;
  }
  sink_(line.dump());
}

void MadRecord::is_sm(base::Instant when, sim::EndpointId port, bool is_sm) {
  sink_(nlohmann::json{{"in", "is_sm"}, {"ns", nanoseconds(when)}, {"port", port}, {"on", is_sm}}
            .dump());
}

void MadRecord::verb(base::Instant when, std::string_view line) {
  const nlohmann::json noted{{"in", "verb"}, {"ns", nanoseconds(when)}, {"line", line}};
  sink_(noted.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void MadRecord::write(const sim::Sighting& sighting) {
  const auto seconds = std::chrono::duration<double>(sighting.when.time_since_epoch());
  nlohmann::json line{
      {"time", seconds.count()},
      {"what", name_of(sighting.what)},
      {"node", base::printable(host_.world().devices().plan.nodes[sighting.node].name)},
      {"port", sighting.port}};
  if (const mad::Smp* smp = sighting.smp) {
    line["class"] = static_cast<unsigned>(smp->management_class);
    line["method"] = static_cast<unsigned>(smp->method);
    line["attribute"] = static_cast<unsigned>(smp->attribute_id);
    line["modifier"] = smp->attribute_modifier;
    line["status"] = smp->status.value;
    line["transaction"] = base::hex(smp->transaction_id.value);
  }
  sink_(line.dump());
}

}  // namespace heddle::app
