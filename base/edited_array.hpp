// SPDX-License-Identifier: BSD-3-Clause
// An array that knows, page by page, when its values were changed last: whoever keeps what was made
// of tens of thousands of them need not compare each to see where to look again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::base {

template <class T, std::size_t kSize = 64>
class EditedArray {
 public:
  static constexpr std::size_t kPageSize = kSize;
  // Grows with each change.
  using Edition = std::uint64_t;

  std::size_t size() const { return values_.size(); }
  std::size_t page_count() const { return changed_.size(); }
  const T& operator[](std::size_t at) const { return values_[at]; }
  Edition edition() const { return edition_; }
  // Perhaps at values [page * kPageSize, (page + 1) * kPageSize); false: none of them was.
  bool is_changed_since(std::size_t page, Edition edition) const {
    return changed_[page] > edition;
  }

  T& change(std::size_t at) {
    changed_[at / kSize] = ++edition_;
    return values_[at];
  }
  // No change where it is that already.
  void set(std::size_t at, const T& value) {
    if (!(values_[at] == value)) change(at) = value;
  }
  // All of them T{}, which is a change of each.
  void assign(std::size_t size) {
    values_.assign(size, T{});
    changed_.assign((size + kSize - 1) / kSize, ++edition_);
  }

 private:
  std::vector<T> values_;
  std::vector<Edition> changed_;  // by page: the edition that its last change began
  Edition edition_ = 0;
};

}  // namespace heddle::base
