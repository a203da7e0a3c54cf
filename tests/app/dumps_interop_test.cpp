// SPDX-License-Identifier: BSD-3-Clause
// Debian's ibdmchk as the judge of the dumps. It prints its verdict and then crashes while it
// cleans up, so the verdict counts and not its exit code.
#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/dumps.hpp"
#include "tests/app/small_fabric.hpp"
#include "tests/support/folder.hpp"

namespace heddle::app {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string output_of(const std::string& command) {
  struct Close {
    void operator()(std::FILE* pipe) const { ::pclose(pipe); }
  };
  const std::unique_ptr<std::FILE, Close> pipe(::popen(command.c_str(), "r"));
  std::string out;
  std::array<char, 4096> chunk{};
  while (const std::size_t got = std::fread(chunk.data(), 1, chunk.size(), pipe.get())) {
    out.append(chunk.data(), got);
  }
  return out;
}

class Ibdmchk : public testing::Test {
 protected:
  void SetUp() override {
    if (output_of("command -v ibdmchk").empty()) GTEST_SKIP() << "ibdmchk is not installed";
  }

  std::string verdict_on(const sm::Snapshot& snapshot) const {
    EXPECT_TRUE(write_dumps(folder_.path(), snapshot));
    const std::string prefix = folder_.path().string() + "/opensm";
    return output_of("ibdmchk -s " + prefix + "-subnet.lst -f " + prefix +
                     ".fdbs -m /dev/null 2>&1");
  }

 private:
  test::Folder folder_;
};

TEST_F(Ibdmchk, FindsEveryPathInTheDumpsAndNoCreditLoop) {
  const std::string verdict = verdict_on(small_fabric());
  EXPECT_THAT(verdict, HasSubstr("Scanned:12 CA to CA paths"));
  EXPECT_THAT(verdict, HasSubstr("no credit loops found"));
  EXPECT_THAT(verdict, Not(HasSubstr("-E-")));
}

// Without this the test above would also pass on dumps that say nothing.
TEST_F(Ibdmchk, SeesAHoleThatIsInTheTables) {
  auto snapshot = small_fabric();
  auto routes = *snapshot.routes;
  routes.routes.tables.set(fabric::SwitchIndex{0}, mad::Lid{6}, mad::kNoPortNumber);
  snapshot.routes = std::make_shared<const routing::Selected>(routes);
  EXPECT_THAT(verdict_on(snapshot), HasSubstr("-E-"));
}

}  // namespace
}  // namespace heddle::app
