// SPDX-License-Identifier: BSD-3-Clause
// One open umad file as Linux' ib_umad treats it: ioctls, writes, reads and poll. Bytes come from a
// program and may be anything; every refusal is the errno that the kernel would give.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <system_error>
#include <vector>

#include "doors/kernel/mad_port.hpp"

namespace heddle::doors::kernel {

inline constexpr std::size_t kMaxAgents = 32;           // of one file
inline constexpr std::size_t kMaxReceived = 64 * 1024;  // MADs that wait to be read; more are lost

class UmadFile final : public AgentOwner {
 public:
  // `on_readable` is called whenever a MAD arrives.
  UmadFile(MadPort& port, std::function<void()> on_readable);
  ~UmadFile() override;
  UmadFile(const UmadFile&) = delete;
  UmadFile& operator=(const UmadFile&) = delete;

  // `argument` is what the program's structure held, and holds the answer afterwards.
  // inappropriate_io_control_operation for a number that is none.
  std::errc ioctl(std::uint32_t command, std::span<std::byte> argument);

  // One message with its header.
  std::errc write(std::span<const std::byte> bytes, base::Instant now);
  // For a door at which programs do not wait for what write says: what it refused comes back as a
  // request without an answer does, with this status; what awaits no answer is lost.
  void give_back(std::span<const std::byte> bytes, std::errc why);

  struct Read {
    std::errc error{};             // operation_would_block when nothing waits
    std::vector<std::byte> bytes;  // with no_space_on_device: what the buffer gets all the same
  };
  // One message, if it fits into `room` bytes; otherwise it waits on. no_space_on_device for an
  // RMPP message, whose header and first segment then tell its length; invalid_argument otherwise.
  Read read(std::size_t room);
  // The next message's size with its header; 0 when nothing waits.
  std::size_t next_size() const;
  // A read of the next message with less room than this gets no byte of it.
  std::size_t least_room() const;

  bool readable() const { return !received_.empty(); }
  std::uint64_t lost() const { return lost_; }

  void deliver(Arrival arrival) override;

 private:
  std::size_t header_bytes() const { return with_p_key_ ? kHeaderBytes : kOldHeaderBytes; }
  std::errc register_agent(const Registration& wanted, std::uint32_t& slot);
  std::errc unregister_agent(std::span<const std::byte> argument);
  std::vector<std::byte> bytes_of(const Arrival& arrival, std::size_t mad_bytes) const;

  MadPort& port_;
  std::function<void()> on_readable_;
  std::array<AgentId, kMaxAgents> agents_{};  // 0: free
  bool used_ = false;                         // too late for EnablePKey
  bool with_p_key_ = false;
  std::deque<Arrival> received_;
  std::uint64_t lost_ = 0;
};

}  // namespace heddle::doors::kernel
