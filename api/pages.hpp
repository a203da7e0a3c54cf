// SPDX-License-Identifier: BSD-3-Clause
// The files of the dashboard, built into the program (web/, cmake/embed_files.cmake).
#pragma once

#include <span>
#include <string_view>

namespace heddle::api {

struct Page {
  std::string_view name;  // "dashboard.js"
  std::string_view bytes;
};
std::span<const Page> pages();

}  // namespace heddle::api
