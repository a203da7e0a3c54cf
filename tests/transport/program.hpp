// SPDX-License-Identifier: BSD-3-Clause
// Other programs, run by a test: spoken to over pipes, with patience that ends, and never left
// behind.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::transport {

inline constexpr std::chrono::milliseconds kProgramPatience{10'000};

// A program in a process group of its own, which dies with this object and with this process.
class Program {
 public:
  Program(const std::vector<std::string>& words, const std::filesystem::path& folder) {
    int to[2];
    int from[2];
    if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) std::abort();
    process_ = ::fork();
    if (process_ == 0) become(words, folder, to[0], from[1]);
    ::setpgid(process_, process_);
    ::close(to[0]);
    ::close(from[1]);
    input_ = to[1];
    output_ = from[0];
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    ::close(input_);
    ::close(output_);
    if (process_ <= 0) return;
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  void say(const std::string& line) const {
    const std::string text = line + "\n";
    EXPECT_EQ(::write(input_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  // The next line, or what came before the time was up or the program ended.
  std::string hear(std::chrono::milliseconds patience = kProgramPatience) const {
    std::string line;
    char c = 0;
    while (readable(patience) && ::read(output_, &c, 1) == 1 && c != '\n') line += c;
    return line;
  }
  std::string ask(const std::string& line) const {
    say(line);
    return hear();
  }

  std::string hear_all(std::chrono::milliseconds patience = kProgramPatience) const {
    std::string text;
    char c = 0;
    while (readable(patience) && ::read(output_, &c, 1) == 1) text += c;
    return text;
  }

  // The exit status; -1 when it does not end in time or a signal ended it.
  int end(std::chrono::milliseconds patience = kProgramPatience) {
    for (const auto until = std::chrono::steady_clock::now() + patience;
         std::chrono::steady_clock::now() < until;
         std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
      int status = 0;
      if (::waitpid(process_, &status, WNOHANG) != process_) continue;
      process_ = 0;
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    return -1;
  }

 private:
  bool readable(std::chrono::milliseconds patience) const {
    pollfd waited{output_, POLLIN, 0};
    return ::poll(&waited, 1, static_cast<int>(patience.count())) == 1;
  }

  [[noreturn]] static void become(const std::vector<std::string>& words,
                                  const std::filesystem::path& folder, int input, int output) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::chdir(folder.c_str()) != 0) ::_exit(126);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    std::vector<char*> arguments;
    for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }

  pid_t process_ = 0;
  int input_ = -1;
  int output_ = -1;
};

}  // namespace heddle::transport
