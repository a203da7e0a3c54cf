// SPDX-License-Identifier: BSD-3-Clause
#include "app/partition_policy.hpp"

#include <utility>

#include "partitions/language.hpp"
#include "store/text_file.hpp"

namespace heddle::app {
namespace {

base::Result<partitions::Parsed> read_file(const config::Config& config) {
  auto content = store::TextFile(config.partitions_file, "partitions").read_named();
  if (!content) return content.error();
  return partitions::parse(
      content->text, config.partitions_file,
      {config.allow_both_pkeys, /*qos=*/config.qos_tables || !config.qos_policy.empty()});
}

}  // namespace

std::shared_ptr<const partitions::Policy> PartitionPolicy::read(const config::Config& config,
                                                                Log& log) {
  if (config.partitions_file.empty()) {
    last_good_.reset();
    return nullptr;
  }
  auto parsed = read_file(config);
  if (parsed) {
    for (const std::string& warning : parsed->warnings) {
      log.say(sm::Severity::Warning, "PartitionsDoubtful", warning);
    }
    last_good_ = std::make_shared<const partitions::Policy>(std::move(parsed->policy));
    return last_good_;
  }
  log.say(sm::Severity::Error, "PartitionsRefused", parsed.error().message);
  if (last_good_) {
    log.say(sm::Severity::Error, "PartitionsKept", "The partitions in use stay as they were");
    return last_good_;
  }
  log.say(sm::Severity::Error, "PartitionsClosed",
          "Until the file is right, ports reach the subnet manager and nobody else");
  return std::make_shared<const partitions::Policy>(partitions::closed_policy());
}

}  // namespace heddle::app
