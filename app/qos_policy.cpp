// SPDX-License-Identifier: BSD-3-Clause
#include "app/qos_policy.hpp"

#include <utility>

#include "qos/language.hpp"

namespace heddle::app {
namespace {

constexpr KeptFileWords kQosPolicyWords{
    .what = "qos policy",
    .refused = "QosPolicyRefused",
    .kept = "QosPolicyKept",
    .as_before = "The policy in use stays as it was",
    .until_right = "Until the file is right, there is no policy of quality of service",
};

}  // namespace

std::shared_ptr<const qos::Policy> QosPolicyFile::read(const config::Config& config, Log& log) {
  doubts_.clear();
  const auto parse = [&](std::string_view text,
                         std::string_view name) -> base::Result<qos::Policy> {
    auto parsed = qos::parse(text, name);
    if (!parsed) return parsed.error();
    doubts_ = std::move(parsed->notes);
    for (const std::string& doubt : doubts_) {
      log.say(sm::Severity::Warning, "QosPolicyDoubtful", doubt);
    }
    return std::move(parsed->policy);
  };
  return file_.read(config.qos_policy, kQosPolicyWords, log, parse);
}

std::shared_ptr<const partitions::Policy> with_levels(
    std::shared_ptr<const partitions::Policy> partitions, const qos::Policy* policy) {
  if (policy == nullptr || policy->ipoib.empty()) return partitions;
  return std::make_shared<const partitions::Policy>(
      qos::with_ipoib_levels(partitions ? *partitions : partitions::default_policy(), *policy));
}

}  // namespace heddle::app
