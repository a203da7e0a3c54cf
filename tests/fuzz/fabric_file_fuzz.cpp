// SPDX-License-Identifier: BSD-3-Clause
// Whatever a user calls a fabric file: it loads and powers up, or it is refused with a sentence.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.hpp"
#include "sim/blueprint.hpp"
#include "sim/devices.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace heddle;
  const std::string_view all(reinterpret_cast<const char*>(bytes), size);
  // What stands behind the mark is the other file, whatever it is asked for as.
  constexpr std::string_view kMark = "%%%";
  const std::size_t mark = all.find(kMark);
  const std::string_view text = all.substr(0, mark);
  const sim::NamedText other{"other",
                             std::string(mark == all.npos ? "" : all.substr(mark + kMark.size()))};
  sim::OtherFiles others;
  others.included = [&](std::string_view, std::string_view) -> base::Result<sim::NamedText> {
    return other;
  };
  others.system_definitions = [&]() -> base::Result<std::vector<sim::NamedText>> {
    return std::vector{other};
  };
  auto parsed = sim::parse_fabric_file(text, "fuzz", others);
  if (!parsed) {
    HEDDLE_CHECK(!parsed.error().message.empty());
    return 0;
  }
  HEDDLE_CHECK(!parsed->nodes.empty());
  const std::size_t cables = parsed->cables.size();
  // Powering up checks every port and cable; all trained links are up at both ends.
  const sim::Devices devices(std::move(*parsed));
  HEDDLE_CHECK(devices.cables.size() == cables);
  for (const sim::Cable& cable : devices.cables) {
    HEDDLE_CHECK(devices.lines[cable.a].state == devices.lines[cable.b].state);
  }
  return 0;
}
