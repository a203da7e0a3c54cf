// SPDX-License-Identifier: BSD-3-Clause
// Partitions that programs change as JSON: in requests, in answers, and in the file that keeps
// them. docs/partitions.md has the shape.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "api/rows.hpp"
#include "base/result.hpp"
#include "partitions/managed.hpp"

namespace heddle::api {

// "0x8001", "0x1", 1: the membership bit does not count. Nothing for what is no P_Key.
std::optional<partitions::BaseKey> base_key_of(const Json& json);
std::optional<partitions::BaseKey> base_key_of(std::string_view text);
// "0x0002c903000e0b72", "0002c903000e0b72", "00:02:c9:03:00:0e:0b:72".
std::optional<mad::Guid> guid_of(std::string_view text);

Json json_of(partitions::BaseKey key, const partitions::ManagedPartition& partition);
// {"generation": N, "partitions": [...]}.
Json json_of(const partitions::Managed& managed);

// What is missing has its usual value; an error says what is wrong, for a person.
base::Result<partitions::SetPartition> partition_of(const Json& json);
base::Result<partitions::Managed> managed_of(const Json& json);
base::Result<std::vector<partitions::ManagedChange>> changes_of(const Json& json);

}  // namespace heddle::api
