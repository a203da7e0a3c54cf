// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ibsim/server.hpp"

#include <thread>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>

namespace heddle::doors::ibsim {
namespace {

// Batches of one client before the others have their turn.
constexpr int kBatchesInARow = 16;
constexpr auto kReapEvery = std::chrono::seconds(1);
// Who gave way and came back so late met somebody who is busy, and not just the client.
constexpr auto kCrowded = std::chrono::microseconds(500);
constexpr auto kRest = std::chrono::milliseconds(200);

void add(ClientCounters& sum, const ClientCounters& more) {
  sum.requests += more.requests;
  sum.received += more.received;
  sum.timed_out += more.timed_out;
  sum.undeliverable += more.undeliverable;
  sum.lost += more.lost;
  sum.garbage += more.garbage;
}

}  // namespace

Server::Server(boost::asio::io_context& loop, FabricHost& host, const ServerOptions& options,
               std::function<void(const std::string&)> say)
    : loop_(loop),
      host_(host),
      options_(options),
      say_(std::move(say)),
      expiry_(loop),
      reaping_(loop) {}

Server::~Server() {
  *alive_ = false;
  while (!clients_.empty()) remove(clients_.begin()->first);
}

base::Result<std::unique_ptr<Server>> Server::start(boost::asio::io_context& loop, FabricHost& host,
                                                    const ServerOptions& options,
                                                    std::function<void(const std::string&)> say) {
  std::unique_ptr<Server> server(new Server(loop, host, options, std::move(say)));
  const auto local = SocketAddress::local(options.socket_name + ":ctl");
  if (local.has_error()) return local.error();
  const auto opened = server->open_gate(*local);
  if (opened.has_error()) return opened.error();
  if (!options.listen.empty()) {
    const auto udp = SocketAddress::udp(options.listen);
    if (udp.has_error()) return udp.error();
    const auto listens = server->open_gate(*udp);
    if (listens.has_error()) return listens.error();
  }
  server->reap();
  return server;
}

base::Result<> Server::open_gate(const SocketAddress& address) {
  auto socket = DatagramSocket::bound(loop_, address);
  if (socket.has_error()) return socket.error();
  const SocketAddress name = socket->name();
  gates_.push_back(std::make_unique<Gate>(Gate{std::move(*socket), name}));
  Gate& gate = *gates_.back();
  gate.socket.when_readable([this, &gate, alive = alive_] {
    if (*alive) read_control(gate);
  });
  return {};
}

std::optional<std::string> Server::udp_address() const {
  for (const auto& gate : gates_) {
    if (gate->name.is_udp()) return gate->name.text();
  }
  return std::nullopt;
}

ServerCounters Server::counters() const {
  ServerCounters sum = counters_;
  for (const auto& [index, client] : clients_) add(sum.traffic, client->counters());
  return sum;
}

// --- from clients -------------------------------------------------------------------------------

void Server::wait_readable(const std::shared_ptr<Client>& client) {
  client->socket().when_readable([this, alive = alive_, weak = std::weak_ptr<Client>(client)] {
    const auto still = weak.lock();
    if (*alive && still) attend(still);
  });
}

// Its socket has something: it is read in turns until nothing more comes for a while.
void Server::attend(const std::shared_ptr<Client>& client) {
  attended_.push_back(client);
  if (attended_.size() == 1) take_turn();
}

// One turn for everybody who is attended to. The loop's other work comes between two turns.
void Server::take_turn() {
  in_turn_ = true;
  bool any = false;
  for (const auto& client : attended_) {
    if (read(*client)) any = true;
  }
  in_turn_ = false;
  watch_time();
  turn_from_the_silent();
  if (attended_.empty()) return;
  if (!any) give_way();
  boost::asio::post(loop_, [this, alive = alive_] {
    if (*alive) take_turn();
  });
}

void Server::give_way() {
  const base::Instant before = host_.now();
  std::this_thread::yield();
  const base::Instant after = host_.now();
  if (after - before > kCrowded) attention_rests_until_ = after + kRest;
}

void Server::turn_from_the_silent() {
  const base::Instant now = host_.now();
  const bool rests = now < attention_rests_until_;
  std::size_t kept = 0;
  for (auto& client : attended_) {
    if (!is_seated(*client)) continue;
    if (rests) {
      wait_readable(client);
    } else if (kept < kMostAttended && now - client->last_heard < options_.attention) {
      std::swap(attended_[kept++], client);
    } else {
      wait_readable(client);
    }
  }
  attended_.resize(kept);
}

bool Server::read(Client& client) {
  for (int batch = 0; batch < kBatchesInARow; ++batch) {
    const std::size_t most = client.batch();
    const std::size_t count = client.socket().receive(inbox_, most);
    client.note_batch(count);
    if (count == 0) return batch > 0;
    host_.send_together([&] {
      for (std::size_t i = 0; i < count; ++i) forward(client, inbox_.message(i));
    });
    flush_all();
    if (count < most || !is_seated(client)) break;
  }
  return true;
}

bool Server::is_seated(const Client& client) const {
  const auto found = clients_.find(client.tag() - 1u);
  return found != clients_.end() && found->second.get() == &client;
}

void Server::forward(Client& client, std::span<const std::byte> message) {
  auto outgoing = client.take(message, host_.now());
  if (!outgoing) return;
  const bool has_way = host_.send(client.port(), std::move(outgoing->datagram));
  if (!has_way) client.return_undeliverable(outgoing->transaction);
}

// --- to clients ---------------------------------------------------------------------------------

void Server::note_waiting(std::uint32_t index) {
  to_flush_.push_back(index);
  if (in_turn_ || to_flush_.size() > 1) return;
  boost::asio::post(loop_, [this, alive = alive_] {
    if (*alive) flush_all();
  });
}

void Server::flush_all() {
  for (const std::uint32_t index : std::exchange(to_flush_, {})) flush(index);
}

void Server::flush(std::uint32_t index) {
  const auto found = clients_.find(index);
  if (found == clients_.end()) return;
  const std::shared_ptr<Client> client = found->second;
  switch (client->flush()) {
    case Sent::All:
      break;
    case Sent::Full:
      client->socket().when_writable([this, alive = alive_, index, weak = std::weak_ptr(client)] {
        if (*alive && !weak.expired()) flush(index);
      });
      break;
    case Sent::Gone:
      ++counters_.reaped;
      say_(fmt::format("client {} on {} is gone", index, client->node()));
      remove(index);
      break;
  }
}

// --- time ---------------------------------------------------------------------------------------

// One timer for all requests; it is set anew only when it has run out, so that traffic costs no
// system call here.
void Server::watch_time() {
  if (expiry_runs_ || outstanding_.next() == base::kNever) return;
  expiry_runs_ = true;
  expiry_.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      outstanding_.next() - host_.now()));
  expiry_.async_wait([this, alive = alive_](const boost::system::error_code& error) {
    if (error || !*alive) return;
    expiry_runs_ = false;
    expire();
    watch_time();
  });
}

void Server::expire() {
  for (const Request& request : outstanding_.take_expired(host_.now())) {
    const auto client = clients_.find(tag_of(request.transaction()) - 1u);
    if (client != clients_.end()) client->second->return_expired(request);
  }
}

// A program that was killed says nothing. Whether a local one still has its socket is told by
// connecting to it again; a UDP one betrays itself when it is sent something, or by its silence.
void Server::reap() {
  std::vector<std::uint32_t> dead;
  for (const auto& [index, client] : clients_) {
    const bool alive = client->data().is_udp() ? host_.now() - client->last_heard < kUdpSilence
                                               : client->socket().connect(client->data());
    if (!alive) dead.push_back(index);
  }
  for (const std::uint32_t index : dead) {
    ++counters_.reaped;
    say_(fmt::format("client {} on {} is gone", index, clients_.at(index)->node()));
    remove(index);
  }
  reaping_.expires_after(kReapEvery);
  reaping_.async_wait([this, alive = alive_](const boost::system::error_code& error) {
    if (!error && *alive) reap();
  });
}

bool Server::dismiss(std::uint32_t index) {
  if (!clients_.contains(index)) return false;
  remove(index);
  return true;
}

void Server::remove(std::uint32_t index) {
  const std::shared_ptr<Client> client = clients_.at(index);
  host_.detach(client->port(), *client);
  outstanding_.forget(client->tag());
  add(counters_.traffic, client->counters());
  clients_.erase(index);
}

}  // namespace heddle::doors::ibsim
