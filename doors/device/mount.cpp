// SPDX-License-Identifier: BSD-3-Clause
#include "doors/device/mount.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include <boost/asio/post.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "doors/device/caller_memory.hpp"
#include "doors/device/mount_calls.hpp"

namespace heddle::doors {
namespace {

// Requests served before the loop's other work has its turn.
constexpr int kBatch = 32;
// FUSE moves at most this much at once, less what is lost to the alignment of the buffer's pages.
constexpr std::size_t kPieceBytes = 255 * 4096;

// libfuse believes every byte it reads, so it may only read what the kernel wrote.
bool is_fuse_device(int fd) {
  struct stat given {};
  struct stat fuse {};
  return fstat(fd, &given) == 0 && stat("/dev/fuse", &fuse) == 0 && S_ISCHR(given.st_mode) &&
         given.st_rdev == fuse.st_rdev;
}

}  // namespace

Mount::Mount(boost::asio::io_context& loop, PortSeats& seats, const HostPlan& plan,
             std::function<void()> on_end)
    : readiness_(loop),
      on_end_(std::move(on_end)),
      tree_(make_host_tree(seats.fabric().world(), plan)) {
  for (const HostPort& port : plan.ports()) seats_.push_back(seats.at(port.endpoint));
}

Mount::~Mount() {
  *alive_ = false;
  while (!files_.empty()) close(*files_.begin()->second);
  session_.reset();
  std::free(buffer_.mem);
}

base::Result<std::unique_ptr<Mount>> Mount::serve(boost::asio::io_context& loop, PortSeats& seats,
                                                  const HostPlan& plan, UniqueFd device,
                                                  std::function<void()> on_end) {
  if (!is_fuse_device(device.get())) return base::error("what came along is no /dev/fuse");
  std::unique_ptr<Mount> mount(new Mount(loop, seats, plan, std::move(on_end)));
  char name[] = "heddle";
  char* arguments[] = {name, nullptr};
  fuse_args options = FUSE_ARGS_INIT(1, arguments);
  const fuse_lowlevel_ops calls = mount_calls();
  mount->session_.reset(fuse_session_new(&options, &calls, sizeof calls, mount.get()));
  fuse_opt_free_args(&options);
  if (!mount->session_) return base::error("libfuse refuses to serve the device files");
  fcntl(device.get(), F_SETFL, fcntl(device.get(), F_GETFL) | O_NONBLOCK);
  const int watched = fcntl(device.get(), F_DUPFD_CLOEXEC, 0);
  const std::string path = fmt::format("/dev/fd/{}", device.get());
  if (watched < 0 || fuse_session_mount(mount->session_.get(), path.c_str()) != 0) {
    if (watched >= 0) ::close(watched);
    return base::error("libfuse cannot serve the mount that it was given");
  }
  static_cast<void>(device.release());  // the session's now
  mount->readiness_.assign(watched);
  mount->wait();
  return mount;
}

void Mount::wait() {
  readiness_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                        [this, alive = alive_](const boost::system::error_code& error) {
                          if (!error && *alive) process();
                        });
}

void Mount::process() {
  for (int i = 0; i < kBatch; ++i) {
    const int got = fuse_session_receive_buf(session_.get(), &buffer_);
    if (got == -EINTR) continue;
    if (got <= 0) break;
    fuse_session_process_buf(session_.get(), &buffer_);
  }
  if (fuse_session_exited(session_.get()) == 0) return wait();
  if (on_end_) on_end_();
}

// --- files --------------------------------------------------------------------------------------

OpenFile& Mount::open(const Tree::Entry& entry, pid_t by) {
  auto owned = std::make_unique<OpenFile>();
  OpenFile& file = *owned;
  files_.emplace(&file, std::move(owned));
  file.entry = &entry;
  if (entry.kind == Tree::Kind::Text) file.text = entry.text();
  if (entry.kind == Tree::Kind::Umad || entry.kind == Tree::Kind::IsSm) {
    file.seat = seats_.at(entry.port).get();
  }
  if (entry.kind == Tree::Kind::Umad) {
    file.umad = file.seat->open([this, &file] { on_readable(file); });
    file.holder = process_of(by);
  }
  if (entry.kind == Tree::Kind::IsSm) {
    file.seat->hold_is_sm();
    file.holds_is_sm = true;
  }
  return file;
}

std::size_t Mount::held() const {
  return static_cast<std::size_t>(std::count_if(
      files_.begin(), files_.end(), [](const auto& file) { return file.second->umad != nullptr; }));
}

void Mount::tell_holders(int signal) const {
  for (const auto& [key, file] : files_) {
    if (file->holder) syscall(SYS_pidfd_send_signal, file->holder.get(), signal, nullptr, 0);
  }
}

void Mount::close(OpenFile& file) {
  for (const WaitingRead& reader : file.readers) fuse_reply_err(reader.request, EBADF);
  if (file.poll != nullptr) fuse_pollhandle_destroy(file.poll);
  if (file.holds_is_sm) file.seat->release_is_sm();
  files_.erase(&file);
}

void Mount::on_readable(OpenFile& file) {
  if (!file.readers.empty()) {
    const WaitingRead reader = file.readers.front();
    file.readers.pop_front();
    return answer_read(reader.request, file, reader.size);
  }
  if (file.poll == nullptr) return;
  fuse_lowlevel_notify_poll(file.poll);
  fuse_pollhandle_destroy(std::exchange(file.poll, nullptr));
}

// --- reading ------------------------------------------------------------------------------------

void Mount::answer_read(fuse_req_t request, OpenFile& file, std::size_t size) {
  if (file.umad->next_size() > kPieceBytes) return answer_in_pieces(request, file, size);
  const auto read = file.umad->read(size);
  if (read.error == std::errc{}) {
    fuse_reply_buf(request, reinterpret_cast<const char*>(read.bytes.data()), read.bytes.size());
    return;
  }
  if (read.error == std::errc::no_space_on_device) {
    const pid_t thread = fuse_req_ctx(request)->pid;
    const auto buffer = caller_buffer(thread);
    if (buffer) write_into_caller(thread, *buffer, read.bytes);
  }
  fuse_reply_err(request, static_cast<int>(read.error));
}

// A message that FUSE cannot move at once: this request is the first piece of a larger read, and
// how large that is only the caller's own registers tell.
void Mount::answer_in_pieces(fuse_req_t request, OpenFile& file, std::size_t size) {
  const pid_t thread = fuse_req_ctx(request)->pid;
  const auto buffer = caller_buffer(thread);
  auto read = file.umad->read(buffer ? std::max(size, buffer->size) : size);
  if (read.error == std::errc{} && size < read.bytes.size()) {
    fuse_reply_buf(request, reinterpret_cast<const char*>(read.bytes.data()), size);
    file.half_read = std::move(read.bytes);
    file.half_read_at = size;
    return;
  }
  if (read.error == std::errc{}) {
    fuse_reply_buf(request, reinterpret_cast<const char*>(read.bytes.data()), read.bytes.size());
    return;
  }
  if (buffer && !read.bytes.empty()) write_into_caller(thread, *buffer, read.bytes);
  fuse_reply_err(request, static_cast<int>(read.error));
}

void Mount::interrupt(fuse_req_t request) {
  for (const auto& [key, file] : files_) {
    const auto waiting =
        std::find_if(file->readers.begin(), file->readers.end(),
                     [request](const WaitingRead& r) { return r.request == request; });
    if (waiting == file->readers.end()) continue;
    file->readers.erase(waiting);
    fuse_reply_err(request, EINTR);
    return;
  }
}

}  // namespace heddle::doors
