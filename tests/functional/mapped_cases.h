// SPDX-License-Identifier: MIT
//
// Programs as CUDA C++, under many mappings of their maps: they run on the CPU, thread by thread
// (tests/cuda_shim), in three orders of the threads, and are compared with the reference.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random.h"
#include "functional/lift/program.h"
#include "kernels/cpu/problem_bench.h"
#include "kernels/evaluation.h"
#include "runtime/candidate.h"
#include "search/functional/mapped_program.h"

namespace exh::tests {

/// A program, and what it is run on: kernels::kCheckedProblems.
struct Mapped {
  std::string name;
  std::unique_ptr<search::MappedProgram> program;
  std::vector<kernels::cpu::MadeProblem> problems;

  void MakeProblems(const functional::Assignment& values);
};

/// Changes an element.
using Spoil = float (*)(float);

struct MappedCase {
  const Mapped* mapped = nullptr;
  std::string mapping;
  kernels::Source source;
};

class MappedCases {
 public:
  /// `mappings` valid ones at random.
  void AddRandom(const std::string& name, const std::string& text, const functional::Given& given,
                 int mappings, const lift::Rules& rules = {});
  void Add(const std::string& name, const std::string& text, const functional::Given& given,
           const std::vector<functional::Codes>& mappings);
  /// Parameters and mappings at random; results are compared with those of the first parameters.
  void AddJoint(const std::string& name, const std::string& text, const functional::Given& given,
                int implementations);
  /// As the program says it.
  void AddAsWritten(const std::string& name, const std::string& text,
                    const functional::Given& given);

  /// Sabotages all of them: what they read, and what they write. Null: it is left as it is.
  void SpoilWith(Spoil input, Spoil output) { spoils_input_ = input, spoils_output_ = output; }

  const std::vector<MappedCase>& all() const { return cases_; }
  /// What cannot be run: program, mapping, and why.
  const std::vector<std::string>& refused() const { return refused_; }

  /// Calls seen(case, what is wrong with it) for every order of threads; empty: it is right.
  void Run(const std::function<void(const MappedCase&, const std::string&)>& seen) const;
  /// Those that are wrong, or whose threads race, in some order.
  int CountWrong() const;

 private:
  Mapped& NewMapped(const std::string& name, const std::string& text,
                    const functional::Given& given);

  std::vector<std::unique_ptr<Mapped>> mapped_;
  std::vector<MappedCase> cases_;
  std::vector<std::string> refused_;
  Spoil spoils_input_ = nullptr, spoils_output_ = nullptr;
};

/// A valid mapping at random: one map after the other takes a code that is still possible. Nothing:
/// there are too many dead ends.
std::optional<functional::Codes> DrawMapping(
    const std::shared_ptr<const runtime::Instance>& instance, Random& random);

/// Up to `most` mappings that this rule alone forbids, of `attempts` that all others allow.
std::vector<functional::Codes> ForbiddenBy(bool lift::Rules::*rule,
                                           const search::MappedProgram& program, int most,
                                           int attempts);

}  // namespace exh::tests
