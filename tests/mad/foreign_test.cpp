// SPDX-License-Identifier: BSD-3-Clause
// Other people's programs as judges of our tables: goldens on disk, libibmad and ib_types.h live.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.hpp"
#include "base/text.hpp"
#include "mad/attribute_catalogue.hpp"
#include "mad/link.hpp"
#include "mad/validation.hpp"
#include "tests/mad/foreign_fields.hpp"
#include "tests/mad/leaves.hpp"
#include "tests/mad/sample.hpp"
#include "tests/support/sanitized.hpp"

namespace heddle::mad {
namespace {

constexpr int kForeignRounds = test::kSanitized ? 500 : 2000;

struct Reading {
  Leaves leaves;
  std::vector<std::byte> again;  // encoded from what was decoded
  unsigned bits = 0;
};

// How our table of that name reads the bytes; a name we lack has no bits.
Reading read_as(std::string_view layout, const std::vector<std::byte>& bytes) {
  Reading reading;
  for_each_described([&]<class T>() {
    if (Layout<T>::name != layout) return;
    std::array<std::byte, kBytes<T>> own{};
    std::copy_n(bytes.begin(), std::min(bytes.size(), own.size()), own.begin());
    const T value = decode<T>(own);
    reading.leaves = leaves_of(value);
    const auto again = encode(value);
    reading.again.assign(again.begin(), again.end());
    reading.bits = Layout<T>::bits;
  });
  return reading;
}

void expect_agreement(const Sample& sample) {
  Reading reading = read_as(sample.layout, sample.bytes);
  ASSERT_GT(reading.bits, 0u) << "no table is named " << sample.layout;
  for (const auto& [row, value] : sample.fields) {
    ASSERT_TRUE(reading.leaves.contains(row)) << sample.layout << " has no row " << row;
    ASSERT_EQ(reading.leaves[row], value) << sample.layout << ' ' << row;
  }
  reading.again.resize(sample.bytes.size());
  ASSERT_EQ(base::hex_bytes(reading.again), base::hex_bytes(sample.bytes)) << sample.layout;
}

std::vector<Sample> goldens() {
  std::vector<Sample> samples;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_GOLDEN_DIRECTORY)) {
    if (entry.path().extension() != ".golden") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    auto sample = parse_golden(text.str());
    EXPECT_TRUE(sample) << entry.path() << ": " << sample.error().message;
    if (!sample) continue;
    samples.push_back(*sample);
    const std::string name = entry.path().filename();
    samples.back().origin = name.substr(0, name.find('.'));
  }
  return samples;
}

TEST(Goldens, AreReadAndWrittenAsTheirProgramsMeantThem) {
  for (const Sample& sample : goldens()) expect_agreement(sample);
}

TEST(Goldens, ExistForEverythingDescribedThatAnyForeignProgramKnows) {
  std::set<std::string> seen;
  for (const Sample& sample : goldens()) seen.insert(sample.layout);
  // Debian 12 has no program that lays out SwitchPortStateTable, TraceRecord or virtual ports
  // (virtualization_test.cpp) or the trap for a CC_Key; a GID and an arbitration entry are parts of
  // others.
  const std::set<std::string_view> without{
      "SwitchPortStateTable", "TraceRecord",        "CC_KeyViolation", "GID",
      "VLArbitrationEntry",   "VirtualizationInfo", "VPortInfo",       "VNodeInfo",
      "VPortState",           "VNodeDescription",   "VPortGUIDInfo",   "VPortP_KeyTable"};
  for_each_described([&]<class T>() {
    EXPECT_NE(seen.contains(std::string(Layout<T>::name)), without.contains(Layout<T>::name))
        << Layout<T>::name;
  });
}

// What OpenSM's log says of the port: its number, from which its kind follows. Port 0 is a
// switch's; the others are held to what is true of any port with a link.
PortKind kind_of(const Sample& sample) {
  for (const std::string& line : sample.text) {
    if (line.starts_with("port number")) {
      return line.ends_with(".0") ? PortKind::SwitchPort0 : PortKind::SwitchExternal;
    }
  }
  return PortKind::EndPort;
}

TEST(Validation, FindsNothingWrongInTheAnswersOfIbsimsDevices) {
  int judged = 0;
  for (const Sample& sample : goldens()) {
    if (sample.origin != "opensm") continue;
    SmpData data;
    std::copy_n(sample.bytes.begin(), data.size(), data.begin());
    Complaints complaints;
    if (sample.layout == "NodeInfo") complaints = validate(decode<NodeInfo>(data));
    if (sample.layout == "SwitchInfo") complaints = validate(decode<SwitchInfo>(data));
    if (sample.layout == "PortInfo") complaints = validate(decode<PortInfo>(data), kind_of(sample));
    EXPECT_THAT(complaints, testing::IsEmpty()) << sample.layout;
    ++judged;
  }
  EXPECT_GE(judged, 8);
}

TEST(Libibmad, EncodesWhatWeDecode) {
  base::Prng prng(5);
  for (int i = 0; i < kForeignRounds / 10; ++i) {
    for (const Sample& sample : libibmad_samples(prng)) expect_agreement(sample);
  }
}

TEST(OpenSMStructs, LayOutWhatWeDecode) {
  base::Prng prng(6);
  for (int i = 0; i < kForeignRounds / 10; ++i) {
    for (const Sample& sample : ib_types_samples(prng)) expect_agreement(sample);
  }
}

TEST(Libibmad, ReadsEveryFieldOfArbitraryBytesAsWeDo) {
  base::Prng prng(7);
  for (int i = 0; i < kForeignRounds; ++i) {
    for (const ForeignAttribute& attribute : foreign_attributes()) {
      std::vector<std::byte> bytes(kMadBytes);
      for (std::byte& byte : bytes) byte = static_cast<std::byte>(prng() >> 56);
      Reading ours = read_as(attribute.layout, bytes);
      for (const ForeignField& field : attribute.fields) {
        const std::uint64_t theirs = field.bits == 64
                                         ? mad_get_field64(bytes.data(), 0, field.field)
                                         : mad_get_field(bytes.data(), 0, field.field);
        ASSERT_EQ(ours.leaves[std::string(field.row)], theirs)
            << attribute.layout << ' ' << field.row;
      }
    }
  }
}

// Debian 12's libibmad is older than these rows. rdma-core's libibmad since XDR has them at bits
// 449 (active), 451 (supported) and 453 (enabled), 2, 2 and 3 wide, with 1 for 212.5 Gbps.
TEST(PortInfoOfXdrPorts, KeepsItsRegistersWhereNewerLibibmadHasThem) {
  std::array<std::byte, kBytes<PortInfo>> bytes{};
  bytes[56] = std::byte{0b0'01'11'101};
  const PortInfo port = decode<PortInfo>(bytes);
  EXPECT_EQ(port.link_speed_ext2_active, 0b01);
  EXPECT_EQ(port.link_speed_ext2_supported, 0b11);
  EXPECT_EQ(port.link_speed_ext2_enabled, 0b101);
  EXPECT_EQ(active_speed(port), LinkSpeed::XDR);
  EXPECT_EQ(rate_text(entry(LinkSpeed::XDR).lane_rate), "212.5 Gbps");
}

std::string libibmad_text(MAD_FIELDS field, int value) {
  std::array<char, 256> text{};
  mad_dump_val(field, text.data(), static_cast<int>(text.size()), &value);
  return text.data();
}

TEST(Libibmad, NamesLaneRatesAndWidthsAsOurTablesDo) {
  for (const LinkSpeedEntry& row : kLinkSpeeds) {
    if (row.field == SpeedField::LinkSpeed) {
      EXPECT_EQ(libibmad_text(IB_PORT_LINK_SPEED_ACTIVE_F, row.bit), rate_text(row.lane_rate));
    } else if (row.field == SpeedField::LinkSpeedExt) {
      EXPECT_EQ(libibmad_text(IB_PORT_LINK_SPEED_EXT_ACTIVE_F, row.bit), rate_text(row.lane_rate));
    }
  }
  for (const LinkWidthEntry& row : kLinkWidths) {
    EXPECT_EQ(libibmad_text(IB_PORT_LINK_WIDTH_ACTIVE_F, row.bit), std::to_string(row.lanes) + "X");
  }
}

TEST(Libibmad, CountsMtuBytesAndLanesAsWeDo) {
  for (int code = 1; code <= 5; ++code) {
    EXPECT_EQ(libibmad_text(IB_PORT_MTU_CAP_F, code),
              std::to_string(mtu_bytes(static_cast<Mtu>(code))));
    const unsigned lanes = data_vl_count(static_cast<std::uint8_t>(code));
    EXPECT_EQ(libibmad_text(IB_PORT_VL_CAP_F, code),
              lanes == 1 ? "VL0" : "VL0-" + std::to_string(lanes - 1));
  }
}

}  // namespace
}  // namespace heddle::mad
