// SPDX-License-Identifier: BSD-3-Clause
// Who asks, and what that lets them do: the credentials of a local process, or a token.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/message.hpp"
#include "base/result.hpp"

namespace heddle::api {

inline constexpr std::size_t kLeastTokenBytes = 16;
inline constexpr std::size_t kMostTokens = 256;

struct Caller {
  Role role = Role::Nobody;
  std::string name;  // for the log: "user 0", "token grafana"
};

class Tokens {
 public:
  // Lines of a role (read or write), a name and a token; '#' at the beginning of a word begins a
  // comment. Errors name `title` and the line, and never a token.
  static base::Result<Tokens> parse(std::string_view text, std::string_view title);

  // What the header "Authorization: Bearer TOKEN" is worth, or "Authorization: Basic ...", where
  // the token stands for the password, whoever the user is, or alone: for clients of UFM. Takes as
  // long for a wrong token as for a right one.
  Caller caller(std::string_view authorization) const;

 private:
  struct Entry {
    Caller caller;
    std::string token;
  };
  std::vector<Entry> entries_;
};

// By the credentials of the process at the other end of a Unix socket (SO_PEERCRED): root and the
// user that we run as may write; others read if `everyone_reads`.
Caller local_caller(int socket, bool everyone_reads);

// Of a TCP connection where nobody logs in: root and the user that we run as, from this host by a
// loopback address, may write; everybody else who gets through to it reads.
Caller console_caller(int socket);

// Whether the header "Host" names this machine itself. A page in a browser whose name was made to
// lead here has another one, and must not read what is meant for users of this machine.
bool names_loopback(std::string_view host);

}  // namespace heddle::api
