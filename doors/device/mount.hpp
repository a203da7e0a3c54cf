// SPDX-License-Identifier: BSD-3-Clause
// One FUSE mount: the device files and the class tree of one host, served on an Asio loop.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <sys/types.h>

#include "base/result.hpp"
#include "doors/device/host_plan.hpp"
#include "doors/device/open_file.hpp"
#include "doors/device/unique_fd.hpp"

namespace heddle::doors {

class Mount {
 public:
  // `device` is an open /dev/fuse that somebody has mounted. `on_end` is called once the mount is
  // gone, from the loop.
  static base::Result<std::unique_ptr<Mount>> serve(boost::asio::io_context& loop, PortSeats& seats,
                                                    const HostPlan& plan, UniqueFd device,
                                                    std::function<void()> on_end);
  ~Mount();
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;

  // How many umad files are open.
  std::size_t held() const;
  // Sends the signal to the processes that opened them.
  void tell_holders(int signal) const;

 private:
  friend struct MountCalls;  // what libfuse calls, in mount_calls.cpp
  Mount(boost::asio::io_context& loop, PortSeats& seats, const HostPlan& plan,
        std::function<void()> on_end);

  // Of a device file that root gave to somebody, as udev does; of others nobody minds.
  struct Rights {
    uid_t owner = 0;
    gid_t group = 0;
    mode_t bits = 0;
  };

  void wait();
  void process();

  OpenFile& open(const Tree::Entry& entry, pid_t by);
  void close(OpenFile& file);
  // A MAD waits: whoever reads or polls is told.
  void on_readable(OpenFile& file);
  // Answers the request with the next message, or with why not.
  void answer_read(fuse_req_t request, OpenFile& file, std::size_t size);
  void answer_in_pieces(fuse_req_t request, OpenFile& file, std::size_t size);
  void interrupt(fuse_req_t request);

  boost::asio::posix::stream_descriptor readiness_;
  std::function<void()> on_end_;
  Tree tree_;
  std::vector<std::shared_ptr<PortSeat>> seats_;  // by number of umad
  std::map<Inode, Rights> rights_;
  std::map<OpenFile*, std::unique_ptr<OpenFile>> files_;
  std::unique_ptr<fuse_session, void (*)(fuse_session*)> session_{nullptr, &fuse_session_destroy};
  fuse_buf buffer_{};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace heddle::doors
