// SPDX-License-Identifier: MIT
//
// Recipes speak of axes by their role. Axes of different nests that communications pair are one:
// what is said of one of them follows for the others. A nest is that of an instruction that runs
// once for each of its points (a reduction, or a store); its last axis that is not reduced is the
// one along which the result lies in memory, the others are rows. Outermost levels hold blocks and
// loops, the innermost level what a thread (or a core) has in registers, the level before it the
// threads of a GPU. All other levels are absent.
#include "kernels/first.h"

#include <algorithm>
#include <numeric>
#include <string_view>

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
        has_threads_(function.device.max_threads > 1),
        has_blocks_(has_threads_ || function.device.threads > 1) {
    FindRoles();
  }

  Recipe Write() {
    recipe_.name = shape_.name;
    Want("tiles", {"SAME_TILES"});
    Want("thread_layout", {"SHARED_LAYOUT"});
    for (const Instruction* main : Mains()) Sizes(*main);
    Want("size", {"1"});
    for (const Instruction* main : Mains()) Kinds(*main);
    for (const Dimension& dim : f_.dims) {
      if (!dim.planned) KindOf(dim);
    }
    for (const Communication& comm : f_.comms) {
      if (!comm.planned) Travel(comm);
    }
    for (const Instruction* main : Mains()) Nest(*main);
    Want("dim_kind", {"LOOP", "UNROLL"});
    Want("dim_mapping", {"MERGE_MAP", "UNROLL_MAP", "THREAD_MAP"});
    Want("mem_space", {"SHARED", "GLOBAL"});
    Want("order", {"BEFORE", "OUTER", "AFTER", "INNER"});
    Want("vec", has_threads_ && shape_.tiled ? std::vector<std::string>{"16", "8", "4", "2", "1"}
                                             : std::vector<std::string>{"1"});
    Want("pad", {"0"});
    Want("advance", {"ON_TIME"});
    Want("cache", {"CACHE_DEFAULT", "CACHE_GLOBAL"});
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

  /// The level that threads take, of an axis; -1: none.
  int ThreadLevel(const LogicalDim& axis) const {
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

  void Sizes(const Instruction& main) {
    for (const LogicalDimId id : AxesOf(main)) {
      const LogicalDim& axis = f_.logical(id);
      const std::size_t number = classes_.Of(id);
      if (const int level = RegisterLevel(axis); level > 0) {
        const bool is_column = roles_[number] == Role::kColumn;
        SizeOf(axis, level, is_column ? shape_.columns : shape_.rows);
      }
      if (const int level = ThreadLevel(axis); level > 0) {
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
    if (dim.level == 0) {
      // A GPU has many blocks; the cores of a cpu take those of the first axis.
      const bool is_block = has_blocks_ && shape_.tiled && role != Role::kOther &&
                            (has_threads_ || is_first_[classes_.Of(axis.id)]);
      WantOf(
          "dim_kind", dim.name(),
          is_block ? std::vector<std::string>{"BLOCK", "LOOP"} : std::vector<std::string>{"LOOP"});
    } else if (dim.level == ThreadLevel(axis)) {
      WantOf("dim_kind", dim.name(), {"THREAD", "LOOP"});
    } else if (dim.level == RegisterLevel(axis)) {
      const bool is_column = role == Role::kColumn && !has_threads_ && IsContiguous(axis);
      WantOf("dim_kind", dim.name(),
             is_column ? std::vector<std::string>{"VECTOR", "UNROLL"}
                       : std::vector<std::string>{"UNROLL"});
    }
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
      } else if (dst.level == RegisterLevel(axis)) {
        WantOf("dim_mapping", pair.name(), OrThrough(comm, {"UNROLL_MAP", "MERGE_MAP"}));
      } else {
        // Loops around values of a reduction are not its own: it must be over.
        WantOf("dim_mapping", pair.name(),
               OrThrough(comm, {"MERGE_MAP", "UNROLL_MAP", "THREAD_MAP"}));
      }
    }
  }

  /// As a last resort through a temporary array, where that may be.
  static std::vector<std::string> OrThrough(const Communication& comm,
                                            std::vector<std::string> values) {
    if (comm.may_lower) values.emplace_back("NOT_MAPPED");
    return values;
  }

  /// Blocks and loops of the result, threads, loops of the reduction, registers: in this order.
  void Nest(const Instruction& main) {
    std::vector<const Dimension*> outer, threads, loops, registers, rest;
    for (const DimId id : main.dims) {
      const Dimension& dim = f_.dim(id);
      const LogicalDim& axis = f_.logical(dim.logical);
      if (dim.is_reduction) {
        (dim.level == 0 ? loops : rest).push_back(&dim);
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
  std::vector<Role> roles_;     ///< By class, as what follows.
  std::vector<bool> is_first_;  ///< The first axis of a result.
  std::vector<bool> is_alone_;  ///< The only axis of a result.
  bool has_threads_, has_blocks_;
  Recipe recipe_;
};

/// From the widest that the device has to none.
std::vector<std::uint32_t> Widths(const ir::Device& device) {
  std::vector<std::uint32_t> widths = device.vector_sizes;
  std::ranges::sort(widths, std::greater<>());
  widths.push_back(1);
  return widths;
}

}  // namespace

std::vector<Recipe> FirstRecipes(const Target& function) {
  std::vector<Recipe> recipes;
  Shape tiles{.name = "tiles"};
  if (function.device.max_threads > 1) {
    tiles.columns = tiles.rows = {4, 2, 1};
    tiles.threads = {16, 8, 32, 4, 2, 1};
    tiles.all_threads = {256, 128, 64, 32, 16, 8, 4, 2, 1};
  } else {
    tiles.columns = Widths(function.device);
    tiles.rows = {4, 2, 3, 5, 6, 7, 8, 1};
  }
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
