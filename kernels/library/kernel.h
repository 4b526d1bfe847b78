// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/evaluation.h"
#include "kernels/ir/builder.h"
#include "kernels/ir/function.h"
#include "kernels/named_map.h"
#include "kernels/problem_data.h"

namespace exh::kernels {

/// Named size of a kernel, with its default: `m`, `n`, `k`, `a_stride`, or an option.
struct Parameter {
  std::string name;
  std::int64_t default_value = 1;
  std::int64_t min = 1, max = ir::kLargestExtent;
  std::string what;  ///< One line for `search list`.
  /// Of an option whose values have names: those of 0, 1, …
  std::vector<std::string> words = {};
  bool is_option = false;  ///< It chooses something, and is no size.

  /// What its values may be, in words: "1 to 2^31".
  std::string RangeText() const {
    return std::to_string(min) + " to " +
           (max == ir::kLargestExtent ? ir::kLargestExtentText : std::to_string(max));
  }
  /// A value as people write it: its name, where it has one.
  std::string Text(std::int64_t value) const {
    const auto number = static_cast<std::size_t>(value);
    return value >= 0 && number < words.size() ? words[number] : std::to_string(value);
  }
};
struct SizeText {
  static constexpr const char* kWhat = "size";
};
using Parameters = NamedMap<SizeText, std::int64_t>;

/// How an array lies in memory: element (i, j, …) is at i * strides[0] + j * strides[1] + ….
struct ArrayLayout {
  std::vector<std::int64_t> extents, strides;

  /// Is it row-major, without gaps?
  bool is_dense() const;
};
/// By the name of the array.
using ArrayLayouts = std::map<std::string, ArrayLayout>;

/// A computation that a space can be searched for. It says what it computes once, as a backbone;
/// the rest is derived from that (kernels/derived), and overridden only where somebody knows
/// better.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual std::vector<Parameter> parameters() const = 0;
  /// Writes the backbone for these sizes.
  virtual void Build(ir::Builder& builder, const Parameters& sizes) const = 0;
  /// The kernel as text (docs/kernels.md), for a log to hold; empty: it is written in C++.
  virtual std::string_view text() const { return {}; }

  /// Fills reference and tolerance of every output from the inputs, in double precision. What comes
  /// of a NaN, an infinity, a zero of either sign or a denormal is what the backbone says: inputs
  /// hold some (Inputs::kSpecial).
  virtual void Reference(const Parameters& sizes, ProblemData& data) const;
  /// Floating-point operations of one run.
  virtual double Flops(const Parameters& sizes) const;
  /// A C++ body for the two yardsticks of the cpu device, with the interface of an emitted
  /// candidate (kernels/codegen/print/cpu_printer.h): the naive loop nest, and Eigen. Empty: it is
  /// nothing that Eigen has.
  virtual std::string NaiveSource(const Parameters& sizes) const;
  virtual std::string EigenSource(const Parameters& sizes) const;
  /// Bytes that EigenSource() keeps beside the arrays.
  virtual std::uint64_t EigenWorkspace(const Parameters& sizes) const;
  /// The yardsticks of a GPU. CUDA C++ with one thread for each element of the result and no shared
  /// memory, with the interface of an emitted candidate (kernels/codegen/print/gpu/printer.h); and
  /// the calls of the vendor's library that compute the same. Empty: there is none.
  virtual Source NaiveCuda(const Parameters& sizes) const;
  virtual VendorCall Vendor(const Parameters& sizes) const;
  /// What Reference() says about element `i` of the only output, as C++ for a program that checks
  /// itself without this one (kernels/devices/cuda/standalone/standalone_cuda.h): the body of
  ///   Expected Reference(const float* <input>, …, float <scalar>, …, std::int64_t i)
  /// with pointers to the arrays' types, and scalars as what those are computed in,
  /// with the names of the backbone, inputs and scalars in its order. It returns {value,
  /// SumTolerance(operations, norm)}, both double (tolerance.h); <cmath> is included. Empty:
  /// there is none.
  virtual std::string ReferenceElement(const Parameters& sizes) const;
  /// The shapes of the arrays, for people and for callers from Python. A backbone knows elements
  /// alone, so arrays of kernels that are C++ have none.
  virtual ArrayLayouts Layouts(const Parameters& sizes) const;
  /// Which of parameters() say what is computed, in their order. The others say how large tiles may
  /// become, so that a caller of the kernel need not know them. By default all of them.
  virtual std::vector<std::string> MeaningfulParameters() const;
};

}  // namespace exh::kernels
