// SPDX-License-Identifier: BSD-3-Clause
// Partitions that programs change: all or nothing, the same twice, and known when it is done.
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/partitions_json.hpp"
#include "api/views.hpp"
#include "base/text.hpp"

namespace heddle::api {
namespace {

Json standing(const State& state, std::uint64_t wanted) {
  const auto reached = programmed_generation(state);
  return {{"generation", wanted},
          {"programmed", reached ? Json(*reached) : Json(nullptr)},
          {"done", reached && *reached >= wanted}};
}

// 200 when the fabric has reached it, 202 while it has not.
Response standing_response(const State& state, std::uint64_t wanted) {
  const Json json = standing(state, wanted);
  return json_response(json, json["done"] == true ? 200 : 202);
}

Response no_book() {
  return refusal(503, "programs may change no partitions: [partitions] managed is false");
}

// The parameter `wait`, in seconds; an error when it is none.
base::Result<std::chrono::seconds> patience_of(const Target& target) {
  constexpr std::uint64_t kLongest = 60;
  const std::string* word = parameter(target, "wait");
  if (word == nullptr) return std::chrono::seconds(0);
  std::string_view digits = *word;
  if (digits.ends_with('s')) digits.remove_suffix(1);
  const auto seconds = base::parse_number(digits, kLongest);
  if (!seconds) return base::error(fmt::format("wait is 0 to {} seconds", kLongest));
  return std::chrono::seconds(*seconds);
}

// What is known now, or later when the fabric has reached it, if there is time to wait. That of
// another master's partitions is none of ours, whatever its number.
Response when_reached(const State& state, std::uint64_t wanted, std::chrono::seconds patience) {
  Response response = standing_response(state, wanted);
  if (response.status == 200 || patience.count() == 0) return response;
  Response waits;
  // The state outlives all connections.
  waits.later = [&state, wanted, told = state.book->times_told(),
                 until = std::chrono::steady_clock::now() + patience]() -> std::optional<Response> {
    if (state.book->times_told() != told) {
      return refusal(409, "another subnet manager has become master meanwhile: read it again");
    }
    Response now = standing_response(state, wanted);
    if (now.status == 200 || std::chrono::steady_clock::now() >= until) return now;
    return std::nullopt;
  };
  return waits;
}

Response change(const State& state, const Target& target,
                const std::vector<partitions::ManagedChange>& changes) {
  const auto patience = patience_of(target);
  if (patience.has_error()) return refusal(400, patience.error().message);
  std::optional<std::uint64_t> generation;
  if (const std::string* word = parameter(target, "if_generation")) {
    generation = base::parse_number(*word);
    if (!generation) return refusal(400, "if_generation is a number");
  }
  std::optional<Command> command;
  if (auto refused = change_book(state, changes, command, generation)) return std::move(*refused);
  Response response = when_reached(state, state.book->now().generation, *patience);
  response.command = std::move(command);
  return response;
}

}  // namespace

std::optional<std::uint64_t> programmed_generation(const State& state) {
  if (state.fabric == nullptr || state.fabric->view == nullptr) return std::nullopt;
  const auto memberships = state.fabric->view->subnet().memberships;
  return memberships == nullptr ? 0 : memberships->policy().generation;
}

namespace {

// Why programs cannot change partitions here and now, if they cannot.
std::optional<Response> no_changes(const State& state) {
  if (!state.book) return no_book();
  if (!state.book->is_told() || state.role == mad::SMState::Master) return std::nullopt;
  return refusal(503, state.role == mad::SMState::Standby
                          ? "this subnet manager stands by: the master changes partitions"
                          : "this subnet manager is not master yet: it may be told of others");
}

}  // namespace

std::optional<Response> change_book(const State& state,
                                    const std::vector<partitions::ManagedChange>& changes,
                                    std::optional<Command>& command,
                                    std::optional<std::uint64_t> generation) {
  if (auto refused = no_changes(state)) return refused;
  const auto before = state.book->shared();
  if (generation && *generation != before->generation) {
    return refusal(409, fmt::format("the generation is {}: read it again", before->generation));
  }
  if (const auto refused = state.book->change(changes, state.now)) {
    return refusal(refused->fault == PartitionBook::Fault::Wrong ? 400 : 507, refused->why);
  }
  if (state.book->shared() != before) command = UsePartitions{state.book->shared(), before};
  return std::nullopt;
}

Response get_managed_partitions(const State& state, const Request&, const Target& target) {
  if (!state.book) return no_book();
  const auto patience = patience_of(target);
  if (patience.has_error()) return refusal(400, patience.error().message);
  const std::uint64_t wanted = state.book->now().generation;
  if (patience->count() != 0) return when_reached(state, wanted, *patience);
  Json json = standing(state, wanted);
  const auto& time = state.book->changed_at();
  json["changed"] = time ? Json(text(*time)) : Json(nullptr);
  json["partitions"] = json_of(state.book->now())["partitions"];
  return json_response(json);
}

Response get_managed_partition(const State& state, const Request&, const Target& target) {
  if (!state.book) return no_book();
  const auto key = base_key_of(std::string_view(target.path.back()));
  const auto& all = state.book->now().partitions;
  const auto found = key ? all.find(*key) : all.end();
  if (found == all.end()) return refusal(404, "programs have made no such partition");
  return json_response(json_of(found->first, found->second));
}

Response put_managed_partition(const State& state, const Request& request, const Target& target) {
  if (!state.book) return no_book();
  auto body = body_of(request);
  if (!body) return refusal(400, "the body is no JSON object");
  (*body)["p_key"] = target.path.back();
  const auto set = partition_of(*body);
  if (set.has_error()) return refusal(400, set.error().message);
  return change(state, target, {*set});
}

Response delete_managed_partition(const State& state, const Request&, const Target& target) {
  if (!state.book) return no_book();
  const auto key = base_key_of(std::string_view(target.path.back()));
  if (!key) return refusal(400, "a P_Key is 0x0001 to 0x7fff");
  return change(state, target, {partitions::RemovePartition{*key}});
}

Response post_managed_changes(const State& state, const Request& request, const Target& target) {
  if (!state.book) return no_book();
  const auto body = body_of(request);
  if (!body || body->size() != 1 || !body->contains("changes")) {
    return refusal(400, "the body is {\"changes\": [...]}");
  }
  const auto changes = changes_of((*body)["changes"]);
  if (changes.has_error()) return refusal(400, changes.error().message);
  return change(state, target, *changes);
}

}  // namespace heddle::api
