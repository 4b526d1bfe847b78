// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"

namespace exh::kernels::codegen {

/// constant + sum of coefficient * index of a dim class.
struct Affine {
  struct Term {
    int dim_class = -1;
    std::int64_t coefficient = 0;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms;  ///< Each class once, no zero coefficients.

  void Add(int dim_class, std::int64_t coefficient) {
    if (coefficient == 0) return;
    for (Term& term : terms) {
      if (term.dim_class == dim_class) {
        term.coefficient += coefficient;
        return;
      }
    }
    terms.push_back({dim_class, coefficient});
  }
  std::int64_t coefficient(int dim_class) const {
    for (const Term& term : terms) {
      if (term.dim_class == dim_class) return term.coefficient;
    }
    return 0;
  }
};

/// Adds the index of a dim, times `stride`.
inline void AddDim(const LoopTree& tree, ir::DimId dim, std::int64_t stride, Affine& affine) {
  const DimClass& dim_class = tree.class_of(dim);
  affine.Add(tree.class_of_dim[dim.index()], dim_class.step * stride);
  for (const LaneTerm& lanes : dim_class.lanes) affine.Add(lanes.dim_class, lanes.step * stride);
}

}  // namespace exh::kernels::codegen
