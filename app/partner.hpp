// SPDX-License-Identifier: BSD-3-Clause
// The other subnet manager of a site with two: each listens, and each connects to the other.
// Whoever is master tells what it remembers to those that have connected, and shows signs of life;
// who has connected takes that in, and says so.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "app/logging.hpp"
#include "app/partner_link.hpp"
#include "base/result.hpp"
#include "store/stream.hpp"

namespace heddle::app {

class Partner {
 public:
  static constexpr std::chrono::milliseconds kBeat{50};
  // Without a sign of life for so long, a master is asked for in the fabric.
  static constexpr std::chrono::milliseconds kSilence{250};
  // A standby that does not take what it is told is waited for no longer than this; nor is one
  // whose link is gone, so that it has the time to find out whether the master is.
  static constexpr std::chrono::milliseconds kPatience{500};
  static constexpr std::chrono::milliseconds kReconnect{500};
  static constexpr std::chrono::milliseconds kAcceptAgain{100};
  static constexpr std::size_t kMaxLinks = 8;

  struct Options {
    std::string listen;  // ADDRESS:PORT; empty: nobody can connect
    std::string peer;    // HOST:PORT; empty: we connect to nobody
    PartnerKeys keys;
    std::string fabric;  // a word: both must say the same
  };
  struct Events {
    std::function<store::Beat()> now;                         // our role and epoch
    std::function<std::optional<store::State>()> everything;  // as master; else nothing
    std::function<bool(store::State&)> told;                  // by a master; false: not taken
    std::function<void()> silent;                             // a master is, that was not
    std::function<void()> taken;                              // taken() may have grown
    std::function<void(std::uint64_t epoch)> overtaken;       // the other side is master too
    std::function<void(std::uint64_t epoch)> behind;  // a standby knows of a later one than ours
    // The master is gone, and while we slept it may have gone on without us.
    std::function<void()> doubted = [] {};
  };
  static base::Result<std::unique_ptr<Partner>> open(boost::asio::io_context& loop, Log& log,
                                                     Options options, Events events);
  ~Partner();

  // To all that listen.
  void publish(const store::State& state);
  // The number up to which nobody need be waited for.
  std::uint64_t taken() const;
  // As standby: what is told builds upon something else than what we have. We connect again, and
  // are told everything.
  void begin_anew(const std::string& why) {
    if (const auto link = followed_) link->close(why);
  }
  // Those that have all that there is.
  std::size_t standbys() const;

 private:
  using Clock = std::chrono::steady_clock;
  Partner(boost::asio::io_context& loop, Log& log, Options options, Events events);
  base::Result<void> begin();
  void accept();
  void accept_later();
  void connect();
  void reconnect(const std::string& why);
  void beat();
  void serve(PartnerLink& link, store::Message& message);
  void keep_nobody_waiting(PartnerLink& link);
  void follow(PartnerLink& link, store::Message& message);
  PartnerLink::Events served();
  PartnerLink::Events followed();
  bool has_slept(Clock::duration time) const { return Clock::now() > beat_.expiry() + time; }

  boost::asio::io_context& loop_;
  Log& log_;
  Options options_;
  Events events_;
  PartnerTls server_tls_, client_tls_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::ip::tcp::resolver resolver_;
  boost::asio::steady_timer beat_, retry_, again_;
  std::vector<std::shared_ptr<PartnerLink>> served_;
  std::shared_ptr<PartnerLink> followed_;
  // The last one took nothing in time: nobody waits for one that has yet to take everything.
  bool offended_ = false;
  bool master_heard_ = false;  // and not silent since
  std::string said_;           // last about the connection
  // What a link that is gone had not taken, and until when it counts.
  struct Gone {
    std::uint64_t taken = 0;
    Clock::time_point until{};
  };
  std::vector<Gone> gone_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace heddle::app
