// SPDX-License-Identifier: BSD-3-Clause
// An opensm.conf as a configuration file of Heddle. Options that stand at OpenSM's own default say
// nothing about what their user wants: ours are kept then.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/opensm_options.hpp"

namespace heddle::config {

struct Imported {
  enum class Outcome {
    TakenOver,  // `text`: what became of it
    Needless,   // `text`: why nothing is lost
    Missing,    // `text`: what there is instead
    Unknown,    // OpenSM has no such option; `text`: the one that may be meant, or empty
    Wrong,      // `text`: what is wrong with the value
  };
  struct Remark {
    unsigned line = 0;  // of the opensm.conf, from 1
    std::string option;
    Outcome outcome{};
    std::string text;
    unsigned column = 0;  // from 1: of the option, or of a value that is wrong
  };
  Config config;
  std::vector<Remark> remarks;  // in the order of the file; one for each option not at its default
  std::string file;             // the configuration file of Heddle
};

// `exists` says whether a file is there: OpenSM goes on without the files that it names and that
// are not, and so must what comes of them.
Imported import_opensm(std::string_view text,
                       const std::function<bool(const std::string& file)>& exists);

// Every option of OpenSM with the value that it has in this opensm.conf, or else OpenSM's own, as
// lines of such a file. Values of keys are left out.
std::string opensm_values(std::string_view text);

}  // namespace heddle::config
