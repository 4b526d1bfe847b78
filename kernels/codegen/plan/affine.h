// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace exh::kernels::codegen
