// SPDX-License-Identifier: BSD-3-Clause
#include "app/doctor.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace heddle::app {
namespace {

using transport::LinkLayer;
using transport::LocalPort;

class Doctor {
 public:
  explicit Doctor(const HostFacts& host) : host_(host) {}

  std::vector<Diagnosis> examine() {
    examine_devices();
    for (const LocalPort& port : host_.ports) examine_port(port);
    examine_choice();
    examine_configuration();
    examine_processes();
    for (const auto& manager : host_.managers) examine_manager(manager);
    return std::move(found_);
  }

 private:
  void fine(std::string what) { found_.push_back({Health::Fine, std::move(what), {}}); }
  void doubt(std::string what, std::string mend) {
    found_.push_back({Health::Doubtful, std::move(what), std::move(mend)});
  }
  void wrong(std::string what, std::string mend) {
    found_.push_back({Health::Wrong, std::move(what), std::move(mend)});
  }

  void examine_devices() {
    if (host_.ports.empty()) {
      return wrong("This host has no RDMA device",
                   "see that the adapter is there (lspci | grep -i infiniband) and load its driver "
                   "(modprobe mlx5_ib, for example)");
    }
    if (!host_.has_umad_module) {
      return wrong(
          "ib_umad is not loaded, so nobody can send management datagrams",
          "modprobe ib_umad; a line 'ib_umad' in /etc/modules-load.d/heddle.conf keeps it");
    }
    std::vector<std::string> closed;
    for (const auto& device : host_.devices) {
      if (!device.may_open) closed.push_back(device.path);
    }
    if (!closed.empty()) {
      return wrong(fmt::format("You may not open {}", fmt::join(closed, ", ")),
                   "ask as root or as a member of the group heddle; 91-heddle.rules gives it these "
                   "devices (udevadm trigger --subsystem-match=infiniband_mad)");
    }
    if (host_.devices.empty()) {
      return wrong("ib_umad is loaded and there is no /dev/infiniband/umad*",
                   "see that udev runs, and that a container is given the devices");
    }
    fine("Management devices are there and may be opened");
  }

  void examine_port(const LocalPort& port) {
    const std::string name = to_string(port.id);
    if (!port.candidate) {
      const bool other = port.link_layer != LinkLayer::InfiniBand;
      return fine(
          fmt::format("{} is left alone: {}", name,
                      other ? std::string("its link layer is not InfiniBand") : port.reason));
    }
    if (port.physical_state == mad::PortPhysicalState::Disabled) {
      return doubt(name + " is disabled", "ibportstate enables it, or the switch at its other end");
    }
    if (port.physical_state != mad::PortPhysicalState::LinkUp) {
      return doubt(
          fmt::format("{} has no link ({})", name, transport::to_string(port.physical_state)),
          "see to the cable, and that the other end is on");
    }
    if (port.state == mad::PortState::Active) {
      return fine(fmt::format("{} is ACTIVE at {}", name, port.rate));
    }
    const bool untouched = port.sm_lid == 0;
    const bool ours = !host_.managers.empty();
    wrong(
        fmt::format("{} has a link and is {}{}", name, transport::to_string(port.state),
                    untouched ? ": no subnet manager has been here" : ""),
        ours ? "heddle status says what keeps the subnet manager from it; each fabric wants one of "
               "its own"
             : fmt::format("start one: systemctl enable --now heddle@{}", name));
  }

  void examine_choice() {
    const auto candidates = std::count_if(host_.ports.begin(), host_.ports.end(),
                                          [](const LocalPort& port) { return port.candidate; });
    const auto& file = host_.configuration;
    const bool names_none = file.port.empty() && !file.unreadable;
    if (candidates > 1 && names_none && host_.managers.empty()) {
      doubt(fmt::format("{} ports could be managed and sm.port names none", candidates),
            "name one (heddle ports lists them), or enable heddle@DEVICE:PORT for each");
    }
  }

  void examine_configuration() {
    const auto& file = host_.configuration;
    if (file.path.empty()) return fine("There is no configuration file; all is at its default");
    if (file.unreadable) {
      return doubt(fmt::format("{} cannot be read by you", file.path),
                   "ask again as root, or as the user who runs the subnet manager");
    }
    if (!file.problems.empty()) {
      return wrong(fmt::format("{} is wrong: {}", file.path, file.problems.front()),
                   "heddle config check tells all of it");
    }
    if (file.has_keys && file.anybody_reads) {
      wrong(file.path + " holds keys, and everybody on this host can read it",
            fmt::format("chown root:heddle {0} && chmod 640 {0}", file.path));
    } else {
      fine(file.path + " is fine");
    }
    if (!file.memory_kept) {
      doubt(fmt::format("LIDs are not remembered if you run it: {} cannot be written by you",
                        file.memory_folder),
            "make it, for the user who runs the subnet manager; or set lids.memory_file");
    }
  }

  void examine_processes() {
    for (const auto& process : host_.other_managers) {
      doubt(fmt::format("{} (process {}) runs on this host too", process.name, process.pid),
            "two managers of one fabric settle by priority who is master; if it shall be this one "
            "alone, systemctl disable --now opensm");
    }
  }

  void examine_manager(const HostFacts::Manager& manager) {
    if (!manager.trouble.empty()) {
      return wrong(fmt::format("The subnet manager of {} does not answer: {}", manager.socket,
                               manager.trouble),
                   "its log says why (journalctl -u 'heddle@*')");
    }
    for (const std::string& complaint : manager.complaints) {
      wrong(fmt::format("The subnet manager of {} says: {}", manager.socket, complaint),
            "heddle status; heddle show events");
    }
    if (manager.complaints.empty()) {
      fine(fmt::format("The subnet manager of {} is {}, and all is well", manager.socket,
                       manager.state));
    }
    for (const auto& peer : manager.peers) {
      if (peer.priority == manager.priority) {
        doubt(fmt::format("{} has the same priority {}: the lower GUID becomes master", peer.name,
                          peer.priority),
              "give the one that shall be master the higher sm.priority");
      }
      if (peer.state == "master" && manager.state == "master") {
        wrong(peer.name + " says that it is master too",
              "the sm_key of both must be the same; docs/mastership.md");
      }
    }
  }

  const HostFacts& host_;
  std::vector<Diagnosis> found_;
};

constexpr std::array<const char*, 3> kWords{"fine", "doubtful", "wrong"};

}  // namespace

std::vector<Diagnosis> diagnose(const HostFacts& host) {
  return Doctor(host).examine();
}

std::string diagnosis_text(const std::vector<Diagnosis>& all) {
  std::string text;
  for (const Diagnosis& one : all) {
    text += fmt::format("{:<9} {}\n", kWords[static_cast<std::size_t>(one.health)], one.what);
    if (!one.mend.empty()) text += fmt::format("{:<9} -> {}\n", "", one.mend);
  }
  return text;
}

std::string diagnosis_json(const std::vector<Diagnosis>& all) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (const Diagnosis& one : all) {
    rows.push_back({{"health", kWords[static_cast<std::size_t>(one.health)]},
                    {"what", one.what},
                    {"mend", one.mend.empty() ? Json(nullptr) : Json(one.mend)}});
  }
  return Json{{"findings", std::move(rows)}}.dump(2, ' ', true, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace heddle::app
