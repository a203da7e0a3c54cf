// SPDX-License-Identifier: BSD-3-Clause
// Scratch memory for parallel work: as many as there are threads at work, not one for each range.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace heddle::base {

// From any thread. What is borrowed is as its last borrower left it.
template <class T>
class Spares {
 public:
  Spares() = default;
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;
  ~Spares() {
    while (take() != nullptr) {
    }
  }

  // Calls work(T&) with one that nobody else has; with what make() gives, if there is none. If work
  // throws, that one is gone.
  template <class Make, class Work>
  void borrow(Make make, Work work) {
    std::unique_ptr<T> one = take();
    if (one == nullptr) one = make();
    work(*one);
    keep(std::move(one));
  }

 private:
  // More threads at a time are rare, and then what is over is made again.
  static constexpr std::size_t kMost = 64;

  std::unique_ptr<T> take() {
    for (auto& place : idle_) {
      if (T* const one = place.exchange(nullptr)) return std::unique_ptr<T>(one);
    }
    return nullptr;
  }
  void keep(std::unique_ptr<T> one) {
    for (auto& place : idle_) {
      T* nobody = nullptr;
      if (!place.compare_exchange_strong(nobody, one.get())) continue;
      (void)one.release();
      return;
    }
  }

  std::array<std::atomic<T*>, kMost> idle_{};
};

}  // namespace heddle::base
