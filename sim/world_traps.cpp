// SPDX-License-Identifier: BSD-3-Clause
// What devices tell of their own accord (IBA vol. 1, 14.2.5.1), and what the world does for them
// after each step.
#include <algorithm>

#include "mad/notice.hpp"
#include "sim/links.hpp"
#include "sim/sampling.hpp"
#include "sim/world_impl.hpp"

namespace heddle::sim {
namespace {

// A flood of faults does not make a flood of repetitions: further traps are sent once.
constexpr std::size_t kMaxUnrepressed = 4096;

mad::Notice link_state_notice(const mad::PortInfo& info) {
  return mad::make_notice(mad::TrapNumber::LinkStateChange, mad::NoticeType::Urgent,
                          mad::NodeType::Switch, info.lid, mad::LinkStateNotice{info.lid});
}

}  // namespace

void World::Impl::follow_up() {
  if (devices.changed_switches.empty() && devices.notices.empty() && devices.class_traps.empty() &&
      devices.training.empty() && devices.sampling.empty()) {
    return;
  }
  for (const PortIndex port : std::exchange(devices.sampling, {})) schedule_sample(port);
  for (const CableIndex cable : std::exchange(devices.training, {})) {
    agenda.add(now + options.training_time, [this, cable, epoch = devices.cables[cable].epoch] {
      finish_training(devices, cable, epoch);
    });
  }
  const auto notices = std::exchange(devices.notices, {});
  const auto class_traps = std::exchange(devices.class_traps, {});
  const auto changed = std::exchange(devices.changed_switches, {});
  if (!options.traps) return;
  for (auto node = changed.begin(); node != changed.end(); ++node) {
    // One trap says it, however many ports changed at once.
    if (std::find(changed.begin(), node, *node) != node) continue;
    const PortIndex port = devices.nodes[*node].first_port;
    send_notice(port, link_state_notice(devices.ports[port].info));
  }
  for (const auto& [port, notice] : notices) send_notice(port, notice);
  for (const auto& [port, trap] : class_traps) send_class_trap(port, trap);
}

void World::Impl::schedule_sample(PortIndex port) {
  const auto found = devices.samplers.find(port);
  if (found == devices.samplers.end()) return;  // the device was reset meanwhile
  const Sampler& sampler = found->second;
  const auto ticks = [](std::uint32_t count) {
    return kSampleTick * static_cast<std::int64_t>(count);
  };
  const base::Instant start = now + ticks(sampler.control.sample_start);
  if (sampler.control.sample_status == mad::kSampleWaiting) {
    agenda.add(start,
               [this, port, number = sampler.number] { begin_interval(devices, port, number); });
  }
  agenda.add(start + ticks(sampler.control.sample_interval),
             [this, port, number = sampler.number] { end_interval(devices, port, number); });
}

void World::Impl::send_notice(PortIndex from, const mad::Notice& notice) {
  const mad::PortInfo& info = devices.ports[from].info;
  const bool can_send = devices.nodes[devices.lines[from].node].powered &&
                        mad::is_unicast(info.lid) && mad::is_unicast(info.master_sm_lid);
  if (!can_send) return;
  mad::Smp smp;
  smp.management_class = mad::ManagementClass::SubnLidRouted;
  smp.method = mad::Method::Trap;
  smp.attribute_id = mad::AttributeId::Notice;
  smp.m_key = info.m_key;
  smp.transaction_id = mad::TransactionId{++trap_count_};
  mad::encode(notice, std::span(smp.data));
  ++counters.traps;
  send_smp(from, smp, info.master_sm_lid);
  const bool insists = options.trap_interval > base::Duration::zero() && options.trap_repeats > 0;
  if (!insists || unrepressed_.size() >= kMaxUnrepressed) return;
  unrepressed_[trap_count_] = {from, options.trap_repeats, smp};
  agenda.add(now + options.trap_interval, [this, trap = trap_count_] { repeat(trap); });
}

void World::Impl::repeat(std::uint64_t trap) {
  const auto found = unrepressed_.find(trap);
  if (found == unrepressed_.end()) return;
  const PortIndex from = found->second.from;
  const mad::PortInfo& info = devices.ports[from].info;
  if (!devices.nodes[devices.lines[from].node].powered || !mad::is_unicast(info.master_sm_lid)) {
    unrepressed_.erase(found);
    return;
  }
  ++counters.traps;
  const mad::Smp smp = found->second.smp;
  if (--found->second.left == 0) {
    unrepressed_.erase(found);
  } else {
    agenda.add(now + options.trap_interval, [this, trap] { repeat(trap); });
  }
  send_smp(from, smp, info.master_sm_lid);
}

}  // namespace heddle::sim
