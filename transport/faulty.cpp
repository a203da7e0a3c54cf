// SPDX-License-Identifier: BSD-3-Clause
#include "transport/faulty.hpp"

#include <algorithm>

namespace heddle::transport {
namespace {

MishapOptions with_seed(MishapOptions options, std::uint64_t seed) {
  options.seed = seed;
  return options;
}

}  // namespace

Mishaps::Mishaps(const MishapOptions& options) : options_(options), prng_(options.seed) {}

std::vector<Received> Mishaps::pass(base::Instant now, Received entering) {
  std::vector<Received> leaving;
  if (prng_.chance(options_.drop)) return leaving;
  const int copies = prng_.chance(options_.duplicate) ? 2 : 1;
  for (int i = 0; i < copies; ++i) {
    Received copy = entering;
    if (prng_.chance(options_.damage)) damage(copy.datagram.payload);
    if (!prng_.chance(options_.delay)) {
      leaving.push_back(std::move(copy));
      continue;
    }
    const auto most =
        static_cast<std::uint64_t>(std::max<std::int64_t>(options_.max_delay.count(), 0));
    const base::Duration late{static_cast<std::int64_t>(prng_.below(most + 1))};
    delayed_.emplace(now + late, std::move(copy));
  }
  return leaving;
}

void Mishaps::damage(mad::Payload& payload) {
  if (payload.empty()) return;
  const auto bit = prng_.below(payload.size() * 8);
  payload[static_cast<std::size_t>(bit / 8)] ^= static_cast<std::byte>(1u << (bit % 8));
}

std::vector<Received> Mishaps::take_due(base::Instant now) {
  std::vector<Received> due;
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    due.push_back(std::move(delayed_.begin()->second));
    delayed_.erase(delayed_.begin());
  }
  return due;
}

base::Instant Mishaps::deadline() const {
  return delayed_.empty() ? base::kNever : delayed_.begin()->first;
}

// The two directions draw from different streams, so that an answer more or less does not change
// what happens to later requests.
Faulty::Faulty(Transport& inner, const MishapOptions& options)
    : inner_(inner), outward_(options), inward_(with_seed(options, ~options.seed)) {}

void Faulty::set_receiver(Receiver receiver) {
  receiver_ = std::move(receiver);
  inner_.set_receiver([this](std::span<Received> batch) {
    std::vector<Received> through;
    for (Received& received : batch) {
      for (Received& left : inward_.pass(now_, std::move(received))) {
        through.push_back(std::move(left));
      }
    }
    if (!through.empty()) receiver_(through);
  });
}

void Faulty::send(mad::Datagram datagram) {
  for (Received& left : outward_.pass(now_, {Arrival::Message, std::move(datagram)})) {
    inner_.send(std::move(left.datagram));
  }
}

void Faulty::advance(base::Instant now) {
  now_ = std::max(now_, now);
  for (Received& due : outward_.take_due(now_)) inner_.send(std::move(due.datagram));
  std::vector<Received> arrived = inward_.take_due(now_);
  if (!arrived.empty() && receiver_) receiver_(arrived);
}

base::Instant Faulty::deadline() const {
  return std::min(outward_.deadline(), inward_.deadline());
}

}  // namespace heddle::transport
