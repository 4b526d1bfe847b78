// SPDX-License-Identifier: MIT
//
// What all writers of recipes have in common: wishes by typed calls, levels of axes, and the wishes
// that a recipe begins and ends with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ir/target.h"
#include "kernels/ir/target/nest_axes.h"
#include "kernels/recipes/recipe.h"
#include "kernels/recipes/value_names.h"

namespace exh::kernels {

/// Values that are wished for, best first: names, or numbers.
using Names = std::vector<std::string_view>;
using Numbers = std::vector<std::uint32_t>;
/// Loops from the outermost one inwards.
using Dims = std::vector<const ir::Dimension*>;

/// A wish is for one decision, Of("skew", block), or for all that are open of a choice, "skew".
class RecipeWriter {
 protected:
  using Communication = ir::Communication;
  using Dimension = ir::Dimension;
  using DimId = ir::DimId;
  using DimPair = ir::DimPair;
  using Instruction = ir::Instruction;
  using LogicalDim = ir::LogicalDim;
  using LogicalDimId = ir::LogicalDimId;
  using Target = ir::Target;

  explicit RecipeWriter(const Target& function) : f_(function) {}

  template <typename... Objects>
  static std::string Of(std::string_view choice, const Objects&... objects) {
    std::string decision(choice);
    char before = '(';
    ((decision += before, decision += objects.name(), before = ','), ...);
    return decision + ")";
  }
  void Want(std::string decision, const Names& values);
  void WantNumbers(std::string decision, const Numbers& values);

  /// Multiply-adds, the same tiles on both sides of communications, the same threads everywhere.
  void BeginPlainly();
  /// The plainest value of whatever is still open. `is_wide`: accesses take as many elements at
  /// once as they can. Nothing is written after this.
  Recipe Finish(std::string name, bool is_wide);

  void Size(const Dimension& dim, const Numbers& sizes);
  void Size(const Dimension& dim, std::uint32_t size) { Size(dim, Numbers{size}); }
  /// What has no size yet has one iteration.
  void NoOtherLevels() { WantNumbers("size", {1}); }
  void Kind(const Dimension& dim, const Names& kinds) { Want(Of("dim_kind", dim), kinds); }
  void Map(const DimPair& pair, const Names& ways) { Want(Of("dim_mapping", pair), ways); }
  /// … and a kind, where there is more than one iteration.
  void SizeAndKind(const Dimension& dim, std::uint32_t size, std::string_view kind) {
    Size(dim, size);
    if (size > 1) Kind(dim, {kind});
  }
  /// How both sides of a communication go through what a level has: not at all; in one loop; by the
  /// same threads, in one loop of them or rather not; by copies, whose values registers hold.
  enum class Together : std::uint8_t { kNowhere, kOneLoop, kThreadLoop, kSameThreads, kOwnCopies };
  /// `of(dim)` says it of the reader's dims.
  template <typename OfDim>
  void Travel(const Communication& comm, const OfDim& of) {
    for (const DimPair& pair : f_.pairs_of(comm)) {
      const Together together = of(f_.dim(pair.dst));
      if (together == Together::kOneLoop) Map(pair, {kMergeMap});
      if (together == Together::kThreadLoop) Map(pair, {kMergeMap, kThreadMap});
      if (together == Together::kSameThreads) Map(pair, {kThreadMap, kMergeMap});
      if (together == Together::kOwnCopies) Map(pair, {kUnrollMap, kMergeMap});
    }
  }
  /// Registers for each iteration, or one loop; the other one where that cannot be.
  void Hold(const DimPair& pair, bool in_registers);
  /// Each loop is around the next one, part after part.
  void Nest(const std::vector<Dims>& parts);
  template <typename A, typename B>
  void Order(const A& a, const B& b, std::string_view value) {
    Want(Of("order", a, b), {value});
  }
  /// A tile of one of an operand's axes that threads copy: that of a consumer's axis.
  struct CopiedSide {
    const LogicalDim* axis;
    std::uint32_t tile;
  };
  /// `threads` threads copy the tile of an operand with two such axes: wide along what adjoins in
  /// memory, then by threads, then again. What is around the tile is level 0 of the read's axes.
  void CopyTile(const Communication& comm, CopiedSide a, CopiedSide b, std::uint32_t threads);
  /// Elements that accesses take at once: as many as they can.
  static Names Widths() { return {"16", "8", "4", "2", "1"}; }
  void Widest(const Instruction& access) { Want(Of("vec", access), Widths()); }
  /// A temporary array has along `rank`, counted from the innermost one, what the dim fills.
  void StoreAlong(const ir::MemBlock& block, std::uint32_t rank, const Dimension& dim);

  /// The number of the innermost level of an axis; one of its levels; may the level have this size?
  static int Last(const LogicalDim& axis) { return ir::LastLevel(axis); }
  const Dimension& Level(const LogicalDim& axis, int level) const {
    return ir::LevelOf(f_, axis, level);
  }
  const Dimension& Innermost(const LogicalDim& axis) const { return Level(axis, Last(axis)); }
  bool Has(const LogicalDim& axis, int level, std::uint32_t size) const {
    return ir::HasSize(Level(axis, level), size);
  }
  const LogicalDim& AxisOf(const Dimension& dim) const { return f_.logical(dim.logical); }

  const Target& f_;

 private:
  Recipe recipe_;
};

}  // namespace exh::kernels
