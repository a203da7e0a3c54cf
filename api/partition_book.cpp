// SPDX-License-Identifier: BSD-3-Clause
#include "api/partition_book.hpp"

namespace heddle::api {

// What cannot be written is known to the master still.
base::Result<> PartitionBook::take_over(std::shared_ptr<const partitions::Managed> told,
                                        WallTime time) {
  auto saved = save_(*told);
  ++times_told_;
  now_ = std::move(told);
  changed_at_ = time;
  return saved;
}

std::optional<PartitionBook::Refusal> PartitionBook::change(
    const std::vector<partitions::ManagedChange>& changes, WallTime time) {
  auto after = partitions::changed(*now_, changes);
  if (after.has_error()) return Refusal{Fault::Wrong, after.error().message};
  if (after->generation == now_->generation) return std::nullopt;
  if (const auto saved = save_(*after); saved.has_error()) {
    return Refusal{Fault::Unwritable, saved.error().message};
  }
  now_ = std::make_shared<const partitions::Managed>(std::move(*after));
  changed_at_ = time;
  return std::nullopt;
}

}  // namespace heddle::api
