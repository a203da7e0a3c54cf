// SPDX-License-Identifier: BSD-3-Clause
#include "doors/device/port_seat.hpp"

#include <utility>

#include "sim/devices.hpp"

namespace heddle::doors {

PortSeat::PortSeat(boost::asio::io_context& loop, FabricHost& fabric, sim::EndpointId port,
                   kernel::AgentIds& ids)
    : fabric_(fabric), port_(port), mads_(*this, ids), timer_(loop) {
  fabric_.attach(port_, *this);
}

PortSeat::~PortSeat() {
  *alive_ = false;
  fabric_.detach(port_, *this);
}

std::unique_ptr<kernel::UmadFile> PortSeat::open(std::function<void()> on_readable) {
  return std::make_unique<kernel::UmadFile>(mads_, std::move(on_readable));
}

std::errc PortSeat::write(kernel::UmadFile& file, std::span<const std::byte> bytes) {
  const std::errc error = file.write(bytes, fabric_.now());
  set_timer();
  return error;
}

void PortSeat::hold_is_sm() {
  is_sm_ = true;
  fabric_.set_is_sm(port_, *this, true);
}

void PortSeat::release_is_sm() {
  is_sm_ = false;
  fabric_.set_is_sm(port_, *this, false);
}

void PortSeat::receive(const mad::Datagram& datagram) {
  mads_.receive(datagram, fabric_.now());
  set_timer();
}

void PortSeat::transmit(mad::Datagram datagram) {
  fabric_.send(port_, std::move(datagram));
}

bool PortSeat::has_p_key(std::uint16_t index) const {
  const sim::Devices& devices = fabric_.world().devices();
  return index < devices.nodes[devices.lines[port_].node].info.partition_cap;
}

std::uint8_t PortSeat::lmc() const {
  return fabric_.world().devices().ports[port_].info.lmc;
}

std::uint8_t PortSeat::port_number() const {
  return fabric_.world().devices().lines[port_].number;
}

bool PortSeat::alone() const {
  return fabric_.guest_count(port_) == 1;
}

// Requests are mostly answered long before their time: the timer is moved only when something is
// due earlier, and looks around when it rings too early.
void PortSeat::set_timer() {
  const base::Instant next = mads_.deadline();
  if (next >= armed_for_) return;
  armed_for_ = next;
  timer_.expires_after(next - fabric_.now());
  timer_.async_wait([this, alive = alive_](const boost::system::error_code& error) {
    if (error || !*alive) return;
    armed_for_ = base::kNever;
    mads_.advance(fabric_.now());
    set_timer();
  });
}

std::shared_ptr<PortSeat> PortSeats::at(sim::EndpointId port) {
  std::weak_ptr<PortSeat>& known = seats_[port];
  if (auto seat = known.lock()) return seat;
  auto seat = std::make_shared<PortSeat>(loop_, fabric_, port, ids_);
  known = seat;
  return seat;
}

}  // namespace heddle::doors
