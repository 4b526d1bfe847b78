// SPDX-License-Identifier: MIT
//
// Measured implementations: none is faster than its bound, nor than that of any prefix of its
// decisions.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/action.h"
#include "search/log/decisions.h"
#include "tests/kernels/space/sample.h"
#include "tests/models/bounded.h"
#include "tests/support/tree.h"

namespace exh::models {
namespace {

struct Measured {
  double ns = 0;
  std::vector<std::string> decisions;
};

std::vector<Measured> ReadMeasured(const std::string& file) {
  std::ifstream stream(std::string(kSourceDir) + "/tests/models/measured/" + file);
  std::vector<Measured> all;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    if (line.starts_with("ns ")) {
      words.ignore(3);
      words >> all.emplace_back().ns;
    }
    for (std::string word; words >> word;) all.back().decisions.push_back(word);
  }
  return all;
}

TEST(Measured, NoneIsFasterThanItsBounds) {
  // They were drawn from a space in which copies into shared memory had any form.
  search::Problem problem = MakeProblem("matmul", "m=1024,n=1024,k=1024", "h200");
  problem.task = kernels::testing::ChangedTask(
      "matmul", problem.sizes, problem.device,
      [](kernels::ir::Target& target) { target.keeps_loose_copies = true; });
  const LowerBound bound(*problem.task.function, RatesOf(problem));
  const std::vector<Measured> all = ReadMeasured("matmul-1024-h200.txt");
  ASSERT_GE(all.size(), 20u);
  double nearest = 0;
  std::size_t gone = 0;  // They fill a temporary in vain (memory.exh), which the space had then.
  for (const Measured& measured : all) {
    runtime::Candidate candidate = problem.root();
    double last = 0;
    bool is_gone = false;
    for (const std::string& decision : measured.decisions) {
      std::string error;
      const auto action = runtime::ParseAction(candidate.instance(), decision, &error);
      ASSERT_TRUE(action) << error;
      is_gone = !search::TryRestrict(candidate, *action).empty();
      if (is_gone) break;
      const double ns = bound.Ns(DomainsOf(problem, candidate));
      EXPECT_GE(ns, last * (1 - 1e-12)) << decision;
      last = ns;
    }
    if (is_gone) {
      ++gone;
      continue;
    }
    // Choices that are younger than the record are open; they change no bound.
    Random random(1);
    search::CompleteByDescent(search::ChoiceOrder::Default(candidate.instance()), random,
                              candidate);
    EXPECT_TRUE(candidate.IsImplementation());
    EXPECT_LE(last, measured.ns);
    EXPECT_LE(bound.Ns(DomainsOf(problem, candidate)), measured.ns);
    nearest = std::max(nearest, last / measured.ns);
  }
  EXPECT_GE(all.size() - gone, 15u);
  EXPECT_GT(nearest, 0.45);
}

}  // namespace
}  // namespace exh::models
