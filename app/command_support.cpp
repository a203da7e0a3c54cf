// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include "app/api_client.hpp"
#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/operate_commands.hpp"
#include "app/ports_text.hpp"
#include "app/sm_options.hpp"
#include "app/support_bundle.hpp"
#include "app/text.hpp"
#include "config/load.hpp"

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

// What the API is asked for, and the file that gets it.
constexpr std::pair<const char*, const char*> kAnswers[] = {
    {"/v1/status", "status.json"},         {"/v1/sm", "managers.json"},
    {"/v1/fabric", "fabric.json"},         {"/v1/nodes", "nodes.json"},
    {"/v1/ports", "ports.json"},           {"/v1/links", "links.json"},
    {"/v1/partitions", "partitions.json"}, {"/v1/groups", "groups.json"},
    {"/v1/sweeps", "sweeps.json"},         {"/v1/events", "events.json"},
    {"/metrics", "metrics.txt"},           {"/v1/export/ibnetdiscover", "fabric.ibnetdiscover"},
};
constexpr std::pair<const char*, const char*> kTables{"/v1/export/lft", "tables.lft"};

class Bundle {
 public:
  void add(std::string name, std::string text) { files_.push_back({std::move(name), text}); }
  void miss(const std::string& line) { about_ += "missing: " + line + "\n"; }
  void tell(const std::string& line) { about_ += line + "\n"; }

  void ask(const fs::path& socket, const std::pair<const char*, const char*>& question) {
    auto answer = ask_api(socket, "GET", question.first);
    if (answer.has_error())
      return miss(fmt::format("{}: {}", question.second, answer.error().message));
    if (!answer->ok()) return miss(fmt::format("{}: {}", question.second, answer->complaint()));
    add(question.second, std::move(answer->body));
  }

  std::vector<BundleFile> finish() {
    files_.insert(files_.begin(), {"about.txt", about_});
    return std::move(files_);
  }
  const std::string& about() const { return about_; }

 private:
  std::string about_;
  std::vector<BundleFile> files_;
};

void add_host(Bundle& bundle) {
  utsname system{};
  if (::uname(&system) == 0) {
    bundle.tell(fmt::format("system: {} {} {}", system.sysname, system.release, system.machine));
  }
  std::ifstream release("/etc/os-release");
  for (std::string line; std::getline(release, line);) {
    if (line.starts_with("PRETTY_NAME=")) bundle.tell("release: " + line.substr(12));
  }
  const auto ports = transport::list_ports();
  bundle.add("local-ports.json", ports_json(ports, transport::choose_port(ports, {})));
}

void add_configuration(const fs::path& wanted, Bundle& bundle) {
  const fs::path file = wanted.empty() ? fs::path(kUsualConfiguration) : wanted;
  std::error_code none;
  if (wanted.empty() && !fs::exists(file, none)) {
    return bundle.miss(fmt::format("heddle.toml: there is no {}", file.string()));
  }
  const config::Loaded loaded = config::load(file, vocabulary());
  if (!loaded.problems.empty()) {
    // What is wrong is quoted in what is said of it, and may be a key.
    return bundle.miss(fmt::format("heddle.toml: {} in it (heddle config check tells)",
                                   counted(loaded.problems.size(), "problem", "problems")));
  }
  bundle.add("heddle.toml", configuration_without_keys(loaded.config));
}

void add_manager(const SupportArguments& arguments, Bundle& bundle) {
  const auto socket = find_api_socket(arguments.socket);
  if (socket.has_error()) return bundle.miss("all of the fabric: " + socket.error().message);
  for (const auto& question : kAnswers) bundle.ask(*socket, question);
  if (arguments.tables) bundle.ask(*socket, kTables);
}

}  // namespace

Exit run_support_bundle(const SupportArguments& arguments) {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const std::string folder = fmt::format("heddle-support-{:%Y%m%dT%H%M%SZ}", fmt::gmtime(seconds));
  const fs::path output = arguments.output.empty() ? fs::path(folder + ".tar") : arguments.output;
  Bundle bundle;
  bundle.tell("made by: heddle " HEDDLE_VERSION);
  bundle.tell(fmt::format("made at: {:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds)));
  add_host(bundle);
  add_configuration(arguments.config, bundle);
  add_manager(arguments, bundle);
  const std::string about = bundle.about();
  const std::string tar = tar_of(folder, bundle.finish(), seconds);
  // Names and GUIDs of a whole fabric are nobody else's affair.
  const auto written = replace_file(
      output, [&](std::ostream& stream) { stream << tar; }, Readers::Owner);
  if (written.has_error()) {
    complain(written.error().message);
    return Exit::Output;
  }
  std::istringstream lines(about);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("missing: ")) complain(line);
  }
  std::cout << fmt::format("{}: {} KiB. It holds names, GUIDs and LIDs, and no keys.\n",
                           output.string(), tar.size() / 1024)
            << std::flush;
  return Exit::Ok;
}

}  // namespace heddle::app
