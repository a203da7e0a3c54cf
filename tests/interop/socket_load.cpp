// SPDX-License-Identifier: BSD-3-Clause
// The least client that ibsim's protocol allows, as a load that leaves the server the limit: no
// preload library, several messages in one system call, one process that plays several clients.
// Asks the neighbour for NodeInfo and prints how many answers came in a second.
//
//   socket_load BASE NODE COUNT WINDOW CLIENTS
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "doors/ibsim/datagram_socket.hpp"
#include "doors/ibsim/messages.hpp"
#include "mad/smp.hpp"

namespace {

namespace ibsim = heddle::doors::ibsim;
namespace mad = heddle::mad;
using ibsim::SocketAddress;

constexpr std::size_t kBatch = 32;
constexpr int kWaitMilliseconds = 3000;

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(3);
}

double seconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

int socket_between(const SocketAddress& own, const SocketAddress& peer) {
  const int handle = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (handle < 0 || ::bind(handle, own.data(), own.size) != 0) give_up("bind");
  if (::connect(handle, peer.data(), peer.size) != 0) give_up("connect");
  return handle;
}

ibsim::RequestBytes question(std::uint32_t number) {
  mad::Smp smp;
  smp.management_class = mad::ManagementClass::SubnDirectedRoute;
  smp.method = mad::Method::Get;
  smp.attribute_id = mad::AttributeId::NodeInfo;
  smp.hop_count = 1;
  smp.initial_path[1] = mad::PortNumber{1};
  smp.dr_slid = smp.dr_dlid = mad::kPermissiveLid;
  smp.transaction_id = mad::TransactionId{number};
  mad::Address peer;
  peer.lid = mad::kPermissiveLid;
  return ibsim::Request::to_client(mad::make_datagram(peer, smp), mad::kPermissiveLid).bytes();
}

class LoadClient {
 public:
  LoadClient(const std::string& base, const std::string& node, unsigned number) {
    const auto id = static_cast<std::uint32_t>(::getpid()) + number;
    const auto name = [&](const std::string& rest) {
      return SocketAddress::local(base + ":" + rest).value();
    };
    control_ = socket_between(name(fmt::format("ctl{}", id)), name("ctl"));
    const ibsim::ControlBytes wish = ibsim::encode_control(
        {0, ibsim::ControlType::Connect, 64, ibsim::encode_client_info({id, 0, false, node})});
    const SocketAddress own = name(fmt::format("in{}", id));
    data_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (data_ < 0 || ::bind(data_, own.data(), own.size) != 0) give_up("bind");
    ibsim::ControlBytes reply{};
    if (::send(control_, wish.data(), wish.size(), 0) < 0) give_up("send");
    if (::recv(control_, reply.data(), reply.size(), 0) < 0) give_up("recv");
    const auto answer = ibsim::decode_control(reply);
    if (!answer || answer->type == ibsim::ControlType::Error) give_up("refused");
    index_ = ibsim::decode_client_info(answer->data).id;
    const SocketAddress peer = name(fmt::format("out{}", index_));
    if (::connect(data_, peer.data(), peer.size) != 0) give_up("connect");
    for (std::size_t i = 0; i < kBatch; ++i) {
      places_[i] = {bytes_[i].data(), bytes_[i].size()};
      headers_[i].msg_hdr.msg_iov = &places_[i];
      headers_[i].msg_hdr.msg_iovlen = 1;
    }
  }

  void leave() const {
    const ibsim::ControlBytes bye =
        ibsim::encode_control({index_, ibsim::ControlType::Disconnect, 0, {}});
    (void)::send(control_, bye.data(), bye.size(), 0);
  }

  int handle() const { return data_; }
  unsigned under_way() const { return sent_ - answered_; }
  unsigned answered() const { return answered_; }

  void ask(unsigned total, unsigned window) {
    while (sent_ < total && under_way() < window) {
      const std::size_t batch = std::min<std::size_t>(
          {kBatch, std::size_t{total - sent_}, std::size_t{window - under_way()}});
      for (std::size_t i = 0; i < batch; ++i) {
        bytes_[i] = question(sent_ + static_cast<unsigned>(i) + 1);
      }
      const int count = ::sendmmsg(data_, headers_.data(), static_cast<unsigned>(batch), 0);
      if (count < 0) give_up("sendmmsg");
      sent_ += static_cast<unsigned>(count);
    }
  }

  bool hear() {
    const int count = ::recvmmsg(data_, headers_.data(), kBatch, MSG_DONTWAIT, nullptr);
    if (count <= 0) return false;
    answered_ += static_cast<unsigned>(count);
    return true;
  }

 private:
  int control_ = -1;
  int data_ = -1;
  std::uint32_t index_ = 0;
  unsigned sent_ = 0;
  unsigned answered_ = 0;
  std::array<ibsim::RequestBytes, kBatch> bytes_{};
  std::array<iovec, kBatch> places_{};
  std::array<mmsghdr, kBatch> headers_{};
};

}  // namespace

int main(int count, char** words) {
  if (count != 6) return 2;
  const auto number = [&](int at) {
    return static_cast<unsigned>(std::strtoul(words[at], nullptr, 10));
  };
  const unsigned clients = std::max(number(5), 1u);
  const unsigned each = number(3) / clients;
  std::vector<std::unique_ptr<LoadClient>> all;
  std::vector<pollfd> waits;
  for (unsigned i = 0; i < clients; ++i) {
    all.push_back(std::make_unique<LoadClient>(words[1], words[2], i));
    waits.push_back({all.back()->handle(), POLLIN, 0});
  }
  const double begin = seconds_now();
  for (std::size_t busy = all.size(); busy > 0;) {
    busy = 0;
    bool any = false;
    for (const auto& client : all) {
      client->ask(each, number(4));
      any = client->hear() || any;
      if (client->answered() < each) ++busy;
    }
    if (busy == 0 || any) continue;
    if (::poll(waits.data(), waits.size(), kWaitMilliseconds) <= 0) give_up("no answer");
  }
  const double spent = seconds_now() - begin;
  for (const auto& client : all) client->leave();
  fmt::print("{} answered, 0 failed, {:.0f} MADs/s\n", each * clients,
             static_cast<double>(each) * clients / spent);
  return 0;
}
