// SPDX-License-Identifier: BSD-3-Clause
// The door against whoever knocks: its socket is a file that any program of the user may open.
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include "doors/device/device_door.hpp"
#include "sim/blueprint.hpp"
#include "tests/support/descriptors.hpp"
#include "tests/support/folder.hpp"

namespace heddle::doors {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class DoorTest : public testing::Test {
 protected:
  // What the door says to this request, while the loop runs.
  std::string knock(const std::vector<std::string>& at, const char* device) {
    std::string answer;
    std::atomic<bool> done = false;
    std::thread program([&] {
      auto socket = connect_to(path());
      const auto entered = socket ? ask_for_entry(socket->get(), at, UniqueFd(open(device, O_RDWR)))
                                  : base::Result<>(socket.error());
      answer = entered ? "ok" : entered.error().message;
      done = true;
    });
    for (int i = 0; i < 500 && !done; ++i) run();
    program.join();
    return answer;
  }
  void run() {
    loop.restart();
    loop.run_for(milliseconds(10));
  }
  std::filesystem::path path() const { return folder.path() / "sim.enter"; }

  test::Folder folder;
  boost::asio::io_context loop;
  FabricHost fabric{loop, sim::World(sim::generate_fabric("pair").value(), {})};
  DeviceDoor door{loop, fabric};
};

TEST_F(DoorTest, OnlyTheKernelsDeviceIsServed) {
  ASSERT_TRUE(door.listen(path()));
  EXPECT_THAT(knock({}, "/dev/null"), HasSubstr("no /dev/fuse"));
  EXPECT_THAT(knock({"nobody"}, "/dev/null"), HasSubstr("'nobody'"));
  EXPECT_EQ(door.mounts(), 0u);
}

TEST_F(DoorTest, ProgramsThatSayNothingAreManyAndKeepNobodyOutForEver) {
  ASSERT_TRUE(door.listen(path()));
  {
    std::vector<UniqueFd> silent;
    for (std::size_t i = 0; i < kMaxEntering + 10; ++i) {
      if (auto socket = connect_to(path())) silent.push_back(std::move(*socket));
      if (i % 16 == 0) run();
    }
    run();
    EXPECT_THAT(knock({}, "/dev/null"), HasSubstr("the fabric")) << "hung up on";
  }
  for (int i = 0; i < 20; ++i) run();
  EXPECT_THAT(knock({}, "/dev/null"), HasSubstr("no /dev/fuse")) << "and welcome again";
}

TEST_F(DoorTest, WithoutDescriptorsThereIsAPauseAndThenWhoKnockedIsServed) {
  HEDDLE_SKIP_WITHOUT_DESCRIPTORS();
  ASSERT_TRUE(door.listen(path()));
  auto early = connect_to(path());
  ASSERT_TRUE(early);
  {
    const test::NoDescriptorsLeft none;
    loop.restart();
    EXPECT_LE(loop.run_for(milliseconds(50)), 3u);
  }
  EXPECT_THAT(knock({}, "/dev/null"), HasSubstr("no /dev/fuse"));
}

TEST_F(DoorTest, ANameIsTakenOnceAndAStaleSocketIsReplaced) {
  ASSERT_TRUE(door.listen(path()));
  DeviceDoor second(loop, fabric);
  EXPECT_THAT(second.listen(path()).error().message, HasSubstr("another fabric"));
  const auto stale = folder.path() / "stale.enter";
  const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  boost::asio::local::stream_protocol::endpoint address(stale.string());
  ASSERT_EQ(bind(socket.get(), address.data(), static_cast<socklen_t>(address.size())), 0);
  EXPECT_TRUE(second.listen(stale));
}

}  // namespace
}  // namespace heddle::doors
