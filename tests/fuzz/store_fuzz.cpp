// SPDX-License-Identifier: BSD-3-Clause
// What comes from other managers and from a replicated store, in any pieces: it is read the same
// however it is cut, and a machine that is told anything goes on, and never turns in a circle.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "store/etcd_words.hpp"
#include "store/quorum.hpp"
#include "store/stream.hpp"

namespace {

using namespace heddle;
using store::Quorum;

std::string heard(std::string_view text, std::size_t piece) {
  store::StreamReader reader;
  std::string all;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    const auto messages = reader.feed(text.substr(0, piece));
    if (!messages) return "no stream";
    for (const auto& message : *messages) all += store::to_lines(message);
  }
  return all;
}

void read_stream(std::string_view text) {
  const std::string by_byte = heard(text, 1);
  if (by_byte == "no stream") return;
  HEDDLE_CHECK(heard(text, 7) == by_byte);
  HEDDLE_CHECK(heard(by_byte, by_byte.size() + 1) == by_byte);
}

void read_watch(std::string_view text) {
  store::EtcdWatchReader whole, by_byte;
  const auto once = whole.feed(text);
  std::size_t changes = 0;
  for (const char c : text) {
    const auto some = by_byte.feed({&c, 1});
    if (!some) {
      HEDDLE_CHECK(!once);
      return;
    }
    changes += some->size();
  }
  HEDDLE_CHECK(once && once->size() == changes);
}

const store::Question kQuestions[] = {store::Read{}, store::Commit{}, store::Grant{},
                                      store::Renew{}};

void read_answer(std::uint8_t of, std::string_view text) {
  (void)store::from_etcd(kQuestions[of % 4], of & 64 ? 200 : 400, text);
  (void)store::etcd_token(200, text);
  (void)store::etcd_wants_login(401, text);
}

// A life of a manager: each two bytes are something that happens, and how.
class Life {
 public:
  void go(std::uint8_t what, std::uint8_t how) {
    now_.now += std::chrono::milliseconds(how);
    switch (what % 8) {
      case 0:
        machine_.publish(now_, {++number_, {how / 16u, how % 2 == 0, {{key(how), "value"}}}});
        break;
      case 1:
        machine_.step_down(now_);
        break;
      case 2:
      case 3:
        answer(what, how);
        break;
      case 4:
        machine_.on_changes(now_, {{"p/at/" + word(how), text(how), ++revision_},
                                   {"p/record/" + key(how), text(what), revision_}});
        break;
      case 5:
        machine_.on_watch_lost(now_);
        break;
      default:
        break;
    }
    settle();
  }

 private:
  static std::string key(std::uint8_t how) { return "k" + std::to_string(how % 5); }
  static std::string word(std::uint8_t how) {
    constexpr const char* kWords[] = {"master", "epoch", "whole", "beat"};
    return kWords[how % 4];
  }
  static std::optional<std::string> text(std::uint8_t how) {
    constexpr const char* kTexts[] = {"3 me", "9 other", "3", "", "x y z"};
    if (how % 6 == 5) return std::nullopt;
    return kTexts[how % 6];
  }
  void answer(std::uint8_t what, std::uint8_t how) {
    if (asked_ == 0) return;
    const auto id = std::exchange(asked_, 0);
    std::vector<store::Entry> entries;
    for (std::uint8_t n = 0; n < how % 6; ++n) {
      const auto at = static_cast<std::uint8_t>(what / 8 + n);
      entries.push_back(
          {n % 2 ? "p/at/" + word(at) : "p/record/" + key(at), text(at).value_or("0 v"), how % 3});
    }
    switch (how % 5) {
      case 0:
        return machine_.on_answer(now_, id, store::Entries{++revision_, entries});
      case 1:
        return machine_.on_answer(now_, id, store::Committed{true, ++revision_, {}});
      case 2:
        return machine_.on_answer(now_, id, store::Committed{false, revision_, entries});
      case 3:
        return machine_.on_answer(now_, id, store::Lease{how % 2, how % 2 * 5});
      default:
        return machine_.on_answer(now_, id, store::NoAnswer{"gone"});
    }
  }
  // What is due is done, and then there is something to wait for.
  void settle() {
    for (int round = 0;; ++round) {
      HEDDLE_CHECK(round < 16);
      if (const auto ask = machine_.take_ask()) {
        HEDDLE_CHECK(asked_ == 0);
        asked_ = ask->id;
      }
      (void)machine_.take_events();
      if (machine_.deadline() > now_.now) return;
      machine_.on_time(now_);
    }
  }

  Quorum machine_{{"p", "me", std::chrono::seconds(5), {}}};
  Quorum::Moment now_{base::Instant(std::chrono::seconds(1)), 1'700'000'000};
  std::uint64_t number_ = 0, asked_ = 0;
  store::Revision revision_ = 10;
};

}  // namespace

// The first byte says what the rest is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes + 1), size - 1);
  switch (bytes[0] % 4) {
    case 0:
      read_stream(text);
      break;
    case 1:
      read_watch(text);
      break;
    case 2:
      read_answer(bytes[0], text);
      break;
    default: {
      Life life;
      for (std::size_t at = 1; at + 1 < size; at += 2) life.go(bytes[at], bytes[at + 1]);
    }
  }
  return 0;
}
