// SPDX-License-Identifier: BSD-3-Clause
// `heddle doctor`: mistakes in setting up a subnet manager, each with its mend. Judging is apart
// from looking, so that every kind of host can be judged in a test.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transport/ports.hpp"

namespace heddle::app {

// What was seen of this host.
struct HostFacts {
  struct Device {
    std::string path;  // "/dev/infiniband/umad0"
    bool may_open = false;
  };
  struct Process {
    int pid = 0;
    std::string name;
  };
  struct Configuration {
    std::string path;         // empty: none was found
    bool unreadable = false;  // for who asks; then nothing of it is known
    std::vector<std::string> problems;
    bool has_keys = false;
    bool anybody_reads = false;
    std::string port;  // sm.port
    std::string memory_folder;
    bool memory_kept = true;  // the folder may be written, or made
  };
  struct Manager {
    std::string socket;
    std::string trouble;  // why it does not answer; then nothing below is known
    std::string state;    // "master"
    unsigned priority = 0;
    std::vector<std::string> complaints;
    struct Peer {
      std::string name;
      std::string state;  // in small letters
      unsigned priority = 0;
    };
    std::vector<Peer> peers;
  };
  bool has_umad_module = false;
  std::vector<transport::LocalPort> ports;
  std::vector<Device> devices;
  std::vector<Process> other_managers;  // that are none of ours
  Configuration configuration;
  std::vector<Manager> managers;  // that run on this host
};

enum class Health { Fine, Doubtful, Wrong };
struct Diagnosis {
  Health health = Health::Fine;
  std::string what;
  std::string mend;  // what to do; empty when nothing is to be done
};
std::vector<Diagnosis> diagnose(const HostFacts& host);

// For people: a line for each, and what to do below it.
std::string diagnosis_text(const std::vector<Diagnosis>& all);
std::string diagnosis_json(const std::vector<Diagnosis>& all);

}  // namespace heddle::app
