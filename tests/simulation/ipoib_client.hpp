// SPDX-License-Identifier: BSD-3-Clause
// Hosts that join multicast groups as the IPoIB driver of Linux does, over a simulated fabric.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "mad/mc_member_record.hpp"
#include "sim/devices.hpp"
#include "tests/sa/client.hpp"
#include "tests/simulation/judging.hpp"

namespace heddle::test {

inline constexpr mad::Gid kIpv4Broadcast{mad::GidPrefix{0xff12'401b'ffff'0000},
                                         mad::Guid{0x0000'0000'ffff'ffff}};
inline constexpr std::uint8_t kFull = 1;
inline constexpr std::uint8_t kSendOnly = 4;

template <auto... Member>
constexpr std::uint64_t bits_of() {
  return (mad::component<Member>() | ...);
}

class IpoibClient {
 private:
  using R = mad::MCMemberRecord;

 public:
  // What a join names, and what it says besides to make the group.
  static constexpr std::uint64_t kJoin =
      bits_of<&R::mgid, &R::port_gid, &R::p_key, &R::join_state>();
  static constexpr std::uint64_t kCreate =
      kJoin | bits_of<&R::q_key, &R::mtu_selector, &R::mtu, &R::t_class, &R::rate_selector,
                      &R::rate, &R::sl, &R::flow_label, &R::hop_limit>();

  // On the first port of the host with this name.
  IpoibClient(Box& box, const std::string& host)
      : box_(box), node_(node(box, host)), at_(box.world().find_endpoint(host).value()) {}

  std::uint32_t host() const { return node_; }
  sim::PortIndex port() const { return box_.world().devices().nodes[node_].first_port + 1; }
  mad::PortInfo port_info() const {
    return mad::decode<mad::PortInfo>(
        box_.world().look(at_, mad::AttributeId::PortInfo, 0).value());
  }
  mad::Gid gid() const { return {mad::kDefaultGidPrefix, box_.world().port_guid(at_)}; }

  // The question for the broadcast group: MGID, PortGID, P_Key and JoinState.
  mad::MCMemberRecord question(const mad::Gid& mgid, std::uint8_t join_state) const {
    mad::MCMemberRecord record;
    record.mgid = mgid;
    record.port_gid = gid();
    record.p_key = mad::PKey{0xFFFF};
    record.join_state = join_state;
    return record;
  }
  sa::Reply<mad::MCMemberRecord> join(const mad::Gid& mgid, std::uint8_t join_state = kFull) {
    return ask(mad::Method::Set, kJoin, question(mgid, join_state));
  }
  sa::Reply<mad::MCMemberRecord> leave(const mad::Gid& mgid, std::uint8_t join_state = kFull) {
    return ask(mad::Method::Delete, kJoin, question(mgid, join_state));
  }
  // A group of the driver's own, with the words of the broadcast group.
  sa::Reply<mad::MCMemberRecord> create(const mad::Gid& mgid,
                                        const mad::MCMemberRecord& broadcast) {
    auto record = broadcast;
    record.mgid = mgid;
    record.port_gid = gid();
    record.join_state = kFull;
    record.mtu_selector = record.rate_selector = mad::Selector::Exactly;
    return ask(mad::Method::Set, kCreate, record);
  }

  // Waits for no answer.
  void begin(const mad::Gid& mgid) { send(mad::Method::Set, kJoin, question(mgid, kFull), {}); }

  // Several answers may come to one question when reports are on their way too.
  sa::Reply<mad::MCMemberRecord> ask(mad::Method method, std::uint64_t mask,
                                     const mad::MCMemberRecord& record, mad::SMKey key = {}) {
    box_.take_arrivals(at_);
    send(method, mask, record, key);
    box_.run_for(std::chrono::milliseconds(20));
    for (const auto& arrived : box_.take_arrivals(at_)) {
      if (arrived.payload[3] == static_cast<std::byte>(mad::Method::Report)) continue;
      return sa::read_reply<mad::MCMemberRecord>(arrived);
    }
    return {};
  }

 private:
  void send(mad::Method method, std::uint64_t mask, const mad::MCMemberRecord& record,
            mad::SMKey key) {
    auto query =
        sa::make_query(sa::Question{method, 0x38, 0, mask, key}, record, port_info().master_sm_lid);
    query.peer.q_key = 0x8001'0000;
    box_.world().send(at_, std::move(query), box_.now());
  }

  Box& box_;
  std::uint32_t node_;
  sim::EndpointId at_;
};

// One on every host but the one that the SM sits on.
inline std::vector<IpoibClient> clients_of(Box& box) {
  std::vector<IpoibClient> clients;
  const auto& topology = box.snapshot().topology;
  for (std::uint32_t n = static_cast<std::uint32_t>(topology.switch_count());
       n < topology.node_count(); ++n) {
    const fabric::NodeIndex index{n};
    const bool is_own = topology.node_of(box.snapshot().sm_port) == index;
    if (!is_own) clients.emplace_back(box, topology.node(index).description);
  }
  return clients;
}

}  // namespace heddle::test
