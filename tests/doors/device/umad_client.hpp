// SPDX-License-Identifier: BSD-3-Clause
// libibumad for a test: what a program on a simulated host does, in few words.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <infiniband/umad.h>

#include "mad/smp.hpp"

namespace heddle::doors {

using Bytes = std::vector<std::uint8_t>;

using RawGid = std::array<std::uint8_t, 16>;

struct Answer {
  int agent = -1;  // or minus an errno
  unsigned status = 0;
  Bytes mad;
  ib_mad_addr_t from{};
};

class Umad {
 public:
  explicit Umad(const char* device = nullptr, int port = 0);
  ~Umad();
  Umad(const Umad&) = delete;
  Umad& operator=(const Umad&) = delete;

  int fd() const { return umad_get_fd(port_); }
  int port() const { return port_; }
  // Agent, or minus an errno.
  int listen(int management_class, int version, int rmpp, const std::vector<int>& methods);
  int listen_oui(int management_class, int rmpp, std::uint32_t oui,
                 const std::vector<int>& methods);

  // 0, or minus an errno. `to` in host order.
  int send(int agent, const Bytes& mad, int lid, int qpn, int timeout_ms = 1000, int retries = 0);
  // The same with more of an address: the P_Key's index, and the GID for a GRH.
  struct Extras {
    int p_key_index = 0;
    const RawGid* gid = nullptr;
    std::uint8_t gid_index = 0;  // of the sender
  };
  int send_by(const Extras& extras, int agent, const Bytes& mad, int lid, int timeout_ms = 1000);
  // To where a request came from, the way it came; segments are sent again five times.
  int reply(int agent, const Bytes& mad, const ib_mad_addr_t& to);
  // Waits so long; grows the buffer when libibumad says that it is too small.
  Answer receive(int timeout_ms);

 private:
  int send_to(int agent, const Bytes& mad, ib_mad_addr_t to, int timeout_ms, int retries);
  int port_;
};

// Request on the route, which is made of port numbers.
Bytes directed(mad::Method method, mad::AttributeId attribute,
               const std::vector<std::uint8_t>& route, std::uint32_t id,
               const mad::SmpData& data = {}, std::uint32_t modifier = 0);

// A MAD with the common header and zeros, of 256 bytes or more.
Bytes gmp(std::uint8_t management_class, std::uint8_t version, std::uint8_t method,
          std::uint32_t id, std::size_t size = 256);
std::uint32_t id_of(const Bytes& mad);  // the low half of its transaction id

// A file under the class folder of the first device and port.
std::string class_text(const std::string& file, const std::string& device = "mlx5_0");
int own_lid(const std::string& device = "mlx5_0", int port = 1);

}  // namespace heddle::doors
