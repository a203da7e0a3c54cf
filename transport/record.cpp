// SPDX-License-Identifier: BSD-3-Clause
#include "transport/record.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::transport {
namespace {

constexpr std::array<std::string_view, 4> kKindNames{"recv", "back", "send", "note"};
constexpr std::size_t kPlainFields = 6;
constexpr std::size_t kGlobalFields = 12;

std::string address_text(const mad::Address& peer) {
  std::string text = fmt::format("{},{},{},{},{},{}", peer.lid.value, peer.qpn, peer.q_key,
                                 peer.sl.value, peer.path_bits, peer.p_key_index);
  if (const auto& route = peer.global_route) {
    text +=
        fmt::format(",{},{},{},{},{},{}", route->remote.prefix.value, route->remote.guid.value,
                    route->gid_index, route->hop_limit, route->traffic_class, route->flow_label);
  }
  return text;
}

std::string payload_text(const mad::Payload& payload) {
  std::size_t used = payload.size();
  while (used > 0 && payload[used - 1] == std::byte{0}) --used;
  return fmt::format("{}:{}", payload.size(), base::hex_bytes({payload.data(), used}));
}

// Numbers between commas, each checked against the width of what it goes into.
class Fields {
 public:
  explicit Fields(std::string_view text) : pieces_(base::split(text, ',')) {}
  std::size_t count() const { return pieces_.size(); }
  bool good() const { return good_; }

  template <class Integer>
  void take(Integer& value, Integer max = std::numeric_limits<Integer>::max()) {
    const auto number = base::parse_number(pieces_[next_++], max);
    good_ = good_ && number.has_value();
    value = static_cast<Integer>(number.value_or(0));
  }

 private:
  std::vector<std::string_view> pieces_;
  std::size_t next_ = 0;
  bool good_ = true;
};

std::optional<mad::Address> parse_address(std::string_view text) {
  Fields fields(text);
  if (fields.count() != kPlainFields && fields.count() != kGlobalFields) return std::nullopt;
  mad::Address peer;
  fields.take(peer.lid.value);
  fields.take(peer.qpn);
  fields.take(peer.q_key);
  fields.take(peer.sl.value, std::uint8_t{15});
  fields.take(peer.path_bits);
  fields.take(peer.p_key_index);
  if (fields.count() == kGlobalFields) {
    mad::GlobalRoute& route = peer.global_route.emplace();
    fields.take(route.remote.prefix.value);
    fields.take(route.remote.guid.value);
    fields.take(route.gid_index);
    fields.take(route.hop_limit);
    fields.take(route.traffic_class);
    fields.take(route.flow_label, std::uint32_t{0xf'ffff});
  }
  if (!fields.good()) return std::nullopt;
  return peer;
}

std::optional<mad::Payload> parse_payload(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto length = base::parse_number(text.substr(0, colon), kMaxRecordedPayload);
  const auto digits = text.substr(colon + 1);
  if (!length || digits.size() % 2 != 0 || digits.size() / 2 > *length) return std::nullopt;
  mad::Payload payload(static_cast<std::size_t>(*length));
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const auto pair = digits.substr(i, 2);
    const auto byte = base::parse_hex(pair);
    // "0x" would pass as a prefix without digits elsewhere; a pair is two digits and no more.
    if (!byte || pair.find_first_of("xX") != std::string_view::npos) return std::nullopt;
    payload[i / 2] = static_cast<std::byte>(*byte);
  }
  return payload;
}

// The text up to the separator, cut off the front together with it.
std::string_view take_until(char separator, std::string_view& text) {
  const auto end = text.find(separator);
  const auto piece = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return piece;
}
std::string_view take_word(std::string_view& text) {
  return take_until(' ', text);
}
std::string_view take_line(std::string_view& text) {
  return take_until('\n', text);
}

std::string shown(const mad::Datagram* datagram) {
  if (datagram == nullptr) return "nothing";
  return fmt::format("{} {}", address_text(datagram->peer), payload_text(datagram->payload));
}

}  // namespace

std::string to_line(const RecordEntry& entry) {
  const auto name = kKindNames[static_cast<std::size_t>(entry.kind)];
  const auto time = entry.time.time_since_epoch().count();
  if (entry.kind != RecordKind::Note) {
    return fmt::format("{} {} {} {}", time, name, address_text(entry.datagram.peer),
                       payload_text(entry.datagram.payload));
  }
  std::string note = entry.note;
  for (char& c : note) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return fmt::format("{} {} {}", time, name, note);
}

base::Result<RecordEntry> parse_record_line(std::string_view line) {
  const auto time = base::parse_number(take_word(line), std::numeric_limits<std::int64_t>::max());
  if (!time) return base::error("the time is not a number of nanoseconds");
  const auto name = take_word(line);
  const auto* kind = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (kind == kKindNames.end()) {
    return base::error(fmt::format("\"{}\" is no kind of entry", base::printable(name)));
  }
  RecordEntry entry;
  entry.time = base::Instant(base::Duration(static_cast<std::int64_t>(*time)));
  entry.kind = static_cast<RecordKind>(kind - kKindNames.begin());
  if (entry.kind == RecordKind::Note) {
    entry.note = line;
    return entry;
  }
  const auto peer = parse_address(take_word(line));
  if (!peer) return base::error("the address is not 6 or 12 numbers in their ranges");
  auto payload = parse_payload(line);
  if (!payload) return base::error("the payload is not LENGTH:HEX");
  entry.datagram = {*peer, std::move(*payload)};
  return entry;
}

base::Result<Recording> parse_recording(std::string_view text) {
  if (take_line(text) != kRecordingFirstLine) {
    return base::error(
        fmt::format("line 1: not a recording: it must read \"{}\"", kRecordingFirstLine));
  }
  Recording recording;
  for (std::size_t number = 2; !text.empty(); ++number) {
    const auto line = take_line(text);
    if (line.empty()) continue;
    auto entry = parse_record_line(line);
    if (!entry) return base::error(fmt::format("line {}: {}", number, entry.error().message));
    if (!recording.empty() && entry->time < recording.back().time) {
      return base::error(fmt::format("line {}: time goes back", number));
    }
    recording.push_back(std::move(*entry));
  }
  return recording;
}

Recorder::Recorder(Transport& inner, Clock clock, LineSink sink)
    : inner_(inner), clock_(std::move(clock)), sink_(std::move(sink)) {
  sink_(std::string(kRecordingFirstLine));
}

void Recorder::write(RecordKind kind, const mad::Datagram& datagram) {
  sink_(to_line({clock_(), kind, datagram, {}}));
}

void Recorder::set_receiver(Receiver receiver) {
  // One by one: what the machine sends upon an input then stands behind that input.
  inner_.set_receiver([this, receiver = std::move(receiver)](std::span<Received> batch) {
    for (Received& received : batch) {
      const bool message = received.arrival == Arrival::Message;
      write(message ? RecordKind::Received : RecordKind::GivenBack, received.datagram);
      receiver(std::span<Received>(&received, 1));
    }
  });
}

void Recorder::send(mad::Datagram datagram) {
  write(RecordKind::Sent, datagram);
  inner_.send(std::move(datagram));
}

void Recorder::note(std::string text) {
  sink_(to_line({clock_(), RecordKind::Note, {}, std::move(text)}));
}

Player::Player(Recording recording) : recording_(std::move(recording)) {
  for (std::size_t i = 0; i < recording_.size(); ++i) {
    (recording_[i].kind == RecordKind::Sent ? sendings_ : inputs_).push_back(i);
  }
}

const RecordEntry* Player::next() const {
  return next_input_ < inputs_.size() ? &recording_[inputs_[next_input_]] : nullptr;
}

void Player::play() {
  const RecordEntry* entry = next();
  if (entry == nullptr) return;
  expect_nothing_missing();
  ++next_input_;
  if (entry->kind == RecordKind::Note) return;
  const bool message = entry->kind == RecordKind::Received;
  Received received{message ? Arrival::Message : Arrival::SendFailed, entry->datagram};
  if (receiver_) receiver_(std::span<Received>(&received, 1));
}

void Player::send(mad::Datagram datagram) {
  expect_sent(&datagram);
}

const std::string& Player::finish() {
  if (next() == nullptr) expect_nothing_missing();
  return difference_;
}

bool Player::sending_is_due() const {
  if (next_sending_ >= sendings_.size()) return false;
  return next_input_ >= inputs_.size() || sendings_[next_sending_] < inputs_[next_input_];
}

void Player::expect_nothing_missing() {
  while (sending_is_due()) expect_sent(nullptr);
}

void Player::expect_sent(const mad::Datagram* sent) {
  const mad::Datagram* wanted = nullptr;
  if (sending_is_due()) wanted = &recording_[sendings_[next_sending_++]].datagram;
  if (!difference_.empty()) return;
  if (sent != nullptr && wanted != nullptr && *sent == *wanted) return;
  difference_ = fmt::format("after input {}, sending {}: recorded {}, now {}", next_input_,
                            next_sending_, shown(wanted), shown(sent));
}

}  // namespace heddle::transport
