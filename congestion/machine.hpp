// SPDX-License-Identifier: BSD-3-Clause
// The congestion control manager (IBA vol. 1, A10) as a machine: inputs in, outputs out, without
// clock, thread or socket. It reads what stands in the devices of its picture, writes what is
// otherwise, looks again from time to time, and reads their logs.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/flights.hpp"
#include "base/time.hpp"
#include "congestion/mads.hpp"
#include "congestion/options.hpp"
#include "congestion/picture.hpp"
#include "congestion/report.hpp"
#include "congestion/wishes.hpp"
#include "mad/datagram.hpp"

namespace heddle::congestion {

// --- inputs -------------------------------------------------------------------------------------

struct Tick {};
// Of class CongestionControl; all else is ignored.
struct MadReceived {
  mad::Datagram datagram;
};
// Null: nobody is asked until there is one. Devices that are new in it, or other than before, are
// looked at at once.
struct PictureChanged {
  std::shared_ptr<const Picture> picture;
};
// A device that may have lost what it was told.
struct NodeReturned {
  mad::Guid node{};
};
// All devices are looked at anew.
struct OptionsChanged {
  Options options;
};
using Input = std::variant<Tick, MadReceived, PictureChanged, NodeReturned, OptionsChanged>;

// --- outputs ------------------------------------------------------------------------------------

struct SendMad {
  mad::Datagram datagram;
};
// Whenever all that was to be asked has been, or too much of it went wrong.
struct Publish {
  std::shared_ptr<const Report> report;
};
using Output = std::variant<SendMad, Publish>;

class Machine {
 public:
  explicit Machine(Options options);

  // `now` never goes back.
  void step(base::Instant now, Input input);
  // When step(now, Tick) must be called at the latest; kNever when nothing is pending.
  base::Instant deadline() const;
  std::vector<Output> take_outputs();
  bool busy() const { return !ready_.empty() || !flights_.idle(); }

 private:
  enum class Stage : std::uint8_t { Rest, Info, GetKey, SetKey, Get, Set, ReadLog };
  using Place = std::pair<mad::CongestionAttributeId, std::uint32_t>;
  struct State {
    AgentReport report;
    Stage stage = Stage::Rest;
    bool check_due = true;
    bool log_due = false;
    bool has_class = false;  // it answered when it was asked last
    bool had_class = false;  // it answered once
    bool queued = false;     // in ready_
    std::size_t key = 0;     // of keys_, the one that it takes as far as is known
    std::size_t keys_tried = 0;
    std::uint32_t attempt = 0;  // of the request that is due or in flight
    std::vector<Wish> wishes;
    std::size_t at = 0;
    // What it made of what it was told, where that is something else.
    std::map<Place, Data> keeps;
    Outcome outcome{};  // of the check that goes on
    mad::CongestionAttributeId about{};
    mad::Status status{};
  };

  void on(base::Instant, const Tick&) {}
  void on(base::Instant now, const MadReceived& received);
  void on(base::Instant now, PictureChanged& changed);
  void on(base::Instant now, const NodeReturned& returned);
  void on(base::Instant now, OptionsChanged& changed);

  void drive(base::Instant now);
  void pump(base::Instant now);
  void begin_rounds(base::Instant now);
  void finish_rounds(base::Instant now);
  void halt(base::Instant now);
  void make_ready(std::size_t agent);
  void enqueue(std::size_t agent);
  void forget_requests();
  void begin(State& state);
  void send(base::Instant now, std::size_t agent);
  CongestionMad question(const State& state) const;
  void go_on(std::size_t agent, Stage stage);
  void next_wish(std::size_t agent);
  void after_key(std::size_t agent);
  void end(std::size_t agent, Outcome outcome, mad::Status status);

  void take_answer(base::Instant now, std::size_t agent, const CongestionMad& answer);
  void take_info(std::size_t agent, const CongestionMad& answer);
  void take_key(std::size_t agent, const CongestionMad& answer);
  void take_setting(base::Instant now, std::size_t agent, const CongestionMad& answer);
  void take_log(std::size_t agent, const mad::Datagram& answer);
  void unanswered(base::Instant now, std::size_t agent);
  void note(State& state, Outcome outcome, mad::Status status) const;
  void note_error(base::Instant now, State& state, Outcome outcome, mad::Status status);
  mad::CongestionAttributeId attribute_of(const State& state) const;
  mad::CongestionKeyInfo wanted_key() const;
  std::shared_ptr<const Report> report() const;
  void set_options(Options options);

  Options options_;
  std::vector<mad::CCKey> keys_;        // to be tried, the present one first
  base::Flights<std::size_t> flights_;  // which agent is asked
  std::shared_ptr<const Picture> picture_;
  std::vector<State> states_;      // as the agents of the picture
  std::deque<std::size_t> ready_;  // agents with something to ask and nothing in flight
  base::Instant next_check_ = base::kNever;
  base::Instant next_log_ = base::kNever;
  bool checking_ = false;  // all of them, until there is nothing left to ask
  bool reading_ = false;   // the logs
  bool changed_ = false;   // something that was not published
  bool stopped_ = false;
  std::deque<base::Instant> errors_;
  Report figures_;  // without agents
  std::vector<Output> outputs_;
};

}  // namespace heddle::congestion
