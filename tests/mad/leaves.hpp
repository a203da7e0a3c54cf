// SPDX-License-Identifier: BSD-3-Clause
// An attribute's numbers by name, for tests that compare them with what another program reads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mad/describe.hpp"

namespace heddle::mad {

// "LID" -> 7, "Entry[3].VL" -> 2. Text and byte strings are arrays of their bytes.
using Leaves = std::map<std::string, std::uint64_t>;

class LeafCollector final : public FieldVisitor {
 public:
  void number(const Field& field, std::uint64_t raw) override { leaves_[path(field.name)] = raw; }
  void text(std::string_view name, std::string_view value) override {
    begin_array(name, value.size());
    for (const char c : value) leaves_[path({})] = static_cast<unsigned char>(c);
    end_array();
  }
  void bytes(std::string_view name, std::span<const std::byte> value) override {
    begin_array(name, value.size());
    for (const std::byte b : value) leaves_[path({})] = std::to_integer<std::uint64_t>(b);
    end_array();
  }
  void begin_struct(std::string_view name) override { open_.push_back({path(name), false, 0}); }
  void end_struct() override { open_.pop_back(); }
  void begin_array(std::string_view name, std::size_t) override {
    open_.push_back({path(name), true, 0});
  }
  void end_array() override { open_.pop_back(); }

  Leaves take() { return std::move(leaves_); }

 private:
  struct Open {
    std::string path;
    bool is_array;
    std::size_t next;
  };
  std::string path(std::string_view name) {
    if (open_.empty()) return std::string(name);
    Open& parent = open_.back();
    if (!parent.is_array) return parent.path + '.' + std::string(name);
    return parent.path + '[' + std::to_string(parent.next++) + ']';
  }

  Leaves leaves_;
  std::vector<Open> open_;
};

template <Described T>
Leaves leaves_of(const T& attribute) {
  LeafCollector collector;
  visit_fields(attribute, collector);
  return collector.take();
}

}  // namespace heddle::mad
