// SPDX-License-Identifier: MIT
//
// The generated Schedule and DomainReader of linalg.exh say what the engine knows: every decision
// in either order of its arguments, every membership, of implementations and on the way to them.
#include <gtest/gtest.h>

#include "kernels/codegen/loops/schedule.h"
#include "kernels/library/registry.h"
#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "spaces/linalg.exh.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels {
namespace {

namespace linalg = spaces::linalg;

/// Reads of the engine's tables, by which everything else is measured.
struct Known {
  const Task& task;
  const runtime::Candidate& candidate;
  linalg::View view{candidate, static_cast<const linalg::SpaceHost&>(*task.host)};
  const ir::Function& function = *task.function;

  bool Takes(ir::StmtId id) const { return view.InStatements(id) == runtime::Membership::kCertain; }
};

void ExpectSameDomains(const Task& task, const runtime::Candidate& candidate) {
  const Known known{task, candidate};
  const linalg::DomainReader reader(task.decisions, candidate);
  for (const ir::Statement& a : known.function.statements) {
    ASSERT_EQ(reader.InStatements(a.id), known.view.InStatements(a.id)) << a.name();
    for (const ir::Statement& b : known.function.statements) {
      if (a.id == b.id) continue;
      ASSERT_EQ(reader.order(a.id, b.id), known.view.order(a.id, b.id)) << a.name() << b.name();
    }
  }
  for (const ir::Dimension& a : known.function.dims) {
    ASSERT_EQ(reader.size(a.id).bits(), known.view.size(a.id).bits());
    ASSERT_EQ(reader.dim_kind(a.id), known.view.dim_kind(a.id));
    for (const ir::Dimension& b : known.function.dims) {
      if (a.id == b.id) continue;
      ASSERT_EQ(reader.thread_mapping(a.id, b.id), known.view.thread_mapping(a.id, b.id));
    }
  }
}

/// Of the objects that take part; of others the schedule has nothing to say.
void ExpectSameValues(const Task& task, const runtime::Candidate& candidate) {
  const Known known{task, candidate};
  const linalg::Schedule schedule = ExtractSchedule(task, candidate);
  for (const ir::Statement& a : known.function.statements) {
    ASSERT_EQ(schedule.InStatements(a.id), known.Takes(a.id));
    for (const ir::Statement& b : known.function.statements) {
      if (a.id == b.id) continue;
      const linalg::Order* const order = schedule.order.Find(a.id, b.id);
      ASSERT_EQ(order != nullptr, known.Takes(a.id) && known.Takes(b.id));
      if (order == nullptr) continue;
      ASSERT_EQ(*order, known.view.order(a.id, b.id).value());
    }
  }
  for (const ir::Dimension& dim : known.function.dims) {
    ASSERT_EQ(schedule.size.Find(dim.id) != nullptr, known.Takes(dim.id));
    if (!known.Takes(dim.id)) continue;
    ASSERT_EQ(schedule.size(dim.id), known.view.size(dim.id).value());
    ASSERT_EQ(schedule.dim_kind(dim.id), known.view.dim_kind(dim.id).value());
  }
  for (const ir::MemBlock& block : known.function.blocks) {
    const bool takes = known.view.InBlocks(block.id) == runtime::Membership::kCertain;
    ASSERT_EQ(schedule.InBlocks(block.id), takes);
    for (const ir::AxisId axis : block.axes) {
      ASSERT_EQ(schedule.rank.Or(99, block.id, axis),
                takes ? known.view.rank(block.id, axis).value() : 99);
    }
  }
}

TEST(Schedule, SaysWhatTheEngineKnows) {
  const Kernel* const kernel = FindKernel("matmul");
  Parameters sizes;
  for (const Parameter& p : kernel->parameters()) sizes[p.name] = p.default_value;
  for (const char* axis : {"m", "n", "k"}) sizes[axis] = 32;
  const Task task = MakeTask(*kernel, sizes, testing::CudaTestDevice(64));
  const auto order = search::ChoiceOrder::Default(*task.instance);
  const runtime::Candidate root(task.instance);
  ExpectSameDomains(task, root);
  search::Descender descender(order);
  Random random(11);
  bool has_temporary = false;
  for (int i = 0; i < 6; ++i) {
    const auto result = descender.Run(root, random, [](const search::DeadEnd&) {});
    if (result != search::DescentResult::kImplementation) continue;
    ExpectSameValues(task, descender.candidate());
    ExpectSameDomains(task, descender.candidate());
    for (const ir::MemBlock& block : task.function->blocks) {
      has_temporary |= ExtractSchedule(task, descender.candidate()).InBlocks(block.id);
    }
    // On the way: the first half of what was decided.
    runtime::Candidate half = root;
    const search::Path path = descender.path();
    for (std::size_t step = 0; step < path.size() / 2; ++step) {
      const auto decision = static_cast<runtime::DecisionId>(path[step].decision);
      ASSERT_EQ(half.Take(decision, path[step].value), runtime::Propagation::kFixpoint);
    }
    ExpectSameDomains(task, half);
  }
  EXPECT_TRUE(has_temporary);
}

}  // namespace
}  // namespace exh::kernels
