// SPDX-License-Identifier: BSD-3-Clause
// How the dictionary of libibmad's fields is written; foreign_fields.hpp has the words.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <infiniband/mad.h>

namespace heddle::mad {

struct ForeignField {
  MAD_FIELDS field;
  std::string_view row;  // as LeafCollector spells it
  int bits = 32;         // 64: read and written by libibmad's 64-bit functions
};

struct ForeignAttribute {
  std::string_view layout;  // Layout<T>::name
  std::size_t bytes;        // what the golden holds: the attribute, or the whole SMP data
  std::vector<ForeignField> fields;
};

// An array that libibmad moves as one piece of bytes; its elements are `element_bits` wide.
struct ForeignArray {
  std::string_view layout;
  MAD_FIELDS field;
  std::string_view row;
  std::size_t bytes;
  unsigned element_bits;
};

}  // namespace heddle::mad
