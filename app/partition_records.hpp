// SPDX-License-Identifier: BSD-3-Clause
// Partitions of programs (partitions/managed.hpp) as records (base/record.hpp), in which a master
// tells them to those who stand by for it:
//
//   partitions                 GENERATION
//   partition KEY              what it is, as JSON, without its members
//   partition-member KEY GUID  full or limited
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/record.hpp"
#include "partitions/managed.hpp"

namespace heddle::app {

// What leads from the one to the other.
std::vector<base::Record> partition_changes(const partitions::Managed& before,
                                            const partitions::Managed& after);

// Takes such records out of the others.
std::vector<base::Record> take_partition_records(std::vector<base::Record>& records);

// What they lead to from `before`, or from nothing if they are the whole. Nothing if no generation
// is among them, for whoever told them manages none, or if one of them cannot be understood.
std::optional<partitions::Managed> with_records(partitions::Managed before, bool whole,
                                                const std::vector<base::Record>& records);

}  // namespace heddle::app
