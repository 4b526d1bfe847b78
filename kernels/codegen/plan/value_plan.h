// SPDX-License-Identifier: MIT
//
// Where values live between the instruction that computes them and those that read them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/codegen/loops/loop_tree.h"
#include "kernels/codegen/plan/advance_plan.h"

namespace exh::kernels::codegen {

/// One index of a value: an own UNROLL or VECTOR dim that is not reduced over.
struct KeyDim {
  ir::DimId dim;
  int dim_class = -1;
  std::uint32_t size = 1;
  bool is_vector = false;
};

/// What a reduction along lanes accumulates in until its loops have ended: a register of `lanes`
/// lanes for each point of `copies`, beside each register of its value. Each lane of each has a
/// part of the reduction. Unrolled copies of a step would wait for each other if they shared one.
struct LaneParts {
  std::uint32_t lanes = 1;     ///< 1: it accumulates in the register of its value.
  int vector_class = -1;       ///< What the lanes are.
  std::vector<KeyDim> copies;  ///< Its UNROLL dims that it reduces over.

  bool empty() const { return lanes == 1; }
  std::uint32_t num_copies() const;
};

/// What a reduction has in registers beside those of its value.
enum class BesideValue : std::uint8_t {
  kNothing,
  kCarry,   ///< Of a scan: what was accumulated of all before, one for all points along its axis.
  kBefore,  ///< Of a maximum that runs: what it was when all was corrected last.
};

/// The storage of an instruction's value: one register per point of `key` (and per thread).
struct ValueStorage {
  std::vector<KeyDim> key;  ///< In the order of the instruction's dims; at most one vector.
  std::uint32_t lanes = 1;  ///< Size of the vector dim, 1 if none.
  LaneParts parts;
  BesideValue beside = BesideValue::kNothing;
  std::vector<std::size_t> scanned;  ///< Places in `key` of the dims of a scan's axis, in order.
  /// How many of these, the first ones, are levels around slices of threads: all threads have steps
  /// of each row, and those of the next row come behind those of all threads.
  std::size_t rows = 0;
  bool is_read = false;     ///< Some instruction reads it.
  bool is_bits = false;     ///< Registers hold elements as memory does, not wider.
  int home = 0;             ///< Node in whose body it is declared.
  bool per_thread = false;  ///< Declared outside Threads nodes: one copy per thread.
};

/// How the index of one key dim is found at another instruction.
struct KeySource {
  int dim_class = -1;  ///< Current index of this class; -1: of a scan's axis, there is none …
  bool every = false;  ///< … or (writes only) every index in turn.
};

/// A read of a value: `index[i]` belongs to `key[i]` of the producer.
struct ValueRead {
  ir::InstId producer;
  std::vector<KeySource> index;
};

/// A write of an init instruction into the storage of its reduction.
struct InitWrite {
  ir::InstId reduction;
  std::vector<KeySource> index;
  /// Hardware axes along which threads have slices of the reduction: those at index 0 of all of
  /// them begin with the value, the others with the identity of the operator.
  std::vector<int> slices;
  std::vector<int> splits;  ///< BLOCK classes that divide it: likewise, at index 0 of all of them.
  /// Of the parts that lanes have, lane 0 of the first copy alone begins with the value.
  bool first_lane_only = false;
};

/// A sum that is corrected where a maximum has grown.
struct CorrectedSum {
  ir::InstId sum;
  /// By key dim of the maximum: the place in the key of the sum of the dim that it is linked with.
  std::vector<std::size_t> places;
};

/// Of a read that reads again what an earlier one has in registers (print/repeated_reads.h).
struct RepeatedRead {
  ir::InstId first;  ///< Not valid: it is none.
  /// By key dim of the earlier read: its place in the key of this one, or kNoPlace, where there is
  /// one register.
  std::vector<std::size_t> places;
};
inline constexpr std::size_t kNoPlace = ~std::size_t{0};

/// Which threads do something that must not be repeated.
struct ThreadGuard {
  std::vector<int> axes;    ///< Those at index 0 of these axes …
  std::uint32_t below = 0;  ///< … and with a linear index below this; 0: any.
  bool empty() const { return axes.empty() && below == 0; }
};

struct InstValues {
  int vector_class = -1;  ///< Class of its own VECTOR dim, -1 if none.
  std::uint32_t lanes = 1;
  std::vector<ValueRead> reads;  ///< By operand; empty `producer` for literals and scalars.
  std::vector<InitWrite> inits;  ///< Reductions that it initialises.
  ThreadGuard guard;             ///< Of stores: what keeps redundant threads from repeating them.
};

struct ValuePlan {
  std::vector<ValueStorage> storage;  ///< By instruction.
  std::vector<InstValues> insts;      ///< By instruction.
  std::vector<AdvancedRead> ahead;    ///< Reads that begin an iteration early.
  /// By instruction, of maxima that run: all that is corrected by them.
  std::vector<std::vector<CorrectedSum>> corrected;
  std::vector<RepeatedRead> repeats;  ///< By instruction; empty: there are none.
  std::string error;                  ///< A value that cannot reach its reader; empty if none.
};

/// The threads that must run an instruction at `node` for it to run once for each of its points.
ThreadGuard OnceGuard(const LoopTree& tree, int node);

ValuePlan PlanValues(const ir::Function& function, const Schedule& schedule, const LoopTree& tree);

/// Is the operand a maximum that is read while it runs? Where that is still infinitely low, so is
/// all that it is taken away from, and readers see 0 in its place: then terms are 0 and not NaN.
bool Runs(const Schedule& schedule, const ir::Operand& operand);

/// Do threads have slices of the scan?
bool IsSliced(const LoopTree& tree, const ir::Instruction& scan);

/// The communication through which an operand's value really comes: itself, or the one behind the
/// temporary array it was lowered to.
const ir::Communication& Effective(const ir::Function& function, const Schedule& schedule,
                                   ir::CommId comm);

}  // namespace exh::kernels::codegen
