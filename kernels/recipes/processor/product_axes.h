// SPDX-License-Identifier: MIT
//
// A sum of products on a processor, by the roles of its axes, and the tile of its result that
// registers hold.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "kernels/ir/target.h"

namespace exh::kernels {

/// A sum of products, one factor of which lies along the columns of the result as lanes need it.
struct ProductAxes {
  const ir::Instruction* sum = nullptr;
  /// The last two axes of the result; those before them; those that are summed over.
  const ir::LogicalDim *rows = nullptr, *columns = nullptr;
  std::vector<const ir::LogicalDim*> outside, reduced;
  const ir::Communication* wide = nullptr;  ///< What hands over the factor that lies along columns.
};
/// Nothing: the reduction is no such sum.
std::optional<ProductAxes> ProductAxesOf(const ir::Target& function, const ir::Instruction& sum);

/// Rows by vectors of columns. No rows: there is none.
struct RegisterTile {
  std::uint32_t rows = 0, vectors = 0, lanes = 1;
};
/// For each step of the sum a tile of r rows by v vectors reads r + v times and multiplies r * v
/// times: the larger it is, the less it reads. Its sums, the v vectors of one factor and one
/// element of the other are in registers at once. Of the tiles that fit, the one that reads least
/// is taken whose sums are enough to hide how long a multiply-add takes. `rows`: so many, if not 0.
RegisterTile RegisterTileOf(const ir::Target& function, const ProductAxes& product,
                            std::uint32_t rows = 0);

/// The dimension and those of other nests that communications pair with it, in several steps; what
/// another sum runs over is no step.
std::set<ir::DimId> PairedDims(const ir::Target& function, const ir::Dimension& dim);

}  // namespace exh::kernels
