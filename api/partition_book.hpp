// SPDX-License-Identifier: BSD-3-Clause
// What programs have made of partitions (partitions/managed.hpp), as the server's thread knows it:
// it is changed here, written down, and only then told to the subnet manager.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/journal.hpp"
#include "partitions/managed.hpp"

namespace heddle::api {

class PartitionBook {
 public:
  // Writes it where it survives; an error says why it could not be.
  using Save = std::function<base::Result<>(const partitions::Managed&)>;
  // `is_told`: while another manager is master, that one has them, and tells them here.
  PartitionBook(std::shared_ptr<const partitions::Managed> kept, Save save, bool is_told = false)
      : now_(std::move(kept)), save_(std::move(save)), is_told_(is_told) {}

  bool is_told() const { return is_told_; }
  // How often a master had others than were known here.
  std::size_t times_told() const { return times_told_; }
  // As a master has them. With an error they count, but could not be written.
  base::Result<> take_over(std::shared_ptr<const partitions::Managed> told, WallTime time);

  const partitions::Managed& now() const { return *now_; }
  const std::shared_ptr<const partitions::Managed>& shared() const { return now_; }
  // When it was changed last; nothing if it was not since the start.
  const std::optional<WallTime>& changed_at() const { return changed_at_; }

  enum class Fault { Wrong, Unwritable };
  struct Refusal {
    Fault fault{};
    std::string why;
  };
  // All of the changes or, with a refusal, none.
  std::optional<Refusal> change(const std::vector<partitions::ManagedChange>& changes,
                                WallTime time);

 private:
  std::shared_ptr<const partitions::Managed> now_;
  Save save_;
  bool is_told_;
  std::size_t times_told_ = 0;
  std::optional<WallTime> changed_at_;
};

}  // namespace heddle::api
