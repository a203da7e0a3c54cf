// SPDX-License-Identifier: BSD-3-Clause
// Puts the lines of a fabric file together: nodes with their registers, cables confirmed from both
// ends or completed from one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "sim/blueprint.hpp"
#include "sim/fabric_lines.hpp"

namespace heddle::sim {

class FabricAssembly {
 public:
  explicit FabricAssembly(std::string_view title);

  // Lines come in the order of the file, numbered from 1.
  base::Result<> add(const FabricLine& line, unsigned number);

  bool has_nodes() const { return !blueprint_.nodes.empty(); }

  base::Result<Blueprint> finish() &&;

 private:
  using End = std::pair<std::uint32_t, std::uint8_t>;  // node, port

  // What one line claims about the port it stands for.
  struct Claim {
    End here;
    std::string peer;
    End there{};
    unsigned line = 0;
    std::optional<Width> width;
    std::optional<Speed> speed;
    bool used = false;
  };

  base::Result<> add_key(const KeyLine& key);
  base::Result<> add_node(const NodeLine& node, unsigned number);
  base::Result<> add_port(const PortLine& port, unsigned number);
  base::Result<> resolve_peers();
  base::Result<> add_implied(Claim& claim);
  void cable_confirmed();
  void complete_one_sided();
  void lay(Claim& claim, const Claim* confirming);
  void finish_nodes();
  void read_facts(const PortLine& port, unsigned number);
  void note_lid(PlannedPort& port, std::optional<std::uint64_t> lid,
                std::optional<std::uint64_t> lmc, unsigned number);
  PlannedPort& planned_port(std::uint32_t node, std::uint8_t port);
  std::string at(unsigned number, std::string_view what) const;
  void warn(unsigned number, std::string_view what);
  std::string port_name(const End& end) const;

  std::string title_;
  Blueprint blueprint_;
  std::map<std::string, std::uint32_t, std::less<>> by_id_;
  std::vector<unsigned> header_lines_;  // by node; 0 for implied ones
  std::vector<Claim> claims_;           // in the order of the file
  std::map<End, std::size_t> claim_at_;
  // What a peer's line says of a port, for ports that say nothing themselves.
  struct Hearsay {
    std::string id;
    std::uint8_t port = 0;
    std::optional<std::uint64_t> guid;
    std::optional<std::uint64_t> lid;
    unsigned line = 0;
  };
  std::vector<Hearsay> hearsay_;
  std::vector<std::pair<std::string_view, KeyLine>> keys_;  // since the last header
  std::size_t suppressed_ = 0;
  // Adapters that are down have LID 65535 in hundreds: told once.
  std::string first_bad_lid_;
  std::size_t bad_lids_ = 0;
};

}  // namespace heddle::sim
