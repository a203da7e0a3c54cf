// SPDX-License-Identifier: BSD-3-Clause
#include "mad/describe.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/text.hpp"

namespace heddle::mad {

std::string value_text(const Field& field, std::uint64_t raw) {
  switch (field.style) {
    case Style::Decimal:
      break;
    case Style::Hex:
      return base::hex(raw, (field.width + 3) / 4);
    case Style::Boolean:
      return raw != 0 ? "true" : "false";
    case Style::Enumeration: {
      const std::string_view name = field.enumerator(raw);
      return name.empty() ? fmt::format("({})", raw) : fmt::format("{} ({})", name, raw);
    }
  }
  return std::to_string(raw);
}

namespace {

constexpr std::size_t kShownElements = 4;  // of an array, in nonzero_fields

class TextVisitor final : public FieldVisitor {
 public:
  explicit TextVisitor(unsigned indent) : indent_(indent) {}

  void number(const Field& field, std::uint64_t raw) override {
    put(field.name, value_text(field, raw));
  }
  void text(std::string_view name, std::string_view value) override {
    put(name, base::printable(value));
  }
  void bytes(std::string_view name, std::span<const std::byte> value) override {
    put(name, base::hex_bytes(value));
  }
  void begin_struct(std::string_view name) override {
    if (in_array_) {
      out_ += fmt::format("\n{:{}}[{}]", "", indent_ + 2, index_++);
    } else {
      out_ += fmt::format("{:{}}{}:\n", "", indent_, name);
      indent_ += 2;
    }
  }
  void end_struct() override {
    if (!in_array_) indent_ -= 2;
  }
  void begin_array(std::string_view name, std::size_t) override {
    HEDDLE_CHECK(!in_array_);
    out_ += fmt::format("{:{}}{}:", "", indent_, name);
    in_array_ = true;
    index_ = 0;
  }
  void end_array() override {
    out_ += '\n';
    in_array_ = false;
  }
  std::string take() { return std::move(out_); }

 private:
  void put(std::string_view name, std::string_view value) {
    if (!in_array_) {
      out_ += fmt::format("{:{}}{}: {}\n", "", indent_, name, value);
    } else if (name.empty()) {
      out_ += fmt::format(" {}", value);
    } else {
      out_ += fmt::format(" {}: {}", name, value);
    }
  }

  std::string out_;
  unsigned indent_;
  bool in_array_ = false;
  std::size_t index_ = 0;
};

// Every number, text and byte string as a leaf with its path from the attribute.
class LeafVisitor : public FieldVisitor {
 public:
  void number(const Field& field, std::uint64_t raw) final {
    leaf(field.name, value_text(field, raw), raw == 0);
  }
  void text(std::string_view name, std::string_view value) final {
    const std::string_view content = value.substr(0, value.find_last_not_of('\0') + 1);
    const std::string shown = base::printable(content);
    // What printing would change is shown as bytes, so that different texts never look the same.
    if (shown == content) {
      leaf(name, fmt::format("'{}'", shown), shown.empty());
    } else {
      leaf(name, base::hex_bytes(std::as_bytes(std::span(content))), false);
    }
  }
  void bytes(std::string_view name, std::span<const std::byte> value) final {
    bool zero = true;
    for (const std::byte byte : value) zero = zero && byte == std::byte{};
    leaf(name, base::hex_bytes(value), zero);
  }
  void begin_struct(std::string_view name) final { enter(name); }
  void end_struct() final { leave(); }
  void begin_array(std::string_view name, std::size_t) final {
    enter(name);
    levels_.back().is_array = true;
    array_begins();
  }
  void end_array() final {
    array_ends();
    leave();
  }

 protected:
  virtual void on_leaf(std::string path, std::string value, bool zero) = 0;
  virtual void array_begins() {}
  virtual void array_ends() {}

 private:
  struct Level {
    std::string path;
    bool is_array = false;
    std::size_t next = 0;
  };

  std::string path_to(std::string_view name) {
    if (levels_.empty()) return std::string(name);
    Level& level = levels_.back();
    if (level.is_array) return fmt::format("{}[{}]", level.path, level.next++);
    return fmt::format("{}.{}", level.path, name);
  }
  void leaf(std::string_view name, std::string value, bool zero) {
    on_leaf(path_to(name), std::move(value), zero);
  }
  void enter(std::string_view name) { levels_.push_back({path_to(name)}); }
  void leave() { levels_.pop_back(); }

  std::vector<Level> levels_;
};

class Leaves final : public LeafVisitor {
 public:
  std::vector<FieldDifference> found;  // `after` is filled by whoever compares

 private:
  void on_leaf(std::string path, std::string value, bool) override {
    found.push_back({std::move(path), std::move(value), {}});
  }
};

class NonzeroVisitor final : public LeafVisitor {
 public:
  std::string take() { return std::move(out_); }

 private:
  void on_leaf(std::string path, std::string value, bool zero) override {
    if (zero) return;
    if (in_array_ && ++in_array_count_ > kShownElements) return;
    if (!out_.empty()) out_ += ' ';
    out_ += fmt::format("{}={}", path, compact(std::move(value)));
  }
  void array_begins() override {
    in_array_ = true;
    in_array_count_ = 0;
  }
  void array_ends() override {
    if (in_array_count_ > kShownElements) {
      out_ += fmt::format(" +{}", in_array_count_ - kShownElements);
    }
    in_array_ = false;
  }
  // "Active (4)" becomes "Active": a line has no room for both.
  static std::string compact(std::string value) {
    const std::size_t number = value.rfind(" (");
    if (number != std::string::npos && value.front() != '\'') value.erase(number);
    return value;
  }

  std::string out_;
  bool in_array_ = false;
  std::size_t in_array_count_ = 0;
};

}  // namespace

namespace detail {

std::string text(AnyAttribute attribute, unsigned indent) {
  TextVisitor visitor(indent);
  attribute.visit(attribute.object, visitor);
  return visitor.take();
}

std::string nonzero_fields(AnyAttribute attribute) {
  NonzeroVisitor visitor;
  attribute.visit(attribute.object, visitor);
  return visitor.take();
}

std::vector<FieldDifference> differences(AnyAttribute before, AnyAttribute after) {
  Leaves old_leaves;
  Leaves new_leaves;
  before.visit(before.object, old_leaves);
  after.visit(after.object, new_leaves);
  std::vector<FieldDifference> result;
  for (std::size_t i = 0; i < old_leaves.found.size(); ++i) {
    FieldDifference& difference = old_leaves.found[i];
    difference.after = std::move(new_leaves.found[i].before);
    if (difference.before != difference.after) result.push_back(std::move(difference));
  }
  return result;
}

}  // namespace detail

}  // namespace heddle::mad
