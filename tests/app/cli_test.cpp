// SPDX-License-Identifier: BSD-3-Clause
// The built program, as a user meets it.
#include <csignal>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "config/reference.hpp"
#include "tests/app/process.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::filesystem::path temp(const std::string& name) {
  static const test::Folder folder;
  return folder.path() / name;
}

std::string write_temp(const std::string& name, const std::string& text) {
  return write_file(temp(name), text);
}

TEST(Help, TeachesTheFirstCommandAndIsNoError) {
  const Outcome top = heddle({"--help"});
  EXPECT_EQ(top.exit, 0);
  EXPECT_THAT(top.out, HasSubstr("heddle sm --sim fat-tree:18,36 --once"));
  EXPECT_THAT(top.out, Not(HasSubstr("reference"))) << "for the manual's maker, not for users";
  const Outcome sm = heddle({"sm", "--help"});
  EXPECT_EQ(sm.exit, 0);
  for (const char* taught : {"fat-tree", "minhop", "updn", "SIGHUP", "Exit codes", "--dump-dir",
                             "sm.priority", "--sweep-interval"}) {
    EXPECT_THAT(sm.out, HasSubstr(taught));
  }
}

TEST(Help, TheVersionIsOneLine) {
  const Outcome version = heddle({"--version"});
  EXPECT_EQ(version.exit, 0);
  EXPECT_THAT(version.out, testing::MatchesRegex("heddle [0-9.]+\n"));
}

TEST(Usage, MistakesAreExitTwoAndSayWhatIsWrong) {
  EXPECT_EQ(heddle({}).exit, 2);
  EXPECT_EQ(heddle({"weave"}).exit, 2);
  EXPECT_EQ(heddle({"sm", "--sim"}).exit, 2);
  EXPECT_EQ(heddle({"sm", "--sim", "pair", "--port", "mlx5_0:1"}).exit, 2);
  EXPECT_EQ(heddle({"sm", "--at", "host-1"}).exit, 2) << "only a simulated fabric has places";
  const Outcome priority = heddle({"sm", "--sim", "pair", "--priority", "16"});
  EXPECT_EQ(priority.exit, 2);
  EXPECT_THAT(priority.err, HasSubstr("must be a number from 0 to 15, not '16'"));
  const Outcome engine = heddle({"sm", "--sim", "pair", "--routing", "minhops"});
  EXPECT_EQ(engine.exit, 2);
  EXPECT_THAT(engine.err, HasSubstr("did you mean 'minhop'?"));
  const Outcome port = heddle({"sm", "--port", "mlx5_0:"});
  EXPECT_EQ(port.exit, 2);
  EXPECT_THAT(port.err, HasSubstr("--port"));
}

TEST(ConfigCommand, TheSampleItPrintsIsTheOneItAccepts) {
  const Outcome sample = heddle({"config", "sample"});
  EXPECT_EQ(sample.exit, 0);
  EXPECT_EQ(sample.out, config::sample_file());
  const Outcome checked = heddle({"config", "check", write_temp("sample.toml", sample.out)});
  EXPECT_EQ(checked.exit, 0);
  EXPECT_THAT(checked.out, HasSubstr("is fine"));
}

TEST(ConfigCommand, TellsAllProblemsWithTheirPlaces) {
  const std::string file =
      write_temp("bad.toml", "[sm]\npriorty = 1\nsm_sl = 99\n[routing]\nengines = [\"x\"]\n");
  const Outcome checked = heddle({"config", "check", file});
  EXPECT_EQ(checked.exit, 3);
  EXPECT_THAT(checked.err, HasSubstr(file + ":2:1: unknown option 'priorty'"));
  EXPECT_THAT(checked.err, HasSubstr(file + ":3:9: 'sm_sl' must be a number from 0 to 15"));
  EXPECT_THAT(checked.err, HasSubstr(file + ":5:11: unknown routing engine 'x'"));
  EXPECT_THAT(checked.err, HasSubstr("3 problems in " + file));
}

TEST(ConfigCommand, ReadsTheFilesThatAConfigurationNames) {
  const std::string members = write_temp("members.conf", "A=0x0001 : ALL_CSA=full ;\n");
  const std::string roots = temp("no-roots").string();
  const std::string file =
      write_temp("names.toml", "[partitions]\nfile = \"" + members +
                                   "\"\n[routing]\nroot_guid_file = \"" + roots + "\"\n");
  const Outcome checked = heddle({"config", "check", file});
  EXPECT_EQ(checked.exit, 3);
  EXPECT_THAT(checked.err, HasSubstr(members + ":1:12: "));
  EXPECT_THAT(checked.err, HasSubstr(roots));
  EXPECT_THAT(checked.err, HasSubstr("2 problems in files that " + file + " names"));
  write_temp("members.conf", "A=0x0001 : ALL_CAS=full ;\n");
  write_temp("names.toml", "[partitions]\nfile = \"" + members + "\"\n");
  EXPECT_EQ(heddle({"config", "check", file}).exit, 0);
}

// As the log of the subnet manager does; none of it keeps that from starting.
TEST(ConfigCommand, TellsWhatIsDoubtfulInTheFilesThatAConfigurationNames) {
  const std::string members = write_temp("doubtful.conf", "A=0x0001, rate=1 : ALL_CAS=full ;\n");
  const std::string levels = write_temp("doubtful-qos.conf",
                                        "qos-levels\n"
                                        "  qos-level\n"
                                        "    name: DEFAULT\n"
                                        "    sl: 0\n"
                                        "    path-bits: 0-3\n"
                                        "  end-qos-level\n"
                                        "end-qos-levels\n");
  const std::string partitions = "[partitions]\nfile = \"" + members + "\"\n";
  const std::string file =
      write_temp("doubtful.toml", partitions + "[sa]\nqos_policy = \"" + levels + "\"\n");
  const Outcome checked = heddle({"config", "check", file});
  EXPECT_EQ(checked.exit, 0);
  EXPECT_THAT(checked.err, HasSubstr(members + ":1:16: "));
  EXPECT_THAT(checked.err, HasSubstr(levels + ":5:5: path-bits have no effect"));
  EXPECT_THAT(checked.out, HasSubstr("is fine, with 2 doubts about files that it names."));
  write_temp("doubtful.conf", "A=0x0001, rate=3 : ALL_CAS=full ;\n");
  write_temp("doubtful.toml", partitions);
  const Outcome fine = heddle({"config", "check", file});
  EXPECT_THAT(fine.out, HasSubstr("is fine."));
  EXPECT_THAT(fine.err, IsEmpty());
}

TEST(ConfigCommand, ABrokenFileOfPartitionsIsAProblemOfTheFabric) {
  const std::string members = write_temp("closed.conf", "A=0x0001 : ALL_CSA=full ;\n");
  const Outcome outcome = heddle({"sm", "--sim", "star:3", "--once", "--partitions", members});
  EXPECT_EQ(outcome.exit, 5);
  EXPECT_THAT(outcome.out, HasSubstr("The fabric is up, but not as all the configuration says."));
  EXPECT_THAT(outcome.out, HasSubstr(members + ":1:12: "));
}

TEST(ConfigCommand, RefusesToHaveItsOwnPacketsDropped) {
  const std::string lanes = "sl2vl=0,1,2,15,0,1,2,3,0,1,2,3,0,1,2,3";
  const std::string file = write_temp(
      "dropped.toml", "[sm]\nsm_sl = 3\n[qos]\ntables = true\nall = \"" + lanes + "\"\n");
  const Outcome checked = heddle({"config", "check", file});
  EXPECT_EQ(checked.exit, 3);
  EXPECT_THAT(checked.err, HasSubstr(file + ":2:9: packets of 'sm_sl' (3) must not be dropped"));
  write_temp("dropped.toml", "[sm]\nsm_sl = 2\n[qos]\ntables = true\nall = \"" + lanes + "\"\n");
  EXPECT_EQ(heddle({"config", "check", file}).exit, 0);
}

// What the check passes the subnet manager takes, and what it refuses is not tried again.
TEST(ConfigCommand, RefusesWhatTheSubnetManagerWouldNotStartWith) {
  const std::string brief = write_temp("brief.secret", "fifteen letters");
  const std::string secret = write_temp("long.secret", "sixteen letters.");
  const std::string memory = "[lids]\nmemory_file = \"" + temp("guid2lid").string() + "\"\n";
  const auto standby = [](const std::string& listen, const std::string& file) {
    return "[standby]\nlisten = \"" + listen + "\"\nsecret_file = \"" + file + "\"\n";
  };
  const auto replica = [](const std::string& endpoint) {
    return "[replica]\nendpoints = [\"" + endpoint + "\"]\n";
  };
  const std::pair<std::string, std::string> wrong[] = {
      {"[sm]\nport = \"mlx5_0:\"\n", "sm.port: "},
      {"[standby]\npeer = \"sm-2:9316\"\n", "[standby] needs a secret_file"},
      {standby("127.0.0.1:9316", brief), brief + ": a secret has 16 to 256 bytes"},
      {standby("127.0.0.1:9316", temp("no.secret").string()), temp("no.secret").string()},
      {standby("sm-1:9316", secret), "standby.listen needs an address, not 'sm-1'"},
      {standby("127.0.0.1", secret), "'listen' of [standby] is HOST:PORT"},
      {standby("127.0.0.1:9316", secret) + replica("http://127.0.0.1:1"), "two ways to the same"},
      {"[standby]\npeer = \"sm-2:9316\"\ncertificate = \"" + temp("no.pem").string() +
           "\"\nkey = \"k\"\nauthority = \"a\"\n",
       temp("no.pem").string()},
      {replica("127.0.0.1:2379"), "replica.endpoints are https://HOST:PORT"},
      {replica("http://127.0.0.1:1") + "certificate = \"c\"\n", "needs its 'key'"},
      {replica("http://127.0.0.1:1") + "user = \"u\"\npassword_file = \"" +
           temp("no.password").string() + "\"\n",
       temp("no.password").string()},
  };
  for (const auto& [text, why] : wrong) {
    const std::string file = write_temp("refused.toml", text + memory);
    const Outcome checked = heddle({"config", "check", file});
    EXPECT_EQ(checked.exit, 3) << text;
    EXPECT_THAT(checked.err, HasSubstr(why)) << text;
    const Outcome started = heddle({"sm", "--config", file, "--once"});
    EXPECT_EQ(started.exit, 3) << text;
    EXPECT_THAT(started.err, HasSubstr(why)) << text;
  }
  const std::string file = write_temp("refused.toml", standby("127.0.0.1:9316", secret) + memory);
  EXPECT_EQ(heddle({"config", "check", file}).exit, 0);
  const Outcome shadow = heddle({"sm", "--config", file, "--shadow", "--once"});
  EXPECT_EQ(shadow.exit, 3);
  EXPECT_THAT(shadow.err, HasSubstr("[standby] needs [lids] memory_file, and no shadow"));
}

// The subnet manager goes on without: the fabric comes first.
TEST(ConfigCommand, RefusesAnApiThatCouldNotBeOpened) {
  const std::string tokens = write_temp("tokens", "read a 0123456789abcdef\n");
  const std::string few = write_temp("few-tokens", "read a 0123\n");
  const auto api = [](const std::string& listen, const std::string& more) {
    return "[api]\nlisten = \"" + listen + "\"\n" + more;
  };
  const std::string known = "tokens = \"" + tokens + "\"\n";
  const std::pair<std::string, std::string> wrong[] = {
      {api("127.0.0.1", ""), "api.listen is ADDRESS:PORT"},
      {api("sm-1:9315", ""), "this is no IP address"},
      {api("192.0.2.1:9315", known), "TLS and tokens are needed"},
      {api("127.0.0.1:9315", "key = \"k\"\n"), "api.certificate and api.key go together"},
      {api("127.0.0.1:9315", "certificate = \"" + temp("no.pem").string() + "\"\nkey = \"k\"\n"),
       temp("no.pem").string()},
      {api("127.0.0.1:9315", "tokens = \"" + few + "\"\n"), few + ":1: a token has at least"},
      {api("127.0.0.1:9315", "tokens = \"" + temp("no-tokens").string() + "\"\n"),
       temp("no-tokens").string()},
  };
  for (const auto& [text, why] : wrong) {
    const Outcome checked = heddle({"config", "check", write_temp("closed.toml", text)});
    EXPECT_EQ(checked.exit, 3) << text;
    EXPECT_THAT(checked.err, HasSubstr(why)) << text;
    const std::string off = write_temp("closed.toml", text + "enabled = false\n");
    EXPECT_EQ(heddle({"config", "check", off}).exit, 0) << text;
  }
  const std::string fine = write_temp("open.toml", api("127.0.0.1:9315", known));
  EXPECT_EQ(heddle({"config", "check", fine}).exit, 0);
}

// It may hold the keys of the fabric: who could not read the file before cannot do so now.
TEST(ConfigCommand, AnImportedFileIsAsClosedAsTheOneInItsPlace) {
  using std::filesystem::perms;
  const std::string opensm = write_temp("opensm.conf", "m_key 0x1122334455667788\n");
  const auto made = temp("imported.toml");
  ASSERT_EQ(heddle({"config", "import", opensm, "-o", made.string()}).exit, 0);
  EXPECT_THAT(content(made), HasSubstr("0x1122334455667788"));
  const perms owner = perms::owner_read | perms::owner_write;
  EXPECT_EQ(std::filesystem::status(made).permissions(), owner);
  std::filesystem::permissions(made, owner | perms::group_read);
  ASSERT_EQ(heddle({"config", "import", opensm, "-o", made.string()}).exit, 0);
  EXPECT_EQ(std::filesystem::status(made).permissions(), owner | perms::group_read);
}

TEST(ConfigCommand, AnImportSaysWhatItCannotReadOrWrite) {
  const std::string opensm = write_temp("opensm.conf", "lmc 1\n");
  const Outcome unwritable = heddle({"config", "import", opensm, "-o", "/dev/null/heddle.toml"});
  EXPECT_EQ(unwritable.exit, 7);
  EXPECT_THAT(unwritable.err, HasSubstr("/dev/null/heddle.toml"));
  const Outcome folder = heddle({"config", "import", "/tmp"});
  EXPECT_EQ(folder.exit, 3);
  EXPECT_THAT(folder.err, HasSubstr("/tmp: cannot be read: Is a directory"));
}

// It is the user's mistake, and no bug of ours.
TEST(Usage, ADirectoryInPlaceOfAFileIsNamed) {
  for (const auto& [command, exit] :
       {std::pair<std::vector<std::string>, int>{{"opensm", "-F", "/tmp"}, 3},
        {{"replay", "/tmp"}, 2},
        {{"sm", "--once", "--sim", "pair", "--config", "/tmp"}, 3}}) {
    const Outcome outcome = heddle(command);
    EXPECT_EQ(outcome.exit, exit) << command[0] << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("/tmp")) << command[0];
  }
  const std::string file =
      write_temp("tokens.toml", "[api]\nlisten = \"127.0.0.1:0\"\ntokens = \"/tmp\"\n");
  Process manager({"sm", "--sim", "pair", "--config", file});
  EXPECT_TRUE(manager.wait_for("/tmp: cannot be read: Is a directory")) << manager.err();
  EXPECT_TRUE(manager.wait_for("Watching")) << manager.err();  // from then on it heeds signals
  manager.signal(SIGTERM);
  EXPECT_EQ(manager.wait(), 0);
}

TEST(Record, ThatIsNotWholeIsExitSeven) {
  const Outcome manager = heddle({"sm", "--sim", "pair", "--once", "--record", "/dev/full"});
  EXPECT_EQ(manager.exit, 7);
  EXPECT_THAT(manager.out, HasSubstr("The fabric is up.\n"));
  EXPECT_THAT(manager.err, HasSubstr("No space left on device [RecordNotWritten]"));
  const std::string folder = temp("").string();
  Process simulator({"sim", "pair", "--name", "full", "--dir", folder, "--record", "/dev/full"});
  ASSERT_TRUE(simulator.wait_for("run as 'full'")) << simulator.err();
  simulator.signal(SIGTERM);
  EXPECT_EQ(simulator.wait(), 7);
  EXPECT_THAT(simulator.err(), HasSubstr("No space left on device"));
}

// A file of its own process that everybody may read and the kernel lets nobody change the mode of,
// root neither.
TEST(Record, ThatCannotBeHiddenIsNotWritten) {
  const Outcome manager = heddle({"sm", "--sim", "pair", "--once", "--record", "/proc/self/comm"});
  EXPECT_EQ(manager.exit, 7);
  EXPECT_EQ(manager.out, "");
  EXPECT_THAT(manager.err, HasSubstr("would hold the fabric's keys"));
  EXPECT_THAT(manager.err, HasSubstr("name a new file"));
}

TEST(Control, APriorityIsANumberFromZeroToFifteen) {
  for (const char* wrong : {"16", "-1", "0x10", "1x", "", "fifteen"}) {
    EXPECT_EQ(heddle({"ctl", "priority", wrong}).exit, 2) << wrong;
  }
}

TEST(ConfigCommand, AWrongFileKeepsTheSubnetManagerFromStarting) {
  const std::string file = write_temp("wrong.toml", "[sm]\npriority = 99\n");
  const Outcome outcome = heddle({"sm", "--sim", "pair", "--once", "--config", file});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_THAT(outcome.err, HasSubstr(file + ":2:12:"));
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST(Ports, SaysWhatThisHostHas) {
  const Outcome table = heddle({"ports"});
  EXPECT_THAT(table.exit, AnyOf(0, 4));
  EXPECT_THAT(table.out, Not(IsEmpty()));
  const auto json = nlohmann::json::parse(heddle({"ports", "-o", "json"}).out);
  EXPECT_EQ(json["chosen"].is_null(), table.exit == 4);
  EXPECT_EQ(heddle({"ports", "-o", "yaml"}).exit, 2);
}

TEST(Ports, OnceOnAPortThatIsNotThereIsExitFour) {
  const Outcome outcome =
      heddle({"sm", "--once", "--port", "heddle_none:1", "--lid-memory", temp("lids").string()});
  EXPECT_EQ(outcome.exit, 4);
  EXPECT_THAT(outcome.err, HasSubstr("heddle: "));
}

TEST(Ports, ADaemonWaitsForItsPortAndSaysSoOnce) {
  Process process({"sm", "--port", "heddle_none:1", "--lid-memory", temp("lids").string()});
  ASSERT_TRUE(process.wait_for("WaitingForPort")) << process.err();
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0);
  const std::string log = process.err();
  EXPECT_EQ(log.find("WaitingForPort"), log.rfind("WaitingForPort"));
}

TEST(Simulated, AFabricComesUpAndTheSummaryTellsIt) {
  const Outcome outcome = heddle({"sm", "--sim", "fat-tree:4,8", "--once"});
  EXPECT_EQ(outcome.exit, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("The fabric is up.\n"));
  EXPECT_THAT(outcome.out, HasSubstr("Problems  none\n"));
  EXPECT_THAT(outcome.out, HasSubstr("no credit loop"));
}

// There is one process for all of it, and nothing beside which routes could be made.
TEST(Simulated, TheSummaryTellsHowLongRoutingTook) {
  const Outcome outcome = heddle({"sm", "--sim", "fat-tree:4,8", "--once"});
  EXPECT_THAT(outcome.out, HasSubstr(", routing "));
  EXPECT_THAT(outcome.out, Not(HasSubstr(", routing 0.00 us")));
}

TEST(Simulated, NothingIsDrawnWhenNobodySitsAtATerminal) {
  const Outcome outcome = heddle({"sm", "--sim", "fat-tree:4,8", "--once"});
  EXPECT_EQ(outcome.out.find('\r'), std::string::npos);
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST(Simulated, NodesOfAnotherIslandAreNamedAndLeftAlone) {
  const std::string net =
      write_temp("islands.net",
                 "Switch 8 \"S0\"\n[1] \"H0\"[1]\n[2] \"H1\"[1]\n\n"
                 "Hca 1 \"H0\"\n[1] \"S0\"[1]\n\nHca 1 \"H1\"\n[1] \"S0\"[2]\n\n"
                 "Hca 1 \"Far\"\n[1] \"Away\"[1]\n\nHca 1 \"Away\"\n[1] \"Far\"[1]\n");
  const Outcome outcome = heddle({"sm", "--sim", net, "--once"});
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_THAT(outcome.out, HasSubstr("2 of the fabric's 5 nodes cannot be reached"));
  EXPECT_THAT(outcome.out, HasSubstr("Far, Away"));
  EXPECT_THAT(outcome.err, HasSubstr("NodesLeftAlone"));
}

TEST(Simulated, AFabricThatCannotBeIsExitSix) {
  for (const char* fabric : {"fat-tree:0,0", "fat-tree:x", "/nonexistent/fabric.txt", ""}) {
    const Outcome outcome = heddle({"sm", "--once", "--sim", fabric});
    EXPECT_EQ(outcome.exit, 6) << fabric << ": " << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("heddle: ")) << fabric;
  }
  const Outcome place = heddle({"sm", "--once", "--sim", "pair", "--at", "nowhere:1"});
  EXPECT_EQ(place.exit, 6);
  EXPECT_THAT(place.err, HasSubstr("nowhere:1"));
}

TEST(Simulated, TheLogIsJsonWhenAskedFor) {
  const Outcome outcome =
      heddle({"sm", "--sim", "pair", "--once", "--log-format", "json", "--log-level", "info"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  std::istringstream lines(outcome.err);
  bool up = false;
  for (std::string line; std::getline(lines, line);) {
    up |= nlohmann::json::parse(line)["event"] == "SubnetUp";
  }
  EXPECT_TRUE(up) << outcome.err;
}

TEST(Simulated, LidsAreRememberedWhereTheUserSays) {
  const auto memory = temp("memory");
  const std::vector<std::string> command{"sm",     "--sim",        "fat-tree:2,4",
                                         "--once", "--lid-memory", memory.string()};
  ASSERT_EQ(heddle(command).exit, 0);
  const std::string first = content(memory);
  EXPECT_THAT(first, HasSubstr("0x"));
  ASSERT_EQ(heddle(command).exit, 0);
  EXPECT_EQ(content(memory), first);
}

TEST(Simulated, AMemoryThatCannotBeWrittenDoesNotStopTheFabric) {
  const Outcome outcome =
      heddle({"sm", "--sim", "pair", "--once", "--lid-memory", "/dev/null/lids"});
  EXPECT_THAT(outcome.exit, AnyOf(0, 7));
  EXPECT_THAT(outcome.err, HasSubstr("/dev/null/lids"));
}

TEST(Simulated, DumpsAndRecordAreWrittenWhereTheUserSays) {
  const auto directory = temp("dumps");
  const auto record = temp("record");
  const Outcome outcome = heddle({"sm", "--sim", "fat-tree:2,4", "--once", "--dump-dir",
                                  directory.string(), "--record", record.string()});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  for (const char* name :
       {"opensm-subnet.lst", "opensm.fdbs", "opensm-lfts.dump", "opensm-lid-matrix.dump"}) {
    EXPECT_GT(std::filesystem::file_size(directory / name), 0u) << name;
  }
  EXPECT_THAT(content(record), testing::StartsWith("heddle-recording 1\n"));
  using std::filesystem::perms;
  const perms allowed = std::filesystem::status(record).permissions();
  EXPECT_EQ(allowed & (perms::group_all | perms::others_all), perms::none);  // it holds keys
  std::filesystem::permissions(record, perms::group_read | perms::others_read,
                               std::filesystem::perm_options::add);
  ASSERT_EQ(heddle({"sm", "--sim", "pair", "--once", "--record", record.string()}).exit, 0);
  const perms again = std::filesystem::status(record).permissions();
  EXPECT_EQ(again & (perms::group_all | perms::others_all), perms::none) << "overwritten";
  EXPECT_EQ(heddle({"sm", "--sim", "pair", "--once", "--dump-dir", "/dev/null/x"}).exit, 7);
}

TEST(Record, OfABringUpReplaysToTheSame) {
  const auto record = temp("bring-up.record").string();
  ASSERT_EQ(heddle({"sm", "--sim", "fat-tree:4,8", "--once", "--record", record}).exit, 0);
  const Outcome same = heddle({"replay", record});
  EXPECT_EQ(same.exit, 0) << same.err;
  EXPECT_EQ(same.out, "same\n");

  std::string text = content(record);
  const auto sent = text.rfind(" send ");
  ASSERT_NE(sent, std::string::npos);
  char& digit = text[text.find(':', sent) + 8];
  digit = digit == '1' ? '2' : '1';
  const Outcome other = heddle({"replay", write_temp("bring-up.changed", text)});
  EXPECT_EQ(other.exit, 1);
  EXPECT_THAT(other.out, HasSubstr("recorded"));
  EXPECT_EQ(heddle({"replay", "/dev/null"}).exit, 2);
}

TEST(Signals, SigtermEndsTheWatchInPeace) {
  Process process({"sm", "--sim", "fat-tree:4,8"});
  ASSERT_TRUE(process.wait_for("Watching")) << process.err();
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0);
}

// The sweep of this fabric takes long enough that the signal falls into it.
TEST(Signals, SigintInTheMiddleOfASweepEndsInPeaceToo) {
  Process process({"sm", "--sim", "fat-tree:18,36", "--once", "--log-level", "debug"});
  ASSERT_TRUE(process.wait_for("PhaseStarted")) << process.err();
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(), 0);
}

TEST(Signals, SighupReadsTheConfigurationAgainAndKeepsTheOldOneIfTheNewIsWrong) {
  const std::string file = write_temp("reload.toml", "[log]\nlevel = \"info\"\n");
  Process process({"sm", "--sim", "fat-tree:4,8", "--config", file});
  ASSERT_TRUE(process.wait_for("Watching")) << process.err();
  write_temp("reload.toml", "[sm]\npriority = 99\n");
  process.signal(SIGHUP);
  EXPECT_TRUE(process.wait_for("ConfigKept")) << process.err();
  EXPECT_THAT(process.err(), HasSubstr("reload.toml:2:12:"));
  write_temp("reload.toml", "[sm]\npriority = 9\n");
  process.signal(SIGHUP);
  EXPECT_TRUE(process.wait_for("number=2")) << process.err();
  EXPECT_THAT(process.err(), HasSubstr("ConfigRead"));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0);
}

TEST(Signals, SigusrOneReopensTheLog) {
  const auto log = temp("rotated.log");
  const std::string file = write_temp("log.toml", "[log]\nlevel = \"info\"\n");
  Process process({"sm", "--sim", "fat-tree:4,8", "--config", file, "--log-file", log.string()});
  ASSERT_TRUE(process.wait_for("Watching")) << process.err();
  std::filesystem::rename(log, temp("rotated.log.1"));
  process.signal(SIGUSR1);
  for (int i = 0; i < 500 && !std::filesystem::exists(log); ++i) ::usleep(10'000);
  EXPECT_TRUE(std::filesystem::exists(log));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait(), 0);
}

}  // namespace
}  // namespace heddle::app
