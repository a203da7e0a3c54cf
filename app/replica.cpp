// SPDX-License-Identifier: BSD-3-Clause
#include "app/replica.hpp"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "app/clock.hpp"
#include "app/keeper.hpp"

namespace heddle::app {

namespace asio = boost::asio;
using store::Quorum;

// Between the two threads. The reader is told when there is something in it.
struct Replica::Mailbox : std::enable_shared_from_this<Replica::Mailbox> {
  Mailbox(asio::io_context& to, Listener hears) : loop(to), listener(std::move(hears)) {}

  asio::io_context& loop;
  Listener listener;  // of the reader's thread; empty: it has gone
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Quorum::Event> events;
  std::uint64_t taken = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t seen = 0;  // the last number that `taken` knows of
  bool told = false;       // the reader will come

  void put(std::vector<Quorum::Event> more, std::uint64_t upto, std::uint64_t last) {
    const std::scoped_lock lock(mutex);
    if (more.empty() && upto == taken && last == seen) return;
    taken = upto;
    seen = last;
    events.insert(events.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
    changed.notify_all();
    if (std::exchange(told, true)) return;
    asio::post(loop, [self = shared_from_this()] { self->deliver(); });
  }
  std::vector<Quorum::Event> take() {
    const std::scoped_lock lock(mutex);
    told = false;
    return std::exchange(events, {});
  }
  void deliver() {
    auto all = take();
    if (listener) listener(std::move(all));
  }
};

// The other thread's.
class Replica::Loop {
 public:
  Loop(const Options& options, std::shared_ptr<Mailbox> mailbox)
      : mailbox_(std::move(mailbox)),
        quorum_({options.prefix, holder(), options.lease,
                 [](std::string_view name) { return name.starts_with("service "); }}),
        timer_(loop_),
        work_(loop_.get_executor()) {}
  ~Loop() {
    loop_.stop();
    if (thread_.joinable()) thread_.join();
  }

  base::Result<void> open(EtcdLink::Options options) {
    EtcdLink::Events events;
    events.answer = [this](std::uint64_t id, store::Answer answer) {
      // After what called: the connection is free then.
      asio::post(loop_, [this, id, answer = std::move(answer)] {
        quorum_.on_answer(now(), id, answer);
        after();
      });
    };
    events.changes = [this](const std::vector<store::Changed>& changes) {
      quorum_.on_changes(now(), changes);
      after();
    };
    events.watch_lost = [this] { forget_watch(); };
    auto link = EtcdLink::open(loop_, std::move(options), std::move(events));
    if (!link) return link.error();
    link_ = std::move(*link);
    thread_ = std::thread([this] {
      after();
      loop_.run();
    });
    return {};
  }

  void publish(store::State state) {
    asio::post(loop_, [this, state = std::move(state)] {
      last_ = state.number;
      quorum_.publish(now(), state);
      after();
    });
  }
  void step_down() {
    asio::post(loop_, [this] {
      quorum_.step_down(now());
      after();
    });
  }
  void read_again() {
    asio::post(loop_, [this] { forget_watch(); });
  }

 private:
  // One that no other run has.
  static std::string holder() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}", random(), random());
  }
  void forget_watch() {
    link_->end_watch();
    quorum_.on_watch_lost(now());
    after();
  }
  static Quorum::Moment now() { return {steady_now(), Keeper::wall_clock()}; }

  void after() {
    if (auto wanted = quorum_.take_ask()) link_->ask(wanted->id, std::move(wanted->question));
    if (watched_ != quorum_.watch_number()) {
      watched_ = quorum_.watch_number();
      if (const auto* watch = quorum_.watch()) {
        link_->watch(watch->range, watch->from);
      } else {
        link_->end_watch();
      }
    }
    mailbox_->put(quorum_.take_events(), quorum_.taken(), last_);
    const base::Instant deadline = quorum_.deadline();
    if (deadline == base::kNever) {
      timer_.cancel();
      return;
    }
    timer_.expires_after(std::max(base::Duration(0), deadline - steady_now()));
    timer_.async_wait([this](const boost::system::error_code& cancelled) {
      if (cancelled) return;
      quorum_.on_time(now());
      after();
    });
  }

  asio::io_context loop_{1};
  std::shared_ptr<Mailbox> mailbox_;
  Quorum quorum_;
  std::unique_ptr<EtcdLink> link_;
  asio::steady_timer timer_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::uint64_t watched_ = 0, last_ = 0;
  std::thread thread_;
};

Replica::Replica(Options options, std::shared_ptr<Mailbox> mailbox)
    : waits_(options.waits),
      mailbox_(std::move(mailbox)),
      own_(std::make_unique<Loop>(options, mailbox_)) {}

Replica::~Replica() {
  mailbox_->listener = {};
}

base::Result<std::unique_ptr<Replica>> Replica::open(asio::io_context& loop, Options options,
                                                     Listener listener) {
  auto link = options.link;
  auto mailbox = std::make_shared<Mailbox>(loop, std::move(listener));
  std::unique_ptr<Replica> replica(new Replica(std::move(options), std::move(mailbox)));
  const auto opened = replica->own_->open(std::move(link));
  if (opened.has_error()) return opened.error();
  return replica;
}

std::vector<Quorum::Event> Replica::first(std::chrono::milliseconds patience) {
  {
    std::unique_lock lock(mailbox_->mutex);
    mailbox_->changed.wait_for(lock, patience, [this] { return !mailbox_->events.empty(); });
  }
  return mailbox_->take();
}

void Replica::publish(store::State state) {
  published_ = state.number;
  own_->publish(std::move(state));
}

void Replica::step_down() {
  own_->step_down();
}

void Replica::read_again() {
  own_->read_again();
}

// What has not come to the other thread yet is waited for, whatever that said before.
std::uint64_t Replica::taken() const {
  constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();
  if (!waits_) return kAll;
  const std::scoped_lock lock(mailbox_->mutex);
  return mailbox_->seen >= published_ ? mailbox_->taken : std::min(mailbox_->taken, mailbox_->seen);
}

}  // namespace heddle::app
