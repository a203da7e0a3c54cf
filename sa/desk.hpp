// SPDX-License-Identifier: BSD-3-Clause
// Short queries answered from a view alone, wherever they arrive. Views do not change, so nobody
// who is busy changing the subnet need be asked, and nobody who asks waits for it. Everything else
// is the server's.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "mad/datagram.hpp"
#include "mad/types.hpp"
#include "sa/talkers.hpp"
#include "sa/trust.hpp"
#include "sa/view.hpp"

namespace heddle::sa {

class Desk {
 public:
  // What it answers from, from now on, and the key of the trusted. Null closes it: it takes nothing
  // then. Returns what it answered from before, since letting go of a view takes its time.
  std::shared_ptr<const View> open(std::shared_ptr<const View> view, mad::SMKey key);

  // What clients without the key may not ask is left to the server to refuse.
  void set_trust(const Trust& trust) { trust_ = trust; }
  // As Talkers::limit().
  void limit(std::uint32_t requests_per_second) { talkers_.limit(requests_per_second); }

  // True if it takes the datagram: a Get of what the view tells, of a PathRecord only between two
  // ends that it names. Then `reply` is its answer, or none to who tries keys. A source that asks
  // for too much is put off, as the server would do it. What it does not take is the server's, and
  // `reply` stays as it was.
  bool take(base::Instant now, const mad::Datagram& received, std::optional<mad::Datagram>& reply);

  // Who asked how often since the last call.
  std::vector<Talkers::Talker> take_talkers() { return talkers_.take_all(); }

 private:
  std::shared_ptr<const View> view_;
  mad::SMKey key_;
  Trust trust_;
  Talkers talkers_;
};

}  // namespace heddle::sa
