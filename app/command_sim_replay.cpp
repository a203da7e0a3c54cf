// SPDX-License-Identifier: BSD-3-Clause
// `heddle sim replay`: what came into a recorded fabric comes into the same one again, as fast as
// it goes, and what becomes of each MAD is held against the recording.
#include <deque>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/fabric_options.hpp"
#include "app/mad_record.hpp"
#include "app/world_options.hpp"

namespace heddle::app {
namespace {

// What was recorded and what is seen now, line by line; the first pair that is not the same.
class Comparison {
 public:
  void expect(std::string line, std::size_t number) {
    expected_.push_back({std::move(line), number});
    compare();
  }
  void see(const std::string& line) {
    seen_.push_back(line);
    compare();
  }
  bool waits() const { return !expected_.empty() && difference_.empty(); }
  void end() {
    if (waits()) differ("nothing");
  }
  const std::string& difference() const { return difference_; }
  std::size_t compared() const { return compared_; }

 private:
  struct Expected {
    std::string line;
    std::size_t number = 0;
  };
  void compare() {
    while (difference_.empty() && !expected_.empty() && !seen_.empty()) {
      if (seen_.front() != expected_.front().line) return differ(seen_.front());
      seen_.pop_front();
      expected_.pop_front();
      ++compared_;
    }
  }
  void differ(const std::string& instead) {
    difference_ = fmt::format("line {}: {}\ninstead: {}", expected_.front().number,
                              expected_.front().line, instead);
  }

  std::deque<Expected> expected_;
  std::deque<std::string> seen_;
  std::string difference_;
  std::size_t compared_ = 0;
};

// The input or sighting of one line.
base::Result<> play(const std::string& text, std::size_t number, doors::FabricHost& host,
                    Comparison& comparison) {
  try {
    const auto line = nlohmann::json::parse(text);
    if (line.contains("in")) return carry_out(line, host);
    comparison.expect(text, number);
    return {};
  } catch (const nlohmann::json::exception& error) {
    return base::error(error.what());
  }
}

Exit refuse(const std::filesystem::path& file, std::size_t line, const std::string& why) {
  complain(fmt::format("{}:{}: {}", file.string(), line, why));
  return Exit::Usage;
}

Exit play_all(std::istream& stream, const std::filesystem::path& file, sim::World world) {
  boost::asio::io_context loop;
  doors::FabricHost host(loop, std::move(world));
  host.set_pace({0, false});
  Comparison comparison;
  MadRecord record(
      [&comparison](const std::string& line) {
        if (line.find("\"in\":") == line.npos) comparison.see(line);
      },
      host);
  std::size_t number = 1;
  for (std::string text; std::getline(stream, text) && comparison.difference().empty();) {
    const auto played = play(text, ++number, host, comparison);
    // A fabric that was killed leaves half a line.
    if (played.has_error() && stream.peek() != std::char_traits<char>::eof()) {
      return refuse(file, number, played.error().message);
    }
  }
  while (comparison.waits() && host.world().next_event() != base::kNever) {
    host.go_to(host.world().next_event());
  }
  comparison.end();
  if (!comparison.difference().empty()) {
    std::cout << comparison.difference() << "\n";
    return Exit::Internal;
  }
  const std::chrono::duration<double> lasted = host.world_now().time_since_epoch();
  std::cout << fmt::format("same: {} sightings in {:.3f} s of the fabric\n", comparison.compared(),
                           lasted.count());
  return Exit::Ok;
}

}  // namespace

Exit run_sim_replay(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string first;
  if (!std::getline(stream, first)) return refuse(file, 1, "cannot be read");
  SimArguments arguments;
  try {
    arguments = arguments_of(nlohmann::json::parse(first));
  } catch (const nlohmann::json::exception& error) {
    return refuse(file, 1, fmt::format("this is no recording of a fabric: {}", error.what()));
  }
  auto blueprint = sim::load_fabric(arguments.fabric, fabric_load_options(arguments.ibnl));
  if (blueprint.has_error()) {
    complain(blueprint.error().message);
    return Exit::Fabric;
  }
  return play_all(stream, file, sim::World(std::move(*blueprint), world_options(arguments)));
}

}  // namespace heddle::app
