// SPDX-License-Identifier: BSD-3-Clause
#include "sim/overload.hpp"

#include <algorithm>

#include "mad/link.hpp"
#include "sim/congestion_log.hpp"
#include "sim/counters.hpp"

namespace heddle::sim {
namespace {

constexpr double kJustFull = 1 + 1e-9;  // demands are sums of quotients
constexpr double kBufferPackets = 64;   // of a port
constexpr unsigned kThresholds = 16;

// Microseconds that a word takes on the port's link. Port 0 of a switch, which has none, sends as
// slowly as a port may.
double time_of_word(const Devices& devices, PortIndex port) {
  const PortRegisters& registers = devices.ports[port];
  const auto width = mad::active_width(registers.info);
  const auto speed = mad::active_speed(registers.info, &registers.vendor);
  const mad::Rate64 rate = width && speed ? mad::link_rate(*width, *speed)
                                          : mad::link_rate(mad::LinkWidth::X1, mad::LinkSpeed::SDR);
  // Of ten bits eight are data on the slow links, of 66 64 on the others.
  const double share = speed.value_or(mad::LinkSpeed::SDR) <= mad::LinkSpeed::QDR ? 0.8 : 64.0 / 66;
  const double gigabits = static_cast<double>(rate) / 64 * share;
  return 32.0 / (gigabits * 1000);
}

// The ports that the packets leave by, in order, each with its step.
struct Leaving {
  PortIndex out;
  std::uint8_t lane;
};
Leaving leaving(const Devices& devices, const Walk& way, std::size_t step) {
  return {devices.port_at(way.steps[step].node, way.steps[step].out_port), way.steps[step].lane};
}

// Of so many packets that come to a buffer whose link is asked for `times` of what it carries: the
// share that finds it above the threshold.
double share_above(std::uint8_t threshold, double times, std::uint64_t packets) {
  const double level = kBufferPackets * (kThresholds - threshold) / kThresholds;
  const double grows = 1 - 1 / times;  // with each packet that comes
  return std::max(0.0, 1 - level / grows / static_cast<double>(packets));
}

}  // namespace

Overload::Overload(const Devices& devices, const std::vector<Flow>& flows, std::uint64_t packets,
                   std::uint32_t words, base::Instant now)
    : packets_(packets),
      words_(words),
      now_(now),
      span_(devices.lines.size()),
      demand_(devices.lines.size()),
      through_(devices.lines.size()) {
  const double words_of_flow = static_cast<double>(packets) * words;
  for (const Flow& flow : flows) {
    span_[flow.from] += words_of_flow * time_of_word(devices, flow.from) *
                        injection_time(devices, flow.from, flow.sl, now);
  }
}

void Overload::add(const Devices& devices, const Flow& flow, const Walk& way) {
  if (span_[flow.from] <= 0) return;  // nothing to send
  const double pace = static_cast<double>(packets_) * words_ / span_[flow.from];
  for (std::size_t step = 0; step + 1 < way.steps.size(); ++step) {
    const PortIndex out = leaving(devices, way, step).out;
    demand_[out] += pace * time_of_word(devices, out);
    through_[out] += packets_;
    if (!devices.is_switch(way.steps[step].node)) continue;
    if (demand_[out] > std::max(kJustFull, worst_.times)) worst_ = {out, demand_[out]};
  }
}

Overload::Crowd& Overload::crowd_at(const Devices& devices, PortIndex out) {
  const auto [found, is_new] = crowds_.try_emplace(out);
  if (is_new) found->second.rule = marking_rule(devices, out);
  return found->second;
}

std::uint64_t Overload::mark(Devices& devices, const Flow& flow, const Walk& way) {
  std::uint64_t marked = 0;
  double beyond = 0;  // the most that a port further on is asked for
  for (std::size_t left = way.steps.size() - 1; left > 0; --left) {
    const auto [out, lane] = leaving(devices, way, left - 1);
    const double own = demand_[out];
    const double times = std::max(own, beyond);
    if (times <= kJustFull) continue;
    const bool waits = beyond > own * kJustFull;
    Crowd& crowd = crowd_at(devices, out);
    if (waits) {
      crowd.wait = std::max(crowd.wait, span_[flow.from] * (beyond - std::max(own, 1.0)));
      crowd.waiting = static_cast<std::uint16_t>(crowd.waiting | 1u << lane);
    }
    if (way.arrived() && crowd.rule && (!waits || crowd.rule->victim)) {
      // A packet that two switches mark is one marked packet.
      marked = std::max(marked, mark_at(devices, flow, out, lane, times));
    }
    beyond = times;
  }
  if (marked == 0) return 0;
  const WalkStep& end = way.steps.back();
  const PortIndex to = devices.port_at(end.node, end.in_port);
  notify_of_marks(devices, to, flow, marked, now_, Logged::BySetting);
  return marked;
}

std::uint64_t Overload::mark_at(Devices& devices, const Flow& flow, PortIndex out,
                                std::uint8_t lane, double times) {
  Crowd& crowd = crowd_at(devices, out);
  if (words_ * 4 < crowd.rule->least_bytes) return 0;
  const double every = crowd.rule->marking_rate + 1.0;
  const auto marks_of = [&](double eligible) {
    return static_cast<std::uint64_t>(eligible / every + 1e-6);
  };
  const std::uint64_t before = marks_of(crowd.eligible);
  crowd.eligible +=
      static_cast<double>(packets_) * share_above(crowd.rule->threshold, times, through_[out]);
  const std::uint64_t marks = marks_of(crowd.eligible) - before;
  if (marks == 0) return 0;
  crowd.congested = std::max(crowd.congested, span_[flow.from] * times);
  crowd.marking = static_cast<std::uint16_t>(crowd.marking | 1u << lane);
  note_marks(devices, out, flow, now_);
  return marks;
}

void Overload::settle(Devices& devices) const {
  const auto count_lanes = [&](PortIndex port, std::uint16_t lanes, Counter row,
                               std::uint64_t amount) {
    for (unsigned lane = 0; lane < 16; ++lane) {
      if ((lanes >> lane & 1) != 0) count(devices, port, element(row, lane), amount);
    }
  };
  for (const auto& [port, crowd] : crowds_) {
    const auto wait = static_cast<std::uint64_t>(crowd.wait);
    count(devices, port, Counter::PortXmitWait, wait);
    count_lanes(port, crowd.waiting, Counter::PortVLXmitWait, wait);
    if (crowd.marking == 0) continue;
    const auto congested = static_cast<std::uint64_t>(crowd.congested);
    count_lanes(port, crowd.marking, Counter::SWPortVLCongestion, 1);
    count(devices, port, Counter::PortXmitTimeCong, congested);
    count_lanes(port, crowd.marking, Counter::PortVLXmitTimeCong, congested);
  }
}

}  // namespace heddle::sim
