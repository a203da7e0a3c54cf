// SPDX-License-Identifier: BSD-3-Clause
// One TLS connection between two subnet managers: lines out, messages in. Both sides prove who they
// are, by a secret that they share or by certificates of one authority.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include "base/result.hpp"
#include "store/stream.hpp"

namespace heddle::app {

struct PartnerKeys {
  std::string secret;                       // bytes; empty: certificates
  std::string certificate, key, authority;  // PEM files
};

// A context for either side; an error names the file that is wrong.
struct PartnerTls {
  std::unique_ptr<boost::asio::ssl::context> context;
};
base::Result<PartnerTls> make_partner_tls(const PartnerKeys& keys, bool server);

class PartnerLink : public std::enable_shared_from_this<PartnerLink> {
 public:
  // What has not left yet; beyond, the link is cut: the other side is too slow, and will get
  // everything anew when it comes back.
  static constexpr std::size_t kMaxWaiting = 256u << 20;

  struct Events {
    std::function<void(PartnerLink&)> opened;  // the other side has proved who it is
    std::function<void(PartnerLink&, store::Message&)> heard;
    std::function<void(PartnerLink&, const std::string& why)> closed;  // once, and the last
  };
  PartnerLink(boost::asio::ip::tcp::socket socket, boost::asio::ssl::context& tls, Events events);

  void start(bool server);
  void say(const store::Message& message);
  // As say(), of what may be large: the other host is not late as long as it arrives.
  void say_all(const store::State& state);
  // Whether more of what say_all() said has come to the other host since this was asked last.
  bool arrives();
  // Without a word to `closed`.
  void drop();
  void close(const std::string& why);

  // For whom it serves.
  bool greeted = false;
  std::uint64_t given = 0, taken = 0;               // numbers of states
  bool synced = false;                              // has once taken all that it was given
  std::chrono::steady_clock::time_point in_time{};  // when nothing was overdue last
  std::chrono::steady_clock::time_point heard_last{};
  std::chrono::steady_clock::time_point arrived_last{};

 private:
  void read();
  void write();

  boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream_;
  Events events_;
  bool open_ = false;
  bool closed_ = false;
  bool writing_ = false;
  std::deque<std::string> waiting_;
  std::size_t waiting_bytes_ = 0;
  // In bytes since the link is open: what was said, what of it was given to the kernel, what the
  // other host is known to have of that, and where what say_all() said ends.
  std::uint64_t said_ = 0, sent_ = 0, arrived_ = 0, all_ends_ = 0;
  std::array<char, 65536> piece_;
  store::StreamReader reader_;
};

}  // namespace heddle::app
