// SPDX-License-Identifier: MIT
//
// Copies into shared memory: each that a space allows has the one form of copies.exh, its reads are
// printed before its stores, and rows that change places are where both sides look for them. What
// CountWavefronts() counts is what the addresses of the printed accesses are.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "kernels/codegen/plan/bank_use.h"
#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "tests/kernels/space/cuda_batch.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels::testing {
namespace {

using codegen::DimKind;
using codegen::LoweredCode;
using codegen::Order;
using codegen::Schedule;

/// A device on which copies into shared memory are what is drawn most.
ir::Device Gpu() {
  ir::Device device = CudaTestDevice(64);
  device.global_bytes = 0;
  return device;
}

Sample Products(int count, std::uint64_t seed) {
  Coverage coverage;
  return Draw("matmul", {{"m", 32}, {"n", 32}, {"k", 32}}, Gpu(), count, seed, coverage);
}

void CheckForm(const ir::Target& f, const Schedule& s, const ir::Communication& comm) {
  const ir::Instruction& read = f.inst(comm.producer);
  EXPECT_EQ(s.thread_layout(read.phase), spaces::linalg::ThreadLayout::OWN_LAYOUT);
  EXPECT_EQ(s.mem_space(comm.lowered->block), codegen::MemSpace::SHARED);
  for (const ir::PairId id : f.comm(comm.lowered->store_comm).pairs) {
    const ir::DimPair& pair = f.pair(id);
    if (s.size(pair.src) == 1) continue;
    EXPECT_EQ(s.order(pair.src, pair.dst), Order::MERGED);
  }
  int copies = 1;
  for (const ir::DimId a : read.dims) {
    if (s.dim_kind(a) == DimKind::UNROLL) copies *= static_cast<int>(s.size(a));
    for (const ir::DimId b : read.dims) {
      const bool alike = s.dim_kind(a) == s.dim_kind(b) && s.size(a) > 1 && s.size(b) > 1;
      const bool in_nest = s.dim_kind(a) == DimKind::THREAD || s.dim_kind(a) == DimKind::UNROLL;
      if (a == b || !alike || !in_nest || !f.copied_outside(f.dim(a), f.dim(b))) continue;
      EXPECT_EQ(s.order(a, b), Order::OUTER) << f.dim(a).name() << " " << f.dim(b).name();
    }
  }
  EXPECT_LE(copies, static_cast<int>(f.most_copied(read)));
}

TEST(Copies, HaveOneForm) {
  int copies = 0;
  for (const char* kernel : {"matmul", "axpy", "mv"}) {
    Coverage coverage;
    const Sample sample = Draw(kernel, {}, Gpu(), 40, 17, coverage);
    for (const Schedule& schedule : sample.schedules) {
      for (const ir::Communication& comm : sample.task.function->copies()) {
        if (!schedule.InBlocks(comm.lowered->block)) continue;
        if (schedule.tiles(comm.id) != codegen::Tiles::OWN_TILES) continue;
        CheckForm(*sample.task.function, schedule, comm);
        ++copies;
      }
    }
  }
  EXPECT_GE(copies, 30);
}

/// The nodes of instructions in the order in which they run.
void InOrder(const codegen::LoopTree& tree, int node, std::vector<ir::InstId>& insts) {
  if (tree.node(node).inst.valid()) insts.push_back(tree.node(node).inst);
  for (const int child : tree.node(node).children) InOrder(tree, child, insts);
}

TEST(Copies, ReadBeforeTheyStore) {
  const Sample sample = Products(60, 18);
  const ir::Target& f = *sample.task.function;
  int unrolled = 0;
  for (const Schedule& schedule : sample.schedules) {
    const LoweredCode code = codegen::LowerSchedule(f, schedule);
    ASSERT_EQ(code.error, "");
    for (const ir::Communication& comm : f.copies()) {
      if (!schedule.InBlocks(comm.lowered->block)) continue;
      if (schedule.tiles(comm.id) != codegen::Tiles::OWN_TILES) continue;
      // An asynchronous copy is both.
      if (schedule.transfer(comm.lowered->block) == codegen::Transfer::ASYNC) continue;
      const int read = code.tree.node_of_inst[comm.producer.index()];
      const int store = code.tree.node_of_inst[comm.lowered->store.index()];
      // No unrolled copies are around the two alone: each side has its own nest of them.
      const int both = code.tree.CommonAncestor(read, store);
      unrolled += code.tree.node(code.tree.node(read).parent).kind == codegen::NodeKind::kUnroll;
      std::vector<ir::InstId> insts;
      InOrder(code.tree, both, insts);
      EXPECT_LT(std::ranges::find(insts, comm.producer),
                std::ranges::find(insts, comm.lowered->store));
      const bool has_others = std::ranges::any_of(insts, [&](ir::InstId inst) {
        return f.inst(inst).phase != f.inst(comm.producer).phase;
      });
      EXPECT_TRUE(has_others || code.tree.node(both).kind != codegen::NodeKind::kUnroll ||
                  !code.tree.has_threads())
          << ToText(f, code.tree);
    }
  }
  EXPECT_GE(unrolled, 20);
}

/// Those of which rows change places.
Sample WithXor(Sample sample) {
  std::vector<Schedule> kept;
  for (const Schedule& schedule : sample.schedules) {
    const LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
    if (std::ranges::any_of(code.memory.temps, [](const auto& t) { return !t.layout.empty(); })) {
      kept.push_back(schedule);
    }
  }
  sample.schedules = std::move(kept);
  return sample;
}

std::vector<std::string> RunWith(const Sample& sample, codegen::Fault fault) {
  std::vector<CudaText> texts;
  for (const Schedule& schedule : sample.schedules) {
    const codegen::GpuText text =
        codegen::PrintGpu(codegen::LowerSchedule(*sample.task.function, schedule, fault));
    texts.push_back({text.source, text.launch});
  }
  return RunCudaSources(sample.task, texts);
}

TEST(Copies, RowsThatChangePlacesAreRight) {
  const Sample sample = WithXor(Products(400, 19));
  ASSERT_GE(sample.schedules.size(), 15u);
  for (const std::string& message : RunWith(sample, codegen::Fault::kNone)) EXPECT_EQ(message, "");
  int wrong = 0;
  for (const std::string& message : RunWith(sample, codegen::Fault::kOneSidedRows)) {
    wrong += !message.empty();
  }
  EXPECT_EQ(wrong, static_cast<int>(sample.schedules.size()));
}

// Never worse than rows one after the other.
TEST(Copies, ChangedPlacesSpareWavefronts) {
  const Sample sample = WithXor(Products(400, 20));
  ASSERT_GE(sample.schedules.size(), 15u);
  std::uint64_t plain = 0, changed = 0, least = 0;
  for (const Schedule& schedule : sample.schedules) {
    LoweredCode code = codegen::LowerSchedule(*sample.task.function, schedule);
    const std::vector<codegen::BankUse> with = codegen::CountWavefronts(code);
    for (codegen::TempArray& temp : code.memory.temps) temp.layout = {};
    const std::vector<codegen::BankUse> without = codegen::CountWavefronts(code);
    ASSERT_EQ(with.size(), without.size());
    for (std::size_t i = 0; i < with.size(); ++i) {
      EXPECT_EQ(with[i].accesses, without[i].accesses);
      EXPECT_GE(with[i].wavefronts, with[i].least);
      changed += with[i].wavefronts;
      plain += without[i].wavefronts;
      least += with[i].least;
    }
  }
  fmt::print("wavefronts: {} in plain rows, {} where pieces changed places, at least {}\n", plain,
             changed, least);
  EXPECT_LT(changed, plain);
}

}  // namespace
}  // namespace exh::kernels::testing
