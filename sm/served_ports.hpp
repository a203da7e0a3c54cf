// SPDX-License-Identifier: BSD-3-Clause
// What is remembered of ports as long as they are served.
#pragma once

#include <cstddef>
#include <map>
#include <utility>

namespace heddle::sm {

// Of whoever has left nothing is known any more: others may have written there meanwhile. count: of
// the ports that are served, which are all in the map; for_each_key(visit) tells their keys. Costs
// nothing as long as nobody has left.
template <class Key, class Held, class ForEachKey>
void forget_others(std::map<Key, Held>& held, std::size_t count, const ForEachKey& for_each_key) {
  if (held.size() == count) return;
  std::map<Key, Held> served;
  for_each_key([&](const Key& key) { served.insert(held.extract(key)); });
  held = std::move(served);
}

}  // namespace heddle::sm
