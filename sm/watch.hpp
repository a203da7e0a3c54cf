// SPDX-License-Identifier: BSD-3-Clause
// The light sweep: a few cheap questions that tell whether anything has changed since the last full
// sweep. It sends only Gets, and its outcome is a reason for a full sweep, or none.
#pragma once

#include <string>

#include "sm/context.hpp"

namespace heddle::sm {

class Watch {
 public:
  // Asks every switch for its SwitchInfo, the own port for its PortInfo, and once more whatever
  // did not answer behind a link that is up. With `thorough` it looks along every cable as well: a
  // cable that changed places while PortStateChange was being cleared shows nowhere else. Done when
  // the transactions are idle.
  void begin(Context& context, bool thorough);
  void on_answer(Context& context, const Answer& answer);

  // Empty when the fabric is as the last full sweep left it.
  const std::string& reason() const { return reason_; }
  // Somebody else has programmed the own port, and maybe more.
  bool saw_stranger() const { return saw_stranger_; }

 private:
  void ask_own_port(Context& context);
  void ask_switches(Context& context);
  void ask_behind_silent_links(Context& context);
  void ask_along_cables(Context& context);
  void ask_neighbour(Context& context);
  void ask_beyond(Context& context, fabric::ObservedEnd end);
  void on_switch_info(Context& context, const Answer& answer);
  void on_own_port(Context& context, const Answer& answer);
  void on_neighbour(Context& context, const Answer& answer);
  void found(std::string reason);

  std::string reason_;
  bool saw_stranger_ = false;
};

}  // namespace heddle::sm
