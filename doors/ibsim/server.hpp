// SPDX-License-Identifier: BSD-3-Clause
// The socket door: a server of ibsim's protocol for programs that are started with libumad2sim
// preloaded, on local sockets with abstract names (BASE:ctl, and BASE:outN for client N) and, if
// wanted, by UDP (PORT for control, PORT+1+N for client N). It makes up for what the library lacks:
// requests that can go nowhere come back at once, those that nobody answers before the library
// gives up, a client gets nothing that it would die of, and who is dead is noticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.hpp"
#include "doors/fabric_host.hpp"
#include "doors/ibsim/client.hpp"
#include "doors/ibsim/datagram_socket.hpp"
#include "doors/ibsim/messages.hpp"
#include "doors/ibsim/outstanding.hpp"

namespace heddle::doors::ibsim {

struct ServerOptions {
  std::string socket_name = "sim";  // BASE
  std::string listen;               // [ADDRESS:]PORT for UDP; empty: none; port 0: any
  // How long a client that has just sent something is asked for more, again and again, before its
  // socket is waited for: a program that waits for its answer asks again at once, and to be woken
  // costs more than to answer. Where others want the processor it rests: who asks in vain spends
  // its share of the time, and waits the longer for the next. 0: never.
  base::Duration attention{0};
};

struct ServerCounters {
  std::uint64_t connected = 0;        // clients, ever
  std::uint64_t refused = 0;          // CONNECTs: no such node, no place, no socket
  std::uint64_t left = 0;             // with DISCONNECT
  std::uint64_t reaped = 0;           // without
  std::uint64_t garbage_control = 0;  // control messages that make no sense
  ClientCounters traffic;             // of all clients, those that are gone included
};

class Server {
 public:
  static constexpr std::size_t kMostClients = 4000;
  // So many clients are attended to at once; more are waited for.
  static constexpr std::size_t kMostAttended = 16;
  // A UDP client that is silent so long is taken for dead; it cannot be asked.
  static constexpr base::Duration kUdpSilence = std::chrono::minutes(10);

  // Listens from now on. `say` gets a line for what somebody should know: who came and went, and
  // who was refused and why.
  static base::Result<std::unique_ptr<Server>> start(boost::asio::io_context& loop,
                                                     FabricHost& host, const ServerOptions& options,
                                                     std::function<void(const std::string&)> say);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::map<std::uint32_t, std::shared_ptr<Client>>& clients() const { return clients_; }
  // Sends a client away; false when there is no such one. Its program is not told.
  bool dismiss(std::uint32_t index);
  ServerCounters counters() const;
  // Where UDP is listened on; nothing without.
  std::optional<std::string> udp_address() const;

 private:
  // Where control messages arrive.
  struct Gate {
    DatagramSocket socket;
    SocketAddress name;  // of the gate; for UDP the client's sockets are bound beside it
  };

  Server(boost::asio::io_context& loop, FabricHost& host, const ServerOptions& options,
         std::function<void(const std::string&)> say);
  base::Result<> open_gate(const SocketAddress& address);

  // --- control (server_control.cpp)
  void read_control(Gate& gate);
  std::optional<Control> answer(const Control& control, const SocketAddress& from, Gate& gate);
  std::optional<ControlData> answer_connect(const Control& control, const SocketAddress& from,
                                            Gate& gate);
  std::optional<ControlData> answer_about_port(const Control& control, const Client& client) const;
  std::optional<SocketAddress> data_address(const ClientInfo& info,
                                            const SocketAddress& from) const;
  std::shared_ptr<Client> seat(Client::Place place, const SocketAddress& control,
                               const SocketAddress& data, Gate& gate);
  void refuse(const std::string& why);

  // --- traffic
  void wait_readable(const std::shared_ptr<Client>& client);
  void attend(const std::shared_ptr<Client>& client);
  void take_turn();
  void give_way();
  void turn_from_the_silent();
  bool read(Client& client);  // false when nothing had come
  bool is_seated(const Client& client) const;
  void forward(Client& client, std::span<const std::byte> message);
  void note_waiting(std::uint32_t index);
  void flush_all();
  void flush(std::uint32_t index);
  void expire();
  void watch_time();
  void reap();
  void remove(std::uint32_t index);

  boost::asio::io_context& loop_;
  FabricHost& host_;
  ServerOptions options_;
  std::function<void(const std::string&)> say_;
  std::vector<std::unique_ptr<Gate>> gates_;
  std::map<std::uint32_t, std::shared_ptr<Client>> clients_;  // by index; the tag is one more
  Outstanding outstanding_;
  Inbox inbox_;
  std::vector<std::shared_ptr<Client>> attended_;  // nobody waits for their sockets meanwhile
  base::Instant attention_rests_until_{};
  std::vector<std::uint32_t> to_flush_;
  bool in_turn_ = false;
  boost::asio::steady_timer expiry_;
  bool expiry_runs_ = false;
  boost::asio::steady_timer reaping_;
  ServerCounters counters_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for what is posted to the loop
};

// SIM_HOST as people write it: a node's name or description, with ":PORT" for a certain port; what
// the protocol has cut to 31 characters may be the beginning of just one. Empty: the first host.
std::optional<sim::EndpointId> find_seat(const sim::World& world, const std::string& wish);

}  // namespace heddle::doors::ibsim
