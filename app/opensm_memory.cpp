// SPDX-License-Identifier: BSD-3-Clause
#include "app/opensm_memory.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/clock.hpp"
#include "app/commands.hpp"
#include "app/keeper.hpp"
#include "app/lid_entries.hpp"
#include "app/partition_records.hpp"
#include "app/settings.hpp"
#include "sa/opensm_dump.hpp"
#include "sa/registrations_text.hpp"
#include "sm/keys.hpp"
#include "sm/memory.hpp"
#include "store/opensm_files.hpp"
#include "store/text_file.hpp"

namespace heddle::app {
namespace {

using store::Database;
using store::OpensmFile;

constexpr std::array<std::string_view, 5> kRegistered{"alias", "group", "member", "service",
                                                      "subscription"};

std::vector<base::Record> records_of(const std::vector<store::KeyEntry>& entries) {
  sm::RememberedKeys keys;
  for (const store::KeyEntry& entry : entries) {
    if (entry.key != 0) keys.by_port.emplace(mad::Guid{entry.port_guid}, mad::MKey{entry.key});
  }
  return sm::to_records(keys);
}

class Import {
 public:
  explicit Import(const Database& database) : database_(database) {}

  base::Result<void> add(const std::filesystem::path& file) {
    const auto content = store::TextFile(file, "file of OpenSM").read_named();
    if (!content) return content.error();
    return take(file, content->text);
  }
  // In one transaction. Whoever was master was none of ours, so that nobody is named, and clients
  // are asked what is so now.
  base::Result<std::uint64_t> finish() {
    const auto epoch = database_.epoch();
    if (!epoch) return epoch.error();
    records_.push_back(sm::to_record(sm::Office{{}, {}, *epoch}));
    return *epoch;
  }
  const std::vector<base::Record>& records() const { return records_; }

 private:
  base::Result<void> take(const std::filesystem::path& file, const std::string& text) {
    if (sa::is_opensm_dump(text)) return take_dump(file, text);
    switch (store::kind_of_opensm_file(text)) {
      case OpensmFile::Lids:
        return take_lids(file);
      case OpensmFile::Keys:
        return take_keys(file, text);
      case OpensmFile::Neighbors:
        return take_neighbors(file, text);
      case OpensmFile::Unknown:
        break;
    }
    return base::error(fmt::format(
        "{}: this is none of guid2lid, guid2mkey, neighbors and opensm-sa.dump", file.string()));
  }
  base::Result<void> take_lids(const std::filesystem::path& file) {
    const auto loaded = store::load_lids(file);
    if (loaded.has_error()) return loaded.error();
    for (const std::string& warning : loaded->warnings) std::cerr << warning << "\n";
    for (const auto& lids : lids_of(loaded->entries)) records_.push_back(sm::to_record(lids));
    say(file, fmt::format("LIDs, {} ports", loaded->entries.size()));
    return {};
  }
  base::Result<void> take_keys(const std::filesystem::path& file, const std::string& text) {
    const auto entries = store::parse_keys(text, file.string());
    if (!entries) return entries.error();
    const auto records = records_of(*entries);
    records_.insert(records_.end(), records.begin(), records.end());
    say(file, fmt::format("M_Keys, {} ports", records.size()));
    return {};
  }
  // OpenSM finds the key of a port by it that does not say who it is. Here such a port is asked
  // with all that there are.
  static base::Result<void> take_neighbors(const std::filesystem::path& file,
                                           const std::string& text) {
    const auto entries = store::parse_neighbors(text, file.string());
    if (!entries) return entries.error();
    say(file, fmt::format("cables, {} ends, which are not needed: Heddle looks for itself",
                          entries->size()));
    return {};
  }
  // Takes the place of what clients had registered: half of one and half of another is neither.
  base::Result<void> take_dump(const std::filesystem::path& file, const std::string& text) {
    const auto before = database_.read();
    if (!before) return before.error();
    const auto now = steady_now();
    const auto registrations =
        sa::parse_opensm_dump(text, file.string(), now, Keeper::wall_clock());
    if (!registrations) return registrations.error();
    for (const base::Record& record : *before) {
      const auto kind = record.name.substr(0, record.name.find(' '));
      if (std::find(kRegistered.begin(), kRegistered.end(), kind) == kRegistered.end()) continue;
      records_.push_back({record.name, std::nullopt});
    }
    const auto records = sa::to_records(*registrations, now);
    records_.insert(records_.end(), records.begin(), records.end());
    say(file, fmt::format("registrations of clients, {} records", records.size()));
    return {};
  }
  static void say(const std::filesystem::path& file, const std::string& what) {
    std::cout << fmt::format("{}: {}\n", file.string(), what);
  }

  const Database& database_;
  std::vector<base::Record> records_;
};

base::Result<void> take_over(const std::filesystem::path& memory,
                             const std::vector<std::filesystem::path>& files) {
  const auto lock = MemoryLock::take(memory);
  if (!lock) return lock.error();
  auto opened = Database::open(memory, Keeper::wall_clock);
  if (!opened) return opened.error();
  if (!opened->put_aside.empty()) std::cerr << "heddle: " << opened->put_aside << "\n";
  Import taken(*opened->database);
  for (const auto& file : files) {
    const auto added = taken.add(file);
    if (added.has_error()) return added.error();
  }
  const auto epoch = taken.finish();
  if (!epoch) return epoch.error();
  const auto written = opened->database->write({{*epoch, false, taken.records()}});
  if (written.has_error()) return written.error();
  return Keeper::mark_whole(memory);
}

// Keys are in it.
base::Result<void> write(const std::filesystem::path& file, std::string_view text) {
  const auto written =
      store::TextFile(file, "file for OpenSM").replace(text, store::TextFile::Readers::Owner);
  if (written.has_error()) return written.error();
  std::cout << file.string() << "\n";
  return {};
}

// What ports are to have by the configuration, or had by another manager's.
std::vector<store::KeyEntry> keys_of(const std::vector<sm::RememberedLids>& lids,
                                     const sm::RememberedKeys& known, mad::MKey m_key,
                                     bool per_port) {
  std::map<mad::Guid, mad::MKey> keys = known.by_port;
  for (const sm::RememberedLids& each : lids) {
    if (m_key == mad::MKey{}) continue;
    keys[each.port_guid] = per_port ? sm::derive_m_key(m_key, each.port_guid) : m_key;
  }
  std::vector<store::KeyEntry> entries;
  for (const auto& [guid, key] : keys) entries.push_back({guid.value, key.value});
  return entries;
}

base::Result<void> export_to(const OpensmMemoryArguments& arguments,
                             const std::filesystem::path& memory, const config::Config& config) {
  auto database = Database::open_to_read(memory, Keeper::wall_clock);
  if (!database) return database.error();
  auto records = (*database)->read();
  if (!records) return records.error();
  take_partition_records(*records);  // OpenSM has no file for them
  sm::Recalled recalled = sm::recall(*records);
  const auto keys = sm::take_keys(recalled.registrations);
  if (!keys.masters.empty() && arguments.config.empty()) {
    return base::error(
        "ports have M_Keys, and how they are made the configuration says: name it (--config)");
  }
  (void)sm::take_office(recalled.registrations);
  const auto now = steady_now();
  sa::Registrations registrations;
  if (!recalled.registrations.empty()) {
    auto parsed = sa::parse_registrations(recalled.registrations, now);
    if (!parsed) return parsed.error();
    registrations = std::move(*parsed);
  }
  std::map<mad::Guid, mad::Lid> lids;
  for (const auto& each : recalled.lids) lids[each.port_guid] = each.base;
  const auto dump =
      sa::to_opensm_dump(registrations, now, Keeper::wall_clock(), [&](mad::Guid port) {
        const auto found = lids.find(port);
        return found == lids.end() ? mad::kNoLid : found->second;
      });
  std::error_code failure;
  std::filesystem::create_directories(arguments.folder, failure);
  const auto guid2lid = arguments.folder / "guid2lid";
  const auto saved = store::save_lids(guid2lid, entries_of(recalled.lids));
  if (saved.has_error()) return saved.error();
  std::cout << guid2lid.string() << "\n";
  const auto entries = keys_of(recalled.lids, keys, mad::MKey{config.m_key}, config.m_key_per_port);
  if (!entries.empty()) {
    const auto written = write(arguments.folder / "guid2mkey", store::to_text(entries));
    if (written.has_error()) return written.error();
  }
  return write(arguments.folder / "opensm-sa.dump", dump);
}

// The configuration counts where it is named, or the database is not.
template <class Act>
Exit with_memory(const OpensmMemoryArguments& arguments, const Act& act) {
  config::Config config;
  std::filesystem::path memory = arguments.memory;
  if (memory.empty() || !arguments.config.empty()) {
    const Settings settings = read_settings({arguments.config, {}, {}, false});
    for (const std::string& problem : settings.problems) std::cerr << problem << "\n";
    if (!settings.problems.empty()) return Exit::Config;
    config = settings.config;
    if (memory.empty()) memory = Keeper::file_beside(config.memory_file);
  }
  const base::Result<void> done = act(memory, config);
  if (!done.has_error()) return Exit::Ok;
  complain(done.error().message);
  return Exit::Output;
}

}  // namespace

Exit run_snapshot_import(const OpensmMemoryArguments& arguments) {
  return with_memory(arguments, [&](const std::filesystem::path& memory, const config::Config&) {
    return take_over(memory, arguments.files);
  });
}

Exit run_snapshot_export(const OpensmMemoryArguments& arguments) {
  return with_memory(arguments,
                     [&](const std::filesystem::path& memory, const config::Config& config) {
                       return export_to(arguments, memory, config);
                     });
}

}  // namespace heddle::app
