// SPDX-License-Identifier: BSD-3-Clause
#include "app/api_service.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "app/api_exports.hpp"
#include "app/files.hpp"
#include "app/managed_partitions.hpp"
#include "app/runtime_dir.hpp"
#include "base/text.hpp"

namespace heddle::app {
namespace {

std::string_view word_of(const api::Command& command) {
  constexpr std::string_view kWords[] = {"resweep",         "log-level", "reload",
                                         "accept-losses",   "priority",  "a change to a link",
                                         "other partitions"};
  return kWords[command.index()];
}

std::string text_of(const api::Command& command) {
  if (const auto* made = std::get_if<api::UsePartitions>(&command)) {
    return fmt::format("partitions of generation {}", made->partitions->generation);
  }
  const auto* care = std::get_if<api::CareForLink>(&command);
  if (care == nullptr) return std::string(word_of(command));
  constexpr std::string_view kWords[] = {"port disable", "port enable", "link restore",
                                         "routes around"};
  constexpr std::size_t kNamed = 8;
  std::string text(kWords[static_cast<std::size_t>(care->what)]);
  for (std::size_t i = 0; i < std::min(care->ends.size(), kNamed); ++i) {
    text += fmt::format(" {} {}", base::hex(care->ends[i].node.value), care->ends[i].port.value);
  }
  if (care->ends.size() > kNamed) text += fmt::format(" and {} more", care->ends.size() - kNamed);
  return care->may_isolate_host ? text + " by force" : text;
}

std::optional<api::ConsoleOptions> console_options(const config::Config& config) {
  using Where = api::ConsoleOptions::Where;
  if (config.api_console == "off") return std::nullopt;
  api::ConsoleOptions options;
  options.where = config.api_console == "local"      ? Where::Terminal
                  : config.api_console == "loopback" ? Where::Loopback
                                                     : Where::AnyAddress;
  options.port = static_cast<std::uint16_t>(config.api_console_port);
  return options;
}

// What is open to others is said aloud.
void tell_of_console(const config::Config& config, const api::Server& server, Log& log) {
  if (!server.console_trouble().empty()) {
    log.say(sm::Severity::Warning, "ConsoleNotOpened",
            fmt::format("There is no console: {}", server.console_trouble()));
  } else if (config.api_console == "socket") {
    log.say(
        sm::Severity::Warning, "ConsoleOpen",
        fmt::format("Whoever reaches port {} of this host may look at the fabric, without login "
                    "or encryption: [api] console = \"loopback\" keeps it to this host",
                    server.console_port()));
  } else if (config.api_console == "loopback") {
    log.say(sm::Severity::Info, "ConsoleOpen",
            fmt::format("OpenSM's console listens on 127.0.0.1:{}", server.console_port()));
  }
}

base::Result<std::unique_ptr<api::Server>> listen(const config::Config& config,
                                                  api::ServerOptions options,
                                                  const api::Server::CommandSink& commands) {
  options.identity = {HEDDLE_VERSION, config.shadow, std::chrono::system_clock::now()};
  options.seat.priority = config.priority;
  options.exports = api_exports();
  options.everyone_reads = config.api_readers == "everyone";
  auto door = tcp_door(config);
  if (door.has_error()) return door.error();
  options.tcp = std::move(*door);
  options.console = console_options(config);
  if (!config.api_socket.empty()) {
    options.socket = config.api_socket;
    return api::Server::start(std::move(options), commands);
  }
  const auto directory = runtime_directory({});
  if (directory.has_error()) return directory.error();
  options.socket = std::filesystem::path(*directory) / "sm.sock";
  auto first = api::Server::start(options, commands);
  if (first) return first;
  // Another subnet manager of this host has it.
  options.socket = std::filesystem::path(*directory) / fmt::format("sm-{}.sock", ::getpid());
  return api::Server::start(std::move(options), commands);
}

}  // namespace

// "127.0.0.1:9315", "[::1]:9315".
base::Result<std::optional<api::TcpDoor>> tcp_door(const config::Config& config) {
  if (config.api_listen.empty()) return std::optional<api::TcpDoor>();
  if (config.api_certificate.empty() != config.api_key.empty()) {
    return base::error("api.certificate and api.key go together");
  }
  const std::string_view text = config.api_listen;
  const std::size_t colon = text.rfind(':');
  const auto port =
      colon == text.npos ? std::nullopt : base::parse_number(text.substr(colon + 1), 65535);
  if (!port) {
    return base::error(fmt::format("api.listen is ADDRESS:PORT, not '{}'", base::printable(text)));
  }
  std::string_view address = text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  }
  api::TcpDoor door{std::string(address),
                    static_cast<std::uint16_t>(*port),
                    {},
                    config.api_certificate,
                    config.api_key};
  if (!config.api_tokens.empty()) {
    const auto file = read_text_file(config.api_tokens);
    if (file.has_error()) return file.error();
    auto tokens = api::Tokens::parse(*file, config.api_tokens);
    if (tokens.has_error()) return tokens.error();
    door.tokens = std::move(*tokens);
  }
  return std::optional(std::move(door));
}

std::unique_ptr<ApiService> ApiService::start(const config::Config& config, Partitions partitions,
                                              boost::asio::io_context& loop, Log& log) {
  if (!config.api_enabled) return nullptr;
  auto service = std::unique_ptr<ApiService>(new ApiService);
  const auto carry_out = [&log, carry_out = service->operator_, use = std::move(partitions.use)](
                             const api::Command& command, const std::string& who) {
    log.say(sm::Severity::Info, "ApiCommand", fmt::format("{} asks for {}", who, text_of(command)),
            {{"who", who}, {"command", text_of(command)}});
    if (const auto* made = std::get_if<api::UsePartitions>(&command)) return use(*made);
    if (*carry_out) (*carry_out)(command);
  };
  const auto commands = [&loop, carry_out](api::Command command, std::string who) {
    boost::asio::post(loop, [carry_out, command = std::move(command), who = std::move(who)] {
      carry_out(command, who);
    });
  };
  api::ServerOptions options;
  options.atlas = service->atlas_;
  if (partitions.managed) {
    options.book = std::make_shared<api::PartitionBook>(
        std::move(partitions.managed),
        [file = ManagedPartitionsFile(config.memory_file)](const partitions::Managed& all) {
          return file.save(all);
        },
        !config.standby_listen.empty() || !config.standby_peer.empty() ||
            !config.replica_endpoints.empty());
    options.partitions_not_kept = [&loop, &log](const std::string& why) {
      boost::asio::post(loop,
                        [&log, why] { log.say(sm::Severity::Error, "PartitionsNotKept", why); });
    };
  }
  auto server = listen(config, std::move(options), commands);
  if (server.has_error()) {
    log.say(sm::Severity::Warning, "ApiNotOpened",
            fmt::format("Nobody can ask this subnet manager: {}", server.error().message));
    return nullptr;
  }
  service->server_ = std::move(*server);
  tell_of_console(config, *service->server_, log);
  return service;
}

}  // namespace heddle::app
