// SPDX-License-Identifier: BSD-3-Clause
#include "perf/health.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::perf {
namespace {

constexpr std::array<std::string_view, kConditionCount> kConditions{
    "errors", "degraded", "flapping", "unresponsive", "rebooting", "noisy"};
constexpr std::array<std::string_view, 4> kActions{"report", "route-around", "isolate", "disable"};

constexpr std::uint8_t mask(Condition condition) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(condition));
}

}  // namespace

std::string_view name_of(Condition condition) {
  return kConditions[static_cast<std::size_t>(condition)];
}
std::string_view name_of(Action action) {
  return kActions[static_cast<std::size_t>(action)];
}

base::Result<std::pair<Condition, Action>> parse_health_action(std::string_view text) {
  const auto words = base::split(text, ' ');
  const auto condition = std::find(kConditions.begin(), kConditions.end(), words.front());
  const auto action = std::find(kActions.begin(), kActions.end(), words.back());
  if (words.size() != 2 || condition == kConditions.end() || action == kActions.end()) {
    return base::error(fmt::format(
        "'{}' is no pair of a condition (errors, degraded, flapping, unresponsive, rebooting, "
        "noisy) and what to do about it (report, route-around, isolate, disable)",
        base::printable(text)));
  }
  return std::pair{static_cast<Condition>(condition - kConditions.begin()),
                   static_cast<Action>(action - kActions.begin())};
}

LinkEnds link_of(LinkEnd one, LinkEnd other) {
  return one < other ? LinkEnds{one, other} : LinkEnds{other, one};
}

bool has(const Finding& finding, Condition condition) {
  return (finding.conditions & mask(condition)) != 0;
}

std::string text_of_conditions(const Finding& finding) {
  std::string text;
  for (std::size_t i = 0; i < kConditionCount; ++i) {
    const auto condition = static_cast<Condition>(i);
    if (!has(finding, condition)) continue;
    text += text.empty() ? "" : ", ";
    text += name_of(condition);
    if (condition != Condition::Errors) continue;
    std::string counters;
    for (std::size_t c = 0; c < kCounterCount; ++c) {
      if ((finding.counters >> c & 1) == 0) continue;
      counters += counters.empty() ? "" : " ";
      counters += name_of(static_cast<Counter>(c));
    }
    text += " (" + counters + ")";
  }
  return text;
}

void LinkHealth::see(base::Instant now, std::vector<LinkFact> links, std::vector<mad::Guid> nodes) {
  std::map<LinkEnds, bool> are;
  for (const LinkFact& fact : links) are[fact.ends] = fact.degraded;
  for (const auto& [link, degraded] : links_) {
    const auto found = findings_.find(link);
    const bool taken_out = found != findings_.end() && found->second.wanted;
    if (are.count(link) == 0 && !taken_out) losses_[link].push_back(now);
  }
  const std::set<mad::Guid> there(nodes.begin(), nodes.end());
  for (const mad::Guid node : nodes_) {
    if (there.count(node) == 0) gone_.insert(node);
  }
  for (const mad::Guid node : there) {
    if (gone_.erase(node) != 0) reboots_[node].push_back(now);
  }
  links_ = std::move(are);
  nodes_ = there;
}

void LinkHealth::see(const Readings& readings) {
  errors_.clear();
  for (const Readings::Node& node : readings.nodes) {
    for (const PortReading& port : readings.of(node)) {
      if (port.exceeded != 0) errors_[{node.guid, port.number}] = port.exceeded;
    }
  }
  std::map<mad::Guid, std::uint32_t> silences;
  for (const mad::Guid node : readings.silent) {
    const auto before = silences_.find(node);
    silences[node] = before == silences_.end() ? 1 : before->second + 1;
  }
  silences_ = std::move(silences);
}

void LinkHealth::see_noise(mad::Guid node, bool noisy) {
  if (noisy) {
    noisy_.insert(node);
  } else {
    noisy_.erase(node);
  }
}

void LinkHealth::age(Times& times, base::Instant now) const {
  while (!times.empty() && now >= times.front() + policy_.window) times.pop_front();
}

std::uint8_t LinkHealth::conditions_of(const LinkEnds& link) const {
  std::uint8_t all = 0;
  const auto set = [&](bool holds, Condition condition) {
    if (holds) all = static_cast<std::uint8_t>(all | mask(condition));
  };
  const auto many = [](const auto& map, const auto& key, std::size_t limit) {
    const auto found = map.find(key);
    return limit != 0 && found != map.end() && found->second.size() >= limit;
  };
  set(errors_.count(link.a) + errors_.count(link.b) != 0, Condition::Errors);
  const auto there = links_.find(link);
  set(there != links_.end() && there->second, Condition::Degraded);
  set(many(losses_, link, policy_.losses), Condition::Flapping);
  for (const LinkEnd& end : {link.a, link.b}) {
    const auto silent = silences_.find(end.node);
    const bool is_silent =
        silent != silences_.end() && policy_.silences != 0 && silent->second >= policy_.silences;
    set(is_silent, Condition::Unresponsive);
    set(many(reboots_, end.node, policy_.reboots), Condition::Rebooting);
    set(noisy_.count(end.node) != 0, Condition::Noisy);
  }
  return all;
}

std::size_t LinkHealth::most() const {
  const auto share =
      static_cast<std::size_t>(static_cast<double>(links_.size()) * policy_.most_share);
  return std::min<std::size_t>(policy_.most_links, share);
}

void LinkHealth::judge(base::Instant now) {
  for (auto* all : {&losses_}) {
    for (auto& [link, times] : *all) age(times, now);
    std::erase_if(*all, [](const auto& entry) { return entry.second.empty(); });
  }
  for (auto& [node, times] : reboots_) age(times, now);
  std::erase_if(reboots_, [](const auto& entry) { return entry.second.empty(); });

  std::set<LinkEnds> looked_at;
  for (const auto& [link, degraded] : links_) looked_at.insert(link);
  for (const auto& [link, times] : losses_) looked_at.insert(link);
  for (const auto& [link, finding] : findings_) looked_at.insert(link);
  std::size_t wanted = wishes().size();
  for (const LinkEnds& link : looked_at) {
    const std::uint8_t conditions = conditions_of(link);
    const auto found = findings_.find(link);
    if (conditions == 0 && (found == findings_.end() || !found->second.wanted)) {
      if (found != findings_.end()) findings_.erase(found);
      continue;
    }
    Finding& finding = findings_[link];
    finding.link = link;
    finding.conditions = conditions;
    const auto counters = [&](const LinkEnd& end) {
      const auto exceeded = errors_.find(end);
      return exceeded == errors_.end() ? 0u : exceeded->second;
    };
    finding.counters = counters(link.a) | counters(link.b);
    Action action = finding.wanted ? finding.action : Action::Report;
    for (std::size_t i = 0; i < kConditionCount; ++i) {
      if (has(finding, static_cast<Condition>(i))) action = std::max(action, policy_.actions[i]);
    }
    finding.action = action;
    const bool is_new = action != Action::Report && !finding.wanted && !finding.restored;
    finding.capped = is_new && wanted >= most();
    if (is_new && !finding.capped) {
      finding.wanted = true;
      ++wanted;
    }
  }
}

bool LinkHealth::restore(LinkEnd end) {
  bool any = false;
  for (auto& [link, finding] : findings_) {
    if (link.a != end && link.b != end) continue;
    any = true;
    finding.wanted = finding.capped = false;
    finding.restored = true;
    losses_.erase(link);
  }
  return any;
}

std::vector<LinkHealth::Wish> LinkHealth::wishes() const {
  std::vector<Wish> all;
  for (const auto& [link, finding] : findings_) {
    if (finding.wanted) all.push_back({link, finding.action});
  }
  return all;
}

}  // namespace heddle::perf
