// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/derived/reference/reference.h"
#include "kernels/derived/tolerance.h"
#include "kernels/ir/builder.h"

namespace exh::kernels::derived::testing {

inline constexpr double kUnit = 0x1p-24;

/// A backbone that is computed.
class Computed {
 public:
  using Build = std::function<void(ir::Builder&)>;
  using Inputs = std::map<std::string, std::vector<double>>;

  Computed(const Build& build, const Inputs& inputs) {
    ir::Builder b(function);
    build(b);
    b.Finish();
    for (const ir::Array& array : function.arrays) data[array.name];
    for (const ir::Array& array : function.arrays) {
      const auto given = inputs.find(array.name);
      if (given == inputs.end()) continue;
      Elements values(array.type, given->second.size());
      for (std::size_t i = 0; i < given->second.size(); ++i) values.Set(i, given->second[i]);
      data.at(array.name).values = std::move(values);
    }
    ComputeReference(function, data);
  }

  const std::vector<double>& reference(const char* name) const { return data.at(name).reference; }
  const std::vector<double>& tolerance(const char* name) const { return data.at(name).tolerance; }

  ir::Function function;
  ProblemData data;
};

/// ErrorFactor(roundings) * u * sqrt(error).
inline double Tolerance(double roundings, double error) {
  return ErrorFactor(roundings) * kUnit * std::sqrt(error);
}

/// What the rounding of a value in single precision adds to its errors.
inline double Rounding(double value) {
  return static_cast<double>(static_cast<float>(value)) == value ? 0 : value * value;
}

inline std::vector<double> Random(std::uint64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<double> values(count);
  for (double& value : values) {
    const float single =
        static_cast<float>(static_cast<int>(generator() % 2000001) - 1000000) / 1e6f;
    value = static_cast<double>(single);
  }
  return values;
}

}  // namespace exh::kernels::derived::testing
