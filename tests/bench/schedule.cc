// SPDX-License-Identifier: MIT
//
// Seconds that a polyhedral schedule takes: fused operators of 10, 20, 30 statements of rank 5.
//
// For each size and kind of dependences, the median of five generated operators, and of the slowest
// of them: what the dependences take, what Farkas' lemma takes, and then one schedule without
// influence, one under the whole tree of scenarios, and the slowest leaf alone. Every schedule is
// proven legal within its time. With it how many systems were solved, and how many decisions that
// took. Seconds of the processor.
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "poly/isl/dependences.h"
#include "poly/scenarios.h"
#include "poly/scheduler.h"
#include "tests/poly/scops.h"

namespace exh::poly {
namespace {

double Now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class F>
double Seconds(const F& work) {
  const double begin = Now();
  work();
  return Now() - begin;
}

struct Row {
  double dependences = 0, farkas = 0, plain = 0, influenced = 0, slowest_leaf = 0;
  std::size_t num_dependences = 0, num_leaves = 0;
  Scheduled without, with;

  double total() const { return dependences + farkas + influenced; }
};

Row Measure(int num_statements, DependenceKind kind, std::uint64_t seed) {
  const Scop scop = FusedOperator(num_statements, seed);
  Row row;
  std::vector<Dependence> dependences;
  row.dependences = Seconds([&] { dependences = DependencesOf(scop, kind); });
  row.num_dependences = dependences.size();
  std::unique_ptr<Scheduler> scheduler;
  row.farkas = Seconds([&] { scheduler = std::make_unique<Scheduler>(scop, dependences); });
  row.plain = Seconds([&] { row.without = scheduler->Find({}); });
  const InfluenceTree tree = TreeOf(scop, dependences, ScenariosOf(scop, {}));
  row.influenced = Seconds([&] { row.with = scheduler->Find(tree); });
  for (const InfluenceTree& path : PathsOf(tree)) {
    ++row.num_leaves;
    row.slowest_leaf = std::max(row.slowest_leaf, Seconds([&] { (void)scheduler->Find(path); }));
  }
  return row;
}

void Print(const char* what, int num_statements, DependenceKind kind, const Row& row) {
  fmt::print(
      "{:10} {:6} {:7} {:5}  {:8.1f} {:7.1f} {:7.1f} {:7.1f} {:7.1f} {:7.1f}  {:7} {:8} {:6} {:5}  "
      "{}\n",
      num_statements, kind == DependenceKind::kValue ? "value" : "memory", what,
      row.num_dependences, 1e3 * row.dependences, 1e3 * row.farkas, 1e3 * row.plain,
      1e3 * row.influenced, 1e3 * row.slowest_leaf, 1e3 * row.total(), row.without.num_systems,
      row.with.num_systems, row.with.num_nodes, row.num_leaves, row.with.leaf);
}

void Run() {
  fmt::print("milliseconds; total: dependences, Farkas and the tree\n");
  fmt::print("{:10} {:6} {:7} {:5}  {:>8} {:>7} {:>7} {:>7} {:>7} {:>7}  {:7} {:8} {:6} {:5}  {}\n",
             "statements", "kind", "", "deps", "find", "Farkas", "plain", "tree", "a leaf", "total",
             "systems", "in tree", "nodes", "paths", "leaf");
  for (const int num_statements : {10, 20, 30}) {
    for (const DependenceKind kind : {DependenceKind::kValue, DependenceKind::kMemory}) {
      std::vector<Row> rows;
      for (std::uint64_t seed = 0; seed < 5; ++seed)
        rows.push_back(Measure(num_statements, kind, seed));
      std::sort(rows.begin(), rows.end(),
                [](const Row& a, const Row& b) { return a.total() < b.total(); });
      Print("median", num_statements, kind, rows[2]);
      Print("slowest", num_statements, kind, rows[4]);
    }
  }
}

}  // namespace
}  // namespace exh::poly

int main() {
  exh::poly::Run();
}
