// SPDX-License-Identifier: BSD-3-Clause
// The files of one mount: folders, texts that are made anew at each reading, and device files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::doors {

using Inode = std::uint64_t;
inline constexpr Inode kRootInode = 1;

class Tree {
 public:
  enum class Kind : std::uint8_t { Folder, Text, Umad, IsSm };
  using Maker = std::function<std::string()>;

  struct Entry {
    std::string name;
    Kind kind = Kind::Folder;
    Inode parent = kRootInode;
    std::vector<Inode> children;
    Maker text;            // of a Text
    std::size_t port = 0;  // of a device file: which port of the host
  };

  Tree() { entries_.push_back({}); }

  Inode add_folder(Inode parent, std::string name);
  Inode add_text(Inode parent, std::string name, Maker text);
  Inode add_device(Inode parent, std::string name, Kind kind, std::size_t port);

  const Entry* find(Inode inode) const {
    return inode == 0 || inode > entries_.size() ? nullptr : &entries_[inode - 1];
  }
  // 0 when there is none.
  Inode find(Inode parent, std::string_view name) const;
  // By path from the root, without a leading slash; for tests and tools.
  const Entry* find(std::string_view path) const;

 private:
  Inode add(Inode parent, Entry entry);
  std::vector<Entry> entries_;  // inode - 1
};

}  // namespace heddle::doors
