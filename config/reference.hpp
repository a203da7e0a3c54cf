// SPDX-License-Identifier: BSD-3-Clause
// The table of options as text for people: a sample file and a reference.
#pragma once

#include <string>

namespace heddle::config {

// A configuration file with every option at its default, commented out and explained.
std::string sample_file();

// The tables of docs/configuration.md, in Markdown.
std::string markdown_reference();

}  // namespace heddle::config
