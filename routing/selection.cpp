// SPDX-License-Identifier: BSD-3-Clause
#include "routing/selection.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace heddle::routing {
namespace {

constexpr std::string_view kLastResort = "updn";

base::Error unknown_engine(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Engine* engine : engines()) known.push_back(engine->name());
  const auto meant = base::closest(name, known);
  return base::error(fmt::format("there is no routing engine \"{}\"{}; known are {}", name,
                                 meant ? fmt::format(", did you mean \"{}\"?", *meant) : "",
                                 fmt::join(known, ", ")));
}

std::string fault_text(const fabric::Topology& topology, const fabric::RouteFaultSample& sample) {
  const auto name = [&](fabric::SwitchIndex at) {
    const auto& node = topology.node(at);
    return node.description.empty() ? base::hex(node.guid.value) : node.description;
  };
  const auto what = [&]() -> std::string_view {
    switch (sample.fault) {
      case fabric::RouteFault::NoRoute:
        return "has no entry";
      case fabric::RouteFault::DeadEnd:
        return "leads nowhere";
      case fabric::RouteFault::Loop:
        return "is passed twice";
    }
    return "fails";
  };
  return fmt::format("from {} to LID {}, where {} {}", name(sample.from), sample.to.value,
                     name(sample.at), what());
}

base::Result<std::vector<const Engine*>> engines_to_try(const Policy& policy) {
  std::vector<const Engine*> to_try;
  for (const std::string& name : policy.engines) {
    const Engine* engine = find_engine(name);
    if (engine == nullptr) return unknown_engine(name);
    to_try.push_back(engine);
  }
  const Engine* last_resort = find_engine(kLastResort);
  const bool listed = std::find(to_try.begin(), to_try.end(), last_resort) != to_try.end();
  if (policy.fallback && !listed) to_try.push_back(last_resort);
  return to_try;
}

}  // namespace

std::optional<std::string> objection(const fabric::Topology& topology, const Policy& policy,
                                     const fabric::Lanes& lanes,
                                     const fabric::Verification& proof) {
  if (lanes.vls > policy.max_vls) {
    return fmt::format("its tables need {} VLs, and {} may be used", lanes.vls, policy.max_vls);
  }
  if (!proof.reaches_all()) {
    return fmt::format("{} of {} routes do not arrive, for example {}", proof.faulty_routes,
                       proof.routes,
                       proof.samples.empty() ? "" : fault_text(topology, proof.samples.front()));
  }
  if (policy.accept_credit_loops) return std::nullopt;
  if (!proof.deadlock_free()) {
    return fmt::format("its tables hold a credit loop over {} links: {}", proof.credit_cycle.size(),
                       fabric::describe_cycle(topology, proof.credit_cycle));
  }
  if (proof.replies_safe() || !policy.cover_replies) return std::nullopt;
  return fmt::format(
      "answers on the service level of their requests close a credit loop over {} links: {}",
      proof.reply_cycle.size(), fabric::describe_cycle(topology, proof.reply_cycle));
}

std::optional<Selected> select_if_proven(const fabric::Topology& topology,
                                         const fabric::LidMap& lids, const Policy& policy,
                                         Routes routes,
                                         const std::vector<fabric::DepartedLid>& departed,
                                         const base::ParallelFor& parallel) {
  std::optional<fabric::Dependencies> graph;
  auto proof =
      fabric::verify(topology, lids, routes.tables, routes.lanes, parallel, departed, &graph);
  if (objection(topology, policy, routes.lanes, proof)) return std::nullopt;
  return Selected{std::move(routes),
                  std::move(proof),
                  {},
                  false,
                  nullptr,
                  nullptr,
                  LaneCertificate::make(topology, *graph)};
}

base::Result<Selected> select_routes(const fabric::Topology& topology, const fabric::LidMap& lids,
                                     const Policy& policy, const base::ParallelFor& parallel,
                                     const Refine& refine) {
  const auto to_try = engines_to_try(policy);
  if (!to_try) return to_try.error();
  const Request request{topology, lids,           policy.options,
                        parallel, policy.max_vls, policy.cover_replies};
  std::vector<Rejected> rejected;
  for (const Engine* engine : *to_try) {
    auto routes = engine->route(request);
    if (!routes) {
      rejected.push_back({std::string(engine->name()), routes.error().message});
      continue;
    }
    if (auto better = refine ? refine(*routes) : std::nullopt) {
      better->rejected = std::move(rejected);
      return std::move(*better);
    }
    std::optional<fabric::Dependencies> graph;
    auto proof =
        fabric::verify(topology, lids, routes->tables, routes->lanes, parallel, {}, &graph);
    auto reason = objection(topology, policy, routes->lanes, proof);
    if (!reason) {
      const bool has_one = routes->lanes.vls == 1;
      auto certificate = has_one ? Certificate::make(topology, *graph) : nullptr;
      auto lanes = has_one ? nullptr : LaneCertificate::make(topology, *graph);
      return Selected{std::move(*routes),     std::move(proof), std::move(rejected), true,
                      std::move(certificate), nullptr,          std::move(lanes)};
    }
    rejected.push_back({std::string(engine->name()), std::move(*reason)});
  }
  if (rejected.empty()) return base::error("no routing engine is named, and none may stand in");
  std::string message = "no routing engine gives tables that may be used";
  for (const Rejected& tried : rejected)
    message += fmt::format("; {}: {}", tried.engine, tried.reason);
  return base::error(std::move(message));
}

}  // namespace heddle::routing
