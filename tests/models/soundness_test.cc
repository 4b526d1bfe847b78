// SPDX-License-Identifier: MIT
//
// On random descents: no decision lowers the bound, and what it counts of an implementation is no
// more than what the loops of its code run.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "kernels/codegen/plan/lowered_code.h"
#include "search/descend/choice_order.h"
#include "tests/models/bounded.h"

namespace exh::models {
namespace {

namespace codegen = kernels::codegen;

struct Case {
  const char *kernel, *size, *device, *space;
};
constexpr int kDescents = 40;

const Case kCases[] = {
    {"axpy", "n=4096", "h200", ""},
    {"axpy", "n=1000", "k4000", "paper"},
    {"axpy", "n=360", "cpu", ""},
    {"mv", "m=96,n=60", "h200", ""},
    {"mv", "m=64,n=64", "k4000", "paper"},
    {"matmul", "m=64,n=64,k=64", "h200", ""},
    {"matmul", "m=96,n=30,k=45", "h200", ""},
    {"matmul", "m=64,n=32,k=32,relu=1", "k4000", "paper"},
    {"matmul", "m=24,n=32,k=36,a_stride=3", "cpu", ""},
    {"batched_matmul", "batch=12,m=16,n=16,k=8", "h200", ""},
    {"gesummv", "n=64", "h200", ""},
};

/// A unit's amounts as the loop tree has them: threads that a band has no work for are left out,
/// unless others read their registers.
struct Counted {
  double lanes = 0, issues = 0, of_thread = 0;
  double accesses = 0;  ///< If all threads of a warp touch different lines.
  double waits = 0;     ///< Clocks, if nothing of a unit waits at the same time.
};

Counted Count(const search::Problem& problem, const codegen::Schedule& schedule,
              const codegen::LoweredCode& code, const DeviceRates& rates) {
  const codegen::LoopTree& tree = code.tree;
  Counted counted;
  const double blocks = std::ceil(static_cast<double>(tree.num_blocks) / rates.units);
  for (const kernels::ir::Instruction& inst : problem.task.function->insts) {
    int node = tree.node_of_inst[inst.id.index()];
    if (node < 0 || inst.op == kernels::ir::Op::kConst) continue;
    double copies = 1, threads = 1, lanes_of_vector = 1, rounds = 1;
    for (; node >= 0; node = tree.node(node).parent) {
      const codegen::LoopNode& n = tree.node(node);
      const auto size = [&](int c) {
        return static_cast<double>(tree.classes[static_cast<std::size_t>(c)].size);
      };
      if (n.kind == codegen::NodeKind::kLoop || n.kind == codegen::NodeKind::kUnroll) {
        copies *= size(n.dim_class);
        if (n.kind == codegen::NodeKind::kLoop || inst.is_reduction()) rounds *= size(n.dim_class);
      }
      if (n.kind == codegen::NodeKind::kVector) lanes_of_vector *= size(n.dim_class);
      if (n.kind == codegen::NodeKind::kThreads) {
        for (const int c : n.thread_classes) threads *= size(c);
        if (n.layout < 0) continue;
        // Those that the band is for: others may read the registers of more than its own dims make.
        const codegen::ThreadGuard& guard = code.threads.band[static_cast<std::size_t>(node)];
        threads = guard.below != 0 ? guard.below : static_cast<double>(tree.num_threads);
        for (const int axis : guard.axes) threads /= tree.axes[static_cast<std::size_t>(axis)].size;
      }
    }
    const double warps = std::ceil(threads / rates.warp_lanes);
    if (inst.is_memory()) {
      copies /= schedule.vec(inst.id);
      const double width = schedule.vec(inst.id) * lanes_of_vector;
      counted.accesses += blocks * copies * warps * std::max(rates.warp_lanes, width);
      if (inst.op == kernels::ir::Op::kLoad)
        counted.waits += blocks * rounds * rates.read_latency_clk;
      if (inst.op == kernels::ir::Op::kTempLoad) {
        const bool is_shared = schedule.mem_space(inst.block) == codegen::MemSpace::SHARED;
        counted.waits +=
            blocks * rounds * (is_shared ? rates.shared_latency_clk : rates.read_latency_clk);
      }
    } else {
      counted.waits += blocks * rounds * rates.fma_latency_clk;
      copies *= lanes_of_vector;
      if (inst.op != kernels::ir::Op::kMax) {
        counted.lanes += blocks * copies * warps * rates.warp_lanes;
      }
    }
    counted.issues += blocks * copies * warps;
    counted.of_thread += copies;
    counted.waits += blocks * copies;
  }
  return counted;
}

double AmountOf(const Bound& bound, std::string_view resource) {
  for (const BoundTerm& term : bound.terms) {
    if (term.resource == resource) return term.amount;
  }
  return 0;
}

class Soundness : public testing::TestWithParam<Case> {};

TEST_P(Soundness, BoundsGrowAndStayBelowTheCode) {
  const Case& c = GetParam();
  const search::Problem problem = MakeProblem(c.kernel, c.size, c.device, c.space);
  const DeviceRates rates = RatesOf(problem);
  const LowerBound bound(*problem.task.function, rates);
  const runtime::Candidate root = problem.root();
  const search::ChoiceOrder order = search::ChoiceOrder::Default(root.instance());
  Random random(1);
  Domains domains;
  int leaves = 0, steps = 0, grown = 0;
  std::vector<double> amounts(bound.num_amounts(), -1);
  std::set<std::vector<double>> kinds_of_leaves;
  for (int i = 0; i < kDescents; ++i) {
    // Half of the descents take any open decision next.
    runtime::Candidate candidate = root;
    double last = 0;
    bool is_dead = false;
    while (!is_dead) {
      models::ReadDomains(*problem.task.function, problem.task.decisions, candidate, domains);
      const double ns = bound.Ns(domains);
      ASSERT_GE(ns, last * (1 - 1e-12)) << "after " << steps << " steps, descent " << i;
      grown += ns > last;
      last = ns;
      std::optional<runtime::DecisionId> next = order.Next(candidate);
      if (!next) break;
      if (i % 2 == 1) {
        std::vector<runtime::DecisionId> open;
        const runtime::Instance& instance = candidate.instance();
        for (runtime::DecisionId d = 0; d < instance.num_decisions(); ++d) {
          if (candidate.IsOpen(d)) open.push_back(d);
        }
        next = open[random.Below(open.size())];
      }
      const runtime::Candidate before = candidate;
      runtime::Bits rest = before.domain(*next);
      for (is_dead = true; is_dead && rest != 0;) {
        runtime::Bits value = rest;
        for (std::size_t skip = random.Below(static_cast<std::size_t>(std::popcount(rest)));
             skip > 0; --skip) {
          value &= value - 1;
        }
        value &= ~value + 1;
        rest &= ~value;
        candidate = before;
        is_dead = candidate.Restrict(*next, value) != runtime::Propagation::kFixpoint;
      }
      ++steps;
    }
    if (is_dead || !candidate.IsImplementation()) continue;
    const codegen::Schedule schedule = kernels::ExtractSchedule(problem.task, candidate);
    const codegen::LoweredCode code = codegen::LowerSchedule(*problem.task.function, schedule);
    ASSERT_EQ(code.error, "");
    ++leaves;
    const Bound explained = bound.Explain(domains);
    EXPECT_EQ(explained.ns, last);
    EXPECT_EQ(explained.least_blocks, static_cast<double>(code.tree.num_blocks));
    EXPECT_EQ(explained.most_blocks, static_cast<double>(code.tree.num_blocks));
    const Counted counted = Count(problem, schedule, code, rates);
    EXPECT_LE(AmountOf(explained, "arithmetic"), counted.lanes * (1 + 1e-12));
    EXPECT_LE(AmountOf(explained, "issue"), counted.issues * (1 + 1e-12));
    EXPECT_LE(AmountOf(explained, "thread"), counted.of_thread * (1 + 1e-12));
    EXPECT_LE(AmountOf(explained, "access"), counted.accesses * (1 + 1e-12));
    EXPECT_LE(AmountOf(explained, "latency"), counted.waits * (1 + 1e-12));
    EXPECT_LE(bound.Ns(domains, 0), last);
    EXPECT_EQ(bound.Amounts(domains, amounts), last);
    EXPECT_EQ(amounts[0], last);
    if (rates.fma_per_clk > 0) {
      EXPECT_EQ(amounts[1], AmountOf(explained, "arithmetic"));
    }
    if (rates.issues_per_clk > 0) {
      EXPECT_EQ(amounts[2], AmountOf(explained, "issue"));
    }
    EXPECT_EQ(amounts[9], static_cast<double>(code.tree.num_blocks));
    EXPECT_TRUE(std::ranges::all_of(amounts, [](double a) { return a >= 0 && std::isfinite(a); }));
    kinds_of_leaves.insert(amounts);
  }
  // Implementations differ in them, and not in the bound alone.
  EXPECT_GE(2 * kinds_of_leaves.size(), static_cast<std::size_t>(leaves));
  EXPECT_GE(leaves, 2);  // Dead ends are not backed out of.
  EXPECT_GT(grown, leaves);
}

std::string NameOf(const testing::TestParamInfo<Case>& test) {
  return std::string(test.param.kernel) + "_" + test.param.device + "_" +
         std::to_string(test.index);
}
INSTANTIATE_TEST_SUITE_P(Kernels, Soundness, testing::ValuesIn(kCases), NameOf);

}  // namespace
}  // namespace exh::models
