// SPDX-License-Identifier: BSD-3-Clause
#include "app/partner.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include <boost/asio/connect.hpp>
#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::app {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

struct HostPort {
  std::string host, port;
};
// "10.0.0.1:9316", "[::1]:9316", "node-2:9316".
base::Result<HostPort> parse_place(std::string_view what, std::string_view text) {
  const auto colon = text.rfind(':');
  const bool sound =
      colon != text.npos && base::parse_number(text.substr(colon + 1), 65535).has_value();
  if (!sound) {
    return base::error(
        fmt::format("standby.{} is HOST:PORT, not '{}'", what, base::printable(text)));
  }
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return HostPort{std::string(host), std::string(text.substr(colon + 1))};
}

}  // namespace

Partner::Partner(asio::io_context& loop, Log& log, Options options, Events events)
    : loop_(loop),
      log_(log),
      options_(std::move(options)),
      events_(std::move(events)),
      acceptor_(loop),
      resolver_(loop),
      beat_(loop),
      retry_(loop),
      again_(loop) {}

Partner::~Partner() {
  for (const auto& link : served_) link->drop();
  if (followed_) followed_->drop();
}

base::Result<std::unique_ptr<Partner>> Partner::open(asio::io_context& loop, Log& log,
                                                     Options options, Events events) {
  std::unique_ptr<Partner> partner(new Partner(loop, log, std::move(options), std::move(events)));
  const auto begun = partner->begin();
  if (begun.has_error()) return begun.error();
  return partner;
}

base::Result<void> Partner::begin() {
  auto server = make_partner_tls(options_.keys, true);
  if (!server) return server.error();
  auto client = make_partner_tls(options_.keys, false);
  if (!client) return client.error();
  server_tls_ = std::move(*server);
  client_tls_ = std::move(*client);
  if (!options_.listen.empty()) {
    const auto place = parse_place("listen", options_.listen);
    if (!place) return place.error();
    boost::system::error_code error;
    const auto address = asio::ip::make_address(place->host, error);
    if (error) return base::error("standby.listen needs an address, not " + place->host);
    const auto port = static_cast<std::uint16_t>(base::parse_number(place->port).value_or(0));
    const tcp::endpoint at(address, port);
    acceptor_.open(at.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(at, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return base::error(fmt::format("cannot listen on {}: {}", options_.listen, error.message()));
    }
    accept();
  }
  if (!options_.peer.empty()) {
    const auto place = parse_place("peer", options_.peer);
    if (!place) return place.error();
    connect();
  }
  beat();
  return {};
}

// --- for those that connect

void Partner::accept() {
  acceptor_.async_accept(
      [this, alive = std::weak_ptr(alive_)](boost::system::error_code error, tcp::socket socket) {
        if (alive.expired()) return;
        if (error) return accept_later();
        if (served_.size() < kMaxLinks) {
          served_.push_back(
              std::make_shared<PartnerLink>(std::move(socket), *server_tls_.context, served()));
          served_.back()->in_time = Clock::now();
          served_.back()->start(true);
        }
        accept();
      });
}

// Out of file descriptors, most likely: others will be closed.
void Partner::accept_later() {
  again_.expires_after(kAcceptAgain);
  again_.async_wait([this, alive = std::weak_ptr(alive_)](boost::system::error_code error) {
    if (!error && !alive.expired()) accept();
  });
}

PartnerLink::Events Partner::served() {
  const auto opened = [](PartnerLink&) {};
  const auto heard = [this](PartnerLink& link, store::Message& message) { serve(link, message); };
  const auto closed = [this, alive = std::weak_ptr(alive_)](PartnerLink& link,
                                                            const std::string& why) {
    if (alive.expired()) return;
    if (link.greeted) {
      if (link.synced) gone_.push_back({link.taken, Clock::now() + kPatience});
      log_.say(sm::Severity::Warning, "StandbyGone",
               fmt::format("The standby no longer listens: {}", why));
    }
    std::erase_if(served_, [&](const auto& each) { return each.get() == &link; });
    events_.taken();
  };
  return {opened, heard, closed};
}

void Partner::serve(PartnerLink& link, store::Message& message) {
  if (const auto* greeting = std::get_if<store::Greeting>(&message)) {
    if (greeting->fabric != options_.fabric) return link.close("it is of another fabric");
    link.greeted = true;
    link.say(store::Greeting{options_.fabric});
    link.say(events_.now());
    if (const auto all = events_.everything()) {
      link.given = all->number;
      link.say_all(*all);
    }
    log_.say(sm::Severity::Info, "StandbyListens", "A standby is told what is remembered");
  } else if (const auto* ack = std::get_if<store::Ack>(&message)) {
    link.taken = std::max(link.taken, ack->number);
    if (link.taken >= link.given) {
      link.synced = true;
      offended_ = false;
    }
    events_.taken();
  } else if (const auto* beat = std::get_if<store::Beat>(&message)) {
    const store::Beat own = events_.now();
    if (own.role != store::Role::Master || beat->epoch <= own.epoch) return;
    if (beat->role == store::Role::Master) return events_.overtaken(beat->epoch);
    events_.behind(beat->epoch);
  }
}

// One that proves nothing, or takes nothing, or has long to read until it has everything.
void Partner::keep_nobody_waiting(PartnerLink& link) {
  link.synced = false;  // it has been waited for
  if (!std::exchange(offended_, true)) events_.taken();
}

void Partner::publish(const store::State& state) {
  const auto links = served_;  // one that is full leaves
  for (const auto& link : links) {
    if (!link->greeted) continue;
    link->given = state.number;
    link->say(state);
  }
}

std::uint64_t Partner::taken() const {
  std::uint64_t upto = std::numeric_limits<std::uint64_t>::max();
  for (const auto& link : served_) {
    const bool counts = link->greeted && (link->synced || !offended_);
    if (counts && link->taken < link->given) upto = std::min(upto, link->taken);
  }
  for (const Gone& gone : gone_) upto = std::min(upto, gone.taken);
  return upto;
}

std::size_t Partner::standbys() const {
  return static_cast<std::size_t>(
      std::count_if(served_.begin(), served_.end(),
                    [](const auto& link) { return link->greeted && link->taken >= link->given; }));
}

// --- as one that connects

void Partner::connect() {
  const auto place = parse_place("peer", options_.peer);
  resolver_.async_resolve(
      place->host, place->port,
      [this, alive = std::weak_ptr(alive_)](boost::system::error_code error,
                                            tcp::resolver::results_type found) {
        if (alive.expired()) return;
        if (error) return reconnect(error.message());
        auto socket = std::make_shared<tcp::socket>(loop_);
        asio::async_connect(
            *socket, found,
            [this, alive, socket](boost::system::error_code failed, const tcp::endpoint&) {
              if (alive.expired()) return;
              if (failed) return reconnect(failed.message());
              followed_ = std::make_shared<PartnerLink>(std::move(*socket), *client_tls_.context,
                                                        followed());
              followed_->heard_last = Clock::now();
              followed_->start(false);
            });
      });
}

void Partner::reconnect(const std::string& why) {
  if (said_ != why) {
    said_ = why;
    log_.say(sm::Severity::Warning, "PartnerGone",
             fmt::format("No connection to the other subnet manager, {}: {}", options_.peer, why));
  }
  followed_.reset();
  retry_.expires_after(kReconnect);
  // A timer that has expired already cannot be cancelled any more.
  retry_.async_wait(
      [this, alive = std::weak_ptr(alive_)](const boost::system::error_code& cancelled) {
        if (!cancelled && !alive.expired()) connect();
      });
}

PartnerLink::Events Partner::followed() {
  const auto opened = [this](PartnerLink& link) {
    link.say(store::Greeting{options_.fabric});
    said_.clear();
  };
  const auto heard = [this](PartnerLink& link, store::Message& message) { follow(link, message); };
  const auto closed = [this, alive = std::weak_ptr(alive_)](PartnerLink&, const std::string& why) {
    if (alive.expired()) return;
    if (std::exchange(master_heard_, false)) {
      if (has_slept(kPatience)) events_.doubted();
      events_.silent();
    }
    reconnect(why);
  };
  return {opened, heard, closed};
}

void Partner::follow(PartnerLink& link, store::Message& message) {
  const store::Beat own = events_.now();
  if (auto* state = std::get_if<store::State>(&message)) {
    if (own.role == store::Role::Master) return;
    const std::uint64_t number = state->number;
    if (!events_.told(*state)) return;
    link.say(store::Ack{number});
  } else if (const auto* beat = std::get_if<store::Beat>(&message)) {
    if (beat->role != store::Role::Master) {
      master_heard_ = false;
    } else if (own.role == store::Role::Master) {
      if (beat->epoch > own.epoch) events_.overtaken(beat->epoch);
    } else {
      master_heard_ = true;
    }
  }
}

// --- signs of life

void Partner::beat() {
  const auto now = Clock::now();
  const store::Beat own = events_.now();
  // As long as we slept nobody was waited for: what was said meanwhile is heard first.
  if (has_slept(kSilence)) {
    for (const auto& link : served_) link->in_time = link->heard_last = now;
    for (Gone& gone : gone_) gone.until = std::max(gone.until, now + kPatience);
  }
  const auto links = served_;
  for (const auto& link : links) {
    const bool late = link->taken < link->given || !link->greeted;
    if (!late) link->in_time = now;
    if (link->arrives()) link->arrived_last = link->heard_last = now;
    const bool overdue = late && now > link->in_time + kPatience;
    if (overdue) keep_nobody_waiting(*link);
    if (overdue && now > link->arrived_last + kPatience) {
      link->close("it takes nothing");
    } else if (link->greeted && now > link->heard_last + 8 * kSilence) {
      link->close("it is silent");
    } else if (link->greeted) {
      link->say(own);
    }
  }
  const auto over = std::remove_if(gone_.begin(), gone_.end(),
                                   [&](const Gone& gone) { return gone.until <= now; });
  if (over != gone_.end()) {
    gone_.erase(over, gone_.end());
    events_.taken();
  }
  if (const auto link = followed_) link->say(own);  // one that is full leaves
  // What it says later may build upon what we had dropped by then: it begins anew.
  const auto patience = master_heard_ ? kSilence : 8 * kSilence;
  if (const auto link = followed_; link && now > link->heard_last + patience) {
    link->close("it is silent");
  }
  beat_.expires_after(kBeat);
  beat_.async_wait(
      [this, alive = std::weak_ptr(alive_)](const boost::system::error_code& cancelled) {
        if (!cancelled && !alive.expired()) beat();
      });
}

}  // namespace heddle::app
