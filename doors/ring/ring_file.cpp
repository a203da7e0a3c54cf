// SPDX-License-Identifier: BSD-3-Clause
#include "doors/ring/ring_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <new>
#include <utility>

#include <boost/asio/post.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::doors::ring {
namespace {

// Messages taken at one moment of the fabric, and before the loop's other work has its turn.
constexpr int kBatch = 64;
// A file may not shrink under who looks into it.
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

UniqueFd make_memory(const char* name) {
  return UniqueFd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
}

// Memory and nothing else: a file of somebody's own file system could make a reader wait for ever.
bool is_memory(int fd) {
  struct stat status {};
  return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && fcntl(fd, F_GET_SEALS) >= 0;
}

bool read_all(int fd, std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t got = pread(fd, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += static_cast<std::size_t>(got);
  }
  return true;
}

Shared* map_shared(int memory) {
  if (ftruncate(memory, sizeof(Shared)) != 0 || fcntl(memory, F_ADD_SEALS, kSeals) != 0) {
    return nullptr;
  }
  void* place = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  return place == MAP_FAILED ? nullptr : new (place) Shared;
}

}  // namespace

UniqueFd memory_with(std::span<const std::byte> bytes) {
  UniqueFd file = make_memory("heddle");
  for (std::size_t at = 0; file && at < bytes.size();) {
    const ssize_t put =
        pwrite(file.get(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return {};
    at += static_cast<std::size_t>(put);
  }
  if (file) fcntl(file.get(), F_ADD_SEALS, kSeals | F_SEAL_WRITE);
  return file;
}

base::Result<std::unique_ptr<RingFile>> RingFile::open(boost::asio::io_context& loop,
                                                       FabricHost& fabric,
                                                       std::shared_ptr<PortSeat> seat,
                                                       std::function<void()> on_end, Ends& ends) {
  ends.memory = make_memory("heddle-ring");
  std::array<int, 2> sockets{-1, -1};
  if (!ends.memory || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    return base::error("no room for another file");
  }
  UniqueFd ours(sockets[0]);
  ends.wake = UniqueFd(sockets[1]);
  Shared* shared = map_shared(ends.memory.get());
  if (shared == nullptr) return base::error("no memory for another file");
  std::unique_ptr<RingFile> file(
      new RingFile(loop, fabric, std::move(seat), std::move(on_end), shared, std::move(ours)));
  file->process();
  return file;
}

RingFile::RingFile(boost::asio::io_context& loop, FabricHost& fabric,
                   std::shared_ptr<PortSeat> seat, std::function<void()> on_end, Shared* shared,
                   UniqueFd wake)
    : loop_(loop),
      fabric_(fabric),
      seat_(std::move(seat)),
      on_end_(std::move(on_end)),
      shared_(shared),
      wake_(std::move(wake)),
      from_program_(shared->to_fabric),
      to_program_(shared->to_program),
      umad_(seat_->open([this] { on_readable(); })) {
  incoming_.reserve(kMostInline);
}

RingFile::~RingFile() {
  *alive_ = false;
  umad_.reset();
  munmap(shared_, sizeof(Shared));
}

// --- from the program ---------------------------------------------------------------------------

void RingFile::process() {
  if (ended_) return;
  pump_posted_ = true;  // what comes of the batch is pumped right behind it
  const bool more = take_batch();
  pump();
  if (ended_) return;
  if (process_posted_ || (!more && from_program_.announce_sleep())) return;
  from_program_.stay_awake();
  process_posted_ = true;
  boost::asio::post(loop_, [this, alive = alive_] {
    if (!*alive) return;
    process_posted_ = false;
    process();
  });
}

// True when there may be more.
bool RingFile::take_batch() {
  bool more = true;
  fabric_.send_together([&] {
    for (int i = 0; i < kBatch && more; ++i) more = take_one();
  });
  return more && !ended_;
}

bool RingFile::take_one() {
  Frame frame;
  switch (from_program_.peek(frame)) {
    case RingReader::Found::Nothing:
      return false;
    case RingReader::Found::Lie:
      end();
      return false;
    case RingReader::Found::Message:
      break;
  }
  incoming_.resize(frame.size);
  from_program_.copy(incoming_.data(), frame.size);
  if (from_program_.pass(frame)) {
    syscall(SYS_futex, &shared_->to_fabric.writer_waits, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
  const std::errc error = seat_->write(*umad_, incoming_);
  if (error != std::errc{}) umad_->give_back(incoming_, error);
  return true;
}

// --- to the program -----------------------------------------------------------------------------

// Many may come at one moment: the program is woken once for all of them.
void RingFile::on_readable() {
  if (std::exchange(pump_posted_, true)) return;
  boost::asio::post(loop_, [this, alive = alive_] {
    if (*alive) pump();
  });
}

void RingFile::pump() {
  pump_posted_ = false;
  while (!ended_ && pump_one()) continue;
  if (!ended_ && to_program_.must_wake()) wake_program();
}

// False when nothing more can be brought to the program.
bool RingFile::pump_one() {
  if (outgoing_.empty()) {
    if (announced_ || !umad_->readable()) return false;
    const std::size_t size = umad_->next_size();
    const std::size_t least = umad_->least_room();
    announced_ = size > kMostInline;  // then only its begin is read, and it waits on
    outgoing_ = umad_->read(announced_ ? least : size).bytes;
    outgoing_frame_ = {static_cast<std::uint32_t>(outgoing_.size()),
                       static_cast<std::uint32_t>(least), size};
  }
  auto put = to_program_.put(outgoing_frame_, outgoing_.data());
  if (put == RingWriter::Put::Full) {
    to_program_.announce_wait();
    put = to_program_.put(outgoing_frame_, outgoing_.data());
  }
  if (put == RingWriter::Put::Lie) end();
  if (put != RingWriter::Put::Done) return false;
  outgoing_.clear();
  return true;
}

// A wake-up that does not fit is one of many that the program has not looked at.
void RingFile::wake_program() {
  constexpr char kByte = 0;
  static_cast<void>(send(wake_.get(), &kByte, 1, MSG_DONTWAIT | MSG_NOSIGNAL));
}

// --- calls --------------------------------------------------------------------------------------

// What the program wrote before the call comes before it. A ring holds no more than that.
void RingFile::take_all() {
  constexpr std::size_t kMostBatches = kRingBytes / sizeof(Frame) / kBatch;
  for (std::size_t i = 0; i < kMostBatches && take_batch(); ++i) continue;
}

std::errc RingFile::ioctl(std::uint32_t command, std::span<std::byte> argument) {
  take_all();
  return umad_->ioctl(command, argument);
}

std::errc RingFile::write(const UniqueFd& file, std::uint64_t size) {
  take_all();
  if (size > kernel::kMaxMessageBytes + kernel::kHeaderBytes || !is_memory(file.get())) {
    return std::errc::invalid_argument;
  }
  std::vector<std::byte> message(size);
  if (!read_all(file.get(), message)) return std::errc::bad_address;
  return seat_->write(*umad_, message);
}

UniqueFd RingFile::take() {
  // Not before the program could see the announcement.
  if (!announced_ || !outgoing_.empty()) return {};
  UniqueFd file = memory_with(umad_->read(umad_->next_size()).bytes);
  announced_ = false;
  on_readable();
  return file;
}

void RingFile::end() {
  if (std::exchange(ended_, true)) return;
  boost::asio::post(loop_, [this, alive = alive_] {
    if (!*alive) return;
    const auto on_end = on_end_;  // which may be the end of ours
    on_end();
  });
}

}  // namespace heddle::doors::ring
