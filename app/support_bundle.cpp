// SPDX-License-Identifier: BSD-3-Clause
#include "app/support_bundle.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "base/check.hpp"
#include "config/options.hpp"

namespace heddle::app {
namespace {

constexpr std::size_t kBlock = 512;

// A field of the header at its place.
struct Field {
  std::size_t offset;
  std::string text;
};

std::string header(const std::string& name, std::size_t size, std::int64_t time) {
  std::string block(kBlock, '\0');
  const std::array<Field, 9> fields{{
      {0, name},
      {100, "0000600"},
      {108, "0000000"},
      {116, "0000000"},
      {124, fmt::format("{:011o}", size)},
      {136, fmt::format("{:011o}", time)},
      {148, "        "},  // the sum, as it counts in itself
      {156, "0"},
      {257, std::string("ustar\00000", 8)},
  }};
  HEDDLE_CHECK(name.size() < 100);
  for (const Field& field : fields) block.replace(field.offset, field.text.size(), field.text);
  const unsigned sum = std::accumulate(
      block.begin(), block.end(), 0u,
      [](unsigned before, char byte) { return before + static_cast<unsigned char>(byte); });
  block.replace(148, 8, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  return block;
}

}  // namespace

std::string tar_of(const std::string& folder, const std::vector<BundleFile>& files,
                   std::int64_t time) {
  std::string tar;
  for (const BundleFile& file : files) {
    tar += header(folder + "/" + file.name, file.text.size(), time);
    tar += file.text;
    tar.append((kBlock - file.text.size() % kBlock) % kBlock, '\0');
  }
  tar.append(2 * kBlock, '\0');
  return tar;
}

std::string configuration_without_keys(const config::Config& config) {
  std::string text = "# What differs from the defaults. Keys are left out.\n";
  std::string_view section;
  for (const config::Option& option : config::options()) {
    const std::string value = config::text_of(config, option);
    if (value == config::text_of(config::Config{}, option)) continue;
    if (section != option.section) {
      section = option.section;
      text += fmt::format("[{}]\n", section);
    }
    if (is_secret(option)) {
      text += fmt::format("# {} is set\n", option.key);
    } else {
      text += fmt::format("{} = {}\n", option.key, value);
    }
  }
  return text;
}

}  // namespace heddle::app
