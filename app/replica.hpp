// SPDX-License-Identifier: BSD-3-Clause
// What this manager shares with others by a replicated store (store/quorum.hpp), on a thread and a
// loop of its own. Everything here is for the session's loop, and its events come there.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "app/etcd_link.hpp"
#include "base/result.hpp"
#include "store/quorum.hpp"

namespace heddle::app {

class Replica {
 public:
  struct Options {
    EtcdLink::Options link;
    std::string prefix;
    std::chrono::seconds lease{5};
    bool waits = true;  // promises wait for the store
  };
  // All that has happened, and whether nobody need be waited for any more.
  using Listener = std::function<void(std::vector<store::Quorum::Event>)>;
  static base::Result<std::unique_ptr<Replica>> open(boost::asio::io_context& loop, Options options,
                                                     Listener listener);
  ~Replica();

  // What the store says before anything else happens, if it says it in time.
  std::vector<store::Quorum::Event> first(std::chrono::milliseconds patience);

  void publish(store::State state);
  void step_down();
  // As standby: everything, because what was heard last is not understood.
  void read_again();
  // The number up to which nobody need be waited for.
  std::uint64_t taken() const;

 private:
  class Loop;
  struct Mailbox;
  Replica(Options options, std::shared_ptr<Mailbox> mailbox);

  bool waits_;
  std::uint64_t published_ = 0;
  std::shared_ptr<Mailbox> mailbox_;
  std::unique_ptr<Loop> own_;
};

}  // namespace heddle::app
