// SPDX-License-Identifier: MIT
//
// Where a result has fewer points than the machine has threads, its reduction is spread over them:
// threads have slices along neighbours in memory, and blocks divide the rest. Where lanes compute,
// and only what is reduced lies in memory as lanes need it, they have parts of the reduction:
// several vectors of them, so that none waits for the one before.
#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "kernels/ir/target/lanes.h"
#include "kernels/recipes/general/axis_plan.h"
#include "kernels/recipes/general/sizes.h"

namespace exh::kernels {
namespace {

using ir::Dimension;
using ir::Instruction;
using ir::LogicalDim;
using ir::Target;

/// Threads of a large GPU.
constexpr double kManyThreads = 1 << 18;
/// What a thread at least adds up of a divided reduction: its partial results have to be worth it.
constexpr std::uint32_t kLeastSteps = 64;
/// Neighbours that a thread with a slice takes at most: what is under way.
constexpr double kMostCopies = 64;
constexpr double kLeastSlices = 32;
constexpr double kManyBlocks = 1024;
/// Vectors of sums that a core adds to, so that none waits for itself.
constexpr std::uint32_t kChains = 8;
/// What a core at least adds up of a divided reduction: to begin and end it takes microseconds.
constexpr double kLeastStepsOfCore = 1 << 14;
/// Parts for each core: they do not all run alike.
constexpr double kPartsOfCore = 4;

class ReductionSpreader {
 public:
  ReductionSpreader(AxisPlan& plan, const Instruction& reduction)
      : plan_(plan),
        f_(plan.function()),
        reduction_(reduction),
        results_(ir::ResultAxes(f_, reduction)) {
    for (const LogicalDim* axis : results_) points_ *= axis->extent;
    for (const LogicalDim* axis : ir::ReducedAxes(f_, reduction)) {
      if (plan[*axis].role != Role::kOther) continue;
      steps_ *= axis->extent;
      reduced_.push_back(axis);
    }
    std::ranges::stable_sort(reduced_, std::greater<>(), &LogicalDim::extent);
  }

  void Run() {
    const auto has_lanes =
        std::ranges::find_if(reduced_, [&](const LogicalDim* axis) { return MayTakeLanes(*axis); });
    if (has_lanes != reduced_.end()) return TakeLanes(**has_lanes);
    const double machine = plan_.has_threads() ? kManyThreads : f_.device.threads;
    if (reduced_.empty() || points_ >= machine || !plan_.has_blocks() || !MayDivide()) return;
    const auto adjoins = std::ranges::find_if(
        reduced_, [&](const LogicalDim* axis) { return MaySlice(*axis) && Adjoins(*axis); });
    double most = f_.max_splits(reduction_);
    if (adjoins != reduced_.end() && results_.size() < 2 &&
        Slice(**adjoins, points_ * steps_ / machine, machine / points_, most)) {
      for (const LogicalDim* axis : results_) plan_[*axis].is_serial = true;
      std::rotate(reduced_.begin(), adjoins, adjoins + 1);
    } else {
      // Half of the threads of a GPU: each of them has a loop, and other reads under way.
      Divide(*reduced_.front(), plan_.has_threads() ? machine / 2 : machine, most);
      if (PartsOf(*reduced_.front()) == 1) return;
    }
    double blocks = points_;
    most /= PartsOf(*reduced_.front());
    blocks *= PartsOf(*reduced_.front());
    // Where that makes few blocks, other axes make more.
    for (std::size_t index = 1; index < reduced_.size() && blocks < kManyBlocks; ++index) {
      DivideWhole(*reduced_[index], std::min(most, kManyBlocks / blocks));
      most /= PartsOf(*reduced_[index]);
      blocks *= PartsOf(*reduced_[index]);
    }
  }

 private:
  const Dimension& Level(const LogicalDim& axis, int level) const {
    return ir::LevelOf(f_, axis, level);
  }
  const Dimension& LastOf(const LogicalDim& axis) const { return Level(axis, ir::LastLevel(axis)); }
  std::uint32_t PartsOf(const LogicalDim& axis) const { return plan_[axis].spread.parts; }

  /// May blocks divide it, and all that meets with it?
  bool MayDivide() const {
    return f_.splittable_dims(reduction_) > 0 &&
           std::ranges::none_of(f_.insts, [&](const Instruction& other) {
             return other.is_reduction() && f_.meet(reduction_, other) &&
                    f_.splittable_dims(other) == 0;
           });
  }
  /// Of the reads that move along the axis: are neighbours along it, and along no other axis,
  /// neighbours in memory?
  bool Adjoins(const LogicalDim& axis) const {
    const auto is_along = [&](const ir::AccessAxis& access) {
      return access.stride != 0 && plan_.AreOne(access.logical, axis.id);
    };
    bool any = false;
    for (const Instruction& inst : f_.insts) {
      if (inst.op != ir::Op::kLoad || std::ranges::none_of(inst.access, is_along)) continue;
      for (const ir::AccessAxis& access : inst.access) {
        if (access.stride != 1) continue;
        if (!is_along(access)) return false;
        any = true;
      }
    }
    return any;
  }

  // ---- lanes of a processor ----

  /// May lanes have parts along the axis, and would no lanes along the results be better, of which
  /// nothing has to be made one?
  bool MayTakeLanes(const LogicalDim& axis) const {
    return !plan_.has_threads() && axis.dims.size() > 1 && f_.may_take_lanes(LastOf(axis)) &&
           LanesOf(axis) > 1 && plan_.IsContiguous(axis) &&
           std::ranges::none_of(
               results_, [&](const LogicalDim* result) { return plan_.IsContiguous(*result); });
  }
  std::uint32_t LanesOf(const LogicalDim& axis) const {
    return ir::WidestVector(f_.device, [&](std::uint32_t lanes) {
      return axis.extent % lanes == 0 && ir::HasSize(LastOf(axis), lanes);
    });
  }

  /// Sums of a tile beside each other are chains; where they are few, there are copies of each.
  /// Cores divide what is long, where results are too few for all of them.
  void TakeLanes(const LogicalDim& axis) {
    std::uint32_t chains = 1;
    for (const LogicalDim* result : results_) {
      plan_[*result].is_beside_lanes = true;
      if (plan_.RegisterLevel(*result) >= 0) chains *= plan_.SizeBesideLanes(*result);
    }
    Spread& spread = plan_[axis].spread;
    spread = {.lanes = LanesOf(axis)};
    std::uint32_t each = axis.extent / spread.lanes;
    const int before = ir::LastLevel(axis) - 1;
    const double parts = PartsOfCores(axis);
    // Blocks and a loop in them come before copies.
    if (before > (parts > 1 ? 1 : 0)) {
      spread.copies = LargestPower(Level(axis, before).sizes, each, std::max(kChains / chains, 1u));
    }
    each /= spread.copies;
    spread.loop = spread.copies > 1 ? before - 1 : before;
    if (parts <= 1 || spread.loop == 0) return;
    spread.parts = Nearest(Level(axis, 0).sizes, parts, [&](std::uint32_t size) {
      return size <= f_.max_splits(reduction_) && each % size == 0 &&
             ir::HasSize(Level(axis, spread.loop), each / size);
    });
    if (spread.parts > 1) spread.steps = {each / spread.parts};
  }

  /// Parts into which cores divide a reduction, about; less than 2: they do not.
  double PartsOfCores(const LogicalDim& axis) const {
    const double cores = f_.device.threads;
    const bool may =
        plan_.has_blocks() && points_ < cores && f_.may_end(Level(axis, 0)) && MayDivide();
    return may ? std::min(kPartsOfCore * cores / points_, points_ * steps_ / kLeastStepsOfCore) : 0;
  }

  // ---- threads of a block ----

  const Dimension& SliceDim(const LogicalDim& axis) const {
    return Level(axis, ir::LastLevel(axis) - 1);
  }
  bool MaySlice(const LogicalDim& axis) const {
    return plan_.has_threads() && axis.dims.size() > 2 && f_.may_slice(SliceDim(axis));
  }

  /// Threads have slices of it: of `wanted` points each, neighbours in memory first. Blocks divide
  /// the rest where there are fewer than `slices` of these threads; else it is a loop.
  bool Slice(const LogicalDim& axis, double wanted, double slices, double most) {
    const Dimension& outer = Level(axis, 0);
    const bool may_repeat = axis.dims.size() > 3;
    Spread spread;
    wanted = std::clamp(wanted, kLeastCopies, kMostCopies);
    // As many as accesses may be wide.
    spread.copies = LargestPower(LastOf(axis).sizes, axis.extent,
                                 may_repeat ? std::min(wanted, kLeastCopies) : wanted);
    std::uint32_t each = axis.extent / spread.copies;
    if (may_repeat) {
      spread.repeats = LargestPower(Level(axis, 1).sizes, each,
                                    std::min(wanted / spread.copies, each / kLeastSlices));
      each /= spread.repeats;
    }
    for (const std::uint32_t threads : {ir::kWarpLanes, 1u}) {  // Whole warps, or what there is.
      spread.slices = Nearest(SliceDim(axis).sizes, kSlices, [&](std::uint32_t size) {
        return size % threads == 0 && size <= f_.device.max_threads && each % size == 0 &&
               ir::HasSize(outer, each / size);
      });
      if (spread.slices > 1) break;
    }
    if (spread.slices == 1) return false;
    const std::uint32_t rest = each / spread.slices;
    if (f_.may_end(outer) && rest > 1 && rest <= most && spread.slices < slices) {
      spread.parts = rest;
    }
    plan_[axis].spread = std::move(spread);
    return true;
  }

  // ---- blocks ----

  /// Blocks divide it; each goes through its part in a loop.
  void Divide(const LogicalDim& axis, double machine, double most) {
    const Dimension& outer = Level(axis, 0);
    if (axis.dims.size() < 2 || !f_.may_end(outer)) return;
    double threads = points_;
    if (plan_.has_threads() && !results_.empty()) threads /= plan_.shape().columns.front();
    if (plan_.has_threads() && results_.size() > 1) threads /= plan_.shape().rows.front();
    const double least = plan_.has_threads() ? kLeastSteps : kLeastStepsOfCore;
    const double wanted = std::min({machine / std::max(threads, 1.0), most, axis.extent / least});
    if (wanted < 2) return;
    Spread& spread = plan_[axis].spread;
    spread = {};
    spread.parts = Nearest(outer.sizes, wanted, [&](std::uint32_t size) {
      return size <= most && axis.extent % size == 0;
    });
    if (spread.parts == 1) return;
    const std::uint32_t steps = axis.extent / spread.parts;
    std::ranges::copy_if(LastOf(axis).sizes, std::back_inserter(spread.steps),
                         [&](std::uint32_t size) { return steps % size == 0; });
    std::ranges::reverse(spread.steps);
  }

  /// About `wanted` blocks divide an axis beside another one.
  void DivideWhole(const LogicalDim& axis, double wanted) {
    if (wanted < 2 || !f_.may_end(Level(axis, 0))) return;
    Spread& spread = plan_[axis].spread;
    spread.parts = Nearest(Level(axis, 0).sizes, wanted, [&](std::uint32_t size) {
      const bool is_whole = size == axis.extent;
      return size <= wanted && axis.extent % size == 0 &&
             (is_whole || (axis.dims.size() > 1 && ir::HasSize(LastOf(axis), axis.extent / size)));
    });
    if (spread.parts > 1 && axis.dims.size() > 1) spread.steps = {axis.extent / spread.parts};
  }

  AxisPlan& plan_;
  const Target& f_;
  const Instruction& reduction_;
  std::vector<const LogicalDim*> results_;
  std::vector<const LogicalDim*> reduced_;  ///< Those that are reduced and nothing else.
  double points_ = 1, steps_ = 1;           ///< Of the results, and of what is reduced.
};

}  // namespace

void SpreadReductions(AxisPlan& plan) {
  for (const Instruction* main : plan.mains()) {
    if (main->is_reduction()) ReductionSpreader(plan, *main).Run();
  }
}

}  // namespace exh::kernels
