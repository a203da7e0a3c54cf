// SPDX-License-Identifier: BSD-3-Clause
// What a memory costs, and what it is good for, on a simulated fabric that answers at once: the SM,
// subnet administration and a real SQLite file (where TMPDIR says) in one process.
//
//   bench_durable [FABRIC [ROUNDS]]        default: 11,664 hosts, 5 rounds
//
// Bring-up with a store and without, in turns; joins by all hosts, acknowledged when they are on
// the disk, with so many under way at once; a standby that was told everything and takes over.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "base/text.hpp"
#include "mad/port_info.hpp"
#include "mad/sa_header.hpp"
#include "mad/smp.hpp"
#include "store/writer.hpp"
#include "tests/simulation/ipoib_client.hpp"
#include "tests/support/folder.hpp"

namespace heddle::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}
std::uint64_t wall_clock() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<seconds>(since).count());
}
void in_parallel(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) {
  oneapi::tbb::parallel_for(
      oneapi::tbb::blocked_range<std::size_t>(0, count),
      [&](const oneapi::tbb::blocked_range<std::size_t>& part) { body(part.begin(), part.end()); });
}

// A database and its thread, as the daemon has them.
class Disk {
 public:
  Disk() {
    auto opened = store::Database::open(folder_.path() / "memory.db", wall_clock);
    writer_.emplace(
        std::move(opened->database),
        []() -> base::Result<std::unique_ptr<store::Database>> { return base::error("failed"); },
        [this](const store::Writer::Outcome& outcome) {
          if (!outcome.trouble.empty()) failed_ = true;
          done_ = outcome.ticket;
        });
  }
  void write(std::uint64_t epoch, bool whole, std::vector<base::Record> records) {
    writer_->write(++given_, {epoch, whole, std::move(records)});
    writer_->begin();
  }
  bool has_all() const { return done_ == given_; }
  void wait() const {
    while (!has_all()) std::this_thread::sleep_for(microseconds(20));
    if (failed_) throw std::runtime_error("the database cannot be written");
  }
  std::uint64_t commits() const { return writer_->commits(); }

 private:
  Folder folder_;
  std::uint64_t given_ = 0;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> failed_{false};
  std::optional<store::Writer> writer_;
};

sm::Options options_of(bool durable) {
  sm::Options options;
  options.durable = durable;
  options.poll_interval = milliseconds(300);
  return options;
}
RouteMaker routes() {
  return [](const sm::ComputeRoutes& work) {
    return routing::select_near_home(*work.topology, *work.lids, work.policy, work.home.get(),
                                     in_parallel, work.in_place.selected.get());
  };
}
void keep(Seat& seat, Disk& disk) {
  seat.shelf().on_written = [&disk](const sm::Store& store) {
    disk.write(store.epoch, store.whole, store.records);
  };
}

// --- bring-up

// Until the fabric is up and, with a store, all of it on the disk; and what of that the thread of
// the machine and its world took of a processor, which other programs do not lengthen.
struct Cost {
  double wall = 0, thread = 0;
};
double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

Cost bring_up(const std::string& fabric, bool durable) {
  Disk disk;
  BoxOptions options;
  options.sm = options_of(durable);
  options.routes = routes();
  Box box(fabric, std::move(options));
  if (durable) keep(box.seat(), disk);
  const double thread = thread_seconds();
  const auto began = Clock::now();
  if (!box.run_until_quiet()) throw std::runtime_error("the fabric does not come up");
  disk.wait();
  return {seconds_since(began), thread_seconds() - thread};
}

// Of many pairs, in turns: the medians, and of the ratios where the middle half of them lies.
void tell(const char* what, const std::vector<Cost>& with, const std::vector<Cost>& without,
          double Cost::*what_of) {
  std::vector<double> stored, plain, ratios;
  for (std::size_t n = 0; n < with.size(); ++n) {
    stored.push_back(with[n].*what_of);
    plain.push_back(without[n].*what_of);
    ratios.push_back(stored.back() / plain.back());
  }
  for (auto* all : {&stored, &plain, &ratios}) std::sort(all->begin(), all->end());
  const std::size_t count = ratios.size();
  fmt::print(
      "bring-up, {}: {:.3f} s with a store, {:.3f} s without; {} ratios {:.3f} to {:.3f}, the "
      "middle half {:.3f} to {:.3f}, median {:.3f}\n",
      what, stored[count / 2], plain[count / 2], count, ratios.front(), ratios.back(),
      ratios[count / 4], ratios[count - 1 - count / 4], ratios[count / 2]);
}

void compare_bring_up(const std::string& fabric, std::uint64_t rounds) {
  std::vector<Cost> with, without;
  (void)bring_up(fabric, false);  // whatever is done once
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const bool first = round % 2 == 0;
    (first ? with : without).push_back(bring_up(fabric, first));
    (first ? without : with).push_back(bring_up(fabric, !first));
  }
  tell("by the clock", with, without, &Cost::wall);
  tell("processor time of the machine's thread", with, without, &Cost::thread);
}

// --- joins and the takeover

class Pair {
 public:
  explicit Pair(const std::string& fabric) : box_(fabric, options()) {
    keep(box_.seat(), disk_);
    if (!box_.run_until_quiet()) throw std::runtime_error("the fabric does not come up");
    const auto& topology = box_.snapshot().topology;
    for (const auto port : topology.endports()) {
      const auto node = topology.node_of(port);
      const auto& name = topology.node(node).description;
      if (topology.node(node).type == mad::NodeType::Switch || port == box_.snapshot().sm_port) {
        continue;
      }
      clients_.emplace_back(box_, name);
      endpoints_.push_back(box_.world().find_endpoint(name).value());
    }
  }

  // By so many of the hosts that have not joined yet.
  void join(std::size_t window, std::size_t count) {
    const std::size_t end = std::min(next_ + count, clients_.size());
    const std::size_t wanted = acknowledged_ + (end - next_);
    const auto commits = disk_.commits();
    const auto began = Clock::now();
    const auto first = next_;
    Shelf& shelf = box_.seat().shelf();
    while (next_ < end) {
      shelf.ack_not_before = base::kNever;
      for (const auto last = std::min(next_ + window, end); next_ < last; ++next_) ask(next_);
      box_.run_for(milliseconds(1));
      disk_.wait();
      shelf.ack_not_before = {};
      box_.run_for(microseconds(1));
      box_.take_arrivals(box_.endpoint());  // nobody reads the answers
    }
    const double took = seconds_since(began);
    if (acknowledged_ != wanted) throw std::runtime_error("not every join was acknowledged");
    fmt::print("{} joins, {} under way: {:.0f} a second acknowledged and on the disk, {} commits\n",
               end - first, window, static_cast<double>(end - first) / took,
               disk_.commits() - commits);
  }

  void take_over() {
    SeatOptions heir;
    heir.sm = options_of(true);
    heir.routes = routes();
    heir.on_work = [this](bool begins) { on_work(begins); };
    heir.on_way_out = [this](mad::Datagram& leaving) { count(leaving); };
    Seat& standby = box_.add_seat(
        box_.snapshot()
            .topology
            .node(box_.snapshot().topology.node_of(box_.snapshot().topology.endports().back()))
            .description,
        std::move(heir));
    keep(standby, standby_disk_);
    box_.run_for(seconds(30));
    Shelf& shelf = box_.seat().shelf();
    const auto office = shelf.facts().at("office");
    const auto epoch = base::parse_number(office.substr(office.rfind(' ') + 1)).value_or(0);
    standby.input(sm::Shared{epoch, true, shelf.records()});
    Clock::time_point noticed{};
    standby.set_listener([&](const sm::Event& event) {
      const auto* change = std::get_if<sm::StateChanged>(&event.value);
      if (change != nullptr && change->from == mad::SMState::Standby) noticed = Clock::now();
      if (change != nullptr && change->from == mad::SMState::Standby) worked_ = {};
    });
    sets_ = tables_ = asked_anew_ = 0;
    box_.seat().die();
    standby.input(sm::PeerSilent{});
    for (int n = 0; n < 200'000 && standby.core().queries_view() == nullptr; ++n) {
      box_.run_for(microseconds(100));
    }
    const double took = seconds_since(noticed);
    const auto worked = std::chrono::duration<double>(worked_).count();
    box_.run_for(seconds(20));
    fmt::print(
        "takeover: {:.3f} s from the master's end being noticed to answers to clients, of "
        "which {:.3f} s the machine's\n"
        "  then {} Sets, {} of them of forwarding or multicast tables; {} clients asked to "
        "register again\n",
        took, worked, sets_, tables_, asked_anew_);
  }

 private:
  BoxOptions options() {
    BoxOptions options;
    options.sm = options_of(true);
    options.routes = routes();
    options.on_way_out = [this](mad::Datagram& leaving) { count_answer(leaving); };
    return options;
  }
  void ask(std::size_t which) {
    const IpoibClient& client = clients_[which];
    auto query =
        sa::make_query(sa::Question{mad::Method::Set, 0x38, 0, IpoibClient::kJoin, {}},
                       client.question(kIpv4Broadcast, kFull), client.port_info().master_sm_lid);
    query.peer.q_key = 0x8001'0000;
    box_.world().send(endpoints_[which], std::move(query), box_.now());
  }
  void count_answer(const mad::Datagram& leaving) {
    if (leaving.peer.qpn != 1) return;
    const auto reply = sa::read_reply<mad::MCMemberRecord>(leaving);
    acknowledged_ += reply.came && reply.status() == mad::kStatusOk;
  }
  void count(const mad::Datagram& leaving) {
    // Most are questions, and looking into them takes its time.
    if (leaving.payload[3] != static_cast<std::byte>(mad::Method::Set)) return;
    const auto smp = mad::decode_smp(leaving.payload);
    if (!smp || smp->method != mad::Method::Set) return;
    ++sets_;
    tables_ += smp->attribute_id == mad::AttributeId::LinearForwardingTable ||
               smp->attribute_id == mad::AttributeId::MulticastForwardingTable;
    if (smp->attribute_id != mad::AttributeId::PortInfo) return;
    asked_anew_ += mad::decode<mad::PortInfo>(smp->data).client_reregister;
  }
  void on_work(bool begins) {
    if (begins) began_ = Clock::now();
    if (!begins) worked_ += Clock::now() - began_;
  }

  Disk disk_, standby_disk_;
  std::size_t acknowledged_ = 0, next_ = 0;
  std::uint64_t sets_ = 0, tables_ = 0, asked_anew_ = 0;
  Clock::time_point began_{};
  Clock::duration worked_{};
  Box box_;
  std::vector<IpoibClient> clients_;
  std::vector<sim::EndpointId> endpoints_;  // theirs
};

}  // namespace
}  // namespace heddle::test

int main(int argc, char** argv) {
  using namespace heddle;
  const std::string fabric = argc > 1 ? argv[1] : "xgft:18,18,36;1,18,18";
  const auto rounds = base::parse_number(argc > 2 ? argv[2] : "5").value_or(5);
  {
    test::Pair pair(fabric);
    pair.join(64, 1000);
    pair.join(256, 3000);
    pair.join(1024, 100'000);
    pair.take_over();
  }
  if (rounds > 0) test::compare_bring_up(fabric, rounds);
}
