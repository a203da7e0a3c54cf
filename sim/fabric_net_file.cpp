// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "base/text.hpp"
#include "sim/fabric_assembly.hpp"
#include "sim/fabric_lines.hpp"
#include "sim/fabric_readers.hpp"

namespace heddle::sim {
namespace {

class NetFileReader {
 public:
  NetFileReader(std::string_view title, const OtherFiles& others)
      : assembly_(title), others_(others) {}

  base::Result<Blueprint> read(std::string_view text) && {
    const std::string title = assembly_.notes().title();  // the notes' own moves as files come in
    const auto done = read_file(text, title, 0, 0);
    if (!done) return done.error();
    if (!assembly_.has_nodes()) {
      return base::error(fmt::format("{}: no node is described here", assembly_.notes().title()));
    }
    return std::move(assembly_).finish();
  }

 private:
  base::Result<> read_file(std::string_view text, const std::string& name, std::uint32_t file,
                           unsigned depth) {
    return for_each_line(text, [&](std::string_view raw, unsigned number) -> base::Result<> {
      const Place place{file, number};
      const auto line = read_fabric_line(raw);
      if (!line) return base::error(assembly_.notes().at(place, line.error().message));
      if (const auto* include = std::get_if<IncludeLine>(&*line)) {
        return follow(include->name, name, place, depth + 1);
      }
      return assembly_.add(*line, place);
    });
  }

  base::Result<> follow(std::string_view wanted, const std::string& from, Place place,
                        unsigned depth) {
    constexpr unsigned kDeepestInclude = 9;
    constexpr unsigned kMaxIncludes = 1000;
    const auto wrong = [&](std::string_view what) {
      return base::error(assembly_.notes().at(place, what));
    };
    if (!others_.included) return wrong("'include' cannot be followed from here");
    if (depth > kDeepestInclude) {
      return wrong(fmt::format("files include one another more than {} deep", kDeepestInclude));
    }
    if (++includes_ > kMaxIncludes) {
      return wrong(fmt::format("more than {} files are included", kMaxIncludes));
    }
    const auto other = others_.included(wanted, from);
    if (!other) return wrong(other.error().message);
    return read_file(other->text, other->name, assembly_.notes().add_file(other->name), depth);
  }

  FabricAssembly assembly_;
  const OtherFiles& others_;
  unsigned includes_ = 0;
};

}  // namespace

base::Result<Blueprint> read_net_file(std::string_view text, std::string_view title,
                                      const OtherFiles& others) {
  return NetFileReader(title, others).read(text);
}

}  // namespace heddle::sim
