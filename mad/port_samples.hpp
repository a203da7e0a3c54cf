// SPDX-License-Identifier: BSD-3-Clause
// Sampling of counters over an interval (IBA vol. 1, 16.1.3.2 to 16.1.3.4).
#pragma once

#include "mad/perf_attribute.hpp"

namespace heddle::mad {

inline constexpr std::size_t kSampledCounters = 15;

// SampleStatus.
inline constexpr std::uint8_t kSampleDone = 0;     // or never begun
inline constexpr std::uint8_t kSampleWaiting = 1;  // for SampleStart to pass
inline constexpr std::uint8_t kSampleRunning = 2;

struct PortSamplesControl {
  std::uint8_t op_code{};
  std::uint8_t port_select{};
  std::uint8_t tick{};
  std::uint8_t counter_width{};
  std::uint8_t counter_mask0{};
  std::uint32_t counter_masks1to9{};
  std::uint16_t counter_masks10to14{};
  std::uint8_t sample_mechanisms{};
  std::uint8_t sample_status{};
  std::uint64_t option_mask{};
  std::uint64_t vendor_mask{};
  std::uint32_t sample_start{};
  std::uint32_t sample_interval{};
  std::uint16_t tag{};
  std::array<std::uint16_t, kSampledCounters> counter_selects{};
  std::uint64_t samples_only_option_mask{};
  friend bool operator==(const PortSamplesControl&, const PortSamplesControl&) = default;
};

template <>
struct Layout<PortSamplesControl> {
  static constexpr std::string_view name = "PortSamplesControl";
  static constexpr unsigned bits = 640;
  static constexpr auto rows = base::Pack{
      row<&PortSamplesControl::op_code, 0, 8>("OpCode"),
      row<&PortSamplesControl::port_select, 8, 8>("PortSelect"),
      row<&PortSamplesControl::tick, 16, 8>("Tick"),
      reserved<24, 5>,
      row<&PortSamplesControl::counter_width, 29, 3>("CounterWidth"),
      reserved<32, 2>,
      row<&PortSamplesControl::counter_mask0, 34, 3>("CounterMask0"),
      row<&PortSamplesControl::counter_masks1to9, 37, 27>("CounterMasks1to9", Show::Hex),
      reserved<64, 1>,
      row<&PortSamplesControl::counter_masks10to14, 65, 15>("CounterMasks10to14", Show::Hex),
      row<&PortSamplesControl::sample_mechanisms, 80, 8>("SampleMechanisms"),
      reserved<88, 6>,
      row<&PortSamplesControl::sample_status, 94, 2>("SampleStatus"),
      row<&PortSamplesControl::option_mask, 96, 64>("OptionMask", Show::Hex),
      row<&PortSamplesControl::vendor_mask, 160, 64>("VendorMask", Show::Hex),
      row<&PortSamplesControl::sample_start, 224, 32>("SampleStart"),
      row<&PortSamplesControl::sample_interval, 256, 32>("SampleInterval"),
      row<&PortSamplesControl::tag, 288, 16>("Tag"),
      row<&PortSamplesControl::counter_selects, 304, 240>("CounterSelect", Show::Hex),
      reserved<544, 32>,
      row<&PortSamplesControl::samples_only_option_mask, 576, 64>("SamplesOnlyOptionMask",
                                                                  Show::Hex),
  };
};

struct PortSamplesResult {
  std::uint16_t tag{};
  std::uint8_t sample_status{};
  std::array<std::uint32_t, kSampledCounters> counters{};
  friend bool operator==(const PortSamplesResult&, const PortSamplesResult&) = default;
};

template <>
struct Layout<PortSamplesResult> {
  static constexpr std::string_view name = "PortSamplesResult";
  static constexpr unsigned bits = 512;
  static constexpr auto rows = base::Pack{
      row<&PortSamplesResult::tag, 0, 16>("Tag"),
      reserved<16, 14>,
      row<&PortSamplesResult::sample_status, 30, 2>("SampleStatus"),
      row<&PortSamplesResult::counters, 32, 480>("Counter"),
  };
};

}  // namespace heddle::mad
