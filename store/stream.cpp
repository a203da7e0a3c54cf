// SPDX-License-Identifier: BSD-3-Clause
#include "store/stream.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace heddle::store {
namespace {

constexpr std::string_view kProtocol = "heddle-stream";
constexpr std::string_view kVersion = "1";
constexpr std::string_view kRoles[] = {"none", "standby", "master"};

std::string lines(const Greeting& greeting) {
  return fmt::format("{} {} {}\n", kProtocol, kVersion, greeting.fabric);
}
std::string lines(const Beat& beat) {
  return fmt::format("beat {} {}\n", kRoles[static_cast<std::size_t>(beat.role)], beat.epoch);
}
std::string lines(const Ack& ack) {
  return fmt::format("ack {}\n", ack.number);
}
std::string lines(const State& state) {
  const Batch& batch = state.batch;
  std::string text = fmt::format("state {} {} {} {}\n", batch.epoch, state.number,
                                 batch.whole ? 1 : 0, batch.records.size());
  for (const base::Record& record : batch.records) {
    text.append(std::to_string(record.age)).append("\t").append(record.name);
    if (record.value) text.append("\t").append(*record.value);
    text += '\n';
  }
  return text;
}

std::optional<std::uint64_t> number(std::string_view word) {
  return base::parse_number(word, std::numeric_limits<std::int64_t>::max());
}

}  // namespace

std::string to_lines(const Message& message) {
  return std::visit([](const auto& each) { return lines(each); }, message);
}

bool StreamReader::take_record(std::string_view line) {
  const auto words = base::split(line, '\t');
  const auto age = number(words[0]);
  if (!age || words.size() < 2 || words.size() > 3 || words[1].empty()) return false;
  base::Record record{std::string(words[1]), std::nullopt, *age};
  if (words.size() == 3) record.value = std::string(words[2]);
  state_.batch.records.push_back(std::move(record));
  --missing_;
  return true;
}

bool StreamReader::take(std::string_view line, std::vector<Message>& messages) {
  if (missing_ > 0) {
    if (!take_record(line)) return false;
    if (missing_ == 0) messages.emplace_back(std::exchange(state_, {}));
    return true;
  }
  const auto words = base::split(line, ' ');
  if (words[0] == kProtocol && words.size() == 3 && words[1] == kVersion) {
    messages.emplace_back(Greeting{std::string(words[2])});
    return true;
  }
  if (words[0] == "beat" && words.size() == 3) {
    const auto* role = std::find(std::begin(kRoles), std::end(kRoles), words[1]);
    const auto epoch = number(words[2]);
    if (role == std::end(kRoles) || !epoch) return false;
    messages.emplace_back(Beat{static_cast<Role>(role - std::begin(kRoles)), *epoch});
    return true;
  }
  if (words[0] == "ack" && words.size() == 2) {
    const auto upto = number(words[1]);
    if (upto) messages.emplace_back(Ack{*upto});
    return upto.has_value();
  }
  if (words[0] != "state" || words.size() != 5) return false;
  const auto epoch = number(words[1]), upto = number(words[2]), count = number(words[4]);
  const bool flag = words[3] == "0" || words[3] == "1";
  if (!epoch || !upto || !count || !flag || *count > kMaxRecords) return false;
  state_ = {*upto, {*epoch, words[3] == "1", {}}};
  missing_ = *count;
  if (missing_ == 0) messages.emplace_back(std::exchange(state_, {}));
  return true;
}

base::Result<std::vector<Message>> StreamReader::feed(std::string_view piece) {
  std::vector<Message> messages;
  for (;;) {
    const auto end = piece.find('\n');
    const auto rest = piece.substr(0, end);
    if (begun_.size() + rest.size() > kMaxLine) return base::error("a line without end");
    if (end == std::string_view::npos) {
      begun_ += rest;
      return messages;
    }
    const bool good = begun_.empty() ? take(rest, messages) : take(begun_ += rest, messages);
    if (!good) return base::error("what was said is no message of this protocol");
    begun_.clear();
    piece.remove_prefix(end + 1);
  }
}

}  // namespace heddle::store
