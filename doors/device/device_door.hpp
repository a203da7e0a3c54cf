// SPDX-License-Identifier: BSD-3-Clause
// The device door of a running fabric: lets processes in through a Unix socket and serves them umad
// devices and a class tree, without a preload library; and with one, by rings in shared memory
// (docs/device-door.md).
#pragma once

#include <cstddef>
#include <filesystem>
#include <list>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/result.hpp"
#include "doors/device/entrance.hpp"
#include "doors/device/mount.hpp"
#include "doors/device/port_seat.hpp"
#include "doors/ring/ring_door.hpp"

namespace heddle::doors {

inline constexpr std::size_t kMaxMounts = 4096;
inline constexpr std::size_t kMaxEntering = 64;  // connections that have not said all yet

class DeviceDoor {
 public:
  DeviceDoor(boost::asio::io_context& loop, FabricHost& fabric);
  ~DeviceDoor();
  DeviceDoor(const DeviceDoor&) = delete;
  DeviceDoor& operator=(const DeviceDoor&) = delete;

  // Lets in whoever connects to this path, which only its owner can; a stale socket is replaced.
  base::Result<> listen(const std::filesystem::path& path);
  // Lets in the process at the other end of this connection.
  void admit(UniqueFd socket);

  std::size_t mounts() const { return mounts_.size(); }
  // The other front to the same ports: programs of one host share its agents.
  ring::RingDoor& rings() { return rings_; }

  // The fabric is about to end: whoever has a umad file open is asked to end (SIGTERM), and made to
  // (SIGKILL) after a second. Runs the loop meanwhile, since programs say good-bye.
  void end_programs();

 private:
  struct Entering;
  using Mounts = std::list<std::unique_ptr<Mount>>;

  void accept();
  void accept_later();
  void wait_for(const std::shared_ptr<Entering>& entering);
  void take(Entering& entering);
  void finish(Entering& entering, const std::string& answer);
  base::Result<> serve(EntryRequest request);

  boost::asio::io_context& loop_;
  PortSeats seats_;
  ring::RingDoor rings_;
  boost::asio::local::stream_protocol::acceptor acceptor_;
  boost::asio::steady_timer again_;
  std::filesystem::path path_;
  std::list<std::shared_ptr<Entering>> entering_;
  Mounts mounts_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace heddle::doors
