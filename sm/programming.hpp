// SPDX-License-Identifier: BSD-3-Clause
// Programming: turns the difference between intent and observation into Sets: LIDs before tables,
// tables before links. Its sisters programming_* see to what else devices hold.
//
// Each phase queues everything it wants and is over when the transactions are idle. What a device
// refuses or does not answer is reported and left; the rest goes on.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "fabric/difference.hpp"
#include "routing/transition.hpp"
#include "sm/context.hpp"
#include "sm/port_news.hpp"

namespace heddle::sm {

// The steps that bring links up; all ports finish one before any begins the next, so that no end
// of a link is ahead of the other.
enum class LinkStep : std::uint8_t { Fields, Arm, Activate, Done };

// What there is to write, as far as is known when the phase begins.
struct TableWork {
  std::uint64_t switches = 0;  // SwitchInfo
  std::uint64_t blocks = 0;    // of linear forwarding tables
};

// Whether any switch has a MulticastFDBTop.
bool has_multicast_fdb_top(const Picture& picture);

// What every switch holds, as it was read, holes included. The picture's LIDs must be dealt.
fabric::ForwardingTables held_tables(const Picture& picture);

class Programming {
 public:
  // LIDs and the other values of ports that own LIDs. Clients on ports of which `knows` says no
  // will be asked to register anew; it hears whom the port names as master, and whom it shall.
  using Knows = std::function<bool(fabric::PortIndex port, mad::Lid master, mad::Lid own)>;
  void write_lids(Context& context, const Knows& knows);
  // How to get to the tables that the picture's routes want.
  void set_transition(routing::Transition transition) {
    transition_ = std::move(transition);
    step_ = 0;
    failed_blocks_.clear();
    stuck_.clear();
    empties_more_ = false;
  }
  // LinearFDBTop and what else SwitchInfo holds, and after it the blocks that differ: first of
  // switches beside what was lost, the block of the SM's own LID last. With `verify`, blocks that
  // are believed right are read first.
  TableWork write_tables(Context& context, bool verify);
  // Whether the first step empties entries that others are written in later.
  bool empties_first() const { return !transition_.emptied.empty(); }
  // Every switch holds what the picture's routes want, as far as that was seen to be so.
  bool all_tables_hold() const { return all_written_ && unseen_ == 0; }
  // A switch has not taken what the next step of the transition builds upon.
  bool lacks_footing() const { return footing_lost_ && step_ + 1 < transition_.steps; }
  // Whether a silent switch, to which nothing is written, holds other entries than the next steps
  // build on. With its old ones they could go in a circle.
  bool waits_for_silent(const Context& context) const;
  // Switches that hold other entries than they were to have, by node GUID.
  const std::set<mad::Guid>& tables_failed() const { return tables_failed_; }
  // When all that is written: the next step of the transition. False when there is none. LIDs of
  // which a switch holds another entry than this step gave it do not take it where they would go in
  // a circle with that one, or could close a credit loop: better no way.
  bool go_on_with_tables(Context& context);
  // What was sent in this sweep and has not been taken: it may be written yet, however late.
  std::set<TableBlock> unsettled_blocks(const Context& context) const;
  // Remembers which switches hold what the picture's routes want: to see it again costs little.
  void note_tables(Context& context) const;
  // Switches, by SwitchIndex, that may have restarted since they were looked at: what is believed
  // of their tables was read again.
  const std::vector<bool>& doubted() const { return doubted_; }
  // The step Fields first: it looks which ports the phase is about, and the others ask only those.
  void write_links(Context& context, LinkStep step);
  // That look alone: the next one need not look at what has not changed since.
  void look_at_links(Context& context);
  // When they are raised.
  void recheck_beyond_raised(Context& context);
  // Endports, by GUID, whose clients are to be asked to register anew although their links were
  // Active already: whenever that suits.
  const std::vector<mad::Guid>& left_untold() const { return untold_; }
  void tell_clients(Context& context, fabric::PortIndex port);
  // Whether the clients there are to be asked, and have not answered yet; the endports, by GUID, of
  // all such.
  bool tells_clients(const Context& context, fabric::PortIndex port) const;
  std::set<mad::Guid> unheard(const Context& context) const;
  // Sets of the steps after Fields, as far as the states of the ports tell: for a progress display.
  std::uint64_t raises_to_come(const Context& context) const;

  void on_answer(Context& context, const Answer& answer);
  // The data of a Set that this handler queued, built when it is sent.
  mad::SmpData data_for(const Context& context, const Request& request) const;

  // A port was found in another state than discovery saw: the fabric moved under the sweep.
  bool fabric_moved() const { return fabric_moved_; }
  // Ports that stood lower when they were written to than when they were read, or refused to be
  // raised, since the last call. News: not those that did so in the sweep before.
  struct Fallen {
    std::vector<fabric::PortIndex> ports;
    bool news = false;
  };
  Fallen take_fallen() { return std::exchange(fallen_, {}); }
  void begin_sweep();
  // Nothing was written, so what failed before has not failed since.
  void end_in_vain() { failures_ = std::exchange(failures_before_, {}); }

 private:
  // What a port made of our wishes the last time, if it did not take all of them: asking again
  // would give the same answer. Survives sweeps; void as soon as the port shows other values.
  struct Settled {
    fabric::PortIntent wish;
    mad::PortInfo outcome;
  };

  Request table_request(const Context& context, fabric::SwitchIndex of, mad::Method method,
                        mad::AttributeId attribute, std::uint32_t modifier) const;
  using Block = std::array<std::uint8_t, fabric::kLftBlockLids>;
  // What a block has to hold at this step of the transition.
  Block wanted_block(const Picture& picture, fabric::SwitchIndex of, std::uint32_t block) const;
  bool is_stuck(std::size_t lid) const { return lid < stuck_.size() && stuck_[lid]; }
  bool is_emptied(std::size_t lid) const {
    return lid < transition_.emptied.size() && transition_.emptied[lid];
  }
  void find_stuck(const Picture& picture);
  void find_locking(const Picture& picture, std::vector<mad::Lid> in_doubt);
  bool takes_steps(mad::Lid lid) const;
  void stick(mad::Lid lid);
  std::uint8_t entry_in_the_end(const Picture& picture, fabric::SwitchIndex of, mad::Lid lid) const;
  bool goes_round(const Picture& picture, fabric::SwitchIndex from, mad::Lid lid) const;
  // The blocks that are due to be others; with `verify` those that are not are read. How many are
  // to be others, now or in a later step.
  std::uint64_t write_blocks_of(Context& context, const std::vector<fabric::SwitchIndex>& switches,
                                bool verify);
  bool goes_straight() const;
  bool holds_all(Picture& picture, fabric::SwitchIndex of, std::size_t blocks) const;
  bool write_block(Context& context, fabric::SwitchIndex of, std::uint32_t block, bool verify);
  std::vector<fabric::SwitchIndex> in_order(std::size_t switches) const;
  void on_block(Context& context, const Answer& answer);
  void on_port_info(Context& context, const Answer& answer);
  void on_switch_info(Context& context, const Answer& answer);
  void on_refusal(Context& context, const Answer& answer);
  void on_silence(Context& context, const Answer& answer);
  void recheck_settled_ports(Context& context, fabric::SwitchIndex of);
  void recheck(Context& context, Purpose purpose, fabric::PortIndex port);
  void recheck_uneven_links(Context& context);
  void set_port(Context& context, Purpose purpose, fabric::PortIndex port, LinkStep step);
  bool settled(const Context& context, fabric::PortIndex port, const mad::PortInfo& info) const;
  bool wants(const Context& context, fabric::PortIndex port, LinkStep step) const;
  bool needs_work(const Context& context, fabric::PortIndex port) const;

  std::map<std::pair<mad::Guid, mad::PortNumber>, Settled> settled_;  // by node and port
  std::vector<bool> reregister_;  // by PortIndex: its clients must hear of us
  std::vector<mad::Guid> untold_;
  std::vector<fabric::PortIndex> to_raise_;   // ports whose links are not all that is wanted
  PortNews port_news_;                        // since these were found
  std::set<fabric::PortIndex> raised_twice_;  // of these, by a Set that had to be repeated
  // What went wrong in this sweep and in the one before: by node GUID, attribute and modifier. A
  // device that refuses the same again has not moved; hurrying would not change its mind.
  using Failure = std::tuple<std::uint64_t, mad::AttributeId, std::uint32_t>;
  bool is_news(const Failure& failure);
  void note_fallen(fabric::PortIndex port, bool news);
  void note_failed_table(mad::Guid node, const Request& request, bool news);
  std::set<mad::Guid> tables_failed_;
  bool footing_lost_ = false;  // the same, for those that did not fail in the last sweep
  std::set<std::pair<std::uint32_t, std::uint32_t>> failed_blocks_;  // switch and block
  std::vector<bool> stuck_;    // by LID: takes no further step; none beyond the end
  bool empties_more_ = false;  // of LIDs that are stuck now, what does not change stands yet
  std::set<Failure> failures_;
  std::set<Failure> failures_before_;
  bool fabric_moved_ = false;
  Fallen fallen_;
  routing::Transition transition_;
  unsigned step_ = 0;            // of it
  bool all_written_ = false;     // of this sweep's tables, in all steps
  std::uint64_t unseen_ = 0;     // blocks and SwitchInfos not seen yet to hold what they should
  bool verifies_ = false;        // what is believed to stand is read in this sweep
  std::vector<bool> addressed_;  // by switch: its LID was written in this sweep
  std::vector<bool> doubted_;
};

}  // namespace heddle::sm
