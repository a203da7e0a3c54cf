// SPDX-License-Identifier: BSD-3-Clause
#include "store/etcd_words.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace heddle::store {
namespace {

using nlohmann::json;

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    for (std::size_t n = 0; n < 3; ++n) {
      three = three << 8 |
              (at + n < bytes.size() ? static_cast<std::uint8_t>(bytes[at + n]) : std::uint8_t{0});
    }
    const std::size_t digits = std::min<std::size_t>(4, bytes.size() - at + 1);
    for (std::size_t n = 0; n < 4; ++n) {
      text += n < digits ? kDigits[three >> (18 - 6 * n) & 63] : '=';
    }
  }
  return text;
}

constexpr auto kValueOf = [] {
  std::array<std::int8_t, 256> values{};
  for (auto& value : values) value = -1;
  for (std::size_t n = 0; n < kDigits.size(); ++n) {
    values[static_cast<std::uint8_t>(kDigits[n])] = static_cast<std::int8_t>(n);
  }
  return values;
}();

std::optional<std::string> from_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const auto value = kValueOf[static_cast<std::uint8_t>(c)];
    if (value < 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  return bytes;
}

// The gateway writes numbers of 64 bits as strings, and leaves out what is zero.
std::int64_t number(const json& from, const char* name) {
  const auto field = from.find(name);
  if (field == from.end()) return 0;
  if (field->is_number_integer()) return field->get<std::int64_t>();
  if (!field->is_string()) return 0;
  const auto& text = field->get_ref<const std::string&>();
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool flag(const json& from, const char* name) {
  const auto field = from.find(name);
  return field != from.end() && field->is_boolean() && field->get<bool>();
}

std::string bytes(const json& from, const char* name) {
  const auto field = from.find(name);
  if (field == from.end() || !field->is_string()) return {};
  return from_base64(field->get_ref<const std::string&>()).value_or("");
}

const json& part(const json& from, const char* name) {
  static const json nothing = json::object();
  const auto field = from.find(name);
  return field == from.end() ? nothing : *field;
}

std::vector<Entry> entries_of(const json& range) {
  std::vector<Entry> entries;
  for (const json& each : part(range, "kvs")) {
    if (!each.is_object()) continue;
    entries.push_back({bytes(each, "key"), bytes(each, "value"), number(each, "mod_revision")});
  }
  return entries;
}

json range_of(const KeyRange& range) {
  return {{"key", to_base64(range.first)}, {"range_end", to_base64(range.end)}};
}

json operation(const Change& change) {
  const std::string key = to_base64(change.key);
  if (!change.value) return {{"request_delete_range", {{"key", key}}}};
  json put{{"key", key}, {"value", to_base64(*change.value)}};
  if (change.lease != 0) put["lease"] = std::to_string(change.lease);
  return {{"request_put", std::move(put)}};
}

EtcdRequest request(const Read& read) {
  return {"/v3/kv/range", range_of(read.range).dump()};
}
EtcdRequest request(const Commit& commit) {
  json body{{"compare", json::array()}, {"success", json::array()}, {"failure", json::array()}};
  for (const auto& [key, revision] : commit.expected) {
    body["compare"].push_back({{"target", "MOD"},
                               {"result", "EQUAL"},
                               {"key", to_base64(key)},
                               {"mod_revision", std::to_string(revision)}});
  }
  for (const Change& change : commit.changes) body["success"].push_back(operation(change));
  body["failure"].push_back({{"request_range", range_of(commit.otherwise)}});
  return {"/v3/kv/txn", body.dump()};
}
EtcdRequest request(const Grant& grant) {
  return {"/v3/lease/grant", json{{"TTL", std::to_string(grant.seconds)}}.dump()};
}
EtcdRequest request(const Renew& renew) {
  return {"/v3/lease/keepalive", json{{"ID", std::to_string(renew.lease)}}.dump()};
}

Answer answer(const Read&, const json& said) {
  return Entries{number(part(said, "header"), "revision"), entries_of(said)};
}
Answer answer(const Commit&, const json& said) {
  Committed committed{flag(said, "succeeded"), number(part(said, "header"), "revision"), {}};
  if (committed.done) return committed;
  for (const json& each : part(said, "responses")) {
    if (each.is_object()) committed.instead = entries_of(part(each, "response_range"));
  }
  return committed;
}
Answer answer(const Grant&, const json& said) {
  return Lease{number(said, "ID"), number(said, "TTL")};
}
Answer answer(const Renew&, const json& said) {
  const json& result = part(said, "result");
  return Lease{number(result, "ID"), number(result, "TTL")};
}

std::string complaint(const json& said) {
  for (const char* name : {"error", "message"}) {
    const auto field = said.find(name);
    if (field != said.end() && field->is_string()) return field->get<std::string>();
    if (field != said.end() && field->is_object()) return complaint(*field);
  }
  return {};
}

json parse(std::string_view body) {
  json said = json::parse(body, nullptr, false);
  return said.is_object() ? said : json();
}

}  // namespace

EtcdRequest to_etcd(const Question& question) {
  return std::visit([](const auto& each) { return request(each); }, question);
}

Answer from_etcd(const Question& question, unsigned status, std::string_view body) {
  const json said = parse(body);
  if (status != 200 || !said.is_object() || said.contains("error")) {
    const std::string why = said.is_object() ? complaint(said) : std::string();
    return NoAnswer{why.empty() ? fmt::format("it answers with status {}", status) : why};
  }
  return std::visit([&](const auto& each) { return answer(each, said); }, question);
}

bool etcd_wants_login(unsigned status, std::string_view body) {
  if (status == 200) return false;
  constexpr int kUnauthenticated = 16;  // of gRPC
  const json said = parse(body);
  if (!said.is_object()) return status == 401;
  const std::string why = complaint(said);
  return status == 401 || number(said, "code") == kUnauthenticated ||
         why.find("user name is empty") != std::string::npos ||
         why.find("revision of auth store is old") != std::string::npos;
}

EtcdRequest etcd_login(std::string_view user, std::string_view password) {
  return {"/v3/auth/authenticate", json{{"name", user}, {"password", password}}.dump()};
}

base::Result<std::string> etcd_token(unsigned status, std::string_view body) {
  const json said = parse(body);
  const auto token = said.is_object() ? said.find("token") : said.end();
  if (status == 200 && token != said.end() && token->is_string()) {
    return base::Result<std::string>(boost::system::in_place_value, token->get<std::string>());
  }
  const std::string why = said.is_object() ? complaint(said) : std::string();
  return base::error(fmt::format("it does not let us in: {}", why.empty() ? "no token" : why));
}

EtcdRequest etcd_watch(const KeyRange& range, Revision from) {
  json create = range_of(range);
  create["start_revision"] = std::to_string(from);
  return {"/v3/watch", json{{"create_request", std::move(create)}}.dump()};
}

base::Result<std::vector<Changed>> EtcdWatchReader::feed(std::string_view piece) {
  std::vector<Changed> changes;
  for (;;) {
    const auto end = piece.find('\n');
    begun_ += piece.substr(0, end);
    if (begun_.size() > kMaxLine) return base::error("a line without end");
    if (end == std::string_view::npos) return changes;
    piece.remove_prefix(end + 1);
    const json said = parse(std::exchange(begun_, {}));
    const json& result = said.is_object() ? part(said, "result") : said;
    if (!result.is_object() || said.contains("error")) {
      const std::string why = said.is_object() ? complaint(said) : std::string();
      return base::error(why.empty() ? "what it said is no message of a watch" : why);
    }
    if (flag(result, "canceled")) {
      const auto reason = result.find("cancel_reason");
      const bool told = reason != result.end() && reason->is_string();
      return base::error(told ? reason->get<std::string>() : "the watch has ended");
    }
    for (const json& event : part(result, "events")) {
      if (!event.is_object()) continue;
      const json& entry = part(event, "kv");
      const auto type = event.find("type");
      const bool gone = type != event.end() && type->is_string() && *type == "DELETE";
      Changed changed{bytes(entry, "key"), std::nullopt, number(entry, "mod_revision")};
      if (!gone) changed.value = bytes(entry, "value");
      changes.push_back(std::move(changed));
    }
  }
}

}  // namespace heddle::store
