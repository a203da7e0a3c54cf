// SPDX-License-Identifier: BSD-3-Clause
// A run on paper. The SM machine's outputs follow from its inputs and their times, so a recording
// of the inputs plays the run again, bit for bit.
//
// The file is text, a line per entry, the first line `heddle-recording 1`:
//
//   TIME recv ADDRESS PAYLOAD      a MAD from the fabric
//   TIME back ADDRESS PAYLOAD      a request of ours, given back
//   TIME send ADDRESS PAYLOAD      what the machine sent: not an input; the player compares it
//   TIME note TEXT                 any other input, in words of whoever drives the machine
//
// TIME is in nanoseconds on the driver's scale and never goes back. ADDRESS is
// `lid,qpn,q_key,sl,path_bits,p_key_index`, and for a global route
// `,prefix,guid,gid_index,hop_limit,traffic_class,flow_label` after it, all decimal. PAYLOAD is
// `LENGTH:HEX`, its trailing zero bytes left out. Lines end in LF.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "transport/transport.hpp"

namespace heddle::transport {

enum class RecordKind : std::uint8_t { Received, GivenBack, Sent, Note };

struct RecordEntry {
  base::Instant time{};
  RecordKind kind = RecordKind::Note;
  mad::Datagram datagram;  // empty for a note
  std::string note;        // one line; empty for a MAD
  friend bool operator==(const RecordEntry&, const RecordEntry&) = default;
};
using Recording = std::vector<RecordEntry>;

inline constexpr std::string_view kRecordingFirstLine = "heddle-recording 1";
inline constexpr std::size_t kMaxRecordedPayload = 1 << 20;  // bytes; longer ones are refused

// The entry as a line, without LF. A line break in a note becomes a blank.
std::string to_line(const RecordEntry& entry);

// The error names the line. Nothing in the text is trusted.
base::Result<RecordEntry> parse_record_line(std::string_view line);
base::Result<Recording> parse_recording(std::string_view text);

// Writes down what passes. `inner`, and what the two functions refer to, must outlive it.
class Recorder final : public Transport {
 public:
  using Clock = std::function<base::Instant()>;
  using LineSink = std::function<void(const std::string&)>;  // gets lines without LF

  // Writes the first line at once.
  Recorder(Transport& inner, Clock clock, LineSink sink);

  void set_receiver(Receiver receiver) override;
  void send(mad::Datagram datagram) override;
  void set_is_sm(bool is_sm) override { inner_.set_is_sm(is_sm); }

  // Another input of the machine: a tick, routes that became ready, a command.
  void note(std::string text);

 private:
  void write(RecordKind kind, const mad::Datagram& datagram);

  Transport& inner_;
  Clock clock_;
  LineSink sink_;
};

// Plays a recording back in the place of a fabric.
class Player final : public Transport {
 public:
  explicit Player(Recording recording);

  void set_receiver(Receiver receiver) override { receiver_ = std::move(receiver); }
  // Compares with what was sent at this place of the recording.
  void send(mad::Datagram datagram) override;
  void set_is_sm(bool) override {}

  // The next input; none at the end. Its time is the machine's `now` for it.
  const RecordEntry* next() const;
  // Delivers that input, if it is a MAD, and goes on. A note is the driver's to carry out.
  void play();

  // The first sending that was not as recorded, in words; empty when there is none so far.
  const std::string& difference() const { return difference_; }
  // The same, at the end: what was recorded after the last input must have been sent too.
  const std::string& finish();

 private:
  // The next recorded sending stands before the next input.
  bool sending_is_due() const;
  void expect_nothing_missing();
  void expect_sent(const mad::Datagram* sent);

  Recording recording_;
  std::vector<std::size_t> inputs_;    // places of the inputs, in order
  std::vector<std::size_t> sendings_;  // places of what was sent, in order
  std::size_t next_input_ = 0;
  std::size_t next_sending_ = 0;
  Receiver receiver_;
  std::string difference_;
};

}  // namespace heddle::transport
