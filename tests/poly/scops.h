// SPDX-License-Identifier: MIT
//
// Scops that several tests use.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "poly/influence.h"
#include "poly/scop.h"

namespace exh::poly {

/// Figure 2(a) of the paper of poly/influence.h: X: B[i][k] = f(A[i][k]), then
/// Y: C[i][j] = g(C[i][j], B[i][k], D[k][i][j]) with k innermost. All extents are `size`.
Scop Figure2(std::int64_t size);

/// Figure 3(b), which leads from Figure 2(a) to Figure 2(c): X and Y alike in two dimensions that
/// do not have j, then j; or only what is said of j.
InfluenceTree Figure3();

/// A fused operator of `num_statements` elementwise statements, in nests of their own, over five
/// axes of 8, 16, 32, 64 and 128. Each reads what one or two before it wrote; every fourth writes
/// with two axes exchanged, and every seventh sums up along one.
Scop FusedOperator(int num_statements, std::uint64_t seed);

/// Up to four statements of rank at most three in any nests, with accesses of any small
/// coefficients and extents from 1 to 5.
Scop RandomScop(Random& random);

}  // namespace exh::poly
