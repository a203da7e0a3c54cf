// SPDX-License-Identifier: BSD-3-Clause
#include "doors/control/script.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "doors/control/arguments.hpp"

namespace heddle::doors::control {
namespace {

// For the heap: whether `left` comes after `right`.
constexpr auto kLater = [](const auto& left, const auto& right) {
  return left.at != right.at ? left.at > right.at : left.step > right.step;
};

std::string place(const Script& script, std::size_t line, std::size_t column,
                  const std::string& what) {
  return fmt::format("{}:{}:{}: {}", script.title, line, column, what);
}

// Reads the lines of one script, one after the other.
class Reader {
 public:
  Reader(Script& script, Context& context) : script_(script), context_(context) {}

  void take(std::string_view text, std::size_t line) {
    const Words split = split_words(text);
    if (!split.error.empty()) return complain(line, split.column, split.error);
    if (split.words.empty()) return;
    if (script_.steps.size() == kMostSteps) {
      return complain(line, 1, fmt::format("a script has at most {} steps", kMostSteps));
    }
    Step step;
    step.at = clock_;
    step.line = line;
    const std::string& first = split.words.front().text;
    const bool timed = first == "at" || first == "after" || first == "every";
    if (timed && !read_time(split.words, step)) return;
    step.column = timed ? split.words[2].column - 1 : 0;
    step.verb = text.substr(step.column);
    if (!names_may_change_) {
      const Outcome outcome = check_line(context_, step.verb);
      if (!outcome.ok()) {
        return complain(line, step.column + std::max<std::size_t>(outcome.column, 1),
                        outcome.error);
      }
    }
    const Words verb = split_words(step.verb);
    const bool adds = verb.words.size() > 1 && verb.words[0].text == "add";
    names_may_change_ = names_may_change_ || adds;
    script_.steps.push_back(std::move(step));
  }

 private:
  bool read_time(const std::vector<Word>& words, Step& step) {
    const std::string& kind = words.front().text;
    Arguments arguments(context_.host.world(), std::span(words).subspan(1), true);
    const base::Duration time = arguments.time();
    if (arguments.error().empty() && !arguments.more()) arguments.refuse("a verb is missing");
    if (arguments.error().empty() && kind == "every" && time < kShortestPeriod) {
      arguments.refuse("this is too often; 1ms is the shortest");
    }
    if (!arguments.error().empty()) {
      complain(step.line, std::max<std::size_t>(arguments.column(), 1), arguments.error());
      return false;
    }
    step.at = kind == "at" ? time : clock_ + time;
    if (kind == "every") step.period = time;
    if (kind != "every") clock_ = step.at;
    return true;
  }

  void complain(std::size_t line, std::size_t column, const std::string& what) {
    script_.problems.push_back(place(script_, line, column, what));
  }

  Script& script_;
  Context& context_;
  base::Duration clock_{0};
  bool names_may_change_ = false;
};

}  // namespace

Script parse_script(std::string_view text, std::string_view title, Context& context) {
  Script script;
  script.title = title;
  Reader reader(script, context);
  std::size_t number = 0;
  for (const std::string_view line : base::split(text, '\n')) reader.take(line, ++number);
  return script;
}

ScriptRunner::ScriptRunner(Context context, Script script,
                           std::function<void(const std::string&)> say)
    : start_(context.host.world_now()),
      context_(std::move(context)),
      script_(std::move(script)),
      say_(std::move(say)) {
  for (std::size_t step = 0; step < script_.steps.size(); ++step) {
    due_.push_back({script_.steps[step].at, step});
  }
  std::make_heap(due_.begin(), due_.end(), kLater);
  wait();
}

ScriptRunner::~ScriptRunner() {
  *alive_ = false;
}

void ScriptRunner::wait() {
  if (due_.empty()) return;
  context_.host.at(start_ + due_.front().at, [this, alive = alive_] {
    if (*alive) run_due();
  });
}

void ScriptRunner::run_due() {
  const Due due = due_.front();
  std::pop_heap(due_.begin(), due_.end(), kLater);
  due_.pop_back();
  const Step& step = script_.steps[due.step];
  const Outcome outcome = run_line(context_, step.verb);
  if (!outcome.ok()) {
    say_(place(script_, step.line, step.column + std::max<std::size_t>(outcome.column, 1),
               outcome.error));
  } else if (!outcome.text.empty()) {
    say_(outcome.text);
  }
  // "wait" in a script moves everything that comes after it.
  start_ += outcome.pause;
  if (step.period > base::Duration::zero()) {
    due_.push_back({due.at + step.period, due.step});
    std::push_heap(due_.begin(), due_.end(), kLater);
  }
  wait();
}

}  // namespace heddle::doors::control
