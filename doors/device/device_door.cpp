// SPDX-License-Identifier: BSD-3-Clause
#include "doors/device/device_door.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <utility>

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>

namespace heddle::doors {
namespace {

using boost::asio::local::stream_protocol;

constexpr std::chrono::seconds kTimeToSpeak{10};
constexpr int kBacklog = 64;
constexpr std::chrono::milliseconds kAcceptAgain{100};
constexpr std::chrono::milliseconds kGrace{1000};
constexpr std::chrono::milliseconds kSlice{20};

}  // namespace

struct DeviceDoor::Entering {
  explicit Entering(boost::asio::io_context& loop) : socket(loop), patience(loop) {}
  stream_protocol::socket socket;
  boost::asio::steady_timer patience;
  std::string so_far;
  UniqueFd device;
  bool done = false;
};

DeviceDoor::DeviceDoor(boost::asio::io_context& loop, FabricHost& fabric)
    : loop_(loop), seats_(loop, fabric), rings_(loop, seats_), acceptor_(loop), again_(loop) {}

DeviceDoor::~DeviceDoor() {
  *alive_ = false;
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

base::Result<> DeviceDoor::listen(const std::filesystem::path& path) {
  const auto refused = [&path](const std::string& why) {
    return base::error(fmt::format("no door can be opened at {}: {}", path.string(), why));
  };
  if (connect_to(path)) return refused("another fabric of this name is running");
  std::error_code ignored;
  if (std::filesystem::is_socket(path, ignored)) std::filesystem::remove(path, ignored);
  try {
    acceptor_.open(stream_protocol());
    const mode_t before = umask(0177);
    boost::system::error_code error;
    acceptor_.bind(stream_protocol::endpoint(path.string()), error);
    umask(before);
    if (error) return refused(error.message());
    acceptor_.listen(kBacklog);
  } catch (const std::system_error& error) {
    return refused(error.what());
  }
  path_ = path;
  accept();
  return {};
}

void DeviceDoor::end_programs() {
  const auto held = [this] {
    return rings_.held() > 0 || std::any_of(mounts_.begin(), mounts_.end(), [](const auto& mount) {
             return mount && mount->held() > 0;
           });
  };
  for (const int signal : {SIGTERM, SIGKILL}) {
    for (const auto& mount : mounts_) {
      if (mount) mount->tell_holders(signal);
    }
    rings_.tell_holders(signal);
    for (auto spent = kSlice; held() && spent < kGrace; spent += kSlice) {
      loop_.restart();
      loop_.run_for(kSlice);
    }
  }
}

void DeviceDoor::accept() {
  acceptor_.async_accept([this, alive = alive_](const boost::system::error_code& error,
                                                stream_protocol::socket socket) {
    if (!*alive || error == boost::asio::error::operation_aborted) return;
    if (error) return accept_later();
    admit(UniqueFd(socket.release()));
    accept();
  });
}

// Out of file descriptors, most likely: whoever waits in the queue waits a little longer.
void DeviceDoor::accept_later() {
  again_.expires_after(kAcceptAgain);
  again_.async_wait([this, alive = alive_](const boost::system::error_code& error) {
    if (!error && *alive) accept();
  });
}

void DeviceDoor::admit(UniqueFd socket) {
  if (entering_.size() >= kMaxEntering) return;  // hangs up
  auto entering = std::make_shared<Entering>(loop_);
  entering->socket.assign(stream_protocol(), socket.release());
  entering->patience.expires_after(kTimeToSpeak);
  entering->patience.async_wait([this, alive = alive_, entering](const auto& error) {
    if (*alive && !error && !entering->done) finish(*entering, "nothing was asked for in time\n");
  });
  entering_.push_back(entering);
  wait_for(entering);
}

void DeviceDoor::wait_for(const std::shared_ptr<Entering>& entering) {
  entering->socket.async_wait(stream_protocol::socket::wait_read,
                              [this, alive = alive_, entering](const auto& error) {
                                if (!*alive || entering->done) return;
                                if (error) return finish(*entering, "");
                                take(*entering);
                                if (!entering->done) wait_for(entering);
                              });
}

void DeviceDoor::take(Entering& entering) {
  auto request = read_entry(entering.socket.native_handle(), entering.so_far, entering.device);
  if (!request) return finish(entering, request.error().message + "\n");
  if (!*request) return;
  const auto served = serve(std::move(**request));
  finish(entering, served ? "ok\n" : served.error().message + "\n");
}

// One short answer fits into the socket's buffer; whoever does not read it has hung up.
void DeviceDoor::finish(Entering& entering, const std::string& answer) {
  entering.done = true;
  entering.patience.cancel();
  if (!answer.empty()) {
    static_cast<void>(::send(entering.socket.native_handle(), answer.data(), answer.size(),
                             MSG_NOSIGNAL | MSG_DONTWAIT));
  }
  boost::system::error_code ignored;
  entering.socket.close(ignored);
  entering_.remove_if([&entering](const auto& other) { return other.get() == &entering; });
}

base::Result<> DeviceDoor::serve(EntryRequest request) {
  if (mounts_.size() >= kMaxMounts) return base::error("too many processes have entered");
  auto plan = plan_host(seats_.fabric().world(), request.at);
  if (!plan) return plan.error();
  const auto place = mounts_.insert(mounts_.end(), nullptr);
  const auto on_end = [this, alive = alive_, place] {
    boost::asio::post(loop_, [this, alive, place] {
      if (*alive) mounts_.erase(place);
    });
  };
  auto mount = Mount::serve(loop_, seats_, *plan, std::move(request.device), on_end);
  if (!mount) {
    mounts_.erase(place);
    return mount.error();
  }
  *place = std::move(*mount);
  return {};
}

}  // namespace heddle::doors
