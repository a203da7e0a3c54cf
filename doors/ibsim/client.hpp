// SPDX-License-Identifier: BSD-3-Clause
// One program behind libumad2sim: its socket, the port it sits on, and what waits to be sent to it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "doors/fabric_host.hpp"
#include "doors/ibsim/datagram_socket.hpp"
#include "doors/ibsim/outstanding.hpp"
#include "sim/devices.hpp"

namespace heddle::doors::ibsim {

struct ClientCounters {
  std::uint64_t requests = 0;       // MADs it sent
  std::uint64_t received = 0;       // MADs it was sent
  std::uint64_t timed_out = 0;      // its requests that came back after the patience
  std::uint64_t undeliverable = 0;  // its requests that came back at once
  std::uint64_t lost = 0;           // MADs it was too slow for, and too many requests of its own
  std::uint64_t garbage = 0;        // messages of a wrong size
};

class Client final : public Guest {
 public:
  // What waits for a client that does not read; more is lost.
  static constexpr std::size_t kMostWaiting = 1024;

  struct Place {
    sim::EndpointId port{};
    std::string node;
  };

  Client(const sim::World& world, Outstanding& outstanding, ClientTag tag, Place place,
         DatagramSocket socket, SocketAddress control, SocketAddress data);

  struct Outgoing {
    mad::Datagram datagram;
    mad::TransactionId transaction{};
  };

  ClientTag tag() const { return tag_; }
  sim::EndpointId port() const { return place_.port; }
  const std::string& node() const { return place_.node; }
  const SocketAddress& control() const { return control_; }
  const SocketAddress& data() const { return data_; }
  DatagramSocket& socket() { return socket_; }
  const ClientCounters& counters() const { return counters_; }

  // As an SM it takes requests of the classes that OpenSM registers. libumad2sim dies of a request
  // of any other, so nobody else is sent any.
  void set_is_sm(bool is_sm) { is_sm_ = is_sm; }
  bool is_sm() const { return is_sm_; }

  // A message that arrived on its socket, as what shall go into the fabric; nothing if it cannot.
  std::optional<Outgoing> take(std::span<const std::byte> message, base::Instant now);
  // What take() made of a message found no way: if it waits for an answer, it goes back at once.
  void return_undeliverable(mad::TransactionId transaction);
  void return_expired(const Request& request);

  void receive(const mad::Datagram& datagram) override;

  // Sends what waits. `Full`: try again when the socket is writable.
  Sent flush();
  // Called when the first message begins to wait.
  void on_waiting(std::function<void()> call) { on_waiting_ = std::move(call); }

  // How many messages to take at once, from 2 on, and how many came when so many were wanted. Who
  // has few on their way gets small batches: the first answers leave sooner, and the program works
  // while the others are made. Who has many gets large ones, which cost fewer system calls.
  std::size_t batch() const { return batch_; }
  void note_batch(std::size_t came) {
    batch_ =
        came == batch_ ? std::min(2 * came, Inbox::kMessages) : std::max(came / 2, kSmallestBatch);
  }

  base::Instant last_heard{};

 private:
  static constexpr std::size_t kSmallestBatch = 2;
  static constexpr std::size_t kTrapsRemembered = 64;
  bool wants(const mad::Datagram& datagram);
  void enqueue(const Request& request);
  mad::TransactionId trap_of(mad::TransactionId repress) const;

  mad::Lid own_lid() const { return world_.devices().ports[place_.port].info.lid; }

  const sim::World& world_;
  Outstanding& outstanding_;
  ClientTag tag_;
  Place place_;
  DatagramSocket socket_;
  SocketAddress control_;
  SocketAddress data_;
  std::size_t batch_ = kSmallestBatch;
  bool is_sm_ = false;
  ClientCounters counters_;
  std::vector<RequestBytes> waiting_;
  std::function<void()> on_waiting_;
  std::array<mad::TransactionId, kTrapsRemembered> traps_{};  // the last ones it was sent
  std::size_t next_trap_ = 0;
};

}  // namespace heddle::doors::ibsim
