// SPDX-License-Identifier: MIT
//
// What each rule of docs/lift.md keeps out: [--mappings N]
//
// Functional programs under random mappings, as CUDA C++ that runs on the CPU, thread by thread, in
// three orders of the threads (tests/cuda_shim). First valid ones; then, rule by rule, those that
// this rule alone forbids: how many are wrong or have threads that race, and how many cannot be
// run.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/system/user_file.h"
#include "functional/lift/program.h"
#include "search/functional/mapped_program.h"
#include "search/solve/example_space.h"
#include "tests/functional/mapped_cases.h"
#include "tests/support/tree.h"

namespace exh::tests {
namespace {

struct Sample {
  std::string name;
  functional::Given sizes;
};

const std::vector<Sample>& Samples() {
  static const std::vector<Sample> samples = {
      {"listing_1", {{"planes", 6}, {"rows", 5}, {"columns", 7}}},
      {"listing_3", {{"n", 60}, {"s0", 15}, {"s1", 3}}},
      {"matmul", {{"m", 9}, {"n", 10}, {"k", 7}}},
      {"convolution", {{"channels", 3}, {"side", 6}, {"kernels", 5}, {"window", 3}}},
      {"tiled_convolution",
       {{"channels", 3}, {"side", 6}, {"kernels", 4}, {"theta", 5}, {"kappa", 2}, {"sigma", 3}}}};
  return samples;
}

std::string TextOf(const Sample& sample) {
  return ReadUserFile(std::string(kSourceDir) + "/examples/lift/programs/" + sample.name + ".fun");
}

void PrintLine(const std::string& program, const char* rule, std::size_t tried, std::size_t wrong,
               std::size_t refused) {
  fmt::print("{:<20} {:<20} {:>6} {:>6} {:>8}\n", program, rule, tried, wrong, refused);
  std::fflush(stdout);
}

void Print(int mappings) {
  fmt::print("{:<20} {:<20} {:>6} {:>6} {:>8}\n", "program", "mappings", "tried", "wrong",
             "cannot");
  for (const Sample& sample : Samples()) {
    MappedCases cases;
    cases.AddRandom(sample.name, TextOf(sample), sample.sizes, mappings);
    PrintLine(sample.name, "valid", static_cast<std::size_t>(mappings),
              static_cast<std::size_t>(cases.CountWrong()), cases.refused().size());
  }
  for (const lift::LiftRule& rule : lift::kRules) {
    std::size_t tried = 0, wrong = 0, refused = 0;
    for (const Sample& sample : Samples()) {
      const search::MappedProgram program(sample.name, TextOf(sample), sample.sizes);
      MappedCases cases;
      const auto forbidden = ForbiddenBy(rule.holds, program, mappings, 100 * mappings);
      if (forbidden.empty()) continue;
      cases.Add(sample.name, TextOf(sample), sample.sizes, forbidden);
      const auto wrong_here = static_cast<std::size_t>(cases.CountWrong());
      PrintLine(sample.name, rule.name, forbidden.size(), wrong_here, cases.refused().size());
      tried += forbidden.size();
      wrong += wrong_here;
      refused += cases.refused().size();
    }
    PrintLine("all of them", rule.name, tried, wrong, refused);
  }
}

}  // namespace
}  // namespace exh::tests

int main(int argc, char** argv) {
  int mappings = 20;
  if (argc == 3 && std::strcmp(argv[1], "--mappings") == 0) mappings = std::atoi(argv[2]);
  if ((argc != 1 && argc != 3) || mappings < 1) {
    std::fprintf(stderr, "usage: lift-rules [--mappings N], N from 1\n");
    return 2;
  }
  exh::tests::Print(mappings);
}
