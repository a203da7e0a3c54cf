// SPDX-License-Identifier: BSD-3-Clause
// Puts the lines of a fabric file together: nodes with their registers, cables confirmed from both
// ends or completed from one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "sim/blueprint.hpp"
#include "sim/fabric_lines.hpp"
#include "sim/fabric_notes.hpp"

namespace heddle::sim {

class FabricAssembly {
 public:
  explicit FabricAssembly(std::string_view title) : notes_(title) {}

  void add_key(const KeyLine& key);
  // Lines come in the order of the file; those of an included file stand where it is included.
  base::Result<> add(const FabricLine& line, Place place);

  FabricNotes& notes() { return notes_; }
  bool has_nodes() const { return !nodes_.empty(); }

  base::Result<Blueprint> finish() &&;

 private:
  using End = std::pair<std::uint32_t, std::uint8_t>;  // node, port

  // What one line claims about the port it stands for.
  struct Claim {
    End here;
    std::string peer;
    End there{};
    Place place;
    std::optional<Width> width;
    std::optional<Speed> speed;
    bool used = false;
  };
  // What a peer's line says of a port, for ports that say nothing themselves.
  struct Hearsay {
    std::uint32_t node = 0;
    std::uint8_t port = 0;
    std::optional<std::uint64_t> guid;
    std::optional<std::uint64_t> lid;
    Place place;
    std::string description = {};
  };
  // GUIDs for nodes of one type that have none of their own, as ibsim counts them.
  struct GuidSeries {
    std::uint64_t base = 0;
    std::uint64_t next = 0;
    bool is_fresh = false;  // set since the last node of its type
    std::optional<std::uint64_t> port0;
  };

  base::Result<> add_node(const NodeLine& line, Place place);
  base::Result<> add_port(const PortLine& line, Place place);
  // What a dump says again of a node or port it has described: the fabric moved meanwhile, or two
  // dumps stand in one file. An error in files that people write.
  base::Result<> take_node_again(const NodeLine& line, std::uint32_t node, Place place);
  base::Result<> take_port_again(const PortLine& line, End here, std::size_t first, Place place);
  base::Result<> add_alias(const PortLine& line, End here, Place place);
  // The GUID of port 0, where the file says one.
  std::optional<std::uint64_t> take_guid(PlannedNode& node, std::string_view id);
  void note_rate(Claim& claim, const PortLine& line);
  std::string scoped(std::string_view id) const;

  base::Result<> resolve_peers();
  base::Result<> add_implied(Claim& claim, const Hearsay& said);
  // A cable to what is no node: open.
  bool leads_nowhere(Claim& claim, Hearsay& said);
  void cable_confirmed();
  void complete_one_sided();
  void lay(Claim& claim, const Claim* confirming);
  void finish_nodes();
  void note_lid(PlannedPort& port, std::optional<std::uint64_t> lid,
                std::optional<std::uint64_t> lmc, Place place);
  PlannedPort& planned_port(std::uint32_t node, std::uint8_t port);
  std::string port_name(const End& end) const;
  base::Error wrong(Place place, std::string_view what) const {
    return base::error(notes_.at(place, what));
  }

  FabricNotes notes_;
  std::vector<PlannedNode> nodes_;
  std::vector<PlannedCable> cables_;
  std::map<std::string, std::uint32_t, std::less<>> by_id_;
  std::map<std::string, End, std::less<>> aliases_;
  std::vector<Place> headers_;            // by node; line 0 for implied ones
  std::vector<Claim> claims_;             // in the order of the file
  std::map<End, std::size_t> claim_at_;   // the first of each port
  std::map<End, std::size_t> contested_;  // ports of which others say something else: the last
  std::set<End> plugged_;                 // ports with a cable
  std::set<std::string, std::less<>> unknown_;      // nodes of no known kind
  bool is_skipping_ = false;                        // port lines, as they are about such a node
  std::size_t implied_ = 0;                         // nodes that others name
  std::uint32_t current_ = 0;                       // the node that port lines are about
  std::vector<Hearsay> hearsay_;                    // one for each claim
  std::optional<std::uint64_t> system_image_guid_;  // of the next header
  std::uint32_t vendor_id_ = 0;                     // these two hold until they are said anew
  std::uint16_t device_id_ = 0;
  std::map<mad::NodeType, GuidSeries> series_;
  EnabledBits settings_;
  std::string module_;
  // Adapters that are down have LID 65535 in hundreds: told once.
  std::string first_bad_lid_;
  std::size_t bad_lids_ = 0;
  // Cables of which the file says no rate, as it does of others.
  std::string first_guess_;
  std::size_t guesses_ = 0;
};

}  // namespace heddle::sim
