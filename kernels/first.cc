// SPDX-License-Identifier: MIT
//
// Recipes speak of axes by their role. Axes of different nests that communications pair are one:
// what is said of one of them follows for the others. A nest is that of an instruction that runs
// once for each of its points (a reduction, or a store); its last axis that is not reduced is the
// one along which the result lies in memory, the others are rows. Outermost levels hold blocks and
// loops, the innermost level what a thread (or a core) has in registers, the level before it the
// threads of a GPU. All other levels are absent. Where a result has fewer points than the machine
// has threads, its reduction is spread over them: threads have slices along neighbours in memory,
// and blocks divide the rest. Where lanes compute, and only what is reduced lies in memory as lanes
// need it, they have parts of the reduction: several vectors of them, so that none waits for the
// one before.
#include "kernels/first.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>

#include "kernels/recipes/copied_tiles.h"
#include "kernels/recipes/processor/chained_tiles.h"
#include "kernels/recipes/processor/register_tiles.h"
#include "kernels/recipes/processor/streams.h"
#include "kernels/recipes/rest.h"
#include "kernels/recipes/rings.h"
#include "kernels/recipes/unit_recipe.h"
#include "kernels/recipes/windows.h"

namespace exh::kernels {
namespace {

using ir::Communication;
using ir::Dimension;
using ir::DimId;
using ir::DimPair;
using ir::Instruction;
using ir::LogicalDim;
using ir::LogicalDimId;
using ir::Target;

std::vector<std::string> Numbers(const std::vector<std::uint32_t>& numbers) {
  std::vector<std::string> texts;
  for (const std::uint32_t number : numbers) texts.push_back(std::to_string(number));
  return texts;
}

/// Axes that iterate over the same thing.
class AxisClasses {
 public:
  explicit AxisClasses(const Target& function) : parent_(function.logical_dims.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (const DimPair& pair : function.pairs) {
      if (pair.planned) continue;
      const std::size_t a = Of(function.dim(pair.src)), b = Of(function.dim(pair.dst));
      parent_[std::max(a, b)] = std::min(a, b);
    }
  }
  std::size_t Of(LogicalDimId axis) const {
    std::size_t at = axis.index();
    while (parent_[at] != at) at = parent_[at];
    return at;
  }
  std::size_t Of(const Dimension& dim) const { return Of(dim.logical); }

 private:
  std::vector<std::size_t> parent_;
};

enum class Role {
  kOther,    ///< Reduced, and nothing else: a loop.
  kRow,      ///< Of a result.
  kColumn,   ///< The last of a result.
  kOutside,  ///< Of a result with more axes than two: one of those before.
};

/// How a reduction occupies a machine, by the sizes of its longest axis.
struct Spread {
  std::uint32_t parts = 1;   ///< Of the outermost level: blocks.
  std::uint32_t slices = 1;  ///< Of the level before the innermost: threads.
  std::uint32_t copies = 1;  ///< Of the innermost level, where threads have slices: neighbours.
  /// Of a level between blocks and slices, if there is one: what a thread takes beside neighbours.
  std::uint32_t repeats = 1;
  /// Of the innermost level, a loop, where no threads have slices; best first. None: the outermost
  /// level is the loop.
  std::vector<std::uint32_t> steps;
  /// Where lanes have parts of it: of the innermost level. `copies` are those of the level before
  /// then, and `steps` those of `loop`, where there are blocks.
  std::uint32_t lanes = 1;
  int loop = 0;
};

/// Threads of a large GPU.
constexpr double kManyThreads = 1 << 18;
/// What a thread at least adds up of a divided reduction: its partial results have to be worth it.
constexpr std::uint32_t kLeastSteps = 64;
constexpr std::uint32_t kSlices = 256;
/// Neighbours that a thread with a slice takes: from what it reads at once to what is under way.
constexpr double kLeastCopies = 4, kMostCopies = 64;
constexpr double kLeastSlices = 32;
constexpr double kManyBlocks = 1024;
/// Vectors of sums that a core adds to, so that none waits for itself.
constexpr std::uint32_t kChains = 8;
/// Of a result whose reduction has lanes: sums of a tile along its columns, and its rows.
constexpr std::uint32_t kColumnsOfLanes = 4, kRowsOfLanes = 2;
/// What a core at least adds up of a divided reduction: to begin and end it takes microseconds.
constexpr double kLeastStepsOfCore = 1 << 14;
/// Parts for each core: they do not all run alike.
constexpr double kPartsOfCore = 4;

/// That of the numbers which is nearest, as a factor, of those that `fits`; 1 where none does.
template <typename Fits>
std::uint32_t Nearest(const std::vector<std::uint32_t>& numbers, double wanted, const Fits& fits) {
  std::uint32_t nearest = 1;
  double least = HUGE_VAL;
  for (const std::uint32_t number : numbers) {
    const double off = std::abs(std::log(number / wanted));
    if (off >= least || !fits(number)) continue;
    nearest = number;
    least = off;
  }
  return nearest;
}

bool Contains(const std::vector<std::uint32_t>& numbers, std::uint32_t number) {
  return std::ranges::find(numbers, number) != numbers.end();
}

/// From the widest that the device has to none.
std::vector<std::uint32_t> Widths(const ir::Device& device) {
  std::vector<std::uint32_t> widths = device.vector_sizes;
  std::ranges::sort(widths, std::greater<>());
  widths.push_back(1);
  return widths;
}

/// What is chosen in a recipe.
struct Shape {
  std::string name;
  std::vector<std::uint32_t> columns, rows;  ///< Of the innermost level, best first.
  std::vector<std::uint32_t> threads;        ///< Of an axis, where the device has threads.
  std::vector<std::uint32_t> all_threads;    ///< Of the only axis of a result.
  bool tiled = true;
};

class Writer {
 public:
  Writer(const Target& function, const Shape& shape)
      : f_(function),
        shape_(shape),
        classes_(function),
        roles_(function.logical_dims.size(), Role::kOther),
        is_first_(function.logical_dims.size(), false),
        is_alone_(function.logical_dims.size(), false),
        is_serial_(function.logical_dims.size(), false),
        is_beside_lanes_(function.logical_dims.size(), false),
        is_kept_(function.logical_dims.size(), false),
        spread_(function.logical_dims.size()),
        has_threads_(function.device.max_threads > 1),
        has_blocks_(has_threads_ || function.device.threads > 1) {
    FindRoles();
    FindKept();
    if (!shape_.tiled) return;
    for (const Instruction* main : Mains()) {
      if (main->is_reduction()) FindSpread(*main);
    }
  }

  Recipe Write() {
    recipe_.name = shape_.name;
    Want("unit", {"FMA"});
    Want("tiles", {"SAME_TILES"});
    Want("thread_layout", {"SHARED_LAYOUT"});
    for (const Instruction* main : Mains()) Sizes(*main);
    Want("size", {"1"});
    for (const Instruction* main : Mains()) Kinds(*main);
    for (const Dimension& dim : f_.dims) {
      if (!dim.planned) KindOf(dim);
    }
    for (const Instruction* main : Mains()) {
      if (main->is_reduction()) Across(*main);
    }
    for (const Communication& comm : f_.comms) {
      if (!comm.planned) Travel(comm);
    }
    for (const Instruction* main : Mains()) Nest(*main);
    AppendRest(has_threads_ && shape_.tiled, recipe_);
    return std::move(recipe_);
  }

 private:
  void Want(std::string decision, std::vector<std::string> values) {
    recipe_.wishes.push_back({std::move(decision), std::move(values)});
  }
  void WantOf(std::string_view choice, const std::string& name, std::vector<std::string> values) {
    Want(std::string(choice) + "(" + name + ")", std::move(values));
  }
  void Order(const Dimension& a, const Dimension& b, const char* value) {
    Want("order(" + a.name() + "," + b.name() + ")", {value});
  }

  /// What runs once for each of its points: reductions before stores.
  std::vector<const Instruction*> Mains() const {
    std::vector<const Instruction*> mains;
    for (const Instruction& inst : f_.insts) {
      if (!inst.planned && inst.is_reduction()) mains.push_back(&inst);
    }
    for (const Instruction& inst : f_.insts) {
      if (!inst.planned && inst.has_side_effect()) mains.push_back(&inst);
    }
    return mains;
  }
  /// Axes of a nest in their order, as the instruction declares them.
  std::vector<LogicalDimId> AxesOf(const Instruction& inst) const {
    std::vector<LogicalDimId> axes;
    for (const DimId id : inst.dims) {
      const LogicalDimId axis = f_.dim(id).logical;
      if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
    }
    return axes;
  }
  bool IsReduced(LogicalDimId axis) const {
    return f_.dim(f_.logical(axis).dims.front()).is_reduction;
  }
  Role RoleOf(LogicalDimId axis) const { return roles_[classes_.Of(axis)]; }

  void FindRoles() {
    for (const Instruction* main : Mains()) {
      std::vector<LogicalDimId> axes;
      for (const LogicalDimId axis : AxesOf(*main)) {
        if (!IsReduced(axis)) axes.push_back(axis);
      }
      if (axes.empty()) continue;
      is_first_[classes_.Of(axes.front())] = true;
      if (axes.size() == 1) is_alone_[classes_.Of(axes.front())] = true;
      for (std::size_t index = 0; index < axes.size(); ++index) {
        const std::size_t from_end = axes.size() - 1 - index;
        Role& role = roles_[classes_.Of(axes[index])];
        if (role == Role::kColumn) continue;
        role = from_end == 0 ? Role::kColumn : from_end == 1 ? Role::kRow : Role::kOutside;
      }
    }
  }

  /// What is summed up, and then read once more: registers hold it from end to end.
  void FindKept() {
    for (const Communication& comm : f_.comms) {
      const bool is_held = !comm.planned && !comm.is_init && !comm.may_lower;
      if (!is_held || !f_.inst(comm.consumer).is_reduction()) continue;
      const bool is_read_again = std::ranges::any_of(f_.comms, [&](const Communication& other) {
        return !other.planned && other.producer == comm.producer && other.consumer != comm.consumer;
      });
      for (const ir::PairId id : comm.pairs) {
        const Dimension& dim = f_.dim(f_.pair(id).dst);
        if (is_read_again && dim.is_reduction) is_kept_[classes_.Of(dim)] = true;
      }
    }
    if (!has_threads_ || !shape_.tiled) return;
    // Threads have all of it: no others are left.
    for (const Instruction* main : Mains()) {
      const auto axes = AxesOf(*main);
      const auto is_kept = [&](LogicalDimId axis) { return bool{is_kept_[classes_.Of(axis)]}; };
      if (std::ranges::none_of(axes, is_kept)) continue;
      for (const LogicalDimId axis : axes) {
        if (!is_kept(axis)) is_serial_[classes_.Of(axis)] = true;
      }
    }
  }

  /// May blocks divide it, and all that meets with it?
  bool MayDivide(const Instruction& reduction) const {
    return f_.splittable_dims(reduction) > 0 &&
           std::ranges::none_of(f_.insts, [&](const Instruction& other) {
             return other.is_reduction() && f_.meet(reduction, other) &&
                    f_.splittable_dims(other) == 0;
           });
  }
  /// Of the reads that move along the axis: are neighbours along it, and along no other axis,
  /// neighbours in memory?
  bool Adjoins(const LogicalDim& axis) const {
    const std::size_t number = classes_.Of(axis.id);
    const auto is_along = [&](const ir::AccessAxis& access) {
      return access.stride != 0 && classes_.Of(access.logical) == number;
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

  void FindSpread(const Instruction& reduction) {
    double points = 1, steps = 1;
    std::vector<LogicalDimId> results;
    std::vector<const LogicalDim*> reduced;  // Those that are reduced and nothing else.
    for (const LogicalDimId id : AxesOf(reduction)) {
      const LogicalDim& axis = f_.logical(id);
      if (!IsReduced(id)) {
        points *= axis.extent;
        results.push_back(id);
      } else if (RoleOf(id) == Role::kOther) {
        steps *= axis.extent;
        reduced.push_back(&axis);
      }
    }
    const double machine = has_threads_ ? kManyThreads : f_.device.threads;
    std::ranges::stable_sort(reduced,
                             [](const auto* a, const auto* b) { return a->extent > b->extent; });
    const auto has_lanes = std::ranges::find_if(
        reduced, [&](const LogicalDim* axis) { return MayTakeLanes(*axis, results); });
    if (has_lanes != reduced.end())
      return TakeLanes(reduction, **has_lanes, results, points, steps);
    if (reduced.empty() || points >= machine || !has_blocks_ || !MayDivide(reduction)) return;
    const auto adjoins = std::ranges::find_if(
        reduced, [&](const LogicalDim* axis) { return MaySlice(*axis) && Adjoins(*axis); });
    double most = f_.max_splits(reduction), blocks = points;
    if (adjoins != reduced.end() && results.size() < 2 &&
        Slice(**adjoins, points * steps / machine, machine / points, most)) {
      for (const LogicalDimId id : results) is_serial_[classes_.Of(id)] = true;
      std::rotate(reduced.begin(), adjoins, adjoins + 1);
    } else {
      // Half of the threads of a GPU: each of them has a loop, and other reads under way.
      Divide(*reduced.front(), results, points, has_threads_ ? machine / 2 : machine, most);
      if (SpreadOf(*reduced.front()).parts == 1) return;
    }
    most /= SpreadOf(*reduced.front()).parts;
    blocks *= SpreadOf(*reduced.front()).parts;
    // Where that makes few blocks, other axes make more.
    for (std::size_t index = 1; index < reduced.size() && blocks < kManyBlocks; ++index) {
      const Spread& other = DivideWhole(*reduced[index], std::min(most, kManyBlocks / blocks));
      most /= other.parts;
      blocks *= other.parts;
    }
  }

  /// May lanes have parts along the axis, and would no lanes along the results be better, of which
  /// nothing has to be made one?
  bool MayTakeLanes(const LogicalDim& axis, const std::vector<LogicalDimId>& results) const {
    const auto is_contiguous = [&](LogicalDimId id) { return IsContiguous(f_.logical(id)); };
    return !has_threads_ && axis.dims.size() > 1 && f_.may_take_lanes(f_.dim(axis.dims.back())) &&
           LanesOf(axis) > 1 && IsContiguous(axis) && std::ranges::none_of(results, is_contiguous);
  }
  std::uint32_t LanesOf(const LogicalDim& axis) const {
    const std::vector<std::uint32_t> widths = Widths(f_.device);
    return *std::ranges::find_if(widths, [&](std::uint32_t width) {
      return width == 1 ||
             (axis.extent % width == 0 && Contains(f_.dim(axis.dims.back()).sizes, width));
    });
  }

  /// Sums of a tile beside each other are chains; where they are few, there are copies of each.
  /// Cores divide what is long, where results are too few for all of them.
  void TakeLanes(const Instruction& reduction, const LogicalDim& axis,
                 const std::vector<LogicalDimId>& results, double points, double steps) {
    std::uint32_t chains = 1;
    for (const LogicalDimId id : results) {
      const LogicalDim& result = f_.logical(id);
      is_beside_lanes_[classes_.Of(id)] = true;
      if (RegisterLevel(result) < 0) continue;
      const double most = RoleOf(id) == Role::kColumn ? kColumnsOfLanes : kRowsOfLanes;
      chains *= LargestPower(f_.dim(result.dims.back()).sizes, result.extent, most);
    }
    Spread spread;
    spread.lanes = LanesOf(axis);
    std::uint32_t each = axis.extent / spread.lanes;
    const int before = static_cast<int>(axis.dims.size()) - 2;
    const Dimension& copied = f_.dim(axis.dims[static_cast<std::size_t>(before)]);
    const double parts = PartsOfCores(reduction, axis, points, steps);
    // Blocks and a loop in them come before copies.
    if (before > (parts > 1 ? 1 : 0)) {
      spread.copies = LargestPower(copied.sizes, each, std::max(kChains / chains, 1u));
    }
    each /= spread.copies;
    spread.loop = spread.copies > 1 ? before - 1 : before;
    if (parts > 1 && spread.loop > 0) {
      const auto& loops = f_.dim(axis.dims[static_cast<std::size_t>(spread.loop)]).sizes;
      spread.parts = Nearest(f_.dim(axis.dims[0]).sizes, parts, [&](std::uint32_t size) {
        return size <= f_.max_splits(reduction) && each % size == 0 && Contains(loops, each / size);
      });
      if (spread.parts > 1) spread.steps = {each / spread.parts};
    }
    spread_[classes_.Of(axis.id)] = std::move(spread);
  }

  /// Parts into which cores divide a reduction, about; less than 2: they do not.
  double PartsOfCores(const Instruction& reduction, const LogicalDim& axis, double points,
                      double steps) const {
    const double cores = f_.device.threads;
    const bool may =
        has_blocks_ && points < cores && f_.may_split(f_.dim(axis.dims[0])) && MayDivide(reduction);
    return may ? std::min(kPartsOfCore * cores / points, points * steps / kLeastStepsOfCore) : 0;
  }

  bool MaySlice(const LogicalDim& axis) const {
    return has_threads_ && axis.dims.size() > 2 && f_.may_slice(SliceDim(axis));
  }
  const Dimension& SliceDim(const LogicalDim& axis) const {
    return f_.dim(axis.dims[axis.dims.size() - 2]);
  }

  /// Threads have slices of it: of `wanted` points each, neighbours in memory first. Blocks divide
  /// the rest where there are fewer than `slices` of these threads; else it is a loop.
  bool Slice(const LogicalDim& axis, double wanted, double slices, double most) {
    const Dimension &outer = f_.dim(axis.dims[0]), &inner = f_.dim(axis.dims.back());
    const bool may_repeat = axis.dims.size() > 3;
    Spread spread;
    wanted = std::clamp(wanted, kLeastCopies, kMostCopies);
    // As many as accesses may be wide.
    spread.copies = LargestPower(inner.sizes, axis.extent,
                                 may_repeat ? std::min(wanted, kLeastCopies) : wanted);
    std::uint32_t each = axis.extent / spread.copies;
    if (may_repeat) {
      spread.repeats = LargestPower(f_.dim(axis.dims[1]).sizes, each,
                                    std::min(wanted / spread.copies, each / kLeastSlices));
      each /= spread.repeats;
    }
    constexpr std::uint32_t kWarp = 32;
    for (const std::uint32_t threads : {kWarp, 1u}) {  // Whole warps, or what there is.
      spread.slices = Nearest(SliceDim(axis).sizes, kSlices, [&](std::uint32_t size) {
        return size % threads == 0 && size <= f_.device.max_threads && each % size == 0 &&
               Contains(outer.sizes, each / size);
      });
      if (spread.slices > 1) break;
    }
    if (spread.slices == 1) return false;
    const std::uint32_t rest = each / spread.slices;
    if (f_.may_split(outer) && rest > 1 && rest <= most && spread.slices < slices) {
      spread.parts = rest;
    }
    spread_[classes_.Of(axis.id)] = std::move(spread);
    return true;
  }
  /// The largest power of two among the sizes that divides a number and is not above `most`.
  static std::uint32_t LargestPower(const std::vector<std::uint32_t>& sizes, std::uint32_t number,
                                    double most) {
    std::uint32_t largest = 1;
    for (const std::uint32_t size : sizes) {
      if (std::has_single_bit(size) && size <= most && number % size == 0) largest = size;
    }
    return largest;
  }

  /// Blocks divide it; each goes through its part in a loop.
  void Divide(const LogicalDim& axis, const std::vector<LogicalDimId>& results, double threads,
              double machine, double most) {
    const Dimension &outer = f_.dim(axis.dims.front()), &inner = f_.dim(axis.dims.back());
    if (axis.dims.size() < 2 || !f_.may_split(outer)) return;
    for (std::size_t index = 0; has_threads_ && index < results.size() && index < 2; ++index) {
      threads /= index == 0 ? shape_.columns.front() : shape_.rows.front();
    }
    const double least = has_threads_ ? kLeastSteps : kLeastStepsOfCore;
    const double wanted = std::min({machine / std::max(threads, 1.0), most, axis.extent / least});
    if (wanted < 2) return;
    Spread spread;
    spread.parts = Nearest(outer.sizes, wanted, [&](std::uint32_t size) {
      return size <= most && axis.extent % size == 0;
    });
    if (spread.parts > 1) {
      const std::uint32_t steps = axis.extent / spread.parts;
      std::ranges::copy_if(inner.sizes, std::back_inserter(spread.steps),
                           [&](std::uint32_t size) { return steps % size == 0; });
      std::ranges::sort(spread.steps, std::greater<>());
    }
    spread_[classes_.Of(axis.id)] = std::move(spread);
  }

  /// About `wanted` blocks divide an axis beside another one.
  const Spread& DivideWhole(const LogicalDim& axis, double wanted) {
    const Dimension &outer = f_.dim(axis.dims.front()), &inner = f_.dim(axis.dims.back());
    Spread& spread = spread_[classes_.Of(axis.id)];
    if (wanted < 2 || !f_.may_split(outer)) return spread;
    spread.parts = Nearest(outer.sizes, wanted, [&](std::uint32_t size) {
      const bool is_whole = size == axis.extent;
      return size <= wanted && axis.extent % size == 0 &&
             (is_whole || (axis.dims.size() > 1 && Contains(inner.sizes, axis.extent / size)));
    });
    if (spread.parts > 1 && axis.dims.size() > 1) spread.steps = {axis.extent / spread.parts};
    return spread;
  }
  const Spread& SpreadOf(const LogicalDim& axis) const { return spread_[classes_.Of(axis.id)]; }
  /// The level of a reduced axis that is its loop; -1: none.
  int LoopLevel(const LogicalDim& axis) const {
    const Spread& spread = SpreadOf(axis);
    if (!spread.steps.empty() && spread.lanes > 1) return spread.loop;
    if (!spread.steps.empty()) return static_cast<int>(axis.dims.size()) - 1;
    return spread.parts > 1 ? -1 : 0;
  }

  /// The level that threads take, of an axis; -1: none.
  int ThreadLevel(const LogicalDim& axis) const {
    if (SpreadOf(axis).slices > 1) return static_cast<int>(axis.dims.size()) - 2;
    if (is_serial_[classes_.Of(axis.id)]) return -1;
    const Role role = RoleOf(axis.id);
    if (!has_threads_ || !shape_.tiled || (role != Role::kRow && role != Role::kColumn)) return -1;
    const int last = static_cast<int>(axis.dims.size()) - 1;
    return last >= 2 ? last - 1 : last >= 1 ? last : -1;
  }
  /// The level in registers; -1: none.
  int RegisterLevel(const LogicalDim& axis) const {
    const Role role = RoleOf(axis.id);
    if (!shape_.tiled || (role != Role::kRow && role != Role::kColumn)) return -1;
    const int last = static_cast<int>(axis.dims.size()) - 1;
    return last >= (has_threads_ ? 2 : 1) ? last : -1;
  }

  /// Threads with neighbours each, or vectors, as many as there are. What is naive otherwise has to
  /// have them here, too, but not how many.
  void SizesOfKept(const LogicalDim& axis) {
    if (!shape_.tiled) return;
    const int last = static_cast<int>(axis.dims.size()) - 1;
    if (const int level = ThreadLevel(axis); level > 0) {
      const auto threads_of = [&](std::uint32_t copies) {
        const std::uint32_t threads = axis.extent % copies == 0 ? axis.extent / copies : 0;
        const bool is_there =
            Contains(f_.dim(axis.dims[static_cast<std::size_t>(level)]).sizes, threads);
        return is_there && threads <= kSlices ? threads : 0;
      };
      const auto fits = [&](std::uint32_t copies) { return threads_of(copies) > 0; };
      const std::uint32_t copies = Nearest(f_.dim(axis.dims.back()).sizes, kLeastCopies, fits);
      SizeOf(axis, last, {copies});
      SizeOf(axis, level, {threads_of(copies)});
    } else {
      SizeOf(axis, last, shape_.columns);
    }
    SizeOf(axis, 0, {1});
  }

  void Sizes(const Instruction& main) {
    for (const LogicalDimId id : AxesOf(main)) {
      const LogicalDim& axis = f_.logical(id);
      const std::size_t number = classes_.Of(id);
      const Spread& spread = spread_[number];
      if (is_kept_[number] && axis.dims.size() > 1) {
        SizesOfKept(axis);
        continue;
      }
      if (spread.slices > 1) {
        SizeOf(axis, ThreadLevel(axis), {spread.slices});
        SizeOf(axis, static_cast<int>(axis.dims.size()) - 1, {spread.copies});
        if (spread.repeats > 1) SizeOf(axis, 1, {spread.repeats});
      } else if (spread.lanes > 1) {
        const int last = static_cast<int>(axis.dims.size()) - 1;
        SizeOf(axis, last, {spread.lanes});
        if (spread.copies > 1) SizeOf(axis, last - 1, {spread.copies});
        if (spread.parts > 1) {
          SizeOf(axis, 0, {spread.parts});
          SizeOf(axis, spread.loop, spread.steps);
        }
      } else if (spread.parts > 1) {
        SizeOf(axis, 0, {spread.parts});
        if (!spread.steps.empty()) SizeOf(axis, LoopLevel(axis), spread.steps);
      }
      if (const int level = RegisterLevel(axis); level > 0) {
        const bool is_column = roles_[number] == Role::kColumn;
        if (is_serial_[number]) SizeOf(axis, level, {1});
        if (is_beside_lanes_[number]) {
          const std::uint32_t most = is_column ? kColumnsOfLanes : kRowsOfLanes;
          SizeOf(axis, level, {LargestPower(f_.dim(axis.dims.back()).sizes, axis.extent, most)});
        }
        SizeOf(axis, level, is_column ? shape_.columns : shape_.rows);
      }
      if (const int level = ThreadLevel(axis); level > 0 && spread.slices == 1) {
        SizeOf(axis, level, is_alone_[number] ? shape_.all_threads : shape_.threads);
      }
      for (std::size_t level = 1; level < axis.dims.size(); ++level) {
        SizeOf(axis, static_cast<int>(level), {1});
      }
    }
  }
  void SizeOf(const LogicalDim& axis, int level, const std::vector<std::uint32_t>& sizes) {
    WantOf("size", f_.dim(axis.dims[static_cast<std::size_t>(level)]).name(), Numbers(sizes));
  }

  /// Of the nest of an instruction that runs once: what the others have to follow.
  void Kinds(const Instruction& main) {
    for (const DimId id : main.dims) KindOf(f_.dim(id));
  }
  void KindOf(const Dimension& dim) {
    const LogicalDim& axis = f_.logical(dim.logical);
    const Role role = RoleOf(axis.id);
    const Spread& spread = SpreadOf(axis);
    if (is_kept_[classes_.Of(axis.id)] && !shape_.tiled) return;
    if (dim.level == 0) {
      // A GPU has many blocks; the cores of a cpu take those of the first axis.
      const bool is_of_result =
          role != Role::kOther && (has_threads_ || is_first_[classes_.Of(axis.id)]);
      const bool is_block = has_blocks_ && shape_.tiled && (is_of_result || spread.parts > 1);
      WantOf(
          "dim_kind", dim.name(),
          is_block ? std::vector<std::string>{"BLOCK", "LOOP"} : std::vector<std::string>{"LOOP"});
    } else if (dim.level == ThreadLevel(axis)) {
      WantOf("dim_kind", dim.name(), {"THREAD", "LOOP"});
    } else if (spread.slices > 1) {
      WantOf("dim_kind", dim.name(), {"UNROLL", "LOOP"});
    } else if (spread.lanes > 1 && dim.level == static_cast<int>(axis.dims.size()) - 1) {
      WantOf("dim_kind", dim.name(), {"VECTOR", "UNROLL"});
    } else if (spread.lanes > 1) {
      const bool is_loop = dim.level == LoopLevel(axis);
      WantOf("dim_kind", dim.name(), {is_loop ? "LOOP" : "UNROLL"});
    } else if (dim.level == RegisterLevel(axis)) {
      const bool is_column = role == Role::kColumn && !has_threads_ && IsContiguous(axis);
      WantOf("dim_kind", dim.name(),
             is_column ? std::vector<std::string>{"VECTOR", "UNROLL"}
                       : std::vector<std::string>{"UNROLL"});
    }
  }
  /// How one value is made of what blocks have of it. Where a block has many values, one block
  /// would take long for those of all; otherwise the last block needs no second launch.
  void Across(const Instruction& reduction) {
    const bool is_divided = std::ranges::any_of(AxesOf(reduction), [&](LogicalDimId axis) {
      return IsReduced(axis) && spread_[classes_.Of(axis)].parts > 1;
    });
    const bool is_sliced = std::ranges::any_of(AxesOf(reduction), [&](LogicalDimId axis) {
      return spread_[classes_.Of(axis)].slices > 1;
    });
    std::vector<std::string> ways = {"NOT_ACROSS"};
    if (is_divided) ways = {"LAST_BLOCK", "SECOND_LAUNCH", "NOT_ACROSS"};
    if (is_divided && !is_sliced) ways.insert(ways.begin(), {"ATOMIC_VECTOR", "ATOMIC_RED"});
    WantOf("across_blocks", reduction.name(), std::move(ways));
  }
  /// Do all accesses along it take one element after the other? What is not made of vectors need
  /// not be computed in them.
  bool IsContiguous(const LogicalDim& axis) const {
    const std::size_t number = classes_.Of(axis.id);
    for (const Instruction& inst : f_.insts) {
      for (const ir::AccessAxis& access : inst.access) {
        if (classes_.Of(access.logical) == number && access.stride != 1) return false;
      }
    }
    return true;
  }

  /// Registers, within the loops of the result. What one reduction yields for another would be
  /// computed once for each of its uses: it goes through a temporary array.
  void Travel(const Communication& comm) {
    const Instruction& consumer = f_.inst(comm.consumer);
    const bool is_chain =
        comm.may_lower && f_.inst(comm.producer).is_reduction() && consumer.is_reduction();
    for (const ir::PairId id : comm.pairs) {
      const DimPair& pair = f_.pair(id);
      const Dimension& dst = f_.dim(pair.dst);
      const LogicalDim& axis = f_.logical(dst.logical);
      if (is_chain && dst.is_reduction) {
        WantOf("dim_mapping", pair.name(), {"NOT_MAPPED"});
      } else if (is_chain && dst.level == RegisterLevel(axis)) {
        WantOf("dim_mapping", pair.name(), {"NOT_MAPPED", "UNROLL_MAP"});
      } else if (dst.level == RegisterLevel(axis) || IsSharedByTile(consumer, dst)) {
        WantOf("dim_mapping", pair.name(), OrThrough(comm, {"UNROLL_MAP", "MERGE_MAP"}));
      } else {
        // Loops around values of a reduction are not its own: it must be over.
        WantOf("dim_mapping", pair.name(),
               OrThrough(comm, {"MERGE_MAP", "UNROLL_MAP", "THREAD_MAP"}));
      }
    }
  }

  /// Is it the lanes of an axis, or the copies of them?
  bool IsOfLanes(const LogicalDim& axis, const Dimension& dim) const {
    const int last = static_cast<int>(axis.dims.size()) - 1;
    return dim.level == last || (SpreadOf(axis).copies > 1 && dim.level == last - 1);
  }

  /// Is it in registers of lanes, which sums of a tile share? They are read before the tile.
  bool IsSharedByTile(const Instruction& consumer, const Dimension& dim) const {
    const LogicalDim& axis = f_.logical(dim.logical);
    if (SpreadOf(axis).lanes == 1 || !IsOfLanes(axis, dim)) return false;
    return std::ranges::any_of(AxesOf(consumer), [&](LogicalDimId id) {
      return is_beside_lanes_[classes_.Of(id)] && RegisterLevel(f_.logical(id)) >= 0;
    });
  }

  /// As a last resort through a temporary array, where that may be.
  static std::vector<std::string> OrThrough(const Communication& comm,
                                            std::vector<std::string> values) {
    if (comm.may_lower) values.emplace_back("NOT_MAPPED");
    return values;
  }

  /// Blocks and loops of the result, blocks of the reduction, threads, loops of the reduction,
  /// registers: in this order.
  void Nest(const Instruction& main) {
    std::vector<const Dimension*> outer, threads, loops, registers;
    for (const DimId id : main.dims) {
      const Dimension& dim = f_.dim(id);
      const LogicalDim& axis = f_.logical(dim.logical);
      const Spread& spread = SpreadOf(axis);
      if (dim.is_reduction) {
        if (dim.level == LoopLevel(axis)) {
          loops.push_back(&dim);
        } else if (dim.level == 0 && spread.parts > 1) {
          outer.push_back(&dim);
        } else if (spread.slices > 1) {
          (dim.level == ThreadLevel(axis) ? threads : registers).push_back(&dim);
        } else if (spread.lanes > 1 && IsOfLanes(axis, dim)) {
          registers.push_back(&dim);
        }
      } else if (dim.level == 0) {
        outer.push_back(&dim);
      } else if (dim.level == ThreadLevel(axis)) {
        threads.push_back(&dim);
      } else if (dim.level == RegisterLevel(axis)) {
        registers.push_back(&dim);
      }
    }
    std::vector<const Dimension*> all = outer;
    for (const auto* part : {&threads, &loops, &registers}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    for (std::size_t index = 0; index + 1 < all.size(); ++index) {
      Order(*all[index], *all[index + 1], "OUTER");
    }
  }

  const Target& f_;
  const Shape& shape_;
  AxisClasses classes_;
  std::vector<Role> roles_;            ///< By class, as what follows.
  std::vector<bool> is_first_;         ///< The first axis of a result.
  std::vector<bool> is_alone_;         ///< The only axis of a result.
  std::vector<bool> is_serial_;        ///< Threads have slices of a reduction instead.
  std::vector<bool> is_beside_lanes_;  ///< Of a result whose reduction has lanes.
  std::vector<bool> is_kept_;          ///< Registers hold all of it.
  std::vector<Spread> spread_;
  bool has_threads_, has_blocks_;
  Recipe recipe_;
};

}  // namespace

std::vector<Recipe> FirstRecipes(const Target& function) {
  std::vector<Recipe> recipes;
  for (Recipe& recipe : UnitRecipes(function)) {
    AppendRest(true, recipe);
    recipes.push_back(std::move(recipe));
  }
  Shape tiles{.name = "tiles"};
  if (function.device.max_threads > 1) {
    tiles.columns = tiles.rows = {4, 2, 1};
    tiles.threads = {16, 8, 32};
    // Of an axis that these do not divide: 14 columns have 7 threads with two each.
    for (std::uint32_t size = 15; size > 0; --size) {
      if (size != 8) tiles.threads.push_back(size);
    }
    tiles.all_threads = {256, 128, 64, 32, 16, 8, 4, 2, 1};
  } else {
    tiles.columns = Widths(function.device);
    tiles.rows = {4, 2, 3, 5, 6, 7, 8, 1};
  }
  if (std::optional<Recipe> rings = RingRecipe(function)) recipes.push_back(std::move(*rings));
  std::ranges::move(CopiedTileRecipes(function), std::back_inserter(recipes));
  std::ranges::move(RegisterTileRecipes(function), std::back_inserter(recipes));
  if (auto chained = ChainedTileRecipe(function)) recipes.push_back(std::move(*chained));
  std::ranges::move(StreamRecipes(function), std::back_inserter(recipes));
  std::ranges::move(WindowRecipes(function), std::back_inserter(recipes));
  recipes.push_back(Writer(function, tiles).Write());
  if (function.device.max_threads > 1) {
    // Of two products in a row a block holds whole rows of the second: with four rows for each
    // thread registers do not hold those of a long row.
    tiles.name = "low tiles";
    tiles.rows = {2, 1};
    recipes.push_back(Writer(function, tiles).Write());
  }
  recipes.push_back(Writer(function, {.name = "naive", .tiled = false}).Write());
  recipes.back().is_exact = true;
  return recipes;
}

}  // namespace exh::kernels
