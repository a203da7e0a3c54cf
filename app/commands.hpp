// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of `heddle`, after their arguments have been understood. Results go to standard
// output; logs, progress and errors to standard error.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/exit_codes.hpp"
#include "app/settings.hpp"
#include "base/time.hpp"
#include "mad/types.hpp"

namespace heddle::app {

struct SmArguments {
  std::optional<std::string> fabric;  // simulate this one; otherwise a local port
  std::string at;                     // NODE or NODE:PORT of the simulated fabric; empty: the first
  std::uint64_t seed = 1;
  bool once = false;
  std::filesystem::path record;  // empty: nothing is recorded
  Sources sources;
};
Exit run_sm(const SmArguments& arguments);

// `heddle opensm`, by the words behind it.
Exit run_opensm(std::span<const std::string> words);

enum class Format { Table, Json };
Exit run_ports(Format format);

Exit run_config_check(const std::filesystem::path& file);
Exit run_config_sample();
Exit run_config_reference();
// An opensm.conf as a file of ours, to `output` or, if that is empty, to standard output; what
// became of each option to standard error. Exit::Config if a value is wrong.
Exit run_config_import(const std::filesystem::path& file, const std::filesystem::path& output);
Exit run_config_opensm_options();

// Plays what --record wrote again: "same", or the first difference and Exit::Internal.
Exit run_replay(const std::filesystem::path& file);

// `heddle snapshot save|restore FILE`: what a subnet manager remembers, as one file.
struct SnapshotArguments {
  bool restores = false;
  bool force = false;            // of another fabric too
  std::filesystem::path file;    // the snapshot
  std::filesystem::path memory;  // the database; empty: where the configuration has it
  std::filesystem::path config;  // empty: defaults
};
Exit run_snapshot(const SnapshotArguments& arguments);

// `heddle sim FABRIC`: a simulated fabric in real time, for programs of others.
struct SimArguments {
  std::string fabric;
  std::string ibnl;                 // a folder of .ibnl files; empty: none beside the usual
  std::string name;                 // empty: $IBSIM_SOCKNAME, else "sim"
  std::string socket_name;          // empty: the name
  std::string listen;               // [ADDRESS:]PORT; empty: no UDP
  std::filesystem::path directory;  // of the control socket; empty: the user's runtime directory
  std::uint64_t seed = 1;
  base::Duration hop_delay{0};
  base::Duration agent_delay{0};
  double loss = 0;
  std::string time = "real";                                 // doors::parse_pace
  base::Duration attention = std::chrono::microseconds(50);  // doors::ibsim::ServerOptions
  std::filesystem::path script;                              // empty: none
  std::filesystem::path record;                              // empty: nothing is recorded
  bool console = false;
  bool quiet = false;
};
Exit run_sim(const SimArguments& arguments);

// Plays what `heddle sim --record` wrote: "same", or the first difference and Exit::Internal.
Exit run_sim_replay(const std::filesystem::path& file);

// `heddle sim ctl NAME VERB...`
struct SimCtlArguments {
  std::string name;
  std::vector<std::string> words;
  std::filesystem::path directory;
  bool json = false;
};
Exit run_sim_ctl(const SimCtlArguments& arguments);

// The ways by which a command comes to be on a simulated host (docs/device-door.md).
inline constexpr const char* kDeviceDoor = "device";
inline constexpr const char* kRingDoor = "ring";

// `heddle sim run FABRIC -- COMMAND`: a fabric for the time of one command, which sees it through
// device files. The exit code is the command's. Of what `heddle sim` has it takes all but the
// socket door, the console and the banner; without a name it is "run-" and the process id.
struct SimRunArguments : SimArguments {
  std::vector<std::string> at;  // NODE or NODE:PORT each; empty: the first host
  std::vector<std::string> command;
  std::string door = kDeviceDoor;
};
int run_sim_run(const SimRunArguments& arguments);

// `heddle sim enter NAME -- COMMAND`: the same on a fabric that runs already.
struct SimEnterArguments {
  std::string name;
  std::vector<std::string> at;
  std::vector<std::string> command;
  std::string door = kDeviceDoor;
  std::filesystem::path directory;
};
int run_sim_enter(const SimEnterArguments& arguments);

// `heddle sim export FABRIC`: a fabric as text for other tools and for people.
struct SimExportArguments {
  std::string fabric;
  std::string format = "ibnetdiscover";  // sim::kExportFormatNames
  std::filesystem::path output;          // empty: standard output
  std::string ibnl;                      // a folder of .ibnl files; empty: none beside the usual
};
Exit run_sim_export(const SimExportArguments& arguments);

// "heddle: " and the sentence, on standard error.
void complain(const std::string& sentence);

}  // namespace heddle::app
