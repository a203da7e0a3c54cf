// SPDX-License-Identifier: BSD-3-Clause
#include "transport/umad.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <infiniband/umad.h>
#include <signal.h>
#include <unistd.h>

#include "transport/header.hpp"
#include "transport/reading_pace.hpp"
#include "transport/umad_agents.hpp"
#include "transport/umad_message.hpp"
#include "transport/waiting_read.hpp"

namespace heddle::transport {
namespace {

constexpr int kPollMilliseconds = 25;               // how late the reader sees that it shall stop
constexpr std::size_t kMaxBatch = 256;              // MADs handed over at once
constexpr std::size_t kMaxUndelivered = 64 * 1024;  // beyond that, MADs wait in the kernel
constexpr int kSegmentRetries = 3;                  // 2 s each, without an Ack in between
constexpr std::chrono::microseconds kGather{50};    // the timers' own slack comes on top
constexpr int kMaxFailuresInARow = 20;              // then the device is held to be gone
constexpr std::chrono::milliseconds kPause{10};

// Where posted batches end. It outlives the transport as long as one is under way, and is touched
// on the loop's thread only, apart from the count.
struct Mailbox {
  Receiver receiver;
  std::function<void(const std::string&)> on_trouble;
  std::atomic<std::size_t> undelivered{0};
  bool closed = false;

  void deliver(std::vector<Received>& batch) {
    undelivered -= batch.size();
    if (!closed && receiver) receiver(batch);
  }
  void complain(const std::string& sentence) const {
    if (!closed && on_trouble) on_trouble(sentence);
  }
};

class Umad final : public Transport {
 public:
  Umad(boost::asio::io_context& loop, PortId port, UmadOptions options, int handle,
       UmadAgents agents)
      : loop_(loop),
        port_(std::move(port)),
        kernel_timeout_(options.kernel_timeout),
        handle_(handle),
        waiting_(handle),
        agents_(std::move(agents)),
        mailbox_(std::make_shared<Mailbox>()),
        at_once_(std::move(options.at_once)) {
    mailbox_->on_trouble = std::move(options.on_trouble);
    start_reader();
  }
  Umad(const Umad&) = delete;
  Umad& operator=(const Umad&) = delete;

  ~Umad() override {
    set_is_sm(false);
    mailbox_->closed = true;
    // Joined before the port is closed, so that answers under way still find their agent.
    stop_ = true;
    WaitingRead::end(reader_, ended_);
    umad_close_port(handle_);
  }

  void set_receiver(Receiver receiver) override { mailbox_->receiver = std::move(receiver); }
  void send(mad::Datagram datagram) override;
  void set_is_sm(bool is_sm) override;

 private:
  void start_reader();
  void read_until_stopped();
  // Everything that can be had without waiting; where reads wait, until something came that is not
  // answered here. False when the device fails.
  bool read_batch(std::vector<Received>& batch, bool gathered);
  // True if it has been answered here, or needs no answer.
  bool answer_at_once(const Received& received);
  void count_answer(const Received& received);
  void post(std::vector<Received> batch);
  void give_back(mad::Datagram datagram);

  boost::asio::io_context& loop_;
  PortId port_;
  std::chrono::milliseconds kernel_timeout_;
  int handle_;
  WaitingRead waiting_;  // the reader's
  UmadAgents agents_;
  std::shared_ptr<Mailbox> mailbox_;
  UmadMessage outgoing_;
  ReadingPace pace_;
  // The reader's:
  UmadMessage incoming_;
  UmadMessage reply_;
  std::function<bool(const mad::Datagram&, std::optional<mad::Datagram>&)> at_once_;
  int issm_ = -1;
  std::atomic<bool> stop_{false};
  std::atomic<bool> ended_{false};
  std::thread reader_;
};

void Umad::send(mad::Datagram datagram) {
  const auto header = peek_header(datagram.payload);
  if (!header) return mailbox_->complain("a MAD without a whole header was not sent");
  const auto management_class = static_cast<std::uint8_t>(header->management_class);
  const bool awaited = mad::awaits_response(header->method);
  const auto agent = agents_.find(management_class);
  const bool fits = datagram.payload.size() <= mad::kMadBytes || agents_.segments(management_class);
  if (agent && fits) {
    const auto length = static_cast<int>(outgoing_.fill(datagram));
    // The kernel hands up only answers to requests that it tracks, and it tracks those with a
    // timeout. It must not repeat a request: that is the machine's affair.
    const int timeout = awaited ? static_cast<int>(kernel_timeout_.count()) : 0;
    // Of a long answer, segments may be lost; nobody but the kernel can send them again.
    const bool in_segments = !awaited && is_rmpp_message(datagram.payload);
    const int retries = in_segments ? kSegmentRetries : 0;
    if (awaited) pace_.request();
    if (umad_send(handle_, *agent, outgoing_.data(), length, timeout, retries) == 0) return;
    if (awaited) pace_.end();
  }
  if (awaited) give_back(std::move(datagram));
}

void Umad::give_back(mad::Datagram datagram) {
  const auto id = peek_header(datagram.payload)->transaction_id;
  set_transaction_id(datagram.payload, sender_half(id));
  reduce_to_header(datagram.payload);
  std::vector<Received> batch;
  batch.push_back({Arrival::SendFailed, std::move(datagram)});
  post(std::move(batch));
}

void Umad::set_is_sm(bool is_sm) {
  if (!is_sm) {
    if (issm_ >= 0) ::close(issm_);
    issm_ = -1;
    return;
  }
  if (issm_ >= 0) return;
  char path[256];
  if (umad_get_issm_path(port_.device.c_str(), port_.port, path, sizeof path) != 0) {
    return mailbox_->complain(
        fmt::format("IsSM cannot be set on {}: it has no issm device", to_string(port_)));
  }
  issm_ = ::open(path, O_RDWR | O_NONBLOCK);
  if (issm_ >= 0) return;
  const int reason = errno;
  const bool held = reason == EAGAIN || reason == EBUSY;
  mailbox_->complain(
      fmt::format("IsSM cannot be set on {}, so hosts may not find this subnet manager: {}: {}",
                  to_string(port_), path,
                  held ? "another process holds it; stop the other subnet manager of this port"
                       : std::generic_category().message(reason)));
}

void Umad::start_reader() {
  // Signals are the loop's: a thread inherits its mask from the one that starts it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  reader_ = std::thread([this] {
    WaitingRead::begin();
    read_until_stopped();
    ended_ = true;
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Umad::read_until_stopped() {
  int failures = 0;
  while (!stop_) {
    if (mailbox_->undelivered > kMaxUndelivered) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    errno = 0;
    const int ready = waiting_.waits() ? 0 : umad_poll(handle_, kPollMilliseconds);
    if (ready == -ETIMEDOUT) pace_.silence();
    if (ready == -ETIMEDOUT || (ready != 0 && errno == EINTR)) continue;
    const bool gathered = ready == 0 && !waiting_.waits() && pace_.gathers();
    if (gathered) std::this_thread::sleep_for(kGather);
    std::vector<Received> batch;
    const bool fine = ready == 0 && read_batch(batch, gathered);
    if (!batch.empty()) post(std::move(batch));
    failures = fine ? 0 : failures + 1;
    if (failures >= kMaxFailuresInARow) {
      boost::asio::post(loop_, [mailbox = mailbox_, port = to_string(port_)] {
        mailbox->complain(fmt::format(
            "{} cannot be read any more: the device was removed or its driver restarted", port));
      });
      return;
    }
    if (!fine) std::this_thread::sleep_for(kPause);
  }
}

// Where one only is taken, whatever else is there ends the next poll at once. As long as all that
// comes is answered here, reads wait, and neither a poll nor a vain read is needed.
bool Umad::read_batch(std::vector<Received>& batch, bool gathered) {
  const bool one_only = !gathered && pace_.takes_one();
  std::size_t had = 0;
  while (!stop_ && (waiting_.waits() || had < (one_only ? 1 : kMaxBatch))) {
    auto length = static_cast<int>(incoming_.room());
    errno = 0;
    const int agent = umad_recv(handle_, incoming_.data(), &length, 0);
    if (agent < 0) {
      const bool larger = errno == ENOSPC && length > static_cast<int>(incoming_.room());
      if (!larger && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) return false;
      if (!larger) break;
      incoming_.reserve(static_cast<std::size_t>(length));  // an RMPP message; read again
      continue;
    }
    ++had;
    auto received = incoming_.take(static_cast<std::size_t>(std::max(length, 0)));
    if (!received) continue;
    count_answer(*received);
    if (answer_at_once(*received)) continue;
    batch.push_back(std::move(*received));
    if (!waiting_.set(false)) break;  // hand it up before a read that may wait for long
  }
  pace_.had(had, gathered);
  if (at_once_ && had > 0 && batch.empty()) waiting_.set(true);
  return true;
}

void Umad::count_answer(const Received& received) {
  const auto header = peek_header(received.datagram.payload);
  const bool ends =
      received.arrival == Arrival::SendFailed || (header && mad::is_response(header->method));
  if (ends) pace_.end();
}

bool Umad::answer_at_once(const Received& received) {
  if (!at_once_ || received.arrival != Arrival::Message) return false;
  std::optional<mad::Datagram> reply;
  if (!at_once_(received.datagram, reply)) return false;
  if (!reply) return true;
  const auto header = peek_header(reply->payload);
  const auto agent =
      header ? agents_.find(static_cast<std::uint8_t>(header->management_class)) : std::nullopt;
  if (!agent || reply->payload.size() > mad::kMadBytes) return true;  // lost, as in send()
  const auto length = static_cast<int>(reply_.fill(*reply));
  static_cast<void>(umad_send(handle_, *agent, reply_.data(), length, 0, 0));
  return true;
}

void Umad::post(std::vector<Received> batch) {
  mailbox_->undelivered += batch.size();
  boost::asio::post(
      loop_, [mailbox = mailbox_, batch = std::move(batch)]() mutable { mailbox->deliver(batch); });
}

base::Error no_umad() {
  return base::error(
      "the kernel offers no access to management datagrams: load the module with `modprobe "
      "ib_umad`");
}

base::Error cannot_open(const PortId& port, int code, int reason) {
  const std::string name = to_string(port);
  if (code == -EINVAL || code == -ENODEV) {
    return base::error(fmt::format(
        "there is no InfiniBand port {}: `heddle ports` lists the ports of this host", name));
  }
  if (reason == EACCES || reason == EPERM) {
    return base::error(fmt::format(
        "no permission to open the umad device of {}: run as root, or as a member of the group "
        "that owns /dev/infiniband",
        name));
  }
  if (reason == ENOENT || reason == ENXIO) {
    return base::error(fmt::format(
        "the umad device of {} is missing under /dev/infiniband: run `modprobe ib_umad`, and in a "
        "container pass /dev/infiniband into it",
        name));
  }
  return base::error(fmt::format("cannot open the umad device of {}: {}", name,
                                 std::generic_category().message(reason)));
}

// umad_init complains on standard error when the module is missing; this asks beforehand.
bool kernel_has_umad() {
  const int file = ::open(IB_UMAD_ABI_DIR "/" IB_UMAD_ABI_FILE, O_RDONLY);
  if (file < 0) return false;
  ::close(file);
  return true;
}

}  // namespace

base::Result<std::unique_ptr<Transport>> open_umad(boost::asio::io_context& loop,
                                                   const PortId& port, UmadOptions options) {
  const bool served = kernel_has_umad() && umad_init() == 0;
  errno = 0;
  const int handle = umad_open_port(port.device.c_str(), port.port);
  if (handle < 0) return served ? cannot_open(port, handle, errno) : no_umad();
  auto agents = UmadAgents::register_all(handle, port);
  if (!agents) {
    umad_close_port(handle);
    return agents.error();
  }
  return std::unique_ptr<Transport>(
      std::make_unique<Umad>(loop, port, std::move(options), handle, *agents));
}

}  // namespace heddle::transport
