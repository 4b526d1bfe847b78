// SPDX-License-Identifier: MIT
#include "kernels/recipes/processor/product_axes.h"

#include <algorithm>

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

bool FindAxes(const Target& f, ProductAxes& product) {
  for (const DimId id : product.sum->dims) {
    const Dimension& dim = f.dim(id);
    if (dim.level != 0) continue;
    const LogicalDim& axis = f.logical(dim.logical);
    if (dim.is_reduction) {
      product.reduced.push_back(&axis);
      continue;
    }
    if (product.rows != nullptr) product.outside.push_back(product.rows);
    product.rows = product.columns;
    product.columns = &axis;
  }
  return product.rows != nullptr && !product.reduced.empty() && product.rows->dims.size() > 1 &&
         product.columns->dims.size() > 1;
}

/// One of the factors moves along columns, element by element, and the other does not.
bool FindFactors(const Target& f, ProductAxes& product) {
  for (const Communication& comm : f.comms) {
    if (comm.planned || comm.consumer != product.sum->id || comm.is_init) continue;
    const LogicalDim* const along = ProducersAxis(f, comm, *product.columns);
    if (along == nullptr) continue;
    const Instruction& read = f.inst(comm.producer);
    const bool is_wide =
        read.op == ir::Op::kLoad && f.vectorizable(read, LevelOf(f, *along, LastLevel(*along)));
    if (product.wide != nullptr || !is_wide) return false;
    product.wide = &comm;
  }
  return product.wide != nullptr;
}

}  // namespace

bool HasSize(const Dimension& dim, std::uint32_t size) {
  return std::ranges::binary_search(dim.sizes, size);
}

const LogicalDim* ProducersAxis(const Target& function, const Communication& comm,
                                const LogicalDim& axis) {
  for (const ir::PairId id : comm.pairs) {
    const DimPair& pair = function.pair(id);
    if (function.dim(pair.dst).logical == axis.id) {
      return &function.logical(function.dim(pair.src).logical);
    }
  }
  return nullptr;
}

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
  ProductAxes product;
  product.sum = &sum;
  const bool is_sum = sum.op == ir::Op::kMad && FindAxes(function, product);
  if (!is_sum || !FindFactors(function, product)) return std::nullopt;
  return product;
}

RegisterTile RegisterTileOf(const Target& function, const ProductAxes& product,
                            std::uint32_t wanted_rows) {
  const auto& widths = function.device.vector_sizes;
  RegisterTile best;
  if (!function.device.vector_arithmetic || widths.empty()) return best;
  const std::uint32_t lanes = *std::ranges::max_element(widths);
  // AVX-512 has 32 vector registers, what has shorter vectors 16 or more.
  constexpr std::uint32_t kLongLanes = 16, kMany = 32, kFew = 16;
  const std::uint32_t registers = lanes >= kLongLanes ? kMany : kFew;
  const LogicalDim &rows = *product.rows, &columns = *product.columns;
  const auto has = [&](const LogicalDim& axis, int level, std::uint32_t size) {
    return HasSize(LevelOf(function, axis, level), size);
  };
  const int row_level = LastLevel(rows), column_level = LastLevel(columns);
  const std::uint32_t most_rows = LevelOf(function, rows, row_level).sizes.back();
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
