// SPDX-License-Identifier: BSD-3-Clause
// All that answers are made from. What is large is shared with the subnet manager and does not
// change; the rest follows from the events that it tells.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/atlas.hpp"
#include "api/demand.hpp"
#include "api/journal.hpp"
#include "api/link_care.hpp"
#include "api/losses.hpp"
#include "api/partition_book.hpp"
#include "congestion/report.hpp"
#include "mad/types.hpp"
#include "perf/readings.hpp"
#include "sm/group_list.hpp"
#include "sm/snapshot.hpp"

namespace heddle::api {

// What does not change while the program runs.
struct Identity {
  std::string version;
  bool shadow = false;
  WallTime started{};
};

// Which counters of ports metrics have.
enum class PortMetrics { All, NonZero, None };

// Whether keys are what guards a fabric; the keys themselves are told to nobody.
struct Guards {
  bool own_sm_key = false;  // not the one that everybody knows
  bool m_key = false;       // there is one
  bool m_key_per_port = false;
};

// What OpenSM's console tells of the configuration.
struct ToldInOpensm {
  std::chrono::seconds sweep_interval{0};
  bool counters = false;  // of ports are read
  std::chrono::seconds counters_interval{0};
  unsigned counters_window = 0;
  std::string log_level = "info";
  std::shared_ptr<const std::string> opensm_conf = {};  // as lines, without keys; null: none
};

// Where the subnet manager sits, and what it says of itself.
struct Seat {
  std::string fabric;  // the local port, or the simulated fabric
  unsigned priority = 0;
  std::string options = {};  // that shape its routes, as lines of a configuration file
  PortMetrics metrics = PortMetrics::All;
  Guards guards = {};
  ToldInOpensm told = {};
  // What is wrong with the configuration and the files it names, and what holds instead.
  std::vector<std::string> files = {};
};

// SMPs of all sweeps that are finished.
struct Traffic {
  std::uint64_t sent = 0;      // repeated ones included
  std::uint64_t answered = 0;  // in time or late
};

struct State;

// The fabric in one of the files of others; made piece by piece. Asked for only when there is one.
struct Export {
  std::string_view name;
  std::string_view type;  // of its text
  // Each call gives the next piece, nothing at the end.
  std::function<std::optional<std::string>()> (*begin)(const State&);
};

struct State {
  Identity identity;
  Seat seat;
  std::vector<Export> exports;
  std::shared_ptr<Atlas> atlas;                 // null: nobody draws
  std::shared_ptr<PartitionBook> book;          // null: programs change no partitions
  std::shared_ptr<const sm::Snapshot> fabric;   // null before the first sweep is over
  std::shared_ptr<const sm::GroupList> groups;  // null before that
  // What the ports have counted; null before the first of its sweeps is over.
  std::shared_ptr<const perf::Readings> readings;
  WallTime measured{};                   // when that was
  std::shared_ptr<const LinkCare> care;  // null: nothing is found or ordered
  // What is done about congestion; null: nothing.
  std::shared_ptr<const congestion::Report> congestion;
  // Of this subnet manager. Changed on the thread of the server alone, which reads it too.
  mad::SMState role = mad::SMState::Discovering;
  std::shared_ptr<Journal> journal = std::make_shared<Journal>();
  Losses losses;
  Demand demand;
  Traffic traffic;
  WallTime now{};  // of the request

  void take(std::shared_ptr<const sm::Snapshot> snapshot, WallTime time);
  void take(const sm::Event& event, WallTime time);
  void take(std::shared_ptr<const perf::Readings> counted, WallTime time);
};

// Whether an order took that link out.
bool is_ordered(const State& state, const LostLink& link);

// Why the fabric is not well, for a person; empty when it is. Of one that stands by for a master
// all is well, if its files are.
std::vector<std::string> complaints(const State& state);

}  // namespace heddle::api
