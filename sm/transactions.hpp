// SPDX-License-Identifier: BSD-3-Clause
// Requests in flight: windows for the whole fabric and per device, timeouts that adapt, retries,
// other routes. VL15 has no flow control, so what is sent too fast is lost: pacing lives here and
// nowhere else.
//
// A transaction id holds the slot of the request, the slot's generation and the attempt: the kernel
// refuses an id that still waits, so each attempt needs one of its own, and an answer to any of the
// attempts is welcome.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "base/prefetch.hpp"
#include "base/strong.hpp"
#include "base/time.hpp"
#include "mad/directed_route.hpp"
#include "mad/smp.hpp"
#include "sm/pacing.hpp"

namespace heddle::sm {

// Something that answers SMPs and is reached by a route of its own: a switch, or one port of a
// channel adapter or router. Zero-based, by order of discovery.
using DeviceId = base::Strong<struct DeviceIdTag, std::uint32_t>;

// Why a request was sent; says which handler gets the answer.
enum class Purpose : std::uint8_t {
  Discovery,
  Lids,
  Partitions,
  Lanes,
  Arbitration,
  Tables,
  Multicast,
  Links,
  Watch,
  Election,
  OwnPort,
  Administration,
  Aliases,
  Orders,
  Virtual,
};

struct Request {
  DeviceId device{};
  Purpose purpose{};
  mad::Method method = mad::Method::Get;
  mad::AttributeId attribute{};
  std::uint32_t modifier{};
  std::uint32_t subject{};   // the handler's own index: a node, a port
  std::uint32_t detail{};    // and what of it: a port number, a block
  mad::PortNumber beyond{};  // not 0: ask what hangs on this port of the device instead
  std::uint8_t key = 0;      // keys tried before; beyond a port: of those for strangers
  bool optional = false;     // nice to know: few attempts, and silence is held against nobody
  friend bool operator==(const Request&, const Request&) = default;
};

struct Answer {
  Request request;
  bool answered = false;  // false: given up after the last attempt on the last route
  mad::Status status{};
  mad::SmpData data{};
  bool repeated = false;  // it was sent more than once, so it may have been done more than once
};

struct TransactionLimits {
  std::uint32_t window = 64;            // 1..8192; what is used adapts below it
  std::uint32_t window_per_device = 2;  // 1..
  base::Duration smallest_timeout{};
  base::Duration largest_timeout{};
  std::uint32_t attempts = 4;  // per route, 1..8
};

// Counters since the last begin_counting().
struct TransactionCounters {
  std::uint64_t gets_sent = 0;
  std::uint64_t sets_sent = 0;
  std::uint64_t retries = 0;
  std::uint64_t unanswered = 0;
  std::uint64_t fell_silent = 0;  // devices that left a request unanswered, once for each
  std::uint64_t lost_ways = 0;    // that left one so on the way in use, others left or not
  std::uint64_t late = 0;
  std::uint64_t answered = 0;
};

class Transactions {
 public:
  // How requests leave. The data of a Set is asked for at the moment of sending, so that it is
  // built from the newest observation and need not wait in a queue.
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual mad::SmpData data_for(const Request& request) = 0;
    virtual void send(const mad::Smp& smp) = 0;
  };

  explicit Transactions(TransactionLimits limits);

  // M_Keys for devices that have none of their own here, and for what hangs beyond a port, in the
  // order to try (Request::key); at least one.
  void set_keys(std::vector<mad::MKey> keys) { keys_ = std::move(keys); }
  std::size_t key_count() const { return keys_.size(); }
  // The M_Key of the device, from now on.
  void set_key(DeviceId device, mad::MKey key) { devices_[device.value].m_key = key; }
  mad::MKey key(DeviceId device) const { return devices_[device.value].m_key.value_or(keys_[0]); }
  // No Set goes to that device any more. Ends with reset(), or by unlock().
  void lock(DeviceId device) { devices_[device.value].locked = true; }
  bool is_locked(DeviceId device) const { return devices_[device.value].locked; }
  void unlock(DeviceId device) { devices_[device.value].locked = false; }

  DeviceId add_device(const mad::DirectedRoute& route);
  // Another way to the same device, used when the first one fails. At most a few are kept. Every
  // route can be extended by one hop, unless a device has no other than one of kMaxHops.
  void add_route(DeviceId device, const mad::DirectedRoute& route);
  // Takes these in place of all that were known; at least one. Whoever was silent gets another
  // chance.
  void set_routes(DeviceId device, std::vector<mad::DirectedRoute> routes);
  const mad::DirectedRoute& route(DeviceId device) const {
    return devices_[device.value].routes[0];
  }
  // All that are known, the one in use first.
  const std::vector<mad::DirectedRoute>& routes(DeviceId device) const {
    return devices_[device.value].routes;
  }
  // For whoever passes over the routes of many: begins to fetch what leads to them, and, some time
  // after that, them.
  void fetch(DeviceId device) const { base::prefetch(&devices_[device.value].routes); }
  void fetch_routes(DeviceId device) const { base::prefetch(devices_[device.value].routes.data()); }
  std::size_t device_count() const { return devices_.size(); }
  // Whether it has answered anything since the last begin_counting().
  bool is_heard(DeviceId device) const { return devices_[device.value].heard_in == count_; }

  // Forgets everything queued or in flight; answers to it count as late.
  void cancel();
  // And all devices.
  void reset();
  void set_limits(TransactionLimits limits);

  void submit(const Request& request);

  // The answer that this response is, or nothing when it belongs to no request (any more).
  std::optional<Answer> on_response(base::Instant now, const mad::Smp& response);
  // The transport gave a request back: it counts as a timeout that came early.
  void on_send_failed(base::Instant now, const mad::Smp& request);
  // Gives up or repeats what is overdue, then sends what the windows allow.
  void pump(base::Instant now, Sink& sink);
  // Requests given up since the last call.
  std::vector<Answer> take_given_up();

  base::Instant deadline();
  std::size_t outstanding() const { return in_flight_ + queued_; }
  bool idle() const { return in_flight_ == 0 && queued_ == 0; }
  // Submitted and not yet sent.
  std::size_t queued() const { return queued_; }
  // Sets that were sent and neither answered nor given up.
  std::vector<Request> sets_in_flight() const;
  const TransactionCounters& counters() const { return counters_; }
  void begin_counting() {
    counters_ = {};
    ++count_;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  static constexpr std::size_t kMaxRoutes = 4;
  // A device that left this many requests unanswered gets no more: its queue is given up at once,
  // so that one dead switch does not cost hundreds of timeouts. What is submitted later gets the
  // usual attempts on one route.
  static constexpr std::uint32_t kStrikes = 2;
  // More rounds of attempts than this no question beyond a port is worth.
  static constexpr std::uint32_t kMaxRounds = 4;
  static constexpr std::uint32_t kNotVouched = kNone;

  struct Device {
    std::vector<mad::DirectedRoute> routes;  // the one in use first
    std::uint32_t turn = 0;                  // counts changes of the one in use
    std::uint32_t head = kNone;              // queue of pending_ entries
    std::uint32_t tail = kNone;
    std::uint32_t in_flight = 0;
    std::uint32_t allowed = 0;  // now; halves on loss, grows back to the limit
    std::uint32_t good = 0;     // answers since the last loss
    std::uint32_t strikes = 0;  // unanswered requests in a row
    bool ready = false;         // in ready_
    bool locked = false;
    std::uint64_t lost_in = 0;   // the count, by number, in which it is one of lost_ways
    std::uint64_t heard_in = 0;  // the one in which it answered last
    std::optional<mad::MKey> m_key;
  };
  // Requests for block after block, or port after port, are one entry: there are hundreds of
  // thousands of blocks, and each entry lies somewhere else in memory.
  struct Pending {
    Request request;              // the next one; those behind it have modifiers that count up
    std::uint32_t more = 0;       // so many behind it
    std::uint32_t detail_up = 0;  // 1: and details that do
    std::uint32_t next = kNone;
  };
  struct Slot {
    Request request;
    base::Instant sent{};
    base::Instant due{};
    std::uint32_t attempt = 0;       // on the route in use; 1 is the first
    std::uint32_t sendings = 0;      // on all routes
    std::uint32_t elsewhere = 0;     // of them, on routes given up before the one in use
    std::uint32_t routes_tried = 0;  // before the one in use
    std::uint32_t turn = 0;          // Device::turn when it was sent
    std::uint32_t generation = 1;    // never 0, so that no transaction id is
    bool live = false;
    bool overdue = false;  // waits in repeat_ to be sent again
    // Of a question beyond a port that got no answer: whether the device that has the port is being
    // asked for a sign of life instead, and how many rounds of attempts are left since it gave one.
    bool probing = false;
    bool untried = false;  // the route in use: the device is asked for that sign first
    std::uint32_t rounds = kNotVouched;
  };
  struct Due {
    base::Instant when{};
    std::uint32_t transaction = 0;
    friend bool operator>(const Due& a, const Due& b) { return a.when > b.when; }
  };

  std::uint32_t transaction_of(std::uint32_t slot) const;
  Slot* find(std::uint32_t transaction);
  void make_ready(DeviceId id);
  void fetch_next() const;
  static bool extend(Pending& run, const Request& request);
  Request take_head(Device& device);
  void start_next(base::Instant now, DeviceId id, Sink& sink);
  void transmit(base::Instant now, std::uint32_t slot, Sink& sink);
  void time_out(std::uint32_t slot);
  std::uint32_t attempts_for(const Slot& slot) const;
  void repeat(std::uint32_t slot);
  void vouch(std::uint32_t slot);
  void take_next_route(std::uint32_t slot);
  std::optional<Answer> finish(base::Instant now, std::uint32_t slot, const mad::Smp& response);
  void give_up(std::uint32_t slot);
  void give_up_queue(Device& device);
  void count_unanswered(const Request& request);
  void release(std::uint32_t slot);
  void drop_stale_deadlines();

  TransactionLimits limits_;
  std::vector<mad::MKey> keys_{mad::MKey{}};
  std::vector<Device> devices_;
  std::vector<Pending> pending_;
  std::uint32_t free_pending_ = kNone;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::deque<DeviceId> ready_;         // devices with something queued and room in their window
  std::vector<std::uint32_t> repeat_;  // slots to send again
  std::vector<Answer> given_up_;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::size_t in_flight_ = 0;
  std::size_t queued_ = 0;
  Pacing pacing_;
  TransactionCounters counters_;
  std::uint64_t count_ = 1;  // how often counting has begun
};

}  // namespace heddle::sm
