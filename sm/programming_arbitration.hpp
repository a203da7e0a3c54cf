// SPDX-License-Identifier: BSD-3-Clause
// VL arbitration tables, where the configuration has any: read where unknown, written where they
// are otherwise. Beside them VL_High_Limit, which is a field of PortInfo and written with the
// links.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mad/vl_arbitration_table.hpp"
#include "qos/lane_tables.hpp"
#include "sm/context.hpp"

namespace heddle::sm {

// VL_High_Limit of all ports with a link: what the configuration has, or as it stands.
void set_high_limits(const std::optional<qos::LaneTables>& tables, const fabric::Topology& topology,
                     fabric::Intent& intent);

class ArbitrationProgramming {
 public:
  // For the routes of the picture: lanes that they need are served, whatever the configuration
  // says. What a port kept since the last sweep is read again only `if others` may have written.
  void begin(Context& context, bool others);
  // When the transactions are idle: queues the next step. False when all is done.
  bool go_on(Context& context);
  void on_answer(Context& context, const Answer& answer);
  // The data of a Set that this handler queued.
  mad::SmpData data_for(const Context& context, const Request& request) const;

 private:
  enum class Step : std::uint8_t { Idle, ToRead, Reading, Writing };
  // By quarter, indices into blocks_, because few tables differ.
  using Held = std::array<std::uint8_t, 4>;
  static constexpr std::uint8_t kUnknown = 0xFF;
  static constexpr std::uint8_t kRefused = 0xFE;      // asking again would be in vain
  using Key = std::pair<mad::Guid, mad::PortNumber>;  // node and port

  bool has_tables(const Context& context, fabric::PortIndex port) const;
  static Key key_of(const Context& context, fabric::PortIndex port);
  Held& held(const Context& context, fabric::PortIndex port);
  qos::Arbitration wanted(const Context& context, fabric::PortIndex port) const;
  void submit_all(Context& context, mad::Method method);
  void submit(Context& context, fabric::PortIndex port, std::size_t quarter, mad::Method method);
  std::uint8_t index_of(const mad::VLArbitrationTable& block);
  void fail(Context& context, const Answer& answer);

  std::array<qos::PortLanes, qos::kPortKinds> chosen_;
  unsigned needed_ = 0;                          // lanes that must be served
  std::vector<mad::VLArbitrationTable> blocks_;  // below kRefused of them
  std::map<Key, Held> held_;
  Step step_ = Step::Idle;
};

}  // namespace heddle::sm
