// SPDX-License-Identifier: BSD-3-Clause
// A subnet manager's place without a subnet manager: opens a real umad port and obeys commands
// from standard input, one line each, with one line of answer each.
//
//   umad_probe --list  shows the ports and the choice among them
//   umad_probe [PORT]  opens the port, says "ready" and obeys:
//
//   ports              lists the local ports
//   get ATTR HOP...    Get by a directed route; waits for the answer
//   burst COUNT        that many Gets of NodeInfo of the own port at once
//   sm 0|1             IsSM; while it is set, Get(SMInfo) is answered
//   served             how many Gets of SMInfo were answered
//   quit
#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.hpp"
#include "mad/node_info.hpp"
#include "mad/sm_info.hpp"
#include "transport/ports.hpp"
#include "transport/umad.hpp"

namespace heddle::transport {
namespace {

using namespace std::chrono_literals;

constexpr mad::SMInfo kOurs{mad::Guid{0x100001}, {}, 42, 13, mad::SMState::Master};
constexpr auto kPatience = 3s;

std::string to_text(const LocalPort& port) {
  return fmt::format("{} {} {} {} {} {} sm {} [{}]", to_string(port.id),
                     base::hex(port.port_guid.value), to_string(port.link_layer),
                     to_string(port.state), to_string(port.physical_state), port.rate, port.sm_lid,
                     port.reason);
}

int show_list() {
  const auto ports = list_ports();
  for (const LocalPort& port : ports) std::cout << to_text(port) << "\n";
  const auto choice = choose_port(ports, {});
  std::cout << (choice ? "choice " + choice->remark : choice.error().message) << "\n";
  return choice ? 0 : 1;
}

class Probe {
 public:
  bool open(const PortWish& wish) {
    PortId id;
    if (const auto* wished = std::get_if<PortId>(&wish)) {
      id = *wished;
    } else {
      const auto choice = choose_port(list_ports(), wish);
      if (!choice) return fail(choice.error());
      id = choice->id;
    }
    UmadOptions options;
    options.on_trouble = [](const std::string& sentence) { std::cerr << sentence << "\n"; };
    auto opened = open_umad(loop_, id, options);
    if (!opened) return fail(opened.error());
    port_ = std::move(*opened);
    port_->set_receiver([this](std::span<Received> batch) { receive(batch); });
    return true;
  }

  bool obey(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "ports") say(ports());
    if (verb == "get") get(words);
    if (verb == "burst") burst(words);
    if (verb == "sm") set_is_sm(words);
    if (verb == "served") say(std::to_string(served_));
    return verb != "quit";
  }

  void let_run(std::chrono::milliseconds time) {
    loop_.restart();
    loop_.run_for(time);
  }

 private:
  static bool fail(const base::Error& error) {
    std::cerr << error.message << "\n";
    return false;
  }
  static void say(const std::string& line) { std::cout << line << std::endl; }

  static std::string ports() {
    std::string text;
    for (const LocalPort& port : list_ports()) text += to_text(port);
    return text;
  }

  mad::Datagram request(std::uint16_t attribute, const std::vector<unsigned>& hops) {
    mad::Smp smp;
    smp.attribute_id = static_cast<mad::AttributeId>(attribute);
    smp.dr_slid = smp.dr_dlid = mad::kPermissiveLid;
    smp.hop_count = static_cast<std::uint8_t>(hops.size());
    for (std::size_t i = 0; i < hops.size(); ++i) {
      smp.initial_path.at(i + 1) = mad::PortNumber{static_cast<std::uint8_t>(hops[i])};
    }
    smp.transaction_id = mad::TransactionId{0xabcd'0000'0000'0000u | ++last_id_};
    return mad::make_datagram({}, smp);
  }

  template <class Done>
  bool wait(Done done) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!done() && std::chrono::steady_clock::now() < end) let_run(5ms);
    return done();
  }

  void get(std::istringstream& words) {
    unsigned attribute = 0;
    words >> attribute;
    std::vector<unsigned> hops;
    for (unsigned hop = 0; words >> hop;) hops.push_back(hop);
    answer_.clear();
    port_->send(request(static_cast<std::uint16_t>(attribute), hops));
    say(wait([this] { return !answer_.empty(); }) ? answer_ : "silence");
  }

  void burst(std::istringstream& words) {
    unsigned count = 0;
    words >> count;
    answers_ = 0;
    for (unsigned i = 0; i < count; ++i) port_->send(request(0x11, {}));
    wait([&] { return answers_ >= count; });
    say(std::to_string(answers_));
  }

  void set_is_sm(std::istringstream& words) {
    words >> is_sm_;
    port_->set_is_sm(is_sm_);
    say("ok");
  }

  void receive(std::span<Received> batch) {
    for (Received& received : batch) {
      const auto smp = mad::decode_smp(received.datagram.payload);
      if (!smp) {
        answer_ = "no SMP";
      } else if (received.arrival == Arrival::SendFailed) {
        answer_ = fmt::format("failed id {:#x}", smp->transaction_id.value);
      } else if (mad::is_response(smp->method)) {
        ++answers_;
        describe(*smp);
      } else {
        serve(received.datagram.peer, *smp);
      }
    }
  }

  void describe(const mad::Smp& smp) {
    const auto info = mad::decode<mad::NodeInfo>(smp.data);
    answer_ =
        fmt::format("status {} id {:#x} type {} ports {} local {} guid {:#x}", smp.status.value,
                    smp.transaction_id.value, static_cast<int>(info.node_type), info.num_ports,
                    info.local_port_num.value, info.node_guid.value);
  }

  void serve(const mad::Address& peer, mad::Smp smp) {
    if (smp.attribute_id != mad::AttributeId::SMInfo || smp.method != mad::Method::Get) return;
    smp.method = mad::Method::GetResp;
    smp.direction = smp.management_class == mad::ManagementClass::SubnDirectedRoute;
    smp.data = mad::encode<mad::SMInfo, mad::kSmpDataBytes>(kOurs);
    port_->send(mad::make_datagram(peer, smp));
    ++served_;
  }

  boost::asio::io_context loop_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
      loop_.get_executor()};
  std::unique_ptr<Transport> port_;
  std::uint32_t last_id_ = 0;
  std::string answer_;
  unsigned answers_ = 0;
  unsigned served_ = 0;
  bool is_sm_ = false;
};

// The next line of standard input, while the port goes on being served.
bool next_line(Probe& probe, std::string& line) {
  line.clear();
  for (;;) {
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(STDIN_FILENO, &readable);
    timeval instantly{};
    if (::select(STDIN_FILENO + 1, &readable, nullptr, nullptr, &instantly) <= 0) {
      probe.let_run(5ms);
      continue;
    }
    char c = 0;
    if (::read(STDIN_FILENO, &c, 1) != 1) return false;
    if (c == '\n') return true;
    line += c;
  }
}

int run(const std::string& wish) {
  ::alarm(60);  // whatever happens, this program ends
  if (wish == "--list") return show_list();
  Probe probe;
  if (!probe.open(parse_port_wish(wish).value())) return 1;
  std::cout << "ready" << std::endl;
  std::string line;
  while (next_line(probe, line) && probe.obey(line)) {
  }
  return 0;
}

}  // namespace
}  // namespace heddle::transport

int main(int count, char** words) {
  return heddle::transport::run(count > 1 ? words[1] : "");
}
