// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/api_client.hpp"
#include "app/commands.hpp"
#include "app/operate_commands.hpp"
#include "app/status_text.hpp"

namespace heddle::app {
namespace {

// The answer, or how the command ends: the reason has been told then.
struct Asked {
  Exit exit = Exit::Ok;
  std::string body;
};

Asked fail(Exit exit, const std::string& why) {
  complain(why);
  return {exit, {}};
}

Asked ask(const OperateArguments& arguments, std::string_view method, const std::string& target,
          const std::string& body = {}) {
  const auto socket = find_api_socket(arguments.socket);
  if (socket.has_error()) return fail(Exit::Taken, socket.error().message);
  auto answer = ask_api(*socket, method, target, body);
  if (answer.has_error()) return fail(Exit::Taken, answer.error().message);
  if (!answer->ok()) return fail(Exit::Problems, answer->complaint());
  return {Exit::Ok, std::move(answer->body)};
}

Exit print(const std::string& text) {
  std::cout << text << std::flush;
  if (std::cout) return Exit::Ok;
  complain("cannot write to standard output");
  return Exit::Output;
}

Json parsed(const std::string& body) {
  return Json::parse(body, nullptr, /*allow_exceptions=*/false);
}

Exit show_path(const ShowArguments& arguments) {
  if (arguments.words.size() != 2 || arguments.shape == Shape::Csv) {
    complain("show path takes two ends, and shows them as a table or as json");
    return Exit::Usage;
  }
  const Asked asked = ask(arguments, "GET",
                          fmt::format("/v1/path?from={}&to={}", escaped(arguments.words[0]),
                                      escaped(arguments.words[1])));
  if (asked.exit != Exit::Ok) return asked.exit;
  const Json path = parsed(asked.body);
  const Exit printed = print(arguments.shape == Shape::Json ? asked.body : path_text(path));
  const bool arrives = path.is_object() && path.value("arrives", false);
  return printed != Exit::Ok || arrives ? printed : Exit::Problems;
}

// The whole lines of a stream of events that have come; what is left of the last one stays.
class EventLines {
 public:
  explicit EventLines(Shape shape) : shape_(shape) {}

  bool take(std::string_view text) {
    rest_ += text;
    for (std::size_t end; (end = rest_.find('\n')) != std::string::npos; rest_.erase(0, end + 1)) {
      const std::string_view line = std::string_view(rest_).substr(0, end);
      constexpr std::string_view kData = "data: ";
      if (line.starts_with(kData)) show(std::string(line.substr(kData.size())));
    }
    return static_cast<bool>(std::cout);
  }

 private:
  void show(const std::string& data) const {
    if (shape_ == Shape::Json) {
      std::cout << data << "\n" << std::flush;
      return;
    }
    const Json event = parsed(data);
    if (event.contains("number")) {
      std::cout << event_text(event) << std::flush;
    } else {
      std::cout << "(some events were missed: " << data << ")\n" << std::flush;
    }
  }

  Shape shape_;
  std::string rest_;
};

}  // namespace

Exit run_status(const OperateArguments& arguments) {
  const Asked asked = ask(arguments, "GET", "/v1/status");
  if (asked.exit != Exit::Ok) return asked.exit;
  const Json status = parsed(asked.body);
  if (!status.is_object()) return fail(Exit::Internal, "the answer is no JSON").exit;
  const Exit printed = print(arguments.shape == Shape::Json ? asked.body : status_text(status));
  if (printed != Exit::Ok) return printed;
  return status.value("well", false) ? Exit::Ok : Exit::Problems;
}

Exit run_show(const ShowArguments& arguments) {
  if (arguments.what == "path") return show_path(arguments);
  const Listing* listing = find_listing(arguments.what);
  const std::size_t words = arguments.what == "routes" ? 1 : 0;
  if (listing == nullptr || arguments.words.size() != words) {
    complain(fmt::format("show takes one of {}, with a switch behind routes, or path A B",
                         fmt::join(listing_names(), ", ")));
    return Exit::Usage;
  }
  std::string target(listing->target);
  if (words == 1) target += escaped(arguments.words[0]);
  const Asked asked = ask(arguments, "GET", target);
  if (asked.exit != Exit::Ok) return asked.exit;
  if (arguments.shape == Shape::Json) return print(asked.body);
  const Json answer = parsed(asked.body);
  return print(arguments.shape == Shape::Csv ? csv_text(*listing, answer)
                                             : table_text(*listing, answer));
}

Exit run_explain(const ExplainArguments& arguments) {
  const auto& words = arguments.words;
  std::string target = "/v1/explain/" + arguments.what;
  if (arguments.what == "path" && words.size() == 2) {
    target += fmt::format("?from={}&to={}", escaped(words[0]), escaped(words[1]));
  } else if (arguments.what == "port" && words.size() == 1) {
    target += "?port=" + escaped(words[0]);
  } else if (arguments.what == "refusals" && words.size() <= 1) {
    if (!words.empty()) target += "?about=" + escaped(words[0]);
  } else {
    complain("explain takes path A B, port NODE/PORT, or refusals [ABOUT]");
    return Exit::Usage;
  }
  const Asked asked = ask(arguments, "GET", target);
  if (asked.exit != Exit::Ok) return asked.exit;
  return print(arguments.shape == Shape::Json ? asked.body : answers_text(parsed(asked.body)));
}

Exit run_ctl(const CtlArguments& arguments) {
  std::string target = "/v1/" + arguments.verb;
  Json body = Json::object();
  if (arguments.port != 0) {
    target = arguments.verb == "link-restore"  ? "/v1/links/restore"
             : arguments.verb == "port-enable" ? "/v1/ports/enable"
                                               : "/v1/ports/disable";
    body = {{"node", arguments.word}, {"port", arguments.port}, {"force", arguments.force}};
  }
  if (arguments.verb == "accept-losses") target = "/v1/losses/accept";
  if (arguments.verb == "handover") target = "/v1/hand-over";
  if (arguments.verb == "log-level") body["level"] = arguments.word;
  if (arguments.verb == "priority") body["priority"] = arguments.priority;
  if (arguments.verb == "resweep" && !arguments.word.empty()) body["reason"] = arguments.word;
  const Asked asked =
      ask(arguments, "POST", target, body.dump(-1, ' ', true, Json::error_handler_t::replace));
  if (asked.exit != Exit::Ok) return asked.exit;
  return print(arguments.shape == Shape::Json ? asked.body : "Accepted.\n");
}

Exit run_watch(const WatchArguments& arguments) {
  const auto socket = find_api_socket(arguments.socket);
  if (socket.has_error()) return fail(Exit::Taken, socket.error().message).exit;
  EventLines lines(arguments.shape);
  const std::string target =
      "/v1/events/stream" + (arguments.after ? fmt::format("?after={}", *arguments.after) : "");
  const auto answer =
      follow_api(*socket, target, [&](std::string_view text) { return lines.take(text); });
  if (answer.has_error()) return fail(Exit::Taken, answer.error().message).exit;
  return answer->ok() ? Exit::Output : fail(Exit::Problems, answer->complaint()).exit;
}

}  // namespace heddle::app
