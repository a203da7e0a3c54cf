// SPDX-License-Identifier: BSD-3-Clause
#include "app/runtime_dir.hpp"

#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::app {
namespace {

namespace fs = std::filesystem;

// A service has one of its own (systemd.exec(5), RuntimeDirectory=).
fs::path usual_place() {
  const char* const service = std::getenv("RUNTIME_DIRECTORY");
  if (service != nullptr && *service != '\0') return service;
  const char* const session = std::getenv("XDG_RUNTIME_DIR");
  if (session != nullptr && *session != '\0') return fs::path(session) / "heddle";
  if (geteuid() == 0) return "/run/heddle";
  std::error_code ignored;
  return fs::temp_directory_path(ignored) / fmt::format("heddle-{}", geteuid());
}

}  // namespace

base::Result<std::string> runtime_directory(const fs::path& wanted) {
  fs::path place = wanted.empty() ? usual_place() : wanted;
  std::error_code error;
  const bool made = fs::create_directories(place, error);
  if (error) {
    return base::error(
        fmt::format("the folder {} cannot be made: {}", place.string(), error.message()));
  }
  if (!wanted.empty())
    return {boost::system::in_place_value, place.string()};  // the user's own affair
  if (made) fs::permissions(place, fs::perms::owner_all, error);
  struct stat found {};
  const bool ours = stat(place.c_str(), &found) == 0 && found.st_uid == geteuid();
  if (!ours) return base::error(fmt::format("{} belongs to somebody else", place.string()));
  return {boost::system::in_place_value, place.string()};
}

}  // namespace heddle::app
