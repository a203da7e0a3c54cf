// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ring/ring_door.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "doors/device/entrance.hpp"

namespace heddle::doors::ring {
namespace {

namespace fs = std::filesystem;
using boost::asio::posix::stream_descriptor;

constexpr int kBacklog = 64;
constexpr std::chrono::milliseconds kAcceptAgain{100};

// False when the packet did not leave: who does not read short answers has hung up.
bool answer(int socket, Reply reply, std::string text = {}, const Descriptors& along = {}) {
  text.resize(std::min(text.size(), kMostText));
  return send_packet(socket, {&reply, sizeof reply, text.data(), text.size()}, along, MSG_DONTWAIT);
}

bool refuse(int socket, int error, std::string why) {
  Reply reply;
  reply.error = error;
  answer(socket, reply, std::move(why));
  return false;
}

// Who holds a file may be asked to end. Empty when it is of another pid namespace.
UniqueFd peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) return {};
  return UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, peer.pid, 0)));
}

void show(const Tree& tree, const Tree::Entry& entry, const fs::path& place) {
  if (entry.kind != Tree::Kind::Folder) {
    std::ofstream file(place);  // only its name counts: who opens it is sent to the door
    return;
  }
  fs::create_directory(place);
  for (const Inode child : entry.children) {
    const Tree::Entry& inside = *tree.find(child);
    show(tree, inside, place / inside.name);
  }
}

base::Result<UniqueFd> bound_socket(const fs::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof address.sun_path) return base::error("its path is too long");
  text.copy(address.sun_path, text.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const mode_t before = umask(0177);
  const bool bound = socket && bind(socket.get(), reinterpret_cast<const sockaddr*>(&address),
                                    sizeof address) == 0;
  const int reason = errno;
  umask(before);
  if (!bound || ::listen(socket.get(), kBacklog) != 0) {
    return base::error(std::generic_category().message(bound ? errno : reason));
  }
  return socket;
}

}  // namespace

struct RingDoor::Host {
  HostPlan plan;
  Tree tree;
  std::string shown;
};

struct RingDoor::Connection {
  Connection(boost::asio::io_context& loop, int fd) : socket(loop, fd) {}
  stream_descriptor socket;
  Connections::iterator place;
  bool opened = false;
  std::unique_ptr<RingFile> file;   // of a umad
  UniqueFd holder;                  // of a umad: the process that opened it, as a pidfd
  std::shared_ptr<PortSeat> is_sm;  // whose IsSM it holds
};

RingDoor::RingDoor(boost::asio::io_context& loop, PortSeats& seats)
    : loop_(loop), seats_(seats), listener_(loop), again_(loop) {}

RingDoor::~RingDoor() {
  *alive_ = false;
  while (!connections_.empty()) drop(*connections_.front());
  std::error_code ignored;
  if (!path_.empty()) fs::remove(path_, ignored);
  if (!trees_.empty()) fs::remove_all(trees_, ignored);
}

base::Result<> RingDoor::listen(const fs::path& directory, const std::string& name) {
  const fs::path path = directory / (name + ".ring");
  const auto refused = [&path](const std::string& why) {
    return base::error(fmt::format("no door can be opened at {}: {}", path.string(), why));
  };
  const UniqueFd other(connect_packets(path.c_str()));
  if (other) return refused("another fabric of this name is running");
  std::error_code error;
  if (fs::is_socket(path, error)) fs::remove(path, error);
  auto socket = bound_socket(path);
  if (!socket) return refused(socket.error().message);
  path_ = path;
  const fs::path trees = directory / (name + ".hosts");
  fs::remove_all(trees, error);
  if (mkdir(trees.c_str(), 0700) != 0) {
    return refused(fmt::format("{}: {}", trees.string(), std::generic_category().message(errno)));
  }
  trees_ = trees;
  listener_.assign(socket->release());
  accept();
  return {};
}

void RingDoor::accept() {
  listener_.async_wait(
      stream_descriptor::wait_read, [this, alive = alive_](const boost::system::error_code& error) {
        if (error || !*alive) return;
        UniqueFd socket(accept4(listener_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!socket) return accept_later();
        admit(std::move(socket));
        accept();
      });
}

// Without descriptors nobody can be let in, and the socket stays readable.
void RingDoor::accept_later() {
  again_.expires_after(kAcceptAgain);
  again_.async_wait([this, alive = alive_](const boost::system::error_code& error) {
    if (!error && *alive) accept();
  });
}

void RingDoor::admit(UniqueFd socket) {
  if (connections_.size() >= kMaxConnections) return;  // hangs up
  connections_.push_back(std::make_shared<Connection>(loop_, socket.release()));
  connections_.back()->place = std::prev(connections_.end());
  wait(connections_.back());
}

void RingDoor::wait(const std::weak_ptr<Connection>& waiting) {
  waiting.lock()->socket.async_wait(
      stream_descriptor::wait_read,
      [this, alive = alive_, waiting](const boost::system::error_code& error) {
        if (error || !*alive) return;
        const auto connection = waiting.lock();
        if (!connection) return;
        if (!serve(*connection)) return drop(*connection);
        wait(connection);
      });
}

void RingDoor::drop(Connection& connection) {
  if (connection.is_sm) connection.is_sm->release_is_sm();
  connections_.erase(connection.place);
}

std::size_t RingDoor::held() const {
  return static_cast<std::size_t>(
      std::count_if(connections_.begin(), connections_.end(),
                    [](const auto& connection) { return connection->file != nullptr; }));
}

void RingDoor::tell_holders(int signal) const {
  for (const auto& connection : connections_) {
    if (!connection->holder) continue;
    syscall(SYS_pidfd_send_signal, connection->holder.get(), signal, nullptr, 0);
  }
}

// --- packets ------------------------------------------------------------------------------------

bool RingDoor::serve(Connection& connection) {
  Question question;
  Descriptors along;
  const ssize_t got = receive_packet(connection.socket.native_handle(),
                                     {&question, sizeof question, names_.data(), names_.size()},
                                     along, MSG_DONTWAIT);
  UniqueFd file(along.fds[0]);
  const UniqueFd too_many(along.fds[1]);
  if (got < 0 && errno == EAGAIN) return true;
  if (got == 1 && connection.file) {
    connection.file->process();
    return true;
  }
  if (got < static_cast<ssize_t>(sizeof question)) return false;
  if (connection.file) return call(connection, question, std::move(file));
  if (std::exchange(connection.opened, true) || question.what != Ask::Open) return false;
  return open(connection, question,
              names_.substr(0, static_cast<std::size_t>(got) - sizeof question));
}

bool RingDoor::open(Connection& connection, const Question& question, const std::string& names) {
  const int socket = connection.socket.native_handle();
  const std::size_t end = names.find('\0');
  if (end == names.npos) return refuse(socket, EINVAL, "");
  auto host = host_at(names_of(names.substr(end + 1)));
  if (!host) return refuse(socket, ENODEV, host.error().message);
  const Tree::Entry* entry = (*host)->tree.find(std::string_view(names).substr(0, end));
  if (end == 0) entry = (*host)->tree.find(kRootInode);
  if (entry == nullptr) return refuse(socket, ENOENT, "");
  return open_entry(connection, question, **host, *entry);
}

bool RingDoor::open_entry(Connection& connection, const Question& question, Host& host,
                          const Tree::Entry& entry) {
  const int socket = connection.socket.native_handle();
  switch (entry.kind) {
    case Tree::Kind::Umad:
      return open_umad(connection, host, entry.port);
    case Tree::Kind::IsSm:
      return hold_is_sm(connection, host, entry.port, question.command);
    case Tree::Kind::Text: {
      const std::string text = entry.text();
      const UniqueFd file = memory_with(std::as_bytes(std::span(text)));
      if (!file) return refuse(socket, ENOMEM, "");
      answer(socket, {0, Kind::Text, text.size(), {}}, "", {{file.get(), -1}});
      return false;
    }
    case Tree::Kind::Folder:
      break;
  }
  const auto place = shown(host);
  if (!place) return refuse(socket, EIO, place.error().message);
  answer(socket, {0, Kind::Folder, place->size(), {}}, *place);
  return false;
}

bool RingDoor::open_umad(Connection& connection, Host& host, std::size_t port) {
  const int socket = connection.socket.native_handle();
  RingFile::Ends ends;
  auto file = RingFile::open(
      loop_, seats_.fabric(), seats_.at(host.plan.ports()[port].endpoint),
      [this, &connection] { drop(connection); }, ends);
  if (!file) return refuse(socket, ENFILE, file.error().message);
  connection.file = std::move(*file);
  connection.holder = peer_of(socket);
  return answer(socket, {0, Kind::Umad, sizeof(Shared), {}}, "",
                {{ends.memory.get(), ends.wake.get()}});
}

bool RingDoor::hold_is_sm(Connection& connection, Host& host, std::size_t port,
                          std::uint32_t flags) {
  const int socket = connection.socket.native_handle();
  auto seat = seats_.at(host.plan.ports()[port].endpoint);
  if (seat->is_sm_held()) {
    return refuse(socket, (flags & O_NONBLOCK) != 0 ? EAGAIN : EBUSY, "");
  }
  seat->hold_is_sm();
  connection.is_sm = std::move(seat);
  return answer(socket, {0, Kind::IsSm, 0, {}});
}

bool RingDoor::call(Connection& connection, Question& question, UniqueFd file) {
  const int socket = connection.socket.native_handle();
  RingFile& umad = *connection.file;
  Reply reply;
  reply.kind = Kind::Umad;
  UniqueFd message;
  switch (question.what) {
    case Ask::Ioctl:
      reply.error = static_cast<int>(
          umad.ioctl(question.command, std::as_writable_bytes(std::span(question.argument))));
      std::copy(std::begin(question.argument), std::end(question.argument), reply.argument);
      break;
    case Ask::Write:
      reply.error = static_cast<int>(umad.write(file, question.size));
      break;
    case Ask::Take:
      message = umad.take();
      if (!message) reply.error = ENOMEM;
      break;
    case Ask::Close:
      connection.file.reset();
      answer(socket, reply);
      return false;
    case Ask::Open:
    default:
      return false;
  }
  return answer(socket, reply, "", {{message.get(), -1}});
}

// --- hosts --------------------------------------------------------------------------------------

base::Result<RingDoor::Host*> RingDoor::host_at(const std::vector<std::string>& at) {
  if (const auto known = hosts_.find(at); known != hosts_.end()) return known->second.get();
  if (hosts_.size() >= kMaxHosts) return base::error("too many hosts have been entered");
  auto plan = plan_host(seats_.fabric().world(), at);
  if (!plan) return plan.error();
  auto host = std::make_unique<Host>();
  host->tree = make_host_tree(seats_.fabric().world(), *plan);
  host->plan = std::move(*plan);
  return hosts_.emplace(at, std::move(host)).first->second.get();
}

base::Result<std::string> RingDoor::shown(Host& host) {
  if (!host.shown.empty()) return {boost::system::in_place_value, host.shown};
  if (trees_.empty()) return base::error("the door is not open: there is no place for files");
  const fs::path place = trees_ / fmt::format("{}", trees_shown_++);
  try {
    show(host.tree, *host.tree.find(kRootInode), place);
  } catch (const std::system_error& error) {
    return base::error(fmt::format("the host's files cannot be shown: {}", error.what()));
  }
  host.shown = place.string();
  return {boost::system::in_place_value, host.shown};
}

// --- the process that becomes a program ---------------------------------------------------------

base::Result<UniqueFd> connect_to(const fs::path& path) {
  UniqueFd socket(connect_packets(path.c_str()));
  if (socket) return socket;
  return base::error(fmt::format("no fabric can be entered at {}: {}", path.string(),
                                 std::generic_category().message(errno)));
}

base::Result<std::string> ask_for_host(int socket, const std::vector<std::string>& at) {
  std::string names(1, '\0');  // the root of the tree
  for (const std::string& name : at) names += name + '\0';
  if (names.size() > kMostNames) return base::error("too many names behind --at");
  Question question;
  Reply reply;
  std::string text(kMostText, '\0');
  Descriptors none;
  if (!send_packet(socket, {&question, sizeof question, names.data(), names.size()}, {}, 0)) {
    return base::error("the fabric cannot be told where to enter");
  }
  const ssize_t got =
      receive_packet(socket, {&reply, sizeof reply, text.data(), text.size()}, none, 0);
  if (got < static_cast<ssize_t>(sizeof reply)) {
    return base::error("the fabric ended while it was entered");
  }
  text.resize(static_cast<std::size_t>(got) - sizeof reply);
  if (reply.error != 0) return base::error(text);
  return {boost::system::in_place_value, text};
}

}  // namespace heddle::doors::ring
