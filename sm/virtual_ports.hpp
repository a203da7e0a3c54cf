// SPDX-License-Identifier: BSD-3-Clause
// Virtual ports (mad/virtualization.hpp): read of every adapter that has them, given LIDs where
// they want their own, keys, and led to Active behind their ports.
//
// Where no port says that it has any, a sweep costs one look at the capabilities of the ports. What
// is known of VPorts is kept from sweep to sweep; they are read again when their port restarted or
// says that something changed, or somebody else may have written. What one of them does not take is
// told once, and tried again after more and more sweeps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mad/virtualization.hpp"
#include "partitions/memberships.hpp"
#include "partitions/tables.hpp"
#include "sa/virtual_ports.hpp"
#include "sm/context.hpp"
#include "sm/lid_assignment.hpp"

namespace heddle::sm {

// Behind one port; what it says to have beyond is left alone.
inline constexpr std::uint16_t kMostVirtualPorts = 1024;

class VirtualPorts {
 public:
  // Forgets what the last sweep asked.
  void begin_sweep();
  // In a revisit: asks the visited nodes (by GUID) whether something changed behind their ports.
  // True if there was anything to ask, once in a sweep.
  bool look(Context& context, const std::set<mad::Guid>& visited);
  // What it found.
  bool changed() const { return !changed_.empty(); }

  // On the sweep's topology: enables virtualization where it is not, and reads what is not known.
  // With `all` every port is asked whether something changed, with `doubt` nothing is believed.
  void begin(Context& context, bool all, bool doubt);
  // When that is done: VPorts whose GUID somebody else has are left alone from here on.
  void settle(const Context& context);

  // Of those that want LIDs of their own; to be served behind the ports.
  void request_lids(bool reassign, std::vector<LidRequest>& requests) const;
  // In the order of their memberships; of the VPorts that are managed.
  std::vector<partitions::Guest> guests() const;
  // LIDs, as far as `lids` leads them to their ports, and keys.
  void write(Context& context, std::span<const RememberedLids> memory,
             std::shared_ptr<const partitions::Memberships> memberships);
  // When the links stand.
  void raise(Context& context);
  // At the end of each sweep, what is wrong with them: a problem does not end because a sweep had
  // nothing to do with it.
  void tell_problems(Context& context) const;
  // Clients behind the VPorts of this port are to register anew.
  void tell_clients(Context& context, fabric::PortIndex port);

  // A light sweep asks some of the ports, all of them in turn. The nodes that something changed
  // behind since the last call:
  void watch(Context& context);
  std::set<mad::Guid> take_suspects() { return std::exchange(suspects_, {}); }

  void on_answer(Context& context, const Answer& answer);
  // The data of a Set that this handler queued.
  mad::SmpData data_for(const Request& request) const;

  // For subnet administration: those that are Active. Null when there are none.
  std::shared_ptr<const sa::VirtualPorts> published(const Picture& picture) const;

 private:
  // What was not taken, by an error or by an answer that shows something else.
  class Refusal {
   public:
    bool lasts() const { return times_ > 0; }
    bool waits() const { return sweeps_left_ > 0; }
    void next_sweep() { sweeps_left_ -= waits() ? 1 : 0; }
    // True if it is news.
    bool note() {
      constexpr unsigned kMostDoubled = 6;
      sweeps_left_ = (1u << std::min(times_, kMostDoubled)) - 1;
      return times_++ == 0;
    }

   private:
    unsigned times_ = 0;
    unsigned sweeps_left_ = 0;  // in which it is not tried
  };
  struct VPort {
    mad::VPortInfo info;
    mad::VNodeInfo node;
    std::string description;
    partitions::HeldTable keys;
    partitions::TablePlan plan;
    std::vector<mad::PKey> planned;  // for which the table was planned last
    bool unplanned = true;           // the keys have been read since
    bool known = false;              // node and keys have been read
    bool twin = false;               // somebody else has its GUID
    Refusal of_state;                // or LID, as long as it shows the same
    Refusal of_keys;                 // as long as they are planned the same
    mad::Lid lid{};                  // where packets for it go; kNoLid: nowhere
    std::uint32_t member = 0;        // PortIndex in the memberships
  };
  struct Host {
    mad::Guid node{};
    mad::PortNumber number{};
    fabric::PortIndex port = fabric::kNoPort;  // in the sweep's topology
    mad::VirtualizationInfo info;
    std::map<std::uint16_t, VPort> vports;  // by index, from 1 on
    bool known = false;                     // its VPorts have been read, and nothing changed since
    bool stuck = false;                     // VPortStateChange does not go away
    Refusal of_info;                        // of being enabled, or of VPortStateChange's clearing
    // What did not get read, when it was last asked for.
    enum class Gap : std::uint8_t { None, Silent, Refused };
    Gap gap = Gap::None;
  };
  // Request::detail of a VirtualizationInfo: why it was asked.
  enum Why : std::uint32_t {
    kLook,    // did something change, a revisit wants to know
    kWatch,   // or a light sweep
    kFirst,   // what stands there
    kSecond,  // what stands there now that we have written
    kTell,    // clients to register anew
  };
  using PortKey = std::pair<mad::Guid, mad::PortNumber>;  // node and number

  static bool is_managed(const VPort& vport);
  static bool has_its_lid(const VPort& vport);
  // visit(host index, VPort index, VPort)
  template <class Visit>
  void each_managed(const Visit& visit);
  std::optional<DeviceId> device_of(const Context& context, const Host& host) const;
  void submit(Context& context, std::uint32_t host, mad::Method method, mad::AttributeId attribute,
              std::uint32_t modifier, std::uint32_t detail);
  void ask(Context& context, std::uint32_t host, mad::AttributeId attribute, std::uint32_t modifier,
           std::uint32_t detail) {
    submit(context, host, mad::Method::Get, attribute, modifier, detail);
  }
  void set(Context& context, std::uint32_t host, mad::AttributeId attribute, std::uint32_t modifier,
           std::uint32_t detail);
  std::vector<Host> take_hosts(Context& context);
  void on_virtualization_info(Context& context, const Answer& answer);
  void on_states(Context& context, const Answer& answer);
  void on_vport_info(Context& context, const Answer& answer);
  void on_vnode_info(Context& context, const Answer& answer);
  void on_keys(Context& context, const Answer& answer);
  void on_failure(Context& context, const Answer& answer);
  void read(Context& context, std::uint32_t host);
  void note_refusal(Context& context, const Answer& answer);
  static void tell_vport(std::uint16_t index, const VPort& vport,
                         std::vector<std::string>& problems);
  void share_lid(const Picture& picture, Host& host, VPort& vport) const;
  void write_keys(Context& context, std::uint32_t host, std::uint16_t index, VPort& vport);
  void lead(Context& context, std::uint32_t host, std::uint16_t index, mad::PortState to);
  void on_led(Context& context, const Answer& answer);

  std::vector<Host> hosts_;
  std::set<PortKey> changed_;  // found by look()
  bool looked_ = false;
  bool doubt_ = false;
  std::size_t watched_ = 0;  // next in turn
  std::set<mad::Guid> suspects_;
  std::shared_ptr<const partitions::Memberships> memberships_;
};

}  // namespace heddle::sm
