// SPDX-License-Identifier: BSD-3-Clause
// `heddle plan route`, as a user meets it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/process.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using nlohmann::json;
using testing::HasSubstr;

Outcome plan(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"plan", "route"});
  return heddle(arguments);
}

TEST(PlanRoute, ComparesEnginesInJson) {
  const Outcome outcome =
      plan({"fat-tree:4,6", "--routing", "ftree,updn", "--metrics", "-o", "json"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["fabric"], "fat-tree:4,6");
  EXPECT_EQ(report["lids"], report["hosts"].get<int>() + report["switches"].get<int>());
  ASSERT_EQ(report["engines"].size(), 2u);
  for (const json& engine : report["engines"]) {
    EXPECT_TRUE(engine["certified"]);
    EXPECT_TRUE(engine["reason"].is_null());
    EXPECT_GT(engine["seconds"].get<double>(), 0);
    EXPECT_EQ(engine["vls"], 1);
    EXPECT_GT(engine["max_load"].get<int>(), 0);
    EXPECT_GT(engine["ebb"].get<double>(), 0);
    EXPECT_LE(engine["ebb"].get<double>(), 1);
    EXPECT_EQ(engine["hops"], engine["fewest_hops"]);
  }
  EXPECT_EQ(report["engines"][0]["engine"], "ftree");
  EXPECT_EQ(report["engines"][0]["shift_worst"], 1);
}

TEST(PlanRoute, WithoutMetricsNothingIsMeasured) {
  const Outcome outcome = plan({"fat-tree:4,6", "--routing", "ftree", "-o", "json"});
  const json engine = json::parse(outcome.out)["engines"][0];
  EXPECT_TRUE(engine["certified"]);
  for (const char* key : {"max_load", "ebb", "shift_worst"}) EXPECT_TRUE(engine[key].is_null());
}

TEST(PlanRoute, SaysWhyAnEngineWillNotDo) {
  const Outcome outcome = plan({"ring:7", "--routing", "minhop,ftree"});
  EXPECT_EQ(outcome.exit, 5);
  EXPECT_THAT(outcome.out, HasSubstr("minhop: its tables hold a credit loop"));
  EXPECT_THAT(outcome.out, HasSubstr("ftree: "));
  EXPECT_THAT(outcome.out, HasSubstr("no tree"));
  EXPECT_EQ(plan({"ring:7", "--routing", "minhop,updn"}).exit, 0) << "one is enough";
}

TEST(PlanRoute, TriesAllEnginesByDefault) {
  const Outcome outcome = plan({"fat-tree:2,3", "-o", "csv"});
  EXPECT_EQ(outcome.exit, 0);
  for (const char* engine : {"minhop", "updn", "dnup", "ftree", "dor", "sssp", "weave"}) {
    EXPECT_THAT(outcome.out, HasSubstr(std::string("\n") + engine + ",true,"));
  }
  const auto commas = [](const std::string& line) {
    return std::count(line.begin(), line.end(), ',');
  };
  const std::size_t first = outcome.out.find('\n');
  const std::size_t second = outcome.out.find('\n', first + 1);
  EXPECT_EQ(commas(outcome.out.substr(0, first)),
            commas(outcome.out.substr(first + 1, second - first - 1)));
}

TEST(PlanRoute, TheSameSeedMeasuresTheSame) {
  const auto measured = [](const char* seed) {
    json engine = json::parse(
        plan({"torus:4,4", "--routing", "updn", "--metrics", "-o", "json", "--seed", seed})
            .out)["engines"][0];
    engine.erase("seconds");
    engine.erase("verify_seconds");
    return engine;
  };
  EXPECT_EQ(measured("5"), measured("5"));
  EXPECT_NE(measured("5")["ebb"], measured("6")["ebb"]);
}

TEST(PlanRoute, TakesRootsAndLmc) {
  const Outcome outcome = plan(
      {"fat-tree:4,6", "--routing", "updn", "--lmc", "2", "--roots", "0xdeadbeef", "-o", "json"});
  EXPECT_EQ(outcome.exit, 0);
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["lids"], 4 * report["hosts"].get<int>() + report["switches"].get<int>());
  EXPECT_THAT(report["engines"][0]["notes"].dump(), HasSubstr("deadbeef"));
}

// The subnet manager's own dump, judged by its own words and found to be what the engine gives.
TEST(PlanRoute, JudgesTheTablesOfADump) {
  const test::Folder folder;
  Process sm({"sm", "--sim", "fat-tree:4,6", "--once", "--routing", "ftree", "--lmc", "1",
              "--dump-dir", folder.path().string(), "--lid-memory",
              (folder.path() / "lids").string()});
  ASSERT_EQ(sm.wait(), 0) << sm.err();
  const auto dump = (folder.path() / "opensm-lfts.dump").string();
  // LIDs of another LMC: the ports are known by their GUIDs.
  for (const char* lmc : {"1", "0"}) {
    const Outcome outcome = plan({"fat-tree:4,6", "--tables", dump, "--routing", "ftree", "--lmc",
                                  lmc, "--metrics", "-o", "json"});
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
    const json engines = json::parse(outcome.out)["engines"];
    EXPECT_EQ(engines[0]["engine"], "file");
    EXPECT_TRUE(engines[0]["certified"]);
    for (const char* key : {"max_load", "p99_load", "shift_worst", "ebb", "hops"}) {
      EXPECT_EQ(engines[0][key], engines[1][key]) << key;
    }
  }
  const Outcome other = plan({"ring:4", "--tables", dump, "--routing", "updn", "-o", "json"});
  const json file = json::parse(other.out)["engines"][0];
  EXPECT_FALSE(file["certified"]);
}

TEST(PlanRoute, JudgesAListOfRoutesByItsLids) {
  const test::Folder folder;
  const auto fdbs = (folder.path() / "opensm.fdbs").string();
  ASSERT_EQ(heddle({"plan", "export", "fat-tree:4,6", "--format", "fdbs", "-o", fdbs}).exit, 0);
  const Outcome outcome =
      plan({"fat-tree:4,6", "--tables", fdbs, "--routing", "ftree", "--metrics", "-o", "json"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const json engines = json::parse(outcome.out)["engines"];
  for (const char* key : {"max_load", "p99_load", "shift_worst", "ebb", "hops"}) {
    EXPECT_EQ(engines[0][key], engines[1][key]) << key;
  }
  std::string broken = content(fdbs);
  broken.replace(broken.find("\n0x0002 : ") + 10, 3, "xyz");
  const Outcome wrong = plan({"fat-tree:4,6", "--tables", write_file(fdbs, broken)});
  EXPECT_EQ(wrong.exit, 6);
  EXPECT_THAT(wrong.err,
              HasSubstr("opensm.fdbs:4:10: the number of an output port is wanted here"));
}

TEST(PlanRoute, ABrokenDumpIsAnErrorWithItsPlace) {
  const test::Folder folder;
  const auto dump = (folder.path() / "dump").string();
  constexpr std::pair<const char*, const char*> kBroken[] = {
      {"0x0001 001 # Switch portguid 0x1: ''\n", ":1:1: an entry before any switch"},
      {"Unicast lids [0-1] of switch Lid 1 guid nonsense ('')\n", ":1:41: the node GUID"},
      {"Unicast lids [0-1] of switch Lid 1 guid 0x1 ('')\n0x0001 256 # portguid 0x1\n",
       ":2:8: the number of an output port"},
      {"Unicast lids [0-1] of switch Lid 1 guid 0x1 ('')\n0xC000 001 # portguid 0x1\n",
       ":2:1: a LID"},
      {"Unicast lids [0-1] of switch Lid 1 guid 0x1 ('')\n0x0001",
       ":2:7: the number of an output port"}};
  for (const auto& [text, place] : kBroken) {
    std::ofstream(dump) << text;
    const Outcome outcome = plan({"ring:3", "--tables", dump});
    EXPECT_EQ(outcome.exit, 6) << text;
    EXPECT_THAT(outcome.err, HasSubstr(dump + place)) << text;
  }
}

TEST(PlanRoute, MistakesHaveTheirExitCodes) {
  const Outcome engine = plan({"ring:3", "--routing", "nonsense"});
  EXPECT_EQ(engine.exit, 2);
  EXPECT_THAT(engine.err, HasSubstr("'nonsense' is no routing engine; there are"));
  const Outcome file = plan({"ring:3", "--routing", "file"});
  EXPECT_EQ(file.exit, 2);
  EXPECT_THAT(file.err, HasSubstr("'file' needs --lft-file"));
  EXPECT_EQ(plan({"ring:3", "--roots", "spine-1"}).exit, 2);
  EXPECT_EQ(plan({"ring:3", "-o", "xml"}).exit, 2);
  EXPECT_EQ(plan({"ring:x"}).exit, 6);
  EXPECT_EQ(plan({"fat-tree:24,36", "--lmc", "7"}).exit, 6) << "more LIDs than there are";
}

TEST(PlanRoute, TheHelpTeaches) {
  const Outcome help = plan({"--help"});
  EXPECT_EQ(help.exit, 0);
  for (const char* taught : {"heddle plan route fat-tree:18,36", "EBB", "Exit codes", "ftree"}) {
    EXPECT_THAT(help.out, HasSubstr(taught));
  }
}

TEST(PlanRoute, NamesTheBusiestLinksOfAJob) {
  test::Folder folder;
  const auto file = folder.path() / "job";
  std::ofstream(file) << "host-0001\nhost-0009\nhost-0017\n";
  const Outcome outcome = plan({"fat-tree:4,6", "--routing", "ftree", "--job", file.string(),
                                "--io", file.string(), "-o", "json"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const json traffic = json::parse(outcome.out)["engines"][0]["traffic"];
  EXPECT_EQ(traffic[0]["pattern"], "all-to-all");
  EXPECT_EQ(traffic[0]["flows"], 6);
  EXPECT_THAT(traffic[0]["worst"][0]["from"].get<std::string>(), HasSubstr(":"));
  EXPECT_EQ(traffic.back()["pattern"], "all-to-io");
  std::ofstream(file) << "nobody\n";
  const Outcome wrong = plan({"fat-tree:4,6", "--job", file.string()});
  EXPECT_EQ(wrong.exit, 6);
  EXPECT_THAT(wrong.err, HasSubstr("job:1: 'nobody'"));
}

// A dump in which two adapters hang on one switch.
std::string small_dump(const std::string& second_guid, const std::string& second_rate) {
  std::string text =
      "vendid=0x2c9\ndevid=0x1\nsysimgguid=0x10\nswitchguid=0x10(10)\n"
      "Switch 4 \"S-10\" # \"a\" base port 0 lid 1 lmc 0\n"
      "[1] \"H-20\"[1](20) # \"one\" lid 2 4xEDR\n[2] \"H-30\"[2](30) # \"two\" lid 3 4xEDR\n"
      "[3] \"S-40\"[3] # \"b\" lid 4 4xEDR\n[4] \"S-40\"[4] # \"b\" lid 4 " +
      second_rate + "\n";
  text +=
      "\nvendid=0x2c9\ndevid=0x1\nsysimgguid=0x40\nswitchguid=0x40(40)\n"
      "Switch 4 \"S-40\" # \"b\" base port 0 lid 4 lmc 0\n"
      "[3] \"S-10\"[3] # \"a\" lid 1 4xEDR\n[4] \"S-10\"[4] # \"a\" lid 1 " +
      second_rate + "\n";
  const auto add = [&](const std::string& key, const std::string& guid, int port) {
    text += "\nvendid=0x2c9\ndevid=0x1\nsysimgguid=0x" + key + "\ncaguid=0x" + guid +
            "\nCa 2 \"H-" + key + "\" # \"h" + key + "\"\n[" + std::to_string(port) + "](" + key +
            ") \"S-10\"[" + std::to_string(port) + "] # lid " + std::to_string(port + 1) +
            " lmc 0 \"a\" lid 1 4xEDR\n";
  };
  add("20", "20", 1);
  add("30", second_guid, 2);
  return text;
}

TEST(PlanRoute, TwoNodesOfOneGuidAreNoOneNode) {
  const test::Folder folder;
  const std::string fine = write_file(folder.path() / "fine", small_dump("30", "4xEDR"));
  const Outcome good = plan({fine, "--routing", "minhop"});
  EXPECT_EQ(good.exit, 0) << good.err;
  EXPECT_EQ(good.err, "");
  const std::string twins = write_file(folder.path() / "twins", small_dump("20", "4xEDR"));
  const Outcome outcome = plan({twins, "--routing", "minhop"});
  EXPECT_EQ(outcome.exit, 6);
  EXPECT_THAT(outcome.err, HasSubstr("have the same node GUID 0x0000000000000020"));
}

// Two hosts, and two more on the other side, joined by a 4x EDR cable and one of 8 Gb/s.
TEST(PlanRoute, LoadsAreWeighedBySpeed) {
  const test::Folder folder;
  std::string text = small_dump("30", "4xSDR");
  const std::string file = write_file(folder.path() / "mixed", text);
  const Outcome outcome = plan({file, "--routing", "minhop", "--metrics", "-o", "json"});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  const json report = json::parse(outcome.out);
  EXPECT_EQ(report["unit"], "4x EDR");
  EXPECT_EQ(report["unit_gigabits"], 100);
  // Nobody hangs on the other switch, so nothing passes either cable.
  EXPECT_EQ(report["engines"][0]["max_weighted_load"], 0);
  EXPECT_EQ(report["engines"][0]["ebb"], 1);
  EXPECT_EQ(report["engines"][0]["ebb_gigabits"], 100);
  EXPECT_THAT(plan({file, "--routing", "minhop", "--metrics"}).out,
              HasSubstr("weighted loads count a route over 4x EDR as 1"));
}

// A tree of which one cable up is slower: the same routes, and twelve and a half times the load.
TEST(PlanRoute, TheWorstLinkIsTheOneWithTheLeastBandwidth) {
  const test::Folder folder;
  std::string net = heddle({"sim", "export", "fat-tree:2,3", "--format", "ibsim"}).out;
  const auto figures = [&](const std::string& name) {
    const std::string file = write_file(folder.path() / name, net);
    const Outcome outcome =
        plan({file, "--routing", "ftree", "--metrics", "--worst", "1", "-o", "json"});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return json::parse(outcome.out)["engines"][0];
  };
  const json even = figures("even");
  EXPECT_EQ(even["max_weighted_load"], even["max_load"].get<double>());
  EXPECT_EQ(even["ebb"], even["ebb_by_count"]);
  for (const char* leads : {"\"leaf-2\"[3]", "\"spine-1\"[2]"}) {
    const std::size_t at = net.find(leads);
    ASSERT_NE(at, net.npos) << net;
    const std::size_t rate = net.find("4xHDR", at);
    ASSERT_LT(rate, net.find('\n', at));
    net.replace(rate, 5, "4xDDR");  // 16 Gb/s of 200
  }
  const json slow = figures("slow");
  EXPECT_EQ(slow["max_load"], even["max_load"]) << "counts of routes do not change";
  EXPECT_EQ(slow["ebb_by_count"], even["ebb_by_count"]);
  EXPECT_EQ(slow["max_weighted_load"], 12.5 * even["max_load"].get<double>());
  EXPECT_LT(slow["ebb"].get<double>(), 0.9 * slow["ebb_by_count"].get<double>());
  const json worst = slow["traffic"][0]["worst"][0];
  const std::string ends = worst["from"].get<std::string>() + worst["to"].get<std::string>();
  EXPECT_THAT(ends, HasSubstr("leaf-2:3"));
  EXPECT_THAT(ends, HasSubstr("spine-1:2"));
  EXPECT_EQ(worst["weighted_load"], 12.5 * worst["load"].get<double>());
}

TEST(PlanRoute, TheSeedIsPrinted) {
  const std::vector<std::string> words{"star:3",    "--routing", "minhop",
                                       "--metrics", "--seed",    "77"};
  EXPECT_THAT(plan(words).out, HasSubstr("by seed 77"));
  std::vector<std::string> json_words = words, csv_words = words;
  json_words.insert(json_words.end(), {"-o", "json"});
  csv_words.insert(csv_words.end(), {"-o", "csv"});
  EXPECT_EQ(json::parse(plan(json_words).out)["seed"], 77);
  EXPECT_THAT(plan(csv_words).out, HasSubstr(",77\n"));
}

// Every option of [routing] is one here, and does what the subnet manager does with it.
TEST(PlanRoute, TakesTheOptionsOfTheSubnetManager) {
  const test::Folder folder;
  const json nodes =
      json::parse(heddle({"plan", "export", "fat-tree:4,6", "--format", "json"}).out)["nodes"];
  std::string hosts, port, ids_lines;
  for (const json& node : nodes) {
    // The other way round than GUIDs.
    const auto guid = node["guid"].get<std::string>();
    if (node["type"] == "switch") {
      ids_lines += guid + " " + std::to_string(1'000 - ids_lines.size()) + "\n";
    }
    if (node["type"] == "ca") hosts.insert(0, node["ports"][0]["guid"].get<std::string>() + "\n");
    if (node["name"] == "leaf-1") port = node["guid"].get<std::string>() + " 5";
  }
  const std::string order = write_file(folder.path() / "order", hosts);
  const std::string weights = write_file(folder.path() / "weights", port + " 9\n");
  const std::string ids = write_file(folder.path() / "ids", ids_lines);
  const std::string ignored = write_file(folder.path() / "ignored", port + "\n");
  const std::string half = write_file(folder.path() / "half", hosts.substr(0, hosts.size() / 2));
  struct Try {
    std::string engine, key, value;
    std::vector<std::string> words;
  };
  const std::vector<Try> tries{
      {"minhop",
       "guid_routing_order_file",
       "'" + order + "'",
       {"--guid-routing-order-file", order}},
      {"updn", "ids_guid_file", "'" + ids + "'", {"--ids-guid-file", ids}},
      {"minhop", "hop_weights_file", "'" + weights + "'", {"--hop-weights-file", weights}},
      {"minhop",
       "port_prof_ignore_file",
       "'" + ignored + "'",
       {"--port-prof-ignore-file", ignored}},
      {"ftree", "cn_guid_file", "'" + half + "'", {"--cn-guid-file", half}},
      {"ftree", "io_guid_file", "'" + half + "'", {"--io-guid-file", half}},
      {"minhop", "port_shifting", "true", {"--port-shifting"}},
      {"minhop", "scatter_ports", "8", {"--scatter-ports", "8"}},
      {"sssp", "avoid_throttled_links", "true", {"--avoid-throttled-links"}},
  };
  std::size_t changed = 0;
  for (const Try& one : tries) {
    const std::string toml =
        write_file(folder.path() / "heddle.toml", "[routing]\nengines = ['" + one.engine + "']\n" +
                                                      one.key + " = " + one.value + "\n");
    std::vector<std::string> words{"plan", "export", "fat-tree:4,6", "--format", "lft"};
    const std::string by_config = [&] {
      std::vector<std::string> all = words;
      all.insert(all.end(), {"--config", toml});
      return heddle(all).out;
    }();
    words.insert(words.end(), {"--routing", one.engine});
    const std::string without = heddle(words).out;
    words.insert(words.end(), one.words.begin(), one.words.end());
    const Outcome with = heddle(words);
    ASSERT_EQ(with.exit, 0) << one.key << with.err;
    EXPECT_EQ(with.out, by_config) << one.key;
    const auto dumps = folder.path() / one.key;
    std::filesystem::create_directory(dumps);
    const Outcome sm = heddle(
        {"sm", "--sim", "fat-tree:4,6", "--once", "--config", toml, "--dump-dir", dumps.string()});
    EXPECT_EQ(with.out, content(dumps / "opensm-lfts.dump")) << one.key << sm.err;
    changed += with.out != without ? 1u : 0u;
  }
  EXPECT_GE(changed, 5u) << "most of them matter on this fabric";
  const Outcome broken = plan({"ring:3", "--hop-weights-file", order});
  EXPECT_EQ(broken.exit, 6);
  EXPECT_THAT(broken.err, HasSubstr("order:1"));
}

TEST(PlanRoute, AFileThatEndsWithinALineIsReadUpToIt) {
  const test::Folder folder;
  const std::string whole = small_dump("30", "4xEDR");
  const std::string file =
      write_file(folder.path() / "half", whole.substr(0, whole.rfind("\"S-10\"[2]") + 3));
  const Outcome outcome = plan({file, "--routing", "minhop"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("the file ends within this line, which is left out"));
}

}  // namespace
}  // namespace heddle::app
