// SPDX-License-Identifier: MIT
#include "functional/infer/universes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace exh::functional {
namespace {

using dsl::Diag;

/// Of a choice (docs/dsl.md).
constexpr std::size_t kMostValues = 4096;
/// Values of a length that are looked at, and steps to find their divisors.
constexpr std::size_t kMostLengths = 2'000'000;
constexpr std::int64_t kMostSteps = 50'000'000;
constexpr std::int64_t kLargest = std::int64_t{1} << 31;

class Universes {
 public:
  Universes(Program& program, dsl::DiagnosticSink& sink) : program_(program), sink_(sink) {}

  bool Run() {
    // One after the other: values of one may follow from those of others.
    bool any = true;
    while (any) {
      any = false;
      for (ProgramParameter& parameter : program_.parameters) {
        if (!parameter.is_inferred || !parameter.values.empty() || !AreKnown(parameter)) continue;
        any = true;
        if (!Infer(parameter)) return false;
      }
    }
    for (ProgramParameter& parameter : program_.parameters) {
      if (parameter.values.empty()) {
        Refuse(parameter, LengthsOf(parameter).empty()
                              ? "no split divides a length by it alone: write its values, " +
                                    parameter.name + " in 1 .. 64"
                              : "its values depend on themselves: write them, " + parameter.name +
                                    " in 1 .. 64");
        return false;
      }
      if (parameter.values.size() > kMostValues && !Filter(parameter)) return false;
      program_.terms.SetBounds(parameter.name, {static_cast<double>(parameter.values.front()),
                                                static_cast<double>(parameter.values.back())});
    }
    return true;
  }

 private:
  void Refuse(const ProgramParameter& parameter, const std::string& why) {
    sink_.Report(Diag::kFunParam, parameter.range,
                 fmt::format("parameter '{}': {}", parameter.name, why));
  }

  /// What the parameter, by itself, must divide.
  std::vector<const Term*> LengthsOf(const ProgramParameter& parameter) {
    std::vector<const Term*> lengths;
    const Term self = program_.terms.Parameter(parameter.name);
    for (const ProgramRequirement& requirement : program_.requirements) {
      if (requirement.op == "%" && requirement.right.poly == self.poly) {
        lengths.push_back(&requirement.left);
      }
    }
    return lengths;
  }

  const ProgramParameter& Find(const std::string& name) const {
    return *std::ranges::find(program_.parameters, name, &ProgramParameter::name);
  }

  bool AreKnown(const ProgramParameter& parameter) {
    const auto lengths = LengthsOf(parameter);
    if (lengths.empty()) return false;
    for (const Term* const length : lengths) {
      for (const std::string& name : program_.terms.ParametersOf(*length)) {
        if (Find(name).values.empty()) return false;
      }
    }
    return true;
  }

  /// The values of a length, for all values of its parameters. Nothing: too many, reported.
  std::optional<std::set<std::int64_t>> ValuesOf(const Term& length,
                                                 const ProgramParameter& parameter) {
    const std::set<std::string> names = program_.terms.ParametersOf(length);
    std::size_t count = 1;
    for (const std::string& name : names) {
      count *= Find(name).values.size();
      if (count > kMostLengths) {
        Refuse(parameter, fmt::format("it divides {}, which has more than {} values to look at: "
                                      "write those of the parameter",
                                      program_.terms.Text(length), kMostLengths));
        return std::nullopt;
      }
    }
    std::set<std::int64_t> found;
    std::map<std::string, std::int64_t> values;
    const std::vector<std::string> order(names.begin(), names.end());
    const std::function<void(std::size_t)> visit = [&](std::size_t depth) {
      if (depth == order.size()) {
        const auto value = program_.terms.Evaluate(length, values);
        if (value && *value >= 1) found.insert(*value);
        return;
      }
      for (const std::int64_t value : Find(order[depth]).values) {
        values[order[depth]] = value;
        visit(depth + 1);
      }
    };
    visit(0);
    return found;
  }

  /// Numbers that divide some value of the length.
  std::optional<std::set<std::int64_t>> DivisorsOf(const Term& length,
                                                   const ProgramParameter& parameter) {
    const auto values = ValuesOf(length, parameter);
    if (!values) return std::nullopt;
    std::set<std::int64_t> divisors;
    for (const std::int64_t value : *values) {
      for (std::int64_t small = 1; small * small <= value; ++small) {
        if (++steps_ > kMostSteps) {
          Refuse(parameter,
                 fmt::format("to find the divisors of {} takes too long: write its values",
                             program_.terms.Text(length)));
          return std::nullopt;
        }
        if (value % small != 0) continue;
        divisors.insert(small);
        if (value / small <= kLargest) divisors.insert(value / small);
      }
    }
    return divisors;
  }

  bool Infer(ProgramParameter& parameter) {
    std::optional<std::set<std::int64_t>> all;
    for (const Term* const length : LengthsOf(parameter)) {
      const auto divisors = DivisorsOf(*length, parameter);
      if (!divisors) return false;
      if (!all) {
        all = divisors;
      } else {
        std::erase_if(*all, [&](std::int64_t value) { return !divisors->contains(value); });
      }
    }
    if (all->empty()) {
      Refuse(parameter, "nothing divides what it must divide");
      return false;
    }
    if (all->size() > kMostValues) {
      Refuse(parameter,
             fmt::format("{} numbers divide some length that it must divide, and at most "
                         "{} are possible: write its values",
                         all->size(), kMostValues));
      return false;
    }
    parameter.values.assign(all->begin(), all->end());
    return true;
  }

  bool Filter(ProgramParameter& parameter) {
    for (const Term* const length : LengthsOf(parameter)) {
      const std::set<std::string> names = program_.terms.ParametersOf(*length);
      if (names.contains(parameter.name)) continue;
      const auto lengths = ValuesOf(*length, parameter);
      if (!lengths) return false;
      std::erase_if(parameter.values, [&](std::int64_t value) {
        return value < 1 || std::ranges::none_of(*lengths, [&](std::int64_t each) {
                 ++steps_;
                 return each % value == 0;
               });
      });
    }
    if (parameter.values.size() <= kMostValues && !parameter.values.empty()) return true;
    Refuse(parameter, fmt::format("it has {} values that may be; 1 to {} are possible",
                                  parameter.values.size(), kMostValues));
    return false;
  }

  Program& program_;
  dsl::DiagnosticSink& sink_;
  std::int64_t steps_ = 0;
};

}  // namespace

bool FindUniverses(Program& program, dsl::DiagnosticSink& sink) {
  return Universes(program, sink).Run();
}

}  // namespace exh::functional
