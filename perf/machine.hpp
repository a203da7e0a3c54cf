// SPDX-License-Identifier: BSD-3-Clause
// The performance manager as a machine: inputs in, outputs out, without clock, thread or socket. It
// asks the agents of its picture what their ports count, sweep after sweep, and publishes what they
// said. It reads; what is written at all is said in Options::clear_full.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "mad/datagram.hpp"
#include "perf/inquiry.hpp"
#include "perf/mads.hpp"
#include "perf/options.hpp"
#include "perf/picture.hpp"
#include "perf/readings.hpp"
#include "perf/thresholds.hpp"

namespace heddle::perf {

// --- inputs -------------------------------------------------------------------------------------

struct Tick {};
// Of class Perf; all else is ignored.
struct MadReceived {
  mad::Datagram datagram;
};
// A request of ours that the transport gives back unanswered.
struct SendFailed {
  mad::Datagram datagram;
};
// Null: nobody is asked until there is one. What was counted at ports that are in both goes on, and
// what agents that are in both can is not asked again.
struct PictureChanged {
  std::shared_ptr<const Picture> picture;
};
struct OptionsChanged {
  Options options;
};
using Input = std::variant<Tick, MadReceived, SendFailed, PictureChanged, OptionsChanged>;

// --- outputs ------------------------------------------------------------------------------------

struct SendMad {
  mad::Datagram datagram;
};
// After each sweep.
struct Publish {
  std::shared_ptr<const Readings> readings;
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
  bool sweeping() const { return sweeping_; }

 private:
  struct AgentState {
    std::optional<Capabilities> can;  // none: not asked yet
    std::uint32_t first = 0;          // its ports
    std::uint32_t count = 0;
    std::uint32_t cursor = 0;  // the next question of this sweep: three for each port
    std::uint32_t in_flight = 0;
    std::optional<mad::Address> elsewhere;  // where it wants to be asked
    unsigned redirections = 0;              // followed in this sweep
    bool waits = false;                     // for what it can
    bool silent = false;
    bool refused = false;
    bool ready = false;           // in ready_
    bool no_coding = false;       // it does not know the counters of links' coding
    unsigned deaf_to_coding = 0;  // sweeps in a row in which it said nothing to them alone
    std::uint64_t deaf_in = 0;    // the last of those
    std::vector<Question> extra;
  };
  struct PortState {
    PortReading reading;
    std::array<std::uint64_t, kCounterCount> raw{};
    base::Instant read{};        // its data
    std::uint64_t heard_in = 0;  // sweep
    std::uint64_t coding_heard_in = 0;
  };

  void on(base::Instant, const Tick&) {}
  void on(base::Instant now, const MadReceived& received);
  void on(base::Instant now, const SendFailed& failed);
  void on(base::Instant now, PictureChanged& changed);
  void on(base::Instant now, OptionsChanged& changed);

  bool may_wait(const Picture& picture) const;
  std::vector<AgentState> agents_of(const Picture& picture);
  void take(std::shared_ptr<const Picture> picture);
  void begin_sweep(base::Instant now);
  void finish_sweep(base::Instant now);
  void drive(base::Instant now);
  void pump(base::Instant now);
  void make_ready(std::uint32_t agent);
  std::optional<Question> next_question(std::uint32_t agent);
  void send(const Question& question, std::uint32_t transaction);
  void take_answer(base::Instant now, const Question& question, const PerfMad& answer);
  bool follow(const Question& question, const PerfMad& answer);
  void take_capabilities(AgentState& agent, const PerfMad& answer);
  void take_counts(base::Instant now, const Question& question, const Counts& counts);
  void take_coding(const Question& question, const Counts& counts);
  bool ignores_coding(const Question& question) const;
  bool may_know_coding(const AgentState& agent) const;
  bool is_elsewhere(std::uint32_t agent) const;
  void clear(AgentState& agent, const Question& asked, const Counts& counts);
  void give_up(const Question& question);
  void refuse(const Question& question);
  std::shared_ptr<const Readings> readings(base::Instant now) const;

  Options options_;
  Inquiry inquiry_;
  Watchman watchman_;
  std::shared_ptr<const Picture> picture_;
  std::optional<std::shared_ptr<const Picture>> next_picture_;  // when the sweep is over
  std::vector<AgentState> agents_;                              // as those of the picture
  std::vector<PortState> ports_;                                // of one agent after another
  std::vector<Coding> codings_;                                 // likewise
  std::vector<Readings::Node> nodes_;                           // over ports_
  std::deque<std::uint32_t> ready_;  // agents with something to ask and room in their window
  bool sweeping_ = false;
  bool followed_ = true;  // Options::follow_redirects, of the last sweep
  base::Instant begun_{};
  base::Instant next_sweep_ = base::kNever;
  std::uint64_t sweeps_ = 0;  // begun
  SweepFigures figures_;
  std::vector<Output> outputs_;
};

}  // namespace heddle::perf
