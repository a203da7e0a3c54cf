// SPDX-License-Identifier: BSD-3-Clause
// The subcommands that ask a running subnet manager, after their arguments have been understood.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/exit_codes.hpp"

namespace heddle::app {

enum class Shape { Table, Json, Csv };

struct OperateArguments {
  std::filesystem::path socket;  // empty: the one there is
  Shape shape = Shape::Table;
};

// Exit::Ok when all is well, Exit::Problems when not.
Exit run_status(const OperateArguments& arguments);

// A listing's name, or "path" with its two ends.
struct ShowArguments : OperateArguments {
  std::string what;
  std::vector<std::string> words;
};
Exit run_show(const ShowArguments& arguments);

// "resweep", "reload", "log-level LEVEL", "priority N", "accept-losses"; with a port
// "port-disable", "port-enable", "link-restore".
struct CtlArguments : OperateArguments {
  std::string verb;
  std::string word;
  unsigned port = 0;  // 0: it is about no port
  unsigned priority = 0;
  bool force = false;
};
Exit run_ctl(const CtlArguments& arguments);

// Why things are as they are: "path" with two ends, "port" with one, "refusals" with or without a
// word that they must speak of.
struct ExplainArguments : OperateArguments {
  std::string what;
  std::vector<std::string> words;
};
Exit run_explain(const ExplainArguments& arguments);

// Events until the end, from this one on; without a number from now on.
struct WatchArguments : OperateArguments {
  std::optional<std::uint64_t> after;
};
Exit run_watch(const WatchArguments& arguments);

// Where the service has its configuration.
inline constexpr const char* kUsualConfiguration = "/etc/heddle/heddle.toml";

// Mistakes in the set-up of this host: Exit::Problems when something is wrong.
struct DoctorArguments : OperateArguments {
  std::filesystem::path config;  // empty: the usual one, if it is there
};
Exit run_doctor(const DoctorArguments& arguments);

// What a configuration leaves open: Exit::Problems when the profile wants more.
struct AuditArguments : OperateArguments {
  std::filesystem::path config;  // empty: the usual one, if it is there
  std::string profile;           // empty: that of the configuration, if it has one
};
Exit run_security_audit(const AuditArguments& arguments);

// A tar file for who shall help. What cannot be had is told and left out.
struct SupportArguments : OperateArguments {
  std::filesystem::path config;  // empty: the usual one, if it is there
  std::filesystem::path output;  // empty: a name of its own in the working directory
  bool tables = false;           // the forwarding tables too
};
Exit run_support_bundle(const SupportArguments& arguments);

}  // namespace heddle::app
