// SPDX-License-Identifier: BSD-3-Clause
#include "doors/device/mount_calls.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "doors/device/caller_memory.hpp"
#include "doors/device/mount.hpp"

namespace heddle::doors {
namespace {

constexpr double kForever = 3600;                     // seconds; the tree of a host never changes
constexpr off_t kTextSize = 4096;                     // as sysfs has it
constexpr std::size_t kWholePieceBytes = 255 * 4096;  // beyond, a write may be cut (see mount.cpp)

mode_t mode_of(Tree::Kind kind) {
  switch (kind) {
    case Tree::Kind::Folder:
      return S_IFDIR | 0755;
    case Tree::Kind::Text:
      return S_IFREG | 0444;
    default:
      return S_IFREG | 0666;
  }
}

// What nobody was given belongs to who asks: in a user namespace the kernel opens no file for
// writing whose owner has no number there.
struct stat plain_attributes(fuse_req_t request, Inode inode, const Tree::Entry& entry) {
  struct stat attributes {};
  attributes.st_uid = fuse_req_ctx(request)->uid;
  attributes.st_gid = fuse_req_ctx(request)->gid;
  attributes.st_ino = inode;
  attributes.st_mode = mode_of(entry.kind);
  attributes.st_nlink = entry.kind == Tree::Kind::Folder ? 2 : 1;
  attributes.st_size = entry.kind == Tree::Kind::Text ? kTextSize : 0;
  return attributes;
}

bool is_member(fuse_req_t request, gid_t group) {
  if (fuse_req_ctx(request)->gid == group) return true;
  constexpr int kMost = 65536;  // NGROUPS_MAX
  std::vector<gid_t> groups(64);
  int count = fuse_req_getgroups(request, static_cast<int>(groups.size()), groups.data());
  if (count > static_cast<int>(groups.size()) && count <= kMost) {
    groups.resize(static_cast<std::size_t>(count));
    count = fuse_req_getgroups(request, count, groups.data());
  }
  const auto end = groups.begin() + std::clamp(count, 0, static_cast<int>(groups.size()));
  return std::find(groups.begin(), end, group) != end;
}

int number_of(std::errc error) {
  return static_cast<int>(error);
}

}  // namespace

// A friend of Mount, so that its private parts stay so for everybody else.
struct MountCalls {
  static Mount& mount(fuse_req_t request) {
    return *static_cast<Mount*>(fuse_req_userdata(request));
  }
  static OpenFile& file(const fuse_file_info* info) {
    return *reinterpret_cast<OpenFile*>(info->fh);
  }

  static struct stat attributes(fuse_req_t request, Inode inode, const Tree::Entry& entry) {
    struct stat attributes = plain_attributes(request, inode, entry);
    const auto& rights = mount(request).rights_;
    if (const auto given = rights.find(inode); given != rights.end()) {
      attributes.st_uid = given->second.owner;
      attributes.st_gid = given->second.group;
      attributes.st_mode = (attributes.st_mode & ~mode_t{07777}) | given->second.bits;
    }
    return attributes;
  }

  // Whether who asks may do that (R_OK, W_OK) to a file. Root may do everything.
  static bool may(fuse_req_t request, Inode inode, mode_t what) {
    const fuse_ctx& caller = *fuse_req_ctx(request);
    const auto& rights = mount(request).rights_;
    const auto given = rights.find(inode);
    if (given == rights.end() || caller.uid == 0) return true;
    const Mount::Rights& of = given->second;
    unsigned shift = 0;
    if (caller.uid == of.owner) {
      shift = 6;
    } else if (is_member(request, of.group)) {
      shift = 3;
    }
    return (of.bits >> shift & what) == what;
  }

  static void access(fuse_req_t request, fuse_ino_t inode, int mask) {
    const auto what = static_cast<mode_t>(mask & (R_OK | W_OK));
    fuse_reply_err(request, may(request, inode, what) ? 0 : EACCES);
  }

  // chown and chmod of a device file by root; nothing else of a file can be changed.
  static void setattr(fuse_req_t request, fuse_ino_t inode, struct stat* wanted, int which,
                      fuse_file_info*) {
    constexpr int kAll = FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID;
    Mount& self = mount(request);
    const Tree::Entry* entry = self.tree_.find(inode);
    const bool is_device =
        entry != nullptr && (entry->kind == Tree::Kind::Umad || entry->kind == Tree::Kind::IsSm);
    // Who opens it with O_TRUNC, or touches it, finds nothing to change.
    if (is_device && (which & kAll) == 0) return getattr(request, inode, nullptr);
    if (!is_device || fuse_req_ctx(request)->uid != 0) {
      fuse_reply_err(request, EPERM);
      return;
    }
    const struct stat before = attributes(request, inode, *entry);
    Mount::Rights& rights = self.rights_[inode];
    rights = {before.st_uid, before.st_gid, before.st_mode & 07777};
    if ((which & FUSE_SET_ATTR_UID) != 0) rights.owner = wanted->st_uid;
    if ((which & FUSE_SET_ATTR_GID) != 0) rights.group = wanted->st_gid;
    if ((which & FUSE_SET_ATTR_MODE) != 0) rights.bits = wanted->st_mode & 07777;
    getattr(request, inode, nullptr);
  }

  static void lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
    const Tree& tree = mount(request).tree_;
    const Inode inode = tree.find(parent, name);
    fuse_entry_param entry{};
    entry.attr_timeout = entry.entry_timeout = kForever;
    if (inode != 0) {
      entry.ino = inode;
      entry.attr = attributes(request, inode, *tree.find(inode));
    }
    fuse_reply_entry(request, &entry);  // inode 0: not there, and to be remembered
  }

  static void getattr(fuse_req_t request, fuse_ino_t inode, fuse_file_info*) {
    const Tree::Entry* entry = mount(request).tree_.find(inode);
    if (entry == nullptr) {
      fuse_reply_err(request, ENOENT);
      return;
    }
    const struct stat found = attributes(request, inode, *entry);
    fuse_reply_attr(request, &found, kForever);
  }

  static void readdir(fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset,
                      fuse_file_info*) {
    const Tree& tree = mount(request).tree_;
    const Tree::Entry* folder = tree.find(inode);
    if (folder == nullptr || folder->kind != Tree::Kind::Folder) {
      fuse_reply_err(request, ENOTDIR);
      return;
    }
    std::vector<std::pair<std::string, Inode>> names{{".", inode}, {"..", folder->parent}};
    for (const Inode child : folder->children) names.emplace_back(tree.find(child)->name, child);
    std::vector<char> bytes(size);
    std::size_t used = 0;
    for (auto at = static_cast<std::size_t>(std::max<off_t>(offset, 0)); at < names.size(); ++at) {
      const struct stat found = attributes(request, names[at].second, *tree.find(names[at].second));
      const std::size_t needed =
          fuse_add_direntry(request, bytes.data() + used, size - used, names[at].first.c_str(),
                            &found, static_cast<off_t>(at + 1));
      if (needed > size - used) break;
      used += needed;
    }
    fuse_reply_buf(request, bytes.data(), used);
  }

  static void open(fuse_req_t request, fuse_ino_t inode, fuse_file_info* info) {
    Mount& self = mount(request);
    const Tree::Entry* entry = self.tree_.find(inode);
    if (entry == nullptr || entry->kind == Tree::Kind::Folder) {
      fuse_reply_err(request, entry == nullptr ? ENOENT : EISDIR);
      return;
    }
    const bool writes = (info->flags & O_ACCMODE) != O_RDONLY;
    if (entry->kind == Tree::Kind::Text && writes) {
      fuse_reply_err(request, EACCES);
      return;
    }
    mode_t wanted = W_OK;
    if ((info->flags & O_ACCMODE) == O_RDONLY) wanted = R_OK;
    if ((info->flags & O_ACCMODE) == O_RDWR) wanted = R_OK | W_OK;
    if (!may(request, inode, wanted)) {
      fuse_reply_err(request, EACCES);
      return;
    }
    // Linux lets a second opener wait, unless it must not. We always say so: whoever would wait
    // for another subnet manager to end is better told.
    if (entry->kind == Tree::Kind::IsSm && self.seats_.at(entry->port)->is_sm_held()) {
      fuse_reply_err(request, (info->flags & O_NONBLOCK) != 0 ? EAGAIN : EBUSY);
      return;
    }
    OpenFile& opened = self.open(*entry, fuse_req_ctx(request)->pid);
    // Made by hand, since libfuse does not know the flag for streams: without it, a thread that
    // waits in a read keeps the file's position, and all others of its process from writing.
    fuse_open_out reply{};
    reply.fh = reinterpret_cast<std::uint64_t>(&opened);
    reply.open_flags = FOPEN_DIRECT_IO;
    if (entry->kind != Tree::Kind::Text) reply.open_flags |= FOPEN_NONSEEKABLE | FOPEN_STREAM;
    const auto* bytes = reinterpret_cast<const char*>(&reply);
    if (fuse_reply_buf(request, bytes, sizeof reply) != 0) self.close(opened);  // nobody waits
  }

  static void release(fuse_req_t request, fuse_ino_t, fuse_file_info* info) {
    mount(request).close(file(info));
    fuse_reply_err(request, 0);
  }

  static void read_text(fuse_req_t request, OpenFile& opened, size_t size, off_t offset) {
    if (offset == 0) opened.text = opened.entry->text();
    const auto begin =
        std::min(static_cast<std::size_t>(std::max<off_t>(offset, 0)), opened.text.size());
    fuse_reply_buf(request, opened.text.data() + begin, std::min(size, opened.text.size() - begin));
  }

  static void read(fuse_req_t request, fuse_ino_t, size_t size, off_t offset,
                   fuse_file_info* info) {
    OpenFile& opened = file(info);
    if (opened.entry->kind == Tree::Kind::Text) return read_text(request, opened, size, offset);
    if (!opened.umad) {
      fuse_reply_err(request, EINVAL);
      return;
    }
    if (!opened.half_read.empty()) return read_rest(request, opened, size);
    if (opened.umad->readable()) return mount(request).answer_read(request, opened, size);
    if ((info->flags & O_NONBLOCK) != 0) {
      fuse_reply_err(request, EAGAIN);
      return;
    }
    opened.readers.push_back({request, size});
    fuse_req_interrupt_func(request, &MountCalls::interrupted, &mount(request));
  }

  static void read_rest(fuse_req_t request, OpenFile& opened, size_t size) {
    const std::size_t piece = std::min(size, opened.half_read.size() - opened.half_read_at);
    fuse_reply_buf(request,
                   reinterpret_cast<const char*>(opened.half_read.data()) + opened.half_read_at,
                   piece);
    opened.half_read_at += piece;
    if (opened.half_read_at == opened.half_read.size()) opened.half_read = {};
  }

  static void interrupted(fuse_req_t request, void* data) {
    static_cast<Mount*>(data)->interrupt(request);
  }

  static void write(fuse_req_t request, fuse_ino_t, const char* bytes, size_t size, off_t,
                    fuse_file_info* info) {
    OpenFile& opened = file(info);
    if (!opened.umad) {
      fuse_reply_err(request, EINVAL);
      return;
    }
    std::span<const std::byte> message = std::as_bytes(std::span(bytes, size));
    const bool in_pieces = size > kWholePieceBytes || !opened.half_written.empty();
    if (in_pieces) {
      opened.half_written.insert(opened.half_written.end(), message.begin(), message.end());
      const auto whole = caller_buffer(fuse_req_ctx(request)->pid);
      if (whole && opened.half_written.size() < whole->size &&
          opened.half_written.size() < kernel::kMaxMessageBytes) {
        fuse_reply_write(request, size);
        return;
      }
      message = opened.half_written;
    }
    const std::errc error = opened.seat->write(*opened.umad, message);
    if (in_pieces) opened.half_written = {};
    if (error == std::errc{}) {
      fuse_reply_write(request, size);
    } else {
      fuse_reply_err(request, number_of(error));
    }
  }

  static void ioctl(fuse_req_t request, fuse_ino_t, unsigned command, void*, fuse_file_info* info,
                    unsigned flags, const void* in, size_t in_size, size_t out_size) {
    const bool folder = (flags & FUSE_IOCTL_DIR) != 0;
    if (folder || !file(info).umad) {
      fuse_reply_err(request, ENOTTY);
      return;
    }
    OpenFile& opened = file(info);
    std::vector<std::byte> argument(std::max(in_size, out_size));
    if (in_size != 0) std::memcpy(argument.data(), in, in_size);
    const std::errc error = opened.umad->ioctl(command, argument);
    if (error == std::errc{}) {
      fuse_reply_ioctl(request, 0, argument.data(), out_size);
    } else {
      fuse_reply_err(request, number_of(error));
    }
  }

  static void poll(fuse_req_t request, fuse_ino_t, fuse_file_info* info, fuse_pollhandle* handle) {
    OpenFile& opened = file(info);
    if (handle != nullptr) {
      if (opened.poll != nullptr) fuse_pollhandle_destroy(opened.poll);
      opened.poll = handle;
    }
    unsigned events = POLLIN | POLLRDNORM;  // a text never blocks
    if (opened.umad) {
      events = POLLOUT | POLLWRNORM;
      if (opened.umad->readable()) events |= POLLIN | POLLRDNORM;
    }
    fuse_reply_poll(request, events);
  }
};

fuse_lowlevel_ops mount_calls() {
  fuse_lowlevel_ops calls{};
  calls.lookup = &MountCalls::lookup;
  calls.getattr = &MountCalls::getattr;
  calls.setattr = &MountCalls::setattr;
  calls.access = &MountCalls::access;
  calls.readdir = &MountCalls::readdir;
  calls.open = &MountCalls::open;
  calls.release = &MountCalls::release;
  calls.read = &MountCalls::read;
  calls.write = &MountCalls::write;
  calls.ioctl = &MountCalls::ioctl;
  calls.poll = &MountCalls::poll;
  return calls;
}

}  // namespace heddle::doors
