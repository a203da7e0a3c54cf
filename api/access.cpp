// SPDX-License-Identifier: BSD-3-Clause
#include "api/access.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.hpp"

namespace heddle::api {
namespace {

// Without an early end, which would tell how much of a guess was right.
bool same(std::string_view a, std::string_view b) {
  unsigned differences = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && !b.empty(); ++i) {
    differences |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i % b.size()]);
  }
  return differences == 0;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view piece : base::split(line.substr(0, line.find('#')), ' ')) {
    const std::string_view word = base::trim(piece);
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

// RFC 4648, 4, in full groups. Nothing for what is none.
std::optional<std::string> decoded_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string_view digits = text.substr(0, text.find('='));
  if (text.empty() || text.size() % 4 != 0 || text.size() - digits.size() > 2) return std::nullopt;
  if (text.substr(digits.size()).find_first_not_of('=') != text.npos) return std::nullopt;
  std::string out;
  unsigned bits = 0, count = 0;
  for (const char c : digits) {
    const auto value = kDigits.find(c);
    if (value == kDigits.npos) return std::nullopt;
    bits = bits << 6 | static_cast<unsigned>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out += static_cast<char>(bits >> count & 0xff);
  }
  return out;
}

// Empty when the header holds none.
std::string token_of(std::string_view authorization) {
  constexpr std::string_view kBearer = "Bearer ", kBasic = "Basic ";
  if (authorization.starts_with(kBearer)) {
    return std::string(base::trim(authorization.substr(kBearer.size())));
  }
  if (!authorization.starts_with(kBasic)) return {};
  const std::string_view given = base::trim(authorization.substr(kBasic.size()));
  const auto pair = decoded_base64(given);
  if (pair && pair->find(':') != pair->npos) return pair->substr(pair->find(':') + 1);
  return std::string(given);
}

}  // namespace

base::Result<Tokens> Tokens::parse(std::string_view text, std::string_view title) {
  Tokens tokens;
  unsigned number = 0;
  for (const std::string_view line : base::split(text, '\n')) {
    ++number;
    const auto words = words_of(line);
    if (words.empty()) continue;
    const auto wrong = [&](std::string_view why) {
      return base::error(fmt::format("{}:{}: {}", title, number, why));
    };
    if (words.size() != 3 || (words[0] != "read" && words[0] != "write")) {
      return wrong("a line is 'read NAME TOKEN' or 'write NAME TOKEN'");
    }
    if (words[2].size() < kLeastTokenBytes) {
      return wrong(fmt::format("a token has at least {} characters", kLeastTokenBytes));
    }
    if (tokens.entries_.size() == kMostTokens) {
      return wrong(fmt::format("there are at most {} tokens", kMostTokens));
    }
    const Role role = words[0] == "write" ? Role::Writer : Role::Reader;
    tokens.entries_.push_back(
        {{role, "token " + base::printable(words[1])}, std::string(words[2])});
  }
  if (tokens.entries_.empty()) return base::error(fmt::format("{}: there is no token", title));
  return tokens;
}

Caller Tokens::caller(std::string_view authorization) const {
  const std::string token = token_of(authorization);
  if (token.empty()) return {};
  Caller found;
  for (const Entry& entry : entries_) {
    if (same(token, entry.token)) found = entry.caller;
  }
  return found;
}

Caller local_caller(int socket, bool everyone_reads) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return {};
  const bool writes = peer.uid == 0 || peer.uid == ::geteuid();
  const Role role = writes ? Role::Writer : everyone_reads ? Role::Reader : Role::Nobody;
  return {role, fmt::format("user {}", peer.uid)};
}

bool names_loopback(std::string_view host) {
  const bool bracketed = host.starts_with('[');
  const std::size_t end = bracketed ? host.find(']') : host.rfind(':');
  const std::string_view name = host.substr(bracketed ? 1 : 0, end - (bracketed ? 1 : 0));
  return name == "localhost" || name == "::1" || name.starts_with("127.");
}

}  // namespace heddle::api
