// SPDX-License-Identifier: BSD-3-Clause
#include "sim/sampling.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "sim/counters.hpp"

namespace heddle::sim {
namespace {

constexpr std::uint8_t kWidthOf32Bits = 4;
// Three bits for each counter; 1: the mandatory CounterSelect values, and no others.
constexpr std::uint8_t kMandatory = 1;
constexpr std::uint32_t kMandatory1to9 = 0111'111'111;
constexpr std::uint16_t kMandatory10to14 = 011'111;

// CounterSelect's mandatory values.
std::optional<Counter> counter_of(std::uint16_t select) {
  switch (select) {
    case 1:
      return Counter::PortXmitData;
    case 2:
      return Counter::PortRcvData;
    case 3:
      return Counter::PortXmitPkts;
    case 4:
      return Counter::PortRcvPkts;
    case 5:
      return Counter::PortXmitWait;
    default:
      return std::nullopt;
  }
}

std::uint64_t count_selected(const Devices& devices, PortIndex port, std::uint16_t select) {
  const auto counter = counter_of(select);
  return counter ? count_of(devices, port, *counter) : 0;
}

Sampler* under_way(Devices& devices, PortIndex management_port, std::uint64_t number) {
  const auto found = devices.samplers.find(management_port);
  return found == devices.samplers.end() || found->second.number != number ? nullptr
                                                                           : &found->second;
}

void snapshot(const Devices& devices, Sampler& sampler) {
  for (std::size_t i = 0; i < mad::kSampledCounters; ++i) {
    sampler.before[i] = count_selected(devices, sampler.port, sampler.control.counter_selects[i]);
  }
  sampler.control.sample_status = mad::kSampleRunning;
}

}  // namespace

mad::PortSamplesControl samples_control(const Devices& devices, PortIndex port) {
  mad::PortSamplesControl shown;
  const auto found = devices.samplers.find(devices.management_port(port));
  if (found != devices.samplers.end()) {
    if (found->second.port == port) shown = found->second.control;
    shown.sample_status = found->second.control.sample_status;
  }
  shown.port_select = devices.lines[port].number;
  shown.tick = kTickCode;
  shown.counter_width = kWidthOf32Bits;
  shown.counter_mask0 = kMandatory;
  shown.counter_masks1to9 = kMandatory1to9;
  shown.counter_masks10to14 = kMandatory10to14;
  return shown;
}

void start_sample(Devices& devices, PortIndex port, const mad::PortSamplesControl& wanted) {
  const PortIndex management_port = devices.management_port(port);
  Sampler& sampler = devices.samplers[management_port];
  if (sampler.control.sample_status != mad::kSampleDone) return;
  sampler = Sampler{};
  sampler.port = port;
  sampler.number = ++devices.samples_begun;
  sampler.control.op_code = wanted.op_code;
  sampler.control.sample_start = wanted.sample_start;
  sampler.control.sample_interval = wanted.sample_interval;
  sampler.control.tag = wanted.tag;
  sampler.control.counter_selects = wanted.counter_selects;
  if (wanted.sample_interval == 0) return;  // done before it began
  sampler.control.sample_status = mad::kSampleWaiting;
  if (wanted.sample_start == 0) snapshot(devices, sampler);
  devices.sampling.push_back(management_port);
}

mad::PortSamplesResult samples_result(const Devices& devices, PortIndex management_port) {
  mad::PortSamplesResult result;
  const auto found = devices.samplers.find(management_port);
  if (found == devices.samplers.end()) return result;
  result.tag = found->second.control.tag;
  result.sample_status = found->second.control.sample_status;
  result.counters = found->second.counted;
  return result;
}

void begin_interval(Devices& devices, PortIndex management_port, std::uint64_t number) {
  if (Sampler* sampler = under_way(devices, management_port, number)) snapshot(devices, *sampler);
}

void end_interval(Devices& devices, PortIndex management_port, std::uint64_t number) {
  Sampler* sampler = under_way(devices, management_port, number);
  if (sampler == nullptr) return;
  constexpr std::uint64_t kFull = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; i < mad::kSampledCounters; ++i) {
    const std::uint64_t after =
        count_selected(devices, sampler->port, sampler->control.counter_selects[i]);
    sampler->counted[i] = static_cast<std::uint32_t>(std::min(after - sampler->before[i], kFull));
  }
  sampler->control.sample_status = mad::kSampleDone;
}

}  // namespace heddle::sim
