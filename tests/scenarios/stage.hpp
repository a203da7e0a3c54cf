// SPDX-License-Identifier: BSD-3-Clause
// Carries out the commands of a transcript on a Box and writes down what happens.
//
// Before the first sweep:
//   fabric FABRIC | sm at NODE | routing ENGINES | lmc N | priority N | interval TIME
//   same guid NODE NODE | holds NODE PORT LID
// and then, in any order:
//   run [TIME]             until the machine rests, at most so long (60s)
//   wait TIME              lets time pass, light sweeps included
//   resweep                a full sweep now
//   cut NODE/PORT, restore NODE/PORT, lose NODE/PORT, carry NODE/PORT
//   power off NODE, power on NODE, silence NODE, wake NODE
//   restart with memory, restart without memory
//   ask sminfo from NODE
//   judge                  what the world's own checkers say
//   quiet mads, loud mads  whether MADs are written down
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/blueprint.hpp"
#include "sim/world.hpp"
#include "tests/support/box.hpp"

namespace heddle::test {

class Stage {
 public:
  // What happened upon the command, a line each. Throws upon a command it does not know.
  std::vector<std::string> carry_out(const std::string& command);

 private:
  using Words = std::vector<std::string>;

  bool prepare(const Words& words);
  bool disturb(const Words& words);
  bool drive(const Words& words);
  void ask_sm_info(const std::string& node);
  Box& box();
  std::uint32_t node(const std::string& name) const;
  std::uint32_t cable(const std::string& end);
  void see(const sim::Sighting& sighting);
  void write(std::string_view text);

  sim::Blueprint blueprint_;
  BoxOptions options_;
  std::unique_ptr<Box> box_;
  bool mads_ = true;
  std::vector<std::string> lines_;
};

}  // namespace heddle::test
