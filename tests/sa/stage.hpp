// SPDX-License-Identifier: BSD-3-Clause
// A server with a view, and somebody who asks it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

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
inline constexpr std::uint16_t kAttributeOf<mad::ServiceRecord> = 0x31;
template <>
inline constexpr std::uint16_t kAttributeOf<mad::PathRecord> = 0x35;
template <>
inline constexpr std::uint16_t kAttributeOf<mad::MCMemberRecord> = 0x38;
template <>
inline constexpr std::uint16_t kAttributeOf<mad::InformInfo> = 0x03;
template <>
inline constexpr std::uint16_t kAttributeOf<mad::InformInfoRecord> = 0xF3;

class Stage {
 public:
  explicit Stage(sa::Subnet subnet)
      : shared_view(std::make_shared<const View>(std::move(subnet))), view(*shared_view) {
    server.set_key(kOurKey);
    server.renew(now, shared_view);
  }

  // The n-th host's port.
  fabric::PortIndex host(std::size_t n) const {
    return view.topology().endports()[view.topology().switch_count() + n];
  }
  mad::Lid lid(fabric::PortIndex port) const { return view.lids().base(port); }

  // What comes back, if anything does. Reports that leave meanwhile are kept in `reports`.
  std::optional<mad::Datagram> send(const mad::Datagram& request) {
    server.on_mad(now, request);
    return sort_out();
  }
  // What has been put out since, without a request.
  std::optional<mad::Datagram> collect() { return sort_out(); }
  void let_pass(base::Duration time) {
    now += time;
    server.pump(now);
    sort_out();
  }
  template <mad::Described T>
  Reply<T> ask(const Question& question, const T& record, std::size_t asker = 0) {
    return read_reply<T>(send(make_query(question, record, lid(host(asker)))));
  }
  template <mad::Described T>
  Reply<T> ask(mad::Method method, std::uint64_t mask, const T& record, mad::SMKey key = {},
               std::uint32_t modifier = 0) {
    return ask(Question{method, kAttributeOf<T>, modifier, mask, key}, record);
  }
  template <mad::Described T>
  Reply<T> get(std::uint64_t mask, const T& record, mad::SMKey key = {}) {
    return ask(mad::Method::Get, mask, record, key);
  }
  template <mad::Described T>
  Reply<T> table(std::uint64_t mask = 0, const T& record = {}, mad::SMKey key = {}) {
    return ask(mad::Method::GetTable, mask, record, key);
  }

  std::shared_ptr<const View> shared_view;
  const View& view;
  Server server;
  base::Instant now{};
  std::vector<mad::Datagram> reports;

 private:
  std::optional<mad::Datagram> sort_out() {
    std::optional<mad::Datagram> reply;
    for (mad::Datagram& datagram : server.take_outgoing()) {
      const bool is_report = datagram.payload[3] == static_cast<std::byte>(mad::Method::Report);
      if (is_report) {
        reports.push_back(std::move(datagram));
      } else {
        reply = std::move(datagram);
      }
    }
    return reply;
  }
};

}  // namespace heddle::sa
