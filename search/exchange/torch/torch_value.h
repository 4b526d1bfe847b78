// SPDX-License-Identifier: MIT
//
// What a reference in PyTorch calculates with, while it is read and not run. A tensor is a shape
// and a function: from the texts of its indices to the text of that element in the notation of
// kernels (docs/kernels.md). So views cost nothing: the transposed of x at (i, j) is x at (j, i), a
// slice adds its beginning to an index, and what is broadcast leaves an index out. Example: with
// x[m, n] and the row w[n], `x.T` at (j, i) is "x[i, j]", and `x * w` at (i, j) is
// "x[i, j] * w[j]".
//
// Invariant: the text of an element has at least the strength that stands beside it, so that it can
// be put in brackets where a stronger operator is around it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace exh::search::torch {

/// How many steps a dimension has: a number, or the name of a size. A dimension that a kernel has
/// as two is a *pair*: heads of queries that share one of keys are heads of keys by queries of
/// each. Its index is a text of two, "h, g".
struct TorchSize {
  std::string text;
  std::optional<std::int64_t> value;    ///< Where it is known.
  std::vector<std::string> parts = {};  ///< Of a pair: the sizes of the two.

  bool IsOne() const { return value == 1; }
  /// The same number for all that is known.
  bool Equals(const TorchSize& other) const {
    return text == other.text || (value && value == other.value);
  }
};
TorchSize SizeOf(std::int64_t value);
/// The two of the index of a pair; empty: it is none.
std::vector<std::string> PairIn(const std::string& index);

/// Of operators, the weakest first.
enum class Strength { kChoice, kOr, kAnd, kNot, kComparison, kSum, kProduct, kSign, kAtom };

struct ElementText {
  std::string text;
  Strength strength = Strength::kAtom;

  /// In brackets if it is weaker.
  std::string AtLeast(Strength least) const { return strength < least ? "(" + text + ")" : text; }
};

using TorchIndex = std::vector<std::string>;

struct TorchTensor {
  std::string type;  ///< "f32"; of a Python number it does not count beside a tensor.
  std::vector<TorchSize> shape;
  std::function<ElementText(const TorchIndex&)> at;
  bool is_python = false;         ///< A number of Python: no dimensions.
  std::optional<double> known;    ///< Of such a number, where it is known.
  std::optional<TorchSize> size;  ///< Of such a number, where it is that of a dimension.
  /// No array says how far its indices run.
  bool is_free = false;
  /// An element is cheap to write twice: it is that of an array or of a value.
  bool is_plain = false;
  /// It reads a part of an array: its indices run less far than the array does.
  bool is_part = false;
  int statement = -1;  ///< The value that it is (TorchBody).
  /// What was rounded to become this. An output is rounded in any case.
  std::shared_ptr<TorchTensor> unrounded;

  std::size_t rank() const { return shape.size(); }
};

bool IsFloat(const std::string& type);
/// "float16" as "f16"; empty: there is no such type of kernels.
std::string TypeOfTorch(const std::string& dtype);

TorchTensor NumberOf(double value, bool is_whole);
TorchTensor NumberOf(const TorchSize& size);

/// As a size. Throws UsageError when it is none.
TorchSize SizeIn(const TorchTensor& number);
/// A whole number that is known. Throws UsageError.
std::int64_t WholeIn(const TorchTensor& number);

/// `a + b`, and - * / // % ** and comparisons: `op` as Python writes it. Throws UsageError when the
/// shapes do not go together.
TorchTensor Combined(const std::string& op, const TorchTensor& a, const TorchTensor& b);
/// `min(a, b)`: a function of kernels with two operands.
TorchTensor CombinedBy(const std::string& function, const TorchTensor& a, const TorchTensor& b);
/// `exp(a)`: a function of kernels, which yields a float.
TorchTensor FunctionOf(const std::string& function, const TorchTensor& a);
TorchTensor Opposite(const TorchTensor& a);
/// Of what is true or not.
TorchTensor Inverse(const TorchTensor& a);
TorchTensor Choice(const TorchTensor& condition, const TorchTensor& a, const TorchTensor& b);
TorchTensor Converted(const TorchTensor& a, const std::string& type);

/// The shape that both become. Throws UsageError.
std::vector<TorchSize> BroadcastShape(const std::vector<TorchSize>& a,
                                      const std::vector<TorchSize>& b);
/// The indices of a tensor of that shape, of the last ones of `index`.
TorchIndex IndexFor(const std::vector<TorchSize>& shape, const TorchIndex& index);
std::string ShapeText(const std::vector<TorchSize>& shape);

}  // namespace exh::search::torch
