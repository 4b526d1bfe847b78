// SPDX-License-Identifier: MIT
//
// A kernel's text at given sizes with every name looked up: which array or value is read where,
// which index runs over what, how large everything is. What is wrong is said here, with its place;
// what is left can be written as a backbone (lower.h).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "kernels/ir/function.h"
#include "kernels/notation/numbers.h"
#include "kernels/notation/syntax/ast.h"
#include "kernels/notation/typed.h"

namespace exh::kernels::notation {

/// An index of one statement: on its left side, or of one reduction.
struct Index {
  std::string name;
  SourceRange range;
  int axis =
      -1;  ///< Of the kernel. Indices that meet in a value, or in name and extent, share one.
  std::optional<std::int64_t> extent;
  SourceRange extent_range;  ///< What says so.
};

/// An array at given sizes.
struct ArrayShape {
  const ArrayDecl* decl = nullptr;
  ir::Type type = ir::Type::kF32;
  std::vector<std::int64_t> extents, strides;  ///< By dimension; strides in elements.
  /// From the first to the last, or as many as the largest extent times its stride: a row of a
  /// matrix is as long as its stride says.
  std::int64_t elements = 0;
  std::uint32_t alignment = ir::kDefaultAlignment;  ///< Bytes.
  /// What is read outside of it; nothing: no read may be outside.
  std::optional<ir::Number> outside;
};

/// A dimension of an array that a read leaves, which may be outside: its index is offset + sum of
/// factor * index, and the array has 0 … extent - 1.
struct Leaving {
  std::int64_t offset = 0;
  std::vector<std::pair<const Index*, std::int64_t>> factors;
  std::int64_t extent = 1;
};

/// A subscript that is computed, like `index[i]` in `table[index[i], j]`. It is in no stride.
struct ComputedSubscript {
  const Expr* expr = nullptr;
  std::size_t dimension = 0;
};

/// A read of an array or a value, or a statement's left side.
struct ResolvedAccess {
  int array = -1, statement = -1;  ///< One of them: what is read.
  std::int64_t offset = 0;         ///< Elements; of an array.
  /// The indices that move the element, with how far; of a value how its own indices are named.
  std::vector<std::pair<const Index*, std::int64_t>> strides;
  std::vector<Leaving> leaves;              ///< By dimension that it leaves.
  std::vector<ComputedSubscript> computed;  ///< Of an array.
};

struct ResolvedKernel {
  Sizes sizes;  ///< All of them.
  /// By option that stands where a type is expected: the type that its value names.
  std::map<std::string, ir::Type, std::less<>> open_types;
  std::vector<ArrayShape> arrays;
  std::deque<Index> indices;                    ///< All; they do not move.
  std::vector<std::vector<const Index*>> left;  ///< By statement.
  /// By statement: an output, or what one reads at these sizes.
  std::vector<bool> needed;
  /// By statement that writes an output: how far each of its indices moves the element.
  std::vector<std::vector<std::pair<const Index*, std::int64_t>>> left_strides;
  /// By `c ? a : b` whose condition is of sizes and options: the side that is meant. What follows
  /// has nothing of the other one, nor of statements that are not needed.
  std::map<const Expr*, const Expr*> chosen;
  std::map<const Expr*, ResolvedAccess> reads;  ///< By kRead, or kName without axes.
  std::map<const Expr*, const Index*> numbers;  ///< By kName: an index that is a number.
  std::map<const Expr*, std::vector<const Index*>> reductions;  ///< By kReduce.
  std::map<const Expr*, Typed> types;  ///< Of all that a statement is made of, but subscripts.
  std::vector<int> output_of;          ///< By statement: the array that it writes; -1: a value.
  int num_axes = 0;
};

/// `given` need not have all sizes. Nothing when something is wrong, which is then in the sink.
std::optional<ResolvedKernel> Resolve(const Kernel& kernel, const Sizes& given,
                                      dsl::DiagnosticSink& sink);

/// The type of this name: one that there is, or what an option of the name says; where none is
/// said, `otherwise`.
ir::Type TypeOf(const Name& type, const ResolvedKernel& resolution,
                ir::Type otherwise = ir::Type::kF32);

/// Is it made of whole numbers, sizes and options alone? Then it is known when the kernel is built.
bool IsOfSizes(const Expr& expr, const ResolvedKernel& resolution);

/// The sizes with their defaults; a default that is not said is 512, or the nearest possible.
std::int64_t DefaultOf(const SizeDecl& size);

}  // namespace exh::kernels::notation
