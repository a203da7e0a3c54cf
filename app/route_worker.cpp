// SPDX-License-Identifier: BSD-3-Clause
#include "app/route_worker.hpp"

#include <cstddef>
#include <utility>

#include <boost/asio/post.hpp>

namespace heddle::app {
namespace {

// Engines and proofs know nothing of being given up: it ends them where they begin parallel work,
// or breathe. weave does so between trees; while it levels loads or settles quarrels it is waited
// for.
struct GivenUp {};

base::ParallelFor while_wanted(const base::ParallelFor& parallel, const std::atomic<bool>& wanted) {
  return [&parallel, &wanted](std::size_t count, const base::RangeWork& work) {
    parallel(count, [&work, &wanted](std::size_t begin, std::size_t end) {
      if (!wanted) throw GivenUp{};
      work(begin, end);
    });
  };
}

}  // namespace

RouteWorker::RouteWorker(base::ParallelFor parallel, Done done)
    : parallel_(std::move(parallel)), done_(std::move(done)) {}

RouteWorker::~RouteWorker() {
  give_up();
  thread_.join();
}

void RouteWorker::compute(sm::ComputeRoutes request) {
  give_up();
  wanted_ = std::make_shared<std::atomic<bool>>(true);
  boost::asio::post(thread_, [this, request = std::move(request), wanted = wanted_] {
    if (*wanted) carry_out(request, wanted);
  });
}

void RouteWorker::give_up() {
  if (wanted_ != nullptr) *wanted_ = false;
}

void RouteWorker::carry_out(const sm::ComputeRoutes& request, const Wanted& wanted) {
  try {
    done_(sm::carry_out(request, while_wanted(parallel_, *wanted)));
  } catch (const GivenUp&) {
    return;
  }
}

}  // namespace heddle::app
