// SPDX-License-Identifier: BSD-3-Clause
#include "congestion/machine.hpp"

#include <algorithm>

namespace heddle::congestion {
namespace {

using Id = mad::CongestionAttributeId;

bool is_same_place(const Agent& a, const Agent& b) {
  return a.node == b.node && a.port == b.port;
}

}  // namespace

Machine::Machine(Options options) {
  set_options(std::move(options));
}

void Machine::set_options(Options options) {
  options_ = std::move(options);
  flights_.set_limits(options_.window, options_.per_second, options_.timeout);
  keys_.assign(1, options_.key);
  // A device that was never given a key takes anything, so the empty one is tried last.
  std::vector<mad::CCKey> others = options_.former_keys;
  others.push_back({});
  for (const mad::CCKey key : others) {
    if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) keys_.push_back(key);
  }
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
  base::Instant soonest = flights_.deadline(!ready_.empty());
  if (!busy()) soonest = std::min(soonest, std::min(next_check_, next_log_));
  return soonest;
}

void Machine::on(base::Instant now, const MadReceived& received) {
  const auto mad = from_datagram(received.datagram);
  if (!mad || !mad::is_response(mad->header.method)) return;
  // It is asked again when its time has come.
  if (mad->header.status == mad::kStatusBusy) return;
  // The upper half is the transport's.
  const auto agent =
      flights_.answered(static_cast<std::uint32_t>(mad->header.transaction_id.value));
  if (!agent) return;
  if (states_[*agent].stage == Stage::ReadLog) {
    if (mad->header.status == mad::kStatusOk) take_log(*agent, received.datagram);
    states_[*agent].stage = Stage::Rest;
    make_ready(*agent);
  } else {
    take_answer(now, *agent, *mad);
  }
}

void Machine::on(base::Instant now, PictureChanged& changed) {
  if (changed.picture == nullptr) {
    forget_requests();
    states_.clear();
    picture_ = nullptr;
    next_check_ = next_log_ = base::kNever;
    checking_ = reading_ = stopped_ = false;
    return;
  }
  if (picture_ != nullptr && *picture_ == *changed.picture) return;
  forget_requests();
  std::vector<State> states;
  std::size_t old = 0;
  for (const Agent& agent : changed.picture->agents) {
    const auto comes_before = [](const Agent& a, const Agent& b) {
      return std::pair(a.node, a.port) < std::pair(b.node, b.port);
    };
    while (old < states_.size() && comes_before(picture_->agents[old], agent)) ++old;
    const bool is_known = old < states_.size() && is_same_place(picture_->agents[old], agent);
    State& state = states.emplace_back(is_known ? std::move(states_[old]) : State{});
    state.report.node = agent.node;
    state.report.port = agent.port;
    state.report.is_switch = agent.is_switch;
    // What was in flight is asked again, from the beginning.
    const bool is_same = is_known && picture_->agents[old] == agent;
    if (!is_same || (state.stage != Stage::Rest && state.stage != Stage::ReadLog)) {
      state.check_due = true;
    }
    state.stage = Stage::Rest;
  }
  states_ = std::move(states);
  picture_ = std::move(changed.picture);
  changed_ = true;
  if (next_check_ == base::kNever) next_check_ = now;
  if (next_log_ == base::kNever && options_.log_interval > base::Duration{0}) {
    next_log_ = now + options_.log_interval;
  }
  for (std::size_t i = 0; i < states_.size(); ++i) make_ready(i);
}

void Machine::on(base::Instant, const NodeReturned& returned) {
  const auto first =
      std::lower_bound(states_.begin(), states_.end(), returned.node,
                       [](const State& state, mad::Guid node) { return state.report.node < node; });
  for (auto state = first; state != states_.end() && state->report.node == returned.node; ++state) {
    state->check_due = true;
    make_ready(static_cast<std::size_t>(state - states_.begin()));
  }
}

void Machine::on(base::Instant now, OptionsChanged& changed) {
  if (options_ == changed.options) return;
  set_options(std::move(changed.options));
  if (picture_ == nullptr) return;
  // From the beginning, with what is wanted now.
  forget_requests();
  for (State& state : states_) {
    state.stage = Stage::Rest;
    state.key = 0;
    state.keeps.clear();
  }
  checking_ = reading_ = false;
  next_check_ = now;
  next_log_ =
      options_.log_interval > base::Duration{0} ? now + options_.log_interval : base::kNever;
}

void Machine::begin_rounds(base::Instant now) {
  if (!checking_ && now >= next_check_) {
    checking_ = true;
    stopped_ = false;
    errors_.clear();
    next_check_ = base::kNever;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      states_[i].check_due = true;
      make_ready(i);
    }
  }
  if (!reading_ && now >= next_log_) {
    reading_ = true;
    next_log_ = now + options_.log_interval;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      states_[i].log_due = states_[i].has_class;
      make_ready(i);
    }
  }
}

void Machine::finish_rounds(base::Instant now) {
  if (busy()) return;
  if (std::exchange(checking_, false)) {
    ++figures_.checks;
    next_check_ = now + options_.interval;
    changed_ = true;
  }
  if (std::exchange(reading_, false)) changed_ = true;
  if (std::exchange(changed_, false)) outputs_.emplace_back(Publish{report()});
}

// Something is wrong with more than a device: writing on could make it worse.
void Machine::halt(base::Instant now) {
  forget_requests();
  for (State& state : states_) {
    state.stage = Stage::Rest;
    state.check_due = state.log_due = false;
  }
  checking_ = reading_ = false;
  stopped_ = true;
  errors_.clear();
  next_check_ = now + options_.interval;
  outputs_.emplace_back(Publish{report()});
  changed_ = false;
}

void Machine::drive(base::Instant now) {
  if (picture_ == nullptr) return;
  begin_rounds(now);
  for (const std::size_t agent : flights_.take_overdue(now)) unanswered(now, agent);
  while (!errors_.empty() && errors_.front() + options_.error_window < now) errors_.pop_front();
  if (options_.most_errors != 0 && errors_.size() > options_.most_errors) halt(now);
  pump(now);
  finish_rounds(now);
}

void Machine::pump(base::Instant now) {
  while (!ready_.empty() && flights_.may_send(now)) {
    const std::size_t agent = ready_.front();
    ready_.pop_front();
    states_[agent].queued = false;
    if (states_[agent].stage == Stage::Rest) begin(states_[agent]);
    send(now, agent);
  }
}

// One that rests and has nothing due is left out; one that is in the midst of a check goes on.
void Machine::make_ready(std::size_t agent) {
  const State& state = states_[agent];
  const bool rests = state.stage == Stage::Rest;
  if (rests && (stopped_ || !(state.check_due || state.log_due))) return;
  const bool in_flight = !rests && state.attempt != 0;
  if (!in_flight) enqueue(agent);
}

void Machine::enqueue(std::size_t agent) {
  if (!std::exchange(states_[agent].queued, true)) ready_.push_back(agent);
}

void Machine::forget_requests() {
  flights_.cancel();
  ready_.clear();
  for (State& state : states_) state.queued = false;
}

void Machine::begin(State& state) {
  state.attempt = 0;
  state.keys_tried = 1;
  if (std::exchange(state.check_due, false)) {
    state.stage = Stage::Info;
    state.outcome = Outcome::Right;
    state.wishes.clear();
    state.at = 0;
  } else {
    state.log_due = false;
    state.stage = Stage::ReadLog;
  }
}

Id Machine::attribute_of(const State& state) const {
  switch (state.stage) {
    case Stage::Rest:
    case Stage::Info:
      return Id::CongestionInfo;
    case Stage::GetKey:
    case Stage::SetKey:
      return Id::CongestionKeyInfo;
    case Stage::Get:
    case Stage::Set:
      return state.wishes[state.at].attribute;
    case Stage::ReadLog:
      break;
  }
  return Id::CongestionLog;
}

mad::CongestionKeyInfo Machine::wanted_key() const {
  return {options_.key, options_.key_mode == KeyMode::Hide, options_.key_lease, 0};
}

CongestionMad Machine::question(const State& state) const {
  const bool is_set = state.stage == Stage::Set || state.stage == Stage::SetKey;
  const bool is_setting = state.stage == Stage::Set || state.stage == Stage::Get;
  CongestionMad mad = request(is_set ? mad::Method::Set : mad::Method::Get, attribute_of(state),
                              is_setting ? state.wishes[state.at].block : 0, 0, keys_[state.key]);
  if (state.stage == Stage::Set) mad.data = state.wishes[state.at].data;
  if (state.stage == Stage::SetKey) encode_at(mad.data, 0, wanted_key());
  return mad;
}

void Machine::send(base::Instant now, std::size_t agent) {
  State& state = states_[agent];
  if (state.attempt++ != 0) ++figures_.retries;
  ++figures_.sent;
  CongestionMad mad = question(state);
  mad.header.transaction_id = mad::TransactionId{flights_.send(now, agent)};
  const Agent& to = picture_->agents[agent];
  outputs_.emplace_back(SendMad{to_datagram(mad, to.lid, to.sl)});
}

void Machine::go_on(std::size_t agent, Stage stage) {
  State& state = states_[agent];
  state.stage = stage;
  state.attempt = 0;
  make_ready(agent);
}

// Of several troubles the first is told.
void Machine::note(State& state, Outcome outcome, mad::Status status) const {
  if (state.outcome != Outcome::Right || outcome == Outcome::Right) return;
  state.outcome = outcome;
  state.about = attribute_of(state);
  state.status = status;
}

void Machine::end(std::size_t agent, Outcome outcome, mad::Status status) {
  State& state = states_[agent];
  note(state, outcome, status);
  state.report.outcome = state.outcome;
  state.report.about = state.about;
  state.report.status = state.status;
  state.stage = Stage::Rest;
  changed_ = true;
  make_ready(agent);
}

void Machine::next_wish(std::size_t agent) {
  const State& state = states_[agent];
  if (state.at < state.wishes.size()) return go_on(agent, Stage::Get);
  end(agent, Outcome::Right, {});
}

void Machine::after_key(std::size_t agent) {
  State& state = states_[agent];
  const Agent& is = picture_->agents[agent];
  state.wishes = wishes(options_.settings, is, state.report.room);
  state.at = 0;
  const bool is_host = !is.is_switch;
  if (is_host && !table_fits(options_.settings, state.report.room)) {
    state.outcome = Outcome::TooSmall;
    state.about = Id::CongestionControlTable;
  }
  next_wish(agent);
}

void Machine::take_answer(base::Instant now, std::size_t agent, const CongestionMad& answer) {
  State& state = states_[agent];
  if (answer.header.attribute_id != static_cast<std::uint16_t>(attribute_of(state))) {
    return unanswered(now, agent);
  }
  switch (state.stage) {
    case Stage::Info:
      return take_info(agent, answer);
    case Stage::GetKey:
    case Stage::SetKey:
      if (answer.header.status != mad::kStatusOk) {
        note_error(now, state, Outcome::Refused, answer.header.status);
        return after_key(agent);
      }
      return take_key(agent, answer);
    case Stage::Get:
    case Stage::Set:
      return take_setting(now, agent, answer);
    case Stage::Rest:
    case Stage::ReadLog:
      break;
  }
}

void Machine::take_info(std::size_t agent, const CongestionMad& answer) {
  State& state = states_[agent];
  if (answer.header.status != mad::kStatusOk) {
    return end(agent, Outcome::NoService, answer.header.status);
  }
  state.has_class = state.had_class = true;
  const auto info = decode_at<mad::CongestionInfo>(answer.data, 0);
  state.report.room =
      static_cast<std::uint32_t>(info.control_table_cap * mad::kCongestionTableEntriesPerBlock);
  if (options_.key_mode != KeyMode::Use) return go_on(agent, Stage::GetKey);
  after_key(agent);
}

void Machine::take_key(std::size_t agent, const CongestionMad& answer) {
  State& state = states_[agent];
  const auto held = decode_at<mad::CongestionKeyInfo>(answer.data, 0);
  const mad::CongestionKeyInfo wanted = wanted_key();
  state.report.violations = held.cc_key_violations;
  const bool is_right = held.cc_key == wanted.cc_key &&
                        held.cc_key_protect_bit == wanted.cc_key_protect_bit &&
                        held.cc_key_lease_period == wanted.cc_key_lease_period;
  if (state.stage == Stage::GetKey && !is_right) return go_on(agent, Stage::SetKey);
  if (state.stage == Stage::SetKey) {
    ++state.report.writes;
    ++figures_.writes;
  }
  state.key = 0;
  state.keys_tried = 1;
  after_key(agent);
}

void Machine::take_setting(base::Instant now, std::size_t agent, const CongestionMad& answer) {
  State& state = states_[agent];
  const Wish& wish = state.wishes[state.at];
  const Place place{wish.attribute, wish.block};
  if (answer.header.status != mad::kStatusOk) {
    note_error(now, state, Outcome::Refused, answer.header.status);
  } else if (state.stage == Stage::Get) {
    const auto kept = state.keeps.find(place);
    const bool is_kept = kept != state.keeps.end() && kept->second == answer.data;
    if (!stands(wish, answer.data) && !is_kept) return go_on(agent, Stage::Set);
    if (is_kept) note(state, Outcome::Otherwise, {});
  } else {
    ++state.report.writes;
    ++figures_.writes;
    state.keeps.erase(place);
    if (!stands(wish, answer.data)) {
      state.keeps[place] = answer.data;
      note_error(now, state, Outcome::Otherwise, {});
    }
  }
  ++state.at;
  next_wish(agent);
}

void Machine::take_log(std::size_t agent, const mad::Datagram& answer) {
  const auto log = log_of(answer);
  if (!log) return;
  AgentReport& report = states_[agent].report;
  report.events += log->events;
  report.levels = static_cast<std::uint16_t>(report.levels | log->levels);
  for (const std::uint8_t port : log->ports) report.ports.set(port);
  for (const LogEntry& entry : log->entries) report.flows.push_back(entry);
  while (report.flows.size() > kFlowsKept) report.flows.pop_front();
}

void Machine::note_error(base::Instant now, State& state, Outcome outcome, mad::Status status) {
  errors_.push_back(now);
  note(state, outcome, status);
}

// A wrong CC_Key is answered by silence, so the others are tried before it is believed.
void Machine::unanswered(base::Instant now, std::size_t agent) {
  State& state = states_[agent];
  if (state.attempt < options_.attempts) {
    return enqueue(agent);
  }
  if (state.stage == Stage::ReadLog) {
    state.stage = Stage::Rest;
    return make_ready(agent);
  }
  if (state.keys_tried < keys_.size()) {
    ++state.keys_tried;
    state.key = (state.key + 1) % keys_.size();
    state.attempt = 0;
    return enqueue(agent);
  }
  state.key = 0;
  if (state.stage == Stage::Info) {
    // One that did answer before may be on its way out, or hides from the key that we have now.
    state.has_class = false;
    return end(agent, state.had_class ? Outcome::Silent : Outcome::NoAnswer, {});
  }
  const bool is_write = state.stage == Stage::Set || state.stage == Stage::SetKey;
  const Outcome outcome = is_write ? Outcome::Locked : Outcome::Silent;
  note_error(now, state, outcome, {});
  end(agent, outcome, {});
}

std::shared_ptr<const Report> Machine::report() const {
  auto out = std::make_shared<Report>(figures_);
  out->stopped = stopped_;
  out->agents.reserve(states_.size());
  for (const State& state : states_) out->agents.push_back(state.report);
  return out;
}

}  // namespace heddle::congestion
