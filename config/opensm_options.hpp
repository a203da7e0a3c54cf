// SPDX-License-Identifier: BSD-3-Clause
// What becomes of OpenSM's options here: the one table behind `heddle config import` and
// docs/migrating.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heddle::config {

enum class Fate {
  Mapped,    // an option of ours says the same
  Needless,  // what it asks for is always so, or comes about without it
  Missing,   // Heddle cannot do that
};

// As OpenSM reads numbers: 10, 0x0a or 012.
std::optional<std::uint64_t> opensm_number(std::string_view text);

// The value as OpenSM's file has it, in the form that our command line takes; nothing when it is
// none that OpenSM takes.
using Convert = std::optional<std::string> (*)(std::string_view value);

struct OpensmOption {
  std::string_view name;
  std::string_view usual;  // OpenSM 3.3.24's default, as its file has it
  Fate fate{};
  std::string_view section, key;  // of our option, if Mapped
  Convert convert = nullptr;      // null: it depends on other options too, and is done by hand
  std::string_view note;          // one sentence, no trailing period; may be empty if Mapped
};

// In the order in which OpenSM knows them.
std::span<const OpensmOption> opensm_options();

// Also one of the vendors' closed fork. Null when neither has such an option.
const OpensmOption* find_opensm_option(std::string_view name);

// The table for people, in Markdown.
std::string opensm_markdown();

}  // namespace heddle::config
