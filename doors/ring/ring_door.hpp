// SPDX-License-Identifier: BSD-3-Clause
// The device files and the class tree of simulated hosts for programs that a library of ours is
// loaded into (doors/ring/library): files are opened through a socket, and umad files are used
// through shared memory. Needs neither FUSE nor a namespace (docs/device-door.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.hpp"
#include "doors/device/host_plan.hpp"
#include "doors/device/port_seat.hpp"
#include "doors/device/unique_fd.hpp"
#include "doors/ring/exchange.hpp"
#include "doors/ring/ring_file.hpp"

namespace heddle::doors::ring {

inline constexpr std::size_t kMaxConnections = 4096;
inline constexpr std::size_t kMaxHosts = 4096;

class RingDoor {
 public:
  // `seats` must outlive the door.
  RingDoor(boost::asio::io_context& loop, PortSeats& seats);
  ~RingDoor();
  RingDoor(const RingDoor&) = delete;
  RingDoor& operator=(const RingDoor&) = delete;

  // Lets in whoever connects to NAME.ring in this folder, which only its owner can, and shows trees
  // of hosts in the folder NAME.hosts; what a dead fabric left of both is replaced.
  base::Result<> listen(const std::filesystem::path& directory, const std::string& name);
  // Lets in the process at the other end of this SOCK_SEQPACKET connection.
  void admit(UniqueFd socket);

  std::size_t connections() const { return connections_.size(); }
  // How many umad files are open.
  std::size_t held() const;
  // Sends the signal to the processes that opened them.
  void tell_holders(int signal) const;

 private:
  struct Host;
  struct Connection;
  using Connections = std::list<std::shared_ptr<Connection>>;

  void accept();
  void accept_later();
  void wait(const std::weak_ptr<Connection>& waiting);
  // False when the connection is over.
  bool serve(Connection& connection);
  bool open(Connection& connection, const Question& question, const std::string& names);
  bool open_entry(Connection& connection, const Question& question, Host& host,
                  const Tree::Entry& entry);
  bool open_umad(Connection& connection, Host& host, std::size_t port);
  bool hold_is_sm(Connection& connection, Host& host, std::size_t port, std::uint32_t flags);
  bool call(Connection& connection, Question& question, UniqueFd file);
  void drop(Connection& connection);
  base::Result<Host*> host_at(const std::vector<std::string>& at);
  // The folder where the host's tree is to be seen; made at the first time.
  base::Result<std::string> shown(Host& host);

  boost::asio::io_context& loop_;
  PortSeats& seats_;
  boost::asio::posix::stream_descriptor listener_;
  boost::asio::steady_timer again_;
  std::filesystem::path path_;
  std::filesystem::path trees_;
  std::map<std::vector<std::string>, std::unique_ptr<Host>> hosts_;
  std::string names_ = std::string(kMostNames, '\0');  // of the packet that is being read
  std::size_t trees_shown_ = 0;
  Connections connections_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// --- for the process that becomes a program on a host -------------------------------------------

// A connection to the socket that listen() made.
base::Result<UniqueFd> connect_to(const std::filesystem::path& path);

// Asks for the host at these nodes; the folder where its tree is to be seen. The error is the
// fabric's own sentence.
base::Result<std::string> ask_for_host(int socket, const std::vector<std::string>& at);

}  // namespace heddle::doors::ring
