// SPDX-License-Identifier: MIT
//
// Expressions of the kernel of a tuning problem, such as "ProblemSize[0] // block_size_x". What
// asks for no parameter that has a choice is a number. Everything else becomes a term of the space
// that the problem is (problem_text.h), or is refused. As in BAT, `max(filter_width)` is the
// largest value of that parameter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "search/exchange/exh_formula.h"
#include "search/exchange/python/python_text.h"

namespace exh::search {

class SpecifiedTerms {
 public:
  /// `problem` outlives it.
  explicit SpecifiedTerms(const TuningProblem& problem);

  /// What `ProblemSize` is from now on.
  void SetProblemSize(const PythonList& sizes) { problem_size_ = sizes; }

  /// A text of Python, or a number as it is, with all in it calculated that can be. Throws
  /// UsageError.
  PythonNode Read(const Json& expression) const;
  /// Of what was read: a number; nothing: it is none yet.
  static std::optional<PythonValue> NumberOf(const PythonNode& node);
  /// A whole number, the same for all configurations. Throws UsageError.
  std::int64_t WholeOf(const Json& expression) const;
  /// As launch files have it: a whole number, or the text of a term. Throws UsageError.
  Json TermOf(const PythonNode& node) const;
  /// `size` divided by all of them, rounded up.
  static PythonNode RatioUp(PythonNode size, const std::vector<PythonNode>& divisors);

 private:
  void Calculate(PythonNode& node) const;
  std::optional<PythonList> ListOf(const PythonNode& node) const;

  const TuningProblem& problem_;
  const std::vector<ParameterChoice> choices_;
  std::vector<std::string> names_;  ///< Of the parameters, then `ProblemSize`.
  std::optional<PythonList> problem_size_;
};

}  // namespace exh::search
