// SPDX-License-Identifier: BSD-3-Clause
#include "sm/keys.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/check.hpp"

namespace heddle::sm {
namespace {

std::array<unsigned char, 8> big_endian(std::uint64_t value) {
  std::array<unsigned char, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(value >> (56 - 8 * i));
  }
  return bytes;
}

void add_new(std::vector<mad::MKey>& keys, mad::MKey key) {
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
}

}  // namespace

mad::MKey derive_m_key(mad::MKey from, mad::Guid port) {
  if (from == mad::MKey{}) return from;
  const auto key = big_endian(from.value);
  const auto message = big_endian(port.value);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  const auto* done = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), message.data(),
                          message.size(), digest.data(), &length);
  HEDDLE_CHECK(done != nullptr && length >= 8);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) value = value << 8 | digest[i];
  return {value == 0 ? 1 : value};
}

void Keys::set(const Options& options) {
  std::vector<mad::MKey> masters{options.m_key};
  for (const mad::MKey former : options.former_m_keys) add_new(masters, former);
  if (set_) {
    for (const mad::MKey former : masters_) add_new(masters, former);
  }
  set_ = true;
  per_port_ = options.m_key_per_port;
  derived_.clear();
  masters_ = std::move(masters);
  find_strangers();
}

void Keys::remember(const RememberedKeys& keys) {
  for (const mad::MKey master : keys.masters) {
    if (masters_.size() <= kMostKeys) add_new(masters_, master);
  }
  for (const auto& [port, key] : keys.by_port) foreign_.insert_or_assign(port, key);
  find_strangers();
}

RememberedKeys Keys::in_use() const {
  RememberedKeys keys{{}, foreign_};
  for (const mad::MKey master : masters_) {
    if (master != mad::MKey{} && keys.masters.size() < kMostKeys) keys.masters.push_back(master);
  }
  return keys;
}

// Another manager had one key for all, as a rule, so that few of its keys are many.
void Keys::find_strangers() {
  strangers_ = masters_;
  for (const auto& [port, key] : foreign_) {
    if (strangers_.size() >= masters_.size() + kMostKeys) return;
    add_new(strangers_, key);
  }
}

void Keys::remember(const std::vector<RememberedLids>& memory) {
  remembered_.clear();
  for (const RememberedLids& lids : memory) remembered_.push_back(lids.port_guid);
}

bool Keys::has_tried(mad::Guid port, std::size_t others) const {
  const auto tried = tried_.find(port);
  return tried != tried_.end() && tried->second == others;
}

void Keys::unlock(mad::Guid port) {
  locked_.erase(port);
  tried_.erase(port);
}

mad::MKey Keys::of(mad::Guid port) const {
  if (!per_port_) return masters_.front();
  const auto [known, is_new] = derived_.try_emplace(port);
  if (is_new) known->second = derive_m_key(masters_.front(), port);
  return known->second;
}

std::vector<mad::MKey> Keys::candidates(mad::Guid port) const {
  std::vector<mad::MKey> keys{of(port)};
  const auto foreign = foreign_.find(port);
  if (foreign != foreign_.end()) add_new(keys, foreign->second);
  for (const mad::MKey master : masters_) add_new(keys, master);
  for (const mad::MKey master : masters_) add_new(keys, derive_m_key(master, port));
  return keys;
}

bool Keys::per_port() const {
  return per_port_ && std::any_of(masters_.begin(), masters_.end(),
                                  [](mad::MKey master) { return master != mad::MKey{}; });
}

void Keys::add_derived(mad::Guid port, std::vector<mad::MKey>& keys) const {
  for (const mad::MKey master : masters_) {
    if (master != mad::MKey{}) keys.push_back(derive_m_key(master, port));
  }
}

}  // namespace heddle::sm
