// SPDX-License-Identifier: MIT
#include "search/functional/program_problem.h"

#include <fmt/format.h>

#include <map>
#include <random>
#include <utility>

#include "base/error.h"

namespace exh::search {

namespace {

void CheckBytes(const functional::Program& program, const functional::Assignment& values,
                std::uint64_t most) {
  const std::uint64_t bytes = ProblemBytes(program, values);
  if (most == 0 || bytes <= most) return;
  throw TooLarge(fmt::format("the reference of the program takes {:.0f} MiB, more than {:.0f}",
                             static_cast<double>(bytes) / 0x1p20,
                             static_cast<double>(most) / 0x1p20));
}

}  // namespace

std::uint64_t ProblemBytes(const functional::Program& program,
                           const functional::Assignment& values) {
  // Of an input: as drawn, in double precision, and with its error; of a result: the same, then its
  // value and tolerance.
  constexpr std::uint64_t kOfInput = sizeof(float) + 3 * sizeof(double);
  constexpr std::uint64_t kOfResult = 4 * sizeof(double);
  std::uint64_t bytes = 0;
  for (const functional::ArrayFacts& facts : functional::InputsOf(program, values)) {
    bytes += kOfInput * static_cast<std::uint64_t>(facts.elements);
  }
  for (const functional::ArrayFacts& facts : functional::KernelsOf(program, values)) {
    bytes += kOfResult * static_cast<std::uint64_t>(facts.elements);
  }
  return bytes;
}

ProgramProblem::ProgramProblem(const MappedProgram& mapped, const functional::Assignment& values,
                               std::uint64_t seed, int threads, std::uint64_t most_bytes,
                               const StopToken* stop) {
  const functional::Program& program = mapped.program();
  constexpr std::int64_t kPerLook = 1 << 16;  // Numbers between two looks at the token.
  CheckBytes(program, values, most_bytes);
  std::map<std::string, std::vector<double>> numbers;
  std::mt19937_64 random(seed);
  for (const functional::ArrayFacts& facts : functional::InputsOf(program, values)) {
    Input input{facts.name, {}};
    std::vector<double>& doubles = numbers[facts.name];
    for (std::int64_t i = 0; i < facts.elements; ++i) {
      if (i % kPerLook == 0 && IsStopped(stop)) {
        throw Interrupted("interrupted while inputs were drawn");
      }
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
    expected_ = functional::Calculate(program, values, numbers, threads, stop);
  } catch (const UsageError&) {
    throw;
  } catch (const Interrupted&) {
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
