// SPDX-License-Identifier: BSD-3-Clause
#include "app/status_text.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/text.hpp"

namespace heddle::app {
namespace {

constexpr std::size_t kMostLines = 8;  // of one list in the status

std::string row(std::string_view name, std::string_view text) {
  return fmt::format("  {:<9} {}\n", name, text);
}

const Json& at(const Json& json, std::string_view pointer) {
  static const Json kNothing;
  const Json::json_pointer place{std::string(pointer)};
  return json.contains(place) ? json[place] : kNothing;
}

std::uint64_t number(const Json& json, std::string_view pointer) {
  const Json& found = at(json, pointer);
  return found.is_number() ? found.get<std::uint64_t>() : 0;
}

double real(const Json& json, std::string_view pointer) {
  const Json& found = at(json, pointer);
  return found.is_number() ? found.get<double>() : 0;
}

std::string word(const Json& json, std::string_view pointer) {
  const Json& found = at(json, pointer);
  if (found.is_string()) return found.get<std::string>();
  if (found.is_null()) return "-";
  if (!found.is_array()) return found.dump();
  std::string out;
  for (const Json& each : found) {
    out += (out.empty() ? "" : " ") + (each.is_string() ? each.get<std::string>() : each.dump());
  }
  return out.empty() ? "-" : out;
}

std::string end_text(const Json& json, std::string_view pointer) {
  const Json& end = at(json, pointer);
  return end.is_null() ? "nowhere" : word(end, "/node") + "/" + word(end, "/port");
}

std::string list_text(std::string_view name, const std::vector<std::string>& lines) {
  std::string out;
  for (std::size_t i = 0; i < lines.size() && i < kMostLines; ++i) {
    out += row(i == 0 ? name : "", lines[i]);
  }
  if (lines.size() > kMostLines) {
    out += row("", fmt::format("and {} more", with_commas(lines.size() - kMostLines)));
  }
  return out;
}

std::string seconds_text(double seconds) {
  return short_duration(
      std::chrono::duration_cast<base::Duration>(std::chrono::duration<double>(seconds)));
}

std::string manager_text(const Json& status) {
  return fmt::format("{}, priority {}, at {}, up {}{}", word(status, "/sm/state"),
                     number(status, "/sm/priority"), end_text(status, "/sm/at"),
                     seconds_text(real(status, "/uptime_seconds")),
                     at(status, "/sm/sweeping") == true ? ", sweeping" : "");
}

std::string fabric_text(const Json& fabric) {
  std::string out =
      row("Fabric",
          fmt::format(
              "{}, {}, {}", counted(number(fabric, "/switches"), "switch", "switches"),
              counted(number(fabric, "/channel_adapters"), "channel adapter", "channel adapters"),
              counted(number(fabric, "/links"), "link", "links")));
  std::string ports = with_commas(number(fabric, "/ports_active")) + " ACTIVE";
  if (const auto idle = number(fabric, "/ports_not_active")) {
    ports += fmt::format(", {} have a link and are not", with_commas(idle));
  }
  out += row("Ports", ports);
  out += row("LIDs", fmt::format("{} in use, LMC {}", with_commas(number(fabric, "/lids")),
                                 number(fabric, "/lmc")));
  if (at(fabric, "/routing").is_null()) return out;
  const bool free = at(fabric, "/routing/deadlock_free") == true;
  return out +
         row("Routing", fmt::format("{}, at most {}, {}", word(fabric, "/routing/engine"),
                                    counted(number(fabric, "/routing/most_hops"), "hop", "hops"),
                                    free ? "no credit loop" : "A CREDIT LOOP IS POSSIBLE"));
}

std::string sweep_text(const Json& status) {
  const Json& sweep = at(status, "/last_sweep");
  if (sweep.is_null()) return "none yet";
  return fmt::format("number {} at {}, {}, {} Get, {} Set, {} unanswered ({})",
                     number(sweep, "/number"), word(sweep, "/finished"),
                     seconds_text(real(sweep, "/seconds")), with_commas(number(sweep, "/gets")),
                     with_commas(number(sweep, "/sets")), with_commas(number(sweep, "/unanswered")),
                     word(sweep, "/reason"));
}

// Those that an order took out, or the others.
std::vector<std::string> lost_lines(const Json& status, bool ordered) {
  std::vector<std::string> lines;
  for (const Json& link : at(status, "/lost_links")) {
    if ((at(link, "/ordered") == true) != ordered) continue;
    lines.push_back(fmt::format("{} - {} since {}{}", end_text(link, "/a"), end_text(link, "/b"),
                                word(link, "/since"),
                                at(link, "/between_switches") == true ? "" : " (a host's)"));
  }
  return lines;
}

std::vector<std::string> peer_lines(const Json& status) {
  std::vector<std::string> lines;
  for (const Json& peer : at(status, "/sm/peers")) {
    lines.push_back(
        fmt::format("{} at {}, priority {}, GUID {}{}", word(peer, "/state"), end_text(peer, "/at"),
                    number(peer, "/priority"), word(peer, "/guid"),
                    at(peer, "/takes_part") == false ? ", not one of allowed_sm_guids" : ""));
  }
  return lines;
}

// No more digits than a person reads.
std::string short_word(const Json& json, std::string_view pointer) {
  const Json& found = at(json, pointer);
  if (!found.is_number_float()) return word(json, pointer);
  std::string text = fmt::format("{:.4f}", found.get<double>());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::vector<std::vector<std::string>> cells(const Listing& listing, const Json& answer,
                                            bool for_people) {
  std::vector<std::vector<std::string>> rows;
  for (const Json& each : at(answer, listing.list)) {
    auto& line = rows.emplace_back();
    for (const auto& column : listing.columns) {
      line.push_back(for_people ? short_word(each, column.cell) : word(each, column.cell));
    }
  }
  return rows;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::vector<Listing> fabric_listings() {
  return {
      {"nodes",
       "/v1/nodes",
       "/nodes",
       {{"NAME", "/name"},
        {"TYPE", "/type"},
        {"GUID", "/guid"},
        {"LIDS", "/lids"},
        {"PORTS", "/ports"},
        {"LINKED", "/linked_ports"}}},
      {"links",
       "/v1/links",
       "/links",
       {{"NODE", "/a/node"},
        {"PORT", "/a/port"},
        {"PEER", "/b/node"},
        {"PEER PORT", "/b/port"},
        {"WIDTH", "/width"},
        {"SPEED", "/speed"},
        {"STATE", "/state"}}},
      {"ports",
       "/v1/ports",
       "/ports",
       {{"NODE", "/node"},
        {"PORT", "/port"},
        {"GUID", "/port_guid"},
        {"LID", "/lid"},
        {"STATE", "/state"},
        {"PHYSICAL", "/physical_state"},
        {"WIDTH", "/width"},
        {"SPEED", "/speed"},
        {"PEER", "/peer/node"},
        {"PEER PORT", "/peer/port"},
        {"USED", "/utilisation"},
        {"ERRORS", "/errors"}}},
      {"routes",
       "/v1/routes?switch=",
       "/routes",
       {{"LID", "/lid"},
        {"OWNER", "/owner/node"},
        {"OUT PORT", "/port"},
        {"TO", "/to/node"},
        {"PORT THERE", "/to/port"}}},
      {"partitions",
       "/v1/partitions",
       "/partitions",
       {{"P_KEY", "/p_key"},
        {"NAME", "/name"},
        {"SL", "/service_level"},
        {"IPOIB", "/ipoib"},
        {"FULL", "/full_members"},
        {"LIMITED", "/limited_members"}}},
      {"groups",
       "/v1/groups",
       "/groups",
       {{"MGID", "/mgid"},
        {"MLID", "/mlid"},
        {"P_KEY", "/p_key"},
        {"MTU", "/mtu"},
        {"SL", "/service_level"},
        {"MEMBERS", "/member_count"},
        {"PERMANENT", "/permanent"}}},
  };
}

std::vector<Listing> virtual_listings() {
  return {
      {"virtual-ports",
       "/v1/virtual-ports",
       "/virtual_ports",
       {{"NODE", "/node"},
        {"PORT", "/port"},
        {"INDEX", "/index"},
        {"NAME", "/name"},
        {"GUID", "/port_guid"},
        {"LID", "/lid"},
        {"OWN LID", "/own_lid"},
        {"P_KEYS", "/p_keys"}}},
  };
}

std::vector<Listing::Column> error_columns() {
  std::vector<Listing::Column> columns{{"NODE", "/node"}, {"PORT", "/port"}};
  constexpr std::pair<const char*, const char*> kCounters[] = {
      {"SYMBOL", "/counters/symbol_error/total"},
      {"RECOVERED", "/counters/link_error_recovery/total"},
      {"DOWNED", "/counters/link_downed/total"},
      {"RECEIVE", "/counters/receive_errors/total"},
      {"REMOTE", "/counters/receive_remote_physical_errors/total"},
      {"DISCARDED", "/counters/transmit_discards/total"},
      {"INTEGRITY", "/counters/local_link_integrity_errors/total"},
      {"OVERRUN", "/counters/excessive_buffer_overrun_errors/total"},
      {"VL15", "/counters/vl15_dropped/total"},
  };
  for (const auto& [heading, cell] : kCounters) columns.push_back({heading, cell});
  columns.push_back({"TOO FAST", "/exceeded"});
  return columns;
}

std::vector<Listing> counter_listings() {
  return {
      {"errors", "/v1/counters?only=errors", "/ports", error_columns()},
      {"counters",
       "/v1/counters",
       "/ports",
       {{"NODE", "/node"},
        {"PORT", "/port"},
        {"SENT BYTES", "/counters/transmit_data_bytes/total"},
        {"RECEIVED BYTES", "/counters/receive_data_bytes/total"},
        {"SENT PACKETS", "/counters/transmit_packets/total"},
        {"RECEIVED PACKETS", "/counters/receive_packets/total"},
        {"WAITED", "/counters/transmit_wait/total"},
        {"USED", "/utilisation"},
        {"ERRORS", "/errors"}}},
      {"load",
       "/v1/links/load",
       "/links",
       {{"NODE", "/a/node"},
        {"PORT", "/a/port"},
        {"PEER", "/b/node"},
        {"PEER PORT", "/b/port"},
        {"GBIT/S", "/gigabits"},
        {"USED", "/utilisation"},
        {"USED BACK", "/utilisation_back"},
        {"HOT", "/hot"},
        {"ERRORS", "/errors"},
        {"TOO FAST", "/exceeded"}}},
  };
}

std::vector<Listing> care_listings() {
  return {
      {"health",
       "/v1/links/health",
       "/findings",
       {{"NODE", "/a/node"},
        {"PORT", "/a/port"},
        {"PEER", "/b/node"},
        {"PEER PORT", "/b/port"},
        {"CONDITIONS", "/conditions"},
        {"COUNTERS", "/counters"},
        {"ACTION", "/action"},
        {"STATE", "/state"}}},
      {"orders",
       "/v1/links/health",
       "/orders",
       {{"NODE", "/node"},
        {"PORT", "/port"},
        {"ORDER", "/order"},
        {"CARRIED OUT", "/carried_out"},
        {"REFUSAL", "/refusal"}}},
      {"congestion",
       "/v1/congestion",
       "/agents",
       {{"NODE", "/node"},
        {"PORT", "/port"},
        {"KIND", "/kind"},
        {"STATE", "/state"},
        {"WRITES", "/writes"},
        {"EVENTS", "/events"},
        {"WHY", "/why"}}},
      {"congestion-log",
       "/v1/congestion",
       "/flows",
       {{"LOGGED BY", "/logged_by/node"},
        {"FROM", "/from/node"},
        {"FROM LID", "/from_lid"},
        {"TO", "/to/node"},
        {"TO LID", "/to_lid"},
        {"SL", "/service_level"},
        {"TIME STAMP", "/time_stamp"}}},
  };
}

std::vector<Listing> manager_listings() {
  return {
      {"peers",
       "/v1/sm",
       "/peers",
       {{"GUID", "/guid"},
        {"STATE", "/state"},
        {"PRIORITY", "/priority"},
        {"NODE", "/at/node"},
        {"PORT", "/at/port"}}},
      {"talkers",
       "/v1/sa/load",
       "/talkers",
       {{"NODE", "/node"}, {"LID", "/lid"}, {"REQUESTS", "/requests"}, {"PUT OFF", "/put_off"}}},
      {"sweeps",
       "/v1/sweeps",
       "/sweeps",
       {{"NUMBER", "/number"},
        {"FINISHED", "/finished"},
        {"FULL", "/full"},
        {"SECONDS", "/seconds"},
        {"GET", "/gets"},
        {"SET", "/sets"},
        {"UNANSWERED", "/unanswered"},
        {"REASON", "/reason"}}},
      {"events",
       "/v1/events",
       "/events",
       {{"NUMBER", "/number"},
        {"TIME", "/time"},
        {"LEVEL", "/level"},
        {"EVENT", "/event"},
        {"MESSAGE", "/message"}}},
  };
}

std::span<const Listing> listings() {
  static const std::vector<Listing> table = [] {
    std::vector<Listing> all = fabric_listings();
    for (Listing& listing : virtual_listings()) all.push_back(std::move(listing));
    for (Listing& listing : counter_listings()) all.push_back(std::move(listing));
    for (Listing& listing : care_listings()) all.push_back(std::move(listing));
    for (Listing& listing : manager_listings()) all.push_back(std::move(listing));
    return all;
  }();
  return table;
}

}  // namespace

std::string status_text(const Json& status) {
  std::vector<std::string> reasons;
  for (const Json& reason : at(status, "/reasons")) reasons.push_back(reason.get<std::string>());
  std::string out = word(status, "/verdict") + ".\n";
  out += list_text("Because", reasons);
  out += row("On", word(status, "/on"));
  out += row("Manager", manager_text(status));
  out += list_text("Peers", peer_lines(status));
  if (!at(status, "/fabric").is_null()) out += fabric_text(at(status, "/fabric"));
  out += row("Sweep", sweep_text(status));
  out += list_text("Lost", lost_lines(status, false));
  return out + list_text("Taken out", lost_lines(status, true));
}

std::string event_text(const Json& event) {
  return fmt::format("{} {:<7} {} [{}]\n", word(event, "/time"), word(event, "/level"),
                     word(event, "/message"), word(event, "/event"));
}

std::string path_text(const Json& path) {
  std::string out = fmt::format("From {} (LID {}) to {} (LID {})\n", end_text(path, "/from"),
                                word(path, "/from/lid"), end_text(path, "/to"), word(path, "/lid"));
  for (const Json& hop : at(path, "/hops")) {
    out += fmt::format("  {} -> {}  VL {}\n", end_text(hop, "/out"), end_text(hop, "/in"),
                       number(hop, "/vl"));
  }
  const Json& record = at(path, "/path_record");
  out += record.is_null()
             ? fmt::format("Service level {}; clients are told of no path\n",
                           number(path, "/service_level"))
             : fmt::format("Clients are told: service level {}, P_Key {}, MTU {}, {} Gb/s\n",
                           number(record, "/service_level"), word(record, "/p_key"),
                           word(record, "/mtu"), word(record, "/gigabits"));
  if (at(path, "/arrives") == true) return out;
  return out + "PACKETS DO NOT ARRIVE: " + word(path, "/trouble") + "\n";
}

std::string answers_text(const Json& explained) {
  std::string out, asked;
  for (const Json& each : at(explained, "/answers")) {
    const std::string question = word(each, "/question");
    if (question != asked) out += question + "\n";
    asked = question;
    out += "  " + word(each, "/answer") + "\n";
  }
  return out.empty() ? "Nothing of the kind was told.\n" : out;
}

const Listing* find_listing(std::string_view what) {
  for (const Listing& listing : listings()) {
    if (listing.what == what) return &listing;
  }
  return nullptr;
}

std::vector<std::string> listing_names() {
  std::vector<std::string> names;
  for (const Listing& listing : listings()) names.emplace_back(listing.what);
  return names;
}

std::string table_text(const Listing& listing, const Json& answer) {
  auto rows = cells(listing, answer, /*for_people=*/true);
  std::vector<std::string> headings;
  for (const auto& column : listing.columns) headings.emplace_back(column.heading);
  rows.insert(rows.begin(), std::move(headings));
  std::vector<std::size_t> widths(listing.columns.size());
  for (const auto& line : rows) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string out;
  for (const auto& line : rows) {
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      out += fmt::format("{:<{}}  ", line[i], widths[i]);
    }
    out += line.back() + "\n";
  }
  return out;
}

std::string csv_text(const Listing& listing, const Json& answer) {
  std::string out;
  for (const auto& column : listing.columns) {
    out += (out.empty() ? "" : ",") + csv_cell(std::string(column.heading));
  }
  out += "\n";
  for (const auto& line : cells(listing, answer, /*for_people=*/false)) {
    for (std::size_t i = 0; i < line.size(); ++i) out += (i == 0 ? "" : ",") + csv_cell(line[i]);
    out += "\n";
  }
  return out;
}

}  // namespace heddle::app
