// SPDX-License-Identifier: BSD-3-Clause
// Lines of the log as entries of systemd's journal: with a priority and a field for each value, so
// that `journalctl HEDDLE_EVENT=LinkDisappeared` finds them.
#pragma once

#include "app/logging.hpp"

namespace heddle::app {

// Whether standard error leads to the journal (systemd.exec(5), JOURNAL_STREAM).
bool journal_is_standard_error();

// False when the journal does not take it.
bool write_to_journal(const LogLine& line);

// The name of the field that holds a value of the log: "a_guid" is HEDDLE_A_GUID.
std::string journal_field(std::string_view name);

}  // namespace heddle::app
