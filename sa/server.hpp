// SPDX-License-Identifier: BSD-3-Clause
// Subnet administration (IBA vol. 1, chapter 15): requests in, answers out, and reports of what
// happens to those who subscribed. What it knows of the subnet is the view; what clients have told
// it, the registrations.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/record.hpp"
#include "base/time.hpp"
#include "mad/datagram.hpp"
#include "mad/notice.hpp"
#include "mad/sa_header.hpp"
#include "mad/types.hpp"
#include "multicast/groups.hpp"
#include "multicast/tables.hpp"
#include "partitions/policy.hpp"
#include "sa/query.hpp"
#include "sa/registrations.hpp"
#include "sa/reporter.hpp"
#include "sa/talkers.hpp"
#include "sa/view.hpp"

namespace heddle::sa {

// Whether these bytes are a request or response of the class, well made or not.
bool is_subnet_administration(const mad::Payload& payload);

class Server {
 public:
  // A request that bears the key is trusted; one with another key than this or none gets no answer.
  void set_key(mad::SMKey key) { key_ = key; }
  // In clients without the key.
  void set_trust(const Trust& trust);
  // Without it there are no groups, those of policy included: what is registered ends with the next
  // set_permanent_groups(), what is restored at once. The view says it to those who ask.
  void set_multicast(bool wanted) { multicast_ = wanted; }
  // Of groups that do not say theirs: 4.096 us * 2^value, as that of paths.
  void set_packet_life_time(std::uint8_t value);
  bool may_ask(const mad::Datagram& request) const;
  // The subnet as it is from now on. Ports that came or went since the last view are reported
  // (traps 64 and 65); what those that went had subscribed to is forgotten. Null while the subnet
  // is not known: requests are answered BUSY.
  void renew(base::Instant now, std::shared_ptr<const View> view);
  // The groups that exist whoever joins, from now on these. Where that changes the terms of a
  // group, members that no longer can be in it are put out, and the others are outdated.
  void set_permanent_groups(std::span<const partitions::GroupSpec> groups);
  // Ports that joined on other terms than their groups have now, since the last call: their clients
  // should be asked to register anew.
  std::vector<mad::Guid> take_outdated() { return std::exchange(outdated_, {}); }
  // What the switches hold, for queries.
  void set_multicast_tables(std::shared_ptr<const multicast::Tables> tables) {
    registrations_.multicast_tables = std::move(tables);
  }
  // What was registered before a restart. What belongs to ports that the first view does not have
  // is dropped then.
  void restore(Registrations registrations);
  // Forgets everything: another manager is master now.
  void close();

  // Whatever came for this class, which may be anything. Only ports of the subnet are answered.
  // What asks for no answer, and what has no whole header, gets none.
  //
  // A table goes out as one RMPP message, whose segments and their headers are the transport's
  // work: the payload is the header and all the records.
  void on_mad(base::Instant now, const mad::Datagram& received);
  // Tells it to whoever subscribed.
  void report(base::Instant now, const mad::Notice& notice, const mad::Gid& issuer);

  // When pump() must be called at the latest; kNever.
  base::Instant deadline() const;
  void pump(base::Instant now);
  std::vector<mad::Datagram> take_outgoing();

  // From now on, if so: what changes in the registrations is told by take_changes(), and answers to
  // what may have changed them by take_promises() and no more by take_outgoing().
  void set_remembered(bool wanted);
  std::vector<base::Record> take_changes(base::Instant now);
  std::vector<mad::Datagram> take_promises() { return std::exchange(promises_, {}); }
  // Subscribers that no longer answer and were dropped, since the last call.
  std::vector<Subscription> take_lost() { return std::exchange(lost_, {}); }

  // Whose role in which multicast LID changed since the last call, in order.
  std::vector<multicast::RoleChange> take_role_changes() { return std::exchange(roles_, {}); }
  // Why joins were refused since the last call, for a person.
  std::vector<std::string> take_refusals() { return std::exchange(registrations_.refusals, {}); }

  // As Talkers::limit().
  void limit(std::uint32_t requests_per_second) { talkers_.limit(requests_per_second); }
  // Counts a request. False if its source has asked for too much lately: it has been put off.
  bool admit(base::Instant now, const mad::Datagram& request);
  // What a desk answered in our place tells in the statistics.
  void add_talkers(std::span<const Talkers::Talker> talkers) { talkers_.add(talkers); }
  Talkers::Statistics take_statistics() { return talkers_.take(); }

  // An answer that says: not now, but after 4.096 us * 2^hint. To what wants no answer there is
  // none.
  void put_off(const mad::Datagram& request, std::uint8_t hint = kFirstHint);
  const std::shared_ptr<const View>& shared_view() const { return view_; }

  // Tables to read for queries that wait; each must lead to on_fetched(), unless a new view comes
  // before.
  std::vector<Fetch> take_fetches() { return registrations_.fetches.take(); }
  void on_fetched(base::Instant now, const Fetch& fetch, std::optional<mad::SmpData> data);

  // GUIDs to write into devices for requests that wait; each must lead to an outcome, whatever
  // becomes of the subnet meanwhile.
  std::vector<AliasWrite> take_alias_writes() { return registrations_.alias_changes.take_writes(); }
  void on_aliases_written(base::Instant now, std::span<const AliasOutcome> outcomes);

  const View* view() const { return view_.get(); }
  const Registrations& registrations() const { return registrations_; }

 private:
  // Beyond that queries that would have to wait are answered BUSY.
  static constexpr std::size_t kMaxWaiting = 64;
  void answer(base::Instant now, const mad::SAHeader& header, const mad::Datagram& received);
  void answer_waiting(base::Instant now);
  void send_promise(mad::Datagram reply);
  void carry_out_changes(base::Instant now);
  bool is_one_port(mad::Lid one, mad::Lid other) const;
  void let_go(const View& before, const View& after);
  void forget_absent(base::Instant now, const View& view);
  void hold_to(const std::vector<mad::Gid>& changed);
  void take_aliases();
  mad::Status carry_out(const AliasChanges::Change& change, const AliasOutcome& outcome,
                        Records& records, std::vector<mad::Guid>& gone);
  void report_aliases(base::Instant now, const AliasGuids& before, std::vector<mad::Guid> touched);
  void report_ports(base::Instant now, const View& before, const View& after);
  void report_guests(base::Instant now, const View& before, const View& after);
  // A notice of our own about a GID, traps 64 to 67, for those who may know of it (o13-17.1.2).
  void announce(base::Instant now, const View& view, mad::TrapNumber trap, const mad::Gid& gid,
                const Subscriptions::MayHear& may_hear);
  void tell(base::Instant now, const mad::IssuedNotice& notice, const mad::Gid& source,
            const Subscriptions::MayHear& may_hear);

  mad::SMKey key_;
  Trust trust_;
  bool multicast_ = true;
  std::shared_ptr<const View> view_;
  std::shared_ptr<const View> known_;  // the last one that was not null
  Registrations registrations_;
  multicast::Policy multicast_policy_;  // also of registrations to come
  std::shared_ptr<const AliasGuids> aliases_ = std::make_shared<const AliasGuids>();  // of the view
  Reporter reporter_;
  Talkers talkers_;
  std::vector<mad::Datagram> outgoing_;
  bool remembered_ = false;
  std::vector<mad::Datagram> promises_;
  std::vector<Subscription> lost_;
  std::vector<mad::Guid> outdated_;
  std::vector<multicast::RoleChange> roles_;
  std::vector<mad::Datagram> waiting_;  // for fetches
};

}  // namespace heddle::sa
