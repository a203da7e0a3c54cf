// SPDX-License-Identifier: BSD-3-Clause
// A view and somebody who asks it.
#pragma once

#include <utility>

#include "sa/view.hpp"
#include "tests/sa/client.hpp"
#include "tests/support/administration.hpp"

namespace heddle::sa {

template <class T>
inline constexpr std::uint16_t kAttributeOf = 0;
template <>
inline constexpr std::uint16_t kAttributeOf<mad::ClassPortInfo> = 0x01;
template <>
inline constexpr std::uint16_t kAttributeOf<mad::NodeRecord> = 0x11;
template <>
inline constexpr std::uint16_t kAttributeOf<mad::PortInfoRecord> = 0x12;
template <>
inline constexpr std::uint16_t kAttributeOf<mad::SwitchInfoRecord> = 0x14;
template <>
inline constexpr std::uint16_t kAttributeOf<mad::LinearForwardingTableRecord> = 0x15;
template <>
inline constexpr std::uint16_t kAttributeOf<mad::SMInfoRecord> = 0x18;
template <>
inline constexpr std::uint16_t kAttributeOf<mad::LinkRecord> = 0x20;
template <>
inline constexpr std::uint16_t kAttributeOf<mad::GUIDInfoRecord> = 0x30;
template <>
inline constexpr std::uint16_t kAttributeOf<mad::PathRecord> = 0x35;

class Stage {
 public:
  explicit Stage(sa::Subnet subnet) : view(std::move(subnet)) {}

  // The n-th host's port.
  fabric::PortIndex host(std::size_t n) const {
    return view.topology().endports()[view.topology().switch_count() + n];
  }
  mad::Lid lid(fabric::PortIndex port) const { return view.lids().base(port); }

  template <mad::Described T>
  Reply<T> ask(mad::Method method, std::uint64_t mask, const T& record, mad::SMKey key = {},
               std::uint32_t modifier = 0) const {
    const Question question{method, kAttributeOf<T>, modifier, mask, key};
    return read_reply<T>(answer(&view, kOurKey, make_query(question, record, lid(host(0)))));
  }
  template <mad::Described T>
  Reply<T> get(std::uint64_t mask, const T& record, mad::SMKey key = {}) const {
    return ask(mad::Method::Get, mask, record, key);
  }
  template <mad::Described T>
  Reply<T> table(std::uint64_t mask = 0, const T& record = {}, mad::SMKey key = {}) const {
    return ask(mad::Method::GetTable, mask, record, key);
  }

  sa::View view;
};

}  // namespace heddle::sa
