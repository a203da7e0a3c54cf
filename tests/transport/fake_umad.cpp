// SPDX-License-Identifier: BSD-3-Clause
#include "tests/transport/fake_umad.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <thread>

#include <fcntl.h>
#include <infiniband/umad.h>
#include <poll.h>
#include <signal.h>

namespace heddle::transport {
namespace {

std::unique_ptr<FakeKernel> the_kernel = std::make_unique<FakeKernel>();

// Of a file that could be read without waiting, too: not the handle of a test that needs none.
bool reads_wait(int handle) {
  return fake_kernel().is_file && (fcntl(handle, F_GETFL) & O_NONBLOCK) == 0;
}

// Waits as a read in the kernel does: a signal that comes at any time since the call began ends it.
// Where it came between two naps it would be lost otherwise, as often as not on a busy machine.
class Interruptible {
 public:
  Interruptible() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
  ~Interruptible() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  // False, with errno, if a signal came.
  bool nap() const {
    const timespec moment{0, 1'000'000};
    return ppoll(nullptr, 0, &moment, &before_) == 0;
  }

 private:
  sigset_t before_{};
};

std::vector<std::byte> copy_of(void* umad, int length) {
  const auto* first = static_cast<const std::byte*>(umad_get_mad(umad));
  return {first, first + length};
}

}  // namespace

FakeKernel& fake_kernel() {
  return *the_kernel;
}
void reset_fake_kernel() {
  the_kernel = std::make_unique<FakeKernel>();
}

}  // namespace heddle::transport

// These stand before those of the shared library, because the program itself defines them.
extern "C" {

using heddle::transport::fake_kernel;

int umad_open_port(const char*, int) {
  errno = fake_kernel().open_errno;
  return fake_kernel().open_result;
}

int umad_close_port(int) {
  ++fake_kernel().closed;
  return 0;
}

int umad_get_issm_path(const char*, int, char path[], int max) {
  std::snprintf(path, static_cast<std::size_t>(max), "%s", fake_kernel().issm_path.c_str());
  return fake_kernel().issm_path.empty() ? -ENODEV : 0;
}

int umad_register2(int, umad_reg_attr* attributes, std::uint32_t* id) {
  auto& kernel = fake_kernel();
  if (attributes->rmpp_version != 0 && kernel.refuses_rmpp) return EINVAL;
  if (attributes->mgmt_class == kernel.refused_class) return kernel.refusal;
  *id = static_cast<std::uint32_t>(kernel.agents.size());
  kernel.agents.push_back({attributes->mgmt_class,
                           attributes->mgmt_class_version,
                           attributes->rmpp_version,
                           {attributes->method_mask[0], attributes->method_mask[1]}});
  return 0;
}

int umad_send(int, int agent, void* umad, int length, int timeout_ms, int retries) {
  auto& kernel = fake_kernel();
  const std::scoped_lock lock(kernel.mutex);
  if (kernel.send_errno != 0) {
    errno = kernel.send_errno;
    return -EIO;
  }
  kernel.sent.push_back(
      {agent, length, timeout_ms, retries, heddle::transport::copy_of(umad, length)});
  return 0;
}

int umad_poll(int, int timeout_ms) {
  auto& kernel = fake_kernel();
  {
    const std::scoped_lock lock(kernel.mutex);
    ++kernel.polls;
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  do {
    {
      const std::scoped_lock lock(kernel.mutex);
      if (!kernel.inbound.empty() || kernel.read_errno != 0) return 0;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (std::chrono::steady_clock::now() < end);
  return -ETIMEDOUT;
}

int umad_recv(int handle, void* umad, int* length, int) {
  auto& kernel = fake_kernel();
  const heddle::transport::Interruptible wait;
  std::unique_lock lock(kernel.mutex);
  // The death of a device is seen on entry, and wakes nobody who waits already.
  const bool dead = kernel.read_errno != 0;
  while (!dead && heddle::transport::reads_wait(handle) && kernel.inbound.empty()) {
    lock.unlock();
    if (!wait.nap()) return -errno;
    lock.lock();
  }
  if (dead || kernel.inbound.empty()) {
    errno = dead ? kernel.read_errno : EAGAIN;
    return -errno;
  }
  const auto& next = kernel.inbound.front();
  const auto needed = static_cast<int>(next.mad.size());
  if (needed > *length) {
    *length = needed;
    errno = ENOSPC;
    return -ENOSPC;
  }
  std::memcpy(umad_get_mad(umad), next.mad.data(), next.mad.size());
  static_cast<ib_user_mad_t*>(umad)->status = next.status;
  *length = needed;
  kernel.inbound.pop_front();
  return 0;
}

}  // extern "C"
