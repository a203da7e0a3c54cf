// SPDX-License-Identifier: BSD-3-Clause
#include "sm/programming_aliases.hpp"

#include <algorithm>
#include <string>

namespace heddle::sm {
namespace {

using fabric::PortIndex;

}  // namespace

void AliasProgramming::begin(Context& context, const sa::AliasGuids& wanted, bool others) {
  work_.clear();
  if (wanted.empty()) {
    held_.clear();
    return;
  }
  const auto& topology = *context.picture.frozen.topology;
  std::map<Block, mad::GUIDInfo> kept;
  for (const PortIndex port : topology.endports()) {
    const mad::Guid guid = topology.port(port).guid;
    const auto* aliases = wanted.find(guid);
    const auto* info = context.picture.info(port);
    if (aliases == nullptr || info == nullptr) continue;
    // A port that is still ACTIVE has not restarted since we made it so.
    const bool stood = info->port_state == mad::PortState::Active && !others;
    const auto entries =
        static_cast<std::uint8_t>(std::min<std::size_t>(aliases->size(), info->guid_cap));
    for (std::uint8_t block = 0; block < mad::guid_block_count(entries); ++block) {
      const auto table = wanted.block(guid, block);
      const auto known = held_.find({guid, block});
      if (stood && known != held_.end() && known->second == table) {
        kept.insert(*known);
        continue;
      }
      work_.push_back({port, {0, guid, block, table}});
    }
  }
  held_ = std::move(kept);
  for (std::uint32_t i = 0; i < work_.size(); ++i) submit(context, i, mad::Method::Get);
}

void AliasProgramming::begin(Context& context, const std::vector<sa::AliasWrite>& writes) {
  work_.clear();
  // As many as there are writes, not as there are ports: that is asked for again and again.
  std::map<mad::Guid, PortIndex> ports;
  for (const sa::AliasWrite& write : writes) ports.emplace(write.port, fabric::kNoPort);
  const auto& topology = *context.picture.frozen.topology;
  for (const PortIndex port : topology.endports()) {
    const auto wanted = ports.find(topology.port(port).guid);
    if (wanted != ports.end() && wanted->second == fabric::kNoPort) wanted->second = port;
  }
  for (const sa::AliasWrite& write : writes) {
    const PortIndex port = ports.at(write.port);
    const bool there =
        port != fabric::kNoPort &&
        context.picture.device(context.picture.frozen.end_of[port.value]).has_value();
    if (there) {
      work_.push_back({port, write});
    } else {
      outcomes_.push_back({write.ticket, std::nullopt, false});
    }
  }
  for (std::uint32_t i = 0; i < work_.size(); ++i) submit(context, i, mad::Method::Set);
}

void AliasProgramming::submit(Context& context, std::uint32_t work, mad::Method method) {
  const auto device = context.picture.device(context.picture.frozen.end_of[work_[work].port.value]);
  if (!device) return;
  Request request;
  request.device = *device;
  request.purpose = Purpose::Aliases;
  request.method = method;
  request.attribute = mad::AttributeId::GUIDInfo;
  request.modifier = mad::guid_info_modifier(work_[work].write.block);
  request.subject = work;
  // Who asked waits, and the next sweep notices what is wrong with the port anyway.
  request.optional = work_[work].write.ticket != 0;
  context.transactions.submit(request);
}

mad::SmpData AliasProgramming::data_for(const Request& request) const {
  mad::SmpData data;
  mad::encode(work_[request.subject].write.guids, std::span<std::byte, mad::kSmpDataBytes>(data));
  return data;
}

void AliasProgramming::on_answer(Context& context, const Answer& answer) {
  const Work& work = work_[answer.request.subject];
  const bool well = answer.answered && answer.status == mad::kStatusOk;
  const Block block{work.write.port, work.write.block};
  if (well) {
    held_[block] = mad::decode<mad::GUIDInfo>(answer.data);
  } else {
    held_.erase(block);
  }
  if (work.write.ticket != 0) {
    sa::AliasOutcome outcome{work.write.ticket, std::nullopt, answer.answered};
    if (well) outcome.held = held_[block];
    outcomes_.push_back(outcome);
    return;
  }
  const bool stands = well && held_[block] == work.write.guids;
  if (stands) return;
  if (well && answer.request.method == mad::Method::Get) {
    submit(context, answer.request.subject, mad::Method::Set);
  } else {
    tell(context, answer, work);
  }
}

void AliasProgramming::tell(Context& context, const Answer& answer, const Work& work) {
  Picture& picture = context.picture;
  const PortName name = picture.name(work.port);
  const std::string what =
      answer.answered ? " does not take its alias GUIDs" : " did not answer for its alias GUIDs";
  picture.problems.push_back(text(name) + what);
  if (answer.answered && answer.status != mad::kStatusOk) {
    context.events.say(
        SetRefused{name.node, answer.request.attribute, answer.request.modifier, answer.status});
  } else if (!answer.answered && picture.falls_silent(answer.request.device)) {
    context.events.say(DeviceSilent{context.transactions.route(answer.request.device).text(),
                                    name.node, answer.request.attribute});
  }
}

}  // namespace heddle::sm
