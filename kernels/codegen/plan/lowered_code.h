// SPDX-License-Identifier: MIT
//
// An implementation between decisions and text: what the printers and the interpreter read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/memory/group_plan.h"
#include "kernels/codegen/memory/memory_plan.h"
#include "kernels/codegen/memory/ring_plan.h"
#include "kernels/codegen/memory/skipped_tiles.h"
#include "kernels/codegen/plan/combine_plan.h"
#include "kernels/codegen/plan/split_plan.h"
#include "kernels/codegen/plan/thread_plan.h"
#include "kernels/codegen/plan/value_plan.h"

namespace exh::kernels::codegen {

/// A defect put in on purpose, so that tests see that they would notice it.
enum class Fault : std::uint8_t {
  kNone,
  kWrongStride,      ///< Accesses of array arguments step half as far along one dim.
  kMissingBarrier,   ///< Adjacent Threads nodes of one body run as one loop over the threads.
  kDroppedGuard,     ///< Redundant threads repeat the stores of outputs.
  kWrongIdentity,    ///< Each part of a sum begins with its first value.
  kMissingFill,      ///< The output of an atomic sum is not filled before.
  kMissingFence,     ///< Nothing orders partial results before the ticket.
  kDirtyTicket,      ///< The last block does not put the ticket back.
  kEarlyExchange,    ///< Blocks of a cluster take what the others told before these have.
  kEarlyTelling,     ///< Blocks of a cluster tell the others before these have begun.
  kOneSidedRows,     ///< What is read from rows whose pieces changed places is where it was before.
  kMissingCopyWait,  ///< Nobody waits for asynchronous copies.
  kShortRing,        ///< Rings have one slot too few.
  kEarlyRefill,      ///< A slot is filled again before the barrier behind which nobody reads it.
  kMissingWait,      ///< No kernel waits for the one before, which its launch may overlap with.
  kLostSurplus,      ///< The last point of each covered axis is taken to be beyond it.
  kLostPlace,      ///< Patches, and rows of blocks that are gone through together, are one column.
  kShortHalo,      ///< Windows lack the last index of a side along which axes meet.
  kMissingZeros,   ///< What lies outside of the argument is not filled with zeros in windows.
  kUncorrected,    ///< What has come of a maximum that runs stays as it was when that grows.
  kLostTile,       ///< A loop that ends early leaves out one tile more.
  kLostCarry,      ///< No slice of a scan has what the slices before it have.
  kPlainNumber,    ///< Blocks that look back have the number that the launch gives them.
  kStaleStatus,    ///< They take what an earlier launch said for what this one says.
  kShortLook,      ///< They take the first part that they find for a whole.
  kWrongFragment,  ///< Matrix units get two registers of an operand in each other's place.
  kWrongDescriptor,     ///< Groups of warps take every other eight rows of an operand.
  kMissingPublication,  ///< What is stored for them is not made visible to what reads it.
  kMissingGroupFence,   ///< Nothing orders what they have in registers before they begin.
  kMissingGroupWait,    ///< Nobody waits for what they do.
  kMissingPromotion,    ///< What they have added up of a batch is not added to the sums.
  kUnbegunBatch,        ///< A batch goes on with what its registers hold, not with 0.
  kWrongParity,         ///< Slots of bulk copies are taken for full that are not.
  kEarlyRelease,        ///< They are said to be empty before they are read.
  kOwnRelease,     ///< … to the producer of the own block alone, though others fill them, too.
  kLostExchange,   ///< Lanes store words that another one was to store.
  kEarlyEnd,       ///< Blocks end while others of their cluster may still arrive there.
  kEarlyBarriers,  ///< Barriers are used before all blocks of a cluster have made theirs.
};

/// The type that an operator's operands become before it is evaluated: a compute type, or bool
/// where that is what the operator makes of bools.
ir::Type EvaluatedIn(const ir::Instruction& inst);

/// Refers to the function and the schedule it was made from, which must outlive it.
struct LoweredCode {
  const ir::Function* function = nullptr;
  const Schedule* schedule = nullptr;
  LoopTree tree;
  std::vector<SkippedTiles> skipped;  ///< By no order; loops that end early.
  MemoryPlan memory;
  ValuePlan values;
  GroupPlan groups;      ///< For devices whose warps do products together.
  RingPlan rings;        ///< For the same as the next two.
  ThreadPlan threads;    ///< For devices whose threads really run at the same time.
  CombinePlan combines;  ///< For the same.
  SplitPlan splits;
  Fault fault = Fault::kNone;  ///< Of those that only printers can put in.
  Fault seeded = Fault::kNone;
  std::string error;  ///< Why the schedule has no code; empty if it has.
};

/// Checks the schedule and works out loops, addresses and registers. A schedule that the space
/// allows never yields an error.
LoweredCode LowerSchedule(const ir::Function& function, const Schedule& schedule,
                          Fault fault = Fault::kNone, TensorForm form = TensorForm::kLanes,
                          BankSearch search = BankSearch::kFull);
LoweredCode LowerSchedule(const ir::Function& function, Schedule&& schedule,
                          Fault fault = Fault::kNone, TensorForm form = TensorForm::kLanes,
                          BankSearch search = BankSearch::kFull) = delete;

/// The same of an implementation of a space. Throws Refused where it has no code.
LoweredCode LowerImplementation(const ir::Function& function, const Schedule& schedule,
                                TensorForm form = TensorForm::kLanes,
                                BankSearch search = BankSearch::kFull);
LoweredCode LowerImplementation(const ir::Function& function, Schedule&& schedule,
                                TensorForm form = TensorForm::kLanes,
                                BankSearch search = BankSearch::kFull) = delete;

}  // namespace exh::kernels::codegen
