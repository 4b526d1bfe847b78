// SPDX-License-Identifier: MIT
//
// A real space for tests of what the toy space has not: triggers.
#pragma once

#include "search/subject/problem.h"

namespace exh::search {

/// A small product in the paper's space of a GPU, whose operands may go through memory.
inline Problem SmallMatmul() {
  ProblemOptions options;
  options.kernel = "matmul";
  options.size = "m=64,n=64,k=64";
  options.device = "h200";
  options.space = "paper";
  return MakeProblem(options);
}

}  // namespace exh::search
