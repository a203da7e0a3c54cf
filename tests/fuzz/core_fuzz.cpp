// SPDX-License-Identifier: BSD-3-Clause
// The machine under a hostile fabric: the input is a programme of answers, true, forged and
// garbled, and of time passing. Whatever it says, the machine must neither crash nor run away.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/check.hpp"
#include "sa/request.hpp"
#include "sim/world.hpp"
#include "sm/core.hpp"

namespace heddle {
namespace {

// Reads the fuzzer's bytes; zeros behind their end.
class Programme {
 public:
  Programme(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}
  bool over() const { return at_ >= bytes_.size(); }
  std::uint8_t next() { return over() ? std::uint8_t{0} : bytes_[at_++]; }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

class Stage {
 public:
  explicit Stage(Programme& programme)
      : programme_(programme),
        world_(*sim::generate_fabric(kFabrics[programme.next() % kFabrics.size()]), {}),
        endpoint_(*world_.default_endpoint()),
        core_(sm::Options{}, {}) {
    world_.set_is_sm(endpoint_, true);
  }

  void play() {
    input(sm::Tick{});
    while (!programme_.over()) act();
  }

 private:
  static constexpr std::array<const char*, 4> kFabrics{"pair", "star:3", "ring:3", "fat-tree:2,4"};

  void act() {
    switch (programme_.next() % 6) {
      case 0:
        now_ += std::chrono::milliseconds(programme_.next());
        return input(sm::Tick{});
      case 1:  // the fabric runs as it should for a while
        for (unsigned turns = programme_.next(); turns > 0; --turns) turn();
        return;
      case 2:
        return forge();
      case 3:
        return garble();
      case 4:
        return input(sm::ResweepCommand{"the fuzzer wants it"});
      case 5:
        if (last_) input(sm::SendFailed{*last_});
        return;
    }
  }

  void turn() {
    world_.advance(now_);
    for (auto& delivery : world_.take_deliveries()) {
      if (delivery.to == endpoint_) input(sm::MadReceived{std::move(delivery.datagram)});
    }
  }

  // An answer to what was asked last, with data of the fuzzer's choice.
  void forge() {
    if (!last_) return;
    auto smp = mad::decode_smp(last_->payload);
    if (!smp) return;
    smp->method = mad::Method::GetResp;
    smp->status = {static_cast<std::uint16_t>(programme_.next() & 1 ? 0 : programme_.next())};
    const unsigned length = programme_.next() % (mad::kSmpDataBytes + 1);
    for (unsigned i = 0; i < length; ++i) smp->data[i] = std::byte{programme_.next()};
    input(sm::MadReceived{mad::make_datagram({}, *smp)});
  }

  void garble() {
    mad::Datagram datagram;
    datagram.payload.resize(programme_.next() + 16u);
    for (auto& byte : datagram.payload) byte = std::byte{programme_.next()};
    input(sm::MadReceived{std::move(datagram)});
  }

  void input(sm::Input value) {
    core_.step(now_, std::move(value));
    for (auto outputs = core_.take_outputs(); !outputs.empty(); outputs = core_.take_outputs()) {
      for (auto& output : outputs) perform(output);
      HEDDLE_CHECK(++rounds_ < 100'000);  // a machine that never comes to rest has run away
    }
  }

  void perform(sm::Output& output) {
    if (auto* mad = std::get_if<sm::SendMad>(&output)) {
      last_ = mad->datagram;
      world_.send(endpoint_, std::move(mad->datagram), now_);
    } else if (auto* work = std::get_if<sm::ComputeRoutes>(&output)) {
      core_.step(now_, sm::carry_out(*work, base::inline_for));
    } else if (auto* query = std::get_if<sm::LookUp>(&output)) {
      core_.step(
          now_, sm::LookedUp{query->ticket, sa::look_up(*query->view, query->key, query->request)});
    }
  }

  Programme& programme_;
  sim::World world_;
  sim::EndpointId endpoint_;
  sm::Core core_;
  base::Instant now_{std::chrono::seconds(1)};
  std::optional<mad::Datagram> last_;
  std::uint64_t rounds_ = 0;
};

}  // namespace
}  // namespace heddle

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::Programme programme(data, size);
  heddle::Stage(programme).play();
  return 0;
}
