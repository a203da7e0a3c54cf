// SPDX-License-Identifier: BSD-3-Clause
// Text that somebody else wrote, made safe to stand in a file of another language. Names of nodes
// are such text: whoever may write into a device's flash chooses them.
#pragma once

#include <string>
#include <string_view>

namespace heddle::base {

// Content or a quoted attribute of XML, SVG and HTML. Control bytes, and bytes that are not UTF-8,
// become '?'.
std::string markup(std::string_view text);

// One field of a line of CSV, in quotes where it needs them. Control bytes become '?', so that a
// line stays a line; and what a spreadsheet would take for a formula (it begins with = + - or @)
// gets an apostrophe before it, which shows it as text.
std::string csv_field(std::string_view text);

// The field without that apostrophe: what csv_field was given.
std::string_view csv_plain(std::string_view field);

}  // namespace heddle::base
