// SPDX-License-Identifier: BSD-3-Clause
#include "plan/report.hpp"

#include <map>
#include <regex>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "plan/base64.hpp"
#include "plan/svg.hpp"
#include "plan/web.hpp"
#include "tests/routing/fabrics.hpp"

namespace heddle::plan {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

// A fabric, routed and measured, with everything a report refers to.
struct Page {
  explicit Page(const support::Recipe& recipe, std::uint8_t lmc = 0)
      : subnet(recipe, lmc), layout(lay_out(subnet.topology)) {
    report.warnings = {"line 7 is odd"};
    report.link_kinds = {"4x HDR"};
    report.kind_of_port.resize(subnet.topology.port_count());
    ReportedEngine engine;
    engine.engine = "updn";
    engine.certified = true;
    if (subnet.topology.switch_count() > 0) {
      const auto tables = subnet.route("updn").tables;
      engine.loads = routing::measure_loads(subnet.topology, subnet.lids, tables);
      report.tables = compact(tables, 1u << 24);
    }
    report.engines.push_back(std::move(engine));
  }
  routing::Subnet subnet;
  Layout layout;
  Report report{"a fabric", "heddle", subnet.topology, subnet.lids, layout};
};

std::vector<std::uint8_t> unpacked(const std::string& text) {
  static const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  unsigned bits = 0, held = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = (bits << 6 | static_cast<unsigned>(digits.find(c))) & 0xFFFF;
    held += 6;
    if (held >= 8) bytes.push_back(static_cast<std::uint8_t>(bits >> (held -= 8)));
  }
  return bytes;
}

std::vector<std::uint64_t> numbers(const json& text, std::size_t width) {
  const auto bytes = unpacked(text.get<std::string>());
  std::vector<std::uint64_t> list(bytes.size() / width);
  for (std::size_t i = 0; i < list.size() * width; ++i) {
    list[i / width] |= std::uint64_t{bytes[i]} << 8 * (i % width);
  }
  return list;
}

TEST(Base64, IsThatOfTheStandard) {
  const auto of = [](std::string_view text) {
    return base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(packed_numbers(std::vector<std::uint16_t>{0x0102, 0xFFFE}), "AgH+/w==");
  EXPECT_EQ(packed_numbers(std::vector<float>{1.0f}), "AACAPw==");
}

TEST(ReportJson, SaysWhatTheFabricIs) {
  for (const auto& [name, recipe] : routing::all_kinds_of_fabrics()) {
    SCOPED_TRACE(name);
    const Page page(recipe);
    const auto& topology = page.subnet.topology;
    const json data = json::parse(report_json(page.report));
    EXPECT_EQ(data["counts"]["switches"], topology.switch_count());
    EXPECT_EQ(data["nodes"]["names"].size(), topology.node_count());
    EXPECT_EQ(numbers(data["nodes"]["guid"], 8).size(), topology.node_count());
    const auto lid = numbers(data["endports"]["lid"], 2);
    const auto node = numbers(data["endports"]["node"], 4);
    std::size_t next = 0;
    for (const fabric::PortIndex port : topology.endports()) {
      if (topology.is_switch(topology.node_of(port))) continue;
      EXPECT_EQ(lid.at(next), page.subnet.lids.base(port).value);
      EXPECT_EQ(node.at(next++), topology.node_of(port).value);
    }
    EXPECT_EQ(next, lid.size());
  }
}

// Both directions of every cable, by a second reading of what the channels carry.
TEST(ReportJson, CarriesTheLoadOfEveryCableBothWays) {
  const Page page(support::random_mess(3));
  const auto& topology = page.subnet.topology;
  const auto& load = page.report.engines[0].loads->load;
  const json data = json::parse(report_json(page.report));
  const auto from = numbers(data["links"]["from"], 4), to = numbers(data["links"]["to"], 4);
  const auto out = numbers(data["links"]["from_port"], 1);
  const auto in = numbers(data["links"]["to_port"], 1);
  const auto& engine = data["engines"][0];
  const auto there = numbers(engine["load_forward"], 4), back = numbers(engine["load_backward"], 4);
  std::size_t seen = 0;
  std::map<std::uint64_t, std::uint64_t> worst;
  for (std::size_t l = 0; l < from.size(); ++l) {
    if (from[l] >= topology.switch_count()) continue;
    const auto channel = [&](std::uint64_t at, std::uint64_t port) {
      return topology.channel_by_port(fabric::SwitchIndex{static_cast<std::uint32_t>(at)},
                                      mad::PortNumber{static_cast<std::uint8_t>(port)});
    };
    EXPECT_EQ(there[l], load[channel(from[l], out[l]).value]);
    EXPECT_EQ(back[l], load[channel(to[l], in[l]).value]);
    seen += 2;
  }
  EXPECT_EQ(seen, topology.channels().size());
  std::uint64_t before = engine["worst"][0]["load"];
  EXPECT_EQ(before, engine["quality"]["greatest_load"]);
  for (const auto& one : engine["worst"]) {
    const std::size_t link = one["link"];
    EXPECT_EQ(one["load"], one["forward"] ? there[link] : back[link]);
    EXPECT_LE(one["load"], before);
    before = one["load"];
  }
}

TEST(ReportJson, SaysWhyThereAreNoTables) {
  Page page(support::ring(5, 1));
  page.report.tables.reset();
  page.report.why_no_tables = "too large";
  EXPECT_EQ(json::parse(report_json(page.report))["tables"]["left_out"], "too large");
}

support::Recipe hostile() {
  support::Recipe recipe = support::star(2);
  recipe.nodes[0].description = "</script><img src=x onerror=alert(1)>";
  recipe.nodes[1].description = "<!--<script>@NONCE@ @DATA@ & \" ' \x01\xff";
  return recipe;
}

TEST(ReportPage, NamesCannotBecomeMarkup) {
  Page page(hostile());
  page.report.title = "<b>fabric</b>";
  const std::string data = report_json(page.report);
  EXPECT_THAT(data, Not(HasSubstr("<")));
  const json parsed = json::parse(data);
  EXPECT_EQ(parsed["nodes"]["names"][0], "</script><img src=x onerror=alert(1)>");
  const std::string html = report_html(page.report);
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, HasSubstr("<title>&lt;b&gt;fabric&lt;/b&gt;"));
  EXPECT_THAT(html, HasSubstr("@NONCE@ @DATA@")) << "a name that looks like a mark stays a name";
  // One script of data and one of code, whatever the names are.
  const auto count = [&](const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = html.find(word); at != std::string::npos; at = html.find(word, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("<script"), 2u);
  EXPECT_EQ(count("</script>"), 2u);
}

TEST(ReportPage, NeedsNothingElse) {
  const std::string html = report_html(Page(support::ring(5, 1)).report);
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, Not(HasSubstr("@NONCE@")));
  EXPECT_THAT(html, Not(HasSubstr(" src=")));
  EXPECT_THAT(html, Not(HasSubstr("url(")));
  for (const char* word : {"import ", "export ", "innerHTML", "eval(", "fetch("}) {
    EXPECT_THAT(std::string(web_scripts()), Not(HasSubstr(word)));
  }
  // The one address in it is the name of SVG's namespace.
  const std::regex address("https?://[^\"\\s]*");
  for (std::sregex_iterator it(html.begin(), html.end(), address), end; it != end; ++it) {
    EXPECT_EQ(it->str(), "http://www.w3.org/2000/svg");
  }
}

TEST(ReportPage, IsTheSameForTheSameReport) {
  const auto recipe = support::torus({4, 4}, 1);
  EXPECT_EQ(report_html(Page(recipe).report), report_html(Page(recipe).report));
}

TEST(Svg, DrawsEveryCableAndNameSafely) {
  const Page page(hostile());
  const std::string svg = svg_of(page.subnet.topology, page.layout, "<&>", {});
  EXPECT_THAT(svg, HasSubstr("<title>&lt;&amp;&gt;</title>"));
  EXPECT_THAT(svg, Not(HasSubstr("<img")));
  EXPECT_THAT(svg, HasSubstr("&lt;/script&gt;"));
  const Page torus(support::torus({4, 4}, 1));
  DrawnLoads loads{torus.report.engines[0].loads->load, 10};
  const std::string drawn = svg_of(torus.subnet.topology, torus.layout, "torus", loads);
  const auto count = [&](const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = drawn.find(word); at != std::string::npos;
         at = drawn.find(word, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("class=\"cable\""), 32u);
  EXPECT_EQ(count("class=\"box\""), 16u);
  EXPECT_EQ(count("class=\"host\""), 16u);
  EXPECT_NE(svg_of(torus.subnet.topology, torus.layout, "torus", {}), drawn) << "loads are seen";
}

}  // namespace
}  // namespace heddle::plan
