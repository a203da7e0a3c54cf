// SPDX-License-Identifier: BSD-3-Clause
// What the handlers of the machine may touch: narrow, so that each can be read alone.
#pragma once

#include "sm/events.hpp"
#include "sm/keys.hpp"
#include "sm/options.hpp"
#include "sm/picture.hpp"
#include "sm/transactions.hpp"

namespace heddle::sm {

class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void say(EventValue value) = 0;
};

struct Context {
  const Options& options;
  Transactions& transactions;
  EventSink& events;
  Picture& picture;
  Keys& keys;
};

}  // namespace heddle::sm
