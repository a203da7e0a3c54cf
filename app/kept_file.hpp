// SPDX-License-Identifier: BSD-3-Clause
// A file that the configuration names, read again whenever the configuration is. What it said when
// it was last right stays in use until it is right again.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "app/logging.hpp"
#include "store/text_file.hpp"

namespace heddle::app {

// How the log tells of a file that is broken or cannot be read.
struct KeptFileWords {
  std::string_view what;          // it is a file of: "prefix routes"
  std::string_view refused;       // event: what is wrong
  std::string_view kept;          // event: what is in use instead
  std::string_view as_before;     // sentence: what was right before
  std::string_view until_right;   // sentence: nothing was right so far
  std::string_view lacking = {};  // event for that; empty: the same as for the other
};

template <class Value>
class KeptFile {
 public:
  // `parse` makes a base::Result<Value> of a text and the file's name. Null where no file is
  // configured (an empty path), and where it has never been right. The same value again is the same
  // pointer: nobody has to look at it once more.
  template <class Parse>
  std::shared_ptr<const Value> read(const std::string& path, const KeptFileWords& words, Log& log,
                                    Parse&& parse) {
    trouble_.clear();
    if (path.empty()) {
      last_good_.reset();
      return nullptr;
    }
    auto value = parsed(path, words, std::forward<Parse>(parse));
    if (value) {
      if (!is_the_same(*value)) last_good_ = std::make_shared<const Value>(std::move(*value));
      return last_good_;
    }
    log.say(sm::Severity::Error, words.refused, value.error().message);
    const bool lacks = last_good_ == nullptr;
    const std::string instead(lacks ? words.until_right : words.as_before);
    log.say(sm::Severity::Error, lacks && !words.lacking.empty() ? words.lacking : words.kept,
            instead);
    trouble_ = value.error().message + " (" + instead + ")";
    return last_good_;
  }

  // What was wrong when it was read last, and what is in use instead; empty: nothing.
  const std::string& trouble() const { return trouble_; }

 private:
  template <class Parse>
  static base::Result<Value> parsed(const std::string& path, const KeptFileWords& words,
                                    Parse&& parse) {
    const auto content = store::TextFile(path, words.what).read_named();
    if (!content) return content.error();
    return parse(content->text, path);
  }
  bool is_the_same(const Value& value) const {
    if constexpr (std::equality_comparable<Value>) return last_good_ && *last_good_ == value;
    return false;
  }

  std::shared_ptr<const Value> last_good_;
  std::string trouble_;
};

}  // namespace heddle::app
