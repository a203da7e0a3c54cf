// SPDX-License-Identifier: BSD-3-Clause
// One umad file that a program uses through shared memory: the same file (doors/kernel) that
// stands behind one of a mount. What the program writes into the memory may be anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/result.hpp"
#include "doors/device/port_seat.hpp"
#include "doors/device/unique_fd.hpp"
#include "doors/ring/byte_ring.hpp"

namespace heddle::doors::ring {

class RingFile {
 public:
  // What the program gets: the memory, and its end of the socket by which it is woken.
  struct Ends {
    UniqueFd memory;
    UniqueFd wake;
  };
  // `on_end` is called, from the loop, when the program is found out lying; the file may be
  // destroyed in it.
  static base::Result<std::unique_ptr<RingFile>> open(boost::asio::io_context& loop,
                                                      FabricHost& fabric,
                                                      std::shared_ptr<PortSeat> seat,
                                                      std::function<void()> on_end, Ends& ends);
  ~RingFile();
  RingFile(const RingFile&) = delete;
  RingFile& operator=(const RingFile&) = delete;

  // Something was written: all of it is taken, in batches.
  void process();

  // Calls come after everything that the ring holds.
  std::errc ioctl(std::uint32_t command, std::span<std::byte> argument);
  // A message of this size in a file.
  std::errc write(const UniqueFd& file, std::uint64_t size);
  // The message that was announced last; empty when there was none.
  UniqueFd take();

 private:
  RingFile(boost::asio::io_context& loop, FabricHost& fabric, std::shared_ptr<PortSeat> seat,
           std::function<void()> on_end, Shared* shared, UniqueFd wake);

  bool take_batch();
  bool take_one();
  void take_all();
  // What came for the program, as far as there is room.
  void pump();
  bool pump_one();
  void on_readable();
  void wake_program();
  void end();

  boost::asio::io_context& loop_;
  FabricHost& fabric_;
  std::shared_ptr<PortSeat> seat_;
  std::function<void()> on_end_;
  Shared* shared_;
  UniqueFd wake_;
  RingReader from_program_;
  RingWriter to_program_;
  std::unique_ptr<kernel::UmadFile> umad_;
  std::vector<std::byte> incoming_;
  std::vector<std::byte> outgoing_;  // waits for room in the ring; empty for none
  Frame outgoing_frame_;
  bool announced_ = false;  // the next message is to be taken, not to be put into the ring
  bool pump_posted_ = false;
  bool process_posted_ = false;
  bool ended_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

// A file in memory with these bytes, which the other end can neither change nor cut. Empty when the
// system has no room.
UniqueFd memory_with(std::span<const std::byte> bytes);

}  // namespace heddle::doors::ring
