// SPDX-License-Identifier: BSD-3-Clause
// The words behind a verb, read one after the other as what they should be. The first that is wrong
// is remembered with its column; what is read after it means nothing, and complete() says no.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/time.hpp"
#include "doors/control/words.hpp"
#include "sim/blueprint.hpp"
#include "sim/world.hpp"

namespace heddle::doors::control {

class Arguments {
 public:
  // `dry`: complete() never says yes, so nothing is done.
  Arguments(const sim::World& world, std::span<const Word> words, bool dry)
      : world_(world), left_(words), dry_(dry) {}

  bool more() const { return !left_.empty(); }
  std::string word(std::string_view what);
  std::uint32_t node();
  std::uint8_t port(std::uint32_t node);      // 1 up to the node's last
  std::uint8_t any_port(std::uint32_t node);  // 0 as well
  std::uint32_t cable();                      // NODE PORT with a cable
  std::uint64_t number(std::string_view what, std::uint64_t least, std::uint64_t most);
  double chance();        // 0.01 or 1%
  base::Duration time();  // 200ms; a number alone is seconds
  bool on_or_off();
  sim::Width width();
  sim::Speed speed();

  // Marks the last word read as wrong.
  void refuse(std::string error);
  // Nothing was wrong, no word is left, and it shall be done.
  bool complete();

  const std::string& error() const { return error_; }
  std::size_t column() const { return column_; }

 private:
  const Word* next(std::string_view what);

  const sim::World& world_;
  std::span<const Word> left_;
  bool dry_;
  std::string error_;
  std::size_t column_ = 0;
  std::size_t last_ = 0;  // column of the last word read
};

}  // namespace heddle::doors::control
