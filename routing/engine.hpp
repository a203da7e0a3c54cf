// SPDX-License-Identifier: BSD-3-Clause
// A routing engine is a pure function from a topology, its LIDs and options to forwarding tables.
// It knows nothing of MADs or devices, and its result is proven by fabric/verification before it
// may be programmed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "base/result.hpp"
#include "fabric/forwarding_tables.hpp"
#include "fabric/lanes.hpp"
#include "fabric/lid_map.hpp"
#include "fabric/topology.hpp"
#include "routing/option_files.hpp"
#include "routing/torus_file.hpp"

namespace heddle::routing {

// A file as it was read.
struct TableFile {
  std::string name;  // for errors
  std::string text;
  friend bool operator==(const TableFile&, const TableFile&) = default;
};

// What is about ports names them as they are in the fabric; who is not there means nothing.
struct Options {
  // Roots of the tree for updn, as node GUIDs; empty: found from the topology.
  std::vector<mad::Guid> root_guids;
  // What torus-2QoS shall take for x, y and z; nothing: found from the topology.
  std::optional<TorusFile> torus;
  // updn: what switches of equal distance from the roots are ordered by, where it is not the GUID.
  std::vector<SwitchId> switch_ids;
  // Files of the engine "file": forwarding tables (an opensm-lfts.dump) and hop counts (an
  // opensm-lid-matrix.dump); null: none. Shared, as they may be large.
  std::shared_ptr<const TableFile> tables, lid_matrix;
  // minhop, updn, dnup: port GUIDs whose LIDs are dealt to ports before all others, in this order.
  std::vector<mad::Guid> routing_order;
  // minhop: what hops count for.
  std::vector<HopWeight> hop_weights;
  // minhop, updn, dnup: ports that count as empty, whatever they have been given.
  std::vector<SwitchPort> uncounted_ports;
  // ftree, sssp, dfsssp: port GUIDs of hosts that are spread apart from the others, class by class.
  std::vector<mad::Guid> compute_guids, io_guids;
  // minhop, updn, dnup: of equal ports each destination switch begins with another one, ...
  bool port_shifting = false;
  // ... or one is drawn for each LID, with this seed; 0: the one that carries least.
  std::uint32_t scatter_ports = 0;
  // A link that is slower than its ends can do (Channel::slowness) gets so much less to carry.
  bool avoid_throttled_links = false;
  friend bool operator==(const Options&, const Options&);
};

// Everything an engine may look at. All references outlive the call.
struct Request {
  const fabric::Topology& topology;
  const fabric::LidMap& lids;
  const Options& options;
  // What runs the engine's independent parts; the result must not depend on it.
  base::ParallelFor parallel = base::inline_for;
  // Data VLs that every link between switches has, 1..15; an engine may use fewer.
  unsigned data_vls = 1;
  // Whether an answer may ride the service level of its request: then what is free of credit loops
  // must be so with the levels of both directions on each way. (A connection's passive side uses
  // the level it is told; levels that are the same both ways are always right.)
  bool cover_replies = true;
};

struct Routes {
  std::string engine;  // the name of the engine that made them
  fabric::ForwardingTables tables;
  // What the operator should know: roots chosen, ranks, what was unusual about the fabric.
  std::vector<std::string> notes;
  fabric::Lanes lanes = {};  // if not set: one VL for all
};

class Engine {
 public:
  virtual ~Engine() = default;
  // As written in --routing.
  virtual std::string_view name() const = 0;
  // One line for --help.
  virtual std::string_view summary() const = 0;
  // Deterministic: equal requests give equal bytes. An error says why this fabric is not for this
  // engine; a fabric in several islands is not an error.
  virtual base::Result<Routes> route(const Request& request) const = 0;
};

// All engines, in the order --help lists them. The pointers live as long as the program.
const std::vector<const Engine*>& engines();

// Null when there is no engine of that name.
const Engine* find_engine(std::string_view name);

}  // namespace heddle::routing
