// SPDX-License-Identifier: MIT
//
// On random descents: no decision lowers the bound, and what it counts of an implementation is no
// more than what the loops of its code run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "kernels/codegen/plan/lowered_code.h"
#include "search/descend/choice_order.h"
#include "search/descend/value_set.h"
#include "tests/models/bounded.h"

namespace exh::models {
namespace {

namespace codegen = kernels::codegen;

struct Case {
  const char *kernel, *size, *device, *space;
  const char* decisions = "";  ///< Taken before the descents.
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
    {"dot", "n=4096", "h200", ""},
    {"dot", "n=4096", "h200", "", "across_blocks(mad)=ATOMIC_CAS\n"},
    {"dot", "n=4096", "h200", "", "across_blocks(mad)=ATOMIC_RED\n"},
    {"dot", "n=4096", "h200", "", "across_blocks(mad)=LAST_BLOCK\n"},
    {"dot", "n=4096", "h200", "", "across_blocks(mad)=SECOND_LAUNCH\n"},
    {"dot", "n=4096", "h200", "", "across_blocks(mad)=CLUSTER\n"},
    {"mv", "m=101,n=67", "h200", "", "across_blocks(mad)=CLUSTER\n"},
    {"softmax", "m=8,n=128", "h200", "", "across_blocks(max_top)=CLUSTER\n"},
    {"rms_norm", "m=8,n=256", "h200", "", "across_blocks(mad)=CLUSTER\n"},
    {"logsumexp", "m=8,n=96", "h200", "",
     "pace(max_top:sub)=RUNNING\nacross_blocks(max_top)=LAST_BLOCK\n"},
    {"dot", "n=4096", "cpu", "", "across_blocks(mad)=SECOND_LAUNCH\n"},
    {"dot", "n=4096", "cpu", ""},
    {"mv", "m=64,n=256", "cpu", ""},
    {"mv", "m=10,n=253", "cpu", ""},
    {"reduce", "a=8,b=4,c=512,d=1", "h200", "", "across_blocks(sum)=SECOND_LAUNCH\n"},
    {"reduce", "a=8,b=4,c=512,d=1,op=2", "h200", ""},
    {"matmul", "m=8,n=8,k=1024", "h200", "", "across_blocks(mad)=ATOMIC_VECTOR\n"},
    {"matmul", "m=8,n=8,k=1024", "h200", "", "across_blocks(mad)=LAST_BLOCK\n"},
    {"matmul", "m=8,n=8,k=1024,relu=1", "h200", "", "across_blocks(mad)=LAST_BLOCK\n"},
    {"matmul", "m=8,n=8,k=1024,relu=1", "h200", "", "across_blocks(mad)=SECOND_LAUNCH\n"},
    {"matmul", "m=8,n=8,k=256,relu=1", "cpu", "", "across_blocks(mad)=SECOND_LAUNCH\n"},
    {"axpy", "n=1000", "h200", ""},
    {"mv", "m=101,n=67", "h200", ""},
    {"matmul", "m=37,n=53,k=101", "h200", ""},
    {"matmul", "m=37,n=53,k=29", "cpu", ""},
    {"dot", "n=4093", "h200", "", "across_blocks(mad)=SECOND_LAUNCH\n"},
    {"reduce", "a=7,b=5,c=509,d=1,op=2", "h200", ""},
    {"matmul", "m=29,n=37,k=1021", "h200", "", "across_blocks(mad)=LAST_BLOCK\n"},
    {"matmul", "m=29,n=37,k=1021,relu=1", "h200", "", "across_blocks(mad)=SECOND_LAUNCH\n"},
    {"matmul", "m=29,n=37,k=253", "cpu", "", "across_blocks(mad)=SECOND_LAUNCH\n"},
    {"mv", "m=101,n=67", "h200", "", "across_blocks(mad)=ATOMIC_CAS\n"},
    {"mv", "m=101,n=67", "h200", "", "across_blocks(mad)=LAST_BLOCK\n"},
    {"mv", "m=101,n=67", "h200", "", "across_blocks(mad)=SECOND_LAUNCH\n"},
    {"dot", "n=4093", "h200", "", "across_blocks(mad)=ATOMIC_RED\n"},
    {"matmul", "m=29,n=40,k=1021", "h200", "", "across_blocks(mad)=ATOMIC_VECTOR\n"},
    {"reduce", "a=7,b=5,c=509,d=1", "h200", "", "across_blocks(sum)=LAST_BLOCK\n"},
    {"reduce", "a=7,b=5,c=509,d=3", "h200", "", "across_blocks(sum)=SECOND_LAUNCH\n"},
    {"matmul", "m=64,n=64,k=64", "h200", "", "stages(tmp.load_b)=3\ntransfer(tmp.load_a)=ASYNC\n"},
    {"matmul", "m=37,n=53,k=101", "h200", "", "stages(tmp.load_b)=2|3|4\nstages(tmp.load_a)=2\n"},
    {"axpy", "n=4096", "h200", "", "stages(tmp.load_x)=2|3|4\nstages(tmp.load_y)=2|3|4\n"},
    {"matmul", "m=64,n=64,k=64", "h200", "", "unit(mad)=FMA\n"},
    {"matmul", "m=64,n=64,k=64", "h200", "", "unit(mad)=DMMA\n"},
    {"matmul", "m=64,n=64,k=64,type=3", "h200", "", "unit(mad)=MMA\n"},
    {"matmul", "m=61,n=48,k=253,relu=1", "h200", "", "unit(mad)=DMMA\n"},
    {"matmul", "m=16,n=16,k=1024", "h200", "", "unit(mad)=DMMA\nacross_blocks(mad)=LAST_BLOCK\n"},
    {"batched_matmul", "batch=12,m=16,n=16,k=16", "h200", "", "unit(mad)=DMMA\n"},
    {"matmul", "m=64,n=64,k=64", "h200", "",
     "unit(mad)=DMMA\nstages(tmp.load_a)=2|3|4\nstages(tmp.load_b)=3\n"},
    // Windows that overlap, and borders.
    {"conv2d", "h=8,w=8,c=4,m=8", "h200", ""},
    {"conv2d", "h=8,w=8,c=4,m=8,pad=0", "h200", ""},
    {"conv2d", "h=9,w=7,c=3,m=8,stride=2", "h200", ""},
    {"conv2d", "n=2,h=6,w=28,c=2,m=4,layout=1,filter_layout=2", "h200", ""},
    {"conv2d", "h=8,w=8,c=4,m=8", "h200", "", "window(window.load_x)=WINDOW\n"},
    {"conv2d", "h=8,w=8,c=4,m=8,pad=0", "h200", "", "window(window.load_x)=WINDOW\n"},
    {"conv2d", "h=9,w=7,c=3,m=8,stride=2", "h200", "", "window(window.load_x)=WINDOW\n"},
    {"conv2d", "n=2,h=6,w=28,c=2,m=4,layout=1", "h200", "", "window(window.load_x)=WINDOW\n"},
    {"conv2d", "h=8,w=12,c=4,m=8", "cpu", ""},
    {"matmul2", "m=32,n=16,k=16,p=32", "h200", ""},
    {"matmul2", "m=16,n=32,k=16,p=16", "h200", ""},
    // Exponentials, roots and quotients.
    {"softmax", "m=8,n=64", "h200", ""},
    {"layer_norm", "m=8,n=64", "h200", ""},
    // Scans, and blocks that look back.
    {"scan", "m=8,n=128", "h200", ""},
    {"scan", "m=3,n=1000", "h200", ""},
    {"scan", "m=2,n=4096", "h200", "", "across_blocks(scan)=LOOK_BACK\n"},
    {"scan", "m=2,n=1000,way=1", "h200", "", "across_blocks(scan)=LOOK_BACK\n"},
    {"conv2d", "h=26,w=8,c=3,m=4,r=5,s=5,pad=2,dilation=1", "cpu", ""},
};

/// Is the instruction left to few blocks, or to another launch, because blocks divide a reduction?
/// Then it adds nothing to what each block does.
bool IsLeft(const codegen::LoweredCode& code, kernels::ir::InstId inst) {
  return !code.splits.parts.front().insts[inst.index()] || code.splits.last_of[inst.index()] >= 0;
}

/// The threads of a block that run the instruction: those that the band around it is for, all where
/// others read the registers of more than that; and without a band all of them. A store has a guard
/// beside that.
double ThreadsThatRun(const codegen::LoweredCode& code, kernels::ir::InstId inst) {
  const codegen::LoopTree& tree = code.tree;
  double threads = tree.num_threads;
  const auto keep = [&](const codegen::ThreadGuard& guard) {
    if (guard.below != 0) threads = std::min<double>(threads, guard.below);
    for (const int axis : guard.axes) threads /= tree.axes[static_cast<std::size_t>(axis)].size;
  };
  int node = tree.node_of_inst[inst.index()];
  while (node >= 0 && tree.node(node).layout < 0) node = tree.node(node).parent;
  if (node >= 0) keep(code.threads.band[static_cast<std::size_t>(node)]);
  keep(code.threads.store[inst.index()]);
  return threads;
}

/// Rounds in which a read that fills a ring is awaited, as few as its slots allow: those of the
/// loops around the ring's, and of that one where as many iterations as can be are under way
/// together.
double RoundsOfRing(const codegen::LoweredCode& code, const kernels::ir::Instruction& read) {
  const codegen::LoopTree& tree = code.tree;
  const codegen::RingBlock& block = code.rings.BlockOf(read);
  const auto number = static_cast<std::size_t>(code.rings.of_inst[read.id.index()]);
  const int loop = code.rings.rings[number].loop;
  double rounds = 1;
  for (int node = loop; node >= 0; node = tree.node(node).parent) {
    if (tree.node(node).kind != codegen::NodeKind::kLoop) continue;
    const double size = tree.classes[static_cast<std::size_t>(tree.node(node).dim_class)].size;
    rounds *= node == loop ? std::ceil(size / (block.stages - 1)) : size;
  }
  return rounds;
}

/// A unit's amounts as the loop tree has them, of the threads that run an instruction. What blocks
/// do to make one value of the parts of a reduction (kHandOver, kLastBlock) is left out, too.
struct Counted {
  double lanes = 0, issues = 0, of_thread = 0;
  double accesses = 0;  ///< If all threads of a warp touch different lines.
  double waits = 0;     ///< Clocks, if nothing of a unit waits at the same time.
  double chain = 0;     ///< Clocks of the longest sum of a lane.
  double elements = 0;  ///< That lanes of warps read into registers.
};

/// Steps of a reduction that one lane takes: where it has lanes, unrolled copies are not one sum.
double StepsOfLane(const codegen::LoweredCode& code, const kernels::ir::Instruction& inst) {
  double steps = 1;
  for (const kernels::ir::DimId dim : inst.reduce_dims) {
    const codegen::DimClass& dim_class = code.tree.class_of(dim);
    const bool is_copy = dim_class.kind == DimKind::UNROLL && code.tree.LaneClass(inst) < 0;
    if (is_copy || dim_class.kind == DimKind::LOOP) steps *= dim_class.size;
  }
  return steps;
}

Counted Count(const search::Problem& problem, const codegen::Schedule& schedule,
              const codegen::LoweredCode& code, const DeviceRates& rates) {
  const codegen::LoopTree& tree = code.tree;
  Counted counted;
  const double all_blocks = std::ceil(static_cast<double>(tree.num_blocks) / rates.units);
  for (const kernels::ir::Instruction& inst : problem.task.function->insts) {
    int node = tree.node_of_inst[inst.id.index()];
    if (node < 0 || inst.op == kernels::ir::Op::kConst) continue;
    counted.chain = std::max(counted.chain, (StepsOfLane(code, inst) - 1) * rates.fma_latency_clk);
    const bool fills = code.rings.of_inst[inst.id.index()] >= 0;
    // A copy is one access.
    if (fills && code.rings.BlockOf(inst).is_async && inst.op == kernels::ir::Op::kTempStore) {
      continue;
    }
    const bool is_left = IsLeft(code, inst.id);
    const double blocks = is_left ? 1 : all_blocks;
    double copies = 1, lanes_of_vector = 1, rounds = 1;
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
    }
    // A matrix unit does a tile where the first of its copies stands.
    const auto& shape = kernels::ir::ShapeOf(kernels::ir::UnitOf(*code.function, inst));
    const double tile = tree.IsUnit(inst) ? shape.multiply_adds() : 0;
    for (const kernels::ir::DimId dim : inst.dims) {
      if (tile > 0 && tree.class_of(dim).part != kernels::ir::FragmentPart::kNone) {
        copies /= tree.class_of(dim).size;
      }
    }
    const double warps = std::ceil(ThreadsThatRun(code, inst.id) / rates.warp_lanes);
    if (inst.is_memory()) {
      const bool is_read =
          inst.op == kernels::ir::Op::kLoad || inst.op == kernels::ir::Op::kTempLoad;
      if (is_read) counted.elements += blocks * copies * lanes_of_vector * warps * rates.warp_lanes;
      copies /= schedule.vec(inst.id);
      const double width = schedule.vec(inst.id) * lanes_of_vector;
      if (!is_left) {
        counted.accesses += blocks * copies * warps * std::max(rates.warp_lanes, width);
      }
      if (inst.op == kernels::ir::Op::kLoad) {
        const double waits = fills ? RoundsOfRing(code, inst) : rounds;
        counted.waits += blocks * waits * rates.read_latency_clk;
      }
      if (inst.op == kernels::ir::Op::kTempLoad) {
        const bool is_shared = schedule.mem_space(inst.block) == codegen::MemSpace::SHARED;
        counted.waits +=
            blocks * rounds * (is_shared ? rates.shared_latency_clk : rates.read_latency_clk);
      }
    } else {
      counted.waits += blocks * rounds * rates.fma_latency_clk;
      copies *= lanes_of_vector;
      if (inst.op != kernels::ir::Op::kMax && !is_left) {
        counted.lanes += blocks * copies * warps * std::max(rates.warp_lanes, tile);
      }
    }
    counted.waits += blocks * copies;
    if (is_left) continue;
    counted.issues += blocks * copies * warps;
    counted.of_thread += copies;
  }
  return counted;
}

double AmountOf(const Bound& bound, std::string_view resource) {
  for (const BoundTerm& term : bound.terms) {
    if (term.resource == resource) return term.amount;
  }
  return 0;
}

/// The time of the longest of the other terms.
double LongestBeside(const Bound& bound, std::string_view resource) {
  double ns = 0;
  for (const BoundTerm& term : bound.terms) {
    if (term.resource != resource) ns = std::max(ns, term.ns);
  }
  return ns;
}

class Soundness : public testing::TestWithParam<Case> {};

TEST_P(Soundness, BoundsGrowAndStayBelowTheCode) {
  const Case& c = GetParam();
  const search::Problem problem = MakeProblem(c.kernel, c.size, c.device, c.space);
  DeviceRates rates = RatesOf(problem);
  rates.double_unit_per_clk = 0;  // Its lanes count as those of the pipes.
  const LowerBound bound(*problem.task.function, rates);
  const runtime::Candidate root = Decided(problem, c.decisions);
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
      search::ValueSet rest;
      rest.Assign(before, *next);
      for (is_dead = true; is_dead && !rest.empty();) {
        const int value = rest.Draw(random);
        rest.Remove(value);
        candidate = before;
        is_dead = candidate.Take(*next, value) != runtime::Propagation::kFixpoint;
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
    EXPECT_LE(AmountOf(explained, "chain"), counted.chain * (1 + 1e-12));
    EXPECT_LE(AmountOf(explained, "special"), counted.lanes * (1 + 1e-12));
    EXPECT_LE(AmountOf(explained, "conversion"), counted.elements * (1 + 1e-12));
    // Of an implementation the other terms know as much.
    EXPECT_LE(TermNs(explained, "blocks"), LongestBeside(explained, "blocks") * (1 + 1e-12));
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
    for (const codegen::SplitReduction& split : code.splits.reductions) {
      // What blocks of a scan say is gone when others have heard it.
      if (split.is_atomic() || split.is_of_cluster() || split.looks_back()) continue;
      const double partial =
          static_cast<double>(split.tiles * split.splits) * split.num_registers * split.num_slots;
      EXPECT_THAT(std::vector(amounts.end() - std::ssize(code.splits.reductions), amounts.end()),
                  testing::Contains(partial));
    }
    EXPECT_TRUE(std::ranges::all_of(amounts, [](double a) { return a >= 0 && std::isfinite(a); }));
    kinds_of_leaves.insert(amounts);
  }
  // Implementations differ in them, and not in the bound alone.
  EXPECT_GE(2 * kinds_of_leaves.size(), static_cast<std::size_t>(leaves));
  EXPECT_GE(leaves, 2);  // Dead ends are not backed out of.
  EXPECT_GT(grown, leaves);
}

TEST(SoundnessCases, BlocksDivideCoveredAxesInEveryWay) {
  for (const std::string_view way :
       {"ATOMIC_CAS", "ATOMIC_RED", "ATOMIC_VECTOR", "LAST_BLOCK", "SECOND_LAUNCH", "CLUSTER"}) {
    const auto covers = [&](const Case& c) {
      if (!std::string_view(c.decisions).ends_with(std::string(way) + "\n")) return false;
      const search::Problem problem = MakeProblem(c.kernel, c.size, c.device, c.space);
      const kernels::ir::Target& function = *problem.task.function;
      return std::ranges::any_of(function.dims, [&](const kernels::ir::Dimension& dim) {
        return function.may_split(dim) && function.logical(dim.logical).covers();
      });
    };
    EXPECT_TRUE(std::ranges::any_of(kCases, covers)) << way;
  }
}

std::string NameOf(const testing::TestParamInfo<Case>& test) {
  return std::string(test.param.kernel) + "_" + test.param.device + "_" +
         std::to_string(test.index);
}
INSTANTIATE_TEST_SUITE_P(Kernels, Soundness, testing::ValuesIn(kCases), NameOf);

}  // namespace
}  // namespace exh::models
