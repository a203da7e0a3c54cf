// SPDX-License-Identifier: BSD-3-Clause
// What a host tells subnet administration, as a command:
//
//   sa_host ipoib DEVICE P_KEY      joins the groups that Linux joins when an IPoIB interface comes
//                                   up, and prints each with its MLID
//   sa_host leave DEVICE P_KEY      leaves them
//   sa_host member DEVICE P_KEY     asks whether it is in all of them
//   sa_host service DEVICE ID       registers a service
//   sa_host served DEVICE ID        asks whether there is one
//   sa_host subscribe DEVICE TRAP   asks for reports, and does not wait for them
//   sa_host alias DEVICE GUID       gives its port a further GUID
//
// Exit code 1, and the status, when the manager refuses.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "mad/guid_info_record.hpp"
#include "tests/interop/sa_client.hpp"

namespace heddle::interop {
namespace {

using mad::component;
using mad::MCMemberRecord;
using mad::Method;
using mad::SAAttributeId;
using mad::ServiceRecord;

constexpr std::uint8_t kFullMember = 1;
constexpr std::uint16_t kFullKey = 0x8000;

bool refused(const std::string& what, const Reply& reply) {
  if (reply.ok()) return false;
  fmt::print(stderr, "{}: {}\n", what,
             reply.arrived ? fmt::format("status {:#06x}", reply.status().value) : "no answer");
  return true;
}

// 224.0.0.1, 224.0.0.251, ff02::1, the solicited-node group, as MGIDs of a partition (RFC 4391, 4).
std::vector<std::string> groups_of(const SAClient& host, std::uint16_t p_key) {
  const auto low = static_cast<unsigned>(host.gid().guid.value & 0xff'ffff);
  return {fmt::format("ff12:401b:{:x}::1", p_key), fmt::format("ff12:401b:{:x}::fb", p_key),
          fmt::format("ff12:601b:{:x}::1", p_key),
          fmt::format("ff12:601b:{:x}::1:ff{:02x}:{:x}", p_key, low >> 16, low & 0xffff)};
}

std::string broadcast_of(std::uint16_t p_key) {
  return fmt::format("ff12:401b:{:x}::ffff:ffff", p_key);
}

// The broadcast group is joined by its name and P_Key alone, since it must be there; the others are
// made with its terms by whoever comes first.
constexpr std::uint64_t kBroadcastMask = kMemberMask | component<&MCMemberRecord::p_key>();
constexpr std::uint64_t kGroupMask =
    kBroadcastMask | component<&MCMemberRecord::q_key>() |
    component<&MCMemberRecord::mtu_selector>() | component<&MCMemberRecord::mtu>() |
    component<&MCMemberRecord::t_class>() | component<&MCMemberRecord::rate_selector>() |
    component<&MCMemberRecord::rate>() | component<&MCMemberRecord::sl>() |
    component<&MCMemberRecord::flow_label>() | component<&MCMemberRecord::hop_limit>();

bool join(SAClient& host, MCMemberRecord wanted, const std::string& mgid, std::uint64_t mask,
          MCMemberRecord* joined = nullptr) {
  wanted.mgid = gid_of(mgid);
  wanted.port_gid = host.gid();
  wanted.join_state = kFullMember;
  const auto reply =
      host.ask({Method::Set, SAAttributeId::MCMemberRecord, mask, bytes_of(wanted), {}});
  if (refused(mgid, reply)) return false;
  const auto record = reply.record<MCMemberRecord>();
  fmt::print("{} {}\n", mgid, record.mlid.value);
  if (joined != nullptr) *joined = record;
  return true;
}

int ipoib(SAClient& host, std::uint16_t p_key) {
  MCMemberRecord wanted, terms;
  wanted.p_key = mad::PKey{p_key};
  if (!join(host, wanted, broadcast_of(p_key), kBroadcastMask, &terms)) return 1;
  terms.mtu_selector = terms.rate_selector = mad::Selector::Exactly;
  for (const auto& mgid : groups_of(host, p_key)) {
    if (!join(host, terms, mgid, kGroupMask)) return 1;
  }
  return 0;
}

int leave(SAClient& host, std::uint16_t p_key) {
  auto groups = groups_of(host, p_key);
  groups.push_back(broadcast_of(p_key));
  for (const auto& mgid : groups) {
    MCMemberRecord record;
    record.mgid = gid_of(mgid);
    record.port_gid = host.gid();
    record.join_state = kFullMember;
    if (refused(mgid, host.ask({Method::Delete,
                                SAAttributeId::MCMemberRecord,
                                kMemberMask,
                                bytes_of(record),
                                {}}))) {
      return 1;
    }
  }
  return 0;
}

// One record in each answer, for where there is no RMPP.
int member(SAClient& host, std::uint16_t p_key) {
  auto groups = groups_of(host, p_key);
  groups.push_back(broadcast_of(p_key));
  for (const auto& mgid : groups) {
    MCMemberRecord record;
    record.mgid = gid_of(mgid);
    record.port_gid = host.gid();
    constexpr auto kMask =
        component<&MCMemberRecord::mgid>() | component<&MCMemberRecord::port_gid>();
    if (refused(
            mgid,
            host.ask({Method::Get, SAAttributeId::MCMemberRecord, kMask, bytes_of(record), {}}))) {
      return 1;
    }
  }
  return 0;
}

int served(SAClient& host, std::uint64_t id) {
  ServiceRecord record;
  record.service_id = id;
  return refused("service", host.ask({Method::Get,
                                      SAAttributeId::ServiceRecord,
                                      component<&ServiceRecord::service_id>(),
                                      bytes_of(record),
                                      {}}));
}

int service(SAClient& host, std::uint64_t id) {
  ServiceRecord record;
  record.service_id = id;
  record.service_gid = host.gid();
  record.service_p_key = mad::PKey{0xffff};
  record.service_lease = 0xffff'ffff;
  const std::string name = fmt::format("service-{:x}", id);
  std::copy(name.begin(), name.end(), record.service_name.begin());
  constexpr auto kMask =
      component<&ServiceRecord::service_id>() | component<&ServiceRecord::service_gid>() |
      component<&ServiceRecord::service_p_key>() | component<&ServiceRecord::service_lease>() |
      component<&ServiceRecord::service_name>();
  return refused(
      name, host.ask({Method::Set, SAAttributeId::ServiceRecord, kMask, bytes_of(record), {}}));
}

int subscribe(SAClient& host, std::uint16_t trap) {
  mad::InformInfo info;
  info.lid_range_begin = mad::kPermissiveLid;
  info.is_generic = info.subscribe = 1;
  info.type = 0xffff;
  info.trap_number = trap;
  info.qpn = 1;
  info.producer_type = 0xff'ffff;
  return refused("subscription",
                 host.ask({Method::Set, SAAttributeId::InformInfo, 0, bytes_of(info), {}}));
}

int alias(SAClient& host, mad::Guid guid) {
  mad::GUIDInfoRecord record;
  record.lid = mad::Lid{static_cast<std::uint16_t>(host.lid())};
  record.guid_info.guids[1] = guid;
  constexpr auto kMask = component<&mad::GUIDInfoRecord::lid>() |
                         component<&mad::GUIDInfoRecord::block_num>() |
                         component<&mad::GUIDInfoRecord::guid_info, &mad::GUIDInfo::guids>() << 1;
  return refused(
      "alias", host.ask({Method::Set, SAAttributeId::GUIDInfoRecord, kMask, bytes_of(record), {}}));
}

int run(const std::string& verb, const std::string& device, const char* number) {
  SAClient host(device);
  const auto value = std::strtoull(number, nullptr, 0);
  const auto small = static_cast<std::uint16_t>(value);
  if (verb == "ipoib") return ipoib(host, small | kFullKey);
  if (verb == "leave") return leave(host, small | kFullKey);
  if (verb == "member") return member(host, small | kFullKey);
  if (verb == "service") return service(host, value);
  if (verb == "served") return served(host, value);
  if (verb == "subscribe") return subscribe(host, small);
  if (verb == "alias") return alias(host, mad::Guid{value});
  return 2;
}

}  // namespace
}  // namespace heddle::interop

int main(int count, char** words) {
  return count == 4 ? heddle::interop::run(words[1], words[2], words[3]) : 2;
}
