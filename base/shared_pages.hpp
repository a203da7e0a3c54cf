// SPDX-License-Identifier: BSD-3-Clause
// An array in pages that its successors share: the next version of tens of thousands of values
// costs a pointer for each page, and a copy of the pages in which something changed. Which pages
// two versions share also says where they may differ.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace heddle::base {

template <class T, std::size_t kSize = 64>
class SharedPages {
 public:
  static constexpr std::size_t kPageSize = kSize;

  SharedPages() = default;
  // All of them T{}.
  explicit SharedPages(std::size_t size)
      : size_(size), pages_((size + kSize - 1) / kSize), is_own_(pages_.size(), true) {
    for (auto& page : pages_) page = std::make_shared<Page>();
  }
  SharedPages(SharedPages&&) = default;
  SharedPages& operator=(SharedPages&&) = default;

  // Shares all pages. Who has a successor must not be changed any more.
  SharedPages successor() const {
    SharedPages next;
    next.size_ = size_;
    next.pages_ = pages_;
    next.is_own_.assign(pages_.size(), false);
    return next;
  }

  std::size_t size() const { return size_; }
  std::size_t page_count() const { return pages_.size(); }
  const T& operator[](std::size_t at) const { return (*pages_[at / kSize])[at % kSize]; }
  // False where they may differ: at values [page * kSize, (page + 1) * kSize).
  bool shares_page(std::size_t page, const SharedPages& other) const {
    return page < other.pages_.size() && pages_[page] == other.pages_[page];
  }

  T& change(std::size_t at) {
    auto& page = pages_[at / kSize];
    if (!is_own_[at / kSize]) {
      page = std::make_shared<Page>(*page);
      is_own_[at / kSize] = true;
    }
    return (*page)[at % kSize];
  }

 private:
  using Page = std::array<T, kSize>;
  std::size_t size_ = 0;
  std::vector<std::shared_ptr<Page>> pages_;
  std::vector<bool> is_own_;  // by page: nobody had it before, so it may be changed in place
};

}  // namespace heddle::base
