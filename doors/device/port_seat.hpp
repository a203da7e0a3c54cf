// SPDX-License-Identifier: BSD-3-Clause
// The kernel of one port in real time: an ib_mad (doors/kernel) between the fabric and the open
// umad files of all mounts that show this port.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>

#include <boost/asio/steady_timer.hpp>

#include "doors/fabric_host.hpp"
#include "doors/kernel/umad_file.hpp"

namespace heddle::doors {

class PortSeat final : public Guest, public kernel::PortHardware {
 public:
  PortSeat(boost::asio::io_context& loop, FabricHost& fabric, sim::EndpointId port,
           kernel::AgentIds& ids);
  ~PortSeat() override;

  std::unique_ptr<kernel::UmadFile> open(std::function<void()> on_readable);
  // UmadFile::write, with the time and the timer.
  std::errc write(kernel::UmadFile& file, std::span<const std::byte> bytes);

  // The port's IsSM bit belongs to one open issm file at a time.
  bool is_sm_held() const { return is_sm_; }
  void hold_is_sm();
  void release_is_sm();

  void receive(const mad::Datagram& datagram) override;

  void transmit(mad::Datagram datagram) override;
  bool has_p_key(std::uint16_t index) const override;
  std::uint8_t lmc() const override;
  std::uint8_t port_number() const override;
  bool alone() const override;

 private:
  void set_timer();

  FabricHost& fabric_;
  sim::EndpointId port_;
  kernel::MadPort mads_;
  boost::asio::steady_timer timer_;
  base::Instant armed_for_ = base::kNever;
  bool is_sm_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // for the timer's handler
};

// One seat for each port that is looked at, however many mounts look.
class PortSeats {
 public:
  PortSeats(boost::asio::io_context& loop, FabricHost& fabric) : loop_(loop), fabric_(fabric) {}
  std::shared_ptr<PortSeat> at(sim::EndpointId port);
  FabricHost& fabric() { return fabric_; }

 private:
  boost::asio::io_context& loop_;
  FabricHost& fabric_;
  kernel::AgentIds ids_;
  std::map<sim::EndpointId, std::weak_ptr<PortSeat>> seats_;
};

}  // namespace heddle::doors
