// SPDX-License-Identifier: BSD-3-Clause
// `heddle config import`: an opensm.conf as a configuration file of Heddle.
#include <algorithm>
#include <iostream>
#include <system_error>

#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/text.hpp"
#include "base/text.hpp"
#include "config/opensm_import.hpp"

namespace heddle::app {
namespace {

using config::Imported;
using Outcome = Imported::Outcome;

std::string sentence(const Imported::Remark& remark) {
  switch (remark.outcome) {
    case Outcome::TakenOver:
      return "is now " + remark.text;
    case Outcome::Needless:
      return "is not needed: " + remark.text;
    case Outcome::Missing:
      return "is lost: " + remark.text;
    case Outcome::Unknown:
      return remark.text.empty() ? "is no option of OpenSM"
                                 : "is no option of OpenSM; is " + remark.text + " meant?";
    case Outcome::Wrong:
      return "is wrong: " + remark.text;
  }
  return {};
}

std::size_t count(const Imported& imported, Outcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(imported.remarks.begin(), imported.remarks.end(),
                    [&](const auto& remark) { return remark.outcome == outcome; }));
}

void tell(const std::string& file, const Imported& imported) {
  for (const auto& remark : imported.remarks) {
    std::cerr << fmt::format("{}:{}:{}: {} {}\n", file, remark.line, remark.column,
                             base::printable(remark.option), base::printable(sentence(remark)));
  }
  std::cerr << fmt::format(
      "{} taken over, {} not needed, {} lost, {} unknown, {} wrong; what stands "
      "at OpenSM's default is left to Heddle's.\n",
      count(imported, Outcome::TakenOver), count(imported, Outcome::Needless),
      count(imported, Outcome::Missing), count(imported, Outcome::Unknown),
      count(imported, Outcome::Wrong));
}

}  // namespace

Exit run_config_import(const std::filesystem::path& file, const std::filesystem::path& output) {
  constexpr std::size_t kMost = 1u << 20;
  const auto text = read_text_file(file, kMost);
  if (text.has_error()) {
    complain(text.error().message);
    return Exit::Config;
  }
  const Imported imported = config::import_opensm(*text, [](const std::string& named) {
    std::error_code ignored;
    return std::filesystem::exists(named, ignored);
  });
  tell(file.string(), imported);
  if (output.empty()) {
    std::cout << imported.file;
  } else {
    // M_Key and SM_Key are in it; where it goes to the usual place, the service's group reads it.
    const auto written = replace_file(
        output, [&](std::ostream& out) { out << imported.file; }, Readers::Known);
    if (!written) {
      complain(written.error().message);
      return Exit::Output;
    }
  }
  return count(imported, Outcome::Wrong) == 0 ? Exit::Ok : Exit::Config;
}

Exit run_config_opensm_options() {
  std::cout << config::opensm_markdown();
  return Exit::Ok;
}

}  // namespace heddle::app
