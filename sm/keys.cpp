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
  masters_ = std::move(masters);
  strangers_ = masters_;
}

mad::MKey Keys::of(mad::Guid port) const {
  return per_port_ ? derive_m_key(masters_.front(), port) : masters_.front();
}

std::vector<mad::MKey> Keys::candidates(mad::Guid port, mad::Lid holds) const {
  std::vector<mad::MKey> keys{of(port)};
  for (const mad::MKey master : masters_) {
    add_new(keys, master);
    add_new(keys, derive_m_key(master, port));
  }
  if (memory_ == nullptr || holds == mad::kNoLid) return keys;
  for (const RememberedLids& owner : *memory_) {
    if (holds.value >> owner.lmc != owner.base.value >> owner.lmc) continue;
    for (const mad::MKey master : masters_) add_new(keys, derive_m_key(master, owner.port_guid));
  }
  return keys;
}

}  // namespace heddle::sm
