// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "kernels/ir/tiling.h"
#include "kernels/notation/numbers.h"
#include "kernels/notation/resolve.h"

namespace exh::kernels::notation {

/// The tile levels of a kernel's axes.
class AxisTiles {
 public:
  /// The kernel and its resolution outlive this. `paper`: for the paper's space.
  AxisTiles(const Kernel& kernel, const ResolvedKernel& resolution, bool paper);

  /// What the text says, or levels that fit most kernels: with one axis on the left side tiles are
  /// long, with two they are those of matrices, and with more there are two levels where neighbours
  /// adjoin in memory and one elsewhere. Where much is read there is one level. `reductions`: how
  /// many the kernel has.
  ir::Tiling Of(const Index& index, Numbers& numbers, int reductions) const;

 private:
  /// A maximum, and a product that sums over its axis and has more axes than it, like attention.
  struct Chain {
    int keys;  ///< The axis of both.
    int rows;  ///< The last axis that the maximum keeps.
  };
  void FindReductions(const Expr& expr, std::size_t statement);
  ir::Tiling Hinted(const Index& index, Numbers& numbers, int reductions) const;
  bool IsScanned(const Index& index) const;
  bool IsLeft(const Index& index) const;
  std::size_t LeftRank() const;
  bool Adjoins(const Index& index) const;

  const Kernel& kernel_;
  const ResolvedKernel& resolution_;
  const bool paper_;
  std::vector<std::pair<std::size_t, const Expr*>> reductions_;  ///< By statement.
  std::vector<Chain> chains_;
};

}  // namespace exh::kernels::notation
