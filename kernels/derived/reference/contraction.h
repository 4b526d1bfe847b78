// SPDX-License-Identifier: MIT
//
// Reductions over products of two values as products of matrices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>

#include "kernels/derived/expression.h"
#include "kernels/derived/reference/product.h"
#include "kernels/derived/reference/rows.h"

namespace exh::kernels::derived {

/// A reduction over products of `left` and `right`, one product of matrices for each point of
/// `batch`. Rows and columns are the axes of the result that only one of them has.
struct Contraction {
  std::size_t left = 0, right = 1;  ///< Which input.
  Axes batch, rows, columns, depth;
};

/// None where it is no product of matrices, where going through the terms is as fast, or where they
/// have roundings in common (Expression::AccumulatesRunning()).
std::optional<Contraction> ContractionOf(const Expression& expression,
                                         const Expression::Node& node);

/// One of both matrices.
struct Factor {
  Doubles values, errors;      ///< Errors: none when there are no roundings.
  std::int64_t side = 1;       ///< Rows of the left one, columns of the right one.
  bool depth_is_last = false;  ///< Neighbours in memory are neighbours along the depth.
};

/// How a matrix is computed: a program over the axes of the batch, then those of the matrix.
struct Packing {
  RowProgram program;
  std::size_t batch_axes = 0;
  std::int64_t side = 1, depth = 1;
  bool has_errors = false, depth_is_last = false;
  bool has_roots = false;  ///< Errors of slots are those; of factors they are squares.

  Factor New() const {
    const std::int64_t elements = side * depth;
    return {Uninitialized(elements), has_errors ? Uninitialized(elements) : nullptr, side,
            depth_is_last};
  }
  std::int64_t rows() const { return program.RowsFrom(batch_axes); }
  /// A row of the matrix of a batch.
  void Fill(std::int64_t batch, std::int64_t row, const RowSlot& slot, Factor& factor) const {
    const std::int64_t place = program.Place(row) - batch * side * depth;
    std::copy_n(slot.value, program.Length(row), &factor.values[At(place)]);
    if (!has_errors) return;
    std::copy_n(slot.error, program.Length(row), &factor.errors[At(place)]);
    if (!has_roots) return;
    for (std::int64_t i = 0; i < program.Length(row); ++i) {
      double& error = factor.errors[At(place + i)];
      error *= error;
    }
  }
};

struct Products {
  using Product =
      std::function<bool(const MatrixView& left, const MatrixView& right, double* result)>;

  std::int64_t depth = 1;
  double terms = 1;                   ///< Of the whole reduction.
  double squares = 2;                 ///< What rounds a term, and additions, add to E for each.
  bool keeps_negative_zeros = false;  ///< A sum of nothing but -0 is -0.
  Product product;                    ///< False: it ended early.
  // What comes of it:
  double* values = nullptr;  ///< The sums.
  /// Their errors but those of their first value: the sum of all
  /// a^2 E(b) + b^2 E(a) + squares (a b)^2. Null: nobody asks for them.
  double* errors = nullptr;
  /// No sum of absolute values of finite terms is larger; -1 when no factor has errors and squares
  /// are terms + 1: then the errors tell.
  double largest = -1;

  /// Uses up what the factors hold. False: it ended early.
  bool Compute(Factor& left, Factor& right);

 private:
  /// … but what is open of products that are not finite.
  bool ComputeSums(Factor& left, Factor& right);
};

/// Products are of doubles, and their errors squares: makes what slots hold of the `count` values
/// of a tensor. `largest`: no sum of absolute values of terms is larger. False: a double has no
/// place for some of it, so that all must be computed term by term.
bool ToSlots(const Reduction& reduction, double largest, std::int64_t count, NodeTensor& tensor);

}  // namespace exh::kernels::derived
