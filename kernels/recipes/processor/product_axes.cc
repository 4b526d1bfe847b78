// SPDX-License-Identifier: MIT
#include "kernels/recipes/processor/product_axes.h"

#include <algorithm>

#include "kernels/ir/target/lanes.h"
#include "kernels/ir/target/nest_axes.h"

namespace exh::kernels {
namespace {

using ir::Communication;
using ir::Dimension;
using ir::DimId;
using ir::DimPair;
using ir::Instruction;
using ir::LogicalDim;
using ir::Target;

/// Multiply-adds that do not wait for each other: two units, four or five cycles.
constexpr std::uint32_t kLeastSums = 8;

/// What a tile reads for each multiply-add. Vectors come from the panel, which is in the second
/// cache; elements of the other factor are in the first, and are used again at once.
double ReadsOf(const RegisterTile& tile) {
  constexpr double kFar = 2;
  return kFar / tile.rows + 1.0 / tile.vectors;
}

/// One of the factors moves along columns, element by element, and the other does not.
const Communication* WideFactor(const Target& f, const ProductAxes& product) {
  const Communication* wide = nullptr;
  for (const Communication* comm : ir::OperandsOf(f, *product.sum)) {
    const LogicalDim* const along = ir::ProducersAxis(f, *comm, *product.columns);
    if (along == nullptr) continue;
    const Instruction& read = f.inst(comm->producer);
    const bool is_wide = read.op == ir::Op::kLoad &&
                         f.vectorizable(read, ir::LevelOf(f, *along, ir::LastLevel(*along)));
    if (wide != nullptr || !is_wide) return nullptr;
    wide = comm;
  }
  return wide;
}

}  // namespace

std::set<DimId> PairedDims(const Target& function, const Dimension& dim) {
  std::set<DimId> found = {dim.id};
  const auto is_step = [&](DimId from, DimId to) {
    return found.contains(from) && !function.dim(to).is_reduction;
  };
  for (std::size_t before = 0; before < found.size();) {
    before = found.size();
    for (const DimPair& pair : function.pairs) {
      if (is_step(pair.src, pair.dst)) found.insert(pair.dst);
      if (is_step(pair.dst, pair.src)) found.insert(pair.src);
    }
  }
  return found;
}

std::optional<ProductAxes> ProductAxesOf(const Target& function, const Instruction& sum) {
  ProductAxes product{.sum = &sum,
                      .outside = ir::ResultAxes(function, sum),
                      .reduced = ir::ReducedAxes(function, sum)};
  if (sum.op != ir::Op::kMad || product.outside.size() < 2) return std::nullopt;
  for (const LogicalDim** axis : {&product.columns, &product.rows}) {
    *axis = product.outside.back();
    product.outside.pop_back();
    if (ir::LastLevel(**axis) == 0) return std::nullopt;
  }
  product.wide = WideFactor(function, product);
  return product.wide == nullptr ? std::nullopt : std::optional(product);
}

RegisterTile RegisterTileOf(const Target& function, const ProductAxes& product,
                            std::uint32_t wanted_rows) {
  RegisterTile best;
  const std::uint32_t lanes = ir::WidestVector(function.device);
  if (!function.device.vector_arithmetic || lanes == 1) return best;
  // AVX-512 has 32 vector registers, what has shorter vectors 16 or more.
  constexpr std::uint32_t kLongLanes = 16, kMany = 32, kFew = 16;
  const std::uint32_t registers = lanes >= kLongLanes ? kMany : kFew;
  const LogicalDim &rows = *product.rows, &columns = *product.columns;
  const auto has = [&](const LogicalDim& axis, int level, std::uint32_t size) {
    return ir::HasSize(ir::LevelOf(function, axis, level), size);
  };
  const int row_level = ir::LastLevel(rows), column_level = ir::LastLevel(columns);
  const std::uint32_t most_rows = ir::LevelOf(function, rows, row_level).sizes.back();
  for (std::uint32_t vectors = 1; vectors < registers; ++vectors) {
    const std::uint32_t width = vectors * lanes;
    const bool has_vectors =
        vectors == 1 || (column_level > 1 && has(columns, column_level - 1, vectors));
    if (columns.extent % width != 0 || !has_vectors || !has(columns, column_level, lanes) ||
        !has(columns, 0, columns.extent / width)) {
      continue;
    }
    for (std::uint32_t size = wanted_rows > 0 ? wanted_rows : 2; size <= most_rows; ++size) {
      if (size * vectors + vectors + 1 > registers) break;
      if (wanted_rows > 0 && size != wanted_rows) break;
      if (rows.extent % size != 0 || !has(rows, row_level, size) ||
          !has(rows, 0, rows.extent / size) || size * vectors < kLeastSums) {
        continue;
      }
      const RegisterTile tile{size, vectors, lanes};
      if (best.rows == 0 || ReadsOf(tile) < ReadsOf(best)) best = tile;
    }
  }
  return best;
}

}  // namespace exh::kernels
