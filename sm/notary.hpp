// SPDX-License-Identifier: BSD-3-Clause
// Holds back what clients are promised until it is written down where it survives us. A store that
// fails, or takes too long, holds nobody up: answers go out at once then, until all is written.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "mad/datagram.hpp"

namespace heddle::sm {

class Notary {
 public:
  // Answers that wait; beyond, who wants to register is put off.
  static constexpr std::size_t kMaxHeld = 65'536;
  // A client waits for a second or so (docs/subnet-administration.md): then it asks again.
  static constexpr base::Duration kPatience = std::chrono::milliseconds(700);
  static constexpr base::Duration kRetry = std::chrono::seconds(1);

  // The next thing to be written must be all that there is.
  void begin_anew();
  // Nothing is written any more, and nobody waits.
  void stop();
  bool wants_all(base::Instant now) const;
  // Changes alone are of use: the store has, or will have, what they change.
  bool wants_changes() const { return running_ && !failing_ && !all_due_; }

  // Something is handed to the store; its ticket.
  std::uint64_t submit(base::Instant now, bool all);
  // The store has written everything up to this ticket; or it could not, and why. True if this is
  // news: it begins to fail, or has caught up.
  bool on_stored(base::Instant now, std::uint64_t ticket, const std::string& trouble);
  // What is overdue fails. True if that is news.
  bool pump(base::Instant now);
  base::Instant deadline() const;

  // Goes out when all that was submitted until now is written.
  void hold(mad::Datagram promise);
  std::vector<mad::Datagram> take_released() { return std::exchange(released_, {}); }
  bool is_full() const { return held_.size() >= kMaxHeld; }

  // Nothing that is promised survives us.
  bool failing() const { return failing_; }
  const std::string& trouble() const { return trouble_; }

 private:
  struct Pending {
    std::uint64_t ticket = 0;
    base::Instant since{};
  };
  struct Held {
    std::uint64_t ticket = 0;
    mad::Datagram promise;
  };
  void release(std::uint64_t up_to);
  bool fail(std::string trouble);

  bool running_ = false;
  bool all_due_ = false;
  bool failing_ = false;
  std::string trouble_;
  base::Instant retry_{};
  std::uint64_t last_ = 0;
  std::uint64_t last_all_ = 0;
  std::deque<Pending> pending_;
  std::deque<Held> held_;
  std::vector<mad::Datagram> released_;
};

}  // namespace heddle::sm
