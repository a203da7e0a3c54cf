// SPDX-License-Identifier: BSD-3-Clause
// Two subnet managers' connection, in one process, over real sockets and real TLS.
#include "app/partner.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "app/keeper.hpp"
#include "store/database.hpp"
#include "tests/app/slow_network.hpp"
#include "tests/support/descriptors.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/sanitized.hpp"

namespace heddle::app {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// A key, and a certificate that it has signed itself.
PartnerKeys make_certificate(const std::filesystem::path& folder, const std::string& name) {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
  X509_set_pubkey(certificate, key);
  X509_NAME* subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(certificate, subject);
  EXPECT_GT(X509_sign(certificate, key, EVP_sha256()), 0);
  PartnerKeys keys{{}, folder / (name + ".pem"), folder / (name + ".key"), {}};
  std::FILE* file = std::fopen(keys.certificate.c_str(), "w");
  PEM_write_X509(file, certificate);
  std::fclose(file);
  file = std::fopen(keys.key.c_str(), "w");
  PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(file);
  X509_free(certificate);
  EVP_PKEY_free(key);
  return keys;
}

// One side, and what it heard.
struct Side {
  store::Beat beat{store::Role::Standby, 0};
  std::optional<store::State> all;
  bool takes = true;
  std::vector<store::State> told;
  int silences = 0, doubts = 0;
  std::uint64_t overtaken = 0, behind = 0;
  std::unique_ptr<Partner> partner;

  Partner::Events events() {
    return {[this] { return beat; },
            [this] { return all; },
            [this](store::State& state) {
              if (takes) told.push_back(state);
              return takes;
            },
            [this] { ++silences; },
            [] {},
            [this](std::uint64_t epoch) { overtaken = epoch; },
            [this](std::uint64_t epoch) { behind = epoch; },
            [this] { ++doubts; }};
  }
};

class PartnerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto log = Log::open({"error", "text", (folder_.path() / "log").string()});
    ASSERT_TRUE(log);
    log_ = std::move(*log);
    boost::asio::ip::tcp::acceptor free(loop_, {boost::asio::ip::address_v4::loopback(), 0});
    place_ = "127.0.0.1:" + std::to_string(free.local_endpoint().port());
    master_.beat = {store::Role::Master, 5};
    master_.all = store::State{7, {5, true, {{"a", "1"}, {"b", "2"}}}};
  }
  void TearDown() override {
    master_.partner.reset();
    standby_.partner.reset();
    loop_.poll();
  }
  void open(Side& side, const std::string& listen, const std::string& peer, PartnerKeys keys,
            const std::string& fabric = "f00d") {
    auto partner =
        Partner::open(loop_, *log_, {listen, peer, std::move(keys), fabric}, side.events());
    ASSERT_TRUE(partner) << partner.error().message;
    side.partner = std::move(*partner);
  }
  void connect() {
    open(master_, place_, "", secret());
    open(standby_, "", place_, secret());
    ASSERT_TRUE(until([&] { return !standby_.told.empty(); }));
  }
  std::uint16_t port() const {
    return static_cast<std::uint16_t>(std::stoi(place_.substr(place_.find(':') + 1)));
  }
  static PartnerKeys secret(const std::string& bytes = "a secret of some length") {
    return {bytes, {}, {}, {}};
  }
  bool until(const std::function<bool()>& done, milliseconds limit = milliseconds(5000)) {
    const auto end = Clock::now() + limit;
    while (!done() && Clock::now() < end) loop_.run_for(milliseconds(5));
    return done();
  }

  test::Folder folder_;
  std::unique_ptr<Log> log_;
  boost::asio::io_context loop_;
  std::string place_;
  Side master_, standby_;
};

TEST_F(PartnerTest, WithoutDescriptorsThereIsAPauseAndThenAStandbyIsToldAll) {
  HEDDLE_SKIP_WITHOUT_DESCRIPTORS();
  using boost::asio::ip::tcp;
  open(master_, place_, "", secret());
  tcp::socket visitor(loop_);
  visitor.connect({boost::asio::ip::address_v4::loopback(), port()});
  {
    const test::NoDescriptorsLeft none;
    EXPECT_LE(loop_.run_for(milliseconds(50)), 5u);
  }
  open(standby_, "", place_, secret());
  EXPECT_TRUE(until([&] { return !standby_.told.empty(); }));
}

// All that is remembered of 11,664 hosts in two groups each, by TLS and onto the standby's disk.
// How long it took is told, for who asks.
TEST_F(PartnerTest, AStandbyCatchesUpWithAFullFabric) {
  constexpr std::uint64_t kRecords = test::kSanitized ? 3'500 : 35'000;
  master_.all->batch.records.clear();
  for (std::uint64_t n = 0; n < kRecords; ++n) {
    const std::string digits = std::to_string(10'000'000'000 + n);
    master_.all->batch.records.push_back(
        {"member " + std::string(53, 'f') + digits, std::string(104, '0') + " " + digits});
  }
  auto opened = store::Database::open(folder_.path() / "memory.db", Keeper::wall_clock);
  ASSERT_TRUE(opened);
  const auto began = Clock::now();
  open(master_, place_, "", secret());
  open(standby_, "", place_, secret());
  ASSERT_TRUE(until([&] { return master_.partner->standbys() == 1; }, milliseconds(60'000)));
  ASSERT_EQ(standby_.told.size(), 1u);
  ASSERT_TRUE(opened->database->write({standby_.told[0].batch}));
  const std::chrono::duration<double> took = Clock::now() - began;
  EXPECT_EQ(opened->database->read()->size(), kRecords);
  std::printf("%llu records in %.3f s\n", static_cast<unsigned long long>(kRecords), took.count());
}

TEST_F(PartnerTest, AStandbyIsToldAllAndThenWhatChanges) {
  connect();
  EXPECT_EQ(standby_.told[0].batch.records, master_.all->batch.records);
  EXPECT_TRUE(standby_.told[0].batch.whole);
  EXPECT_TRUE(until([&] { return master_.partner->standbys() == 1; }));
  master_.partner->publish({8, {5, false, {{"c", "3"}}}});
  EXPECT_EQ(master_.partner->taken(), 7u) << "until it has been taken";
  ASSERT_TRUE(until([&] { return master_.partner->taken() > 8; }));
  ASSERT_EQ(standby_.told.size(), 2u);
  EXPECT_EQ(standby_.told[1].batch.records.at(0).name, "c");
  EXPECT_EQ(standby_.silences, 0);
}

TEST_F(PartnerTest, ALargeMemoryArrivesWhole) {
  master_.all->batch.records.clear();
  constexpr std::size_t kRecords = test::kSanitized ? 5'000 : 50'000;
  for (std::size_t n = 0; n < kRecords; ++n) {
    master_.all->batch.records.push_back({"member " + std::to_string(n), std::string(200, 'x')});
  }
  const auto began = Clock::now();
  connect();
  EXPECT_EQ(standby_.told[0].batch.records.size(), kRecords);
  RecordProperty("milliseconds", static_cast<int>((Clock::now() - began) / milliseconds(1)));
}

// It takes all along what it is told, if longer than anybody waits for it: nobody does.
TEST_F(PartnerTest, AStandbyBehindASlowNetworkIsToldAllInTheEnd) {
  constexpr std::size_t kBytes = 4'000'000, kBytesPerSecond = 2'000'000;
  master_.all->batch.records.clear();
  for (std::size_t n = 0; n < kBytes / 200; ++n) {
    master_.all->batch.records.push_back({"member " + std::to_string(n), std::string(200, 'x')});
  }
  open(master_, place_, "", secret());
  test::SlowNetwork network(port(), kBytesPerSecond);
  open(standby_, "", network.place(), secret());
  const auto began = Clock::now();
  ASSERT_TRUE(until([&] { return master_.partner->taken() == 0; })) << "waited for a little";
  EXPECT_TRUE(until([&] { return master_.partner->taken() > 7; }));
  EXPECT_EQ(master_.partner->standbys(), 0u) << "and no more, although it has yet to take it";
  ASSERT_TRUE(until([&] { return master_.partner->standbys() == 1; }, milliseconds(30'000)));
  EXPECT_GT(Clock::now() - began, 2 * Partner::kPatience) << "or this tests nothing";
  EXPECT_EQ(standby_.told.at(0).batch.records, master_.all->batch.records);
  EXPECT_EQ(standby_.silences, 0);
}

TEST_F(PartnerTest, AMasterThatDiesIsMissedAtOnce) {
  // A machine that stood still in between tells nothing of the partner.
  Clock::duration shortest = Clock::duration::max();
  for (int attempt = 0; attempt < 4 && shortest >= milliseconds(150); ++attempt) {
    standby_ = Side{};
    connect();
    ASSERT_TRUE(until([&] { return master_.partner->standbys() == 1; }));
    loop_.run_for(milliseconds(200));
    const auto began = Clock::now();
    master_.partner.reset();
    EXPECT_TRUE(until([&] { return standby_.silences == 1; }));
    shortest = std::min(shortest, Clock::now() - began);
  }
  EXPECT_LT(shortest, milliseconds(150)) << "well before its silence would tell";
}

// The master may have gone on without it before it went.
TEST_F(PartnerTest, AStandbyThatSleptDoubtsWhatItWasTold) {
  boost::asio::io_context others_loop;
  open(master_, place_, "", secret());
  auto sleeper =
      Partner::open(others_loop, *log_, {"", place_, secret(), "f00d"}, standby_.events());
  ASSERT_TRUE(sleeper);
  ASSERT_TRUE(until([&] {
    others_loop.run_for(milliseconds(5));
    return master_.partner->standbys() == 1 && !standby_.told.empty();
  }));
  others_loop.run_for(milliseconds(200));
  loop_.run_for(milliseconds(50));
  others_loop.run_for(milliseconds(50));
  master_.partner.reset();
  std::this_thread::sleep_for(2 * Partner::kPatience);
  others_loop.run_for(milliseconds(100));
  EXPECT_EQ(standby_.doubts, 1);
  EXPECT_EQ(standby_.silences, 1);
}

TEST_F(PartnerTest, AMasterThatHangsIsMissedSoon) {
  // It takes the connection, and says nothing.
  boost::asio::io_context other;
  open(standby_, "", place_, secret());
  {
    auto partner = Partner::open(other, *log_, {place_, "", secret(), "f00d"}, master_.events());
    ASSERT_TRUE(partner);
    const auto end = Clock::now() + milliseconds(5000);
    while (standby_.told.empty() && Clock::now() < end) {
      loop_.run_for(milliseconds(5));
      other.run_for(milliseconds(5));
    }
    ASSERT_FALSE(standby_.told.empty());
    for (int turn = 0; turn < 20; ++turn) {
      loop_.run_for(milliseconds(5));
      other.run_for(milliseconds(5));
    }
    EXPECT_TRUE(until([&] { return standby_.silences == 1; }, milliseconds(5000)));
  }
  other.poll();
}

TEST_F(PartnerTest, AStandbyThatIsGoneIsWaitedForALittle) {
  connect();
  ASSERT_TRUE(until([&] { return master_.partner->taken() > 7; }));
  standby_.partner.reset();
  ASSERT_TRUE(until([&] { return master_.partner->taken() == 7; })) << "it could be taking over";
  EXPECT_TRUE(until([&] { return master_.partner->taken() > 7; }, milliseconds(5000)));
}

// While the master slept, whoever is gone may have taken over. That is heard first.
TEST_F(PartnerTest, AMasterThatSleptWaitsForAStandbyThatIsGoneOnceMore) {
  connect();
  ASSERT_TRUE(until([&] { return master_.partner->taken() > 7; }));
  standby_.partner.reset();
  ASSERT_TRUE(until([&] { return master_.partner->taken() == 7; }));
  std::this_thread::sleep_for(2 * Partner::kPatience);
  loop_.run_for(2 * Partner::kBeat);
  EXPECT_EQ(master_.partner->taken(), 7u);
  EXPECT_TRUE(until([&] { return master_.partner->taken() > 7; }, milliseconds(5000)));
}

// What it takes meanwhile is heard only when the master wakes: it is not the one that is late.
TEST_F(PartnerTest, AMasterThatSleptDoesNotBlameItsStandby) {
  boost::asio::io_context others_loop;
  open(master_, place_, "", secret());
  auto standby =
      Partner::open(others_loop, *log_, {"", place_, secret(), "f00d"}, standby_.events());
  ASSERT_TRUE(standby);
  ASSERT_TRUE(until([&] {
    others_loop.run_for(milliseconds(5));
    return master_.partner->standbys() == 1;
  }));
  master_.partner->publish({8, {5, false, {{"c", "3"}}}});
  loop_.run_for(milliseconds(1));  // it leaves
  std::this_thread::sleep_for(2 * Partner::kPatience);
  loop_.run_for(2 * Partner::kBeat);
  EXPECT_EQ(master_.partner->taken(), 7u) << "waited for, and not given up";
  EXPECT_TRUE(until([&] {
    others_loop.run_for(milliseconds(5));
    return master_.partner->taken() > 8;
  }));
  others_loop.poll();
}

// Nothing is told meanwhile that it would not take, and nothing says that the network is cut.
TEST_F(PartnerTest, AStandbyThatIsSilentIsGone) {
  boost::asio::io_context others_loop;
  open(master_, place_, "", secret());
  auto silent =
      Partner::open(others_loop, *log_, {"", place_, secret(), "f00d"}, standby_.events());
  ASSERT_TRUE(silent);
  ASSERT_TRUE(until([&] {
    others_loop.run_for(milliseconds(5));
    return master_.partner->standbys() == 1;
  }));
  EXPECT_TRUE(until([&] { return master_.partner->standbys() == 0; }, milliseconds(20'000)));
  others_loop.poll();
}

TEST_F(PartnerTest, AStandbyThatTakesNothingIsNotWaitedForLong) {
  connect();
  ASSERT_TRUE(until([&] { return master_.partner->standbys() == 1; }));
  standby_.takes = false;
  master_.partner->publish({8, {5, false, {{"c", "3"}}}});
  EXPECT_TRUE(until([&] { return master_.partner->taken() > 8; }, milliseconds(5000)));
  master_.all->number = 8;
  // It connects again, and is told all: but nobody waits for it any more.
  const auto end = Clock::now() + milliseconds(1500);
  while (Clock::now() < end) {
    loop_.run_for(milliseconds(5));
    EXPECT_GT(master_.partner->taken(), 8u);
  }
  standby_.takes = true;
  EXPECT_TRUE(until([&] { return master_.partner->standbys() == 1; }));
}

TEST_F(PartnerTest, WhoHasAnotherSecretLearnsNothing) {
  open(master_, place_, "", secret());
  open(standby_, "", place_, secret("another secret, as long"));
  EXPECT_FALSE(until([&] { return !standby_.told.empty(); }, milliseconds(1500)));
  EXPECT_EQ(master_.partner->standbys(), 0u);
}

TEST_F(PartnerTest, WhoHasNoSecretLearnsNothing) {
  open(master_, place_, "", secret());
  boost::asio::ip::tcp::socket socket(loop_);
  socket.connect({boost::asio::ip::address_v4::loopback(), port()});
  boost::asio::write(socket, boost::asio::buffer(std::string("heddle-stream 1 f00d\n")));
  std::string heard(1000, ' ');
  boost::system::error_code ended;
  std::size_t size = 0;
  bool over = false;
  socket.async_read_some(boost::asio::buffer(heard), [&](auto error, std::size_t count) {
    ended = error;
    size = count;
    over = true;
  });
  EXPECT_TRUE(until([&] { return over; }));
  EXPECT_EQ(heard.substr(0, size).find("state"), std::string::npos);
}

TEST_F(PartnerTest, OfAnotherFabricNothingIsTaken) {
  open(master_, place_, "", secret(), "f00d");
  open(standby_, "", place_, secret(), "beef");
  EXPECT_FALSE(until([&] { return !standby_.told.empty(); }, milliseconds(1000)));
}

TEST_F(PartnerTest, CertificatesProveBothSides) {
  PartnerKeys one = make_certificate(folder_.path(), "one");
  PartnerKeys two = make_certificate(folder_.path(), "two");
  one.authority = two.certificate;
  two.authority = one.certificate;
  open(master_, place_, "", one);
  open(standby_, "", place_, two);
  ASSERT_TRUE(until([&] { return !standby_.told.empty(); }));
}

TEST_F(PartnerTest, ACertificateOfSomebodyElseProvesNothing) {
  PartnerKeys one = make_certificate(folder_.path(), "one");
  PartnerKeys two = make_certificate(folder_.path(), "two");
  one.authority = two.certificate;
  PartnerKeys stranger = make_certificate(folder_.path(), "three");
  stranger.authority = one.certificate;
  open(master_, place_, "", one);
  open(standby_, "", place_, stranger);
  EXPECT_FALSE(until([&] { return !standby_.told.empty(); }, milliseconds(1500)));
}

TEST_F(PartnerTest, TwoMastersLearnWhichOneCameLater) {
  standby_.beat = {store::Role::Master, 3};
  open(master_, place_, "", secret());
  open(standby_, "", place_, secret());
  EXPECT_TRUE(until([&] { return standby_.overtaken == 5; }));
  EXPECT_EQ(master_.overtaken, 0u);
  EXPECT_EQ(standby_.told.size(), 0u) << "a master does not listen";
}

// Who wakes has this connection first: the other one has to be made anew.
TEST_F(PartnerTest, AMasterLearnsOfALaterOneFromWhoeverConnects) {
  standby_.beat = {store::Role::Master, 9};
  open(master_, place_, "", secret());
  open(standby_, "", place_, secret());
  EXPECT_TRUE(until([&] { return master_.overtaken == 9; }));
}

TEST_F(PartnerTest, AMasterLearnsOfALaterEpochThanItsOwn) {
  standby_.beat = {store::Role::Standby, 9};
  standby_.takes = false;
  open(master_, place_, "", secret());
  open(standby_, "", place_, secret());
  EXPECT_TRUE(until([&] { return master_.behind == 9; }));
}

// A timer that has expired cannot be cancelled: what waits behind it must not touch what is gone.
TEST_F(PartnerTest, GoesAwayWhileItsTimersAreDue) {
  bool gone = false;
  boost::asio::steady_timer first(loop_, milliseconds(1));
  first.async_wait([&](const boost::system::error_code&) {
    master_.partner.reset();
    gone = true;
  });
  open(master_, place_, "127.0.0.1:1", secret());  // where nobody listens
  loop_.run_for(milliseconds(0));
  std::this_thread::sleep_for(Partner::kBeat + milliseconds(20));
  ASSERT_TRUE(until([&] { return gone; }));
  loop_.poll();
}

TEST_F(PartnerTest, SaysWhatIsWrongWithItsOptions) {
  const auto refused = [&](Partner::Options options) {
    auto partner = Partner::open(loop_, *log_, std::move(options), master_.events());
    return partner ? std::string("taken") : partner.error().message;
  };
  EXPECT_EQ(refused({"nowhere", "", secret(), "f"}), "standby.listen is HOST:PORT, not 'nowhere'");
  EXPECT_EQ(refused({"", "host:port", secret(), "f"}),
            "standby.peer is HOST:PORT, not 'host:port'");
  EXPECT_NE(
      refused({place_, "", {{}, "/none.pem", "/none.key", "/none.pem"}, "f"}).find("/none.pem"),
      std::string::npos);
}

}  // namespace
}  // namespace heddle::app
