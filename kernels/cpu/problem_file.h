// SPDX-License-Identifier: MIT
//
// A problem file: the arrays of one kernel at one size, written once by the search and mapped by
// every process that runs a candidate.
//
//   bytes 0-7    "EXHPROB1"
//   bytes 8-15   length of the header, little endian
//   header       JSON: {"scalars": [{"type", "cell"}], "arrays": [
//                {"name", "role": "input", "type", "elements", "values": offset},
//                {"name", "role": "output", "type", "elements", "reference": offset,
//                "tolerance": offset, "rms_limit"}]}; "cell" is ir::Number::Cell(), and an
//                output of i64 may have "whole": offset, its reference as integers
//   data         values of inputs, float64 reference and tolerance of outputs; every
//                offset counts from the start of the file and is a multiple of 64
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/ir/number.h"
#include "kernels/ir/types.h"

namespace exh::kernels::cpu {

/// One array argument, in the order of the Function.
struct ProblemArray {
  std::string name;
  bool is_output = false;
  ir::Type type = ir::Type::kF32;
  std::span<const std::byte> values;             ///< Inputs: the elements in memory.
  std::span<const double> reference, tolerance;  ///< Outputs.
  double rms_limit = 1;                          ///< Outputs: see compare.h.
  /// Outputs of i64: the reference exactly; empty: it is what `reference` says.
  std::span<const std::int64_t> whole = {};

  std::size_t elements() const {
    return is_output ? reference.size() : values.size() / ir::BytesOf(type);
  }
};

struct ProblemScalar {
  ir::Type type = ir::Type::kF32;
  ir::Number value;
};

struct Problem {
  std::vector<ProblemArray> arrays;
  std::vector<ProblemScalar> scalars;
};

/// Empty, or why the file could not be written. A file that was not written whole is removed.
std::string WriteProblemFile(const std::string& path, const Problem& problem);

/// A problem file in memory, read-only; its spans point into the mapping.
class MappedProblem {
 public:
  explicit MappedProblem(const std::string& path);
  MappedProblem(const MappedProblem&) = delete;
  MappedProblem& operator=(const MappedProblem&) = delete;
  ~MappedProblem();

  const Problem& problem() const { return problem_; }
  const std::string& error() const { return error_; }  ///< Empty: the file is whole.

 private:
  void Parse(const std::string& path);

  void* data_ = nullptr;
  std::size_t size_ = 0;
  Problem problem_;
  std::string error_;
};

}  // namespace exh::kernels::cpu
