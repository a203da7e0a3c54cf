// SPDX-License-Identifier: BSD-3-Clause
// Discovery of what changed: reads suspected devices again and follows what their answers show to
// be different, along every cable that came up, went down or leads elsewhere now. What nobody
// suspects stays in the picture as it was. Like Discovery it sends only Gets.
//
// It goes in rounds, each of which is over when the transactions are idle. A suspect that does not
// answer a quick question is most likely gone, so its neighbours are looked at next: if they say
// that their links to it are down, nobody waits for it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sm/context.hpp"
#include "sm/discovery.hpp"
#include "sm/islands.hpp"

namespace heddle::sm {

// What a look at the fabric found worth reading again.
struct Suspicion {
  std::set<mad::Guid> nodes;  // by node GUID; unknown ones are skipped
  std::set<mad::Guid>
      entirely;  // of these, to be read whatever PortStateChange says, with NodeInfo
  bool returned =
      false;  // one was silent for a while, so whatever they show there may be work left
  std::vector<fabric::ObservedEnd> cables;  // that lead elsewhere, though their ports look the same
  std::string reason;                       // the first finding, in words
  bool empty() const { return nodes.empty() && cables.empty(); }
  void add(const Suspicion& other);
};

class Revisit {
 public:
  void begin(Context& context, const Suspicion& suspicion);
  // One more suspect, while the revisit goes on. False if it was asked already, so that its news
  // may have come too late.
  bool suspect(const Context& context, mad::Guid node);
  void on_answer(Context& context, Discovery& discovery, const Answer& answer);
  // When the transactions are idle: queues the next round. False when all is done; what cannot be
  // reached any more has left the picture then.
  bool go_on(Context& context, Discovery& discovery);

  // Anything is other than it was known to be.
  bool changed() const { return changed_; }
  // Who was asked for a switch's information knew of none: the way to it leads to somebody else. Or
  // a node is gone, and another one has its GUID.
  bool is_misled() const { return is_misled_; }
  // A manager was cut off with a part of the fabric, which hangs on it again.
  bool cut_off_manager(const Picture& picture) const {
    return is_any_cut_off(picture, managers_, cut_);
  }
  // Somebody else was master of one that was read, since it was read last, and may have written to
  // others that were not.
  bool met_anothers() const { return met_anothers_; }
  // The nodes that were read.
  const std::set<mad::Guid>& visited() const { return visited_; }

 private:
  // A channel adapter that was met behind another port than it was known to hang on.
  struct Displaced {
    fabric::ObservedEnd end;
    fabric::ObservedEnd met_from;
  };
  bool suspect(const Context& context, fabric::ObservedIndex node);
  void sever(Context& context, fabric::ObservedEnd end);
  void settle_displaced(Context& context, Discovery& discovery, const Ways* in_the_end);
  void reach_by(Context& context, fabric::ObservedEnd end, fabric::ObservedEnd from);
  void mend(Context& context, const Ways& ways);
  void ask(Context& context, Discovery& discovery, fabric::ObservedIndex node, bool patiently);
  void on_description(Context& context, Discovery& discovery, const Answer& answer);
  void on_switch_info(Context& context, Discovery& discovery, const Answer& answer);
  void on_port_info(Context& context, const Answer& answer);
  void on_node_info(Context& context, Discovery& discovery, const Answer& answer);
  void on_own_word(Context& context, Discovery& discovery, const Answer& answer);
  void suspect_neighbours(const Context& context, fabric::ObservedIndex node);
  void forget_unreached(Context& context);

  std::set<mad::Guid> visited_;  // asked in this revisit, about to be, or met for the first time
  std::set<mad::Guid> met_;      // of these, the last: discovery reads them by itself
  std::set<mad::Guid> entirely_;
  std::set<mad::Guid> disputed_;  // somebody else was met who claims to be that one
  std::vector<fabric::ObservedIndex> next_;
  std::vector<fabric::ObservedIndex> silent_;     // asked once more when their neighbours are read
  std::vector<fabric::ObservedIndex> unreached_;  // asked when a cable is found that leads there
  std::vector<Displaced> displaced_;
  std::set<mad::Guid> managers_;  // nodes on which others sat when this began
  CutEnds cut_;
  bool changed_ = false;
  bool cables_changed_ = false;  // since ways were mended
  bool is_misled_ = false;
  bool met_anothers_ = false;
};

}  // namespace heddle::sm
