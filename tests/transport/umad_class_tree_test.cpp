// SPDX-License-Identifier: BSD-3-Clause
// The real libibumad on hosts of other kinds: a class tree of our own is mounted over /sys/class
// in a namespace of its own. What the operator is told is what is judged.
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/folder.hpp"
#include "tests/transport/program.hpp"

namespace heddle::transport {
namespace {

using ::testing::HasSubstr;

struct FakePort {
  const char* device;
  int port;
  const char* node_type = "1: CA";
  const char* link_layer = "InfiniBand";
  const char* state = "4: ACTIVE";
  const char* physical_state = "5: LinkUp";
};

class UmadClassTree : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_ / "class/infiniband");
    if (in_namespace("echo able")->hear() != "able") {
      GTEST_SKIP() << "no mount namespaces for this user here";
    }
  }

  void write(const std::string& file, const std::string& text) const {
    const auto path = folder_ / "class" / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  }

  void add(const FakePort& fake) {
    const std::string device = std::string("infiniband/") + fake.device;
    const std::string port = device + "/ports/" + std::to_string(fake.port);
    write(device + "/node_type", fake.node_type);
    write(device + "/node_guid", "0002:c903:0000:0001");
    write(device + "/sys_image_guid", "0002:c903:0000:0001");
    write(port + "/lid_mask_count", "0");
    write(port + "/sm_lid", "0x7");
    write(port + "/sm_sl", "0");
    write(port + "/lid", "0x9");
    write(port + "/state", fake.state);
    write(port + "/phys_state", fake.physical_state);
    write(port + "/rate", "100 Gb/sec (4X EDR)");
    write(port + "/cap_mask", "0x0");
    write(port + "/link_layer", fake.link_layer);
    write(port + "/gids/0", "fe80:0000:0000:0000:0002:c903:0000:000" + std::to_string(fake.port));
    write(port + "/pkeys/0", "0xffff");
  }
  void serve(const FakePort& fake) {
    const std::string umad = "infiniband_mad/umad" + std::to_string(served_++);
    write("infiniband_mad/abi_version", "5");
    write(umad + "/ibdev", fake.device);
    write(umad + "/port", std::to_string(fake.port));
  }

  // A shell with our tree over /sys/class and an empty /dev, that ends in `command`.
  std::unique_ptr<Program> in_namespace(const std::string& command) const {
    const std::string script =
        "mount --bind \"$PWD/class\" /sys/class && mount -t tmpfs none /dev "
        "&& mkdir /dev/infiniband && " +
        command;
    const std::vector<std::string> words{"unshare", ::geteuid() == 0 ? "-m" : "-Urm", "sh", "-c",
                                         script};
    return std::make_unique<Program>(words, folder_);
  }
  std::string list() const { return in_namespace("exec " UMAD_PROBE " --list")->hear_all(); }
  std::string open(const std::string& prepare, const std::string& how = "exec") const {
    return in_namespace(prepare + " && " + how + " " UMAD_PROBE " mlx5_0:1")->hear_all();
  }

  test::Folder own_;
  std::filesystem::path folder_ = own_.path();
  int served_ = 0;
};

constexpr FakePort kPort{"mlx5_0", 1};
constexpr FakePort kDownPort{"mlx5_0", 2, "1: CA", "InfiniBand", "1: DOWN", "2: Polling"};
constexpr FakePort kRocePort{"mlx5_1", 1, "1: CA", "Ethernet"};

TEST_F(UmadClassTree, PortsAreListedInOrderAndTheOneWithALinkIsChosen) {
  for (const auto& port : {kRocePort, kDownPort, kPort}) {
    add(port);
    serve(port);
  }
  EXPECT_EQ(list(),
            "mlx5_0:1 0x0002c90300000001 InfiniBand ACTIVE LinkUp 100 Gb/s sm 7 []\n"
            "mlx5_0:2 0x0002c90300000002 InfiniBand DOWN Polling 100 Gb/s sm 7 []\n"
            "mlx5_1:1 0x0002c90300000001 Ethernet ACTIVE LinkUp 100 Gb/s sm 7 "
            "[RoCE: Ethernet link layer, has no subnet manager]\n"
            "choice mlx5_0:1 (port GUID 0x0002c90300000001, ACTIVE, LinkUp): the first InfiniBand "
            "port with a link\n");
}

TEST_F(UmadClassTree, AHostWithoutTheModuleIsToldToLoadIt) {
  add(kPort);
  EXPECT_THAT(list(), HasSubstr("mlx5_0:1 (no umad device: load the module with `modprobe "));
  EXPECT_THAT(open("true"), HasSubstr("`modprobe ib_umad`"));
}

TEST_F(UmadClassTree, AHostWithoutAnyDeviceIsToldToLookForOne) {
  EXPECT_THAT(list(), HasSubstr("this host has no InfiniBand port: check that the adapter"));
}

TEST_F(UmadClassTree, AContainerWithoutTheDeviceFilesIsToldToPassThemIn) {
  add(kPort);
  serve(kPort);
  EXPECT_THAT(open("true"), HasSubstr("in a container pass /dev/infiniband into it"));
}

TEST_F(UmadClassTree, WhoMayNotOpenTheDeviceIsToldToRunAsRoot) {
  add(kPort);
  serve(kPort);
  // Without its capabilities root is an owner like any other.
  EXPECT_THAT(open("touch /dev/infiniband/umad0 && chmod 000 /dev/infiniband/umad0",
                   "exec setpriv --bounding-set=-all --inh-caps=-all"),
              HasSubstr("no permission to open the umad device of mlx5_0:1: run as root"));
}

TEST_F(UmadClassTree, ADeviceThatTakesNoAgentsIsRefusedWithTheKernelsReason) {
  add(kPort);
  serve(kPort);
  EXPECT_THAT(open("touch /dev/infiniband/umad0"),
              HasSubstr("the kernel refuses MAD class 0x81 on mlx5_0:1: "));
}

}  // namespace
}  // namespace heddle::transport
