// SPDX-License-Identifier: BSD-3-Clause
// What there is to say about a file, with the place in front.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "partitions/words.hpp"

namespace heddle::partitions {

class Diagnostics {
 public:
  explicit Diagnostics(std::string_view file_name) : file_name_(file_name) {}

  // For something that can be understood in spite of it. kMaxWarnings are kept, the rest counted.
  void warn(const Place& place, std::string_view sentence);
  // `say` makes the sentence, and is not asked when nobody will read it: files may be nonsense from
  // beginning to end.
  template <std::invocable Say>
  void warn(const Place& place, const Say& say) {
    warn(place, is_full() ? std::string{} : std::string(say()));
  }
  std::vector<std::string> take_warnings();

  base::Error error(const Place& place, std::string_view sentence) const;

 private:
  bool is_full() const;
  std::string at(const Place& place, std::string_view sentence) const;
  std::string_view file_name_;
  std::vector<std::string> warnings_;
  std::size_t unsaid_ = 0;
};

}  // namespace heddle::partitions
