// SPDX-License-Identifier: BSD-3-Clause
#include "perf/machine.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "mad/class_port_info.hpp"
#include "mad/port_counters.hpp"
#include "mad/port_extended_speeds_counters.hpp"

namespace heddle::perf {
namespace {

using Id = mad::PerfAttributeId;

// In this order.
constexpr Id kQuestions[] = {Id::PortCountersExtended, Id::PortCounters,
                             Id::PortExtendedSpeedsCounters};
constexpr std::uint32_t kQuestionsPerPort = std::size(kQuestions);

// After so many sweeps in which a device said nothing to the counters of coding alone, it is taken
// not to know them, and asked again after so many others.
constexpr unsigned kDeafToCoding = 3;
constexpr std::uint64_t kCodingAskedAgain = 60;

constexpr std::uint32_t kCodingCounters =
    bit(Counter::SyncHeaderError) | bit(Counter::UnknownBlock) | bit(Counter::ErrorDetection) |
    bit(Counter::FECCorrectedBlocks) | bit(Counter::FECUncorrectedBlocks) |
    bit(Counter::FECCorrectedSymbols);

// What the counter has grown by, from `before` to `now`. It goes back when somebody sets it back,
// its device restarts, or 64 bits are full.
std::uint64_t growth(std::uint64_t before, std::uint64_t now, bool& went_back) {
  if (now >= before) return now - before;
  constexpr std::uint64_t kHalf = 1ull << 63;
  if (before - now > kHalf) return now - before;  // modulo 2^64: it was full
  went_back = true;
  return now;
}

void fold(PortReading& reading, std::array<std::uint64_t, kCounterCount>& raw,
          const Counts& counts) {
  bool went_back = false;
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    const std::uint32_t mask = 1u << i;
    if ((counts.known & mask) == 0) continue;
    const std::uint64_t value = counts.values[i];
    const bool is_first = (reading.known & mask) == 0;
    const std::uint64_t grown = is_first ? 0 : growth(raw[i], value, went_back);
    reading.totals[i] = is_first ? value : reading.totals[i] + grown;
    reading.deltas[i] = static_cast<float>(grown);
    raw[i] = value;
  }
  reading.known |= counts.known;
  reading.saturated = (reading.saturated & ~counts.known) | counts.saturated;
  reading.resets += went_back;
}

// Of counters that were not heard in this sweep.
void forget_growth(PortReading& reading, std::uint32_t counters) {
  for (std::size_t i = 0; i < kCounterCount; ++i) {
    if ((counters >> i & 1) != 0) reading.deltas[i] = 0;
  }
}

}  // namespace

Machine::Machine(Options options) : options_(std::move(options)) {
  inquiry_.set_limits(options_);
  watchman_.set(options_.thresholds);
}

void Machine::step(base::Instant now, Input input) {
  drive(now);
  std::visit([&](auto& each) { on(now, each); }, input);
  drive(now);
}

std::vector<Output> Machine::take_outputs() {
  return std::exchange(outputs_, {});
}

base::Instant Machine::deadline() const {
  if (picture_ == nullptr) return base::kNever;
  return sweeping_ ? inquiry_.deadline(!ready_.empty()) : next_sweep_;
}

void Machine::on(base::Instant now, const MadReceived& received) {
  const auto mad = from_datagram(received.datagram);
  if (!mad || !mad::is_response(mad->header.method)) return;
  // The upper half is the transport's.
  const auto transaction = static_cast<std::uint32_t>(mad->header.transaction_id.value);
  // It is asked again when its time has come.
  if (mad->header.status == mad::kStatusBusy) return;
  const auto question = inquiry_.answered(transaction);
  if (question) take_answer(now, *question, *mad);
}

// The kernel's time is longer than ours, so this was refused, not unanswered: it is asked again
// when its time has come, as if it had been lost.
void Machine::on(base::Instant, const SendFailed&) {}

void Machine::on(base::Instant now, PictureChanged& changed) {
  if (changed.picture == nullptr) {
    inquiry_.cancel();
    ready_.clear();
    sweeping_ = false;
    next_picture_.reset();
    picture_ = nullptr;
    next_sweep_ = base::kNever;
    return;
  }
  const bool is_same = picture_ != nullptr && *picture_ == *changed.picture;
  if (is_same && !next_picture_) return;
  if (sweeping_ && may_wait(*changed.picture)) {
    next_picture_ = std::move(changed.picture);
    return;
  }
  const bool was_sweeping = std::exchange(sweeping_, false);
  inquiry_.cancel();
  take(std::move(changed.picture));
  if (was_sweeping || next_sweep_ == base::kNever) next_sweep_ = now;
}

void Machine::on(base::Instant now, OptionsChanged& changed) {
  if (options_ == changed.options) return;
  if (options_.thresholds != changed.options.thresholds) {
    watchman_.set(changed.options.thresholds);
  }
  options_ = std::move(changed.options);
  inquiry_.set_limits(options_);
  if (picture_ != nullptr && !sweeping_) next_sweep_ = std::max(now, begun_ + options_.interval);
}

// A LID that is somebody else's now would lead to somebody else's counters.
bool Machine::may_wait(const Picture& picture) const {
  auto at = picture.agents.begin();
  for (const Agent& agent : picture_->agents) {
    const auto comes_before = [](const Agent& a, const Agent& b) {
      return std::pair(a.node, a.ports.front().number) < std::pair(b.node, b.ports.front().number);
    };
    if (agent.ports.empty()) continue;
    while (at != picture.agents.end() && (at->ports.empty() || comes_before(*at, agent))) ++at;
    if (at == picture.agents.end()) return true;
    if (at->node == agent.node && at->lid != agent.lid) return false;
  }
  return true;
}

// What is known of an agent, beside what its ports count: what it can, where it wants to be asked,
// what it says nothing to. At another LID it may be another one.
std::vector<Machine::AgentState> Machine::agents_of(const Picture& picture) {
  std::vector<AgentState> agents(picture.agents.size());
  if (picture_ == nullptr) return agents;
  const auto place = [](const Agent& agent) {
    return std::pair(agent.node,
                     agent.ports.empty() ? mad::PortNumber{} : agent.ports.front().number);
  };
  std::size_t old = 0;
  for (std::size_t i = 0; i < agents.size(); ++i) {
    const Agent& agent = picture.agents[i];
    // The ports of a switch that have links may be others now, its agent is the same.
    const auto comes_before = [&](const Agent& known) {
      return agent.is_switch ? known.node < agent.node : place(known) < place(agent);
    };
    while (old < agents_.size() && comes_before(picture_->agents[old])) ++old;
    if (old == agents_.size()) return agents;
    const Agent& known = picture_->agents[old];
    const bool is_same = known.node == agent.node && known.is_switch == agent.is_switch &&
                         known.lid == agent.lid &&
                         (agent.is_switch || place(known) == place(agent));
    if (is_same) agents[i] = std::move(agents_[old]);
  }
  return agents;
}

void Machine::take(std::shared_ptr<const Picture> picture) {
  Readings before;  // to find old ports by
  before.nodes = std::move(nodes_);
  before.ports.reserve(ports_.size());
  for (const PortState& port : ports_) before.ports.push_back(port.reading);
  std::vector<std::uint32_t> new_slot(ports_.size(), 0xFFFF'FFFF);
  std::vector<PortState> ports;
  std::vector<AgentState> agents = agents_of(*picture);
  nodes_.clear();
  codings_.clear();
  for (std::size_t i = 0; i < agents.size(); ++i) {
    const Agent& agent = picture->agents[i];
    AgentState& state = agents[i];
    state.first = static_cast<std::uint32_t>(ports.size());
    state.count = static_cast<std::uint32_t>(agent.ports.size());
    if (nodes_.empty() || nodes_.back().guid != agent.node) {
      nodes_.push_back({agent.node, agent.is_switch, state.first, 0});
    }
    nodes_.back().count += state.count;
    for (const Agent::Port& port : agent.ports) {
      PortState fresh;
      fresh.reading.number = port.number;
      if (const PortReading* known = before.find(agent.node, port.number)) {
        const auto old = static_cast<std::size_t>(known - before.ports.data());
        fresh = ports_[old];
        new_slot[old] = static_cast<std::uint32_t>(ports.size());
      }
      fresh.reading.bits_per_second = port.bits_per_second;
      codings_.push_back(port.coding);
      ports.push_back(fresh);
    }
  }
  auto levels = watchman_.levels();
  for (auto& level : levels) level.slot = new_slot[level.slot];
  levels.erase(std::remove_if(levels.begin(), levels.end(),
                              [](const auto& level) { return level.slot == 0xFFFF'FFFF; }),
               levels.end());
  watchman_.restore(levels);
  ports_ = std::move(ports);
  agents_ = std::move(agents);
  ready_.clear();
  picture_ = std::move(picture);
}

void Machine::begin_sweep(base::Instant now) {
  sweeping_ = true;
  begun_ = now;
  ++sweeps_;
  figures_ = {};
  figures_.agents = agents_.size();
  const bool anew =
      std::exchange(followed_, options_.follow_redirects) != options_.follow_redirects;
  for (std::uint32_t i = 0; i < agents_.size(); ++i) {
    AgentState& agent = agents_[i];
    // Where it sent us nobody answers any more: it is asked again where it is.
    if ((agent.silent && std::exchange(agent.elsewhere, std::nullopt)) || anew) {
      agent.can.reset();
      agent.no_coding = false;
      agent.deaf_to_coding = 0;
    }
    if (!options_.ask_capabilities) agent.can = Capabilities{};
    if (!options_.follow_redirects) agent.elsewhere.reset();
    agent.redirections = 0;
    agent.cursor = 0;
    agent.in_flight = 0;
    agent.waits = agent.silent = agent.refused = agent.ready = false;
    agent.extra.clear();
    make_ready(i);
  }
}

void Machine::finish_sweep(base::Instant now) {
  sweeping_ = false;
  for (std::uint32_t slot = 0; slot < ports_.size(); ++slot) {
    PortState& port = ports_[slot];
    if (port.coding_heard_in != sweeps_) forget_growth(port.reading, kCodingCounters);
    if (port.heard_in == sweeps_) port.reading.exceeded = watchman_.judge(slot, port.reading);
  }
  outputs_.emplace_back(Publish{readings(now)});
  next_sweep_ = std::max(now, begun_ + options_.interval);
  if (next_picture_) take(std::move(*std::exchange(next_picture_, std::nullopt)));
}

void Machine::drive(base::Instant now) {
  if (picture_ == nullptr) return;
  if (!sweeping_ && now >= next_sweep_) begin_sweep(now);
  if (!sweeping_) return;
  inquiry_.advance(now);
  for (const Question& question : inquiry_.take_given_up()) give_up(question);
  pump(now);
  if (ready_.empty() && inquiry_.idle()) finish_sweep(now);
}

void Machine::pump(base::Instant now) {
  while (inquiry_.may_send(now)) {
    if (inquiry_.has_repeats()) {
      const Question question = inquiry_.next_repeat();
      ++figures_.retries;
      send(question, inquiry_.send_again(now));
      continue;
    }
    if (ready_.empty()) return;
    const std::uint32_t id = ready_.front();
    ready_.pop_front();
    AgentState& agent = agents_[id];
    agent.ready = false;
    const auto question = next_question(id);
    if (!question) continue;
    ++agent.in_flight;
    send(*question, inquiry_.send(now, *question));
    make_ready(id);
  }
}

// Agents without anything to ask are found out when their turn comes.
void Machine::make_ready(std::uint32_t id) {
  AgentState& agent = agents_[id];
  const bool has_more = agent.cursor < agent.count * kQuestionsPerPort || !agent.extra.empty();
  const bool may = !agent.silent && !agent.waits && agent.in_flight < options_.window_per_agent;
  if (!has_more || !may || agent.ready) return;
  agent.ready = true;
  ready_.push_back(id);
}

std::optional<Question> Machine::next_question(std::uint32_t id) {
  AgentState& agent = agents_[id];
  Question question;
  question.agent = id;
  if (!agent.can) {
    agent.waits = true;
    question.attribute = Id::ClassPortInfo;
    return question;
  }
  if (!agent.extra.empty()) {
    question = agent.extra.back();
    agent.extra.pop_back();
    if (question.method == mad::Method::Set && is_elsewhere(id)) return next_question(id);
    return question;
  }
  while (agent.cursor < agent.count * kQuestionsPerPort) {
    const std::uint32_t at = agent.cursor++;
    question.slot = agent.first + at / kQuestionsPerPort;
    question.attribute = kQuestions[at % kQuestionsPerPort];
    const bool is_coded = codings_[question.slot] != Coding::Bytes;
    const bool wanted = question.attribute == Id::PortCountersExtended ? agent.can->wide
                        : question.attribute == Id::PortCounters
                            ? !agent.can->wide_errors
                            : options_.coding && is_coded && may_know_coding(agent);
    if (wanted) return question;
  }
  return std::nullopt;
}

void Machine::send(const Question& question, std::uint32_t transaction) {
  PerfMad mad = request(question.method, question.attribute, transaction);
  const auto number = [&] { return ports_[question.slot].reading.number.value; };
  if (question.attribute == Id::PortCounters) {
    mad::PortCounters attribute;
    attribute.port_select = number();
    attribute.counter_select = static_cast<std::uint16_t>(question.select);
    attribute.counter_select2 = question.select2;
    mad::encode(attribute, std::span(mad.data));
  } else if (question.attribute == Id::PortCountersExtended) {
    mad::PortCountersExtended attribute;
    attribute.port_select = number();
    mad::encode(attribute, std::span(mad.data));
  } else if (question.attribute == Id::PortExtendedSpeedsCounters) {
    // The other form has its CounterSelect in the same place.
    mad::PortExtendedSpeedsCounters attribute;
    attribute.port_select = number();
    attribute.counter_select = question.select;
    mad::encode(attribute, std::span(mad.data));
  }
  ++figures_.sent;
  const Agent& to = picture_->agents[question.agent];
  auto datagram = to_datagram(mad, to.lid, to.sl);
  const auto& there = agents_[question.agent].elsewhere;
  // What is to be cleared never is at another device, not even when the question is repeated.
  const bool goes_there = question.method != mad::Method::Set || !is_elsewhere(question.agent);
  if (there && goes_there) datagram.peer = *there;
  outputs_.emplace_back(SendMad{std::move(datagram)});
}

void Machine::take_answer(base::Instant now, const Question& question, const PerfMad& answer) {
  AgentState& agent = agents_[question.agent];
  --agent.in_flight;
  const bool fits = answer.header.attribute_id == static_cast<std::uint16_t>(question.attribute);
  if (follow(question, answer)) {
    // It is asked again, elsewhere.
  } else if (question.attribute == Id::ClassPortInfo) {
    take_capabilities(agent, answer);
  } else if (answer.header.status != mad::kStatusOk || !fits) {
    refuse(question);
  } else if (question.method == mad::Method::Set) {
    for (std::size_t i = 0; i < kCounterCount; ++i) {
      if ((question.counters >> i & 1) != 0) ports_[question.slot].raw[i] = 0;
    }
    ++figures_.cleared;
  } else if (question.attribute == Id::PortCountersExtended) {
    take_counts(now, question,
                counts_of(mad::decode<mad::PortCountersExtended>(answer.data), *agent.can));
  } else if (question.attribute == Id::PortExtendedSpeedsCounters) {
    const bool rs_fec = codings_[question.slot] == Coding::RSFEC;
    const Counts counts = coding_counts(answer.data, rs_fec);
    take_coding(question, counts);
    clear(agent, question, counts);
  } else {
    const Counts counts = counts_of(mad::decode<mad::PortCounters>(answer.data), *agent.can);
    take_counts(now, question, counts);
    clear(agent, question, counts);
  }
  make_ready(question.agent);
}

// Whoever sends us round in circles has refused in the end.
bool Machine::follow(const Question& question, const PerfMad& answer) {
  constexpr unsigned kMostRedirections = 16;  // of a sweep; its window may be as many at once
  const bool is_info =
      answer.header.attribute_id == static_cast<std::uint16_t>(Id::ClassPortInfo) &&
      question.attribute == Id::ClassPortInfo && answer.header.status == mad::kStatusOk;
  if (!is_info && answer.header.status != mad::kStatusRedirect) return false;
  if (!options_.follow_redirects) return false;
  AgentState& agent = agents_[question.agent];
  const auto there = redirection(answer);
  if (!there || (is_info && there == agent.elsewhere)) return false;
  if (agent.redirections == kMostRedirections) return false;
  ++agent.redirections;
  agent.elsewhere = there;
  if (question.attribute == Id::ClassPortInfo) {
    agent.waits = false;
  } else if (question.method == mad::Method::Get) {
    agent.extra.push_back(question);
  }
  return true;
}

// One that does not say what it can has what every agent must have.
void Machine::take_capabilities(AgentState& agent, const PerfMad& answer) {
  agent.waits = false;
  agent.can = Capabilities{};
  if (answer.header.status != mad::kStatusOk) return;
  std::array<std::byte, mad::kBytes<mad::ClassPortInfo>> bytes{};
  std::copy_n(answer.data.begin(), bytes.size(), bytes.begin());
  const auto info = mad::decode<mad::ClassPortInfo>(bytes);
  agent.can = capabilities(info.capability_mask, info.capability_mask2);
}

void Machine::take_counts(base::Instant now, const Question& question, const Counts& counts) {
  PortState& port = ports_[question.slot];
  const Capabilities& can = *agents_[question.agent].can;
  // Another kind of counter than before is no continuation of it.
  if (port.reading.wide != can.wide) {
    port.reading.known = 0;
    port.read = {};
  }
  port.reading.wide = can.wide;
  const bool is_first = !port.reading.knows(Counter::TransmitData);
  fold(port.reading, port.raw, counts);
  if ((counts.known & bit(Counter::TransmitData)) != 0) {
    port.reading.interval = is_first ? base::Duration{0} : now - port.read;
    port.read = now;
  }
  const bool is_last = can.wide_errors || question.attribute == Id::PortCounters;
  if (is_last) port.heard_in = sweeps_;
}

void Machine::take_coding(const Question& question, const Counts& counts) {
  PortState& port = ports_[question.slot];
  fold(port.reading, port.raw, counts);
  port.coding_heard_in = sweeps_;
  agents_[question.agent].deaf_to_coding = 0;
}

// Who is asked instead may answer for a device of its own: another port's counters then.
bool Machine::is_elsewhere(std::uint32_t agent) const {
  const auto& there = agents_[agent].elsewhere;
  return there && there->lid != picture_->agents[agent].lid;
}

void Machine::clear(AgentState& agent, const Question& asked, const Counts& counts) {
  if (!options_.clear_full || counts.filling == 0 || is_elsewhere(asked.agent)) return;
  Question set = asked;
  set.method = mad::Method::Set;
  set.select = counts.select;
  set.select2 = counts.select2;
  set.counters = counts.filling;
  agent.extra.push_back(set);
}

// Whoever left one question unanswered is not asked the others: a dead switch costs one timeout.
void Machine::give_up(const Question& question) {
  AgentState& agent = agents_[question.agent];
  --agent.in_flight;
  agent.waits = false;
  if (ignores_coding(question)) {
    if (std::exchange(agent.deaf_in, sweeps_) != sweeps_) ++agent.deaf_to_coding;
    return make_ready(question.agent);
  }
  if (!std::exchange(agent.silent, true)) ++figures_.silent;
}

// What was lost on the way is not held against it for long.
bool Machine::may_know_coding(const AgentState& agent) const {
  if (agent.no_coding || agent.deaf_in == sweeps_) return false;
  return agent.deaf_to_coding < kDeafToCoding || sweeps_ - agent.deaf_in >= kCodingAskedAgain;
}

// Not every agent refuses an attribute that it does not know: some say nothing to it alone.
bool Machine::ignores_coding(const Question& question) const {
  if (question.attribute != Id::PortExtendedSpeedsCounters) return false;
  const PortState& port = ports_[question.slot];
  return port.coding_heard_in == 0 && port.heard_in == sweeps_;
}

void Machine::refuse(const Question& question) {
  AgentState& agent = agents_[question.agent];
  // Nothing but the speed of the link said that it would know them.
  if (question.attribute == Id::PortExtendedSpeedsCounters) {
    agent.no_coding = true;
    return;
  }
  if (!std::exchange(agent.refused, true)) ++figures_.refusing;
  // It said more of itself than it does.
  if (question.attribute == Id::PortCountersExtended) {
    agent.can->wide = agent.can->wide_by_kind = agent.can->wide_errors = false;
    const std::uint32_t narrow = (question.slot - agent.first) * kQuestionsPerPort + 1;
    if (agent.cursor <= narrow) return;
    Question instead = question;
    instead.attribute = Id::PortCounters;
    agent.extra.push_back(instead);
  }
}

std::shared_ptr<const Readings> Machine::readings(base::Instant now) const {
  auto out = std::make_shared<Readings>();
  out->sweep = figures_;
  out->sweep.number = sweeps_;
  out->sweep.took = now - begun_;
  out->hot_share = options_.hot_share;
  out->nodes = nodes_;
  out->ports.reserve(ports_.size());
  for (std::size_t i = 0; i < agents_.size(); ++i) {
    const mad::Guid node = picture_->agents[i].node;
    if (!agents_[i].silent || (!out->silent.empty() && out->silent.back() == node)) continue;
    out->silent.push_back(node);
  }
  for (const PortState& port : ports_) {
    PortReading& reading = out->ports.emplace_back(port.reading);
    if (port.heard_in == sweeps_) continue;
    reading.interval = {};
    reading.exceeded = 0;
    reading.deltas = {};
  }
  return out;
}

}  // namespace heddle::perf
