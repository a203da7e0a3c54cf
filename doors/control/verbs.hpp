// SPDX-License-Identifier: BSD-3-Clause
// What can be said to a running fabric, by console, control socket and script alike: one table.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/time.hpp"
#include "doors/control/words.hpp"
#include "doors/fabric_host.hpp"
#include "doors/ibsim/server.hpp"

namespace heddle::doors::control {

// What verbs work on.
struct Context {
  FabricHost& host;
  ibsim::Server* server = nullptr;  // null: no socket door
  std::function<void()> quit;
};

// What became of a verb.
struct Outcome {
  std::string error;        // empty: it was done
  std::size_t column = 0;   // of the word that is wrong; 0 when the line as a whole is
  std::string text;         // for people; may be empty or have several lines
  std::string json;         // for programs, a JSON value; empty when there is only the text
  base::Duration pause{0};  // what follows shall wait so long
  bool ok() const { return error.empty(); }
};

class Arguments;
using Action = void (*)(Context&, Arguments&, Outcome&);

struct Verb {
  std::string_view name;       // one or two words, lower case
  std::string_view arguments;  // for help: capital words are to be replaced, [] may be left out
  std::string_view help;
  Action act;
};
std::span<const Verb> verbs();

// The verb whose name these words begin with, the longest there is; case does not count.
const Verb* find_verb(std::span<const Word> words);

// Does what the line says. An empty line does nothing.
Outcome run_line(Context& context, std::string_view line);
// The same, but changes nothing: whether it would be understood.
Outcome check_line(Context& context, std::string_view line);

}  // namespace heddle::doors::control
