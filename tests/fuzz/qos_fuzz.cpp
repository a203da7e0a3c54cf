// SPDX-License-Identifier: BSD-3-Clause
// Whatever a user calls a qos policy: it is refused with a sentence, or answers every question.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.hpp"
#include "qos/language.hpp"
#include "qos/rulebook.hpp"
#include "tests/support/topologies.hpp"

namespace {

using namespace heddle;

void ask(const qos::Rulebook& book, const fabric::Topology& topology,
         const qos::Question& question) {
  const auto rules = book.rules_for(question);
  for (const auto from : topology.endports()) {
    for (const auto to : topology.endports()) {
      const qos::Level* level = book.level(rules, from, to);
      HEDDLE_CHECK(level == nullptr || !level->sl || level->sl->value < 16);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const fabric::Topology topology = support::build(support::star(2));
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  auto parsed = qos::parse(text, "fuzz");
  if (!parsed) {
    HEDDLE_CHECK(parsed.error().message.starts_with("fuzz:"));
    return 0;
  }
  const auto policy = std::make_shared<const qos::Policy>(std::move(parsed->policy));
  HEDDLE_CHECK(qos::parse(policy->text, "again").has_value());
  with_ipoib_levels(partitions::default_policy(), *policy);
  const qos::Rulebook book(policy, topology, nullptr, topology.endports().back());
  ask(book, topology, {});
  ask(book, topology, {0x10001, std::uint16_t{7}, mad::PKey{0xFFFF}});
  return 0;
}
