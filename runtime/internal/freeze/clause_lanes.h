// SPDX-License-Identifier: MIT
//
// Clauses of requirements by the row. One variable of a clause is the lane; the others are bound to
// all tuples of their objects, and for each tuple 64 objects of the lane are looked at together.
// Words of 64 bits say who of them is a member, where a snippet holds, where the root satisfies or
// rules out a condition. What is left goes to the LaneStore. That is done once for each variable
// that can be the lane, a *round*.
//
// Some things cannot be said by the row. Clauses with counters, numbers or wide domains go tuple by
// tuple as a whole (GroundByTuples). Of the others single lanes do (GroundTuple): those in which a
// membership is the flag of a quotient, in which two variables have the same object, or in which
// fewer than two conditions are open.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "runtime/internal/freeze/freezer.h"

namespace exh::runtime::internal {

class Freezer::ClauseLanes {
 public:
  /// `only_few`: of a clause that is uniform, only what is a table (uniform_finder.h).
  ClauseLanes(Freezer& freezer, const Clause& clause, bool only_few);
  /// Can rows say the clause? Only if every object that can be the lane of one of its ground
  /// clauses belongs to a variable that can be the lane here: the store must see all views of it or
  /// none.
  bool IsByLanes() const { return by_lanes_; }
  void Run();

 private:
  static constexpr int kMaxTests = LaneClause::kMaxLiterals;
  static constexpr std::uint32_t kNoPairs = 0xFFFFFFFF;
  static constexpr int kMaxValues = 6;  ///< Two domains index a table: LaneStore::Accepts().
  /// A decision that a condition reads.
  struct Use {
    int choice = -1;
    const ChoiceTable* table = nullptr;
    const std::vector<int>* arguments = nullptr;
    // For the lane variable of this round.
    bool in_row = false;
    bool mirrored = false;  ///< The row shows it the other way round.
    int last = -1;          ///< Scalars: the last variable that it reads, in the order of binding.
    // For the tuple of this moment.
    std::uint32_t cell = 0;  ///< Slot, or the first cell of the row.
    bool swapped = false;    ///< Of the cell, seen from the condition.
  };
  /// Does the root rule a test out anywhere in a row? By the first block of the row.
  using RuledOut = std::map<std::uint32_t, bool>;
  struct Test {
    Use use;
    std::array<std::uint8_t, 2> masks{};  ///< As the condition says, and from the other side.
    std::array<RuledOut, 2> ruled_out{};  ///< By sides.
    std::uint8_t mask() const { return masks[use.swapped]; }
  };
  struct Comparison {
    Use left, right;
    const Condition* condition = nullptr;
    std::array<std::uint32_t, 4> pairs{kNoPairs, kNoPairs, kNoPairs, kNoPairs};  ///< By sides.
    std::array<std::vector<std::uint8_t>, 4> status;  ///< By sides: Truth of two domains.
  };
  /// The objects of a variable as bits.
  struct Members {
    std::size_t words = 0;
    std::vector<std::uint64_t> rows;  ///< By parameter.
    /// Objects that may be absent, and those whose membership is a flag.
    std::vector<std::uint64_t> planned, by_flag;
    /// Objects, none of them by flag, whose clauses wait for the same.
    struct Waiting {
      std::vector<Slot> memberships;       ///< Beside the membership of the object in its root set.
      bool always = false;                 ///< They do not wait for that one.
      std::vector<std::uint64_t> objects;  ///< As bits.
    };
    std::vector<Waiting> waiting;
  };
  /// 64 lanes of a tuple; bit z is lane z.
  struct Block {
    std::uint32_t word = 0;
    /// There are the object and all decisions that the clause reads, and no code holds.
    std::uint64_t exist = 0;
    std::uint64_t coincide = 0;          ///< The object is that of another variable, too.
    std::uint64_t satisfied = 0;         ///< The root satisfies a condition.
    std::uint64_t one = 0, several = 0;  ///< At least one condition is open; at least two are.
    std::array<std::uint64_t, kMaxTests> never{};  ///< By test: the root rules it out.
    std::uint64_t general = 0;                     ///< To be grounded one by one.

    std::uint64_t active() const { return exist & ~satisfied; }
    void CountOpen(std::uint64_t open) {
      several |= one & open;
      one |= open;
    }
  };
  struct Place {
    std::uint32_t cell;
    std::uint8_t number;  ///< Of the decision: tests, then sides of comparisons.
  };

  bool Prepare();
  bool CanBeLane(std::size_t variable) const;
  std::vector<std::size_t> LaneVariables() const;
  void RunLane(std::size_t lane);
  void Bind(std::size_t depth);
  bool Locate(Use* use) const;
  void Tuple();
  void Word(std::uint32_t word);
  // The steps of Word(). False: the clause says nothing in these lanes.
  bool FindLanes(Block& block) const;
  bool LookAtDecisions(Block& block);
  bool AskCodes(Block& block);
  void GroundWaiting(const Members::Waiting& waiting, std::uint64_t left, Block& block);
  /// `open`: of the lanes `of_gate` those that are active; `exist`: all that wait for the same.
  void SplitByTests(std::uint64_t of_gate, std::uint64_t open, std::uint64_t exist, LaneGate gate,
                    Block& block);
  std::uint64_t HoldsIn(const Condition& condition, std::uint32_t word, std::uint64_t lanes);
  std::uint64_t StatusIn(Comparison* comparison, std::uint32_t word, std::uint64_t lanes,
                         std::uint64_t* never);
  std::uint32_t PairsOf(Comparison* comparison, unsigned sides);
  void RestrictLanes(const Test& test, std::uint32_t word, std::uint64_t lanes);
  void Contribute(std::uint32_t word, unsigned dropped, std::uint64_t lanes, std::uint64_t active,
                  LaneGate gate);
  void General(std::uint32_t word, std::uint64_t lanes);
  bool MayBeFew();
  bool IsStored(unsigned dropped) const;
  /// The gate of the tuple and of what its lanes need too, without their own membership.
  std::uint32_t GateOf(const std::vector<Slot>& lane_memberships, Slot own);
  const std::uint8_t* CellsOf(const Use& use, std::uint32_t word) const {
    return freezer_.known_cells_.data() + use.cell + (use.in_row ? word * kLanes : 0);
  }
  const Use& UseOf(std::size_t number) const {
    if (number < tests_.size()) return tests_[number].use;
    const Comparison& comparison = comparisons_[(number - tests_.size()) / 2];
    return (number - tests_.size()) % 2 == 0 ? comparison.left : comparison.right;
  }
  std::size_t num_uses() const { return tests_.size() + 2 * comparisons_.size(); }

  Freezer& freezer_;
  const Clause& clause_;
  const Scope scope_;
  const std::size_t depth_;
  std::uint32_t origin_ = 0;
  bool by_lanes_ = false;
  bool always_ = false;
  const bool only_few_;

  std::vector<Test> tests_;
  std::vector<Comparison> comparisons_;
  std::vector<const Condition*> codes_;

  // A round.
  std::size_t lane_ = 0;
  bool first_round_ = true;
  std::vector<std::size_t> order_;     ///< The other variables.
  std::vector<std::size_t> distinct_;  ///< Of them those that the lane must differ from.
  Members members_;
  std::array<Object, kMaxVariables> objects_{};
  std::vector<Slot> gate_;
  bool by_flag_ = false;    ///< Of the tuple.
  bool coincides_ = false;  ///< Two variables of the tuple have the same object.
  std::map<std::vector<std::uint32_t>, std::vector<std::uint64_t>> answers_;
  struct Look {
    std::uint64_t look = ~std::uint64_t{0};
    std::uint32_t pattern = 0;
  };
  std::array<Look, 256> looks_;
};

}  // namespace exh::runtime::internal
