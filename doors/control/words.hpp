// SPDX-License-Identifier: BSD-3-Clause
// A line of a console or script taken apart. Words stand between blanks; a word in quotation marks
// may hold blanks; square brackets outside of them separate as blanks do, so that ibsim's "leaf"[3]
// is two words; # begins a comment.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::doors::control {

inline constexpr std::size_t kLongestLine = 4096;
inline constexpr std::size_t kMostWords = 64;

struct Word {
  std::string text;
  std::size_t column = 1;  // of its first letter, from 1
};

struct Words {
  std::vector<Word> words;
  std::string error;       // empty: none
  std::size_t column = 0;  // of the error
};
Words split_words(std::string_view line);

// As a line that split_words() takes apart into these words again, if it can be.
std::string join_words(const std::vector<std::string>& words);

}  // namespace heddle::doors::control
