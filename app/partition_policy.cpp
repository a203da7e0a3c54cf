// SPDX-License-Identifier: BSD-3-Clause
#include "app/partition_policy.hpp"

#include <utility>

#include "partitions/language.hpp"

namespace heddle::app {
namespace {

constexpr KeptFileWords kWords{
    .what = "partitions",
    .refused = "PartitionsRefused",
    .kept = "PartitionsKept",
    .as_before = "The partitions in use stay as they were",
    .until_right = "Until the file is right, ports reach the subnet manager and nobody else",
    .lacking = "PartitionsClosed",
};

}  // namespace

std::shared_ptr<const partitions::Policy> PartitionPolicy::read(const config::Config& config,
                                                                Log& log) {
  doubts_.clear();
  const auto parse = [&](std::string_view text,
                         std::string_view name) -> base::Result<partitions::Policy> {
    auto parsed = partitions::parse(
        text, name,
        {config.allow_both_pkeys, /*qos=*/config.qos_tables || !config.qos_policy.empty()});
    if (!parsed) return parsed.error();
    doubts_ = std::move(parsed->warnings);
    for (const std::string& doubt : doubts_) {
      log.say(sm::Severity::Warning, "PartitionsDoubtful", doubt);
    }
    return std::move(parsed->policy);
  };
  auto policy = file_.read(config.partitions_file, kWords, log, parse);
  if (policy != nullptr || config.partitions_file.empty()) return policy;
  return std::make_shared<const partitions::Policy>(partitions::closed_policy());
}

}  // namespace heddle::app
