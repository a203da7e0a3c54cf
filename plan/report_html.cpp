// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/escape.hpp"
#include "plan/report.hpp"
#include "plan/web.hpp"

namespace heddle::plan {
namespace {

// FNV-1a. Scripts without this word do not run in the page; a fabric's names cannot hold it, as it
// depends on them.
std::string nonce_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u, other = 0x9ae16a3b2f90404fu;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    other = (other + static_cast<unsigned char>(c)) * 0xff51afd7ed558ccdu;
    other ^= other >> 29;
  }
  return fmt::format("{:016x}{:016x}", hash, other);
}

}  // namespace

std::string report_html(const Report& report) {
  const std::string data = report_json(report);
  const std::string title = base::markup(report.title + " - Heddle");
  const std::string nonce = nonce_of(data);
  const std::array<std::pair<std::string_view, std::string_view>, 5> parts{{
      {"@TITLE@", title},
      {"@STYLE@", web_style()},
      {"@DATA@", data},
      {"@SCRIPT@", web_scripts()},
      {"@NONCE@", nonce},
  }};
  // What is put in is not searched again: a name may be "@DATA@".
  std::string html;
  html.reserve(data.size() + 200'000);
  std::string_view rest = web_page();
  while (!rest.empty()) {
    std::size_t at = rest.find('@');
    if (at == std::string_view::npos) at = rest.size();
    html += rest.substr(0, at);
    rest.remove_prefix(at);
    bool found = false;
    for (const auto& [mark, text] : parts) {
      if (found || rest.substr(0, mark.size()) != mark) continue;
      html += text;
      rest.remove_prefix(mark.size());
      found = true;
    }
    if (!found && !rest.empty()) {
      html += rest.front();
      rest.remove_prefix(1);
    }
  }
  return html;
}

}  // namespace heddle::plan
