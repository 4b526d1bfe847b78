// SPDX-License-Identifier: MIT
//
// A tuning problem as the field exchanges it: JSON with `ConfigurationSpace`, the format T1 of
// Kernel Tuner, KTT and BAT. What is beside the space, the kernel and its arguments, is read by
// launch/specified_launch.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/exchange/python/python_text.h"

namespace exh::search {

struct TuningParameter {
  std::string name;
  PythonList values;                 ///< In their order, each once; at least one.
  std::optional<PythonValue> usual;  ///< `Default`, where it is one of the values.
};

struct TuningRestriction {
  std::string text;
  PythonNode node;  ///< Its names are indices of parameters.
};

struct TuningProblem {
  std::string name;  ///< `BenchmarkName` or `KernelName`; may be empty.
  std::vector<TuningParameter> parameters;
  std::vector<TuningRestriction> restrictions;
  std::vector<std::string> notes;  ///< What was left out, a line each.
};

/// Throws UsageError with what is wrong and where: "parameter 'x', Values: column 3: …".
TuningProblem ParseTuningProblem(std::string_view json);

/// Whether the configuration keeps all restrictions, by Python's own rules; one that makes Python
/// raise an error does not. `values`: of the parameters, in their order.
bool IsAllowed(const TuningProblem& problem, std::vector<PythonValue>& values);

}  // namespace exh::search
