// SPDX-License-Identifier: BSD-3-Clause
#include "app/routing_files.hpp"

#include <utility>

#include "store/text_file.hpp"

namespace heddle::app {
namespace {

base::Result<std::vector<mad::Guid>> read_guid_list(const std::filesystem::path& file) {
  const auto content = store::TextFile(file, "list of GUIDs").read_named();
  if (!content) return content.error();
  return routing::parse_guid_list(content->text, file.string());
}

template <class Value>
using ParseLines = base::Result<std::vector<Value>> (*)(std::string_view, std::string_view);

template <class Value, ParseLines<Value> kParse>
base::Result<std::vector<Value>> read_lines(const std::filesystem::path& file) {
  const auto content = store::TextFile(file, "list of ports or switches").read_named();
  if (!content) return content.error();
  return kParse(content->text, file.string());
}

// It is understood when routes are computed, since it speaks of ports.
base::Result<std::shared_ptr<const routing::TableFile>> read_tables(
    const std::filesystem::path& file) {
  auto content = store::TextFile(file, "forwarding tables").read_named();
  if (!content) return content.error();
  return std::make_shared<const routing::TableFile>(
      routing::TableFile{file.string(), std::move(content->text)});
}

// What the file says, if one is named; on trouble what it said before.
template <class Value, class Read>
void refresh(const std::string& file, std::vector<base::Error>& refused, Value& kept,
             const Read& read) {
  if (file.empty()) {
    kept = {};
    return;
  }
  auto value = read(std::filesystem::path(file));
  if (value) {
    kept = std::move(*value);
    return;
  }
  refused.push_back(value.error());
}

base::Result<routing::TorusFile> read_torus_file(const std::filesystem::path& file) {
  const auto content = store::TextFile(file, "torus file").read_named();
  if (!content) return content.error();
  return routing::parse_torus_file(content->text, file.string());
}

}  // namespace

void RoutingFiles::read(const config::Config& config, Log& log, routing::Options& options) {
  const std::string instead =
      "What this file said when it was last right holds on; if it never was, nothing";
  troubles_.clear();
  for (const base::Error& refused : read(config, options)) {
    log.say(sm::Severity::Error, "RoutingFileRefused", refused.message);
    log.say(sm::Severity::Error, "RoutingFileKept", instead);
    troubles_.push_back(refused.message + " (" + instead + ")");
  }
}

std::vector<base::Error> RoutingFiles::read(const config::Config& config,
                                            routing::Options& options) {
  std::vector<base::Error> refused;
  refresh(config.torus_config, refused, torus_, &read_torus_file);
  refresh(config.root_guid_file, refused, roots_, &read_guid_list);
  refresh(config.lft_file, refused, tables_, &read_tables);
  refresh(config.lid_matrix_file, refused, lid_matrix_, &read_tables);
  refresh(config.guid_routing_order_file, refused, order_, &read_guid_list);
  refresh(config.cn_guid_file, refused, compute_, &read_guid_list);
  refresh(config.io_guid_file, refused, io_, &read_guid_list);
  refresh(config.ids_guid_file, refused, ids_,
          &read_lines<routing::SwitchId, &routing::parse_switch_ids>);
  refresh(config.hop_weights_file, refused, weights_,
          &read_lines<routing::HopWeight, &routing::parse_hop_weights>);
  refresh(config.port_prof_ignore_file, refused, uncounted_,
          &read_lines<routing::SwitchPort, &routing::parse_switch_ports>);
  options.switch_ids = ids_;
  options.torus = torus_;
  options.tables = tables_;
  options.lid_matrix = lid_matrix_;
  options.routing_order = order_;
  options.compute_guids = compute_;
  options.io_guids = io_;
  options.hop_weights = weights_;
  options.uncounted_ports = uncounted_;
  options.root_guids.insert(options.root_guids.end(), roots_.begin(), roots_.end());
  return refused;
}

}  // namespace heddle::app
