// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/cli_operate.hpp"
#include "app/cli_plan.hpp"
#include "app/cli_sim.hpp"
#include "app/commands.hpp"
#include "app/completion.hpp"
#include "app/config_diff.hpp"
#include "app/opensm_memory.hpp"
#include "app/sm_options.hpp"
#include "config/load.hpp"
#include "config/options.hpp"
#include "routing/engine.hpp"
#include "sim/blueprint.hpp"
#include "transport/ports.hpp"

namespace heddle::app {
namespace {

constexpr std::string_view kVersion = HEDDLE_VERSION;

// A command-line option that stands for one of the configuration file.
struct Flag {
  const char* name;
  const char* placeholder;
  const char* section;
  const char* key;
};

constexpr std::array kFlags{
    Flag{"--port", "PORT", "sm", "port"},
    Flag{"--priority", "N", "sm", "priority"},
    Flag{"--routing", "LIST", "routing", "engines"},
    Flag{"--lmc", "N", "lids", "lmc"},
    Flag{"--partitions", "FILE", "partitions", "file"},
    Flag{"--prefix-routes", "FILE", "sa", "prefix_routes"},
    Flag{"--qos-policy", "FILE", "sa", "qos_policy"},
    Flag{"--lid-memory", "FILE", "lids", "memory_file"},
    Flag{"--sweep-interval", "TIME", "sweep", "interval"},
    Flag{"--dump-dir", "DIR", "output", "dump_dir"},
    Flag{"--log-level", "LEVEL", "log", "level"},
    Flag{"--log-format", "FORMAT", "log", "format"},
    Flag{"--log-file", "FILE", "log", "file"},
};

// What is wrong with the value, alone or against the defaults; empty when nothing is.
std::string check_flag(const config::Option& option, const std::string& text) {
  config::Config scratch;
  const auto stored = config::store_from_command_line(scratch, option, text);
  if (stored.has_error()) return fmt::format("{}, not '{}'", stored.error().message, text);
  if (option.member == config::Member{&config::Config::port}) {
    const auto wish = transport::parse_port_wish(text);
    if (wish.has_error()) return wish.error().message;
  }
  for (const auto& contradiction : config::contradictions(scratch, vocabulary())) {
    return contradiction.message;
  }
  return {};
}

void add_flag(CLI::App& command, const Flag& flag, SmArguments& arguments) {
  const config::Option* option = config::find_option(flag.section, flag.key);
  const auto take = [option, &arguments](const std::string& text) {
    arguments.sources.overrides.emplace_back(option, text);
  };
  command.add_option_function<std::string>(flag.name, take, std::string(option->meaning))
      ->option_text(fmt::format("{} [{}; {}]", flag.placeholder, qualified(*option),
                                text_of(config::Config{}, *option)))
      ->check([option](const std::string& text) { return check_flag(*option, text); });
}

std::string sm_footer() {
  std::string engines;
  for (const routing::Engine* engine : routing::engines()) {
    engines += fmt::format("  {:<10} {}\n", engine->name(), engine->summary());
  }
  return fmt::format(
      "Behind an option stand its name in the configuration file and its default.\n\n"
      "Examples:\n"
      "  heddle sm --sim fat-tree:18,36 --once     bring a simulated fabric up, tell how it went\n"
      "  heddle sm --sim dump.txt --routing updn   the same for a saved ibnetdiscover output\n"
      "  heddle sm                                 manage the fabric of the port that\n"
      "                                            'heddle ports' chooses\n"
      "  heddle sm --port mlx5_0:1 --config heddle.toml\n"
      "  heddle sm --shadow --once                 what would change if it were master\n\n"
      "Routing engines, for --routing (several, separated by commas, are tried in turn):\n{}\n"
      "FABRIC, for --sim (in quotes if it has a semicolon):\n{}\n"
      "Signals: SIGTERM and SIGINT end it, SIGHUP reads the configuration again and sweeps,\n"
      "SIGUSR1 reopens the log file.\n"
      "Exit codes: 0 fine, 1 internal, 2 command line, 3 configuration file, 4 no usable port,\n"
      "5 the fabric is not wholly up, or --shadow would change it (--once), 6 FABRIC cannot be "
      "built, 7 an output file cannot\n"
      "be written.",
      engines, sim::generator_help());
}

void add_sm(CLI::App& app, std::function<Exit()>& command) {
  CLI::App* sm = app.add_subcommand("sm", "Manage a fabric: discover, give out LIDs, route, watch");
  auto arguments = std::make_shared<SmArguments>();
  CLI::Option* fabric =
      sm->add_option("--sim", arguments->fabric, "Manage a simulated fabric instead of a real one")
          ->option_text("FABRIC");
  sm->add_flag("--once", arguments->once, "End after the first sweep, with a summary");
  const config::Option* shadow = config::find_option("sm", "shadow");
  sm->add_flag_callback(
      "--shadow", [=] { arguments->sources.overrides.emplace_back(shadow, "true"); },
      std::string(shadow->meaning));
  sm->add_option("--config", arguments->sources.file,
                 "Read this configuration file; what the command line says wins")
      ->option_text("FILE");
  for (const Flag& flag : kFlags) add_flag(*sm, flag, *arguments);
  sm->add_option("--at", arguments->at,
                 "Where in the simulated fabric the subnet manager sits (default: the first host)")
      ->option_text("NODE[:PORT]")
      ->needs(fabric);
  sm->add_option("--seed", arguments->seed, "Seed of the simulated fabric's chance")
      ->option_text("N [1]")
      ->needs(fabric);
  sm->add_option("--record", arguments->record,
                 "Write every input of the machine and every MAD it sends to this file")
      ->option_text("FILE");
  sm->get_option("--port")->excludes(fabric);
  sm->footer(sm_footer());
  sm->callback([arguments, &command] {
    arguments->sources.simulated = arguments->fabric.has_value();
    command = [arguments] { return run_sm(*arguments); };
  });
}

void add_ports(CLI::App& app, std::function<Exit()>& command) {
  CLI::App* ports = app.add_subcommand(
      "ports", "List the local ports, and which one 'heddle sm' would choose and why");
  auto format = std::make_shared<std::string>("table");
  ports->add_option("-o,--output", *format, "table for people, json for programs")
      ->option_text("FORMAT [table]")
      ->check(CLI::IsMember({"table", "json"}));
  ports->footer("Exit codes: 0 a port can be used, 4 none can.");
  ports->callback([format, &command] {
    command = [format] { return run_ports(*format == "json" ? Format::Json : Format::Table); };
  });
}

void add_config_diff(CLI::App& config, std::function<Exit()>& command) {
  CLI::App* diff = config.add_subcommand("diff", "Tell in which options two files differ");
  auto file = std::make_shared<std::string>(), other = std::make_shared<std::string>();
  diff->add_option("FILE", *file, "A configuration file")->required()->option_text(" ");
  diff->add_option("OTHER", *other, "Another; without it the defaults are the first")
      ->option_text(" ");
  diff->footer("Exit codes: 0 in none, 3 a file is wrong, 5 they differ.");
  diff->callback([file, other, &command] {
    command = [file, other] { return run_config_diff(*file, *other); };
  });
}

void add_config(CLI::App& app, std::function<Exit()>& command) {
  CLI::App* config = app.add_subcommand(
      "config", "Check or compare configuration files, print a sample, import OpenSM's");
  config->require_subcommand(1);
  CLI::App* check = config->add_subcommand("check", "Tell everything that is wrong with a file");
  auto file = std::make_shared<std::string>();
  check->add_option("FILE", *file, "The configuration file")->required()->option_text(" ");
  check->footer("Exit codes: 0 the file is fine, 3 it is not.");
  check->callback([file, &command] { command = [file] { return run_config_check(*file); }; });
  config->add_subcommand("sample", "Print a file with every option, explained, at its default")
      ->callback([&command] { command = &run_config_sample; });
  CLI::App* taken = config->add_subcommand("import", "Make one of an opensm.conf of OpenSM");
  auto opensm = std::make_shared<std::string>(), output = std::make_shared<std::string>();
  taken->add_option("FILE", *opensm, "The opensm.conf")->required()->option_text(" ");
  taken->add_option("-o,--output", *output, "Write here instead of to standard output")
      ->option_text("FILE");
  taken->footer(
      "What became of each option that is not at OpenSM's default goes to standard error.\n"
      "Exit codes: 0 done, 3 the file cannot be read or a value in it is wrong, 7 what is made of\n"
      "it cannot be written.");
  taken->callback([opensm, output, &command] {
    command = [opensm, output] { return run_config_import(*opensm, *output); };
  });
  add_config_diff(*config, command);
  // For docs/migrating.md, as the next one for docs/configuration.md; an empty group hides it.
  config->add_subcommand("opensm-options", "Print what becomes of OpenSM's options as Markdown")
      ->group("")
      ->callback([&command] { command = &run_config_opensm_options; });
  config->add_subcommand("reference", "Print the options as Markdown tables")
      ->group("")
      ->callback([&command] { command = &run_config_reference; });
}

// The two verbs that speak with OpenSM's files.
void add_opensm_memory(CLI::App& snapshot, std::function<Exit()>& command) {
  const auto add = [&](const char* verb, const char* what,
                       Exit (*run)(const OpensmMemoryArguments&)) {
    CLI::App* sub = snapshot.add_subcommand(verb, what);
    auto arguments = std::make_shared<OpensmMemoryArguments>();
    if (run == &run_snapshot_import) {
      sub->add_option("FILES", arguments->files, "What each is, its content says")
          ->required()
          ->option_text(" ");
    } else {
      sub->add_option("FOLDER", arguments->folder, "Made if it is not there")
          ->required()
          ->option_text(" ");
    }
    sub->add_option("--memory", arguments->memory,
                    "The database, which is beside the file of LIDs: FILE.db")
        ->option_text("FILE");
    sub->add_option("--config", arguments->config, "Read lids.memory_file and the M_Key from it")
        ->option_text("FILE");
    sub->footer(
        "Exit codes: 0 done, 3 the configuration is wrong, 7 a file cannot be read or "
        "written.");
    sub->callback(
        [arguments, run, &command] { command = [arguments, run] { return run(*arguments); }; });
  };
  add("import", "Take over OpenSM's guid2lid, guid2mkey, neighbors and opensm-sa.dump",
      &run_snapshot_import);
  add("export", "Write guid2lid, guid2mkey and opensm-sa.dump for OpenSM", &run_snapshot_export);
}

void add_snapshot(CLI::App& app, std::function<Exit()>& command) {
  CLI::App* snapshot = app.add_subcommand(
      "snapshot", "Save what a subnet manager remembers, restore it, or change over with it");
  snapshot->require_subcommand(1);
  const auto add = [&](const char* verb, const char* what, bool restores) {
    CLI::App* sub = snapshot->add_subcommand(verb, what);
    auto arguments = std::make_shared<SnapshotArguments>();
    arguments->restores = restores;
    sub->add_option("FILE", arguments->file, "The snapshot")->required()->option_text(" ");
    sub->add_option("--memory", arguments->memory,
                    "The database, which is beside the file of LIDs: FILE.db")
        ->option_text("FILE");
    sub->add_option("--config", arguments->config, "Read lids.memory_file from this file")
        ->option_text("FILE");
    if (restores) sub->add_flag("--force", arguments->force, "Take one of another fabric too");
    sub->footer(
        "Exit codes: 0 done, 3 the configuration is wrong, 7 a file cannot be read or "
        "written.");
    sub->callback(
        [arguments, &command] { command = [arguments] { return run_snapshot(*arguments); }; });
  };
  add("save", "Copy it, while the subnet manager runs or not", false);
  add("restore",
      "Put a copy in its place, while none runs; clients will be asked to register again", true);
  add_opensm_memory(*snapshot, command);
}

// For those who look for a bug in a recorded run; an empty group hides it from --help.
void add_replay(CLI::App& app, std::function<Exit()>& command) {
  CLI::App* replay = app.add_subcommand("replay", "Play a file of 'sm --record' again")->group("");
  auto file = std::make_shared<std::string>();
  replay->add_option("FILE", *file, "The recording")->required()->option_text(" ");
  replay->footer("Exit codes: 0 the same came out, 1 something else did, 2 it is no recording.");
  replay->callback([file, &command] { command = [file] { return run_replay(*file); }; });
}

// For packages, and for who wants it without one.
void add_completion(CLI::App& app, std::function<Exit()>& command) {
  CLI::App* completion =
      app.add_subcommand("completion", "Print a script that completes words for a shell");
  auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}))
      ->option_text(" ");
  completion->footer("For this shell alone: source <(heddle completion bash)");
  completion->callback([shell, &app, &command] {
    command = [shell, &app] {
      std::cout << (*shell == "zsh" ? zsh_completion(app) : bash_completion(app));
      return std::cout.flush() ? Exit::Ok : Exit::Output;
    };
  });
}

}  // namespace

int run(int argc, const char* const* argv) {
  // OpenSM's command line has rules of its own.
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == "opensm") {
    return static_cast<int>(run_opensm(std::span(words).subspan(1)));
  }
  const bool is_opensm = argc > 0 && std::filesystem::path(argv[0]).filename() == "opensm";
  if (is_opensm) return static_cast<int>(run_opensm(words));
  CLI::App app{"Heddle, an InfiniBand subnet manager with its own fabric simulator.", "heddle"};
  app.set_version_flag("--version", fmt::format("heddle {}", kVersion));
  app.require_subcommand(1);
  app.get_formatter()->column_width(44);
  std::function<Exit()> command;
  add_sm(app, command);
  app.add_subcommand("opensm", "The same, by OpenSM's command line and opensm.conf")
      ->prefix_command();
  add_operate(app, command);
  add_sim(app, command);
  add_plan(app, command);
  add_ports(app, command);
  add_config(app, command);
  add_replay(app, command);
  add_snapshot(app, command);
  add_completion(app, command);
  app.footer(
      "Try it without any hardware:\n"
      "  heddle sm --sim fat-tree:18,36 --once\n"
      "heddle COMMAND --help explains a command; heddle(1) has it all.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& outcome) {
    const bool fine = outcome.get_exit_code() == 0;
    app.exit(outcome, std::cout, std::cerr);
    return static_cast<int>(fine ? Exit::Ok : Exit::Usage);
  }
  return static_cast<int>(command());
}

}  // namespace heddle::app
