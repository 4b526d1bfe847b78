// SPDX-License-Identifier: MIT
//
// LinearForm: an output as a sum of products of matrices and of arrays, each times a number. This
// is what libraries can be asked for. Only the operations are looked at here; whether axes and
// strides are those of matrices is seen in matrix_product.h.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "kernels/derived/expression.h"

namespace exh::kernels::derived {

/// A product of literals and scalars; of none, 1. They are rounded to what is computed in.
struct Coefficient {
  std::vector<Expression::Input> numbers;
  double value() const;
};

struct LinearProduct;

/// A load, or a product of matrices that is computed before.
struct LinearFactor {
  int load = -1;                           ///< The node; -1: it is `product`.
  std::shared_ptr<LinearProduct> product;  ///< Null: it is `load`.
};

/// The sum of a b over some axes, which may be none.
struct LinearProduct {
  int node = -1;            ///< Whose value it is.
  Coefficient coefficient;  ///< Times this; of the product of an output, that of its term.
  bool has_relu = false;    ///< And then not less than 0.
  LinearFactor a, b;
  std::vector<int> axes, reduced;  ///< Of the value; summed over.
};

struct LinearTerm {
  Coefficient coefficient;
  LinearFactor factor;
};

struct LinearForm {
  int store = -1;
  std::vector<LinearTerm> terms;   ///< At least one; in the order of their nodes.
  bool has_relu = false;           ///< max(0, sum of the terms)
  ir::Type type = ir::Type::kF32;  ///< Of the output.
};

/// The type of its elements: a product that is computed before has the one that it is computed in.
ir::Type TypeOf(const Expression& expression, const LinearFactor& factor);

/// Does a load or a store begin at the first element, step forward only, and stay inside of its
/// array?
bool IsPlain(const Expression::Node& access);

/// The form of what the node `store` writes, if it has one. All is computed in one type, that of
/// the output's type (ir::ComputeTypeOf()), a float: nothing is converted to another one on the way
/// but elements that are loaded. No array is of floats of 8 bits. Both factors of a product are of
/// one type, which is the output's, or a half where that is f32; arrays that are not multiplied
/// have the output's. Loads are plain, but for factors of products where `gathers`: whoever asks
/// copies these.
std::optional<LinearForm> LinearFormOf(const Expression& expression, int store,
                                       bool gathers = false);

}  // namespace exh::kernels::derived
