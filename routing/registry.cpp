// SPDX-License-Identifier: BSD-3-Clause
#include "routing/auto.hpp"
#include "routing/dfsssp.hpp"
#include "routing/dnup.hpp"
#include "routing/dor.hpp"
#include "routing/dragonfly.hpp"
#include "routing/dragonfly_plus.hpp"
#include "routing/engine.hpp"
#include "routing/file_tables.hpp"
#include "routing/ftree.hpp"
#include "routing/hyperx.hpp"
#include "routing/lash.hpp"
#include "routing/minhop.hpp"
#include "routing/nue.hpp"
#include "routing/sssp.hpp"
#include "routing/torus_qos.hpp"
#include "routing/updn.hpp"
#include "routing/weave.hpp"

namespace heddle::routing {

// All of b's by name: who adds one is told here.
bool operator==(const Options& a, const Options& b) {
  const auto& [roots, torus, ids, tables, matrix, order, weights, uncounted, compute, io, shifting,
               scatter, avoid] = b;
  const auto same = [](const auto& one, const auto& other) {
    return one == other || (one && other && *one == *other);
  };
  return same(a.tables, tables) && same(a.lid_matrix, matrix) && a.root_guids == roots &&
         a.switch_ids == ids && a.torus == torus && a.routing_order == order &&
         a.hop_weights == weights && a.uncounted_ports == uncounted && a.compute_guids == compute &&
         a.io_guids == io && a.port_shifting == shifting && a.scatter_ports == scatter &&
         a.avoid_throttled_links == avoid;
}

const std::vector<const Engine*>& engines() {
  static const Auto automatic;
  static const MinHop minhop;
  static const UpDown updn;
  static const DownUp dnup;
  static const FatTree ftree;
  static const DimensionOrder dor;
  static const TorusQos torus;
  static const HyperX hyperx;
  static const Dragonfly dragonfly;
  static const DragonflyPlus dragonfly_plus;
  static const FileTables file;
  static const Sssp sssp;
  static const Dfsssp dfsssp;
  static const Lash lash;
  static const Nue nue;
  static const Weave weave;
  static const std::vector<const Engine*> all{
      &automatic, &minhop,         &updn, &dnup,   &ftree, &dor, &torus, &hyperx,
      &dragonfly, &dragonfly_plus, &sssp, &dfsssp, &lash,  &nue, &weave, &file};
  return all;
}

const Engine* find_engine(std::string_view name) {
  for (const Engine* engine : engines()) {
    if (engine->name() == name) return engine;
  }
  return nullptr;
}

}  // namespace heddle::routing
