// SPDX-License-Identifier: BSD-3-Clause
#include "app/qos_policy.hpp"

#include <utility>

#include "qos/language.hpp"
#include "store/text_file.hpp"

namespace heddle::app {
namespace {

base::Result<qos::Parsed> read_file(const std::string& path) {
  auto content = store::TextFile(path, "qos policy").read_named();
  if (!content) return content.error();
  return qos::parse(content->text, path);
}

}  // namespace

std::shared_ptr<const qos::Policy> QosPolicyFile::read(const config::Config& config, Log& log) {
  if (config.qos_policy.empty()) {
    last_good_.reset();
    return nullptr;
  }
  auto parsed = read_file(config.qos_policy);
  if (parsed) {
    for (const std::string& note : parsed->notes) {
      log.say(sm::Severity::Warning, "QosPolicyDoubtful", note);
    }
    // The same policy is the same value: nobody has to look at it again.
    const bool same = last_good_ && *last_good_ == parsed->policy;
    if (!same) last_good_ = std::make_shared<const qos::Policy>(std::move(parsed->policy));
    return last_good_;
  }
  log.say(sm::Severity::Error, "QosPolicyRefused", parsed.error().message);
  log.say(sm::Severity::Error, "QosPolicyKept",
          last_good_ ? "The policy in use stays as it was"
                     : "Until the file is right, there is no policy of quality of service");
  return last_good_;
}

std::shared_ptr<const partitions::Policy> with_levels(
    std::shared_ptr<const partitions::Policy> partitions, const qos::Policy* policy) {
  if (policy == nullptr || policy->ipoib.empty()) return partitions;
  return std::make_shared<const partitions::Policy>(
      qos::with_ipoib_levels(partitions ? *partitions : partitions::default_policy(), *policy));
}

}  // namespace heddle::app
