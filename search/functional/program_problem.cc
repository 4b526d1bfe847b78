// SPDX-License-Identifier: MIT
#include "search/functional/program_problem.h"

#include <map>
#include <random>
#include <utility>

#include "base/error.h"

namespace exh::search {

ProgramProblem::ProgramProblem(const MappedProgram& mapped, const functional::Assignment& values,
                               std::uint64_t seed, int threads) {
  const functional::Program& program = mapped.program();
  std::map<std::string, std::vector<double>> numbers;
  std::mt19937_64 random(seed);
  for (const functional::ArrayFacts& facts : functional::InputsOf(program, values)) {
    Input input{facts.name, {}};
    std::vector<double>& doubles = numbers[facts.name];
    for (std::int64_t i = 0; i < facts.elements; ++i) {
      // In steps that a float has, from -1 to 1.
      constexpr double kSteps = 1 << 20;
      const double value = static_cast<double>(random() % (2 << 20)) / kSteps - 1;
      input.values.push_back(static_cast<float>(value));
      doubles.push_back(value);
    }
    inputs_.push_back(std::move(input));
  }
  for (const functional::Kernel& kernel : program.kernels) results_.push_back(kernel.name);
  try {
    expected_ = functional::Calculate(program, values, numbers, threads);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

kernels::cpu::Problem ProgramProblem::View() const {
  kernels::cpu::Problem problem;
  for (const Input& input : inputs_) {
    problem.arrays.push_back({input.name,
                              false,
                              kernels::ir::Type::kF32,
                              std::as_bytes(std::span(input.values)),
                              {},
                              {}});
  }
  for (std::size_t i = 0; i < results_.size(); ++i) {
    problem.arrays.push_back({results_[i],
                              true,
                              kernels::ir::Type::kF32,
                              {},
                              expected_[i].values,
                              expected_[i].tolerances});
  }
  return problem;
}

}  // namespace exh::search
