// SPDX-License-Identifier: BSD-3-Clause
// `heddle plan report`, as a user meets it; the page itself is tried in plan_report_page.py.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/process.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Outcome report(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"plan", "report"});
  return heddle(arguments);
}

// The object in the page.
json data_of(const std::filesystem::path& file) {
  const std::string html = content(file);
  const std::string mark = "id=\"heddle-data\"";
  const std::size_t begin = html.find('>', html.find(mark)) + 1;
  return json::parse(html.substr(begin, html.find("</script>", begin) - begin), nullptr, false);
}

TEST(PlanReport, WritesPageAndPicture) {
  const test::Folder folder;
  const auto html = folder.path() / "report.html", svg = folder.path() / "picture.svg";
  const Outcome outcome = report(
      {"fat-tree:4,6", "--routing", "ftree,updn", "-o", html.string(), "--svg", svg.string()});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const json data = data_of(html);
  ASSERT_TRUE(data.is_object());
  EXPECT_EQ(data["fabric"], "fat-tree:4,6");
  EXPECT_EQ(data["seed"], 1);
  EXPECT_EQ(data["shades"]["cable"], "4x HDR");
  EXPECT_EQ(data["picture"]["kind"], "tree");
  EXPECT_EQ(data["counts"]["hosts"], 24);
  ASSERT_EQ(data["engines"].size(), 2u);
  EXPECT_EQ(data["engines"][0]["patterns"]["shift_worst"], 1);
  EXPECT_EQ(data["links"]["kinds"], json({"4x HDR"}));
  EXPECT_EQ(data["tables"]["engine"], 0);
  EXPECT_THAT(content(svg), HasSubstr("</svg>"));
}

TEST(PlanReport, OfAFileNamesTheFileAlone) {
  const test::Folder folder;
  const auto source = folder.path() / "mine.txt", html = folder.path() / "report.html";
  Process exporting({"sim", "export", "ring:4,hosts=2", "-o", source.string()});
  ASSERT_EQ(exporting.wait(), 0);
  ASSERT_EQ(report({source.string(), "-o", html.string()}).exit, 0);
  EXPECT_EQ(data_of(html)["fabric"], "mine.txt");
  EXPECT_EQ(content(html).find(folder.path().string()), std::string::npos);
}

TEST(PlanReport, AWarningNamesTheFileAloneToo) {
  const test::Folder folder;
  const auto html = folder.path() / "report.html";
  std::string net = heddle({"sim", "export", "ring:4,hosts=2", "--format", "ibsim"}).out;
  net.replace(net.find("4xHDR"), 5, "4xEDR");
  const std::string source = write_file(folder.path() / "odd.net", net);
  ASSERT_EQ(report({source, "-o", html.string()}).exit, 0);
  EXPECT_THAT(data_of(html)["warnings"].dump(), HasSubstr("\"odd.net:"));
  EXPECT_EQ(content(html).find(folder.path().string()), std::string::npos);
}

TEST(PlanReport, NodesAreCalledAsTheMapSays) {
  const test::Folder folder;
  const auto html = folder.path() / "report.html";
  const std::string guid = nlohmann::json::parse(
      heddle({"plan", "export", "star:2", "--format", "json"}).out)["nodes"][0]["guid"];
  const std::string map = write_file(folder.path() / "map", guid + " \"the middle\"\n");
  ASSERT_EQ(report({"star:2", "--node-name-map", map, "-o", html.string()}).exit, 0);
  EXPECT_THAT(data_of(html)["nodes"]["names"].dump(), HasSubstr("the middle"));
}

TEST(PlanReport, WaysAreThoseOfAProvenEngineOrOfTheOneThatIsAskedFor) {
  const test::Folder folder;
  const auto html = (folder.path() / "report.html").string();
  const auto engine_of = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"ring:7,hosts=2", "--vls", "1", "--routing",
                                 "minhop,updn",    "-o",    html};
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_EQ(report(all).exit, 0);
    return data_of(html)["tables"]["engine"].get<int>();
  };
  EXPECT_EQ(engine_of({}), 1) << "minhop closes a credit loop";
  EXPECT_EQ(engine_of({"--paths", "minhop"}), 0);
}

TEST(PlanReport, IsWrittenThoughNothingIsProven) {
  const test::Folder folder;
  const auto html = folder.path() / "report.html";
  const Outcome outcome =
      report({"ring:7,hosts=2", "--vls", "1", "--routing", "minhop", "-o", html.string()});
  EXPECT_EQ(outcome.exit, 5);
  const json engine = data_of(html)["engines"][0];
  EXPECT_FALSE(engine["certified"]);
  EXPECT_THAT(engine["reason"].get<std::string>(), HasSubstr("credit loop"));
}

TEST(PlanReport, SaysWhatIsWrong) {
  const test::Folder folder;
  const auto html = (folder.path() / "report.html").string();
  EXPECT_EQ(report({"ring:4"}).exit, 2) << "nothing to write to";
  EXPECT_EQ(report({"ring:4", "--routing", "magic", "-o", html}).exit, 2);
  EXPECT_EQ(report({"ring:4", "--routing", "file", "-o", html}).exit, 2);
  EXPECT_EQ(report({"ring:4", "--paths", "updn", "-o", html}).exit, 2);
  EXPECT_EQ(report({"ring:4", "--samples", "-1", "-o", html}).exit, 2);
  EXPECT_EQ(report({(folder.path() / "nothing").string(), "-o", html}).exit, 6);
  const Outcome outcome = report({"ring:4", "-o", (folder.path() / "no/folder").string()});
  EXPECT_EQ(outcome.exit, 7);
  EXPECT_THAT(outcome.err, HasSubstr("no/folder"));
  EXPECT_FALSE(std::filesystem::exists(html));
}

TEST(PlanReport, TheSameArgumentsGiveTheSamePicture) {
  const test::Folder folder;
  const auto drawn = [&](const char* name) {
    const auto file = folder.path() / name;
    EXPECT_EQ(report({"random:switches=40,degree=5", "--svg", file.string()}).exit, 0);
    return content(file);
  };
  EXPECT_EQ(drawn("one.svg"), drawn("two.svg"));
}

}  // namespace
}  // namespace heddle::app
