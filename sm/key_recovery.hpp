// SPDX-License-Identifier: BSD-3-Clause
// Where every port has an M_Key of its own, a device that changed places with another while it was
// written to has that one's. A manager that remembers nothing finds it by trying, once all
// devices are known, the keys of all of them. Only Gets are sent, which at protection level 1 count
// as no violation (IBA vol. 1, 14.2.4).
#pragma once

#include <cstddef>
#include <vector>

#include "fabric/observation.hpp"
#include "mad/port_info.hpp"
#include "sm/context.hpp"

namespace heddle::sm {

// A port shows its M_Key to whoever has it, and to everybody at protection level 0. One that shows
// none although it is protected has another (IBA vol. 1, 14.2.4).
inline bool hides_key(const mad::PortInfo& info) {
  return info.m_key == mad::MKey{} && info.m_key_protect_bits != 0;
}

class KeyRecovery {
 public:
  // The port hides a key that is none of its own ones.
  void add(fabric::ObservedEnd end, DeviceId device, mad::Guid guid) {
    locked_.push_back({end, device, guid, 0});
  }
  // Call when the transactions are idle. Each port is tried as long as other devices are there than
  // at the last attempt; those without hope are locked and told of. True if anything was asked.
  bool begin(Context& context);

  // A hash of those whose keys a port may have: worth a new attempt if it is another one.
  static std::size_t owners(const Context& context);
  static bool has_asked(const Request& request);
  // True if the port has shown its key.
  bool on_answer(Context& context, const Answer& answer);

 private:
  struct Locked {
    fabric::ObservedEnd end;
    DeviceId device;
    mad::Guid guid;
    std::size_t tried = 0;  // of keys_
  };

  bool ask(Context& context, Locked& port) const;
  static void give_up(Context& context, const Locked& port);

  std::vector<Locked> locked_;
  std::vector<mad::MKey> keys_;
  std::size_t owners_ = 0;  // a hash of those whose keys they are
};

}  // namespace heddle::sm
