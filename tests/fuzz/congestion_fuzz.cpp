// SPDX-License-Identifier: BSD-3-Clause
// The words of [congestion], and whatever agents may answer: words are refused with a sentence, and
// the machine asks on, publishes and comes to rest.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "congestion/machine.hpp"

namespace {

using namespace heddle;

congestion::Options options_of(std::string_view text) {
  congestion::Options options;
  options.key_mode = congestion::KeyMode::Set;
  options.log_interval = std::chrono::seconds(1);
  if (const auto parsed = congestion::parse_switch_setting(text)) {
    options.settings.switches = *parsed;
  } else {
    HEDDLE_CHECK(!parsed.error().message.empty());
  }
  if (const auto rule = congestion::parse_port_rule(text)) options.settings.ports = {*rule};
  if (const auto level = congestion::parse_level(text)) options.settings.levels = {*level};
  if (const auto table = congestion::parse_table({std::string(text)})) {
    HEDDLE_CHECK(table->size() <= congestion::kMostEntries);
    options.settings.table = *table;
  }
  return options;
}

std::shared_ptr<const congestion::Picture> picture() {
  auto out = std::make_shared<congestion::Picture>();
  for (std::uint8_t n = 1; n <= 3; ++n) {
    congestion::Agent agent;
    agent.node = mad::Guid{n};
    agent.is_switch = n == 1;
    agent.port = mad::PortNumber{static_cast<std::uint8_t>(n == 1 ? 0 : 1)};
    agent.lid = mad::Lid{n};
    agent.port_count = agent.is_switch ? 40 : 0;
    agent.to_hosts.set(33);
    out->agents.push_back(agent);
  }
  return out;
}

}  // namespace

// A line of words, then bytes that answers are made of.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view all(reinterpret_cast<const char*>(bytes), size);
  const std::size_t end = std::min(all.find('\n'), all.size());
  const std::string_view answers = all.substr(std::min(end + 1, all.size()));
  congestion::Machine machine(options_of(all.substr(0, end)));
  base::Instant now{};
  machine.step(now, congestion::PictureChanged{picture()});
  std::size_t at = 0;
  const auto next = [&] {
    return answers.empty() ? std::uint8_t{0}
                           : static_cast<std::uint8_t>(answers[at++ % answers.size()]);
  };
  for (int turn = 0; turn < 200; ++turn) {
    for (congestion::Output& output : machine.take_outputs()) {
      auto* sent = std::get_if<congestion::SendMad>(&output);
      if (sent == nullptr || next() % 4 == 0) continue;
      mad::Payload& payload = sent->datagram.payload;
      payload[3] = std::byte{0x81};
      // Mostly what was asked for, with other contents.
      if (next() % 8 == 0) payload[5] = std::byte{next()};
      if (next() % 8 == 0) payload[17] = std::byte{next()};
      for (std::size_t i = 24; i < payload.size(); ++i) payload[i] ^= std::byte{next()};
      machine.step(now, congestion::MadReceived{sent->datagram});
    }
    HEDDLE_CHECK(machine.deadline() != base::kNever);
    now = std::max(now, machine.deadline());
    machine.step(now, congestion::Tick{});
  }
  return 0;
}
