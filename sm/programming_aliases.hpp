// SPDX-License-Identifier: BSD-3-Clause
// The GUID tables of ports (GUIDInfo): alias GUIDs that clients asked subnet administration for.
// In a sweep they are read and put right where a port may have lost them; between sweeps, what
// clients ask for is written and its outcome told. Blocks without an alias of ours are left alone.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "mad/guid_info.hpp"
#include "sa/alias_guids.hpp"
#include "sm/context.hpp"

namespace heddle::sm {

class AliasProgramming {
 public:
  // Queues what there is to read and write; the phase is over when the transactions are idle. What
  // a port evidently kept since it was written is read again only `if others` may have written.
  void begin(Context& context, const sa::AliasGuids& wanted, bool others);
  // Between sweeps. Each write leads to an outcome.
  void begin(Context& context, const std::vector<sa::AliasWrite>& writes);
  void on_answer(Context& context, const Answer& answer);
  // The data of a Set that this handler queued.
  mad::SmpData data_for(const Request& request) const;
  std::vector<sa::AliasOutcome> take_outcomes() { return std::exchange(outcomes_, {}); }

 private:
  struct Work {
    fabric::PortIndex port{};
    sa::AliasWrite write;  // ticket 0: of a sweep
  };
  using Block = std::pair<mad::Guid, std::uint8_t>;  // of a port
  void submit(Context& context, std::uint32_t work, mad::Method method);
  void tell(Context& context, const Answer& answer, const Work& work);

  std::vector<Work> work_;               // of the phase that runs
  std::map<Block, mad::GUIDInfo> held_;  // as far as is known
  std::vector<sa::AliasOutcome> outcomes_;
};

}  // namespace heddle::sm
