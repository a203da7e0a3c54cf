// SPDX-License-Identifier: BSD-3-Clause
// `heddle sim --record`: every MAD of the fabric as a line of JSON, with the time of the world in
// seconds, the node and the port where it was seen, and what became of it there.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>

#include "doors/fabric_host.hpp"
#include "sim/world.hpp"

namespace heddle::app {

class MadRecord {
 public:
  // Null when the file cannot be written. Watches the host's world from now on; must outlive it or
  // the loop that runs it.
  static std::unique_ptr<MadRecord> open(const std::filesystem::path& file,
                                         doors::FabricHost& host);

 private:
  MadRecord(std::ofstream stream, const doors::FabricHost& host);
  void write(const sim::Sighting& sighting);

  std::ofstream stream_;
  const doors::FabricHost& host_;
};

}  // namespace heddle::app
