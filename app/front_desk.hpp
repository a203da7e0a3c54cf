// SPDX-License-Identifier: BSD-3-Clause
// sa::Desk between two threads: the one that receives asks it first, the loop's says what it
// answers from. Short queries then wait for nothing that the loop does, however long that takes.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "sa/desk.hpp"

namespace heddle::app {

class FrontDesk {
 public:
  // Any thread. True if nobody else need see it; then `reply`, if there is one, is to be sent.
  bool take(const mad::Datagram& received, std::optional<mad::Datagram>& reply);

  // As sa::Desk. Cheap when nothing has changed.
  void open(const std::shared_ptr<const sa::View>& view, mad::SMKey key);
  void set_trust(const sa::Trust& trust);
  // As sa::Talkers::limit().
  void limit(std::uint32_t requests_per_second);
  void close() { open(nullptr, {}); }
  std::vector<sa::Talkers::Talker> take_talkers();

 private:
  std::mutex mutex_;
  sa::Desk desk_;
  // The loop's own, to see without the lock that nothing has changed.
  std::shared_ptr<const sa::View> opened_with_;
  mad::SMKey key_;
};

}  // namespace heddle::app
