// SPDX-License-Identifier: BSD-3-Clause
// Discovery: reads the whole fabric by directed routes, as many devices at a time as the windows
// allow, and fills the picture's observation. It sends only Gets. It is done when the transactions
// are idle; what did not answer is reported and left out, and never stops the rest.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "fabric/observation.hpp"
#include "mad/node_info.hpp"
#include "mad/sm_info.hpp"
#include "sm/context.hpp"
#include "sm/key_recovery.hpp"

namespace heddle::sm {

// The subnet manager on that device has gone, or is about to be asked anew.
void forget_manager(Picture& picture, DeviceId device);

// What is wrong with what a subnet manager on that port says of itself. Its GUID is its port's (IBA
// vol. 1, 14.4.1): who gives another one would be taken for who sits there.
std::vector<std::string> complaints_about(const Picture& picture, fabric::ObservedEnd end,
                                          const mad::SMInfo& info);

class Discovery {
 public:
  // `known` is the observation of the sweep before, if any: what was told then is not told again,
  // and, unless others may have written to the fabric since, tables of switches that evidently kept
  // them are taken over from there instead of being read again.
  Discovery(const fabric::Observation* known, bool written_by_others)
      : known_(known), written_by_others_(written_by_others) {}

  // As it was told, or as the own port shows.
  bool written_by_others() const { return written_by_others_; }

  // A device is not what it had said it was: what was read of it means nothing.
  bool is_misled() const { return is_misled_; }

  // Asks the own node first.
  void begin(Context& context);
  void on_answer(Context& context, const Answer& answer);
  // Reads everything of a switch that is known but its SwitchInfo; or one port of an adapter.
  void read_switch(Context& context, fabric::ObservedIndex node);
  void read_again(Context& context, fabric::ObservedEnd end);
  // Reads its NodeInfo again: all of it that may change while it runs.
  static void ask_itself(Context& context, fabric::ObservedIndex node);
  // Asks who is behind a port, unless that is known.
  void look_beyond(Context& context, fabric::ObservedEnd end);
  // Call when the transactions are idle. True if ports that are locked are asked with other keys.
  bool recovers_keys(Context& context) { return key_recovery_.begin(context); }
  // The last of all, and once: reads blocks again that may have been written since. A Set that was
  // on its way when this discovery began has been done or lost by now. True if there are any.
  bool reads_again(Context& context, const std::set<TableBlock>& blocks);
  // Reports what did not fit together. Call once, after freezing.
  void conclude(Context& context) const;

 private:
  // A node that answered as another one than was known, behind this port.
  struct Doubt {
    fabric::ObservedIndex node;
    fabric::ObservedEnd from;
    mad::NodeInfo seen;
    bool settled = false;
  };
  void on_node_info(Context& context, const Answer& answer);
  void tell_of_twin(Context& context, fabric::ObservedIndex known, const Answer& answer,
                    const mad::DirectedRoute& route) const;
  bool doubt(Context& context, fabric::ObservedIndex node, const Answer& answer);
  void on_own_word(Context& context, const Answer& answer);
  void on_switch_info(Context& context, const Answer& answer);
  void on_port_info(Context& context, const Answer& answer);
  bool try_another_key(Context& context, const Answer& answer, const mad::PortInfo& info);
  void on_table_block(Context& context, const Answer& answer);
  void on_sm_info(Context& context, const Answer& answer);
  void on_vendor_speed(Context& context, const Answer& answer);
  void on_silence(Context& context, const Answer& answer);
  static bool ask_with_next_key(Context& context, const Request& request);
  void on_darkness(Context& context, const Answer& answer);

  bool believable(Context& context, const mad::NodeInfo& info, fabric::ObservedIndex asker) const;
  static void disbelieve(Context& context, const Answer& answer);
  std::string route_to(const Context& context, fabric::ObservedIndex node) const;
  fabric::ObservedIndex meet(Context& context, const mad::NodeInfo& info,
                             const mad::DirectedRoute& route, std::uint8_t answered_to);
  void meet_port(Context& context, fabric::ObservedIndex node, const mad::NodeInfo& info,
                 const mad::DirectedRoute& route, std::uint8_t answered_to);
  void choose_key(Context& context, DeviceId device, mad::Guid port,
                  std::uint8_t answered_to) const;
  void read_port(Context& context, fabric::ObservedEnd end, bool extended);
  void ask_vendor_speed(Context& context, fabric::ObservedEnd end);
  void doubt_tables(const Context& context, fabric::ObservedEnd own);
  void read_table(Context& context, fabric::ObservedIndex node);
  static void read_block(Context& context, fabric::ObservedIndex node, std::uint32_t block);

  const fabric::ObservedPort* known_port(const Context& context, fabric::ObservedEnd end) const;

  const fabric::Observation* known_;
  bool written_by_others_;
  bool is_misled_ = false;
  bool has_read_again_ = false;
  KeyRecovery key_recovery_;
  std::vector<Doubt> doubts_;  // of this sweep
};

}  // namespace heddle::sm
