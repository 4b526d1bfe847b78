// SPDX-License-Identifier: MIT
#include "kernels/codegen/plan/lowered_code.h"

#include "base/error.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::codegen {
namespace {

/// Halving keeps addresses in bounds, so the fault shows as wrong numbers and not as a crash.
void HalveStride(LoweredCode& code, const ir::Instruction& inst) {
  for (auto& [number, stride] : code.memory.address[inst.id.index()].strides) {
    const DimClass& dim_class = code.tree.classes[static_cast<std::size_t>(number)];
    if (dim_class.kind == DimKind::VECTOR || dim_class.size == 1) continue;
    stride /= 2;
    return;
  }
}

void Seed(Fault fault, LoweredCode& code) {
  switch (fault) {
    case Fault::kNone:
      return;
    case Fault::kWrongStride:
      for (const ir::Instruction& inst : code.function->insts) {
        // Of a load that may leave its array, half an address is not where its guards look.
        if (!inst.guards.empty()) continue;
        if (inst.op == ir::Op::kLoad || inst.op == ir::Op::kStore) HalveStride(code, inst);
      }
      return;
    case Fault::kMissingBarrier:
      for (LoopNode& node : code.tree.nodes) node.barrier_before = false;
      code.threads.barrier_before.assign(code.tree.nodes.size(), false);
      code.fault = fault;  // Rings have barriers of their own.
      return;
    case Fault::kWrongIdentity:
      for (InstValues& inst : code.values.insts) {
        for (InitWrite& init : inst.inits) {
          init.slices.clear();
          init.splits.clear();
          init.first_lane_only = false;
        }
      }
      return;
    case Fault::kMissingFill:
    case Fault::kMissingFence:
    case Fault::kDirtyTicket:
    case Fault::kEarlyExchange:
    case Fault::kEarlyTelling:
    case Fault::kOneSidedRows:
    case Fault::kMissingWait:
    case Fault::kMissingCopyWait:
    case Fault::kShortRing:
    case Fault::kLostPlace:
    case Fault::kEarlyRefill:
    case Fault::kShortHalo:
    case Fault::kMissingZeros:
    case Fault::kUncorrected:
    case Fault::kLostTile:
    case Fault::kLostCarry:
    case Fault::kPlainNumber:
    case Fault::kStaleStatus:
    case Fault::kShortLook:
    case Fault::kWrongFragment:
    case Fault::kWrongDescriptor:
    case Fault::kMissingPublication:
    case Fault::kMissingGroupFence:
    case Fault::kMissingGroupWait:
    case Fault::kMissingPromotion:
    case Fault::kUnbegunBatch:
    case Fault::kWrongParity:
    case Fault::kEarlyRelease:
    case Fault::kOwnRelease:
    case Fault::kLostExchange:
    case Fault::kEarlyEnd:
    case Fault::kEarlyBarriers:
      code.fault = fault;
      return;
    case Fault::kLostSurplus:
      for (std::vector<GuardIndex>& guards : code.memory.guards) {
        for (GuardIndex& guard : guards) guard.extent -= guard.is_cover ? 1 : 0;
      }
      return;
    case Fault::kDroppedGuard:
      for (InstValues& inst : code.values.insts) inst.guard = {};
      code.threads.band.assign(code.tree.nodes.size(), {});
      code.threads.store.assign(code.function->insts.size(), {});
      return;
  }
}

/// Where nothing but a group of warps takes what the rings of a loop have, and these have slots
/// enough, a batch is under way while the next iteration begins.
void LagBehind(LoweredCode& code) {
  if (code.groups.products.size() != 1) return;
  GroupProduct& product = code.groups.products.front();
  if (product.is_promoted) return;  // Each batch is added up behind it.
  const int loop = code.tree.LoopAround(product.batch);
  const int number = loop < 0 ? -1 : code.rings.of_node[static_cast<std::size_t>(loop)];
  if (number < 0) return;
  Ring& ring = code.rings.rings[static_cast<std::size_t>(number)];
  constexpr std::uint32_t kSlots = 3;  // One is read, one is still read, one is filled.
  const bool may_lag = std::ranges::all_of(ring.blocks, [&](const RingBlock& block) {
    return block.is_async && block.stages >= kSlots &&
           code.tree.stays_in_place[code.function->block(block.block).load.index()];
  });
  // An operand that has one slot alone is filled again in the next iteration.
  const bool turn_all = std::ranges::all_of(product.operands, [&](const GroupOperand& operand) {
    return code.rings.of_block[operand.block.index()] == number;
  });
  const bool is_skipped = std::ranges::any_of(
      code.skipped, [&](const SkippedTiles& tiles) { return tiles.loop == loop; });
  if (!may_lag || !turn_all || is_skipped) return;
  product.lag = ring.lag = 1;
  if (!ring.is_bulk()) --ring.under_way;
}

}  // namespace

ir::Type EvaluatedIn(const ir::Instruction& inst) {
  const bool keeps_bool = inst.computes == ir::Type::kBool && !ir::InfoOf(inst.op).compares() &&
                          ir::ResultType(inst.op, inst.computes) == ir::Type::kBool;
  return keeps_bool ? inst.computes : ir::ComputeTypeOf(inst.computes);
}

LoweredCode LowerSchedule(const ir::Function& function, const Schedule& schedule, Fault fault,
                          TensorForm form, BankSearch search) {
  LoweredCode code;
  code.seeded = fault;
  code.function = &function;
  code.schedule = &schedule;
  LoopTreeResult result = BuildLoopTree(function, schedule, form);
  code.error = result.error;
  if (!code.error.empty()) return code;
  code.tree = std::move(*result.tree);
  code.skipped = PlanSkippedTiles(function, schedule, code.tree);
  code.memory = PlanMemory(function, schedule, code.tree, search);
  code.error = code.memory.error;
  if (!code.error.empty()) return code;
  code.groups = PlanGroups(function, schedule, code.tree, code.memory);
  code.error = code.groups.error;
  if (!code.error.empty()) return code;
  code.rings = PlanRings(function, schedule, code.tree, code.memory);
  code.error = code.rings.error;
  if (!code.error.empty()) return code;
  // Who fills a ring in bulk goes through all of its loop, and so does who reads it.
  std::erase_if(code.skipped, [&](const SkippedTiles& tiles) {
    const int ring = code.rings.of_node[static_cast<std::size_t>(tiles.loop)];
    return ring >= 0 && code.rings.rings[static_cast<std::size_t>(ring)].is_bulk();
  });
  LagBehind(code);
  code.values = PlanValues(function, schedule, code.tree);
  code.error = code.values.error;
  if (!code.error.empty()) return code;
  for (const ir::Instruction& inst : function.insts) {
    if (code.tree.IsUnit(inst) && !code.memory.guards[inst.id.index()].empty()) {
      code.error = "a matrix unit cannot leave out steps of " + inst.name();
      return code;
    }
  }
  code.splits = PlanSplits(function, schedule, code.tree, code.values);
  code.threads =
      PlanThreads(function, code.tree, code.values, code.rings, code.splits.parts.front());
  code.combines = PlanCombines(function, code.tree, code.values, code.splits);
  Seed(fault, code);
  return code;
}

LoweredCode LowerImplementation(const ir::Function& function, const Schedule& schedule,
                                TensorForm form, BankSearch search) {
  LoweredCode code = LowerSchedule(function, schedule, Fault::kNone, form, search);
  if (!code.error.empty()) throw Refused(code.error);
  return code;
}

}  // namespace exh::kernels::codegen
