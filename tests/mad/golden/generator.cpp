// SPDX-License-Identifier: BSD-3-Clause
// Writes the goldens of foreign origin: generator DIRECTORY LIBIBMAD-VERSION LIBOPENSM-VERSION.
// Run it through tests/mad/golden/regenerate.
#include <cctype>
#include <fstream>
#include <iostream>

#include "tests/mad/sample.hpp"

namespace {

constexpr std::uint64_t kSeed = 2;

bool write_all(const std::vector<heddle::mad::Sample>& samples, const std::string& directory,
               const std::string& source, const std::string& provenance) {
  for (const heddle::mad::Sample& sample : samples) {
    std::string name = sample.layout;
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::ofstream file(directory + "/" + source + "." + name + ".golden");
    file << golden_text(sample, provenance);
    if (!file.flush()) return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: generator DIRECTORY LIBIBMAD-VERSION LIBOPENSM-VERSION\n";
    return 2;
  }
  const std::string rerun = "\nrewrite: tests/mad/golden/regenerate";
  heddle::base::Prng prng(kSeed);
  const bool ok =
      write_all(heddle::mad::libibmad_samples(prng, true), argv[1], "libibmad",
                "encoded and rendered by mad_set_field, mad_set_array, mad_dump_field of Debian's\n"
                "libibmad5 " +
                    std::string(argv[2]) + rerun) &&
      write_all(heddle::mad::ib_types_samples(prng), argv[1], "ib_types",
                "laid out by the packed structs of OpenSM's iba/ib_types.h, Debian's\n"
                "libopensm-dev " +
                    std::string(argv[3]) + rerun);
  if (!ok) std::cerr << "generator: cannot write into " << argv[1] << '\n';
  return ok ? 0 : 1;
}
