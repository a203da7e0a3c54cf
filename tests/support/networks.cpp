// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/networks.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.hpp"

namespace heddle::support {
namespace {

Recipe with_switches(std::size_t count) {
  Recipe recipe;
  for (std::size_t i = 0; i < count; ++i) recipe.add_switch(fmt::format("switch{}", i));
  return recipe;
}

// Joins groups to each other: `slots` links leave each, and slot i is at the switch that at(g, i)
// says.
template <class At>
void join_groups(Recipe& recipe, unsigned groups, unsigned slots, const At& at) {
  const unsigned each = slots / (groups - 1);
  for (unsigned a = 0; a < groups; ++a) {
    for (unsigned b = a + 1; b < groups; ++b) {
      for (unsigned i = 0; i < each; ++i) {
        recipe.join(at(a, (b - a - 1) * each + i), at(b, (groups + a - b - 1) * each + i));
      }
    }
  }
}

}  // namespace

Recipe hyperx(const std::vector<unsigned>& sides, unsigned hosts_each) {
  std::size_t count = 1;
  for (const unsigned side : sides) count *= side;
  auto recipe = with_switches(count);
  std::size_t stride = 1;
  for (const unsigned side : sides) {
    for (std::size_t s = 0; s < count; ++s) {
      for (std::size_t other = s / stride % side + 1; other < side; ++other) {
        recipe.join(s, s + (other - s / stride % side) * stride);
      }
    }
    stride *= side;
  }
  for (std::size_t s = 0; s < count; ++s) recipe.add_hosts(s, hosts_each);
  return recipe;
}

Recipe dragonfly(unsigned groups, unsigned switches, unsigned global, unsigned hosts_each) {
  const std::size_t count = std::size_t{groups} * switches;
  auto recipe = with_switches(count);
  for (std::size_t s = 0; s < count; ++s) {
    for (std::size_t other = s + 1; other < (s / switches + 1) * switches; ++other) {
      recipe.join(s, other);
    }
  }
  join_groups(recipe, groups, switches * global, [&](unsigned group, unsigned slot) {
    return std::size_t{group} * switches + slot / global;
  });
  for (std::size_t s = 0; s < count; ++s) recipe.add_hosts(s, hosts_each);
  return recipe;
}

Recipe dragonfly_plus(unsigned groups, unsigned leaves, unsigned spines, unsigned global,
                      unsigned hosts_each) {
  const std::size_t each = leaves + spines;
  auto recipe = with_switches(groups * each);
  for (std::size_t group = 0; group < groups; ++group) {
    for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
      for (std::size_t spine = leaves; spine < each; ++spine) {
        recipe.join(group * each + leaf, group * each + spine);
      }
    }
  }
  join_groups(recipe, groups, spines * global,
              [&](unsigned group, unsigned slot) { return group * each + leaves + slot % spines; });
  for (std::size_t s = 0; s < groups * each; ++s) {
    if (s % each < leaves) recipe.add_hosts(s, hosts_each);
  }
  return recipe;
}

Recipe kautz(unsigned degree, unsigned length, unsigned hosts_each) {
  // A word as a number: the first letter, then for each letter which of the `degree` others it is.
  std::size_t tail = 1;
  for (unsigned i = 1; i < length; ++i) tail *= degree;
  const std::size_t count = (degree + 1) * tail;
  const auto letters_of = [&](std::size_t word) {
    std::vector<unsigned> letters{static_cast<unsigned>(word / tail)};
    for (std::size_t rest = tail; rest > 1; rest /= degree) {
      const auto choice = static_cast<unsigned>(word % rest / (rest / degree));
      letters.push_back(choice < letters.back() ? choice : choice + 1);
    }
    return letters;
  };
  const auto word_of = [&](const std::vector<unsigned>& letters) {
    std::size_t word = letters[0];
    for (unsigned i = 1; i < length; ++i) {
      word = word * degree + letters[i] - (letters[i] > letters[i - 1] ? 1 : 0);
    }
    return word;
  };
  auto recipe = with_switches(count);
  for (std::size_t word = 0; word < count; ++word) {
    auto next = letters_of(word);
    const unsigned last = next.back();
    next.erase(next.begin());
    for (unsigned letter = 0; letter <= degree; ++letter) {
      if (letter == last) continue;
      next.push_back(letter);
      recipe.join(word, word_of(next));
      next.pop_back();
    }
  }
  for (std::size_t s = 0; s < count; ++s) recipe.add_hosts(s, hosts_each);
  return recipe;
}

Recipe slim_fly(unsigned q, unsigned hosts_each) {
  HEDDLE_CHECK(q % 4 == 1);
  // Powers of a primitive root: the even ones join rows of one half, the odd ones of the other.
  std::vector<unsigned> exponent(q);
  for (unsigned root = 2; root < q; ++root) {
    unsigned power = 1, order = 0;
    std::fill(exponent.begin(), exponent.end(), 0u);
    do {
      exponent[power] = order++;
      power = power * root % q;
    } while (power != 1);
    if (order == q - 1) break;
  }
  auto recipe = with_switches(std::size_t{2} * q * q);
  for (unsigned half = 0; half < 2; ++half) {
    for (unsigned row = 0; row < q; ++row) {
      for (unsigned a = 0; a < q; ++a) {
        for (unsigned b = a + 1; b < q; ++b) {
          const std::size_t first = (half * q + row) * q;
          if (exponent[b - a] % 2 == half) recipe.join(first + a, first + b);
        }
      }
    }
  }
  for (unsigned x = 0; x < q; ++x) {
    for (unsigned m = 0; m < q; ++m) {
      for (unsigned c = 0; c < q; ++c) recipe.join(x * q + (m * x + c) % q, (q + m) * q + c);
    }
  }
  for (std::size_t s = 0; s < std::size_t{2} * q * q; ++s) recipe.add_hosts(s, hosts_each);
  return recipe;
}

}  // namespace heddle::support
