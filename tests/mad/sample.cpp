// SPDX-License-Identifier: BSD-3-Clause
#include "tests/mad/sample.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::mad {

std::string golden_text(const Sample& sample, const std::string& provenance) {
  std::string out;
  for (const std::string_view line : base::split(provenance, '\n')) {
    out += fmt::format("# {}\n", line);
  }
  out += fmt::format("layout: {}\n", sample.layout);
  constexpr std::size_t per_line = 32;
  for (std::size_t at = 0; at < sample.bytes.size(); at += per_line) {
    const std::size_t count = std::min(per_line, sample.bytes.size() - at);
    out += fmt::format("bytes: {}\n", base::hex_bytes(std::span(sample.bytes).subspan(at, count)));
  }
  for (const auto& [row, value] : sample.fields) {
    out += fmt::format("field: {} = {:#x}\n", row, value);
  }
  for (const std::string& line : sample.text) out += fmt::format("text: {}\n", line);
  return out;
}

namespace {

bool append_bytes(std::string_view hex, std::vector<std::byte>& bytes) {
  if (hex.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const auto value = base::parse_hex(hex.substr(i, 2));
    if (!value) return false;
    bytes.push_back(static_cast<std::byte>(*value));
  }
  return true;
}

bool append_field(std::string_view text, Sample& sample) {
  const std::size_t equals = text.find(" = ");
  if (equals == std::string_view::npos) return false;
  const auto value = base::parse_number(text.substr(equals + 3));
  if (!value) return false;
  sample.fields.emplace_back(text.substr(0, equals), *value);
  return true;
}

}  // namespace

base::Result<Sample> parse_golden(const std::string& text) {
  Sample sample;
  for (const std::string_view line : base::split(text, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) return base::error("no key in: " + std::string(line));
    const std::string_view key = line.substr(0, colon);
    const std::string_view value = line.substr(colon + 2);
    bool ok = true;
    if (key == "layout") {
      sample.layout = value;
    } else if (key == "bytes") {
      ok = append_bytes(value, sample.bytes);
    } else if (key == "field") {
      ok = append_field(value, sample);
    } else if (key == "text") {
      sample.text.emplace_back(value);
    } else {
      ok = false;
    }
    if (!ok) return base::error("not understood: " + std::string(line));
  }
  return sample;
}

}  // namespace heddle::mad
