// SPDX-License-Identifier: BSD-3-Clause
// What the machine does follows from its inputs and their times alone: a recorded run comes out the
// same again, and what was changed in the recording is found.
#include "app/replay.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/option_text.hpp"
#include "app/perform.hpp"
#include "app/run_record.hpp"
#include "mad/port_info.hpp"
#include "partitions/language.hpp"
#include "qos/language.hpp"
#include "sa/registrations_text.hpp"
#include "sim/world.hpp"
#include "tests/sa/client.hpp"
#include "transport/kernel_habits.hpp"
#include "transport/record.hpp"

namespace heddle::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using transport::RecordKind;

// A machine on a lossy world, with a recorder between it and the transport.
class RecordedRun {
 public:
  explicit RecordedRun(sm::Options options, std::vector<sm::RememberedLids> remembered = {},
                       const std::string& registrations = {})
      : world_(sim::load_fabric("fat-tree:2,4").value(), lossy()),
        endpoint_(*world_.default_endpoint()),
        kernel_({}, [this](mad::Datagram mad) { world_.send(endpoint_, std::move(mad), now_); }),
        recorder_(
            kernel_, [this] { return now_; },
            [this](const std::string& line) { text_ += line + "\n"; }),
        core_(options, remembered, registrations) {
    recorder_.set_receiver([this](std::span<transport::Received> batch) {
      for (auto& received : batch) step(app::input_of(std::move(received)));
    });
    for (const auto& note : app::start_notes(options, remembered, registrations)) {
      recorder_.note(note);
    }
  }

  void run_for(base::Duration time) {
    const base::Instant end = now_ + time;
    while (now_ < end) {
      world_.advance(now_);
      for (auto& delivery : world_.take_deliveries()) {
        if (delivery.to == endpoint_) kernel_.arrive(std::move(delivery.datagram));
      }
      give(sm::Tick{});
      const auto next = std::min({core_.deadline(), world_.next_event(), kernel_.deadline()});
      now_ = std::min(std::max(now_, next), end);
      kernel_.advance(now_);
    }
  }
  void give(sm::Input input) {
    recorder_.note(app::note_of(input).value());
    step(std::move(input));
  }

  // A host asks for all ServiceRecords and all NodeRecords.
  void ask_from(std::string_view host) {
    const auto from = world_.find_endpoint(host).value();
    const auto own = world_.look(endpoint_, mad::AttributeId::PortInfo, 0).value();
    const mad::Lid to = mad::decode<mad::PortInfo>(own).lid;
    for (const std::uint16_t attribute : std::to_array<std::uint16_t>({0x11, 0x31})) {
      auto query = sa::make_query({mad::Method::GetTable, attribute}, mad::NodeRecord{}, to);
      query.peer.q_key = 0x8001'0000;
      world_.send(from, std::move(query), now_);
    }
  }

  sim::World& world() { return world_; }
  const std::string& text() const { return text_; }
  std::uint64_t sweeps() const { return core_.sweeps_finished(); }

 private:
  static sim::WorldOptions lossy() {
    sim::WorldOptions options;
    options.hop_delay = std::chrono::microseconds(1);
    options.loss = 0.02;
    return options;
  }

  void step(sm::Input input) {
    core_.step(now_, std::move(input));
    for (auto& output : core_.take_outputs()) {
      if (auto* mad = std::get_if<sm::SendMad>(&output)) {
        recorder_.send(std::move(mad->datagram));
      } else if (auto* work = std::get_if<sm::ComputeRoutes>(&output)) {
        give(sm::carry_out(*work, base::inline_for));
      } else if (auto* query = std::get_if<sm::LookUp>(&output)) {
        give(app::look_up(*query));
      }
    }
  }

  base::Instant now_{};
  sim::World world_;
  sim::EndpointId endpoint_;
  transport::KernelHabits kernel_;
  std::string text_;
  transport::Recorder recorder_;
  sm::Core core_;
};

constexpr mad::Guid kRememberedPort{0x0248'4403'8000'0011};

// A bring-up with losses, what was registered before, queries, light sweeps, a cut cable, new
// options and a command.
std::string eventful_run() {
  sm::Options options;
  options.sweep_interval = seconds(2);
  options.routing.engines = {"updn"};
  sa::Registrations registered;
  mad::ServiceRecord service;
  service.service_id = 7;
  service.service_gid = {options.subnet_prefix, kRememberedPort};
  service.service_p_key = mad::PKey{0xFFFF};
  service.service_lease = sa::kLeaseForEver;
  registered.services.set({}, service, true);
  RecordedRun run(options, {{kRememberedPort, mad::Lid{40}, 0}}, sa::to_text(registered, {}));
  run.run_for(seconds(5));
  // The world loses packets, and nobody asks again.
  for (const char* host : {"host-0002", "host-0003", "host-0004"}) run.ask_from(host);
  run.run_for(seconds(1));
  run.world().cut(0);
  run.run_for(seconds(5));
  options.lmc = 1;
  run.give(sm::OptionsChanged{std::make_shared<const sm::Options>(options)});
  run.run_for(milliseconds(700));
  run.give(sm::ResweepCommand{"asked to"});
  run.run_for(seconds(20));
  EXPECT_GE(run.sweeps(), 4u);
  return run.text();
}

std::string replayed(const std::string& text) {
  auto recording = transport::parse_recording(text);
  EXPECT_TRUE(recording.has_value());
  const auto played = app::replay(std::move(recording.value()));
  return played ? played->difference : "error: " + played.error().message;
}

TEST(Replay, ARecordedRunComesOutTheSame) {
  const std::string text = eventful_run();
  EXPECT_THAT(text, HasSubstr(" back ")) << "nothing was given back by the kernel";
  EXPECT_THAT(text, HasSubstr(" note routes 1"));
  EXPECT_THAT(text, HasSubstr(" note registered service "));
  EXPECT_THAT(text, HasSubstr(" note looked-up 1"));
  EXPECT_THAT(replayed(text), IsEmpty());
}

TEST(Replay, AChangedByteInWhatWasSentIsFound) {
  auto recording = transport::parse_recording(eventful_run()).value();
  const auto sending = std::find_if(recording.begin() + 200, recording.end(),
                                    [](const auto& each) { return each.kind == RecordKind::Sent; });
  ASSERT_NE(sending, recording.end());
  sending->datagram.payload[3] ^= std::byte{1};
  EXPECT_THAT(app::replay(recording).value().difference, HasSubstr("recorded"));
}

TEST(Replay, AChangedByteInWhatWasReceivedIsFoundByWhatTheMachineMakesOfIt) {
  auto recording = transport::parse_recording(eventful_run()).value();
  const auto received = std::find_if(recording.begin(), recording.end(), [](const auto& each) {
    return each.kind == RecordKind::Received;
  });
  ASSERT_NE(received, recording.end());
  received->datagram.payload[64] ^= std::byte{1};  // the first byte of its attribute
  EXPECT_THAT(app::replay(recording).value().difference, HasSubstr("recorded"));
}

TEST(Replay, OtherRegistrationsAreNotTheSameRun) {
  std::string text = eventful_run();
  const auto line = text.find("registered service ");
  text[text.find("07", line) + 1] = '8';  // its ServiceID
  EXPECT_THAT(replayed(text), HasSubstr("recorded"));
}

TEST(Replay, OtherOptionsAreNotTheSameRun) {
  std::string text = eventful_run();
  text.replace(text.find("window=64"), 9, "window=1");
  EXPECT_THAT(replayed(text), HasSubstr("recorded"));
}

TEST(Replay, WhatNoRunSaysIsAnError) {
  const std::string first = std::string(transport::kRecordingFirstLine) + "\n";
  EXPECT_THAT(replayed(first + "0 note tick\n"), HasSubstr("error: "));
  EXPECT_THAT(replayed(first + "0 note start lmc=0\n0 note routes 7\n"), HasSubstr("nobody asked"));
  EXPECT_THAT(replayed(first + "0 note start lmc=999\n"), HasSubstr("lmc=999"));
  EXPECT_THAT(replayed(first + "0 note remember 1 2\n"), HasSubstr("GUID, LID and LMC"));
}

// Every option is other than its default, so that one that the text leaves out is missed.
TEST(OptionText, EveryOptionSurvives) {
  sm::Options o;
  o.subnet_prefix.value ^= 1;
  o.sm_key.value = 77;
  o.m_key.value = ~0ull;
  o.priority = 3;
  o.lmc = 2;
  o.lmc_on_enhanced_port0 = o.reassign_lids = o.virtual_records = true;
  o.virtualization = false;
  o.max_operational_vls = 2;
  o.subnet_timeout = o.packet_life_time = o.head_of_queue_life = o.leaf_head_of_queue_life = 9;
  o.vl_stall_count = 1;
  o.leaf_vl_stall_count = 2;
  o.link_wishes = {1, 2, 3, 4, 5, 6};
  o.start_inactive = true;
  o.reregister = o.multicast = false;
  o.highest_rate_code = 18;
  o.lane_tables.emplace().all = qos::parse_lane_words("limit=3 high=0:1,1:2").value();
  o.lane_tables->by_kind[1].low.emplace();
  o.sm_sl.value = 4;
  o.sweep_interval = seconds(3);
  o.window = 5;
  o.window_per_device = 6;
  o.smallest_timeout = milliseconds(7);
  o.largest_timeout = milliseconds(8);
  o.attempts = 2;
  o.max_hops = 11;
  o.routing.engines = {"updn", "minhop"};
  o.routing.fallback = false;
  o.routing.accept_credit_loops = true;
  o.routing.cover_replies = false;
  o.routing.max_vls = 4;
  o.routing.options.root_guids = {mad::Guid{1}, mad::Guid{~0ull}};
  o.routing.options.switch_ids = {{mad::Guid{10}, 11}, {mad::Guid{~0ull}, ~0ull}};
  o.routing.options.torus =
      routing::parse_torus_file("torus 3 1 1\nxp_link 0x1 0x2\n", "file").value();
  o.routing.options.tables = std::make_shared<const routing::TableFile>(
      routing::TableFile{"a dump", "Unicast lids [0-1] of switch Lid 1 guid 0x1 ('')\n"});
  o.routing.options.lid_matrix = std::make_shared<const routing::TableFile>(
      routing::TableFile{"a matrix", "Switch: guid 0x1\n"});
  o.routing.options.routing_order = {mad::Guid{2}};
  o.routing.options.hop_weights = {{{mad::Guid{3}, mad::PortNumber{4}}, 5},
                                   {{mad::Guid{~0ull}, mad::PortNumber{254}}, 255}};
  o.routing.options.uncounted_ports = {{mad::Guid{6}, mad::PortNumber{7}}};
  o.routing.options.compute_guids = {mad::Guid{8}};
  o.routing.options.io_guids = {mad::Guid{9}};
  o.routing.options.port_shifting = o.routing.options.avoid_throttled_links = true;
  o.routing.options.scatter_ports = 8;
  o.partition_enforcement = partitions::Enforcement::Out;
  EXPECT_EQ(app::parse_options_text(app::options_text(o)).value(), o);
  const auto file = partitions::parse("Default=0x7fff, ipoib, sl=3 : ALL=full ;\nA=2: 0x10=both;",
                                      "f", {/*allow_both_pkeys=*/true, /*qos=*/true});
  ASSERT_TRUE(file.has_value());
  o.partitions = std::make_shared<const partitions::Policy>(file->policy);
  o.prefix_routes = std::make_shared<const sa::PrefixRoutes>(
      sa::PrefixRoutes{{mad::GidPrefix{7}, std::nullopt}, {std::nullopt, mad::Guid{9}}});
  const auto levels = qos::parse("qos-ulps\n default : 3\nend-qos-ulps\n", "f");
  ASSERT_TRUE(levels.has_value());
  o.qos_policy = std::make_shared<const qos::Policy>(levels->policy);
  const auto survived = app::parse_options_text(app::options_text(o)).value();
  ASSERT_NE(survived.partitions, nullptr);
  EXPECT_EQ(*survived.partitions, *o.partitions);
  ASSERT_NE(survived.prefix_routes, nullptr);
  EXPECT_EQ(*survived.prefix_routes, *o.prefix_routes);
  ASSERT_NE(survived.qos_policy, nullptr);
  EXPECT_EQ(*survived.qos_policy, *o.qos_policy);
  EXPECT_EQ(app::parse_options_text(app::options_text({})).value(), sm::Options{});
}

}  // namespace
}  // namespace heddle::test
