// SPDX-License-Identifier: BSD-3-Clause
#include "doors/device/tree.hpp"

#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"

namespace heddle::doors {

Inode Tree::add(Inode parent, Entry entry) {
  HEDDLE_CHECK(find(parent) != nullptr);
  entry.parent = parent;
  entries_.push_back(std::move(entry));
  const Inode inode = entries_.size();
  entries_[parent - 1].children.push_back(inode);
  return inode;
}

Inode Tree::add_folder(Inode parent, std::string name) {
  return add(parent, {std::move(name), Kind::Folder, parent, {}, {}, 0});
}

Inode Tree::add_text(Inode parent, std::string name, Maker text) {
  return add(parent, {std::move(name), Kind::Text, parent, {}, std::move(text), 0});
}

Inode Tree::add_device(Inode parent, std::string name, Kind kind, std::size_t port) {
  return add(parent, {std::move(name), kind, parent, {}, {}, port});
}

Inode Tree::find(Inode parent, std::string_view name) const {
  const Entry* folder = find(parent);
  if (folder == nullptr) return 0;
  for (const Inode child : folder->children) {
    if (entries_[child - 1].name == name) return child;
  }
  return 0;
}

const Tree::Entry* Tree::find(std::string_view path) const {
  Inode at = kRootInode;
  for (const std::string_view name : base::split(path, '/')) at = find(at, name);
  return find(at);
}

}  // namespace heddle::doors
