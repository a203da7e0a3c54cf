// SPDX-License-Identifier: BSD-3-Clause
// The management side of one port as Linux' ib_mad runs it: agents, requests with timeouts and
// retries, answers matched to requests, RMPP for agents that want it, checks on directed routes.
// Pure: it is told the time, and hands MADs to the hardware it was given.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/time.hpp"
#include "doors/kernel/agents.hpp"
#include "doors/kernel/rmpp.hpp"
#include "doors/kernel/user_mad.hpp"
#include "mad/datagram.hpp"

namespace heddle::doors::kernel {

// What of the port the kernel can touch.
class PortHardware {
 public:
  virtual ~PortHardware() = default;
  virtual void transmit(mad::Datagram datagram) = 0;
  virtual bool has_p_key(std::uint16_t index) const = 0;
  virtual std::uint8_t lmc() const = 0;
  virtual std::uint8_t port_number() const = 0;  // 0 on a switch
  // Whether this kernel is the only software on the port: then it refuses Get and Set that no
  // agent takes (status 0x0C), as Linux does. Otherwise somebody else may be about to answer.
  virtual bool alone() const = 0;
};

// What an agent is given: a MAD, or its own request back without an answer (status ETIMEDOUT, of
// which only the common header is left).
struct Arrival {
  UserMadHeader header;  // length is the file's affair
  mad::Payload mad;
};

class AgentOwner {
 public:
  virtual ~AgentOwner() = default;
  virtual void deliver(Arrival arrival) = 0;
};

// Tracked sends and half-received messages of one port. Linux has no such limits but memory.
inline constexpr std::size_t kMaxTrackedSends = 64 * 1024;
inline constexpr std::size_t kMaxReceptions = 4096;

class MadPort {
 public:
  MadPort(PortHardware& hardware, AgentIds& ids) : hardware_(hardware), agents_(ids) {}

  AgentTable::Added add_agent(const Registration& wanted, AgentOwner& owner, std::uint32_t slot) {
    return agents_.add(wanted, owner, slot);
  }
  // Whatever it still waits for is forgotten.
  void remove_agent(AgentId id);

  // One message. `mad` holds at least kRmppHeaderEnd bytes. Errors: invalid_argument for a size,
  // a route or a duplicate that Linux refuses too, not_enough_memory beyond the limits above.
  std::errc send(AgentId id, const UserMadHeader& header, mad::Payload mad, base::Instant now);

  void receive(const mad::Datagram& datagram, base::Instant now);

  // Timeouts and retries that are due.
  void advance(base::Instant now);
  base::Instant deadline() const;

 private:
  using SendId = std::uint64_t;

  struct Send {
    AgentId agent = 0;
    const AgentOwner* owner = nullptr;
    UserMadHeader header;  // as the program wrote it
    std::uint8_t management_class = 0;
    bool is_response = false;
    std::uint64_t transaction_id = 0;
    mad::Payload mad;  // what is sent again; with RMPP the first bytes only
    std::optional<RmppSend> rmpp;
    std::uint32_t retries_left = 0;
    base::Instant due = base::kNever;
  };
  // Who sends what to whom: agent, transaction id, class, version, method, LID, QPN.
  using ReceptionKey = std::tuple<AgentId, std::uint64_t, std::uint8_t, std::uint8_t, std::uint8_t,
                                  std::uint16_t, std::uint32_t>;
  struct Reception {
    RmppReceive rmpp;
    mad::Payload first;  // header for what is sent back
    mad::Address peer;
    std::uint32_t qpn = 0;
    base::Instant due = base::kNever;
    bool given_up = false;
  };
  using Receptions = std::map<ReceptionKey, Reception>;

  // mad_port.cpp
  bool may_leave(const Agent& agent, const mad::Address& peer) const;
  void emit(std::uint32_t qpn, const mad::Address& peer, mad::Payload mad);
  bool is_duplicate(const AgentOwner& owner, const UserMadHeader& header,
                    const MadView& view) const;
  void track(Send send, base::Instant now);
  void set_due(SendId id, Send& send, base::Instant due);
  void finish(SendId id);
  std::optional<SendId> find_send(const Agent& agent, std::uint64_t transaction_id,
                                  std::uint8_t management_class, std::uint8_t path_bits) const;
  void time_out(SendId id, base::Instant now);
  void refuse(const mad::Datagram& datagram);
  // To the agent, once it is a whole message.
  void hand_over(const Agent& agent, const MadView& view, mad::Datagram message);

  // mad_port_rmpp.cpp
  void start_rmpp(Send send, base::Instant now);
  void send_segments(SendId id, base::Instant now);
  bool retry_rmpp(SendId id, base::Instant now);
  // The whole message, when this segment completes one.
  std::optional<mad::Datagram> take_rmpp(const Agent& agent, const MadView& view,
                                         const mad::Datagram& datagram, base::Instant now);
  std::optional<mad::Datagram> take_data(const Agent& agent, const MadView& view,
                                         const mad::Datagram& datagram, base::Instant now);
  void take_ack(const Agent& agent, const MadView& view, const mad::Datagram& datagram,
                base::Instant now);
  void take_stop_or_abort(const Agent& agent, const MadView& view);
  bool has_room_to_receive();
  void acknowledge(const Reception& reception);
  void say_abort(std::uint32_t qpn, const mad::Address& peer, const mad::Payload& like,
                 RmppStatus why);
  void give_up(const ReceptionKey& key, base::Instant now);
  void set_due(const ReceptionKey& key, Reception& reception, base::Instant due);

  PortHardware& hardware_;
  AgentTable agents_;
  SendId last_send_ = 0;
  std::map<SendId, Send> sends_;
  std::multimap<std::uint64_t, SendId> by_transaction_;
  std::set<std::pair<base::Instant, SendId>> send_timers_;
  Receptions receptions_;
  std::set<std::pair<base::Instant, ReceptionKey>> reception_timers_;
};

}  // namespace heddle::doors::kernel
