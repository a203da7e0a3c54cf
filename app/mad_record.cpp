// SPDX-License-Identifier: BSD-3-Clause
#include "app/mad_record.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "sim/devices.hpp"

namespace heddle::app {
namespace {

const char* name_of(sim::Sighting::What what) {
  switch (what) {
    case sim::Sighting::What::Sent:
      return "sent";
    case sim::Sighting::What::Answered:
      return "answered";
    case sim::Sighting::What::Delivered:
      return "delivered";
    case sim::Sighting::What::Lost:
      return "lost";
    case sim::Sighting::What::Discarded:
      return "discarded";
  }
  return "?";
}

}  // namespace

MadRecord::MadRecord(std::ofstream stream, const doors::FabricHost& host)
    : stream_(std::move(stream)), host_(host) {}

std::unique_ptr<MadRecord> MadRecord::open(const std::filesystem::path& file,
                                           doors::FabricHost& host) {
  std::ofstream stream(file);
  if (!stream) return nullptr;
  std::unique_ptr<MadRecord> record(new MadRecord(std::move(stream), host));
  host.change([&](sim::World& world) {
    world.set_watcher([it = record.get()](const sim::Sighting& sighting) { it->write(sighting); });
  });
  return record;
}

void MadRecord::write(const sim::Sighting& sighting) {
  const auto seconds = std::chrono::duration<double>(sighting.when.time_since_epoch());
  nlohmann::json line{
      {"time", seconds.count()},
      {"what", name_of(sighting.what)},
      {"node", base::printable(host_.world().devices().plan.nodes[sighting.node].name)},
      {"port", sighting.port}};
  if (const mad::Smp* smp = sighting.smp) {
    line["class"] = static_cast<unsigned>(smp->management_class);
    line["method"] = static_cast<unsigned>(smp->method);
    line["attribute"] = static_cast<unsigned>(smp->attribute_id);
    line["modifier"] = smp->attribute_modifier;
    line["status"] = smp->status.value;
    line["transaction"] = base::hex(smp->transaction_id.value);
  }
  stream_ << line.dump() << "\n";
}

}  // namespace heddle::app
