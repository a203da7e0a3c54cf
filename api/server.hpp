// SPDX-License-Identifier: BSD-3-Clause
// The API as others reach it: HTTP/1.1 on a Unix socket, and on TCP if wanted. It has a thread of
// its own. The subnet manager hands over what it knows and goes on at once; nothing that a client
// does, or fails to do, holds it up.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/access.hpp"
#include "api/console_door.hpp"
#include "api/state.hpp"
#include "base/result.hpp"

namespace heddle::api {

inline constexpr std::size_t kMaxHeaderBytes = 8 * 1024;
inline constexpr std::size_t kMostConnections = 64;
inline constexpr std::size_t kMostStreams = 16;  // of these, that follow events
// What the subnet manager has told and the server has not taken yet; beyond, events are dropped.
inline constexpr std::size_t kMostWaiting = 65'536;

struct TcpDoor {
  std::string address;                     // "127.0.0.1", "::1"
  std::uint16_t port = 0;                  // 0: any free one
  std::optional<Tokens> tokens;            // none: everybody reads, nobody writes
  std::filesystem::path certificate, key;  // PEM; empty: no TLS
};

struct ServerOptions {
  Identity identity;
  Seat seat;
  std::vector<Export> exports;
  std::shared_ptr<Atlas> atlas;         // null: the dashboard has no picture
  std::shared_ptr<PartitionBook> book;  // null: programs change no partitions
  // What a master tells of them could not be written here. Called on the server's thread.
  std::function<void(const std::string& why)> partitions_not_kept = {};
  std::filesystem::path socket;  // empty: none
  bool everyone_reads = false;   // of the users of this machine, by the socket
  std::optional<TcpDoor> tcp;
  std::optional<ConsoleOptions> console;  // OpenSM's
  // A client may be silent, or take nothing of its answer, for so long.
  std::chrono::milliseconds patience = std::chrono::seconds(30);
};

class Server {
 public:
  // Carries a command out. Called on the server's thread; `who` is for the log.
  using CommandSink = std::function<void(Command command, std::string who)>;

  // A socket that nobody listens on any more is replaced; one that is alive is an error. So is a
  // TCP address other than a loopback without tokens and TLS.
  static base::Result<std::unique_ptr<Server>> start(ServerOptions options, CommandSink commands);
  // What of the TCP door would be an error whoever listens there: its address, and the files for
  // TLS.
  static base::Result<> check(const TcpDoor& door);
  // Ends all connections and waits for the thread.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Thread-safe, and quick.
  void publish(std::shared_ptr<const sm::Snapshot> snapshot);
  void publish(std::shared_ptr<const sm::GroupList> groups);
  void publish(std::shared_ptr<const perf::Readings> readings);
  void publish(std::shared_ptr<const congestion::Report> report);
  void publish(std::shared_ptr<const LinkCare> care);
  // Partitions of programs as another manager has them; they are written down here too.
  void publish(std::shared_ptr<const partitions::Managed> managed);
  void tell(const sm::Event& event);
  void sit(Seat seat);

  // Of the TCP door; 0 without one.
  std::uint16_t port() const;
  // Of the console's, likewise.
  std::uint16_t console_port() const;
  // Why there is no console although one was wanted: all else works then. Empty: nothing is wrong.
  const std::string& console_trouble() const;

 private:
  class Inner;
  explicit Server(std::unique_ptr<Inner> inner);
  std::unique_ptr<Inner> inner_;
};

}  // namespace heddle::api
