// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace exh::poly {

/// One row of whole numbers. What its columns are is said where it is used.
using IntRow = std::vector<std::int64_t>;
/// Rows of the same width. An empty matrix has no rows; its width is known from where it stands.
using IntMatrix = std::vector<IntRow>;

/// The number of rows of `rows` that are linearly independent.
/// Throws TooLarge where a number of the elimination leaves 64 bits.
int Rank(const IntMatrix& rows, int num_columns);

/// A basis of all vectors that are orthogonal to every row, in whole numbers without a common
/// divisor. Each vector has a positive number in the column that it is free in. No rows: the unit
/// vectors. Throws TooLarge where a number of the elimination leaves 64 bits.
IntMatrix OrthogonalComplement(const IntMatrix& rows, int num_columns);

/// Divides a row by the greatest common divisor of its numbers.
void DivideByGcd(IntRow& row);

}  // namespace exh::poly
