// SPDX-License-Identifier: BSD-3-Clause
#include "tests/scenarios/stage.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "mad/smp.hpp"
#include "sim/checker.hpp"
#include "tests/scenarios/brief_smp.hpp"

namespace heddle::test {
namespace {

constexpr base::Duration kLongest = std::chrono::seconds(60);
constexpr base::Instant kBegin{std::chrono::seconds(1)};  // where a Box's time begins

std::vector<std::string> split_words(const std::string& command) {
  std::vector<std::string> words;
  for (const std::string_view word : base::split(command, ' ')) words.emplace_back(word);
  return words;
}

bool begins(const std::vector<std::string>& words, std::initializer_list<const char*> with) {
  if (words.size() < with.size()) return false;
  std::size_t at = 0;
  for (const char* word : with) {
    if (words[at++] != word) return false;
  }
  return true;
}

unsigned number(std::string_view text) {
  const auto parsed = base::parse_number(text, 0xFFFF);
  if (!parsed) throw std::invalid_argument(fmt::format("no number: {}", text));
  return static_cast<unsigned>(*parsed);
}

// "250ms" or "10s".
base::Duration duration(std::string_view text) {
  if (text.ends_with("ms")) {
    return std::chrono::milliseconds(number(text.substr(0, text.size() - 2)));
  }
  if (!text.ends_with("s")) throw std::invalid_argument(fmt::format("no time: {}", text));
  return std::chrono::seconds(number(text.substr(0, text.size() - 1)));
}

std::string_view arrow(sim::Sighting::What what) {
  switch (what) {
    case sim::Sighting::What::Sent:
      return "->";
    case sim::Sighting::What::Delivered:
      return "<-";
    case sim::Sighting::What::Lost:
      return "lost";
    case sim::Sighting::What::Discarded:
      return "discarded";
    case sim::Sighting::What::Answered:
      break;
  }
  return "";
}

}  // namespace

std::vector<std::string> Stage::carry_out(const std::string& command) {
  lines_.clear();
  const Words words = split_words(command);
  if (!prepare(words) && !disturb(words) && !drive(words)) {
    throw std::invalid_argument("no such command: " + command);
  }
  return std::exchange(lines_, {});
}

bool Stage::prepare(const Words& words) {
  if (begins(words, {"fabric"})) {
    auto loaded = sim::load_fabric(words.at(1));
    if (!loaded) throw std::invalid_argument(loaded.error().message);
    blueprint_ = std::move(*loaded);
  } else if (begins(words, {"sm", "at"})) {
    options_.at = words.at(2);
  } else if (begins(words, {"routing"})) {
    options_.sm.routing.engines.clear();
    for (const auto engine : base::split(words.at(1), ',')) {
      options_.sm.routing.engines.emplace_back(engine);
    }
  } else if (begins(words, {"lmc"})) {
    options_.sm.lmc = static_cast<std::uint8_t>(number(words.at(1)));
  } else if (begins(words, {"priority"})) {
    options_.sm.priority = static_cast<std::uint8_t>(number(words.at(1)));
  } else if (begins(words, {"interval"})) {
    options_.sm.sweep_interval = duration(words.at(1));
  } else if (begins(words, {"same", "guid"})) {
    blueprint_.nodes[node(words.at(2))].guid = blueprint_.nodes[node(words.at(3))].guid;
  } else if (begins(words, {"holds"})) {
    auto& holder = blueprint_.nodes[node(words.at(1))];
    holder.ports.resize(holder.port_count + 1u);
    holder.ports.at(number(words.at(2))).lid.value = static_cast<std::uint16_t>(number(words[3]));
  } else {
    return false;
  }
  if (box_) throw std::invalid_argument("too late: the machine runs");
  return true;
}

bool Stage::disturb(const Words& words) {
  const auto is = [&](const char* first) { return begins(words, {first}); };
  if (is("cut")) {
    box().world().cut(cable(words.at(1)));
  } else if (is("restore")) {
    box().world().restore(cable(words.at(1)));
  } else if (is("lose")) {
    box().world().set_loss(cable(words.at(1)), 1.0);
  } else if (is("carry")) {
    box().world().set_loss(cable(words.at(1)), 0.0);
  } else if (is("silence")) {
    box().world().silence(node(words.at(1)), true);
  } else if (is("wake")) {
    box().world().silence(node(words.at(1)), false);
  } else if (begins(words, {"power", "off"})) {
    box().world().power_off(node(words.at(2)));
  } else if (begins(words, {"power", "on"})) {
    box().world().power_on(node(words.at(2)));
  } else {
    return false;
  }
  return true;
}

bool Stage::drive(const Words& words) {
  if (begins(words, {"run"})) {
    box().run_until_quiet(words.size() > 1 ? duration(words[1]) : kLongest);
  } else if (begins(words, {"wait"})) {
    box().run_for(duration(words.at(1)));
  } else if (begins(words, {"resweep"})) {
    box().input(sm::ResweepCommand{"asked to"});
    box().run_until_quiet(kLongest);
  } else if (begins(words, {"restart", "with", "memory"})) {
    box().restart(box().stored(), box().core().registrations());
  } else if (begins(words, {"restart", "without", "memory"})) {
    box().restart({});
  } else if (begins(words, {"ask", "sminfo", "from"})) {
    ask_sm_info(words.at(3));
  } else if (begins(words, {"judge"})) {
    const auto complaints = sim::judge(box().world(), box().endpoint());
    for (const std::string& complaint : complaints) lines_.push_back("  " + complaint);
    if (complaints.empty()) lines_.emplace_back("  all is well");
  } else if (begins(words, {"quiet", "mads"})) {
    mads_ = false;
  } else if (begins(words, {"loud", "mads"})) {
    mads_ = true;
  } else {
    return false;
  }
  return true;
}

void Stage::ask_sm_info(const std::string& from) {
  const auto endpoint = box().world().find_endpoint(from);
  if (!endpoint) throw std::invalid_argument("no such endpoint: " + from);
  const auto& snapshot = box().snapshot();
  mad::Smp ask;
  ask.management_class = mad::ManagementClass::SubnLidRouted;
  ask.method = mad::Method::Get;
  ask.attribute_id = mad::AttributeId::SMInfo;
  ask.transaction_id = {0x1'0000'0001};
  mad::Address peer;
  peer.lid = snapshot.lids.base(snapshot.sm_port);
  box().world().send(*endpoint, mad::make_datagram(peer, ask), box().now());
  box().run_for(std::chrono::milliseconds(1));
}

Box& Stage::box() {
  if (!box_) {
    box_ = std::make_unique<Box>(blueprint_, options_);
    box_->world().set_watcher([this](const sim::Sighting& sighting) { see(sighting); });
    box_->set_listener([this](const sm::Event& event) {
      write(fmt::format("* {}: {}", sm::event_name(event), sm::sentence(event)));
    });
  }
  return *box_;
}

std::uint32_t Stage::node(const std::string& name) const {
  for (std::uint32_t n = 0; n < blueprint_.nodes.size(); ++n) {
    if (blueprint_.nodes[n].name == name) return n;
  }
  throw std::invalid_argument("no such node: " + name);
}

std::uint32_t Stage::cable(const std::string& end) {
  const auto slash = end.rfind('/');
  const auto port = static_cast<std::uint8_t>(number(end.substr(slash + 1)));
  const auto found = box().world().find_cable(node(end.substr(0, slash)), port);
  if (!found) throw std::invalid_argument("no cable at " + end);
  return *found;
}

// What devices answer is seen when it is delivered.
void Stage::see(const sim::Sighting& sighting) {
  if (!mads_ || sighting.smp == nullptr || sighting.what == sim::Sighting::What::Answered) return;
  write(fmt::format("{} {} {}", blueprint_.nodes[sighting.node].name, arrow(sighting.what),
                    brief_smp(*sighting.smp)));
}

void Stage::write(std::string_view text) {
  const std::chrono::duration<double> time = box_->now() - kBegin;
  lines_.push_back(fmt::format("{:7.3f} {}", time.count(), text));
}

}  // namespace heddle::test
