// SPDX-License-Identifier: MIT
//
// The general recipe speaks of axes by their role. Axes of different nests that communications pair
// are one: what is said of one of them follows for the others. A nest is that of an instruction
// that runs once for each of its points (a reduction, or a store); its last axis that is not
// reduced is the one along which the result lies in memory, the others are rows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ir/target.h"
#include "kernels/ir/target/nest_axes.h"

namespace exh::kernels {

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

/// What is chosen in a recipe.
struct TileShape {
  std::string name;
  std::vector<std::uint32_t> columns, rows;  ///< Of the innermost level, best first.
  std::vector<std::uint32_t> threads;        ///< Of an axis, where the device has threads.
  std::vector<std::uint32_t> all_threads;    ///< Of the only axis of a result.
  bool tiled = true;
};

/// What a recipe does with an axis, and with those that are paired with it.
struct AxisUse {
  Role role = Role::kOther;
  bool is_first = false;         ///< The first axis of a result.
  bool is_alone = false;         ///< The only axis of a result.
  bool is_serial = false;        ///< Threads have slices of a reduction instead.
  bool is_beside_lanes = false;  ///< Of a result whose reduction has lanes.
  bool is_kept = false;          ///< Registers hold all of it.
  Spread spread;
};

class AxisPlan {
 public:
  /// Finds roles, and what is kept; reductions are not spread yet.
  AxisPlan(const ir::Target& function, const TileShape& shape);

  AxisUse& operator[](const ir::LogicalDim& axis) { return uses_[ClassOf(axis.id)]; }
  const AxisUse& operator[](const ir::LogicalDim& axis) const { return uses_[ClassOf(axis.id)]; }
  /// Are they one?
  bool AreOne(ir::LogicalDimId a, ir::LogicalDimId b) const { return ClassOf(a) == ClassOf(b); }

  const ir::Target& function() const { return f_; }
  const TileShape& shape() const { return shape_; }
  bool has_threads() const { return f_.device.max_threads > 1; }
  bool has_blocks() const { return has_threads() || f_.device.threads > 1; }
  /// What runs once for each of its points: reductions before stores.
  const std::vector<const ir::Instruction*>& mains() const { return mains_; }

  /// Do all accesses along it take one element after the other? What is not made of vectors need
  /// not be computed in them.
  bool IsContiguous(const ir::LogicalDim& axis) const;

  /// The level of an axis that threads take; the level in registers; -1: there is none.
  int ThreadLevel(const ir::LogicalDim& axis) const;
  int RegisterLevel(const ir::LogicalDim& axis) const;
  /// The level of a reduced axis that is its loop; -1: none.
  int LoopLevel(const ir::LogicalDim& axis) const;
  /// Of the level in registers, beside lanes of a reduction.
  std::uint32_t SizeBesideLanes(const ir::LogicalDim& axis) const;

 private:
  std::size_t ClassOf(ir::LogicalDimId axis) const;
  void FindMains();
  void FindRoles();
  void FindKept();

  const ir::Target& f_;
  const TileShape& shape_;
  std::vector<const ir::Instruction*> mains_;
  std::vector<std::size_t> parent_;  ///< By axis: one that it is one with, or itself.
  std::vector<AxisUse> uses_;        ///< By class.
};

/// Spreads each reduction over the machine (spread.cc).
void SpreadReductions(AxisPlan& plan);

}  // namespace exh::kernels
