// SPDX-License-Identifier: BSD-3-Clause
#include "sa/server.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "mad/mc_member_record.hpp"
#include "multicast/mgid.hpp"
#include "multicast/ports.hpp"
#include "sa/registrations_text.hpp"
#include "sa/registry.hpp"
#include "sa/request.hpp"

namespace heddle::sa {
namespace {

// Of the first view. None where each of them is named by the other one, too.
std::span<const fabric::PortIndex> endports_besides(const View& of, const View& other) {
  if (of.names_same_ports(other)) return {};
  return of.topology().endports();
}

// A group of policy, in the words of the table of groups.
mad::MCMemberRecord terms_of(const partitions::GroupSpec& spec) {
  mad::MCMemberRecord terms;
  terms.mgid = spec.mgid;
  terms.p_key = spec.p_key;
  terms.q_key = spec.q_key;
  terms.mtu = spec.mtu;
  terms.rate = spec.rate;
  terms.sl = spec.sl;
  terms.t_class = spec.t_class;
  terms.flow_label = spec.flow_label;
  terms.scope = spec.scope;
  return terms;
}

// By its own GUID first.
std::vector<mad::Gid> gids_of(const View& view, fabric::PortIndex port) {
  std::vector<mad::Gid> gids{view.gid(port)};
  const auto* aliases = view.aliases().find(gids.front().guid);
  if (aliases == nullptr) return gids;
  for (const mad::Guid alias : *aliases) {
    if (alias != mad::Guid{}) gids.push_back({view.subnet().prefix, alias});
  }
  return gids;
}

// Virtual ports of the one subnet that the other has not.
std::vector<mad::Guid> guests_gone(const View& from, const View& to) {
  std::vector<mad::Guid> gone;
  if (!from.subnet().virtual_ports) return gone;
  for (const VirtualPort& guest : from.subnet().virtual_ports->all()) {
    const bool was = from.guest(guest.guid) == &guest;
    if (was && to.guest(guest.guid) == nullptr) gone.push_back(guest.guid);
  }
  return gone;
}

}  // namespace

bool is_subnet_administration(const mad::Payload& payload) {
  constexpr std::size_t kClassByte = 1;
  return payload.size() > kClassByte &&
         payload[kClassByte] == static_cast<std::byte>(mad::ManagementClass::SubnAdm);
}

void Server::set_trust(const Trust& trust) {
  trust_ = trust;
  multicast_policy_.limits.groups_per_port = trust.groups;
  registrations_.groups.set_policy(multicast_policy_);
}

void Server::set_packet_life_time(std::uint8_t value) {
  multicast_policy_.packet_life_time = value;
  registrations_.groups.set_policy(multicast_policy_);
}

bool Server::may_ask(const mad::Datagram& request) const {
  return request.payload.size() < mad::kSAHeaderBytes ||
         sa::may_ask(trust_, key_, header_of(request.payload));
}

// It may have several LIDs, and answer with another one than it was told by.
bool Server::is_one_port(mad::Lid one, mad::Lid other) const {
  if (one == other) return true;
  const auto port = view_ ? view_->find(one) : fabric::kNoPort;
  return port != fabric::kNoPort && port == view_->find(other);
}

void Server::on_mad(base::Instant now, const mad::Datagram& received) {
  if (received.payload.size() < mad::kSAHeaderBytes) return;
  const mad::SAHeader header = header_of(received.payload);
  if (header.mad.method == mad::Method::ReportResp) {
    const auto told = reporter_.told(header.mad.transaction_id);
    if (told && is_one_port(*told, received.peer.lid)) {
      reporter_.on_response(header.mad.transaction_id);
    }
  } else {
    registrations_.services.expire(now);
    answer(now, header, received);
  }
  pump(now);
}

void Server::answer(base::Instant now, const mad::SAHeader& header, const mad::Datagram& received) {
  bool waits = false;
  const Request request{view_.get(), &registrations_, key_, now, trust_};
  if (auto reply = request.answer(header, received, waits)) {
    const std::uint8_t changing = bit_of(header.mad.method) & (kSet | kDelete);
    if (changing != 0) {
      send_promise(std::move(*reply));
    } else {
      outgoing_.push_back(std::move(*reply));
    }
  }
  if (!waits) return;
  if (waiting_.size() < kMaxWaiting) {
    waiting_.push_back(received);
  } else {
    put_off(received);
  }
}

// An answer to what may have changed a registration.
void Server::send_promise(mad::Datagram reply) {
  (remembered_ ? promises_ : outgoing_).push_back(std::move(reply));
}

void Server::set_remembered(bool wanted) {
  if (wanted == remembered_) return;
  remembered_ = wanted;
  watch_changes(registrations_, wanted);
}

std::vector<base::Record> Server::take_changes(base::Instant now) {
  return sa::take_changes(registrations_, now);
}

bool Server::admit(base::Instant now, const mad::Datagram& request) {
  if (request.payload.size() < mad::kSAHeaderBytes) return true;
  // What confirms our own reports is no request.
  if (!wants_answer(header_of(request.payload).mad.method)) return true;
  const auto hint = talkers_.count(now, request.peer.lid);
  if (hint) put_off(request, *hint);
  return !hint;
}

void Server::put_off(const mad::Datagram& request, std::uint8_t hint) {
  if (request.payload.size() < mad::kSAHeaderBytes) return;
  if (wants_answer(header_of(request.payload).mad.method)) {
    outgoing_.push_back(busy(request, hint));
  }
}

void Server::on_fetched(base::Instant now, const Fetch& fetch, std::optional<mad::SmpData> data) {
  registrations_.fetches.learn(fetch, std::move(data));
  if (registrations_.fetches.idle()) answer_waiting(now);
}

void Server::answer_waiting(base::Instant now) {
  for (const mad::Datagram& request : std::exchange(waiting_, {})) {
    answer(now, header_of(request.payload), request);
  }
  pump(now);
}

void Server::renew(base::Instant now, std::shared_ptr<const View> view) {
  if (view) {
    registrations_.groups.set_mlid_capacity(multicast::mlid_capacity(view->topology()));
    multicast_policy_.subnet_prefix = view->subnet().prefix;
    multicast_policy_.highest_rate_code = view->subnet().highest_rate_code;
    registrations_.groups.set_policy(multicast_policy_);
  }
  // Whoever waited for tables of the old view is answered from the new one, or waits again.
  registrations_.fetches.clear();
  if (view && known_) {
    let_go(*known_, *view);
  } else if (view) {
    registrations_.take(registrations_.groups.drop_ports(
        [&](mad::Guid port) { return view->find(port) == fabric::kNoPort; }));
    forget_absent(now, *view);
  }
  view_ = view ? std::make_shared<const View>(view->with(aliases_)) : nullptr;
  const auto known = known_;
  if (view_) known_ = view_;
  if (view_ && known) {
    report_ports(now, *known, *view_);
    report_guests(now, *known, *view_);
  }
  answer_waiting(now);
  pump(now);
}

void Server::set_permanent_groups(std::span<const partitions::GroupSpec> groups) {
  if (!multicast_) {
    registrations_.take(registrations_.groups.retain_permanent({}));
    return registrations_.take(registrations_.groups.clear());
  }
  std::vector<mad::Gid> mgids;
  std::vector<mad::Gid> changed;
  for (const partitions::GroupSpec& group : groups) {
    mgids.push_back(group.mgid);
    multicast::Answer answer = registrations_.groups.add_permanent(terms_of(group));
    registrations_.take(std::move(answer.changes));
    changed.insert(changed.end(), answer.other_terms.begin(), answer.other_terms.end());
  }
  registrations_.take(registrations_.groups.retain_permanent(mgids));
  if (!changed.empty()) hold_to(changed);
}

// Members of groups whose terms have changed. What they do with the old ones works as well as it
// can until they have joined anew.
void Server::hold_to(const std::vector<mad::Gid>& changed) {
  const auto is_too_slow = [this](const multicast::Group& group, const multicast::Member& member) {
    const auto port = view_ ? view_->find(member.port) : fabric::kNoPort;
    if (port == fabric::kNoPort) return false;
    const auto rate = mad::rate_rank_of_code(group.record().rate);
    const Reach reach = view_->reach(port);
    return reach.mtu < group.record().mtu || (rate && reach.rate < *rate);
  };
  registrations_.take(registrations_.groups.drop_members(
      [&](const multicast::Group& group, const multicast::Member& member) {
        if (std::count(changed.begin(), changed.end(), group.mgid()) == 0) return false;
        if (is_too_slow(group, member)) {
          registrations_.refuse("group " + multicast::text_of(group.mgid()) +
                                " has new terms: port " + base::hex(member.port.value) +
                                " does not reach its MTU and rate, and is put out");
          return true;
        }
        outdated_.push_back(member.port);
        return false;
      }));
}

void Server::restore(Registrations registrations) {
  registrations_ = std::move(registrations);
  registrations_.groups.set_policy(multicast_policy_);
  watch_changes(registrations_, remembered_);
  if (!multicast_) set_permanent_groups({});
  registrations_.changes = {};  // of what nobody here has heard of
  roles_ = registrations_.groups.roles();
  take_aliases();
}

void Server::close() {
  view_.reset();
  known_.reset();
  registrations_ = Registrations{};
  registrations_.groups.set_policy(multicast_policy_);
  watch_changes(registrations_, remembered_);
  promises_.clear();
  take_aliases();
  reporter_.clear();
  roles_.clear();
  waiting_.clear();
  outdated_.clear();
}

// After a restart.
void Server::forget_absent(base::Instant now, const View& view) {
  std::vector<SubscriptionId> lost;
  for (const auto& [id, subscription] : registrations_.subscriptions.all()) {
    if (view.find(subscription.subscriber) == fabric::kNoPort) lost.push_back(id);
  }
  for (const SubscriptionId id : lost) registrations_.subscriptions.remove(id);
  std::vector<mad::Guid> gone;
  registrations_.services.each(now, std::nullopt, [&](const mad::ServiceRecord& service) {
    const mad::Guid guid = service.service_gid.guid;
    const mad::Guid owner = registrations_.alias_guids.owner(guid);
    const bool there = view.find(owner == mad::Guid{} ? guid : owner) != fabric::kNoPort;
    if (!there) gone.push_back(guid);
    return true;
  });
  registrations_.services.remove_all(std::move(gone));
}

// What a port that left has asked for ends; so does what it may no longer have.
void Server::let_go(const View& before, const View& after) {
  std::vector<mad::Guid> gone;
  for (const auto port : endports_besides(before, after)) {
    const mad::Gid gid = before.gid(port);
    if (before.find(gid) != port || after.find(gid) != fabric::kNoPort) continue;
    gone.push_back(gid.guid);
    registrations_.subscriptions.remove_all(gid);
  }
  std::vector<mad::Guid> known_by = gone;
  for (const mad::Guid guest : guests_gone(before, after)) {
    known_by.push_back(guest);
    registrations_.subscriptions.remove_all({before.subnet().prefix, guest});
  }
  for (const mad::Guid port : gone) {
    for (const mad::Gid& gid : gids_of(before, before.find(port))) known_by.push_back(gid.guid);
  }
  registrations_.services.remove_all(std::move(known_by));
  registrations_.take(registrations_.groups.drop_ports(gone));
  registrations_.take(registrations_.groups.drop_members([&](const multicast::Group& group,
                                                             const multicast::Member& member) {
    const mad::Guid guid = member.port_gid.guid;
    const VirtualPort* guest = after.guest(guid);
    if (guest == nullptr && before.guest(guid) != nullptr) return true;
    const bool moved = guest != nullptr && after.topology().port(guest->host).guid != member.port;
    if (moved) return true;
    const auto port = guest != nullptr ? guest->member : after.find(member.port);
    return port == fabric::kNoPort || !after.holds(port, group.record().p_key);
  }));
}

void Server::report_ports(base::Instant now, const View& before, const View& after) {
  for (const auto port : endports_besides(before, after)) {
    const mad::Gid own = before.gid(port);
    if (before.find(own) != port || after.find(own) != fabric::kNoPort) continue;
    // Who could talk to it before may know that it has gone.
    const auto may_hear = [&](const Subscription& to) {
      return before.may_talk(before.member(to.subscriber.guid), port);
    };
    for (const mad::Gid& gid : gids_of(before, port)) {
      announce(now, after, mad::TrapNumber::GidOutOfService, gid, may_hear);
    }
  }
  for (const auto port : endports_besides(after, before)) {
    const mad::Gid own = after.gid(port);
    if (after.find(own) != port || before.find(own) != fabric::kNoPort) continue;
    const auto may_hear = [&](const Subscription& to) {
      return after.may_talk(after.member(to.subscriber.guid), port);
    };
    for (const mad::Gid& gid : gids_of(after, port)) {
      announce(now, after, mad::TrapNumber::GidInService, gid, may_hear);
    }
  }
}

void Server::report_guests(base::Instant now, const View& before, const View& after) {
  const auto tell_of = [&](const View& with, const View& without, mad::TrapNumber trap) {
    for (const mad::Guid guid : guests_gone(with, without)) {
      const auto guest = with.member(guid);
      announce(now, after, trap, {with.subnet().prefix, guid}, [&](const Subscription& to) {
        return with.may_talk(with.member(to.subscriber.guid), guest);
      });
    }
  };
  tell_of(before, after, mad::TrapNumber::GidOutOfService);
  tell_of(after, before, mad::TrapNumber::GidInService);
}

void Server::announce(base::Instant now, const View& view, mad::TrapNumber trap,
                      const mad::Gid& gid, const Subscriptions::MayHear& may_hear) {
  const auto& managers = view.subnet().managers;
  const auto own = managers.empty() ? fabric::kNoPort : managers[0].port;
  if (own == fabric::kNoPort) return;
  auto notice = mad::make_notice(trap, mad::NoticeType::Informational, mad::NodeType{},
                                 view.lid(own), mad::GidNotice{gid});
  notice.producer_type = mad::kProducerClassManager;
  tell(now, {notice, view.gid(own)}, gid, may_hear);
}

void Server::carry_out_changes(base::Instant now) {
  auto changes = std::exchange(registrations_.changes, {});
  roles_.insert(roles_.end(), changes.roles.begin(), changes.roles.end());
  for (const multicast::GroupEvent& event : changes.groups) {
    const bool created = event.kind == multicast::GroupEvent::Kind::Created;
    const auto trap =
        created ? mad::TrapNumber::MulticastGroupCreated : mad::TrapNumber::MulticastGroupDeleted;
    if (!known_) continue;
    announce(now, *known_, trap, event.mgid, [&](const Subscription& to) {
      const auto port = known_->member(to.subscriber.guid);
      return port != fabric::kNoPort && known_->holds(port, event.p_key);
    });
  }
}

void Server::report(base::Instant now, const mad::Notice& notice, const mad::Gid& issuer) {
  const auto details = mad::decode_details(notice);
  const auto* about = std::get_if<mad::GidNotice>(&details);
  tell(now, {notice, issuer}, about != nullptr ? about->gid : issuer, {});
}

void Server::tell(base::Instant now, const mad::IssuedNotice& notice, const mad::Gid& source,
                  const Subscriptions::MayHear& may_hear) {
  // In a storm, of ports or of subscribers, nobody looks for more than the queue can take.
  if (reporter_.is_full()) return;
  const auto to = registrations_.subscriptions.meaning(notice.notice, source, may_hear);
  reporter_.queue(to, notice);
  reporter_.pump(now, registrations_.subscriptions, outgoing_, lost_);
}

base::Instant Server::deadline() const {
  return std::min(reporter_.deadline(), registrations_.services.next_end());
}

void Server::pump(base::Instant now) {
  registrations_.services.expire(now);
  carry_out_changes(now);
  reporter_.pump(now, registrations_.subscriptions, outgoing_, lost_);
}

std::vector<mad::Datagram> Server::take_outgoing() {
  return std::exchange(outgoing_, {});
}

}  // namespace heddle::sa
