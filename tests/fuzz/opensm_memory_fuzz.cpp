// SPDX-License-Identifier: BSD-3-Clause
// What OpenSM may have left behind: guid2lid, guid2mkey, neighbors and opensm-sa.dump. Whatever
// they are, they are read or refused; and what was read is written so that it is read the same
// again.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "sa/opensm_dump.hpp"
#include "store/lid_memory.hpp"
#include "store/opensm_files.hpp"

namespace {

using namespace heddle;

std::string again(const sa::Registrations& registrations) {
  return sa::to_opensm_dump(registrations, base::Instant{std::chrono::hours(1)}, 1'700'000'000,
                            [](mad::Guid) { return mad::Lid{1}; });
}

void read_dump(std::string_view text) {
  const base::Instant now{std::chrono::hours(1)};
  const auto parsed = sa::parse_opensm_dump(text, "f", now, 1'700'000'000);
  if (!parsed) return;
  const std::string said = again(*parsed);
  const auto heard = sa::parse_opensm_dump(said, "f", now, 1'700'000'000);
  HEDDLE_CHECK(heard.has_value());
  HEDDLE_CHECK(again(*heard) == said);
}

// One of each kind, in which bytes are then others: no fuzzer finds such lines by itself.
constexpr std::string_view kDump =
    "GUIDInfo Record: base_guid=0x1 lid=0x1 block_num=0x0 guid0=0x1 guid1=0x2 guid2=0x0 "
    "guid3=0x0 guid4=0x0 guid5=0x0 guid6=0x0 guid7=0x0\n"
    "MC Group 0xc001  (well known): mgid=0xff12401bffff0000:0x1 port_gid=0x0:0x0 qkey=0xb1b "
    "mlid=0xc001 mtu=0x84 tclass=0x0 pkey=0xffff rate=0x83 pkt_life=0x92 sl_flow_hop=0x0 "
    "scope_state=0x21 proxy_join=0x0\n"
    "mcm_port: port_gid=0xfe80000000000000:0x1 scope_state=0x21 proxy_join=0x0\n"
    "mcm_port: port_gid=0xfe80000000000000:0x2 scope_state=0x24 proxy_join=0x1\n"
    "InformInfo Record: subscriber_gid=0x1:0x2 subscriber_enum=0x0 InformInfo: gid=0x0:0x0 "
    "lid_range_begin=0xffff lid_range_end=0x0 is_generic=0x1 subscribe=0x1 trap_type=0xffff "
    "trap_num=0x40 qpn_resp_time_val=0x100 node_type=0xffffff rep_addr: lid=0x1 path_bits=0x0 "
    "static_rate=0x0 remote_qp=0x1 remote_qkey=0x0 pkey_ix=0x0 sl=0x0\n"
    "Service Record: id=0x1 gid=0x1:0x2 pkey=0xffff lease=0x10 key=0x0:0x0 name='n' data8=0x0:0x0 "
    "data16=0x0:0x0 data32=0x0:0x0 data64=0x0:0x0 modified_time=0x6553f100 lease_period=0x10\n";

std::string damaged(std::string_view how) {
  std::string text(kDump);
  for (; how.size() >= 3; how.remove_prefix(3)) {
    const auto at = static_cast<unsigned char>(how[0]) * 256u + static_cast<unsigned char>(how[1]);
    text[at % text.size()] = how[2];
  }
  return text;
}

void read_keys(std::string_view text) {
  const auto keys = store::parse_keys(text, "f");
  if (!keys) return;
  const auto again = store::parse_keys(store::to_text(*keys), "f");
  HEDDLE_CHECK(again.has_value() && *again == *keys);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  read_dump(text);
  read_dump(damaged(text));
  read_keys(text);
  (void)store::parse_lids(text, "f");
  (void)store::parse_neighbors(text, "f");
  (void)store::kind_of_opensm_file(text);
  return 0;
}
