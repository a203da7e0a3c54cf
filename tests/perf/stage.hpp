// SPDX-License-Identifier: BSD-3-Clause
// The performance manager on a simulated fabric that is up, in virtual time.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perf/machine.hpp"
#include "sim/world.hpp"
#include "tests/sim/tiny_manager.hpp"

namespace heddle::test {

class PerfStage {
 public:
  explicit PerfStage(std::string_view fabric, perf::Options options = {});

  // The coding of all links in the pictures.
  perf::Coding coding = perf::Coding::Bytes;
  // Every powered node and linked port.
  std::shared_ptr<const perf::Picture> picture(bool with_hosts = true) const;
  void give(std::shared_ptr<const perf::Picture> picture);
  void change(perf::Options options);

  // Until so many more sweeps have been published, one hour of virtual time at most.
  void run_sweeps(unsigned count);
  // For so long, whatever happens.
  void run_for(base::Duration time);

  const perf::Readings& readings() const { return *published.back(); }
  const perf::PortReading& port(std::string_view node, std::uint8_t number) const;
  void inject(std::string_view node, std::uint8_t port, std::string_view counter,
              std::uint64_t amount);
  void set_counter(std::string_view node, std::uint8_t port, std::string_view counter,
                   std::uint64_t value);
  std::uint32_t node(std::string_view name) const { return *world.find_node(name); }

  sim::World world;
  sim::TinyManager manager;
  perf::Machine machine;
  base::Instant now{};
  std::vector<std::shared_ptr<const perf::Readings>> published;
  struct Sent {
    base::Instant when{};
    perf::PerfMad mad;
    mad::Lid to{};
  };
  std::vector<Sent> sent;
  // Changes an answer, or keeps it back by returning false.
  std::function<bool(perf::PerfMad&)> on_answer;

 private:
  void step(perf::Input input);
  void turn();
};

}  // namespace heddle::test
