// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "app/daemon.hpp"
#include "app/parallel.hpp"
#include "app/session.hpp"
#include "app/sm_options.hpp"
#include "transport/ports.hpp"
#include "transport/umad.hpp"

namespace heddle::app {
namespace {

constexpr std::chrono::seconds kLookAgain{3};

using transport::PortChoice;
using transport::Transport;

struct OpenPort {
  PortChoice choice;
  std::unique_ptr<Transport> transport;
};

bool is_still_there(const PortChoice& choice) {
  for (const transport::LocalPort& port : transport::list_ports()) {
    if (port.id == choice.id && port.port_guid == choice.port_guid) return true;
  }
  return false;
}

// Runs one port after another: when a device goes away, the daemon waits for it to come back.
class PortRun {
 public:
  PortRun(Session& session, transport::PortWish wish)
      : session_(session),
        wish_(std::move(wish)),
        signals_(session.loop,
                 controls(
                     session, [this] { stop(); },
                     [this](const sm::Options& options, OutputFiles files, MeterOptions meter) {
                       if (daemon_ != nullptr)
                         daemon_->change_options(options, std::move(files), std::move(meter));
                     })) {}

  Exit run() {
    while (!stopped_) {
      auto opened = open();
      if (opened.has_error()) {
        if (session_.arguments.once) {
          complain(opened.error().message);
          return Exit::NoPort;
        }
        wait(opened.error().message);
        continue;
      }
      told_.clear();
      const Exit outcome = serve(opened.value());
      if (session_.arguments.once) return outcome;
    }
    return Exit::Ok;
  }

 private:
  base::Result<OpenPort> open() {
    auto choice = transport::choose_port(transport::list_ports(), wish_);
    if (choice.has_error()) return choice.error();
    transport::UmadOptions options;
    options.kernel_timeout = std::chrono::duration_cast<std::chrono::milliseconds>(
        kernel_timeout(to_sm_options(session_.config)));
    options.at_once = [this](const mad::Datagram& received, std::optional<mad::Datagram>& reply) {
      return desk_.take(received, reply);
    };
    options.on_trouble = [this, id = choice.value()](const std::string& trouble) {
      session_.log.say(sm::Severity::Warning, "PortTrouble", trouble);
      if (!is_still_there(id) && daemon_ != nullptr) daemon_->stop();
    };
    auto transport = transport::open_umad(session_.loop, choice->id, std::move(options));
    if (transport.has_error()) return transport.error();
    return OpenPort{std::move(choice.value()), std::move(transport.value())};
  }

  // Says once what it is waiting for, and again only when that changes.
  void wait(const std::string& why) {
    if (told_ != why) {
      session_.log.say(sm::Severity::Warning, "WaitingForPort",
                       fmt::format("{}; looking again every {} s", why, kLookAgain.count()));
      session_.service.say("Waiting for a port: " + why);
      told_ = why;
    }
    session_.loop.restart();
    boost::asio::steady_timer timer(session_.loop, kLookAgain);
    bool elapsed = false;
    timer.async_wait([&elapsed](const boost::system::error_code&) { elapsed = true; });
    while (!elapsed && !stopped_) session_.loop.run_one();
  }

  Exit serve(OpenPort& port) {
    session_.log.say(sm::Severity::Info, "PortChosen", port.choice.remark,
                     {{"port", to_string(port.choice.id)}});
    session_.loop.restart();
    Daemon daemon(
        session_.loop, *port.transport,
        {machine_options(session_), session_.remembered, std::exchange(session_.registrations, {}),
         output_files(session_), all_cores(), session_.arguments.once, session_.record.get(),
         &session_.service, session_.keeper.get(), &desk_, meter_options(session_.config)},
        session_.log, session_.progress);
    const Operated operated(
        session_, to_string(port.choice.id),
        [&daemon](std::string reason) { daemon.resweep(std::move(reason)); },
        [&daemon](const sm::Options& options, OutputFiles files, MeterOptions meter) {
          daemon.change_options(options, std::move(files), std::move(meter));
        },
        [&daemon](const api::CareForLink& command) { daemon.care(command); });
    daemon_ = &daemon;
    daemon.run();
    daemon_ = nullptr;
    // The next daemon, on a port that came back, starts from what this one learnt.
    session_.registrations = daemon.registrations();
    if (!daemon.performer().lids().empty()) session_.remembered = daemon.performer().lids();
    // Once, not at each reset of the device.
    if (session_.config.reassign && daemon.swept()) session_.reassigned = true;
    if (session_.reassigned) session_.config.reassign = false;
    session_.log.say(sm::Severity::Info, "PortReleased",
                     fmt::format("The subnet manager has left {}", to_string(port.choice.id)));
    if (stopped_ || !session_.arguments.once) return Exit::Ok;
    return tell(session_, daemon.performer(), daemon.state(), to_string(port.choice.id),
                "wall time");
  }

  void stop() {
    stopped_ = true;
    if (daemon_ != nullptr) daemon_->stop();
  }

  Session& session_;
  transport::PortWish wish_;
  FrontDesk desk_;
  Daemon* daemon_ = nullptr;
  bool stopped_ = false;
  std::string told_;
  Signals signals_;
};

}  // namespace

Exit run_on_port(Session& session) {
  auto wish = transport::parse_port_wish(session.config.port);
  if (wish.has_error()) {
    complain(wish.error().message);
    return Exit::Usage;
  }
  watch_record(session);
  const Exit outcome = PortRun(session, std::move(wish.value())).run();
  if (session.record) (void)session.record->file().is_whole();  // the log is told
  return outcome;
}

}  // namespace heddle::app
