// SPDX-License-Identifier: BSD-3-Clause
#include "transport/waiting_read.hpp"

#include <chrono>

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

namespace heddle::transport {
namespace {

// Ignored unless somebody asks for it, and nothing else here does.
constexpr int kWake = SIGURG;
constexpr std::chrono::milliseconds kAgain{1};

// A signal that is ignored interrupts nothing.
void interrupt_reads() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigemptyset(&action.sa_mask);  // and no SA_RESTART
  sigaction(kWake, &action, nullptr);
}

}  // namespace

WaitingRead::WaitingRead(int handle) : handle_(handle), flags_(::fcntl(handle, F_GETFL)) {
  if (flags_ >= 0 && (flags_ & O_NONBLOCK) == 0) flags_ = -1;  // no file that libibumad opened
  if (flags_ >= 0) interrupt_reads();
}

WaitingRead::~WaitingRead() {
  if (nudges_) timer_delete(nudge_);
}

// Once begun it goes on: to arm and stop it with each change of set() would cost more.
bool WaitingRead::nudge() {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = kWake;
  event._sigev_un._tid = gettid();
  if (timer_create(CLOCK_MONOTONIC, &event, &nudge_) != 0) return false;
  nudges_ = true;
  const itimerspec each{{kLongest.count(), 0}, {kLongest.count(), 0}};
  return timer_settime(nudge_, 0, &each, nullptr) == 0;
}

bool WaitingRead::set(bool waits) {
  if (waits == waits_) return true;
  if (flags_ < 0) return false;
  if (!nudges_ && !nudge()) {
    flags_ = -1;  // a read that nothing ends would not be safe
    return false;
  }
  const int wanted = waits ? flags_ & ~O_NONBLOCK : flags_;
  if (::fcntl(handle_, F_SETFL, wanted) != 0) return false;
  waits_ = waits;
  return true;
}

void WaitingRead::begin() {
  sigset_t wake;
  sigemptyset(&wake);
  sigaddset(&wake, kWake);
  pthread_sigmask(SIG_UNBLOCK, &wake, nullptr);
}

void WaitingRead::end(std::thread& reader, const std::atomic<bool>& ended) {
  // Again and again: a signal that comes just before the read begins wakes nobody.
  while (!ended) {
    pthread_kill(reader.native_handle(), kWake);
    std::this_thread::sleep_for(kAgain);
  }
  reader.join();
}

}  // namespace heddle::transport
