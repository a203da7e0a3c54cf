// SPDX-License-Identifier: BSD-3-Clause
// How subnet managers share what they remember by a replicated store: what to ask it and when, and
// what its answers mean. A machine without network, clock or thread; app/replica.hpp drives it.
//
// Below PREFIX/ stand
//   at/master       "EPOCH HOLDER" of who writes here, tied to a lease. Its revision is the token
//                   without which nothing can be written: who claims the place changes it.
//   at/epoch        "EPOCH HOLDER" of the last who claimed it; stays
//   at/whole        "EPOCH", as long as the records are all that its master has promised
//   at/beat         the master's clock, with every transaction and at least every kBeat
//   record/NAME     "WRITTEN VALUE", WRITTEN by the clock of the beats, 0 where age means nothing
//
// Each transaction expects the token, and the beat of the one before: so none is done twice or
// late, and one whose answer was lost is known to be done when its beat stands.
//
// A copy is believed only as long as its master is heard. A master whose transaction has no answer
// for kPatience goes on without the store, and shows no beat until it has claimed the place anew
// and written what lacks; a standby that hears none for kSilence asks the fabric for the master,
// and throws its copy away if that answers. One transaction may be done late, with its beat, after
// its master has gone on: so kPatience is more than twice kSilence, and who has heard nothing for a
// while believes the second beat, not the first.
//
// Who was asleep, as a host can be, does not know what it missed. A standby that finds that it has
// heard nothing for much longer than kSilence believes nothing. A master counts no time of which it
// was not awake, and learns first whether somebody has its place.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.hpp"
#include "store/key_values.hpp"
#include "store/stream.hpp"

namespace heddle::store {

class Quorum {
 public:
  static constexpr base::Duration kBeat = std::chrono::milliseconds(100);
  static constexpr base::Duration kSilence = std::chrono::milliseconds(250);
  static constexpr base::Duration kPatience = std::chrono::milliseconds(600);
  // Between attempts at what did not work.
  static constexpr base::Duration kRetry = std::chrono::milliseconds(500);
  static constexpr base::Duration kPause = std::chrono::milliseconds(50);  // before the same
  // While no master is heard, all is read again so often: a watch can be deaf.
  static constexpr base::Duration kReread = std::chrono::seconds(5);
  // Of one transaction: what etcd takes as it is delivered, less what is always there.
  static constexpr std::size_t kMaxChanges = 120;
  static constexpr std::size_t kMaxBytes = 512u << 10;

  struct Options {
    std::string prefix;  // without a slash at its end
    std::string holder;  // a word: this run of this manager, and no other
    std::chrono::seconds lease{5};
    std::function<bool(std::string_view name)> ages;  // whether this record's age means anything
  };
  // When something happens: on the driver's scale, and in seconds since 1970.
  struct Moment {
    base::Instant now{};
    std::uint64_t wall = 0;
  };

  // --- what comes of it
  struct Told {
    Batch batch;
    bool live = false;  // by a master that is heard; else it may lack what was promised last
  };
  struct Doubted {};  // what was told is not all there is any more
  struct Silent {};   // the master was heard, and is not any more
  struct Overtaken {  // another master has the store, of this epoch
    std::uint64_t epoch = 0;
  };
  struct Behind {  // nobody has it, but somebody of this epoch had
    std::uint64_t epoch = 0;
  };
  struct Lost {  // the store does not answer
    std::string why;
  };
  struct Whole {};  // the store has all that there is
  struct Heard {};  // it answers a standby (again)
  using Event = std::variant<Told, Doubted, Silent, Overtaken, Behind, Lost, Whole, Heard>;

  struct Ask {
    std::uint64_t id = 0;
    Question question;
  };
  struct Watch {
    KeyRange range;
    Revision from = 0;
  };

  explicit Quorum(Options options);

  // --- what happens
  // As master: what is to be remembered, the first time all of it.
  void publish(const Moment& at, const State& state);
  // No longer master.
  void step_down(const Moment& at);
  void on_answer(const Moment& at, std::uint64_t id, const Answer& answer);
  void on_changes(const Moment& at, const std::vector<Changed>& changes);
  void on_watch_lost(const Moment& at);
  void on_time(const Moment& at);

  // --- what is to be done
  base::Instant deadline() const;
  // One at a time: the next comes after the answer.
  std::optional<Ask> take_ask() { return std::exchange(ask_, std::nullopt); }
  // What shall be watched; null: nothing. Its number changes with what it says.
  const Watch* watch() const { return watch_ ? &*watch_ : nullptr; }
  std::uint64_t watch_number() const { return watch_number_; }
  std::vector<Event> take_events() { return std::exchange(events_, {}); }

  // The number of the last state that is in the store; all, while nobody need wait for it.
  std::uint64_t taken() const;

 private:
  enum class Stage : std::uint8_t {
    Reading,    // standby: everything, at once
    Watching,   // standby
    Looking,    // master: who has the place?
    Granting,   // a lease
    Claiming,   // the place
    Comparing,  // what is there
    Filling,    // with what lacks
    Serving,    // whole, and goes on being it
    Leaving,    // gives the place back
  };
  struct Said {
    std::string value;
    std::uint64_t written = 0;
    friend bool operator==(const Said&, const Said&) = default;
  };
  using Facts = std::map<std::string, Said>;
  struct Pending {
    std::uint64_t number = 0;
    base::Instant since{};
    std::vector<Change> changes;
  };
  struct Office {  // of at/master and at/epoch
    std::uint64_t epoch = 0;
    std::string holder;
    Revision revision = 0;
  };
  // What stands below at/.
  struct Control {
    Office master, last;
    std::optional<std::uint64_t> whole;
    std::uint64_t clock = 0;
    Revision beat = 0;
  };

  std::string at(std::string_view key) const { return options_.prefix + "/at/" + std::string(key); }
  KeyRange below(std::string_view folder) const;
  std::optional<std::string> name_of(const std::string& key) const;
  void note(Control& control, const std::string& key, const std::optional<std::string>& value,
            Revision revision) const;
  Control control_of(const std::vector<Entry>& entries) const;
  bool leads() const { return stage_ >= Stage::Looking && stage_ != Stage::Leaving; }

  void enter(Stage stage);
  void pump(const Moment& at);
  void send(const Moment& at, Question question);
  base::Instant deadline_of_stage() const;
  void fail(const Moment& at, const std::string& why);
  void lose(std::string why);

  // as master
  Said said(const Moment& at, const base::Record& record) const;
  Change change_of(const std::string& name, const Said* said) const;
  void take_whole(const Moment& at, const State& state);
  void take_changes(const Moment& at, const State& state);
  void look_around(const Moment& at, const Control& control);
  void compare(const std::vector<Entry>& entries);
  void claim(const Moment& at);
  Commit chained(const Moment& at) const;
  void send_fill(const Moment& at);
  void send_pending(const Moment& at);
  void on_lead(const Moment& at, const Answer& answer);
  void on_committed(const Moment& at, const Committed& committed);
  void advance(const Moment& at, Revision revision);
  base::Instant due() const;
  void forgive_sleep(const Moment& at);

  // as standby
  void take_all(const Moment& at, const Entries& all);
  void hear(const Moment& at, bool beat, std::vector<std::string> names);
  base::Record record_of(const std::string& name, const Said* said) const;
  void tell_all(bool live);
  void tell_since(const Facts& before);
  void fall_silent();

  Options options_;
  Stage stage_ = Stage::Reading;
  std::optional<Ask> ask_;
  std::optional<Question> asked_;  // under way
  std::uint64_t ask_number_ = 0;
  bool stale_ = false;  // what is under way is of another stage
  base::Instant sent_{};
  base::Instant not_before_{};
  base::Instant again_ = base::kNever;  // what is under way is sent again then
  std::vector<Event> events_;
  bool lost_ = false;  // and said so

  // as master
  std::uint64_t epoch_ = 0;
  Facts facts_;               // all that is to be remembered
  std::uint64_t latest_ = 0;  // number of a state
  std::uint64_t filled_ = 0;  // and the one that a filling will have
  std::uint64_t acked_ = 0;
  std::vector<Change> fill_;  // from the end
  std::deque<Pending> pending_;
  std::size_t sending_ = 0;  // so many of pending_ are in the transaction under way
  Control control_;          // as it was looked at
  LeaseId lease_ = 0;
  base::Instant renewed_{};
  Revision token_ = 0, beat_ = 0;
  base::Instant beat_sent_{};
  std::uint64_t named_ = 0;  // the epoch of the last Overtaken

  // as standby
  std::optional<Watch> watch_;
  std::uint64_t watch_number_ = 0;
  Control seen_;
  bool live_ = false;
  bool fell_silent_ = false;  // and has not read since
  bool was_told_ = false;
  unsigned beats_ = 0;  // heard since all was read
  base::Instant heard_{};
  base::Instant read_{};
};

}  // namespace heddle::store
