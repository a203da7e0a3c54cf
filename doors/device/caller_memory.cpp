// SPDX-License-Identifier: BSD-3-Clause
#include "doors/device/caller_memory.hpp"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace heddle::doors {
namespace {

constexpr int kTries = 20;  // the thread may still be on its way to sleep

bool is_read_or_write(long number) {
  return number == SYS_read || number == SYS_write || number == SYS_pread64 ||
         number == SYS_pwrite64;
}

}  // namespace

std::optional<CallerBuffer> caller_buffer(pid_t thread) {
  const std::string path = fmt::format("/proc/{}/syscall", thread);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), &std::fclose);
    if (!file) return std::nullopt;
    long number = -1;
    std::uint64_t descriptor = 0;
    CallerBuffer buffer;
    const int fields = std::fscanf(file.get(), "%ld 0x%" SCNx64 " 0x%" SCNx64 " 0x%zx", &number,
                                   &descriptor, &buffer.address, &buffer.size);
    if (fields == 4) return is_read_or_write(number) ? std::optional(buffer) : std::nullopt;
    sched_yield();
  }
  return std::nullopt;
}

bool write_into_caller(pid_t thread, const CallerBuffer& buffer, std::span<const std::byte> bytes) {
  if (bytes.size() > buffer.size) return false;
  const iovec local{const_cast<std::byte*>(bytes.data()), bytes.size()};
  const iovec remote{reinterpret_cast<void*>(buffer.address), bytes.size()};
  return process_vm_writev(thread, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes.size());
}

UniqueFd process_of(pid_t thread) {
  std::ifstream status(fmt::format("/proc/{}/status", thread));
  std::string word;
  pid_t process = 0;
  while (process == 0 && status >> word) {
    if (word == "Tgid:" && !(status >> process)) break;
  }
  return UniqueFd(process == 0 ? -1 : static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
}

}  // namespace heddle::doors
