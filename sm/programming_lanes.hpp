// SPDX-License-Identifier: BSD-3-Clause
// SL to VL tables: read where unknown, written where they are not as the routes need them; or as
// the configuration wants them, where the routes need one lane only. Runs before the forwarding
// tables are written, because a routing that uses several VLs may hold credit loops as soon as
// packets do not keep to theirs; but after the old entries are emptied, where those have lanes too.
//
// A port whose link has fewer VLs than the routes use, as those of hosts may, gets the tables
// folded onto what it has: no credit loop runs through a host.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "fabric/lanes.hpp"
#include "qos/lane_tables.hpp"
#include "routing/selection.hpp"
#include "sm/context.hpp"
#include "sm/port_news.hpp"

namespace heddle::sm {

// Data VLs of a port's link: an ACTIVE one keeps what it has, another gets what is planned.
unsigned vls_of_port(const Picture& picture, fabric::PortIndex port);

// Data VLs that every link between two switches has, as they run or will be brought up: 1..15.
class DataVls {
 public:
  unsigned of(Picture& picture);

 private:
  // Of each channel, by the port that it leaves by; 0 at other ports.
  std::vector<std::uint8_t> vls_;
  std::array<std::size_t, fabric::kMaxDataVls + 1> count_{};  // of ports, by these
  PortNews port_news_;                                        // since then
};

// That a device did not take its tables, which the subject of the request is a port of: a problem
// and an event, once for each device.
void tell_unwritten(Context& context, const Answer& answer, std::string_view tables);

class LaneProgramming {
 public:
  // For the routes of the picture. Queues what must be read; what a port evidently kept since the
  // last sweep is read again only `if others` may have written.
  void begin(Context& context, bool others);
  // When what was queued at first has been answered, and before the next step: whether a switch's
  // table is yet to be written.
  bool has_to_write(const Context& context);
  // When the transactions are idle: queues the next step. False when all is done.
  bool go_on(Context& context);
  void on_answer(Context& context, const Answer& answer);
  // The data of a Set that this handler queued.
  mad::SmpData data_for(const Request& request) const;

  // When all is done: a switch does not hold its tables. The routes must not be used.
  bool failed() const { return failed_; }
  // And it has said so: asking again would give the same answer.
  bool refused() const { return refused_; }

 private:
  enum class Step : std::uint8_t { Idle, Reading, Writing };
  // The tables of one port that sends onto a link, by the port that packets come in by; a channel
  // adapter has one. Indices into maps_, because few tables differ.
  using Held = std::vector<std::uint8_t>;
  static constexpr std::uint8_t kUnknown = 0xFF;
  using Key = std::pair<mad::Guid, mad::PortNumber>;  // node and port

  // Whether the routes say what the tables hold, and not the configuration.
  bool routes_decide() const { return routes_->routes.lanes.vls > 1; }
  bool sends(const Context& context, fabric::PortIndex port) const;
  fabric::VlMap wanted(const Context& context, fabric::PortIndex out, mad::PortNumber in) const;
  // Calls visit(PortNumber) for each port that packets for `out` may come in by.
  template <class Visit>
  void for_each_input(const Context& context, fabric::PortIndex out, Visit visit) const;
  static Key key_of(const Context& context, fabric::PortIndex port);
  Held& held(const Context& context, fabric::PortIndex out);
  std::uint8_t index_of(const fabric::VlMap& map);
  bool is_right(const Context& context, fabric::PortIndex out, mad::PortNumber in,
                const Held& tables) const;
  bool write_whole_switch(Context& context, fabric::SwitchIndex of);
  bool write_all_inputs(Context& context, fabric::PortIndex out);
  void submit_set(Context& context, fabric::PortIndex out, std::uint32_t modifier,
                  const fabric::VlMap& map);
  void write(Context& context);
  void submit(Context& context, fabric::PortIndex out, mad::PortNumber in, mad::Method method);
  void learn(Context& context, const Answer& answer);
  void remember(const Context& context, const Request& request, std::uint8_t table);
  void fail(Context& context, const Answer& answer);

  std::shared_ptr<const routing::Selected> routes_;
  std::array<fabric::VlMap, qos::kPortKinds> chosen_{};  // of the configuration
  std::vector<fabric::VlMap> maps_;                      // below kUnknown of them
  std::map<Key, Held> held_;
  std::map<std::uint32_t, fabric::VlMap> writing_;  // by Request::detail
  std::uint32_t next_detail_ = 0;
  Step step_ = Step::Idle;
  bool failed_ = false;
  bool refused_ = false;
};

}  // namespace heddle::sm
