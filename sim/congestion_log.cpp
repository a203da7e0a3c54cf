// SPDX-License-Identifier: BSD-3-Clause
#include "sim/congestion_log.hpp"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "sim/congestion_settings.hpp"
#include "sim/counters.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint16_t kMostEvents = 0xFFFF;

// The newest events, as many as any log shows.
void note(CongestionLog& log, const CongestionEvent& event) {
  if (log.count != kMostEvents) ++log.count;
  if (log.events.size() == mad::kCongestionEntriesOfSwitch) log.events.erase(log.events.begin());
  log.events.push_back(event);
}

template <class T>
void put(CongestionLogBytes& bytes, std::size_t offset, const T& value) {
  std::array<std::byte, mad::kBytes<T>> encoded{};
  mad::encode(value, std::span(encoded));
  std::copy(encoded.begin(), encoded.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
}

mad::Lid source_of(const Devices& devices, const Flow& flow) {
  return devices.ports[devices.management_port(flow.from)].info.lid;
}

// The step that leaves by this port, null when there is none.
const WalkStep* step_by(const Devices& devices, const Walk& way, PortIndex at) {
  const auto found = std::find_if(way.steps.begin(), way.steps.end(), [&](const WalkStep& step) {
    return step.out_port != 0 && devices.port_at(step.node, step.out_port) == at;
  });
  return found == way.steps.end() ? nullptr : &*found;
}

void put_switch_log(CongestionLogBytes& bytes, const CongestionLog& log, std::uint8_t flags,
                    std::uint32_t time) {
  put(bytes, 0, mad::CongestionLogSwitch{mad::kSwitchLog, flags, log.count, time});
  for (std::size_t port = 0; port < log.ports.size(); ++port) {
    const std::size_t last = mad::kCongestionPortMapOffset + mad::kCongestionPortMapBytes - 1;
    if (log.ports[port]) bytes[last - port / 8] |= std::byte{1} << (port % 8);
  }
  std::size_t at = mad::kCongestionEntriesOfSwitchOffset;
  for (const CongestionEvent& event : log.events) {
    put(bytes, at,
        mad::CongestionEntrySwitch{event.from, event.to, event.sl,
                                   congestion_time_stamp(event.when)});
    at += mad::kBytes<mad::CongestionEntrySwitch>;
  }
}

void put_adapter_log(CongestionLogBytes& bytes, const CongestionLog& log, std::uint8_t flags,
                     std::uint32_t time) {
  put(bytes, 0, mad::CongestionLogCA{mad::kAdapterLog, flags, log.count, log.levels, time});
  const std::size_t shown = std::min(log.events.size(), mad::kCongestionEventsOfCA);
  std::size_t at = mad::kCongestionEventsOfCAOffset;
  for (auto event = log.events.end() - static_cast<std::ptrdiff_t>(shown);
       event != log.events.end(); ++event) {
    mad::CongestionEventCA entry;
    entry.sl = event->sl;
    entry.local_lid = event->from;
    entry.remote_lid = event->to;
    entry.time_stamp = congestion_time_stamp(event->when);
    put(bytes, at, entry);
    at += mad::kBytes<mad::CongestionEventCA>;
  }
}

}  // namespace

std::uint32_t congestion_time_stamp(base::Instant now) {
  return static_cast<std::uint32_t>(now.time_since_epoch().count() /
                                    mad::kCongestionTickNanoseconds);
}

base::Result<> mark_packets(Devices& devices, PortIndex at, const Flow& flow, std::uint64_t packets,
                            base::Instant now) {
  const Walk way = walk(devices, flow.from, {flow.dlid, flow.sl, flow.p_key, 64});
  if (!way.arrived()) {
    return base::error(fmt::format("its packets do not arrive: {}", text_of(way.end)));
  }
  const WalkStep* step = step_by(devices, way, at);
  if (step == nullptr || !devices.is_switch(step->node)) {
    return base::error(fmt::format("its packets do not leave a switch by {}:\n{}",
                                   describe(devices, at), describe(devices, way)));
  }
  const WalkStep& end = way.steps.back();
  count(devices, at, element(Counter::SWPortVLCongestion, step->lane));
  note_marks(devices, at, flow, now);
  notify_of_marks(devices, devices.port_at(end.node, end.in_port), flow, packets, now,
                  Logged::Always);
  return {};
}

void note_marks(Devices& devices, PortIndex at, const Flow& flow, base::Instant now) {
  CongestionLog& log = devices.congestion[devices.management_port(at)].log;
  note(log, {source_of(devices, flow), flow.dlid, flow.sl, now});
  log.ports.set(devices.lines[at].number);
}

void notify_of_marks(Devices& devices, PortIndex to, const Flow& flow, std::uint64_t packets,
                     base::Instant now, Logged logged) {
  const unsigned level = flow.sl.value & 0xF;
  count(devices, to, Counter::PortPktRcvFECN, packets);
  count(devices, to, element(Counter::PortSLRcvFECN, level), packets);
  count(devices, flow.from, Counter::PortPktRcvBECN, packets);
  count(devices, flow.from, element(Counter::PortSLRcvBECN, level), packets);
  if (devices.is_switch(devices.lines[flow.from].node)) return;
  const bool wanted = take_notifications(devices, flow.from, flow.sl, packets, now);
  if (!wanted && logged != Logged::Always) return;
  CongestionLog& log = devices.congestion[flow.from].log;
  note(log, {source_of(devices, flow), flow.dlid, flow.sl, now});
  log.levels = static_cast<std::uint16_t>(log.levels | 1u << level);
}

CongestionLogBytes take_congestion_log(CongestionRegisters& registers, bool is_switch,
                                       base::Instant now) {
  CongestionLogBytes bytes{};
  const std::uint8_t flags = registers.lease_expires == base::kNever ? 0 : mad::kCCKeyLeaseRuns;
  const std::uint32_t time = congestion_time_stamp(now);
  if (is_switch) {
    put_switch_log(bytes, registers.log, flags, time);
  } else {
    put_adapter_log(bytes, registers.log, flags, time);
  }
  registers.log = {};
  return bytes;
}

}  // namespace heddle::sim
