// SPDX-License-Identifier: BSD-3-Clause
// The socket door and the control channel fed with anything: messages are decoded and, if that
// works, encoded again to the same bytes; lines of verbs change a small fabric.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include <boost/asio/io_context.hpp>

#include "doors/control/channel.hpp"
#include "doors/control/script.hpp"
#include "doors/control/verbs.hpp"
#include "doors/ibsim/messages.hpp"
#include "sim/blueprint.hpp"

namespace {

using namespace heddle;

void read_messages(std::span<const std::byte> bytes) {
  if (const auto control = doors::ibsim::decode_control(bytes); control.has_value()) {
    const auto again = doors::ibsim::encode_control(*control);
    if (!std::equal(bytes.begin(), bytes.end(), again.begin(), again.end())) std::abort();
    (void)doors::ibsim::decode_client_info(control->data);
  }
  if (const auto request = doors::ibsim::Request::from_datagram(bytes); request.has_value()) {
    boost::asio::io_context loop;
    doors::FabricHost host(loop, sim::World(sim::generate_fabric("star:2").value(), {}));
    host.send_together([&] { host.send(*host.world().default_endpoint(), request->datagram()); });
  }
}

void read_verbs(std::string_view text) {
  boost::asio::io_context loop;
  doors::FabricHost host(loop, sim::World(sim::generate_fabric("star:2").value(), {}));
  doors::control::Context context{host, nullptr, [] {}};
  (void)doors::control::parse_script(text, "fuzz", context);
  (void)doors::control::decode_request(text);
  (void)doors::control::encode_answer(doors::control::run_line(context, text));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_messages({reinterpret_cast<const std::byte*>(data), size});
  read_verbs({reinterpret_cast<const char*>(data), size});
  return 0;
}
