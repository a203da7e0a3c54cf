// SPDX-License-Identifier: BSD-3-Clause
#include "mad/describe_json.hpp"

#include <vector>

#include "base/text.hpp"

namespace heddle::mad {

namespace {

using Json = nlohmann::ordered_json;

class JsonVisitor final : public FieldVisitor {
 public:
  JsonVisitor() { open_.push_back({{}, Json::object()}); }

  void number(const Field& field, std::uint64_t raw) override {
    add(field.name, value_of(field, raw));
  }
  void text(std::string_view name, std::string_view value) override {
    add(name, base::printable(value));
  }
  void bytes(std::string_view name, std::span<const std::byte> value) override {
    add(name, base::hex_bytes(value));
  }
  void begin_struct(std::string_view name) override { open_.push_back({name, Json::object()}); }
  void end_struct() override { close(); }
  void begin_array(std::string_view name, std::size_t) override {
    open_.push_back({name, Json::array()});
  }
  void end_array() override { close(); }

  Json take() { return std::move(open_.front().value); }

 private:
  struct Open {
    std::string_view name;
    Json value;
  };

  static Json value_of(const Field& field, std::uint64_t raw) {
    switch (field.style) {
      case Style::Decimal:
        break;
      case Style::Hex:
        return value_text(field, raw);
      case Style::Boolean:
        return raw != 0;
      case Style::Enumeration: {
        const std::string_view name = field.enumerator(raw);
        if (!name.empty()) return name;
        break;
      }
    }
    return raw;
  }
  void add(std::string_view name, Json value) {
    Json& parent = open_.back().value;
    if (parent.is_array()) {
      parent.push_back(std::move(value));
    } else {
      parent[std::string(name)] = std::move(value);
    }
  }
  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(done.name, std::move(done.value));
  }

  std::vector<Open> open_;
};

}  // namespace

namespace detail {

nlohmann::ordered_json json(AnyAttribute attribute) {
  JsonVisitor visitor;
  attribute.visit(attribute.object, visitor);
  return visitor.take();
}

}  // namespace detail

}  // namespace heddle::mad
