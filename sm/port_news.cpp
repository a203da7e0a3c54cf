// SPDX-License-Identifier: BSD-3-Clause
#include "sm/port_news.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace heddle::sm {

PortNews::News PortNews::since_last(Picture& picture) {
  const auto& topology = picture.frozen.topology;
  auto registers = picture.registers.of(picture.observation, picture.frozen);
  const Wishes& wishes = picture.intent.ports;
  News news;
  news.is_all = topology_ == nullptr || !topology->shares_nodes_with(*topology_);
  constexpr std::size_t kPage = Wishes::kPageSize;
  static_assert(kPage == decltype(registers->ports)::kPageSize);
  for (std::size_t page = 0; page < wishes.page_count(); ++page) {
    const bool is_same = !news.is_all && !wishes.is_changed_since(page, edition_) &&
                         registers->ports.shares_page(page, registers_->ports);
    const std::size_t end = std::min((page + 1) * kPage, wishes.size());
    for (std::size_t p = page * kPage; p < end; ++p) {
      const fabric::PortIndex port{static_cast<std::uint32_t>(p)};
      if (!is_same || topology->peer(port) != topology_->peer(port)) news.ports.push_back(port);
    }
  }
  topology_ = topology;
  registers_ = std::move(registers);
  edition_ = wishes.edition();
  return news;
}

}  // namespace heddle::sm
