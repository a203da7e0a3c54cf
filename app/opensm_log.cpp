// SPDX-License-Identifier: BSD-3-Clause
#include "app/opensm_log.hpp"

#include <array>
#include <chrono>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

namespace heddle::app {
namespace {

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

}  // namespace

std::string render_opensm(const LogLine& line) {
  // OpenSM's bits for errors, information, debugging, and what goes to the system's log as well.
  constexpr std::array<unsigned, 4> kBits{0x08, 0x02, 0x02, 0x01};
  constexpr unsigned kSystem = 0x80;
  unsigned bits = kBits[static_cast<std::size_t>(line.severity)];
  std::string text = line.sentence;
  if (line.name == "SubnetUp") {
    text = "SUBNET UP";
  } else if (line.name == "PortReleased") {
    bits = kSystem;
    text = "Exiting SM";
  } else if (line.name == "StateChanged") {
    bits = kSystem;
    for (const auto& [key, value] : line.fields) {
      if (key == "to") text = fmt::format("Entering {} state", upper(value));
    }
  }
  const auto seconds = std::chrono::floor<std::chrono::seconds>(line.time);
  const auto rest = std::chrono::duration_cast<std::chrono::microseconds>(line.time - seconds);
  return fmt::format("{:%b %d %H:%M:%S} {:06} [{:04X}] {:#04x} -> {}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(seconds)), rest.count(),
                     static_cast<unsigned>(::getpid()), bits, text);
}

}  // namespace heddle::app
