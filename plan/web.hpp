// SPDX-License-Identifier: BSD-3-Clause
// The files of plan/web, as they were when this program was built (cmake/embed.cmake). UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle::plan {

// With @TITLE@, @STYLE@, @DATA@, @SCRIPT@ and @NONCE@ where these belong.
std::string_view web_page();
std::string_view web_style();
std::string_view web_scripts();

}  // namespace heddle::plan
