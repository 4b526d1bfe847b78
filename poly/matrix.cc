// SPDX-License-Identifier: MIT
//
// Elimination without fractions: a step replaces a row by (pivot * row - factor * pivot row),
// divided by the greatest common divisor of what results. Every number stays whole, so that no
// rounding can make dependent rows look independent.
#include "poly/matrix.h"

#include <cstdlib>
#include <numeric>

#include "base/error.h"

namespace exh::poly {
namespace {

std::int64_t Combine(std::int64_t pivot, std::int64_t a, std::int64_t factor, std::int64_t b) {
  std::int64_t left = 0, right = 0, result = 0;
  if (__builtin_mul_overflow(pivot, a, &left) || __builtin_mul_overflow(factor, b, &right) ||
      __builtin_sub_overflow(left, right, &result)) {
    throw TooLarge("rows of a schedule have coefficients that do not fit 64 bits");
  }
  return result;
}

struct Eliminated {
  IntMatrix rows;           // Independent ones; a pivot column is zero in all rows but its own.
  std::vector<int> pivots;  // The pivot column of each row.
};

Eliminated Eliminate(const IntMatrix& given, int num_columns) {
  Eliminated result;
  IntMatrix& rows = result.rows;
  rows = given;
  std::size_t next = 0;
  for (int column = 0; column < num_columns && next < rows.size(); ++column) {
    std::size_t pivot = next;
    while (pivot < rows.size() && rows[pivot][column] == 0) ++pivot;
    if (pivot == rows.size()) continue;
    std::swap(rows[next], rows[pivot]);
    const IntRow chosen = rows[next];
    for (std::size_t other = 0; other < rows.size(); ++other) {
      if (other == next || rows[other][column] == 0) continue;
      const std::int64_t factor = rows[other][column];
      for (int i = 0; i < num_columns; ++i) {
        rows[other][i] = Combine(chosen[column], rows[other][i], factor, chosen[i]);
      }
      DivideByGcd(rows[other]);
    }
    result.pivots.push_back(column);
    ++next;
  }
  rows.resize(next);
  return result;
}

}  // namespace

void DivideByGcd(IntRow& row) {
  std::int64_t divisor = 0;
  for (std::int64_t number : row) divisor = std::gcd(divisor, number);
  if (divisor <= 1) return;
  for (std::int64_t& number : row) number /= divisor;
}

int Rank(const IntMatrix& rows, int num_columns) {
  return static_cast<int>(Eliminate(rows, num_columns).rows.size());
}

IntMatrix OrthogonalComplement(const IntMatrix& rows, int num_columns) {
  const Eliminated eliminated = Eliminate(rows, num_columns);
  std::vector<bool> is_pivot(num_columns, false);
  for (int pivot : eliminated.pivots) is_pivot[pivot] = true;
  // Of a free column f comes the vector that has a number in f and in pivot columns alone. With the
  // least common multiple of the pivots in f, the others are whole.
  std::int64_t multiple = 1;
  for (std::size_t i = 0; i < eliminated.rows.size(); ++i) {
    const std::int64_t pivot = std::abs(eliminated.rows[i][eliminated.pivots[i]]);
    multiple = Combine(multiple / std::gcd(multiple, pivot), pivot, 0, 0);
  }
  IntMatrix basis;
  for (int free = 0; free < num_columns; ++free) {
    if (is_pivot[free]) continue;
    IntRow vector(num_columns, 0);
    vector[free] = multiple;
    for (std::size_t i = 0; i < eliminated.rows.size(); ++i) {
      const int pivot = eliminated.pivots[i];
      const std::int64_t scale = multiple / eliminated.rows[i][pivot];
      vector[pivot] = Combine(0, 0, scale, eliminated.rows[i][free]);
    }
    DivideByGcd(vector);
    basis.push_back(std::move(vector));
  }
  return basis;
}

}  // namespace exh::poly
