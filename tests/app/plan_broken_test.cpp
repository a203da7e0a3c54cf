// SPDX-License-Identifier: BSD-3-Clause
// `heddle plan` on real dumps that were spoiled: it says what it understood and what not, with
// lines, and gives no number without a warning.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/process.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// 8 switches in two levels, 144 adapters of which 142 are hosts on the lower one: its line 10 is a
// switch's header, and each cable is told from both ends.
class PlanBroken : public testing::Test {
 protected:
  PlanBroken() {
    std::ifstream file(std::string(HEDDLE_GOLDEN_FABRICS) + "/loginoff.ibnetdiscover.txt");
    dump_.assign(std::istreambuf_iterator<char>(file), {});
    EXPECT_GT(dump_.size(), 10'000u);
  }

  std::string save(const std::string& text) { return write_file(folder_.path() / "dump", text); }

  // All that `route` says of it, and that JSON warns of what standard error does.
  json route(const std::string& text, const std::string& engine = "updn") {
    const Outcome outcome =
        heddle({"plan", "route", save(text), "--routing", engine, "--metrics", "-o", "json"});
    err_ = outcome.err;
    const json report = json::parse(outcome.out, nullptr, false);
    EXPECT_TRUE(report.is_object()) << outcome.out << outcome.err;
    if (!report.is_object()) return {};
    warnings_ = report["warnings"].dump();
    EXPECT_EQ(report["warnings"].empty(), err_.empty()) << err_;
    return report;
  }

  json check(const std::string& text) {
    return json::parse(heddle({"plan", "check", save(text), "-o", "json"}).out)["findings"];
  }

  // From 1; without its end.
  std::string line(std::size_t number) const {
    std::size_t begin = 0;
    for (; number > 1; --number) begin = dump_.find('\n', begin) + 1;
    return dump_.substr(begin, dump_.find('\n', begin) - begin);
  }
  static std::string with(std::string text, const std::string& old, const std::string& fresh) {
    const std::size_t at = text.find(old);
    EXPECT_NE(at, text.npos) << old;
    return at == text.npos ? text : text.replace(at, old.size(), fresh);
  }
  // The words about a node, header and ports, from its header on.
  std::string section(const std::string& header) const {
    const std::size_t begin = dump_.find(header);
    return dump_.substr(begin, dump_.find("\n\n", begin) + 1 - begin);
  }

  test::Folder folder_;
  std::string dump_, err_, warnings_;
};

TEST_F(PlanBroken, AWholeDumpIsBelieved) {
  const json report = route(dump_);
  EXPECT_EQ(report["switches"], 8);
  EXPECT_EQ(report["hosts"], 144);
}

TEST_F(PlanBroken, HalfADump) {
  const std::string half = dump_.substr(0, dump_.find("Ca", dump_.size() / 2) + 9);
  const json report = route(half);
  EXPECT_EQ(report["switches"], 8);
  EXPECT_EQ(report["hosts"], 144) << "switches name them all";
  EXPECT_TRUE(report["engines"][0]["certified"]);
  EXPECT_THAT(err_, HasSubstr("the file ends within this line, which is left out"));
  EXPECT_THAT(err_, testing::ContainsRegex("dump:[0-9]+: \"H-[0-9a-f]+\" is not described"));
  EXPECT_THAT(err_, testing::ContainsRegex("[0-9]+ nodes of 152 are named and not described"));
  EXPECT_LT(std::count(err_.begin(), err_.end(), '\n'), 25) << "the end must not be lost in it";
  bool has_line = false;
  for (const json& finding : check(half)) {
    has_line = has_line || (finding["check"] == "file" && finding["line"].is_number());
  }
  EXPECT_TRUE(has_line);
}

TEST_F(PlanBroken, ANodeThatIsTwiceInADumpOfAFabricInMotion) {
  const std::string header = line(10);
  const std::size_t quote = header.find('"');
  const std::string name = header.substr(quote, header.find('"', quote + 1) + 1 - quote);
  const json before = route(dump_);
  json report = route(dump_ + "\n" + section(header));
  EXPECT_EQ(report["links"], before["links"]) << "what is the same counts once";
  EXPECT_THAT(err_, HasSubstr(name + " was described before, in line 10"));
  // The second time a host is behind another port of it, as nobody else says.
  const std::string port = line(11).substr(0, line(11).find(']') + 1);
  const std::string moved = with(section(header), port, "[36]");
  report = route(dump_ + "\n" + moved);
  EXPECT_EQ(report["links"], before["links"]);
  EXPECT_THAT(err_, HasSubstr("left open"));
}

TEST_F(PlanBroken, ACableOfWhichTheEndsDisagree) {
  const json before = route(dump_);
  // The adapter says that it is on port 36 of that switch; the switch knows of another port.
  const std::string header = line(10), host = line(11);
  const std::size_t quote = header.find('"');
  const std::string at = header.substr(quote, header.find('"', quote + 1) + 1 - quote);
  const std::string port = host.substr(0, host.find(']') + 1);
  const json report = route(with(dump_, at + port, at + "[36]"));
  EXPECT_EQ(report["links"], before["links"]) << "port 36 says nothing else";
  EXPECT_THAT(err_, testing::ContainsRegex("dump:11: leads to .*, but line [0-9]+ says that this "
                                           "leads elsewhere: left open"));
}

TEST_F(PlanBroken, ALidTwice) {
  // Of the second switch, that of the first.
  const std::string first = line(10);
  const std::string lid = first.substr(first.rfind(" lid "));
  std::string second = line(48);
  second.replace(second.rfind(" lid "), std::string::npos, lid);
  const std::string text = with(dump_, line(48), second);
  const json report = route(text);
  EXPECT_EQ(report["lids"], 153) << "whoever comes later gets another one";
  EXPECT_THAT(err_, HasSubstr("(line 10) and \"MF0;ib6:SX6036/U1\" (line 48) hold the same LID"));
  const std::string findings = check(text).dump();
  EXPECT_THAT(findings, HasSubstr("duplicate-lid"));
}

TEST_F(PlanBroken, AnUnknownDevice) {
  const json before = route(dump_);
  const std::string header = line(10);
  const std::size_t quote = header.find('"');
  const std::string at = header.substr(quote, header.find('"', quote + 1) + 1 - quote);
  // It is on a free port of a switch.
  std::string text =
      with(dump_, header + "\n",
           header + "\n[36]\t\"G-0000000000000099\"[1](9a) \t\t# \"gw\" lid 900 4xQDR\n");
  text +=
      "\nvendid=0x2c9\ndevid=0xbeef\nsysimgguid=0x99\ngwguid=0x99\nGateway\t2 "
      "\"G-0000000000000099\"\t\t# \"gw\"\n[1](9a) \t" +
      at + "[36]\t\t# lid 900 lmc 0 \"x\" lid 128 4xQDR\n";
  const json report = route(text);
  EXPECT_EQ(report["links"], before["links"]);
  EXPECT_EQ(report["hosts"], before["hosts"]);
  EXPECT_EQ(report["engines"][0]["max_load"], before["engines"][0]["max_load"]);
  EXPECT_THAT(err_, HasSubstr("'Gateway' is no kind of node that is known"));
  EXPECT_THAT(err_, HasSubstr("dump:11: leads to \"G-0000000000000099\", which is no node"));
}

// Two free ports of leaves are joined, so that the levels of the tree close a ring.
TEST_F(PlanBroken, ATreeWithACycle) {
  const std::string a = "\"S-f4521403001165a0\"", b = "\"S-f4521403001167a0\"";
  std::string text =
      with(dump_, line(10) + "\n", line(10) + "\n[36]\t" + b + "[36]\t\t# \"x\" lid 146 4xQDR\n");
  text = with(text, line(48) + "\n", line(48) + "\n[36]\t" + a + "[36]\t\t# \"x\" lid 128 4xQDR\n");
  const json findings = check(text);
  const auto within = std::find_if(findings.begin(), findings.end(),
                                   [](const json& one) { return one["code"] == "cross-link"; });
  ASSERT_NE(within, findings.end()) << findings.dump(1);
  EXPECT_EQ((*within)["line"], 11);
  const json report = route(text, "ftree");
  EXPECT_TRUE(report["engines"][0]["certified"]) << "whatever the levels say, nothing loops";
  EXPECT_THAT(err_, HasSubstr("joins two switches of level 0: a tree has no such link (line 11)"));
}

TEST_F(PlanBroken, Islands) {
  // All cables of a leaf to other switches are out.
  std::string text;
  std::size_t begin = 0;
  const std::string leaf = "\"S-f4521403001165a0\"";
  bool in_leaf = false, in_switch = false;
  for (std::size_t end; begin < dump_.size(); begin = end + 1) {
    end = dump_.find('\n', begin);
    const std::string one = dump_.substr(begin, end - begin);
    if (one.starts_with("Switch")) in_switch = true;
    if (one.starts_with("Ca")) in_switch = false;
    if (one.starts_with("Switch") || one.starts_with("Ca")) {
      in_leaf = one.find(leaf) != one.npos;
    }
    const bool out = in_leaf && one.starts_with("[") && one.find("\"S-") < 30;
    const bool back = in_switch && one.starts_with("[") && one.find(leaf) < 30;
    if (!out && !back) text += one + "\n";
  }
  const json report = route(text);
  EXPECT_TRUE(report["engines"][0]["certified"]);
  EXPECT_THAT(err_, HasSubstr("no cable joins the 2 pieces of this fabric"));
  EXPECT_THAT(err_, HasSubstr("hosts around \"MF0;ib5:SX6036/U1\" (line 10)"));
  EXPECT_THAT(check(text).dump(), HasSubstr("islands"));
}

}  // namespace
}  // namespace heddle::app
