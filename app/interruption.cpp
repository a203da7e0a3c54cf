// SPDX-License-Identifier: BSD-3-Clause
#include "app/interruption.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>

#include <unistd.h>

#include "base/check.hpp"

namespace heddle::app {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

// What the handler reads. A handler may come between any two instructions, so the sentence has two
// places, and the one that counts is exchanged when the other is complete.
std::array<std::array<char, 512>, 2> sentences;
std::array<std::size_t, 2> lengths;
std::atomic<std::size_t> counts{0};
std::array<char, 4096> temporary;
std::atomic<bool> has_temporary{false};
std::atomic<bool> lives{false};
static_assert(std::atomic<std::size_t>::is_always_lock_free);

// Only what POSIX allows in a handler.
void put(const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t done = ::write(STDERR_FILENO, text, size);
    if (done <= 0) return;
    text += done;
    size -= static_cast<std::size_t>(done);
  }
}

void end(int signal) {
  if (has_temporary) ::unlink(temporary.data());
  constexpr char kClearLine[] = "\r\x1b[K";
  if (::isatty(STDERR_FILENO) == 1) put(kClearLine, sizeof kClearLine - 1);
  const std::size_t at = counts;
  put(sentences[at].data(), lengths[at]);
  ::raise(signal);  // the handler is gone by now, so this ends the program
}

}  // namespace

Interruption::Interruption() {
  HEDDLE_CHECK(!lives.exchange(true));
  say("interrupted");
  struct sigaction action {};
  action.sa_handler = end;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
  for (const int signal : kSignals) ::sigaction(signal, &action, nullptr);
}

Interruption::~Interruption() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
  lives = false;
}

void Interruption::say(const std::string& sentence) {
  const std::size_t other = 1 - counts;
  const std::string line = ("heddle: " + sentence).substr(0, sentences[other].size() - 1) + "\n";
  std::copy(line.begin(), line.end(), sentences[other].begin());
  lengths[other] = line.size();
  counts = other;
}

void Interruption::writing(const std::filesystem::path& file) {
  const std::string& name = file.native();
  if (!lives || name.size() >= temporary.size()) return;
  *std::copy(name.begin(), name.end(), temporary.begin()) = '\0';
  has_temporary = true;
}

void Interruption::written() {
  has_temporary = false;
}

}  // namespace heddle::app
