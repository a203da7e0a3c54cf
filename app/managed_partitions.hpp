// SPDX-License-Identifier: BSD-3-Clause
// The file with the partitions that programs have made (partitions/managed.hpp).
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.hpp"
#include "partitions/managed.hpp"

namespace heddle::app {

class ManagedPartitionsFile {
 public:
  // Beside the LID memory; without one nothing is kept.
  explicit ManagedPartitionsFile(std::filesystem::path lid_memory);

  // Empty when there is no file yet. One that cannot be understood is an error: to go on without
  // would take ports out of their partitions.
  base::Result<std::shared_ptr<const partitions::Managed>> read() const;
  // Any thread. The old content stands if it fails.
  base::Result<> save(const partitions::Managed& managed) const;

 private:
  std::filesystem::path path_;
};

}  // namespace heddle::app
