// SPDX-License-Identifier: BSD-3-Clause
// Tables from a file, as OpenSM's engine of that name takes them.
#pragma once

#include "routing/engine.hpp"

namespace heddle::routing {

// The tables of Options::tables, an opensm-lfts.dump. LIDs are known by the port GUIDs beside them,
// so the dump's need not be those of now. What the dump does not say goes by the hop counts of
// Options::lid_matrix, spread over the ports with the fewest, and the rest as minhop would have it;
// notes count both. Like all tables these are proven before they are used.
class FileTables : public Engine {
 public:
  std::string_view name() const override { return "file"; }
  std::string_view summary() const override {
    return "the tables or hop counts of a file (routing.lft_file, routing.lid_matrix_file)";
  }
  // An error without any file, or if it cannot be understood: then with the number of the line.
  base::Result<Routes> route(const Request& request) const override;
};

}  // namespace heddle::routing
