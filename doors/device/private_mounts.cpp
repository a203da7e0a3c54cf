// SPDX-License-Identifier: BSD-3-Clause
#include "doors/device/private_mounts.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

namespace heddle::doors {
namespace {

namespace fs = std::filesystem;

constexpr const char* kClass = "/sys/class";
constexpr const char* kDev = "/dev";
constexpr const char* kDevInfiniband = "/dev/infiniband";
// Inside our own tmpfs; gone again when the folders are in their places.
constexpr const char* kScratch = "/sys/class/.heddle";

base::Error trouble(const std::string& what, int reason) {
  return base::error(fmt::format("{}: {}", what, std::generic_category().message(reason)));
}

bool write_text(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return !file.fail();
}

// --- namespaces ---------------------------------------------------------------------------------

base::Result<> make_user_namespace() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
    return base::error(fmt::format(
        "no private mounts without being root: this system refuses user namespaces ({}); run as "
        "root, allow them, or use the socket door",
        std::generic_category().message(errno)));
  }
  const bool mapped = write_text("/proc/self/setgroups", "deny") &&
                      write_text("/proc/self/uid_map", fmt::format("{0} {0} 1", user)) &&
                      write_text("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
  if (!mapped) return base::error("the user namespace cannot be given its user");
  return {};
}

base::Result<> make_namespaces() {
  if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0) {
    if (auto made = make_user_namespace(); !made) return made;
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return trouble("the mounts cannot be made private", errno);
  }
  return {};
}

// --- a folder of ours in the place of one of the system's ---------------------------------------

base::Result<> bind_mount(const std::string& from, const std::string& to) {
  if (mount(from.c_str(), to.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0) return {};
  return trouble(fmt::format("cannot mount {}", to), errno);
}

bool make_target(const fs::directory_entry& entry, const fs::path& target) {
  std::error_code error;
  if (entry.is_symlink(error)) {
    fs::create_symlink(fs::read_symlink(entry.path(), error), target, error);
    return false;
  }
  if (entry.is_directory(error)) return fs::create_directory(target, error);
  const UniqueFd file(open(target.c_str(), O_CREAT | O_CLOEXEC | O_WRONLY, 0600));
  return static_cast<bool>(file);
}

// A tmpfs over `folder` in which everything that was there is there again, by bind mounts, save
// `except`. What cannot be shown again is left out: the program would rather run without it.
base::Result<> overlay(const char* folder, const std::vector<std::string>& except) {
  const UniqueFd old(open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!old) return trouble(fmt::format("cannot look into {}", folder), errno);
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(*at);
  }
  const fs::path source = fmt::format("/proc/self/fd/{}", old.get());
  const fs::path staging = fs::path(folder);
  if (mount("heddle", folder, "tmpfs", MS_NOSUID, "mode=755") != 0) {
    return trouble(fmt::format("cannot mount over {}", folder), errno);
  }
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename();
    bool skipped = false;
    for (const std::string& other : except) skipped = skipped || name == other;
    if (skipped) continue;
    const fs::directory_entry there(source / name, error);
    if (make_target(there, staging / name)) {
      static_cast<void>(bind_mount((source / name).string(), (staging / name).string()));
    }
  }
  return {};
}

// --- FUSE ---------------------------------------------------------------------------------------

base::Result<UniqueFd> mount_fuse(const char* where) {
  UniqueFd device(open("/dev/fuse", O_RDWR | O_CLOEXEC));
  if (!device) {
    return trouble("the device door needs /dev/fuse (module fuse, and access to it)", errno);
  }
  const std::string options = fmt::format("fd={},rootmode=40000,user_id={},group_id={},allow_other",
                                          device.get(), geteuid(), getegid());
  if (mount("heddle", where, "fuse.heddle", MS_NOSUID | MS_NODEV | MS_NOATIME, options.c_str()) !=
      0) {
    return trouble("the device files cannot be mounted", errno);
  }
  return device;
}

base::Result<> put_in_place() {
  const std::string scratch = kScratch;
  for (const char* name : {"infiniband", "infiniband_mad"}) {
    const std::string target = fmt::format("{}/{}", kClass, name);
    if (mkdir(target.c_str(), 0755) != 0) return trouble("cannot make " + target, errno);
    if (auto done = bind_mount(fmt::format("{}/class/{}", scratch, name), target); !done)
      return done;
  }
  struct stat found {};
  if (stat(kDevInfiniband, &found) != 0) {
    if (auto done = overlay(kDev, {}); !done) return done;
    if (mkdir(kDevInfiniband, 0755) != 0) return trouble("cannot make /dev/infiniband", errno);
  }
  if (auto done = bind_mount(scratch + "/dev", kDevInfiniband); !done) return done;
  if (umount2(kScratch, MNT_DETACH) != 0) return trouble("cannot tidy up", errno);
  rmdir(kScratch);
  return {};
}

}  // namespace

base::Result<> enter_private_mounts(const HandOver& hand_over) {
  if (auto made = make_namespaces(); !made) return made;
  if (auto made = overlay(kClass, {"infiniband", "infiniband_mad", "infiniband_verbs"}); !made) {
    return made;
  }
  if (mkdir(kScratch, 0755) != 0) return trouble(std::string("cannot make ") + kScratch, errno);
  auto device = mount_fuse(kScratch);
  if (!device) return device.error();
  // Whoever looks into the mount waits until it is served.
  if (auto served = hand_over(std::move(*device)); !served) return served;
  return put_in_place();
}

}  // namespace heddle::doors
