// SPDX-License-Identifier: BSD-3-Clause
// Walks for one LID after another, from all switches. Internal to the verification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "base/raw_bytes.hpp"
#include "fabric/survey.hpp"
#include "fabric/verification.hpp"

namespace heddle::fabric {

// LIDs that are walked for by one thread: all at one switch, so many at most, or else of one block.
struct LidBatch {
  static constexpr std::size_t kWidest = 128;
  std::size_t first = 0, end = 0;
  bool of_one_switch = false;
};

// How many hops it is from each switch to the LIDs of another one, which has a column. By switch,
// so that who looks at the entries of one has what it needs of its neighbours at hand.
class HopColumns {
 public:
  static constexpr std::uint8_t kUnknown = 0xFF;
  static constexpr std::uint8_t kMost = 0xFD;

  HopColumns() = default;
  // None is known.
  HopColumns(std::size_t switches, std::size_t columns, const base::ParallelFor& parallel);
  // Readable from one column before the first.
  const std::uint8_t* row(SwitchIndex at) const {
    return hops_.data() + kBefore + at.value * pitch_;
  }
  // Of a switch that does not exist.
  const std::uint8_t* no_row() const { return hops_.data() + hops_.size() - pitch_; }
  std::uint8_t* row(SwitchIndex at) { return hops_.data() + kBefore + at.value * pitch_; }
  std::size_t pitch() const { return pitch_; }
  // Of which the pitch is a multiple.
  static constexpr std::size_t kPitchUnit = 64;

 private:
  static constexpr std::size_t kBefore = kPitchUnit;
  std::size_t pitch_ = 0;
  base::RawBytes hops_;
};

// LIDs of one switch mostly have ways of the same length, from each switch. So one of them is
// walked for, their guide. Others that stand side by side arrive too, with as many hops, if each
// entry leads to a switch that is one hop nearer. Somebody has to look at all entries for that, and
// to say so where it is not true: those are walked for.
class LidWalks {
 public:
  static constexpr std::uint32_t kNoColumn = 0xFFFF'FFFF;

  // The survey outlives the walks; they note in it who forwards.
  explicit LidWalks(Survey& survey);

  void walk(const base::ParallelFor& parallel);
  const std::vector<LidBatch>& batches() const { return batches_; }
  // Of what leads to a switch; kNoColumn where all of its LIDs are walked for.
  std::uint32_t column_of(std::uint32_t at) const { return column_of_[at]; }
  const HopColumns& hops() const { return hops_; }
  // Of what was walked for; always where a switch's own LID is not reached from everywhere.
  bool has_faults() const { return has_faults_; }
  // From any thread.
  void say_astray(std::uint32_t column);
  void walk_astray(const base::ParallelFor& parallel);
  // What there is to say about all routes.
  Verification sum() const;

 private:
  struct Tally {
    std::uint64_t routes = 0;
    std::uint64_t faulty = 0;
    std::uint64_t hops = 0;
    unsigned max_hops = 0;
    std::vector<RouteFaultSample> samples;
  };
  struct Guide {
    mad::Lid lid{};
    bool astray = true;      // the others are not known to go as it does
    std::uint64_t hops = 0;  // from all switches
    unsigned max_hops = 0;
  };
  class Walker;

  bool is_guide(mad::Lid lid, const Target& target) const {
    return column_of_[target.at] != kNoColumn && guides_[column_of_[target.at]].lid == lid;
  }
  const Guide* guide_of(const LidBatch& batch) const;
  void find_leads();
  void add_hosts(const LidBatch& batch, const Guide& guide, Tally& tally) const;

  Survey& survey_;
  std::vector<LidBatch> batches_;
  std::vector<std::uint32_t> column_of_;  // by switch
  std::vector<Guide> guides_;             // by column
  HopColumns hops_;
  std::vector<Tally> tallies_;  // by batch
  bool has_faults_ = false;
  // By (switch, any value of a port), where the port leads, without a question: the number of
  // switches where it leads to none. Made if anything is astray.
  std::vector<std::uint16_t> leads_;
};

}  // namespace heddle::fabric
