// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/commands.hpp"
#include "app/fabric_options.hpp"
#include "app/inside.hpp"
#include "app/mad_record.hpp"
#include "app/runtime_dir.hpp"
#include "app/start_script.hpp"
#include "app/world_options.hpp"
#include "doors/control/channel.hpp"
#include "doors/control/script.hpp"
#include "doors/device/device_door.hpp"
#include "sim/blueprint.hpp"

namespace heddle::app {
namespace {

using std::chrono::milliseconds;

// What the command left behind is asked to end, and after this time made to.
constexpr milliseconds kGrace{1000};
constexpr milliseconds kSlice{20};

int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Looks after the command: passes signals on and ends the loop when it ends.
class Nurse {
 public:
  Nurse(boost::asio::io_context& loop, pid_t command)
      : loop_(loop), signals_(loop, SIGCHLD, SIGTERM, SIGHUP), command_(command) {
    signals_.add(SIGINT);  // a terminal tells the command by itself
    look();
    wait();
  }
  bool ended() const { return code_.has_value(); }
  int code() const { return code_.value_or(0); }

  // Children of the command that outlived it have become ours: nobody shall be left on a fabric
  // that is gone.
  void clear_away() {
    for (const int signal : {SIGTERM, SIGKILL}) {
      for (milliseconds spent{0}; spent < kGrace; spent += kSlice) {
        while (waitpid(-1, nullptr, WNOHANG) > 0) continue;
        if (!tell_children(signal)) return;
        loop_.restart();
        loop_.run_for(kSlice);
      }
    }
  }

 private:
  void wait() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      if (signal == SIGTERM || signal == SIGHUP) kill(command_, signal);
      look();
      wait();
    });
  }

  void look() {
    int status = 0;
    if (code_ || waitpid(command_, &status, WNOHANG) != command_) return;
    code_ = exit_code(status);
    loop_.stop();
  }

  static bool tell_children(int signal) {
    std::ifstream children(fmt::format("/proc/self/task/{}/children", getpid()));
    bool any = false;
    for (pid_t child = 0; children >> child; any = true) kill(child, signal);
    return any;
  }

  boost::asio::io_context& loop_;
  boost::asio::signal_set signals_;
  pid_t command_;
  std::optional<int> code_;
};

struct Born {
  pid_t pid = -1;
  doors::UniqueFd socket;
};

// Forked before the loop exists: the child has nothing of it.
Born start(const Inside& inside) {
  std::array<int, 2> ends{};
  const int type = inside.door == kRingDoor ? SOCK_SEQPACKET : SOCK_STREAM;
  if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) return {};
  doors::UniqueFd ours(ends[0]);
  doors::UniqueFd theirs(ends[1]);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t pid = fork();
  if (pid != 0) return {pid, std::move(ours)};
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  ours = doors::UniqueFd();
  _exit(become(std::move(theirs), inside));
}

// What a fabric has beside the door that the command goes in by.
struct Attachments {
  std::unique_ptr<MadRecord> record;
  std::unique_ptr<doors::control::Channel> channel;
  std::unique_ptr<doors::control::ScriptRunner> script;
};

// Makes them before the command sees the fabric; says what cannot be made.
Exit attach(Attachments& attached, boost::asio::io_context& loop,
            const doors::control::Context& context, const SimRunArguments& arguments,
            const std::filesystem::path& directory, const std::string& name,
            doors::DeviceDoor& door) {
  context.host.set_pace(doors::parse_pace(arguments.time).value_or(doors::Pace{}));
  if (!arguments.record.empty()) {
    attached.record = MadRecord::open(arguments, context.host, complain);
    if (!attached.record) {
      complain(fmt::format("cannot write {}", arguments.record.string()));
      return Exit::Output;
    }
  }
  auto listens = door.listen(directory / (name + ".enter"));
  if (listens) listens = door.rings().listen(directory, name);
  if (!listens) {
    complain(listens.error().message);
    return Exit::Taken;
  }
  auto channel = doors::control::Channel::listen(loop, directory / (name + ".ctl"), context);
  if (channel.has_error()) {
    complain(channel.error().message);
    return Exit::Taken;
  }
  attached.channel = std::move(*channel);
  if (arguments.script.empty()) return Exit::Ok;
  auto script = start_script(context, arguments.script);
  if (script.has_error()) {
    complain(script.error().message);
    return Exit::Usage;
  }
  attached.script = std::move(*script);
  return Exit::Ok;
}

}  // namespace

int run_sim_run(const SimRunArguments& arguments) {
  auto blueprint = sim::load_fabric(arguments.fabric, fabric_load_options(arguments.ibnl));
  if (!blueprint) {
    complain(blueprint.error().message);
    return static_cast<int>(Exit::Fabric);
  }
  const auto directory = runtime_directory(arguments.directory);
  if (!directory) {
    complain(directory.error().message);
    return static_cast<int>(Exit::Taken);
  }
  sim::World world(std::move(*blueprint), world_options(arguments));
  if (const auto plan = doors::plan_host(world, arguments.at); !plan) {
    complain(plan.error().message);
    return static_cast<int>(Exit::Fabric);
  }
  const std::string name =
      arguments.name.empty() ? fmt::format("run-{}", getpid()) : arguments.name;
  Born born = start({arguments.at, arguments.command, name, *directory, arguments.door});
  if (born.pid < 0) {
    complain("no process can be started for the command");
    return static_cast<int>(Exit::Internal);
  }
  boost::asio::io_context loop{1};
  doors::FabricHost fabric(loop, std::move(world));
  doors::DeviceDoor door(loop, fabric);
  Nurse nurse(loop, born.pid);
  const doors::control::Context context{fabric, nullptr, [pid = born.pid] { kill(pid, SIGTERM); }};
  Attachments attached;
  if (const Exit done = attach(attached, loop, context, arguments, *directory, name, door);
      done != Exit::Ok) {
    kill(born.pid, SIGTERM);
    return static_cast<int>(done);
  }
  if (arguments.door == kRingDoor) {
    door.rings().admit(std::move(born.socket));
  } else {
    door.admit(std::move(born.socket));
  }
  if (!nurse.ended()) loop.run();
  nurse.clear_away();
  door.end_programs();
  // Scripts go by the command's own exit code: that the record is not whole is only said.
  if (attached.record) (void)attached.record->is_whole();
  return nurse.code();
}

}  // namespace heddle::app
