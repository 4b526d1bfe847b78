// SPDX-License-Identifier: MIT
//
// Sums of multiples of indices: one instruction says their value, whatever they are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/notation/lower/operand.h"
#include "kernels/notation/resolve.h"

namespace exh::kernels::notation {

/// offset + sum of factor * index.
struct AffineIndex {
  std::int64_t offset = 0;
  std::vector<std::pair<const Index*, std::int64_t>> factors;  ///< None is 0; in order of a scope.

  std::int64_t FactorOf(const Index* index) const;
  friend bool operator==(const AffineIndex&, const AffineIndex&) = default;
};

/// What `expr` is, where it is made of indices of the scope, sizes and whole numbers by sums and
/// multiples, and fits an i32 with whatever it is made of. It may have no index.
std::optional<AffineIndex> AffineSumOf(const Expr& expr, const ResolvedKernel& resolution,
                                       const Scope& scope);

/// The same where it has an index.
std::optional<AffineIndex> AffineIndexOf(const Expr& expr, const ResolvedKernel& resolution,
                                         const Scope& scope);

/// What an instruction is known by, so that no other one says the same: at this depth of
/// reductions, this sum …
OperandKey KeyOf(const AffineIndex& index, int depth);

}  // namespace exh::kernels::notation
