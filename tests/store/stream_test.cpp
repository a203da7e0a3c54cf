// SPDX-License-Identifier: BSD-3-Clause
#include "store/stream.hpp"

#include <gtest/gtest.h>

namespace heddle::store {
namespace {

const State kState{7, {3, true, {{"a 1", "one two"}, {"b", std::nullopt}, {"c", "", 60}}}};

std::string a_conversation() {
  return to_lines(Greeting{"f00d"}) + to_lines(Beat{Role::Master, 3}) + to_lines(kState) +
         to_lines(State{8, {3, false, {}}}) + to_lines(Ack{8});
}

std::string text_of(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& message : messages) text += to_lines(message);
  return text;
}

TEST(Stream, LooksLikeThis) {
  EXPECT_EQ(a_conversation(),
            "heddle-stream 1 f00d\nbeat master 3\nstate 3 7 1 3\n0\ta 1\tone two\n0\tb\n60\tc\t\n"
            "state 3 8 0 0\nack 8\n");
}

TEST(Stream, ComesBackHoweverItIsCut) {
  const std::string sent = a_conversation();
  for (std::size_t size = 1; size <= sent.size(); ++size) {
    StreamReader reader;
    std::vector<Message> heard;
    for (std::size_t at = 0; at < sent.size(); at += size) {
      auto messages = reader.feed(std::string_view(sent).substr(at, size));
      ASSERT_TRUE(messages);
      heard.insert(heard.end(), messages->begin(), messages->end());
    }
    ASSERT_EQ(heard.size(), 5u) << size;
    EXPECT_EQ(text_of(heard), sent);
    EXPECT_EQ(std::get<State>(heard[2]).batch.records, kState.batch.records);
  }
}

TEST(Stream, RefusesWhatIsNoMessage) {
  for (const char* nonsense :
       {"\n", "GET / HTTP/1.1\n", "heddle-stream 2 f00d\n", "beat king 3\n", "beat master -1\n",
        "state 1 2 3 4\n", "state 1 2 1 99999999999\n", "state 1 2 1 1\nno tabs\n",
        "state 1 2 1 1\nx\tname\tvalue\n", "state 1 2 1 1\n0\t\tvalue\n",
        "state 1 2 1 1\n0\ta\tb\tc\n", "ack\n", "ack 1 2\n"}) {
    EXPECT_FALSE(StreamReader().feed(nonsense)) << nonsense;
  }
  EXPECT_FALSE(StreamReader().feed(std::string(StreamReader::kMaxLine + 1, 'x')));
}

}  // namespace
}  // namespace heddle::store
