// SPDX-License-Identifier: BSD-3-Clause
#include "app/atlas.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include "api/state.hpp"

namespace heddle::app {
namespace {

template <class Value>
std::shared_ptr<const void> kept(Value value) {
  return std::make_shared<const Value>(std::move(value));
}

template <class Value>
std::shared_ptr<const Value> as(const std::shared_ptr<const void>& result) {
  return std::static_pointer_cast<const Value>(result);
}

api::Response with_body(std::string body) {
  api::Response response;
  response.body = std::move(body);
  return response;
}

}  // namespace

LiveAtlas::LiveAtlas() = default;

LiveAtlas::~LiveAtlas() {
  worker_.stop();
  worker_.join();
}

void LiveAtlas::route_by(const routing::Policy& policy) {
  const std::lock_guard lock(mutex_);
  policy_ = policy;
  ++policies_;
}

std::shared_ptr<const void> LiveAtlas::result(const std::string& key,
                                              std::shared_ptr<const void> of, Work work) {
  const std::lock_guard lock(mutex_);
  const auto is_it = [key, of](const Kept& each) { return each.key == key && each.of == of; };
  const auto found = std::find_if(kept_.begin(), kept_.end(), is_it);
  if (found != kept_.end()) return found->result;
  // Whoever asks too much at a time is put off, and asks again.
  const auto under_way = std::count_if(kept_.begin(), kept_.end(),
                                       [](const Kept& each) { return each.result == nullptr; });
  if (static_cast<std::size_t>(under_way) >= kMostUnderWay) return nullptr;
  // Answers about tables that nobody has any more would keep those alive, and they are large.
  std::erase_if(kept_, [&](const Kept& each) {
    return each.result != nullptr && each.of != nullptr && of != nullptr && each.of != of;
  });
  kept_.push_back({key, std::move(of), nullptr});
  if (kept_.size() > kMostKept) kept_.pop_front();
  boost::asio::post(worker_, [this, is_it, work = std::move(work)] {
    std::shared_ptr<const void> made;
    try {
      made = work();
    } catch (const std::exception&) {
      // Out of memory, most likely: whoever asks again has it tried again.
    }
    const std::lock_guard done(mutex_);
    const auto place = std::find_if(kept_.begin(), kept_.end(), is_it);
    if (place == kept_.end()) return;
    if (made == nullptr) {
      kept_.erase(place);
    } else {
      place->result = std::move(made);
    }
  });
  return nullptr;
}

const std::string& LiveAtlas::shape(const SharedSnapshot& fabric) {
  if (shaped_ != fabric) {
    shape_ = shape_of(*fabric);
    shaped_ = fabric;
  }
  return shape_;
}

std::shared_ptr<const Drawing> LiveAtlas::drawing(const api::State& state) {
  return as<Drawing>(result(
      "picture " + shape(state.fabric), nullptr,
      [fabric = state.fabric, title = state.seat.fabric] { return kept(draw(*fabric, title)); }));
}

api::Response LiveAtlas::picture(const api::State& state) {
  const auto drawn = drawing(state);
  if (drawn == nullptr) return api::under_way();
  return with_body(fmt::format("{{\"sweep\": {}, \"shape\": \"{}\", \"report\": {}}}\n",
                               state.fabric->sweep.number, shape(state.fabric), drawn->json));
}

// Loads belong to tables, states to a sweep: the former may still be missing.
api::Response LiveAtlas::load(const api::State& state) {
  const auto drawn = drawing(state);
  if (drawn == nullptr) return api::under_way();
  const SharedSnapshot& fabric = state.fabric;
  const auto loads =
      as<std::string>(result("load " + shape(fabric), tables_of(*fabric),
                             [fabric, drawn] { return kept(loads_json(*fabric, *drawn)); }));
  return with_body(fmt::format(
      "{{\"sweep\": {}, \"shape\": \"{}\", \"states\": {{{}}}, \"under_way\": {}, \"load\": {}, "
      "\"counted\": {}}}\n",
      fabric->sweep.number, shape(fabric), states_json(*fabric, *drawn), loads == nullptr,
      loads == nullptr ? "null" : *loads, counted_json(*fabric, state.readings.get(), *drawn)));
}

api::Response LiveAtlas::what_if(const api::State& state, const api::LossQuestion& question) {
  routing::Policy policy;
  std::uint64_t policies = 0;
  {
    const std::lock_guard lock(mutex_);
    policy = policy_;
    policies = policies_;
  }
  const std::string key = fmt::format("what-if {} {}\n{}\n{}\n{}", shape(state.fabric), policies,
                                      question.cut, question.from, question.to);
  const auto answer = as<api::Response>(
      result(key, tables_of(*state.fabric), [fabric = state.fabric, policy, question] {
        return kept(answer_loss(fabric, policy, question));
      }));
  return answer == nullptr ? api::under_way() : *answer;
}

}  // namespace heddle::app
