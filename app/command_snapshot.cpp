// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iostream>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/keeper.hpp"
#include "app/managed_partitions.hpp"
#include "app/partition_records.hpp"
#include "app/settings.hpp"
#include "sm/memory.hpp"
#include "store/database.hpp"

namespace heddle::app {
namespace {

using store::Database;

// "3 group, 12 member, 4 lid".
std::string contents(const std::vector<base::Record>& records) {
  std::map<std::string, std::size_t> kinds;
  for (const base::Record& record : records) {
    ++kinds[record.name.substr(0, record.name.find(' '))];
  }
  std::string text;
  for (const auto& [kind, count] : kinds) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, kind);
  }
  return text.empty() ? "nothing" : text;
}

// Those of programs are not in the manager's database, but in a file beside it. What leads from the
// one to the other.
base::Result<std::vector<base::Record>> partitions_beside(const Database& database,
                                                          const std::filesystem::path& memory) {
  auto records = database.read();
  if (!records) return records.error();
  auto changes = take_partition_records(*records);  // of an earlier version
  for (base::Record& record : changes) record.value.reset();
  const auto managed = ManagedPartitionsFile(Keeper::lid_memory_of(memory)).read();
  if (managed.has_error()) return managed.error();
  if (**managed != partitions::Managed{}) {
    const auto all = partition_changes({}, **managed);
    changes.insert(changes.end(), all.begin(), all.end());
  }
  return changes;
}

// By a copy of the copy: one that was written to wants further files beside it, where a snapshot
// is a single one that can be read from anywhere.
base::Result<void> copy_with(const Database& database, const std::vector<base::Record>& changes,
                             const std::filesystem::path& file) {
  const std::filesystem::path between = file.string() + ".new";
  const auto remove = [&between] {
    std::error_code ignored;
    for (const char* part : {"", "-wal", "-shm"}) {
      std::filesystem::remove(between.string() + part, ignored);
    }
  };
  const auto copy = [&]() -> base::Result<void> {
    auto copied = database.copy_to(between);
    if (copied.has_error()) return copied;
    auto opened = Database::open(between, Keeper::wall_clock);
    if (!opened) return opened.error();
    const auto epoch = opened->database->epoch();
    if (!epoch) return epoch.error();
    const auto written = opened->database->write({{*epoch, false, changes}});
    if (written.has_error()) return written.error();
    return opened->database->copy_to(file);
  };
  remove();  // what a crash has left
  auto done = copy();
  remove();
  return done;
}

// As the last change of all, so that nobody takes what was changed since for newer. A snapshot
// without any says nothing of them.
base::Result<void> restore_partitions(const std::vector<base::Record>& records,
                                      const std::filesystem::path& memory) {
  if (records.empty()) return {};
  auto restored = with_records({}, true, records);
  if (!restored) return base::error("the snapshot's partitions cannot be understood");
  const ManagedPartitionsFile file(Keeper::lid_memory_of(memory));
  const auto here = file.read();
  if (here && (*here)->partitions == restored->partitions) return {};
  if (here) restored->generation = std::max(restored->generation, (*here)->generation + 1);
  return file.save(*restored);
}

base::Result<void> save(const std::filesystem::path& memory, const std::filesystem::path& file) {
  auto database = Database::open_to_read(memory, Keeper::wall_clock);
  if (!database) return database.error();
  const auto partitions = partitions_beside(**database, memory);
  if (!partitions) return partitions.error();
  const auto copied =
      partitions->empty() ? (*database)->copy_to(file) : copy_with(**database, *partitions, file);
  if (copied.has_error()) return copied.error();
  auto copy = Database::open_to_read(file, Keeper::wall_clock);
  if (!copy) return copy.error();
  const auto records = (*copy)->read();
  if (!records) return records.error();
  std::cout << fmt::format("saved {}: {}\n", file.string(), contents(*records));
  return {};
}

// Whoever was master when the snapshot was made, clients have registered and left since: so nobody
// is named, and all of them will be asked.
void name_nobody(std::vector<base::Record>& records, std::uint64_t epoch) {
  for (base::Record& record : records) {
    if (record.name == "office") record = sm::to_record(sm::Office{{}, {}, epoch});
  }
}

base::Result<void> restore(const std::filesystem::path& memory, const std::filesystem::path& file,
                           bool force) {
  auto snapshot = Database::open_to_read(file, Keeper::wall_clock);
  if (!snapshot) return snapshot.error();
  auto records = (*snapshot)->read();
  if (!records) return records.error();
  const std::string what = contents(*records);
  const auto partitions = take_partition_records(*records);
  const auto lock = MemoryLock::take(memory);
  if (!lock) return lock.error();
  std::error_code ignored;
  if (!std::filesystem::exists(memory, ignored)) {
    const auto copied = (*snapshot)->copy_to(memory);
    if (copied.has_error()) return copied.error();
  }
  auto opened = Database::open(memory, Keeper::wall_clock);
  if (!opened) return opened.error();
  if (!opened->put_aside.empty()) std::cerr << "heddle: " << opened->put_aside << "\n";
  Database& database = *opened->database;
  const auto fabric = database.fabric(), other = (*snapshot)->fabric();
  if (!fabric) return fabric.error();
  if (!other) return other.error();
  if (fabric->text != other->text && opened->put_aside.empty() && !force) {
    return base::error(fmt::format("{} is of another fabric than {}; --force takes it all the same",
                                   file.string(), memory.string()));
  }
  const auto here = database.epoch(), there = (*snapshot)->epoch();
  if (!here) return here.error();
  if (!there) return there.error();
  const std::uint64_t epoch = std::max(*here, *there);
  name_nobody(*records, epoch);
  const auto written = database.write({{epoch, true, *records}});
  if (written.has_error()) return written.error();
  const auto made = restore_partitions(partitions, memory);
  if (made.has_error()) return made.error();
  const auto marked = Keeper::mark_whole(memory);
  if (marked.has_error()) return marked.error();
  std::cout << fmt::format("restored {}: {}\n", memory.string(), what);
  return {};
}

}  // namespace

Exit run_snapshot(const SnapshotArguments& arguments) {
  std::filesystem::path memory = arguments.memory;
  if (memory.empty()) {
    const Settings settings = read_settings({arguments.config, {}, {}, false});
    for (const std::string& problem : settings.problems) std::cerr << problem << "\n";
    if (!settings.problems.empty()) return Exit::Config;
    memory = Keeper::file_beside(settings.config.memory_file);
  }
  const auto done = arguments.restores ? restore(memory, arguments.file, arguments.force)
                                       : save(memory, arguments.file);
  if (!done.has_error()) return Exit::Ok;
  complain(done.error().message);
  return Exit::Output;
}

}  // namespace heddle::app
