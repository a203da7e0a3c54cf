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
  strangers_ = masters_;
}

void Keys::set_owners(const std::vector<RememberedLids>& memory) {
  owner_of_.assign(std::size_t{mad::kLastUnicastLid.value} + 1, mad::Guid{});
  for (const RememberedLids& lids : memory) {
    if (lids.lmc > mad::kMaxLmc) continue;
    const std::size_t end = std::size_t{lids.base.value} + (std::size_t{1} << lids.lmc);
    if (end > owner_of_.size()) continue;
    for (std::size_t lid = lids.base.value; lid < end; ++lid) owner_of_[lid] = lids.port_guid;
  }
}

mad::MKey Keys::of(mad::Guid port) const {
  if (!per_port_) return masters_.front();
  const auto [known, is_new] = derived_.try_emplace(port);
  if (is_new) known->second = derive_m_key(masters_.front(), port);
  return known->second;
}

std::vector<mad::MKey> Keys::candidates(mad::Guid port, mad::Lid holds) const {
  std::vector<mad::MKey> keys{of(port)};
  for (const mad::MKey master : masters_) {
    add_new(keys, master);
    add_new(keys, derive_m_key(master, port));
  }
  const bool owned = holds.value < owner_of_.size() && owner_of_[holds.value] != mad::Guid{};
  if (!owned) return keys;
  for (const mad::MKey master : masters_) {
    add_new(keys, derive_m_key(master, owner_of_[holds.value]));
  }
  return keys;
}

}  // namespace heddle::sm
