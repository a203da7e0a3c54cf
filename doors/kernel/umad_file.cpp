// SPDX-License-Identifier: BSD-3-Clause
#include "doors/kernel/umad_file.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <sys/ioctl.h>

namespace heddle::doors::kernel {
namespace {

void put_word(std::span<std::byte> bytes, std::uint32_t word) {
  std::memcpy(bytes.data(), &word, sizeof word);
}

}  // namespace

UmadFile::UmadFile(MadPort& port, std::function<void()> on_readable)
    : port_(port), on_readable_(std::move(on_readable)) {}

UmadFile::~UmadFile() {
  for (const AgentId id : agents_) {
    if (id != 0) port_.remove_agent(id);
  }
}

// --- ioctl --------------------------------------------------------------------------------------

std::errc UmadFile::ioctl(std::uint32_t command, std::span<std::byte> argument) {
  constexpr auto kUnknown = std::errc::inappropriate_io_control_operation;
  if (_IOC_TYPE(command) != kIoctlType) return kUnknown;
  std::uint32_t slot = 0;
  std::optional<Registration> wanted;
  switch (static_cast<Ioctl>(_IOC_NR(command))) {
    case Ioctl::RegisterAgent:
      wanted = decode_registration(argument);
      break;
    case Ioctl::RegisterAgent2:
      wanted = decode_registration2(argument);
      break;
    case Ioctl::UnregisterAgent:
      return unregister_agent(argument);
    case Ioctl::EnablePKey:
      if (used_) return std::errc::invalid_argument;
      with_p_key_ = true;
      return {};
    default:
      return kUnknown;
  }
  if (!wanted) return std::errc::bad_address;
  const std::errc error = register_agent(*wanted, slot);
  if (error == std::errc{}) put_word(argument, slot);
  return error;
}

std::errc UmadFile::register_agent(const Registration& wanted, std::uint32_t& slot) {
  const auto free = std::find(agents_.begin(), agents_.end(), AgentId{0});
  if (free == agents_.end()) return std::errc::not_enough_memory;
  slot = static_cast<std::uint32_t>(free - agents_.begin());
  const auto added = port_.add_agent(wanted, *this, slot);
  if (added.error != std::errc{}) return added.error;
  *free = added.id;
  used_ = true;
  return {};
}

std::errc UmadFile::unregister_agent(std::span<const std::byte> argument) {
  std::uint32_t slot = 0;
  if (argument.size() < sizeof slot) return std::errc::bad_address;
  std::memcpy(&slot, argument.data(), sizeof slot);
  if (slot >= kMaxAgents || agents_[slot] == 0) return std::errc::invalid_argument;
  port_.remove_agent(std::exchange(agents_[slot], 0));
  return {};
}

// --- write and read -----------------------------------------------------------------------------

std::errc UmadFile::write(std::span<const std::byte> bytes, base::Instant now) {
  const auto header = decode_header(bytes, with_p_key_);
  if (!header || bytes.size() < header_bytes() + kRmppHeaderEnd) {
    return std::errc::invalid_argument;
  }
  if (header->id >= kMaxAgents) return std::errc::invalid_argument;
  if (agents_[header->id] == 0) return std::errc::io_error;
  const auto mad = bytes.subspan(header_bytes());
  return port_.send(agents_[header->id], *header, mad::Payload(mad.begin(), mad.end()), now);
}

void UmadFile::give_back(std::span<const std::byte> bytes, std::errc why) {
  const auto header = decode_header(bytes, with_p_key_);
  if (!header || header->timeout_ms == 0 || bytes.size() < header_bytes() + kMadHeaderBytes) return;
  const auto mad = bytes.subspan(header_bytes(), kMadHeaderBytes);
  Arrival back{*header, mad::Payload(mad.begin(), mad.end())};
  back.header.status = static_cast<std::uint32_t>(why);
  deliver(std::move(back));
}

void UmadFile::deliver(Arrival arrival) {
  if (received_.size() >= kMaxReceived) {
    ++lost_;
    return;
  }
  if (arrival.header.status == 0) {
    arrival.header.length = static_cast<std::uint32_t>(header_bytes() + arrival.mad.size());
  }
  received_.push_back(std::move(arrival));
  on_readable_();
}

std::size_t UmadFile::next_size() const {
  return received_.empty() ? 0 : header_bytes() + received_.front().mad.size();
}

std::size_t UmadFile::least_room() const {
  if (received_.empty()) return 0;
  return header_bytes() + std::min(received_.front().mad.size(), mad::kMadBytes);
}

UmadFile::Read UmadFile::read(std::size_t room) {
  if (received_.empty()) return {std::errc::operation_would_block, {}};
  const Arrival& next = received_.front();
  const std::size_t size = next.mad.size();
  const std::size_t least = least_room();
  if (room < least) return {std::errc::invalid_argument, {}};
  if (room < header_bytes() + size) {
    return {std::errc::no_space_on_device, bytes_of(next, least - header_bytes())};
  }
  Read read{std::errc{}, bytes_of(next, size)};
  received_.pop_front();
  return read;
}

std::vector<std::byte> UmadFile::bytes_of(const Arrival& arrival, std::size_t mad_bytes) const {
  std::vector<std::byte> bytes(header_bytes() + mad_bytes);
  encode_header(arrival.header, with_p_key_, bytes);
  std::memcpy(bytes.data() + header_bytes(), arrival.mad.data(), mad_bytes);
  return bytes;
}

}  // namespace heddle::doors::kernel
