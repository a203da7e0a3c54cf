// SPDX-License-Identifier: BSD-3-Clause
// Samples that Debian's libibmad encodes. It alone decides offsets and widths here.
#include <array>

#include <infiniband/mad.h>

#include "base/text.hpp"
#include "tests/mad/foreign_fields.hpp"
#include "tests/mad/sample.hpp"

namespace heddle::mad {

namespace {

std::string dump(MAD_FIELDS field, void* buffer) {
  std::array<unsigned char, 256> value{};
  std::array<char, 1024> text{};
  mad_decode_field(static_cast<unsigned char*>(buffer), field, value.data());
  mad_dump_field(field, text.data(), static_cast<int>(text.size()), value.data());
  return text.data();
}

// libibmad does not cut a value to its field, and so would write over the neighbours; but it reads
// back no more than the field, which tells how wide it takes it to be.
std::uint32_t width_mask(MAD_FIELDS field) {
  std::array<std::byte, 512> scratch{};
  mad_set_field(scratch.data(), 0, field, ~std::uint32_t{0});
  return mad_get_field(scratch.data(), 0, field);
}

std::uint64_t put(const ForeignField& field, std::uint64_t value, void* buffer) {
  if (field.bits == 64) {
    mad_set_field64(buffer, 0, field.field, value);
    return value;
  }
  const std::uint32_t cut = static_cast<std::uint32_t>(value) & width_mask(field.field);
  mad_set_field(buffer, 0, field.field, cut);
  return cut;
}

Sample sample_of(const ForeignAttribute& attribute, base::Prng& prng, bool with_text) {
  Sample sample{std::string(attribute.layout), std::vector<std::byte>(attribute.bytes), {}, {}};
  for (const ForeignField& field : attribute.fields) {
    sample.fields.emplace_back(field.row, put(field, prng(), sample.bytes.data()));
  }
  if (!with_text) return sample;
  for (const ForeignField& field : attribute.fields) {
    const std::string text = dump(field.field, sample.bytes.data());
    for (const std::string_view line : base::split(text, '\n')) {
      if (!base::trim(line).empty()) sample.text.emplace_back(base::trim(line));
    }
  }
  return sample;
}

Sample sample_of(const ForeignArray& array, base::Prng& prng) {
  Sample sample{std::string(array.layout), std::vector<std::byte>(64), {}, {}};
  std::vector<unsigned char> bytes(array.bytes);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(prng() >> 56);
  mad_set_array(sample.bytes.data(), 0, array.field, bytes.data());
  const std::size_t count = array.bytes * 8 / array.element_bits;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * array.element_bits / 8;
    std::uint64_t value = bytes[first];
    if (array.element_bits == 16) value = value << 8 | bytes[first + 1];
    if (array.element_bits == 4) value = i % 2 == 0 ? value >> 4 : value & 0xF;
    sample.fields.emplace_back(std::string(array.row) + '[' + std::to_string(i) + ']', value);
  }
  return sample;
}

// libibmad has no field per entry, but its printer takes the table apart.
Sample vl_arbitration_sample(base::Prng& prng) {
  Sample sample{"VLArbitrationTable", std::vector<std::byte>(64), {}, {}};
  for (std::size_t i = 0; i < 32; ++i) {
    const std::uint64_t vl = prng.below(16);
    const std::uint64_t weight = prng.below(256);
    sample.bytes[2 * i] = static_cast<std::byte>(vl);
    sample.bytes[2 * i + 1] = static_cast<std::byte>(weight);
  }
  std::array<char, 1024> text{};
  mad_dump_vlarbitration(text.data(), static_cast<int>(text.size()), sample.bytes.data(), 64);
  std::string_view row;
  for (const std::string_view line : base::split(text.data(), '\n')) {
    if (line.starts_with("VL")) row = "VL";
    if (line.starts_with("WEIGHT")) row = "Weight";
    const auto cells = base::split(line, '|');
    for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
      sample.fields.emplace_back("Entry[" + std::to_string(i - 1) + "]." + std::string(row),
                                 *base::parse_number(base::trim(cells[i])));
    }
    if (!base::trim(line).empty()) sample.text.emplace_back(base::trim(line));
  }
  return sample;
}

}  // namespace

std::vector<Sample> libibmad_samples(base::Prng& prng, bool with_text) {
  std::vector<Sample> samples;
  for (const ForeignAttribute& attribute : foreign_attributes()) {
    samples.push_back(sample_of(attribute, prng, with_text));
  }
  for (const ForeignArray& array : foreign_arrays()) samples.push_back(sample_of(array, prng));
  samples.push_back(vl_arbitration_sample(prng));
  return samples;
}

}  // namespace heddle::mad
