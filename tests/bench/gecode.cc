// SPDX-License-Identifier: MIT
//
// Random descents per second of Gecode and of our engine on the same exported instances.
//
// Gecode: one process, each solution from the root again, values drawn at random, the same order of
// decisions, domain-consistent tables; restarts, which propagate the root again, are the larger
// part of its time (bench_engine has it as a depth-first search too). Engine: uniform descents
// without backing out; those that die count as descents that gave no implementation.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "runtime/export_minizinc.h"
#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "search/subject/problem.h"
#include "tests/support/minizinc.h"
#include "tests/support/order_space.h"

namespace exh::tests {
namespace {

using Clock = std::chrono::steady_clock;

struct EngineRate {
  std::uint64_t implementations = 0;
  double per_second = 0;
};

EngineRate MeasureEngine(const runtime::Candidate& root, const search::ChoiceOrder& order,
                         double seconds) {
  const search::DeadEndStudy study(order);
  Random random(1);
  EngineRate rate;
  const Clock::time_point start = Clock::now();
  double passed = 0;
  while (passed < seconds) {
    rate.implementations += !study.Run(root, random).has_value();
    passed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  rate.per_second = static_cast<double>(rate.implementations) / passed;
  return rate;
}

void Measure(const std::string& name, const runtime::Candidate& root,
             const search::ChoiceOrder& order, std::uint64_t solutions) {
  runtime::MiniZincOptions options;
  options.order = order.Decisions(root.instance());
  options.value_choice = "indomain_random";
  options.gecode_tables = true;
  const GecodeRate gecode = MeasureGecode(ExportMiniZinc(root.instance(), options), solutions, 150);
  const EngineRate engine = MeasureEngine(root, order, 2);
  std::printf("%s\n", name.c_str());
  if (gecode.error.empty()) {
    std::printf(
        "  Gecode %12.2f implementations/s (%llu in %.1f s; flattened in %.1f s, first "
        "after %.1f s)\n",
        gecode.descents_per_second, static_cast<unsigned long long>(gecode.solutions),
        gecode.seconds, gecode.flatten_seconds, gecode.start_seconds);
  } else {
    std::printf("  Gecode: %s\n", gecode.error.c_str());
  }
  std::printf("  engine %12.2f implementations/s", engine.per_second);
  if (gecode.error.empty())
    std::printf(", %.0f times", engine.per_second / gecode.descents_per_second);
  std::printf("\n");
  std::fflush(stdout);
}

void MeasureOrder(int instructions, int dims, std::uint64_t solutions) {
  const TestSpace test = OrderSpace(instructions, dims);
  const runtime::Candidate root(runtime::Instance::Freeze(test.space, test.host));
  Measure("order alone, " + std::to_string(instructions + dims) + " statements", root,
          search::ChoiceOrder::Default(root.instance()), solutions);
}

void MeasureMatmul(std::uint64_t solutions) {
  search::ProblemOptions options;
  options.kernel = "matmul";
  options.space = "paper";
  options.size = "m=1024,n=1024,k=1024,inner_tile=4";
  options.device = "k4000";
  const runtime::Candidate root = search::MakeProblem(options).root();
  for (const char* order : {"paper", ""}) {
    Measure(std::string("matmul 1024x1024x1024 on k4000, order ") + (*order ? order : "default"),
            root, search::ChoiceOrder::Parse(order, root.instance()), solutions);
  }
}

}  // namespace
}  // namespace exh::tests

int main(int argc, char** argv) {
  if (const std::string missing = exh::tests::MissingMiniZinc(); !missing.empty()) {
    std::printf("%s\n", missing.c_str());
    return 77;
  }
  const std::uint64_t solutions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20;
  exh::tests::MeasureOrder(5, 30, 10 * solutions);
  exh::tests::MeasureOrder(9, 50, solutions);
  exh::tests::MeasureMatmul(solutions);
}
