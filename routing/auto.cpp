// SPDX-License-Identifier: BSD-3-Clause
#include "routing/auto.hpp"

#include "routing/ftree.hpp"
#include "routing/weave.hpp"

namespace heddle::routing {

base::Result<Routes> Auto::route(const Request& request) const {
  auto tree = FatTree{}.route(request);
  if (tree) {
    tree->notes.insert(tree->notes.begin(), "auto: the fabric is a tree");
    return tree;
  }
  auto woven = Weave{}.route(request);
  if (woven) woven->notes.insert(woven->notes.begin(), "auto: " + tree.error().message);
  return woven;
}

}  // namespace heddle::routing
