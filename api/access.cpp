// SPDX-License-Identifier: BSD-3-Clause
#include "api/access.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

#include <boost/asio/ip/address_v4.hpp>
#include <boost/system/error_code.hpp>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
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

// A word that begins with '#' begins a comment; within a word it may be part of a token.
std::vector<std::string_view> words_of(std::string_view line) {
  auto words = base::words(line);
  words.erase(std::find_if(words.begin(), words.end(),
                           [](std::string_view word) { return word.starts_with('#'); }),
              words.end());
  return words;
}

// One end of a connection: as people write it, and as the kernel lists it.
struct End {
  std::string address, listed;
};

std::optional<End> end_of(const sockaddr_in& at) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  const int failure =
      ::getnameinfo(reinterpret_cast<const sockaddr*>(&at), sizeof at, host.data(), host.size(),
                    service.data(), service.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  const auto port = base::parse_number(service.data(), 0xFFFF);
  if (at.sin_family != AF_INET || failure != 0 || !port) return std::nullopt;
  return End{host.data(), fmt::format("{:08X}:{:04X}", at.sin_addr.s_addr, *port)};
}

// Who holds the end `here` of a connection of this host. What no process holds any longer is listed
// as root's, without an inode: then nobody is known.
std::optional<unsigned> user_at(const End& here, const End& there) {
  for (const char* list : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream in(list);
    for (std::string line; std::getline(in, line);) {
      const auto words = words_of(line);
      constexpr std::size_t kLocal = 1, kRemote = 2, kUser = 7, kInode = 9;
      if (words.size() <= kInode || !words[kLocal].ends_with(here.listed)) continue;
      if (!words[kRemote].ends_with(there.listed) || words[kInode] == "0") continue;
      const auto user = base::parse_number(words[kUser], ~0u);
      if (user) return static_cast<unsigned>(*user);
    }
  }
  return std::nullopt;
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

Caller console_caller(int socket) {
  sockaddr_in own{}, peer{};
  socklen_t own_size = sizeof own, peer_size = sizeof peer;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &own_size);
  ::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &peer_size);
  const auto here = end_of(own), there = end_of(peer);
  if (!here || !there) return {Role::Reader, "a console"};
  const bool is_local = there->address.starts_with("127.");
  const auto user = is_local ? user_at(*there, *here) : std::nullopt;
  if (!user) return {Role::Reader, fmt::format("a console at {}", there->address)};
  const bool writes = *user == 0 || *user == ::geteuid();
  return {writes ? Role::Writer : Role::Reader, fmt::format("user {} by a console", *user)};
}

bool names_loopback(std::string_view host) {
  const bool bracketed = host.starts_with('[');
  const std::size_t end = bracketed ? host.find(']') : host.rfind(':');
  const std::string_view name = host.substr(bracketed ? 1 : 0, end - (bracketed ? 1 : 0));
  // Not by how it begins: "127.evil.example" is a name that its owner leads wherever he likes.
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address_v4(name, error);
  return name == "localhost" || name == "::1" || (!error && address.is_loopback());
}

}  // namespace heddle::api
