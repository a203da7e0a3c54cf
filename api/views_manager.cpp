// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/counters.hpp"
#include "api/metrics.hpp"
#include "api/views.hpp"
#include "base/text.hpp"

namespace heddle::api {
namespace {

std::string_view role_word(mad::SMState state) {
  constexpr std::array<std::string_view, 4> kWords{"not-active", "discovering", "standby",
                                                   "master"};
  return kWords[static_cast<std::size_t>(state) % kWords.size()];
}

std::string verdict(const State& state, bool well) {
  if (state.fabric == nullptr) return "The first sweep is under way";
  if (state.identity.shadow) return "Only watching; nothing is written";
  if (state.role == mad::SMState::Standby) {
    return well ? "Standing by for another subnet manager" : "Standing by";
  }
  return well ? "All is well" : "Not all is well";
}

// A number of events; nothing when the parameter is there and is none.
std::optional<std::uint64_t> number(const Target& target, const char* name,
                                    std::uint64_t otherwise) {
  const auto found = target.query.find(name);
  return found == target.query.end() ? otherwise : base::parse_number(found->second);
}

// Behind which of the events that there are somebody goes on who asks for those behind `after`.
// Events are numbered anew with each run. So a number that none has yet is one of a run before, and
// its reader has heard nothing of this one; but the very next is what clients ask for that take
// "next" for it: they have heard all that there is.
std::uint64_t begin_behind(const Journal& journal, std::uint64_t after) {
  if (after > journal.next()) return 0;
  return std::min(after, journal.next() - 1);
}

constexpr const char* kNoNumber = "after and limit are numbers";

// The stream of events as server-sent events (WHATWG HTML, 9.2), from where its reader stopped.
class EventStream {
 public:
  EventStream(std::shared_ptr<const Journal> journal, std::uint64_t after)
      : journal_(std::move(journal)), after_(after) {}

  std::optional<std::string> next() {
    const auto& events = journal_->events();
    std::string piece;
    std::size_t at = journal_->after(after_);
    // Whoever reads too slowly is told what it missed.
    if (at < events.size() && after_ != 0 && events[at].number > after_ + 1) {
      piece += fmt::format("event: Missed\ndata: {{\"events\": {}}}\n\n",
                           events[at].number - after_ - 1);
    }
    for (std::size_t made = 0; made < kRowsAtOnce && at < events.size(); ++made, ++at) {
      after_ = events[at].number;
      piece += fmt::format("id: {}\nevent: {}\ndata: {}\n\n", after_, events[at].name,
                           dump(event_row(events[at])));
    }
    return piece;
  }

 private:
  std::shared_ptr<const Journal> journal_;
  std::uint64_t after_;
};

// The text under this name; empty when there is none. Nothing when it is no text, or too long.
std::optional<std::string> text_in(const Json& body, const char* name) {
  constexpr std::size_t kMostBytes = 200;
  const auto found = body.find(name);
  if (found == body.end()) return std::string();
  if (!found->is_string()) return std::nullopt;
  std::string text = base::printable(found->get<std::string>());
  return text.size() > kMostBytes ? std::nullopt : std::optional(std::move(text));
}

Response plain(unsigned status, std::string text) {
  Response response;
  response.status = status;
  response.type = "text/plain; charset=utf-8";
  response.body = std::move(text);
  return response;
}

}  // namespace

Response accepted(Command command, std::string_view what) {
  Response response = json_response({{"accepted", what}}, 202);
  response.command = std::move(command);
  return response;
}

std::optional<Json> body_of(const Request& request) {
  if (request.body.empty()) return Json::object();
  Json body = Json::parse(request.body, nullptr, /*allow_exceptions=*/false);
  return body.is_object() ? std::optional(std::move(body)) : std::nullopt;
}

Json manager_json(const State& state) {
  Json peers = Json::array();
  Json guid = nullptr, at = nullptr;
  if (state.fabric != nullptr) {
    const sm::Snapshot& fabric = *state.fabric;
    for (const sm::OtherManager& other : fabric.other_managers) {
      peers.push_back(manager_row(fabric, other));
    }
    if (fabric.sm_port != fabric::kNoPort) {
      at = end_row(fabric.topology, fabric.sm_port);
      guid = base::hex(fabric.topology.port(fabric.sm_port).guid.value);
    }
  }
  return {{"state", role_word(state.role)},
          {"priority", state.seat.priority},
          {"shadow", state.identity.shadow},
          {"guid", std::move(guid)},
          {"at", std::move(at)},
          {"sweeping", state.journal->sweeping()},
          {"peers", std::move(peers)}};
}

Response get_demand(const State& state, const Request&, const Target&) {
  const Demand& demand = state.demand;
  Json answer{{"requests", demand.requests}, {"put_off", demand.put_off}, {"last", nullptr}};
  Json top = Json::array();
  if (demand.last) {
    for (const auto& talker : demand.last->top) {
      const bool known = talker.node != sm::NodeName{};
      top.push_back({{"node", talker.node.description},
                     {"guid", known ? Json(base::hex(talker.node.guid.value)) : Json(nullptr)},
                     {"lid", talker.lid.value},
                     {"requests", talker.requests},
                     {"put_off", talker.put_off}});
    }
    answer["last"] = {{"told", text(demand.told)},
                      {"seconds", std::chrono::duration<double>(demand.last->time).count()},
                      {"requests", demand.last->requests},
                      {"put_off", demand.last->put_off}};
  }
  answer["talkers"] = std::move(top);
  return json_response(answer);
}

Response get_health(const State&, const Request&, const Target&) {
  return plain(200, "ok\n");
}

// Ready is who serves the fabric, or stands by to.
Response get_ready(const State& state, const Request&, const Target&) {
  const bool takes_part = state.role == mad::SMState::Master || state.role == mad::SMState::Standby;
  const bool ready = state.fabric != nullptr && (takes_part || state.identity.shadow);
  return ready ? plain(200, "ready\n") : plain(503, "the fabric is not up yet\n");
}

Response get_metrics(const State& state, const Request&, const Target&) {
  Response response = plain(200, metrics_text(state));
  if (Pieces ports = port_metrics(state)) {
    response.pieces = [head = std::move(response.body), ports = std::move(ports)]() mutable {
      return head.empty() ? ports() : std::optional(std::exchange(head, {}));
    };
  }
  response.type = "text/plain; version=0.0.4; charset=utf-8";
  return response;
}

Response get_status(const State& state, const Request&, const Target&) {
  const std::vector<std::string> reasons = complaints(state);
  Json lost = Json::array();
  for (const LostLink& link : state.losses.links()) {
    lost.push_back(lost_row(link, is_ordered(state, link)));
  }
  const auto& sweeps = state.journal->sweeps();
  const auto reached = state.book ? programmed_generation(state) : std::nullopt;
  const auto up =
      std::chrono::duration_cast<std::chrono::seconds>(state.now - state.identity.started);
  return json_response(
      {{"well", reasons.empty()},
       {"verdict", verdict(state, reasons.empty())},
       {"reasons", reasons},
       {"lost_links", std::move(lost)},
       {"sm", manager_json(state)},
       {"fabric", state.fabric ? fabric_json(*state.fabric) : Json(nullptr)},
       {"last_sweep", sweeps.empty() ? Json(nullptr) : sweep_row(sweeps.back())},
       {"counter_sweep", state.readings ? Json(state.readings->sweep.number) : Json(nullptr)},
       {"managed_partitions", state.book ? Json(state.book->now().generation) : Json(nullptr)},
       {"managed_programmed", reached ? Json(*reached) : Json(nullptr)},
       {"on", state.seat.fabric},
       {"version", state.identity.version},
       {"time", text(state.now)},
       {"uptime_seconds", up.count()}});
}

Response get_manager(const State& state, const Request&, const Target&) {
  return json_response(manager_json(state));
}

Response get_sweeps(const State& state, const Request&, const Target&) {
  Json rows = Json::array();
  for (const JournalSweep& sweep : state.journal->sweeps()) rows.push_back(sweep_row(sweep));
  return json_response({{"sweeps", std::move(rows)}});
}

Response get_events(const State& state, const Request&, const Target& target) {
  const auto after = number(target, "after", 0);
  const auto limit = number(target, "limit", kEventsKept);
  if (!after || !limit) return refusal(400, kNoNumber);
  const auto& events = state.journal->events();
  Json rows = Json::array();
  std::uint64_t last = begin_behind(*state.journal, *after);
  for (std::size_t i = state.journal->after(last); i < events.size() && rows.size() < *limit; ++i) {
    rows.push_back(event_row(events[i]));
    last = events[i].number;
  }
  return json_response({{"oldest", events.empty() ? 0 : events.front().number},
                        {"last", last},
                        {"next", state.journal->next()},
                        {"events", std::move(rows)}});
}

Response get_event_stream(const State& state, const Request& request, const Target& target) {
  const bool resumes = !request.last_event_id.empty();
  const auto after = resumes ? base::parse_number(request.last_event_id)
                             : number(target, "after", state.journal->next() - 1);
  if (!after) return refusal(400, kNoNumber);
  auto stream = std::make_shared<EventStream>(state.journal, begin_behind(*state.journal, *after));
  Response response;
  response.type = "text/event-stream";
  response.pieces = [stream] { return stream->next(); };
  return response;
}

Response post_resweep(const State&, const Request& request, const Target&) {
  const auto body = body_of(request);
  const auto reason = body ? text_in(*body, "reason") : std::nullopt;
  if (!reason) return refusal(400, "the body is {} or {\"reason\": \"...\"}");
  return accepted(Resweep{reason->empty() ? "an operator asked for it" : *reason}, "resweep");
}

Response post_reload(const State&, const Request&, const Target&) {
  return accepted(Reload{}, "reload");
}

Response post_log_level(const State&, const Request& request, const Target&) {
  constexpr std::array<std::string_view, 4> kLevels{"debug", "info", "warning", "error"};
  const auto body = body_of(request);
  const auto level = body ? text_in(*body, "level") : std::nullopt;
  if (!level || std::find(kLevels.begin(), kLevels.end(), *level) == kLevels.end()) {
    return refusal(400, "level is one of debug, info, warning, error");
  }
  return accepted(SetLogLevel{*level}, "log-level");
}

Response post_priority(const State&, const Request& request, const Target&) {
  constexpr unsigned kHighest = 15;
  const auto body = body_of(request);
  const auto found = body ? body->find("priority") : Json::const_iterator();
  const bool sound = body && found != body->end() && found->is_number_unsigned();
  if (!sound || found->get<std::uint64_t>() > kHighest) {
    return refusal(400, "the body is {\"priority\": N}, with N from 0 to 15");
  }
  return accepted(SetPriority{found->get<unsigned>()}, "priority");
}

// The standby that ranks highest becomes master; this one ranks just below it until the reload.
Response post_hand_over(const State& state, const Request&, const Target&) {
  if (state.fabric == nullptr) return not_yet();
  if (state.role != mad::SMState::Master) {
    return refusal(409, "this subnet manager is not master: it has nothing to hand over");
  }
  const sm::OtherManager* next = nullptr;
  for (const sm::OtherManager& other : state.fabric->other_managers) {
    if (other.state != mad::SMState::Standby || !other.may_take_part) continue;
    if (next == nullptr || other.priority > next->priority) next = &other;
  }
  if (next == nullptr) return refusal(409, "no other subnet manager stands by");
  if (next->priority == 0) {
    return refusal(409, "the standby has priority 0, and nobody can rank below it: give it more");
  }
  return accepted(SetPriority{next->priority - 1u, true}, "hand-over");
}

Response post_accept_losses(const State&, const Request&, const Target&) {
  return accepted(AcceptLosses{}, "accept-losses");
}

}  // namespace heddle::api
