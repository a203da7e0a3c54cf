// SPDX-License-Identifier: BSD-3-Clause
#include "app/completion.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace heddle::app {
namespace {

struct Word {
  std::string name;
  std::string meaning;               // one line
  bool takes_value = false;          // an option
  std::vector<std::string> choices;  // of the value; empty: anything
};

struct Command {
  std::string path;  // "heddle sim ctl"
  std::vector<Word> commands;
  std::vector<Word> options;
  std::vector<std::string> choices;  // of the first positional argument
};

// What CLI::IsMember tells of itself: "TEXT:{a,b}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  std::vector<std::string> choices;
  if (open == type.npos || close == type.npos || close < open) return choices;
  for (const auto choice :
       base::split(std::string_view(type).substr(open + 1, close - open - 1), ',')) {
    choices.emplace_back(choice);
  }
  return choices;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

void add_options(const CLI::App& app, Command& command) {
  bool first = true;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      if (std::exchange(first, false)) command.choices = choices_of(*option);
      continue;
    }
    if (option->get_group().empty()) continue;
    const bool takes_value = option->get_items_expected_max() > 0;
    const auto add = [&](const std::string& name) {
      command.options.push_back({name, first_line(option->get_description()), takes_value,
                                 takes_value ? choices_of(*option) : std::vector<std::string>()});
    };
    for (const std::string& name : option->get_lnames()) add("--" + name);
    for (const std::string& name : option->get_snames()) add("-" + name);
  }
}

void collect(const CLI::App& app, const std::string& path, std::vector<Command>& commands) {
  Command command{path, {}, {}, {}};
  add_options(app, command);
  const auto all = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* each : all) {
    if (each->get_group().empty() || each->get_name().empty()) continue;
    command.commands.push_back({each->get_name(), first_line(each->get_description()), false, {}});
  }
  commands.push_back(std::move(command));
  for (const CLI::App* each : all) {
    if (each->get_group().empty() || each->get_name().empty()) continue;
    collect(*each, path + " " + each->get_name(), commands);
  }
}

std::vector<Command> commands_of(const CLI::App& app) {
  std::vector<Command> commands;
  collect(app, app.get_name(), commands);
  return commands;
}

std::string names(const std::vector<Word>& words, bool only_valued = false) {
  std::string out;
  for (const Word& word : words) {
    if (!only_valued || word.takes_value) out += (out.empty() ? "" : " ") + word.name;
  }
  return out;
}

// The lines of a shell's case that knows an option's choices.
std::string value_cases(const std::vector<Command>& commands) {
  std::string out;
  for (const Command& command : commands) {
    for (const Word& option : command.options) {
      if (option.choices.empty()) continue;
      out += fmt::format("    '{} {}') choices='{}' ;;\n", command.path, option.name,
                         fmt::join(option.choices, " "));
    }
  }
  return out;
}

// In single quotes of a shell.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// A list for zsh's _describe: a colon ends the name.
std::string described(const std::vector<Word>& words) {
  std::string out;
  for (const Word& word : words) {
    std::string name;
    for (const char c : word.name) name += c == ':' ? std::string("\\:") : std::string(1, c);
    out += (out.empty() ? "" : " ") + in_quotes(name + ":" + word.meaning);
  }
  return out;
}

// Where on the command line we are: the same in both shells, but for the first word's number.
constexpr std::string_view kWalk = R"(  for ((i = first; i < current; ++i)); do
    _heddle_command "$at"
    case " $valued " in *" ${line[i]} "*) ((++i)); continue ;; esac
    case " $commands " in *" ${line[i]} "*) at="$at ${line[i]}" ;; esac
  done
  _heddle_command "$at"
)";

}  // namespace

std::string bash_completion(const CLI::App& app) {
  const auto commands = commands_of(app);
  std::string out =
      "# Made by `heddle completion bash`: for /usr/share/bash-completion/completions/heddle, or\n"
      "# source <(heddle completion bash)\n"
      "_heddle_command() {\n  case \"$1\" in\n";
  for (const Command& command : commands) {
    out += fmt::format("    '{}') commands='{}' options='{}' valued='{}' choices='{}' ;;\n",
                       command.path, names(command.commands), names(command.options),
                       names(command.options, true), fmt::join(command.choices, " "));
  }
  out += "  esac\n}\n_heddle_values() {\n  choices=\n  case \"$1\" in\n" + value_cases(commands) +
         "  esac\n}\n"
         "_heddle() {\n"
         "  local at=heddle commands options valued choices i first=1 current=$COMP_CWORD\n"
         "  local line=(\"${COMP_WORDS[@]}\") word=${COMP_WORDS[COMP_CWORD]} "
         "before=${COMP_WORDS[COMP_CWORD-1]}\n" +
         std::string(kWalk) +
         "  case \" $valued \" in\n"
         "    *\" $before \"*) _heddle_values \"$at $before\"; commands= ;;\n"
         "    *) [[ $word != -* ]] || choices=$options ;;\n"
         "  esac\n"
         "  mapfile -t COMPREPLY < <(compgen -W \"$commands $choices\" -- \"$word\")\n"
         "}\n"
         "complete -o default -F _heddle heddle\n";
  return out;
}

std::string zsh_completion(const CLI::App& app) {
  const auto commands = commands_of(app);
  std::string out =
      "#compdef heddle\n"
      "# Made by `heddle completion zsh`: for a folder of $fpath, as _heddle.\n"
      "_heddle_command() {\n  case \"$1\" in\n";
  for (const Command& command : commands) {
    out += fmt::format(
        "    '{}') commands='{}' valued='{}' choices='{}'\n"
        "      verbs=({})\n      flags=({}) ;;\n",
        command.path, names(command.commands), names(command.options, true),
        fmt::join(command.choices, " "), described(command.commands), described(command.options));
  }
  out += "  esac\n}\n_heddle_values() {\n  choices=\n  case \"$1\" in\n" + value_cases(commands) +
         "  esac\n}\n"
         "_heddle() {\n"
         "  local at=heddle commands valued choices i first=2 current=$CURRENT\n"
         "  local -a verbs flags line\n"
         "  line=(\"${words[@]}\")\n"
         "  local word=${words[CURRENT]} before=${words[CURRENT-1]}\n" +
         std::string(kWalk) +
         "  case \" $valued \" in\n"
         "    *\" $before \"*) _heddle_values \"$at $before\"; verbs=() ;;\n"
         "    *) if [[ $word == -* ]]; then _describe option flags; return; fi ;;\n"
         "  esac\n"
         "  (( ! $#verbs )) || _describe command verbs\n"
         "  if [[ -n $choices ]]; then compadd -- ${=choices}; elif (( ! $#verbs )); then _files; "
         "fi\n"
         "}\n"
         "if [[ $funcstack[1] == _heddle ]]; then _heddle \"$@\"; else compdef _heddle heddle; "
         "fi\n";
  return out;
}

}  // namespace heddle::app
