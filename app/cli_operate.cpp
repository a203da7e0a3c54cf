// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli_operate.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/operate_commands.hpp"
#include "app/status_text.hpp"
#include "base/text.hpp"

namespace heddle::app {
namespace {

using Command = std::function<Exit()>;

constexpr const char* kExits =
    "Exit codes: 0 fine, 2 command line, 5 the subnet manager refuses or does not know, 8 none "
    "listens.";

void add_common(CLI::App& command, OperateArguments& arguments,
                std::map<std::string, Shape> shapes) {
  std::vector<std::string> names;
  for (const auto& [name, shape] : shapes) names.push_back(name);
  command
      .add_option("--socket", arguments.socket,
                  "Socket of the subnet manager; $HEDDLE_SOCKET, else the one that listens on "
                  "this host")
      ->option_text("PATH");
  command
      .add_option_function<std::string>(
          "-o,--output",
          [shapes = std::move(shapes), &arguments](const std::string& name) {
            arguments.shape = shapes.at(name);
          },
          "table for people, the others for programs")
      ->option_text("FORMAT [table]")
      ->check(CLI::IsMember(names));
}

void add_status(CLI::App& app, Command& command) {
  CLI::App* status = app.add_subcommand("status", "Is all well? A screen, and an exit code");
  auto arguments = std::make_shared<OperateArguments>();
  add_common(*status, *arguments, {{"table", Shape::Table}, {"json", Shape::Json}});
  status->footer(
      "Exit codes: 0 all is well, or another subnet manager is master and this one stands by;\n"
      "5 not all is well: the lines behind 'Because' say why; 8 no subnet manager listens.");
  status->callback(
      [arguments, &command] { command = [arguments] { return run_status(*arguments); }; });
}

void add_show(CLI::App& app, Command& command) {
  CLI::App* show = app.add_subcommand("show", "What the subnet manager knows, as rows");
  auto arguments = std::make_shared<ShowArguments>();
  auto names = listing_names();
  names.emplace_back("path");
  show->add_option("WHAT", arguments->what, fmt::format("One of {}", fmt::join(names, ", ")))
      ->required()
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
      ->option_text(" ");
  show->add_option("END", arguments->words,
                   "Of path: two of a host's name, NAME/PORT, a GUID, or a LID; of routes: one "
                   "switch")
      ->option_text(" ");
  add_common(*show, *arguments,
             {{"table", Shape::Table}, {"json", Shape::Json}, {"csv", Shape::Csv}});
  show->footer(fmt::format(
      "Examples:\n"
      "  heddle show nodes\n"
      "  heddle show links -o csv\n"
      "  heddle show path host-1 host-7     hop by hop, as the switches' tables have it\n"
      "  heddle show routes leaf-3          its table, LID by LID\n"
      "{}",
      kExits));
  show->callback([arguments, &command] { command = [arguments] { return run_show(*arguments); }; });
}

void add_explain(CLI::App& app, Command& command) {
  CLI::App* explain = app.add_subcommand("explain", "Why a path, a port or a refusal is as it is");
  auto arguments = std::make_shared<ExplainArguments>();
  explain->add_option("WHAT", arguments->what, "One of path, port, refusals")
      ->required()
      ->check(CLI::IsMember({"path", "port", "refusals"}))
      ->option_text(" ");
  explain
      ->add_option("WORD", arguments->words,
                   "Of path: two of a host's name, NAME/PORT, a GUID, or a LID; of port: one; of "
                   "refusals: what they must speak of")
      ->option_text(" ");
  add_common(*explain, *arguments, {{"table", Shape::Table}, {"json", Shape::Json}});
  explain->footer(fmt::format(
      "Examples:\n"
      "  heddle explain path host-1 host-7     why this way, service level, P_Key and rate\n"
      "  heddle explain port leaf-3/17         why this state, what was ordered and told\n"
      "  heddle explain refusals host-7        joins, writes, orders that were refused\n"
      "{}",
      kExits));
  explain->callback(
      [arguments, &command] { command = [arguments] { return run_explain(*arguments); }; });
}

CLI::App* add_verb(CLI::App& ctl, Command& command, const char* name, const char* meaning,
                   const std::shared_ptr<CtlArguments>& arguments) {
  CLI::App* verb = ctl.add_subcommand(name, meaning);
  add_common(*verb, *arguments, {{"table", Shape::Table}, {"json", Shape::Json}});
  verb->callback([arguments, name, &command] {
    arguments->verb = name;
    command = [arguments] { return run_ctl(*arguments); };
  });
  return verb;
}

// "leaf-3/17", as other commands show and take it.
void split_off_port(CtlArguments& arguments) {
  constexpr std::uint64_t kLast = 254;
  const std::size_t slash = arguments.word.rfind('/');
  const auto port = slash == std::string::npos
                        ? std::nullopt
                        : base::parse_number(arguments.word.substr(slash + 1), kLast);
  if (!port || *port == 0) {
    throw CLI::ValidationError("PORT", "which one? NODE PORT, or NODE/PORT, from 1 to 254");
  }
  arguments.port = static_cast<unsigned>(*port);
  arguments.word.resize(slash);
}

CLI::App* add_link_verb(CLI::App& group, Command& command, const char* name, const char* verb,
                        const char* meaning, const std::shared_ptr<CtlArguments>& arguments) {
  CLI::App* app = group.add_subcommand(name, meaning);
  add_common(*app, *arguments, {{"table", Shape::Table}, {"json", Shape::Json}});
  app->add_option("NODE", arguments->word, "Name or GUID, or NODE/PORT")
      ->required()
      ->option_text(" ");
  app->add_option("PORT", arguments->port, "Its port")->check(CLI::Range(1, 254))->option_text(" ");
  app->callback([arguments, verb, &command] {
    if (arguments->port == 0) split_off_port(*arguments);
    arguments->verb = verb;
    command = [arguments] { return run_ctl(*arguments); };
  });
  return app;
}

void add_links(CLI::App& ctl, Command& command, const std::shared_ptr<CtlArguments>& arguments) {
  constexpr const char* kSeen = "heddle show orders says what became of it.";
  CLI::App* port = ctl.add_subcommand("port", "Switch a port off or on");
  port->require_subcommand(1);
  CLI::App* disable = add_link_verb(
      *port, command, "disable", "port-disable",
      "Route around the link, then switch its port off, unless it is the last way", arguments);
  disable->add_flag("--force", arguments->force, "Although a host is cut off by it");
  disable->footer(kSeen);
  add_link_verb(*port, command, "enable", "port-enable", "Switch it on again", arguments)
      ->footer(kSeen);
  CLI::App* link = ctl.add_subcommand("link", "Undo what was done about a link");
  link->require_subcommand(1);
  add_link_verb(*link, command, "restore", "link-restore",
                "Use it again, and leave it alone until it has been well", arguments)
      ->footer(kSeen);
}

// As configuration files and `heddle sm --priority` have it.
unsigned priority_of(const std::string& word) {
  constexpr std::uint64_t kHighest = 15;
  const auto priority = base::parse_number(word, kHighest);
  if (!priority) {
    throw CLI::ValidationError(
        "N", fmt::format("must be a number from 0 to {}, not '{}'", kHighest, word));
  }
  return static_cast<unsigned>(*priority);
}

void add_ctl(CLI::App& app, Command& command) {
  CLI::App* ctl = app.add_subcommand("ctl", "Have the subnet manager do something");
  ctl->require_subcommand(1);
  auto arguments = std::make_shared<CtlArguments>();
  add_verb(*ctl, command, "resweep", "Read the whole fabric again now", arguments)
      ->add_option("--reason", arguments->word, "For the log")
      ->option_text("TEXT");
  add_verb(*ctl, command, "reload", "Read the configuration again, as SIGHUP does", arguments);
  add_verb(*ctl, command, "log-level", "Log more or less until the next reload", arguments)
      ->add_option("LEVEL", arguments->word, "debug, info, warning or error")
      ->required()
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}))
      ->option_text(" ");
  add_verb(*ctl, command, "priority", "Rank higher or lower among subnet managers until the reload",
           arguments)
      ->add_option_function<std::string>(
          "N", [arguments](const std::string& word) { arguments->priority = priority_of(word); },
          "0 to 15; the highest is master")
      ->required()
      ->option_text(" ");
  add_verb(*ctl, command, "handover",
           "Let the standby that ranks highest be master, and rank below it until the reload",
           arguments);
  add_verb(*ctl, command, "accept-losses", "Miss no longer what is lost: it stays away", arguments);
  add_links(*ctl, command, arguments);
  ctl->footer(fmt::format("Only root and the user that runs the subnet manager may.\n{}", kExits));
}

void add_watch(CLI::App& app, Command& command) {
  CLI::App* watch = app.add_subcommand("watch", "Events as they come, until Ctrl-C");
  auto arguments = std::make_shared<WatchArguments>();
  watch->add_option("--after", arguments->after, "Begin with the event behind this number")
      ->option_text("N");
  add_common(*watch, *arguments, {{"table", Shape::Table}, {"json", Shape::Json}});
  watch->footer("Exit codes: 8 no subnet manager listens, or it has ended.");
  watch->callback(
      [arguments, &command] { command = [arguments] { return run_watch(*arguments); }; });
}

void add_doctor(CLI::App& app, Command& command) {
  CLI::App* doctor = app.add_subcommand("doctor", "What is wrong with the set-up of this host");
  auto arguments = std::make_shared<DoctorArguments>();
  doctor
      ->add_option("--config", arguments->config,
                   fmt::format("Configuration file (default: {})", kUsualConfiguration))
      ->option_text("FILE");
  add_common(*doctor, *arguments, {{"table", Shape::Table}, {"json", Shape::Json}});
  doctor->footer(
      "Exit codes: 0 nothing is wrong, 2 command line, 5 something is; what is only\n"
      "doubtful does not count.");
  doctor->callback(
      [arguments, &command] { command = [arguments] { return run_doctor(*arguments); }; });
}

void add_support_bundle(CLI::App& app, Command& command) {
  CLI::App* bundle = app.add_subcommand(
      "support-bundle", "What somebody who shall help wants to see, in one file, without keys");
  auto arguments = std::make_shared<SupportArguments>();
  bundle->add_option("--file", arguments->output, "What to write (default: a name with the time)")
      ->option_text("FILE.tar");
  bundle
      ->add_option("--config", arguments->config,
                   fmt::format("Configuration file (default: {})", kUsualConfiguration))
      ->option_text("FILE");
  bundle->add_flag("--tables", arguments->tables, "The forwarding tables too: they may be large");
  bundle
      ->add_option("--socket", arguments->socket,
                   "Socket of the subnet manager; $HEDDLE_SOCKET, else the one that listens on "
                   "this host")
      ->option_text("PATH");
  bundle->footer(
      "It holds names, GUIDs and LIDs of the fabric, and events; of keys only that they\n"
      "are set. Exit codes: 0 written, 2 command line, 7 it cannot be written.");
  bundle->callback(
      [arguments, &command] { command = [arguments] { return run_support_bundle(*arguments); }; });
}

void add_security(CLI::App& app, Command& command) {
  CLI::App* security = app.add_subcommand("security", "Whom the configuration keeps out");
  security->require_subcommand(1);
  CLI::App* audit = security->add_subcommand("audit", "What it leaves open, and how to close it");
  auto arguments = std::make_shared<AuditArguments>();
  audit
      ->add_option("--config", arguments->config,
                   fmt::format("Configuration file (default: {})", kUsualConfiguration))
      ->option_text("FILE");
  audit
      ->add_option("--profile", arguments->profile,
                   "open: friends; standard: one owner; multi-tenant: hosts of others")
      ->option_text("PROFILE [the configuration's, else standard]")
      ->check(CLI::IsMember({"open", "standard", "multi-tenant"}));
  audit
      ->add_option_function<std::string>(
          "-o,--output",
          [arguments](const std::string& name) {
            arguments->shape = name == "json" ? Shape::Json : Shape::Table;
          },
          "table for people, json for programs")
      ->option_text("FORMAT [table]")
      ->check(CLI::IsMember({"table", "json"}));
  audit->footer(
      "Exit codes: 0 the profile is kept, 2 command line, 3 the file is wrong, 5 the\n"
      "profile wants more; what only a stricter one wants is doubtful.");
  audit->callback(
      [arguments, &command] { command = [arguments] { return run_security_audit(*arguments); }; });
}

}  // namespace

void add_operate(CLI::App& app, Command& command) {
  add_status(app, command);
  add_show(app, command);
  add_explain(app, command);
  add_ctl(app, command);
  add_watch(app, command);
  add_doctor(app, command);
  add_support_bundle(app, command);
  add_security(app, command);
}

}  // namespace heddle::app
