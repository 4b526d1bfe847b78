// SPDX-License-Identifier: MIT
//
// Accesses as C++, over the arguments of a call.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/fused/statements.h"

namespace exh::kernels::fused {

/// Has the expression this variable?
bool Mentions(std::string_view expression, std::string_view variable);

/// The expression with every `variable` as `text`.
std::string Replaced(std::string_view expression, std::string_view variable, std::string_view text);

/// A condition of several terms, "c0 == 0 && c1 == 0", without one of them; nothing: it has no such
/// term.
std::optional<std::string> WithoutTerm(std::string_view condition, std::string_view term);

/// `arguments`: the value of each iterator of the statement, as an expression.
std::string RowText(const IndexRow& row, const std::vector<std::string>& arguments);

/// An affine access as one row of numbers: the element is the sum of strides times iterators, and
/// the offset.
struct FlatAccess {
  std::vector<std::int64_t> strides;  ///< By iterator.
  std::int64_t offset = 0;

  /// Neighbours along the iterator are neighbours in memory, and so many of them from a multiple
  /// of `width` on begin at a multiple of it.
  bool IsWide(int iterator, int width) const;
};
/// Rows that are not affine count as 0.
FlatAccess FlatOf(const Access& access, const std::vector<std::int64_t>& shape, int iterators);

/// Which element of a row-major tensor an access means.
std::string ElementText(const Access& access, const std::vector<std::int64_t>& shape,
                        const std::vector<std::string>& arguments);

/// Holds where a guarded access is in its tensor. `iterators`: of its statement.
std::string GuardText(const Access& access, const std::vector<std::int64_t>& shape,
                      const std::vector<Iterator>& iterators,
                      const std::vector<std::string>& arguments);

}  // namespace exh::kernels::fused
