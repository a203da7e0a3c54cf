// SPDX-License-Identifier: BSD-3-Clause
// A kernel's umad files under hostile programs and a hostile wire: the input is a programme of
// ioctls, writes, reads, arriving MADs and of time passing.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <sys/ioctl.h>

#include "base/check.hpp"
#include "doors/kernel/umad_file.hpp"

namespace heddle::doors::kernel {
namespace {

// Sends nothing anywhere; what was sent last can come back as if from the wire.
class Hardware final : public PortHardware {
 public:
  void transmit(mad::Datagram datagram) override { last = std::move(datagram); }
  bool has_p_key(std::uint16_t index) const override { return index < 2; }
  std::uint8_t lmc() const override { return 1; }
  std::uint8_t port_number() const override { return 1; }
  bool alone() const override { return true; }
  mad::Datagram last;
};

class Programme {
 public:
  Programme(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}
  bool over() const { return at_ >= bytes_.size(); }
  std::uint8_t next() { return over() ? std::uint8_t{0} : bytes_[at_++]; }
  // So many bytes, zeros behind the end.
  std::vector<std::byte> take(std::size_t count) {
    std::vector<std::byte> taken(count);
    for (std::byte& byte : taken) byte = std::byte{next()};
    return taken;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

class Stage {
 public:
  explicit Stage(Programme& programme) : programme_(programme) {
    for (auto& file : files_) file = std::make_unique<UmadFile>(port_, [] {});
  }

  void play() {
    while (!programme_.over()) act();
  }

 private:
  void act() {
    UmadFile& file = *files_[programme_.next() % files_.size()];
    switch (programme_.next() % 8) {
      case 0:
        return control(file);
      case 1:
        return register_soundly(file);
      case 2:
        return write(file, programme_.next() * std::size_t{3});
      case 3:
        return write(file, kHeaderBytes + 256);
      case 4:
        return read(file);
      case 5:
        return arrive();
      case 6:
        now_ += std::chrono::milliseconds(std::int64_t{programme_.next()} * programme_.next());
        port_.advance(now_);
        HEDDLE_CHECK(port_.deadline() > now_);
        return;
      default:
        files_[programme_.next() % files_.size()] = std::make_unique<UmadFile>(port_, [] {});
    }
  }

  void control(UmadFile& file) {
    const std::uint32_t command = _IOC(_IOC_READ, kIoctlType, programme_.next() % 6u, 0);
    auto argument = programme_.take(programme_.next() % 48);
    static_cast<void>(file.ioctl(command, argument));
  }

  // A registration that is likely to be taken, so that the rest is reached.
  void register_soundly(UmadFile& file) {
    std::vector<std::byte> argument(kRegistrationBytes);
    for (std::size_t i = 4; i < 20; ++i) argument[i] = std::byte{programme_.next()};
    constexpr std::array<std::uint8_t, 5> kClasses{0x03, 0x81, 0x01, 0x33, 0x04};
    const std::uint8_t management_class = kClasses[programme_.next() % kClasses.size()];
    argument[20] = std::byte{static_cast<std::uint8_t>(is_subnet_class(management_class) ? 0 : 1)};
    argument[21] = std::byte{management_class};
    argument[22] = std::byte{2};
    argument[25] = std::byte{1};
    argument[26] = std::byte{static_cast<std::uint8_t>(may_rmpp(management_class) ? 1 : 0)};
    static_cast<void>(file.ioctl(_IOC(_IOC_READ, kIoctlType, 1u, 0), argument));
  }

  void write(UmadFile& file, std::size_t size) {
    auto bytes = programme_.take(std::min<std::size_t>(size, 128));
    bytes.resize(size);
    static_cast<void>(file.write(bytes, now_));
  }

  void read(UmadFile& file) {
    const std::size_t size = file.next_size();
    const auto got = file.read(programme_.next() * std::size_t{4});
    if (got.error == std::errc{}) HEDDLE_CHECK(got.bytes.size() == size);
  }

  // Bytes of the programme over what was sent last: mostly an answer of some kind.
  void arrive() {
    mad::Datagram datagram = hardware_.last;
    datagram.payload.resize(256);
    const auto bytes = programme_.take(40);
    const std::uint8_t kept = programme_.next();
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if ((kept >> (i % 8) & 1) == 0) datagram.payload[i] = bytes[i];
    }
    datagram.payload[0] = std::byte{1};
    datagram.peer.qpn = programme_.next() % 2;
    port_.receive(datagram, now_);
  }

  Programme& programme_;
  Hardware hardware_;
  AgentIds ids_;
  MadPort port_{hardware_, ids_};
  std::array<std::unique_ptr<UmadFile>, 3> files_;
  base::Instant now_{};
};

}  // namespace
}  // namespace heddle::doors::kernel

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::doors::kernel::Programme programme(data, size);
  heddle::doors::kernel::Stage(programme).play();
  return 0;
}
