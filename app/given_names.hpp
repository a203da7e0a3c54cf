// SPDX-License-Identifier: BSD-3-Clause
// What the subnet manager tells, with the names that somebody has given to nodes. What it does, and
// what it answers to clients, goes by the names that nodes have themselves.
#pragma once

#include <memory>
#include <string>

#include "app/kept_file.hpp"
#include "app/logging.hpp"
#include "app/node_names.hpp"
#include "config/config.hpp"
#include "sm/events.hpp"
#include "sm/snapshot.hpp"

namespace heddle::app {

void rename_nodes(const NodeNames& names, sm::Event& event);

// The same snapshot if nobody in it has another name. Else a copy: its topology has other names,
// and what subnet administration answers from has not.
std::shared_ptr<const sm::Snapshot> with_names(const NodeNames& names,
                                               std::shared_ptr<const sm::Snapshot> snapshot);

// The file that the configuration names, read again whenever the configuration is.
class NodeNamesFile {
 public:
  // Null when there is none. A broken or unreadable file is logged and changes nothing.
  std::shared_ptr<const NodeNames> read(const config::Config& config, Log& log);
  // As of KeptFile.
  const std::string& trouble() const { return file_.trouble(); }

 private:
  KeptFile<NodeNames> file_;
};

}  // namespace heddle::app
