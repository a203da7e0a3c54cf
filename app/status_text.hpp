// SPDX-License-Identifier: BSD-3-Clause
// Answers of the API as a person reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace heddle::app {

using Json = nlohmann::ordered_json;

// /v1/status, on one screen.
std::string status_text(const Json& status);

// One event as a line: time, level, sentence.
std::string event_text(const Json& event);

// /v1/path, one line for each cable.
std::string path_text(const Json& path);

// /v1/explain/...: each question once, its answers below it.
std::string answers_text(const Json& explained);

// What `heddle show` knows to show as rows.
struct Listing {
  std::string_view what;    // "nodes"
  std::string_view target;  // "/v1/nodes"
  std::string_view list;    // where the rows are in the answer: "/nodes"
  // Of a table and of CSV: a heading and where the cell is in a row.
  struct Column {
    std::string_view heading, cell;
  };
  std::vector<Column> columns;
};
// Null when there is none of that name.
const Listing* find_listing(std::string_view what);
std::vector<std::string> listing_names();

std::string table_text(const Listing& listing, const Json& answer);
// RFC 4180, with a heading.
std::string csv_text(const Listing& listing, const Json& answer);

}  // namespace heddle::app
