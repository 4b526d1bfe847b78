// SPDX-License-Identifier: MIT
//
// Uniform clauses of tables where the root leaves one literal or none. They act on the root at
// once, as every other clause does, and not when their tables run: also decisions of objects that
// are absent are restricted, which no table speaks of, and counters read these.
#include <algorithm>
#include <array>
#include <bit>

#include "runtime/internal/freeze/uniform_finder.h"
#include "runtime/internal/rows/row_kernels.h"

namespace exh::runtime::internal {

/// Goes over all objects of two variables; of the third, the lanes, 64 at a time. What is asked of
/// a lane: does the root satisfy a literal, and how many of them may hold? A comparison is of two
/// literals that read the lane.
class Freezer::UniformFinder::Alone {
 public:
  Alone(Freezer& freezer, const Described& described)
      : freezer_(freezer),
        described_(described),
        scope_(freezer.space_, freezer.objects_, described.clause->variables),
        rows_(freezer.network_.rows_by_choice[described.uses[0].choice].rows) {
    lane_ = 2;
    if (described.comparison != nullptr) {
      while (!described.uses[1].Reads(lane_) || !described.uses[2].Reads(lane_)) --lane_;
    }
    for (int v = 0; v < kUniformVariables; ++v) {
      if (v != lane_) others_[others_[0] < 0 ? 0 : 1] = v;
    }
    const std::size_t num_objects = freezer.objects_.names[described.root].size();
    members_.assign((num_objects + kLanes - 1) / kLanes, 0);
    for (const Object object : Objects(lane_)) {
      members_[object / kLanes] |= std::uint64_t{1} << object % kLanes;
    }
    if (described.comparison != nullptr) Compare();
  }

  void Run() {
    std::array<Object, kUniformVariables> objects{};
    Object &first = objects[static_cast<std::size_t>(others_[0])],
           &second = objects[static_cast<std::size_t>(others_[1])];
    for (const Object a : Objects(others_[0])) {
      freezer_.ticker_.Tick();
      for (const Object b : Objects(others_[1])) {
        if (a == b) continue;
        first = a;
        second = b;
        for (std::uint32_t word = 0; word < members_.size(); ++word) Word(word, objects);
      }
    }
  }

 private:
  std::span<const Object> Objects(int variable) const {
    return freezer_.objects_.sets[described_.sets[static_cast<std::size_t>(variable)]].row(0);
  }
  Object ObjectOf(const std::array<Object, kUniformVariables>& objects, int variable) const {
    return objects[static_cast<std::size_t>(variable)];
  }

  /// What a comparison of two domains is, as the rows of the lane show them.
  void Compare() {
    const Use &left = described_.uses[1], &right = described_.uses[2];
    const DecisionId any = freezer_.instance_->first_decision_[left.choice];
    const std::uint32_t pairs =
        freezer_
            .InternComparison(*described_.comparison, any, left.variables[0] == lane_, any,
                              right.variables[0] == lane_)
            .first;
    const PairRelation& relation = freezer_.network_.pair_relations[pairs];
    status_.assign(1u << 16, Truth::kMaybe);
    for (unsigned l = 1; l < 1u << relation.num_left; ++l) {
      for (unsigned r = 1; r < 1u << relation.num_right; ++r) {
        status_[l << 8 | r] = PairStatus(relation.rows, l, r);
      }
    }
  }

  void Word(std::uint32_t word, std::array<Object, kUniformVariables>& objects) {
    const Object a = ObjectOf(objects, others_[0]), b = ObjectOf(objects, others_[1]);
    std::uint64_t lanes = members_[word] & ~BitOf(a, word) & ~BitOf(b, word);
    std::uint64_t one = 0, several = 0;
    const auto count = [&](std::uint64_t open) {
      several |= one & open;
      one |= open;
    };
    const std::size_t num_tests = described_.comparison == nullptr ? 3 : 1;
    for (std::size_t i = 0; i < num_tests && lanes != 0; ++i) {
      const Use& use = described_.uses[i];
      if (!use.Reads(lane_)) {
        const std::uint8_t domain =
            freezer_.known_cells_[rows_[ObjectOf(objects, use.variables[0])] +
                                  ObjectOf(objects, use.variables[1])];
        if ((domain & ~use.values[0]) == 0) return;
        count((domain & use.values[0]) == 0 ? 0 : ~std::uint64_t{0});
        continue;
      }
      const bool is_swapped = use.variables[0] == lane_;
      const std::uint8_t* const row = RowOf(use, objects, word);
      const std::uint8_t values = use.values[is_swapped];
      lanes &= ~ActiveRowKernels().certain(row, values);
      count(~ActiveRowKernels().excluded(row, values));
    }
    if (described_.comparison != nullptr) {
      const std::uint8_t* const left = RowOf(described_.uses[1], objects, word);
      const std::uint8_t* const right = RowOf(described_.uses[2], objects, word);
      std::uint64_t never = 0;
      for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
        const Truth truth = status_[left[lane] << 8 | right[lane]];
        if (truth == Truth::kFalse) never |= rest & (~rest + 1);
        if (truth == Truth::kTrue) lanes &= ~(rest & (~rest + 1));
      }
      several |= ~never;  // A comparison alone is a table.
    }
    for (lanes &= ~several; lanes != 0; lanes &= lanes - 1) {
      objects[static_cast<std::size_t>(lane_)] =
          static_cast<Object>(word * kLanes + static_cast<std::uint32_t>(std::countr_zero(lanes)));
      freezer_.GroundTuple(*described_.clause, scope_, objects.data(), described_.origin);
    }
  }

  const std::uint8_t* RowOf(const Use& use, const std::array<Object, kUniformVariables>& objects,
                            std::uint32_t word) const {
    const int other = use.variables[use.variables[0] == lane_ ? 1 : 0];
    return freezer_.known_cells_.data() + rows_[ObjectOf(objects, other)] + word * kLanes;
  }

  Freezer& freezer_;
  const Described& described_;
  const Scope scope_;
  const std::vector<Slot>& rows_;
  int lane_ = 2;
  std::array<int, 2> others_ = {-1, -1};
  std::vector<std::uint64_t> members_;
  std::vector<Truth> status_;
};

void Freezer::UniformFinder::GroundAlone(const Clause& clause) const {
  Alone(freezer_, described_.at(&clause)).Run();
}

}  // namespace exh::runtime::internal
