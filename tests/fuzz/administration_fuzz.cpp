// SPDX-License-Identifier: BSD-3-Clause
// Subnet administration under whatever clients send, in any order: queries, joins, services and
// subscriptions, with ports that come and go, reports that nobody confirms, and tables that are
// read late or never. What it keeps must come back from its own text.
//
// With --record=35 all requests are about that attribute, a PathRecord here: one fuzzer per record.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/check.hpp"
#include "sa/query.hpp"
#include "sa/registrations_text.hpp"
#include "sa/server.hpp"
#include "tests/fuzz/bytes.hpp"
#include "tests/sa/client.hpp"
#include "tests/support/administration.hpp"

namespace heddle::sa {
namespace {

using fuzz::Bytes;

constexpr std::uint16_t kAttributes[] = {0x01, 0x03, 0x11, 0x12, 0x13, 0x14, 0x15, 0x17, 0x18, 0x20,
                                         0x30, 0x31, 0x33, 0x35, 0x36, 0x38, 0x39, 0x3A, 0xF3};
constexpr mad::Method kMethods[] = {
    mad::Method::Get,      mad::Method::Set,    mad::Method::GetTable, mad::Method::GetTraceTable,
    mad::Method::GetMulti, mad::Method::Delete, mad::Method::Report,   mad::Method::ReportResp};

std::optional<std::uint16_t> only_attribute;

std::shared_ptr<const View> view_of(bool whole) {
  auto recipe = support::ring(3, 2);
  if (!whole) recipe.links.pop_back();
  return std::make_shared<const View>(support::administered(recipe, 1));
}

// Made once, since making them takes longer than a session.
const std::shared_ptr<const View>& whole_view() {
  static const auto view = view_of(true);
  return view;
}
const std::shared_ptr<const View>& lesser_view() {
  static const auto view = view_of(false);
  return view;
}

class Session {
 public:
  Session() {
    server_.set_key(kOurKey);
    for (const auto& partition : partitions::default_policy().partitions) {
      server_.set_permanent_groups(partition.groups);
    }
    server_.renew(now_, whole_view());
  }

  void play(Bytes bytes) {
    while (!bytes.empty()) {
      switch (bytes.one() % 9) {
        case 8:
          write_aliases(bytes);
          break;
        case 0:
          now_ += std::chrono::milliseconds(100 * bytes.one());
          server_.pump(now_);
          break;
        case 1:
          server_.renew(now_, bytes.one() % 2 != 0 ? whole_view() : lesser_view());
          break;
        case 2:
          fetch(bytes);
          break;
        case 3:
          remember();
          break;
        default:
          ask(bytes);
          break;
      }
      look_at_answers();
    }
  }

 private:
  void ask(Bytes& bytes) {
    Question question;
    question.method = kMethods[bytes.one() % std::size(kMethods)];
    const std::uint8_t attribute = bytes.one();
    question.attribute = only_attribute.value_or(kAttributes[attribute % std::size(kAttributes)]);
    question.modifier = bytes.one();
    question.mask = bytes.word();
    if (bytes.one() % 4 == 0) question.key = kOurKey;
    const mad::Lid from{static_cast<std::uint16_t>(bytes.one() % 20)};
    auto request = make_query(question, mad::Gid{}, from);
    const auto data = bytes.some(bytes.one());
    request.payload.resize(std::max<std::size_t>(mad::kMadBytes, 56 + data.size()));
    std::transform(data.begin(), data.end(), request.payload.begin() + 56,
                   [](std::uint8_t byte) { return static_cast<std::byte>(byte); });
    // Random GIDs name nobody: now and then those of a port and of a group.
    if (bytes.one() % 2 == 0) put_gids(request);
    server_.on_mad(now_, request);
  }

  void put_gids(mad::Datagram& request) {
    const auto group =
        mad::encode(mad::Gid{mad::GidPrefix{0xff12'401b'ffff'0000}, mad::Guid{0xffff'ffff}});
    const auto port = mad::encode(whole_view()->gid(whole_view()->topology().endports().back()));
    std::copy(group.begin(), group.end(), request.payload.begin() + 56);
    std::copy(port.begin(), port.end(), request.payload.begin() + 72);
  }

  void fetch(Bytes& bytes) {
    for (const Fetch& fetch : server_.take_fetches()) {
      const bool answered = bytes.one() % 2 != 0;
      server_.on_fetched(now_, fetch, answered ? std::optional(mad::SmpData{}) : std::nullopt);
    }
  }

  // Devices that take what they are told, something else, or nothing.
  void write_aliases(Bytes& bytes) {
    for (const AliasWrite& write : server_.take_alias_writes()) {
      AliasOutcome outcome{write.ticket, write.guids, false};
      const std::uint8_t whim = bytes.one();
      if (whim % 4 == 0) outcome.held->guids[whim / 4 % mad::kGuidsPerBlock] = {};
      if (whim % 4 == 1) outcome.held.reset();
      server_.on_aliases_written(now_, std::span(&outcome, 1));
    }
  }

  void remember() {
    const std::string text = to_text(server_.registrations(), now_);
    const auto restored = parse_registrations(text, now_);
    HEDDLE_CHECK(restored.has_value());
    HEDDLE_CHECK(to_text(*restored, now_) == text);
  }

  void look_at_answers() {
    for (const mad::Datagram& datagram : server_.take_outgoing()) {
      HEDDLE_CHECK(datagram.payload.size() >= mad::kSAHeaderBytes);
      HEDDLE_CHECK(datagram.payload.size() <= kMaxAnswerBytes + 512);
    }
    server_.take_lost();
    server_.take_refusals();
    server_.take_role_changes();
  }

  Server server_;
  base::Instant now_{};
};

}  // namespace
}  // namespace heddle::sa

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  constexpr std::string_view kRecord = "--record=";
  for (int i = 1; i < *count; ++i) {
    const std::string_view word((*words)[i]);
    if (word.substr(0, kRecord.size()) != kRecord) continue;
    const auto number = std::strtoul((*words)[i] + kRecord.size(), nullptr, 16);
    heddle::sa::only_attribute = static_cast<std::uint16_t>(number);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::sa::Session().play(heddle::sa::Bytes({data, size}));
  return 0;
}
