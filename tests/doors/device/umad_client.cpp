// SPDX-License-Identifier: BSD-3-Clause
#include "tests/doors/device/umad_client.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include <arpa/inet.h>

namespace heddle::doors {
namespace {

constexpr int kManagementQKey = static_cast<int>(0x8001'0000);

// libibumad takes the mask in longs.
std::vector<long> mask_of(const std::vector<int>& methods) {
  std::vector<long> mask(128 / (8 * sizeof(long)));
  for (const int method : methods) {
    const auto bit = static_cast<unsigned>(method);
    mask[bit / 64] |= static_cast<long>(1ul << (bit % 64));
  }
  return mask;
}

}  // namespace

Umad::Umad(const char* device, int port) : port_(umad_open_port(device, port)) {}

Umad::~Umad() {
  if (port_ >= 0) umad_close_port(port_);
}

int Umad::listen(int management_class, int version, int rmpp, const std::vector<int>& methods) {
  auto mask = mask_of(methods);
  errno = 0;
  const int agent =
      umad_register(port_, management_class, version, static_cast<std::uint8_t>(rmpp), mask.data());
  return agent >= 0 ? agent : -errno;
}

int Umad::listen_oui(int management_class, int rmpp, std::uint32_t oui,
                     const std::vector<int>& methods) {
  auto mask = mask_of(methods);
  std::uint8_t bytes[3] = {static_cast<std::uint8_t>(oui >> 16),
                           static_cast<std::uint8_t>(oui >> 8), static_cast<std::uint8_t>(oui)};
  errno = 0;
  const int agent = umad_register_oui(port_, management_class, static_cast<std::uint8_t>(rmpp),
                                      bytes, mask.data());
  return agent >= 0 ? agent : -errno;
}

int Umad::send(int agent, const Bytes& mad, int lid, int qpn, int timeout_ms, int retries) {
  std::vector<char> umad(umad_size() + mad.size());
  std::memcpy(umad_get_mad(umad.data()), mad.data(), mad.size());
  umad_set_addr(umad.data(), lid, qpn, 0, qpn == 0 ? 0 : kManagementQKey);
  errno = 0;
  const int sent =
      umad_send(port_, agent, umad.data(), static_cast<int>(mad.size()), timeout_ms, retries);
  return sent == 0 ? 0 : -errno;
}

int Umad::send_by(const Extras& extras, int agent, const Bytes& mad, int lid, int timeout_ms) {
  ib_mad_addr_t to{};
  to.lid = htons(static_cast<std::uint16_t>(lid));
  to.pkey_index = static_cast<std::uint16_t>(extras.p_key_index);
  if (extras.gid != nullptr) {
    to.grh_present = 1;
    to.gid_index = extras.gid_index;
    to.hop_limit = 1;
    std::memcpy(to.gid, extras.gid->data(), sizeof to.gid);
  }
  return send_to(agent, mad, to, timeout_ms, 0);
}

int Umad::reply(int agent, const Bytes& mad, const ib_mad_addr_t& to) {
  return send_to(agent, mad, to, 0, 5);
}

int Umad::send_to(int agent, const Bytes& mad, ib_mad_addr_t to, int timeout_ms, int retries) {
  std::vector<char> umad(umad_size() + mad.size());
  std::memcpy(umad_get_mad(umad.data()), mad.data(), mad.size());
  umad_set_addr(umad.data(), ntohs(to.lid), 1, 0, kManagementQKey);
  umad_set_pkey(umad.data(), to.pkey_index);
  umad_set_grh(umad.data(), to.grh_present ? &to : nullptr);
  if (to.grh_present) umad_get_mad_addr(umad.data())->gid_index = to.gid_index;
  errno = 0;
  const int sent =
      umad_send(port_, agent, umad.data(), static_cast<int>(mad.size()), timeout_ms, retries);
  return sent == 0 ? 0 : -errno;
}

Answer Umad::receive(int timeout_ms) {
  std::vector<char> umad(umad_size() + 256);
  int length = 256;
  Answer answer;
  errno = 0;
  answer.agent = umad_recv(port_, umad.data(), &length, timeout_ms);
  if (answer.agent < 0 && errno == ENOSPC && length > 256) {
    umad.resize(umad_size() + static_cast<std::size_t>(length));
    answer.agent = umad_recv(port_, umad.data(), &length, timeout_ms);
  }
  if (answer.agent < 0) return answer;
  answer.status = static_cast<unsigned>(umad_status(umad.data()));
  const auto* mad = static_cast<const std::uint8_t*>(umad_get_mad(umad.data()));
  answer.mad.assign(mad, mad + length);
  answer.from = *umad_get_mad_addr(umad.data());
  return answer;
}

Bytes directed(mad::Method method, mad::AttributeId attribute,
               const std::vector<std::uint8_t>& route, std::uint32_t id, const mad::SmpData& data,
               std::uint32_t modifier) {
  mad::Smp smp;
  smp.method = method;
  smp.attribute_id = attribute;
  smp.attribute_modifier = modifier;
  smp.transaction_id = mad::TransactionId{id};
  smp.dr_slid = smp.dr_dlid = mad::kPermissiveLid;
  smp.data = data;
  for (const std::uint8_t port : route) {
    smp.initial_path[++smp.hop_count] = mad::PortNumber{port};
  }
  const auto bytes = mad::encode_smp(smp);
  Bytes mad(bytes.size());
  std::memcpy(mad.data(), bytes.data(), bytes.size());
  return mad;
}

Bytes gmp(std::uint8_t management_class, std::uint8_t version, std::uint8_t method,
          std::uint32_t id, std::size_t size) {
  Bytes mad(size);
  mad[0] = 1;
  mad[1] = management_class;
  mad[2] = version;
  mad[3] = method;
  for (std::size_t i = 0; i < 4; ++i) mad[12 + i] = static_cast<std::uint8_t>(id >> (24 - 8 * i));
  return mad;
}

std::uint32_t id_of(const Bytes& mad) {
  std::uint32_t id = 0;
  for (std::size_t i = 12; i < 16; ++i) id = id << 8 | mad.at(i);
  return id;
}

std::string class_text(const std::string& file, const std::string& device) {
  std::ifstream text("/sys/class/infiniband/" + device + "/" + file);
  std::string all{std::istreambuf_iterator<char>(text), {}};
  while (!all.empty() && all.back() == '\n') all.pop_back();
  return all;
}

int own_lid(const std::string& device, int port) {
  const std::string text = class_text("ports/" + std::to_string(port) + "/lid", device);
  return text.empty() ? 0 : std::stoi(text, nullptr, 16);
}

}  // namespace heddle::doors
