// SPDX-License-Identifier: BSD-3-Clause
#include "store/quorum.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"

namespace heddle::store {

Quorum::Quorum(Options options) : options_(std::move(options)) {}

KeyRange Quorum::below(std::string_view folder) const {
  std::string first = options_.prefix + "/" + std::string(folder);
  if (!folder.empty()) first += '/';
  std::string end = first;
  ++end.back();  // what comes after a slash
  return {std::move(first), std::move(end)};
}

std::optional<std::string> Quorum::name_of(const std::string& key) const {
  const std::string first = options_.prefix + "/record/";
  if (!key.starts_with(first)) return std::nullopt;
  return key.substr(first.size());
}

// Words that are not ours are as if they were not there: whoever wrote them is overwritten.
void Quorum::note(Control& control, const std::string& key, const std::optional<std::string>& value,
                  Revision revision) const {
  const auto words = base::split(value ? std::string_view(*value) : std::string_view(), ' ');
  const auto first = base::parse_number(words[0], std::numeric_limits<std::int64_t>::max());
  const auto office = [&] {
    if (!first || words.size() != 2) return Office{0, {}, value ? revision : 0};
    return Office{*first, std::string(words[1]), revision};
  };
  if (key == at("master")) control.master = office();
  if (key == at("epoch")) control.last = office();
  if (key == at("whole")) control.whole = first;
  if (key == at("beat")) {
    control.clock = first.value_or(control.clock);
    control.beat = value ? revision : 0;
  }
}

Quorum::Control Quorum::control_of(const std::vector<Entry>& entries) const {
  Control control;
  for (const Entry& entry : entries) note(control, entry.key, entry.value, entry.revision);
  return control;
}

// What is under way for another stage is waited for, and its answer not heard.
void Quorum::enter(Stage stage) {
  stage_ = stage;
  if (again_ != base::kNever) asked_.reset();
  again_ = base::kNever;
  stale_ = asked_.has_value();
  sending_ = 0;
  if (stage != Stage::Serving && stage != Stage::Filling) pending_.clear();
}

void Quorum::send(const Moment& at, Question question) {
  asked_ = question;
  sent_ = at.now;
  ask_ = Ask{++ask_number_, std::move(question)};
}

void Quorum::lose(std::string why) {
  if (std::exchange(lost_, true)) return;
  events_.emplace_back(Lost{std::move(why)});
}

// A transaction of the chain is sent again: if it has been done, its beat will say so.
void Quorum::fail(const Moment& at, const std::string& why) {
  const bool chained = stage_ == Stage::Filling || stage_ == Stage::Serving;
  not_before_ = at.now + kRetry;
  if (chained && at.now < sent_ + kPatience) {
    again_ = at.now + kPause;
    return;
  }
  asked_.reset();
  if (stage_ == Stage::Claiming) lease_ = 0;
  if (stage_ == Stage::Leaving) return enter(Stage::Reading);  // the lease will end
  lose(why);
  if (leads()) enter(Stage::Looking);
}

void Quorum::on_answer(const Moment& at, std::uint64_t id, const Answer& answer) {
  if (!asked_ || id != ask_number_) return;
  forgive_sleep(at);
  again_ = base::kNever;
  const auto* none = std::get_if<NoAnswer>(&answer);
  if (std::exchange(stale_, false)) {
    asked_.reset();
  } else if (none != nullptr) {
    fail(at, none->why);
  } else if (leads()) {
    asked_.reset();
    on_lead(at, answer);
  } else {
    asked_.reset();
    if (stage_ == Stage::Leaving) enter(Stage::Reading);
    const auto* all = std::get_if<Entries>(&answer);
    if (all != nullptr && stage_ == Stage::Reading) take_all(at, *all);
  }
  pump(at);
}

void Quorum::pump(const Moment& at) {
  if (stage_ == Stage::Serving && at.now >= due()) {
    lose("it does not answer in time");
    enter(Stage::Looking);
    not_before_ = at.now;
  }
  if (at.now >= again_) {
    again_ = base::kNever;
    ask_ = Ask{++ask_number_, *asked_};
  }
  if (asked_) return;
  if (stage_ == Stage::Serving) return send_pending(at);
  if (at.now < not_before_) return;
  switch (stage_) {
    case Stage::Reading:
      return send(at, Read{below("")});
    case Stage::Looking:
      return send(at, Read{below("at")});
    case Stage::Granting:
      return send(at, Grant{options_.lease.count()});
    case Stage::Comparing:
      return send(at, Read{below("record")});
    case Stage::Filling:
      return send_fill(at);
    case Stage::Leaving:
      return send(at, Commit{{{this->at("master"), token_}},
                             {{this->at("master"), std::nullopt}},
                             below("at")});
    case Stage::Claiming:
      return claim(at);
    case Stage::Watching:
    case Stage::Serving:
      return;
  }
}

void Quorum::on_time(const Moment& at) {
  forgive_sleep(at);
  if (stage_ == Stage::Watching) {
    if (live_ && at.now >= heard_ + kSilence) return on_watch_lost(at);
    if (!live_ && at.now >= read_ + kReread) enter(Stage::Reading);
  }
  pump(at);
}

base::Instant Quorum::deadline() const {
  return std::min(again_, deadline_of_stage());
}

base::Instant Quorum::deadline_of_stage() const {
  switch (stage_) {
    case Stage::Watching:
      return live_ ? heard_ + kSilence : read_ + kReread;
    case Stage::Serving:
      if (!asked_) return pending_.empty() ? beat_sent_ + kBeat : beat_sent_;
      return due();
    default:
      return asked_ ? base::kNever : not_before_;
  }
}

// Whoever has lost a claim, or the store, keeps nobody waiting.
std::uint64_t Quorum::taken() const {
  const bool waits = stage_ == Stage::Serving && !pending_.empty();
  return waits ? acked_ : std::numeric_limits<std::uint64_t>::max();
}

}  // namespace heddle::store
