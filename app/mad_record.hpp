// SPDX-License-Identifier: BSD-3-Clause
// `heddle sim --record`: lines of JSON. The first says which fabric it is. A line with "in" is what
// came into the fabric from outside: a MAD with all its bytes, an SM's coming and going, a verb.
// The others are what became of every MAD, with the time of the world in seconds, the node and the
// port where it was seen. From the first kind the second can be made again (sim_replay.hpp).
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/record_file.hpp"
#include "base/result.hpp"
#include "doors/fabric_host.hpp"
#include "sim/world.hpp"

namespace heddle::app {

// What a fabric is made of, as the first line says it.
nlohmann::json begin_line(const SimArguments& arguments);
// The other way round; throws nlohmann::json::exception where something is missing or of a wrong
// type, and brings into range what is out of it.
SimArguments arguments_of(const nlohmann::json& begin);

// A line with "in", done to the host at its time. Throws as above; an error for what cannot be.
base::Result<> carry_out(const nlohmann::json& line, doors::FabricHost& host);

class MadRecord final : public doors::Recorder {
 public:
  using Sink = std::function<void(const std::string& line)>;

  // Watches the host's world from now on; must outlive it or the loop that runs it.
  MadRecord(Sink sink, doors::FabricHost& host);
  // Null when the file cannot be opened; when it cannot be written any more, `warn` is told.
  static std::unique_ptr<MadRecord> open(const SimArguments& arguments, doors::FabricHost& host,
                                         RecordFile::Warn warn);
  // All of it is in the file; always, where there is none.
  bool is_whole() { return file_ == nullptr || file_->is_whole(); }

  void sent(base::Instant when, sim::EndpointId port, const mad::Datagram& datagram) override;
  void is_sm(base::Instant when, sim::EndpointId port, bool is_sm) override;
  void verb(base::Instant when, std::string_view line) override;

 private:
  void write(const sim::Sighting& sighting);

  std::shared_ptr<RecordFile> file_;
  Sink sink_;
  const doors::FabricHost& host_;
};

}  // namespace heddle::app
