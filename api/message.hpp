// SPDX-License-Identifier: BSD-3-Clause
// A request and its answer as the handlers see them: no socket, no HTTP library. Requests come from
// anybody and may hold anything.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "mad/types.hpp"
#include "partitions/managed.hpp"

namespace heddle::api {

// What who asks may do; the greater includes the lesser.
enum class Role { Nobody, Reader, Writer };

struct Request {
  std::string method;         // "GET"
  std::string target;         // "/v1/nodes?type=switch", as it came
  std::string body;           // at most kMaxBodyBytes
  std::string last_event_id;  // the header of that name, which a reader of events sends
  Role role = Role::Nobody;
};

// --- what a request may ask of the subnet manager ------------------------------------------------

struct Resweep {
  std::string reason;
};
struct SetLogLevel {
  std::string level;  // debug, info, warning, error
};
// Reads the configuration again, as SIGHUP does.
struct Reload {};
// What is lost is not missed any longer.
struct AcceptLosses {};
// Until the configuration is read again.
struct SetPriority {
  unsigned priority = 0;         // 0 to 15
  bool gives_up_office = false;  // although a master stays one ([sm] sticky_master)
};
// About one end of each of some links: switch its port off or on, lead no route over the link, or
// undo what was done about it.
struct CareForLink {
  struct End {
    mad::Guid node{};
    mad::PortNumber port{};
  };
  enum class What { Disable, Enable, Restore, RouteAround };
  What what{};
  std::vector<End> ends;
  bool may_isolate_host = false;
};
// From now on partitions are these, beside those of the file. They are written down already.
struct UsePartitions {
  std::shared_ptr<const partitions::Managed> partitions;
  // What they were made from: if a master has told others since, the change is void.
  std::shared_ptr<const partitions::Managed> before;
};
using Command = std::variant<Resweep, SetLogLevel, Reload, AcceptLosses, SetPriority, CareForLink,
                             UsePartitions>;

// --- answers ------------------------------------------------------------------------------------

// The next piece of a long answer: nothing at its end. An empty piece says that there is none now;
// only a stream of events gives one.
using Pieces = std::function<std::optional<std::string>()>;

struct Response {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body;
  Pieces pieces;                   // if set, they are the body
  std::optional<Command> command;  // to be carried out
  // If set, the answer is what this gives, which is asked whenever there is news, and now and then,
  // until it gives one. All else here but the command is nothing then.
  std::function<std::optional<Response>()> later;
  std::string allow;     // with 405: the methods there are
  std::string location;  // with 202: where to ask what became of it
};

// {"error": {"status": 404, "message": "..."}}.
Response refusal(unsigned status, const std::string& message);

}  // namespace heddle::api
