// SPDX-License-Identifier: BSD-3-Clause
#include "app/managed_partitions.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/partitions_json.hpp"
#include "store/text_file.hpp"

namespace heddle::app {
namespace {

constexpr const char* kWhat = "partitions of programs";

}  // namespace

ManagedPartitionsFile::ManagedPartitionsFile(std::filesystem::path lid_memory)
    : path_(std::move(lid_memory)) {
  if (!path_.empty()) path_ += ".partitions.json";
}

base::Result<std::shared_ptr<const partitions::Managed>> ManagedPartitionsFile::read() const {
  auto nothing = std::make_shared<const partitions::Managed>();
  if (path_.empty()) return nothing;
  const auto content = store::TextFile(path_, kWhat).read();
  if (content.has_error()) return content.error();
  if (content->text.empty()) return nothing;
  const auto json = api::Json::parse(content->text, nullptr, /*allow_exceptions=*/false);
  auto managed = api::managed_of(json);
  if (managed.has_error()) {
    return base::error(fmt::format("{}: {}; mend it, or remove it if its partitions may go",
                                   path_.string(), managed.error().message));
  }
  return std::make_shared<const partitions::Managed>(std::move(*managed));
}

base::Result<> ManagedPartitionsFile::save(const partitions::Managed& managed) const {
  if (path_.empty()) return {};
  return store::TextFile(path_, kWhat).replace(api::json_of(managed).dump(1) + "\n");
}

}  // namespace heddle::app
