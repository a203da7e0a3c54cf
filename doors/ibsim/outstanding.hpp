// SPDX-License-Identifier: BSD-3-Clause
// Requests that clients have sent and that nobody has answered yet. libumad2sim has no timer of its
// own and sends a request once, so whoever waits for an answer that never comes would wait for
// ever: the server keeps the time for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/time.hpp"
#include "doors/ibsim/messages.hpp"

namespace heddle::doors::ibsim {

// The upper 16 bits of a client's transaction ids: 1 for the first client.
using ClientTag = std::uint16_t;
constexpr ClientTag tag_of(mad::TransactionId transaction) {
  return static_cast<ClientTag>(transaction.value >> 48);
}
constexpr mad::TransactionId tagged(mad::TransactionId transaction, ClientTag tag) {
  return mad::TransactionId{(transaction.value & 0x0000'ffff'ffff'ffff) | std::uint64_t{tag} << 48};
}

class Outstanding {
 public:
  static constexpr std::size_t kMost = 65'536;  // of all clients
  static constexpr std::size_t kMostOfOneClient = 4096;
  // Less than the second that libibmad's callers commonly wait: a MAD that comes to libumad2sim
  // after its program gave up waiting locks it up when it ends.
  static constexpr base::Duration kPatience = std::chrono::milliseconds(800);

  // The transaction id bears the client's tag. One that is outstanding already begins anew. False,
  // and nothing is kept, when there are too many.
  bool add(const Request& request, base::Instant now);
  // Whether it was awaited; it is not any more.
  bool answered(mad::TransactionId transaction);
  std::optional<Request> take(mad::TransactionId transaction);
  // What waited too long, in the order of sending.
  std::vector<Request> take_expired(base::Instant now);
  // When something may expire; kNever when nothing can.
  base::Instant next() const;
  void forget(ClientTag client);

  std::size_t size() const { return slots_.size(); }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  // All wait equally long, so those in `entries_` that wait are a list in the order of sending.
  struct Entry {
    Request request;
    base::Instant when{};
    std::uint32_t before = kNone;
    std::uint32_t after = kNone;
  };
  std::uint32_t free_slot();
  void append(std::uint32_t slot);
  void unlink(std::uint32_t slot);
  // Takes what waits there out of everything; its request stays readable until the next add().
  void release(std::uint32_t slot);

  boost::unordered_flat_map<std::uint64_t, std::uint32_t> slots_;  // by transaction id
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> counts_;  // by tag
  std::uint32_t first_ = kNone;
  std::uint32_t last_ = kNone;
};

}  // namespace heddle::doors::ibsim
