// SPDX-License-Identifier: BSD-3-Clause
#include "routing/torus_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.hpp"
#include "routing/grid.hpp"
#include "routing/torus_seed.hpp"
#include "tests/routing/damage.hpp"
#include "tests/routing/fabrics.hpp"

namespace heddle::routing {
namespace {

base::Result<TorusFile> parse(std::string_view text) {
  return parse_torus_file(text, "t.conf");
}

std::string problem(std::string_view text) {
  const auto parsed = parse(text);
  return parsed ? "none" : parsed.error().message;
}

TEST(TorusFile, EveryKeywordIsRead) {
  const auto parsed = parse(
      "# a torus of two dimensions\n"
      "\n"
      "torus 1 4T 5m and the rest is ignored\n"
      "  yp_link 0x200000 0x200005  # up\n"
      "ym_link 0x200000 0x20000f\n"
      "zp_link 0x200000 0x200001\n"
      "portgroup_max_ports 20\n"
      "next_seed\n"
      "ym_link 0x20000b 0x200006\n"
      "zm_link 0x20000b 0x20000c\n"
      "y_dateline -2\n"
      "z_dateline 1\n"
      "port_order 7 10 7 8\n"
      "max_changes 5\n");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->axes[0].radix, 1u);
  EXPECT_EQ(parsed->axes[1], (TorusFile::Axis{4, true}));
  EXPECT_EQ(parsed->axes[2], (TorusFile::Axis{5, false}));
  ASSERT_EQ(parsed->seeds.size(), 2u);
  EXPECT_EQ(parsed->seeds[0].at, mad::Guid{0x200000});
  EXPECT_EQ(parsed->seeds[0].plus[1], mad::Guid{0x200005});
  EXPECT_EQ(parsed->seeds[0].minus[1], mad::Guid{0x20000f});
  EXPECT_EQ(parsed->seeds[1].minus[2], mad::Guid{0x20000c});
  EXPECT_EQ(parsed->seeds[1].dateline, (std::array<std::int32_t, 3>{0, -2, 1}));
  EXPECT_EQ(parsed->port_order, (std::vector<std::uint8_t>{7, 10, 8}));
}

TEST(TorusFile, MistakesAreNamedWithTheirPlace) {
  EXPECT_EQ(problem(""), "t.conf: there is no 'torus' or 'mesh' line");
  EXPECT_EQ(problem("xp_link 1 2\n"),
            "t.conf:1:1: 'torus' or 'mesh' and three sizes must come first");
  EXPECT_EQ(problem("torus 3 3\n"), "t.conf:1:10: three sizes are needed, such as 4 4 1");
  EXPECT_EQ(problem("torus 3 0 3\n"), "t.conf:1:9: '0' is no size from 1 to 16384");
  EXPECT_EQ(problem("torus 3 t 3\n"), "t.conf:1:9: 't' is no size from 1 to 16384");
  EXPECT_EQ(problem("torus 3 3 99999999999999999999\n"),
            "t.conf:1:11: '99999999999999999999' is no size from 1 to 16384");
  EXPECT_EQ(problem("torus 3 3 1\nmesh 3 3 1\n"), "t.conf:2:1: the shape is given twice");
  EXPECT_EQ(problem("torus 3 3 1\nxq_link 1 2\n"),
            "t.conf:2:1: 'xq_link' is no keyword of this file");
  EXPECT_EQ(problem("torus 3 3 1\nxp_link 0x1\n"), "t.conf:2:12: two node GUIDs are needed");
  EXPECT_EQ(problem("torus 3 3 1\nxp_link 0x1 0x1\n"),
            "t.conf:2:13: two different node GUIDs are needed");
  EXPECT_EQ(problem("torus 3 3 1\nxp_link 0x1 0x2\nyp_link 0x2 0x3\n"),
            "t.conf:3:9: the links of a seed must begin at one switch, here 0x0000000000000001");
  EXPECT_EQ(problem("torus 3 3 1\nxp_link 0x1 0x2\n"), "t.conf:2:1: this seed lacks a link for y");
  EXPECT_EQ(problem("torus 3 1 1\nxp_link 0x1 0x2\nyp_link 0x1 0x3\n"),
            "t.conf:2:1: this seed has a link too many: for the size of y is 1");
  EXPECT_EQ(problem("torus 3 3 1\nx_dateline far\n"),
            "t.conf:2:12: a position is needed, such as -2");
  EXPECT_EQ(problem("torus 3 3 1\nport_order 1 255\n"), "t.conf:2:14: '255' is no port number");
  EXPECT_EQ(problem("torus 3 3 1\nmax_changes many\n"), "t.conf:2:13: a number is needed");
}

// Every way to cut or garble a file gives a file or an error.
TEST(TorusFile, AnyBytesAreTaken) {
  const std::string whole = "torus 5 6 1\nxp_link 0x1 0x2\nyp_link 0x1 0x6\ny_dateline -2\n";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    if (const auto parsed = parse(whole.substr(0, cut)); parsed.has_error()) {
      EXPECT_EQ(parsed.error().message.rfind("t.conf", 0), 0u);
    }
    auto garbled = whole;
    if (cut < whole.size()) garbled[cut] = '\xff';
    if (const auto other = parse(garbled); other.has_error()) {
      EXPECT_EQ(other.error().message.rfind("t.conf", 0), 0u);
    }
  }
}

// --- The file and the cables ---

std::uint64_t guid(const support::Recipe& recipe, std::size_t place) {
  return recipe.nodes[place].guid.value;
}

std::string line(const support::Recipe& recipe, const char* keyword, std::size_t a, std::size_t b) {
  return fmt::format("{} {:#x} {:#x}\n", keyword, guid(recipe, a), guid(recipe, b));
}

base::Result<Grid> seeded(const support::Recipe& recipe, const std::string& text) {
  const auto topology = support::build(recipe);
  const auto grid = recognise_grid(topology, CompactChannels(topology));
  if (!grid) return grid.error();
  const auto file = parse(text);
  if (!file) return file.error();
  return seeded_grid(*grid, *file, topology);
}

TEST(TorusSeed, AxesDirectionsAndOriginAreThoseOfTheFile) {
  // Switch x + 5 y. The file's x is the recipe's y, and the file's y runs down the recipe's x.
  const auto recipe = support::torus({5, 6}, 0);
  const auto grid = seeded(recipe, "torus 6 5 1\n" + line(recipe, "xp_link", 13, 18) +
                                       line(recipe, "ym_link", 13, 14) + "x_dateline 1\n");
  ASSERT_TRUE(grid) << grid.error().message;
  for (std::uint32_t s = 0; s < 30; ++s) {
    const std::uint32_t x = s % 5, y = s / 5;
    EXPECT_EQ(grid->at(s, 0), (y + 6 - 2 + 5) % 6);  // the origin is one beyond the seed's row 2
    EXPECT_EQ(grid->at(s, 1), (3 + 5 - x) % 5);
  }
}

TEST(TorusSeed, ARingOfFourIsTakenApartAsTold) {
  const auto recipe = support::torus({4, 4, 5}, 0);
  const std::string seed = line(recipe, "zp_link", 0, 16) + line(recipe, "yp_link", 0, 4) +
                           line(recipe, "ym_link", 0, 12) + line(recipe, "xp_link", 0, 1);
  const auto grid = seeded(recipe, "torus 4 4 5\n" + seed + line(recipe, "xm_link", 0, 3));
  ASSERT_TRUE(grid) << grid.error().message;
  for (std::uint32_t s = 0; s < 80; ++s) {
    EXPECT_EQ(grid->at(s, 0), s % 4);
    EXPECT_EQ(grid->at(s, 1), s / 4 % 4);
    EXPECT_EQ(grid->at(s, 2), s / 16);
  }
  const auto vague = seeded(recipe, "torus 4 4 5\n" + seed);
  ASSERT_TRUE(vague.has_error());
  EXPECT_EQ(vague.error().message, "a ring of four needs both xp_link and xm_link");
}

TEST(TorusSeed, TheNextSeedStandsInForALostOne) {
  const auto recipe = support::torus({5, 6}, 0);
  const std::string text = "torus 5 6 1\n" + line(recipe, "xp_link", 0, 1) +
                           line(recipe, "yp_link", 0, 5) + "next_seed\n" +
                           line(recipe, "xp_link", 13, 14) + line(recipe, "yp_link", 13, 18) +
                           "x_dateline -3\ny_dateline -2\n";
  const auto whole = seeded(recipe, text);
  ASSERT_TRUE(whole) << whole.error().message;
  const auto damaged = seeded(without_switches(recipe, {0}), text);
  ASSERT_TRUE(damaged) << damaged.error().message;
  for (std::uint32_t s = 1; s < 30; ++s) EXPECT_EQ(damaged->place(s - 1), whole->place(s));
}

TEST(TorusSeed, DisagreementIsTold) {
  const auto recipe = support::torus({5, 6}, 0);
  const std::string seed = line(recipe, "xp_link", 0, 1) + line(recipe, "yp_link", 0, 5);
  const auto message = [&](const std::string& text) {
    const auto grid = seeded(recipe, text);
    return grid ? std::string("none") : grid.error().message;
  };
  EXPECT_EQ(message("torus 6 6 1\n" + seed),
            "along x the file has a ring of 6 and the cables a ring of 5");
  EXPECT_EQ(message("mesh 5 6 1\n" + seed),
            "along x the file has a line of 5 and the cables a ring of 5");
  EXPECT_EQ(message("torus 5 6 1\n"), "the file has no seed");
  EXPECT_EQ(message("torus 5 1 1\n" + line(recipe, "xp_link", 0, 1)),
            "the cables form a torus 5x6, which has more axes than the file");
  EXPECT_EQ(message("torus 5 6 1\nxp_link 0x1 0x2\nyp_link 0x1 0x3\n"),
            "there is no switch 0x0000000000000001");
  EXPECT_EQ(
      message("torus 5 6 1\n" + line(recipe, "xp_link", 0, 2) + line(recipe, "yp_link", 0, 5)),
      fmt::format("{} is no neighbour of the seed", base::hex(guid(recipe, 2))));
  EXPECT_EQ(
      message("torus 5 5 1\n" + line(recipe, "xp_link", 0, 1) + line(recipe, "yp_link", 0, 4)),
      "two axes of the file point the same way");
}

}  // namespace
}  // namespace heddle::routing
