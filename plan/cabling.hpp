// SPDX-License-Identifier: BSD-3-Clause
// The cables that lie against those that were meant: missing ones, extra ones, and those that were
// plugged in the wrong place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "mad/types.hpp"
#include "plan/finding.hpp"
#include "plan/inventory.hpp"

namespace heddle::plan {

// What was meant. It may come from another fabric's picture or from a list with nothing but names.
struct CablingPlan {
  struct Device {
    std::string name;         // as written: a name, a description, or a GUID in hexadecimal
    std::string key;          // what its own file calls it; empty: the same
    std::string description;  // empty: only the name is known
    mad::Guid guid{};         // 0: not known
  };
  struct End {
    std::uint32_t device = 0;  // index into devices
    std::uint8_t port = 0;     // 1..254
  };
  struct Cable {
    End a;
    End b;
    Rate rate{};        // as far as it is said
    unsigned line = 0;  // of the plan
  };
  std::string title;
  std::vector<Device> devices;
  std::vector<Cable> cables;
};

CablingPlan as_plan(const Inventory& inventory);

// The CSV of `heddle sim export --format cabling`: a heading, then start device, start port, end
// device, end port, and if there are such columns width, speed and line of text. Columns are found
// by their names, whatever their order; fields may be in quotes. Errors name `title` and line.
base::Result<CablingPlan> parse_cabling_csv(std::string_view text, std::string_view title);

// What `heddle sim export --format json` writes; of it only "nodes" (name, description, guid) and
// "cables" (a, b: node and port; width and speed) count, and nodes may be missing.
base::Result<CablingPlan> parse_cabling_json(std::string_view text, std::string_view title);

// "4x" or "4" and "HDR"; unknown for anything else.
Rate parse_rate(std::string_view width, std::string_view speed);

enum class Match : std::uint8_t {
  Auto,
  Guid,
  Name
};  // Auto: by GUID, and by name where that fails

// Devices of the plan are found in the fabric by GUID, name or description (descriptions and names
// only where one node has them). Each port with a cable that the plan has not, or without one that
// it has, is in exactly one finding:
//   missing       planned, and nothing in either port
//   extra         not planned, and neither port is in the plan
//   swapped       two cables that exchanged their ends
//   rotated       the same with more than two
//   moved         a cable of which one end is in another port than planned
//   tangled       what is none of these: a chain of cables that took each other's ports
//   slow          planned faster than it runs
//   unknown       the plan names a device, or a port of one, that is not in the fabric
//   not-in-plan   devices of the fabric that the plan has not (info)
void check_cabling(const Inventory& fabric, const CablingPlan& plan, Match match,
                   Findings& findings);

}  // namespace heddle::plan
