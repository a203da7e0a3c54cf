// SPDX-License-Identifier: BSD-3-Clause
#include <iostream>
#include <vector>

#include "app/commands.hpp"
#include "app/ports_text.hpp"

namespace heddle::app {

Exit run_ports(Format format) {
  const std::vector<transport::LocalPort> ports = transport::list_ports();
  const auto choice = transport::choose_port(ports, {});
  std::cout << (format == Format::Json ? ports_json(ports, choice) : ports_table(ports, choice));
  return choice.has_value() ? Exit::Ok : Exit::NoPort;
}

}  // namespace heddle::app
