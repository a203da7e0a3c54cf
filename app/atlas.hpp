// SPDX-License-Identifier: BSD-3-Clause
// The atlas of a running subnet manager (api/atlas.hpp): a thread of its own works answers out, the
// server's picks up what is finished.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <boost/asio/thread_pool.hpp>

#include "api/atlas.hpp"
#include "app/atlas_work.hpp"

namespace heddle::app {

class LiveAtlas final : public api::Atlas {
 public:
  LiveAtlas();
  // Waits for what is being worked out.
  ~LiveAtlas() override;

  // By what losses are repaired. From any thread.
  void route_by(const routing::Policy& policy);

  api::Response picture(const api::State& state) override;
  api::Response load(const api::State& state) override;
  api::Response what_if(const api::State& state, const api::LossQuestion& question) override;

 private:
  using Work = std::function<std::shared_ptr<const void>()>;
  // Null as long as it is being worked out, or waits until less is. The newest kMostKept results
  // are kept. `of` is what it is worked out from, besides what the key says: other tables, another
  // result.
  std::shared_ptr<const void> result(const std::string& key, std::shared_ptr<const void> of,
                                     Work work);
  std::shared_ptr<const Drawing> drawing(const api::State& state);
  const std::string& shape(const SharedSnapshot& fabric);

  struct Kept {
    std::string key;
    std::shared_ptr<const void> of;
    std::shared_ptr<const void> result;  // null: under way
  };
  static constexpr std::size_t kMostKept = 16;
  static constexpr std::size_t kMostUnderWay = 8;

  std::mutex mutex_;
  std::deque<Kept> kept_;       // guarded by mutex_
  routing::Policy policy_;      // guarded by mutex_
  std::uint64_t policies_ = 0;  // guarded by mutex_; of them, how many there were
  SharedSnapshot shaped_;       // of shape_; the server's thread alone
  std::string shape_;
  boost::asio::thread_pool worker_{1};
};

}  // namespace heddle::app
