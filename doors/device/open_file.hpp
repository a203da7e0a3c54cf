// SPDX-License-Identifier: BSD-3-Clause
// What stands behind one open file of a mount.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "doors/device/fuse.hpp"
#include "doors/device/port_seat.hpp"
#include "doors/device/tree.hpp"
#include "doors/device/unique_fd.hpp"

namespace heddle::doors {

// A read that found nothing and waits.
struct WaitingRead {
  fuse_req_t request = nullptr;
  std::size_t size = 0;
};

struct OpenFile {
  const Tree::Entry* entry = nullptr;
  std::string text;  // of a Text: as it was at the last reading from its begin
  PortSeat* seat = nullptr;
  std::unique_ptr<kernel::UmadFile> umad;
  bool holds_is_sm = false;
  UniqueFd holder;  // of a umad: the process that opened it, as a pidfd; empty where unknown
  fuse_pollhandle* poll = nullptr;  // whoever polls wants to be told
  std::deque<WaitingRead> readers;
  // A call on more than FUSE moves at once comes in pieces.
  std::vector<std::byte> half_written;
  std::vector<std::byte> half_read;
  std::size_t half_read_at = 0;
};

}  // namespace heddle::doors
