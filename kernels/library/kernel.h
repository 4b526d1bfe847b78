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
#include "kernels/library/named_map.h"

namespace exh::kernels {

/// Named size of a kernel, with its default: `m`, `n`, `k`, `a_stride`, or a 0/1 switch.
struct Parameter {
  std::string name;
  std::int64_t default_value = 1;
  std::int64_t min = 1, max = 1 << 28;
  std::string what;  ///< One line for `search list`.
};
struct SizeText {
  static constexpr const char* kWhat = "size";
};
using Parameters = NamedMap<SizeText, std::int64_t>;

/// One array of a problem in double precision.
struct ArrayData {
  std::vector<float> values;      ///< Inputs: the data. Outputs: empty.
  std::vector<double> reference;  ///< Outputs: the exact result …
  /// … and the largest difference per element that is correct (kernels/cpu/compare.h says how NaN,
  /// infinities and zeros compare).
  std::vector<double> tolerance;
  /// Outputs: the largest root mean square, over all elements, of difference / tolerance that is
  /// correct (tolerance.h). 1: nothing beyond what each element must satisfy.
  double rms_limit = 1;
  /// Outputs: on the way to any element no sum of absolute values of terms is larger; 0: not known.
  /// Whole numbers below 2^24 are added without rounding, and a result that is known to be exact is
  /// tolerated no error. Where this is 0, tolerances that are SumTolerance() say it, too.
  double largest_sum = 0;
};
struct ArrayText {
  static constexpr const char* kWhat = "array";
};
/// By array name.
using ProblemData = NamedMap<ArrayText, ArrayData>;

/// A computation that a space can be searched for: one file in kernels/library.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual std::vector<Parameter> parameters() const = 0;
  /// Writes the backbone for these sizes.
  virtual void Build(ir::Builder& builder, const Parameters& sizes) const = 0;
  /// Fills reference and tolerance of every output from the inputs, in double precision. What comes
  /// of a NaN, an infinity, a zero of either sign or a denormal is what the backbone says: inputs
  /// hold some (Inputs::kSpecial).
  virtual void Reference(const Parameters& sizes, ProblemData& data) const = 0;
  /// Floating-point operations of one run.
  virtual double Flops(const Parameters& sizes) const = 0;
  /// A C++ body for the two yardsticks of the cpu device, with the interface of an emitted
  /// candidate (kernels/codegen/print/cpu_printer.h): the naive loop nest and Eigen.
  virtual std::string NaiveSource(const Parameters& sizes) const = 0;
  virtual std::string EigenSource(const Parameters& sizes) const = 0;
  /// The yardsticks of a GPU. CUDA C++ with one thread for each element of the result and no shared
  /// memory, with the interface of an emitted candidate (kernels/codegen/print/cuda_printer.h); and
  /// the calls of the vendor's library that compute the same. Empty: there is none.
  virtual Source NaiveCuda(const Parameters& /*sizes*/) const { return {}; }
  virtual VendorCall Vendor(const Parameters& /*sizes*/) const { return {}; }
  /// What Reference() says about element `i` of the only output, as C++ for a program that checks
  /// itself without this one (kernels/devices/cuda/standalone/standalone_cuda.h): the body of
  ///   Expected Reference(const float* <input>, …, float <scalar>, …, std::int64_t i)
  /// with the names of the backbone, inputs and scalars in its order. It returns {value,
  /// SumTolerance(operations, norm)}, both double (tolerance.h); <cmath> is included. Empty:
  /// there is none.
  virtual std::string ReferenceElement(const Parameters& /*sizes*/) const { return {}; }
};

}  // namespace exh::kernels
