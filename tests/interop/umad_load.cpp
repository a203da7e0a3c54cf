// SPDX-License-Identifier: BSD-3-Clause
// A program behind libibumad as a load: asks its neighbour for NodeInfo, with some requests in
// flight at once, and prints how many answers came in a second. It may be
// made to die in the midst.
//
//   umad_load COUNT WINDOW [die]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include <infiniband/umad.h>
#include <unistd.h>

namespace {

constexpr int kMadBytes = 256;
constexpr int kDirectedRouteClass = 0x81;
constexpr int kWaitMilliseconds = 3000;

double seconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void write_request(std::uint8_t* mad, std::uint32_t number) {
  std::memset(mad, 0, kMadBytes);
  mad[0] = 1;
  mad[1] = kDirectedRouteClass;
  mad[2] = 1;
  mad[3] = 1;  // Get
  mad[7] = 1;  // one hop
  for (int i = 0; i < 4; ++i) mad[12 + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  mad[17] = 0x11;  // NodeInfo
  std::memset(mad + 32, 0xff, 4);
  mad[129] = 1;  // leave by port 1
}

bool send_one(int port, int agent, void* umad, std::uint32_t number) {
  write_request(static_cast<std::uint8_t*>(umad_get_mad(umad)), number);
  umad_set_addr(umad, 0xffff, 0, 0, 0);
  return umad_send(port, agent, umad, kMadBytes, kWaitMilliseconds, 0) == 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const auto total = static_cast<std::uint32_t>(std::strtoul(words[1], nullptr, 10));
  const auto window = static_cast<std::uint32_t>(std::strtoul(words[2], nullptr, 10));
  const bool dies = count > 3 && std::strcmp(words[3], "die") == 0;
  umad_init();
  const int port = umad_open_port(nullptr, 0);
  if (port < 0) return 3;
  const int agent = umad_register(port, kDirectedRouteClass, 1, 0, nullptr);
  if (agent < 0) return 3;
  std::vector<char> buffer(umad_size() + kMadBytes + 64);
  std::uint32_t sent = 0;
  std::uint32_t answered = 0;
  std::uint32_t failed = 0;
  const double begin = seconds_now();
  while (answered + failed < total) {
    while (sent < total && sent - answered - failed < window) {
      if (!send_one(port, agent, buffer.data(), sent)) return 4;
      ++sent;
    }
    if (dies) ::_exit(0);  // without DISCONNECT, with answers on their way
    int length = kMadBytes;
    const int got = umad_recv(port, buffer.data(), &length, kWaitMilliseconds);
    if (got < 0) return 5;
    ++(umad_status(buffer.data()) == 0 ? answered : failed);
  }
  const double spent = seconds_now() - begin;
  std::printf("%u answered, %u failed, %.0f MADs/s\n", answered, failed,
              static_cast<double>(total) / spent);
  return 0;
}
