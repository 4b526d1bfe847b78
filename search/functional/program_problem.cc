// SPDX-License-Identifier: MIT
#include "search/functional/program_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "kernels/cpu/compare.h"
#include "kernels/derived/reference/most_exact.h"
#include "kernels/derived/reference/special_values.h"

namespace exh::search {
namespace {

using functional::Node;
using kernels::Inputs;
/// Of inputs, by name.
using Numbers = std::map<std::string, std::vector<double>>;

/// Does the program have such a node?
template <typename Is>
bool Has(const functional::Program& program, const Is& is) {
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> open;
  for (const functional::Kernel& kernel : program.kernels) open.push_back(kernel.result.get());
  while (!open.empty()) {
    const Node& node = *open.back();
    open.pop_back();
    if (!seen.insert(&node).second) continue;
    if (is(node)) return true;
    for (const functional::NodePtr& input : node.inputs) open.push_back(input.get());
    if (node.body != nullptr) open.push_back(node.body.get());
  }
  return false;
}

bool Calls(const Node& node, const char* name) {
  return node.kind == Node::Kind::kUser && node.name == name;
}

/// Inputs, and what comes of them.
struct Calculated {
  Numbers inputs;
  std::vector<functional::Reference> results;
};

/// Draws inputs of a kind and calculates what comes of them.
class Drawing {
 public:
  Drawing(const functional::Program& program, const functional::Assignment& values,
          std::uint64_t seed, int threads, const StopToken* stop)
      : program_(program),
        values_(values),
        seed_(seed),
        threads_(threads),
        stop_(stop),
        facts_(functional::InputsOf(program, values)),
        has_sums_(Has(program,
                      [](const Node& node) {
                        return node.kind == Node::Kind::kReduce || Calls(node, "dot");
                      })),
        has_extremes_(Has(
            program, [](const Node& node) { return Calls(node, "min") || Calls(node, "max"); })) {}

  Calculated Of(Inputs kind) const {
    switch (kind) {
      case Inputs::kUniform:
        break;
      case Inputs::kWholeNumbers:
        return WholeNumbers(seed_);
      case Inputs::kSpecial:
        return Special();
    }
    return Uniform(seed_);
  }

 private:
  Calculated Of(Numbers inputs) const {
    std::vector<functional::Reference> results =
        functional::Calculate(program_, values_, inputs, threads_, stop_);
    return {std::move(inputs), std::move(results)};
  }

  template <typename Draw>
  Numbers Filled(const Draw& draw) const {
    Numbers numbers;
    for (const functional::ArrayFacts& facts : facts_) {
      std::vector<double>& values = numbers[facts.name];
      values.reserve(static_cast<std::size_t>(facts.elements));
      constexpr std::int64_t kPerLook = 1 << 16;  // Numbers between two looks at the token.
      for (std::int64_t i = 0; i < facts.elements; ++i) {
        if (i % kPerLook == 0 && IsStopped(stop_)) {
          throw Interrupted("interrupted while inputs were drawn");
        }
        values.push_back(draw());
      }
    }
    return numbers;
  }

  Calculated Uniform(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    return Of(Filled([&] {
      // In steps that a float has, from -1 to 1.
      constexpr double kSteps = 1 << 20;
      return static_cast<double>(random() % (2 << 20)) / kSteps - 1;
    }));
  }

  Numbers Whole(std::uint64_t seed, std::uint64_t range) const {
    std::mt19937_64 random(seed);
    return Filled([&] {
      const std::uint64_t bits = random();
      const auto size = static_cast<double>(1 + (bits >> 1) % range);
      return (bits & 1) != 0 ? -size : size;
    });
  }

  /// The largest with which all results are numbers, and all of them exact, or as many as may be.
  Calculated WholeNumbers(std::uint64_t seed) const {
    // What divides is hardly ever exact.
    const bool divides = Has(program_, [](const Node& node) { return Calls(node, "/"); });
    const auto draw = [&](std::uint64_t range) -> std::optional<Calculated> {
      if (has_sums_ && range > 8) return std::nullopt;
      Calculated one = Of(Whole(seed, range));
      if (!AreKnown(one) || !AreNumbers(one)) return std::nullopt;
      return one;
    };
    auto best = kernels::derived::MostExact(
        std::array<std::uint64_t, 4>{4095, 8, 3, 1}, draw,
        [&](const Calculated& one) { return divides ? 1 : ShareOfExact(one); });
    if (best) return *std::move(best);
    // Nothing of that has a meaning here: other numbers.
    constexpr std::uint64_t kOther = 1000;
    return Uniform(seed + kOther);
  }

  Calculated Special() const {
    constexpr std::uint64_t kRange = 8;
    std::mt19937_64 random(seed_ + 0x9e3779b97f4a7c15ULL);
    const auto known = [&](Numbers inputs) -> std::optional<Calculated> {
      Calculated one = Of(std::move(inputs));
      if (!AreKnown(one)) return std::nullopt;
      return one;
    };
    if (!has_sums_) {
      Numbers inputs = Whole(seed_, kRange);
      std::uint64_t number = 0;
      for (auto& [name, values] : inputs) {
        constexpr std::uint64_t kPattern = 32;
        for (std::uint64_t i = 0; i < values.size(); ++i) {
          const bool turn = i / kPattern % inputs.size() == number;
          const double special = kernels::derived::SpecialElement(i, turn, true, values[i], random);
          values[i] = has_extremes_ && special == 0 ? 0 : special;
        }
        ++number;
      }
      if (auto one = known(std::move(inputs))) {
        if (!has_extremes_) DistinguishZeros(*one);
        return *std::move(one);
      }
    }
    // Here and there one, so that something is left of the others.
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& specials :
         {std::vector{kNan, kInfinity, -kInfinity}, std::vector{kNan}}) {
      Numbers inputs = Whole(seed_, kRange);
      for (const double special : specials) {
        const std::size_t which = random() % inputs.size();
        auto& values = std::next(inputs.begin(), static_cast<std::ptrdiff_t>(which))->second;
        if (!values.empty()) values[random() % values.size()] = special;
      }
      auto one = known(std::move(inputs));
      // The last one is as good as it gets.
      if (one && (specials.size() == 1 || HasNumbers(*one))) return *std::move(one);
    }
    constexpr std::uint64_t kOther = 2000;
    return WholeNumbers(seed_ + kOther);
  }

  /// The signs of zeros are what the operations say.
  static void DistinguishZeros(Calculated& of) {
    for (functional::Reference& result : of.results) {
      for (std::size_t i = 0; i < result.values.size(); ++i) {
        if (result.values[i] == 0 && result.tolerances[i] == 0) {
          result.tolerances[i] = kernels::cpu::kSameBits;
        }
      }
    }
  }

  static bool AreKnown(const Calculated& of) {
    return std::ranges::all_of(of.results, &functional::Reference::IsKnown);
  }
  static bool IsNumber(double value) { return std::isfinite(value); }
  static bool AreNumbers(const Calculated& of) {
    return std::ranges::all_of(of.results, [](const functional::Reference& result) {
      return std::ranges::all_of(result.values, IsNumber);
    });
  }
  /// Is a quarter of the last result left?
  static bool HasNumbers(const Calculated& of) {
    const std::vector<double>& values = of.results.back().values;
    return 4 * std::ranges::count_if(values, IsNumber) >= std::ssize(values);
  }
  static double ShareOfExact(const Calculated& of) {
    double exact = 0, all = 0;
    for (const functional::Reference& result : of.results) {
      all += static_cast<double>(result.tolerances.size());
      exact += static_cast<double>(std::ranges::count(result.tolerances, 0));
    }
    return all == 0 ? 1 : exact / all;
  }

  const functional::Program& program_;
  const functional::Assignment& values_;
  const std::uint64_t seed_;
  const int threads_;
  const StopToken* const stop_;
  const std::vector<functional::ArrayFacts> facts_;
  const bool has_sums_, has_extremes_;
};

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
                               std::uint64_t seed, int threads, kernels::Inputs inputs,
                               std::uint64_t most_bytes, const StopToken* stop) {
  const functional::Program& program = mapped.program();
  CheckBytes(program, values, most_bytes);
  for (const functional::Kernel& kernel : program.kernels) results_.push_back(kernel.name);
  try {
    Calculated of = Drawing(program, values, seed, threads, stop).Of(inputs);
    for (const auto& [name, numbers] : of.inputs) {
      inputs_.push_back({name, {numbers.begin(), numbers.end()}});
    }
    expected_ = std::move(of.results);
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
                              expected_[i].tolerances,
                              functional::Reference::kMeanLimit});
  }
  return problem;
}

}  // namespace exh::search
