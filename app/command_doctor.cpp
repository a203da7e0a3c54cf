// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "app/api_client.hpp"
#include "app/commands.hpp"
#include "app/doctor.hpp"
#include "app/operate_commands.hpp"
#include "app/sm_options.hpp"
#include "base/text.hpp"
#include "config/load.hpp"

namespace heddle::app {
namespace {

namespace fs = std::filesystem;
using DoctorJson = nlohmann::json;

std::vector<HostFacts::Device> devices() {
  std::vector<HostFacts::Device> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/dev/infiniband", none)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("umad") && !name.starts_with("issm")) continue;
    found.push_back({entry.path().string(), ::access(entry.path().c_str(), R_OK | W_OK) == 0});
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.path < b.path; });
  return found;
}

// Programs that manage subnets, as far as their names are known.
std::vector<HostFacts::Process> other_managers() {
  constexpr std::array<std::string_view, 3> kNames{"opensm", "nvlsm", "ib_sm"};
  std::vector<HostFacts::Process> found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc", none)) {
    const auto pid = base::parse_number(entry.path().filename().string(), 1u << 30);
    if (!pid) continue;
    std::ifstream file(entry.path() / "comm");
    std::string name;
    std::getline(file, name);
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) continue;
    found.push_back({static_cast<int>(*pid), name});
  }
  return found;
}

// The subnet manager makes folders that are not there.
bool can_be_written(const fs::path& folder) {
  std::error_code ignored;
  fs::path nearest = folder;
  while (!nearest.empty() && fs::status(nearest, ignored).type() == fs::file_type::not_found) {
    nearest = nearest.parent_path();
  }
  return ::access(nearest.empty() ? "." : nearest.c_str(), W_OK | X_OK) == 0;
}

HostFacts::Configuration configuration(const fs::path& wanted) {
  HostFacts::Configuration facts;
  config::Config config;
  const fs::path file = wanted.empty() ? fs::path(kUsualConfiguration) : wanted;
  struct stat found {};
  const int reason = ::stat(file.c_str(), &found) == 0 ? 0 : errno;
  const bool is_there = reason != ENOENT && reason != ENOTDIR;
  if (is_there && ::access(file.c_str(), R_OK) != 0) {
    facts.path = file.string();
    facts.unreadable = true;
    return facts;
  }
  if (is_there || !wanted.empty()) {
    facts.path = file.string();
    const config::Loaded loaded = config::load(file, vocabulary());
    for (const auto& problem : loaded.problems) facts.problems.push_back(config::text_of(problem));
    config = loaded.config;
    facts.anybody_reads = is_there && (found.st_mode & S_IROTH) != 0;
  }
  facts.has_keys = config::has_secrets(config);
  facts.port = config.port;
  if (!config.memory_file.empty()) {
    facts.memory_folder = fs::path(config.memory_file).parent_path().string();
    facts.memory_kept = can_be_written(facts.memory_folder);
  }
  return facts;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

HostFacts::Manager manager(const fs::path& socket) {
  HostFacts::Manager facts;
  facts.socket = socket.string();
  const auto answer = ask_api(socket, "GET", "/v1/status");
  if (answer.has_error()) {
    facts.trouble = answer.error().message;
    return facts;
  }
  const DoctorJson status = DoctorJson::parse(answer->body, nullptr, /*allow_exceptions=*/false);
  if (!answer->ok() || !status.is_object() || !status.contains("sm")) {
    facts.trouble = answer->complaint();
    return facts;
  }
  const DoctorJson& own = status["sm"];
  facts.state = own.value("state", "");
  facts.priority = own.value("priority", 0u);
  for (const DoctorJson& reason : status.value("reasons", DoctorJson::array())) {
    facts.complaints.push_back(reason.get<std::string>());
  }
  for (const DoctorJson& peer : own.value("peers", DoctorJson::array())) {
    const bool placed = peer.contains("at") && peer["at"].is_object();
    facts.peers.push_back({placed ? peer["at"].value("node", "") : peer.value("guid", ""),
                           lower(peer.value("state", "")), peer.value("priority", 0u)});
  }
  return facts;
}

}  // namespace

Exit run_doctor(const DoctorArguments& arguments) {
  HostFacts host;
  std::error_code none;
  host.has_umad_module = fs::exists("/sys/class/infiniband_mad", none);
  host.ports = transport::list_ports();
  host.devices = devices();
  host.other_managers = other_managers();
  host.configuration = configuration(arguments.config);
  if (!arguments.socket.empty()) {
    host.managers.push_back(manager(arguments.socket));
  } else {
    for (const fs::path& socket : api_sockets()) host.managers.push_back(manager(socket));
  }
  const auto all = diagnose(host);
  std::cout << (arguments.shape == Shape::Json ? diagnosis_json(all) : diagnosis_text(all))
            << std::flush;
  const bool ill = std::any_of(all.begin(), all.end(),
                               [](const Diagnosis& one) { return one.health == Health::Wrong; });
  return ill ? Exit::Problems : Exit::Ok;
}

}  // namespace heddle::app
