// SPDX-License-Identifier: MIT
#include "kernels/ir/lowering.h"

#include <gtest/gtest.h>

#include <set>

#include "kernels/ir/builder.h"
#include "kernels/ir/target.h"

namespace exh::kernels::ir {
namespace {

/// y = x * x, both reads staged.
Target Square() {
  Target f;
  f.paper = true;
  Builder b(f, f.paper);
  const ArrayId x = b.InputArray("x", 64), y = b.OutputArray("y", 64);
  const AxisRef n = b.Axis("n", 64, {{2, 8}});
  const Value load = b.Load("load", x, {{n, 1}});
  const Value square = b.Compute("square", Op::kMul, {n}, {MayStage(load), MayStage(load)});
  b.Store("store", y, {{n, 1}}, InRegisters(square));
  PlanLowering(f);
  return f;
}

TEST(PlanLowering, PlansABlockWithAStoreAndALoadForEachCommunication) {
  const Target f = Square();
  ASSERT_EQ(f.blocks.size(), 2u);
  const MemBlock& block = f.blocks[0];
  EXPECT_EQ(block.name(), "tmp.load:square");
  EXPECT_EQ(f.inst(block.store).op, Op::kTempStore);
  EXPECT_EQ(f.inst(block.load).op, Op::kTempLoad);
  ASSERT_EQ(block.axes.size(), 2u);
  const Axis& axis = f.axis(block.axes[1]);
  EXPECT_EQ(f.dim(axis.store_dim).name(), "tmp.load:square.st.n1");
  EXPECT_EQ(f.dim(axis.load_dim).name(), "tmp.load:square.ld.n1");
  EXPECT_EQ(f.dim(axis.store_dim).sizes, f.dim(f.inst(InstId{0}).dims[1]).sizes);

  const Communication& comm = f.comms[0];
  ASSERT_TRUE(comm.lowered.has_value());
  const Communication& to_store = f.comm(comm.lowered->store_comm);
  const Communication& to_consumer = f.comm(comm.lowered->load_comm);
  EXPECT_EQ(to_store.producer, comm.producer);
  EXPECT_EQ(to_store.consumer, block.store);
  EXPECT_EQ(to_consumer.producer, block.load);
  EXPECT_EQ(to_consumer.consumer, comm.consumer);
  EXPECT_FALSE(to_consumer.may_lower) << "a temporary is not staged again";
  EXPECT_EQ(f.pair(to_consumer.pairs[0]).dst, f.pair(comm.pairs[0]).dst);
}

TEST(PlanLowering, ListsPermanentStatementsFirst) {
  const Target f = Square();
  ASSERT_EQ(f.statements.size(), f.dims.size() + f.insts.size());
  bool planned = false;
  std::set<std::string> names;
  for (const Statement& statement : f.statements) {
    EXPECT_FALSE(planned && !statement.planned);
    planned = statement.planned;
    EXPECT_TRUE(names.insert(statement.name()).second) << statement.name();
    EXPECT_EQ(statement.name().find_first_of(" ,()"), std::string::npos);
  }
}

TEST(PlanLowering, LoweringListsEveryPlannedObjectOfItsCommunicationOnce) {
  const Target f = Square();
  std::set<StmtId> statements;
  for (const Communication& comm : f.comms) {
    for (const StmtId id : f.lowering(comm.id).statements) {
      EXPECT_TRUE(statements.insert(id).second);
    }
  }
  for (const Statement& statement : f.statements) {
    EXPECT_EQ(statements.count(statement.id) == 1, statement.planned) << statement.name();
  }
  EXPECT_TRUE(f.lowering(CommId{2}).statements.empty()) << "the store's input stays in registers";
}

}  // namespace
}  // namespace exh::kernels::ir
