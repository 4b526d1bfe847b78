// SPDX-License-Identifier: MIT
//
// Function: the semantic backbone. Which instructions there are, the dimensions they iterate over
// and how values travel between them; nothing about how any of it is implemented. It is built once
// per kernel and size (builder.h), frozen (lowering.h adds every object that a decision could bring
// to life, marked `planned`), and const from then on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ir/device.h"
#include "kernels/ir/ids.h"

namespace exh::kernels::ir {

/// One mathematical axis of one loop nest: the product of the sizes of its dims is `total`.
struct LogicalDim {
  LogicalDimId id;
  std::string name;         ///< "mad.m".
  std::uint32_t total = 1;  ///< Number of iterations.
  std::vector<DimId> dims;  ///< Outermost level first; the index is mixed radix in this order.
};

/// An iteration dimension: a counted loop before its implementation is known.
struct Dimension {
  DimId id;
  std::string name_;                 ///< "mad.m1" (level 1 of axis m in the nest of mad).
  LogicalDimId logical;              ///< Its axis.
  int level = 0;                     ///< 0 is the outermost level of the axis.
  std::vector<std::uint32_t> sizes;  ///< Sorted: the sizes it may take.
  bool is_reduction = false;         ///< Carries a dependence: only LOOP or UNROLL.
  bool innermost_level = false;      ///< Last level of its axis: consecutive iterations adjoin.
  bool planned = false;              ///< Exists only once a communication is lowered.
  InstId inst;                       ///< The instruction whose nest it belongs to.

  const std::string& name() const { return name_; }
  /// May the level have a single iteration, where other sizes are possible?
  bool may_be_absent() const { return sizes.front() == 1 && sizes.back() > 1; }
};

enum class Op : std::uint8_t {
  kConst,  ///< operands: one; the value itself (init of a reduction).
  kAdd,
  kMul,
  kMax,        ///< a > b ? a : b; a NaN in b stays one
  kMad,        ///< a * b + c
  kLoad,       ///< from an array argument
  kStore,      ///< to an array argument (side effect)
  kTempLoad,   ///< from a memory block (planned)
  kTempStore,  ///< to a memory block (planned)
};

/// Where an instruction's input comes from.
struct Operand {
  enum class Kind : std::uint8_t { kLiteral, kScalar, kComm };
  Kind kind = Kind::kLiteral;
  float literal = 0;   ///< kLiteral.
  std::string scalar;  ///< kScalar: name of a scalar argument.
  /// kComm: the value of another instruction. When `comm` is lowered the value comes from
  /// `Function::comm(comm).lowered->load_comm` instead.
  CommId comm;
};

/// Address of a load or store: array[sum over axes of index(axis) * stride].
struct AccessAxis {
  LogicalDimId logical;
  std::int64_t stride = 0;  ///< Elements.
};

struct Instruction {
  InstId id;
  std::string name_;
  Op op = Op::kConst;
  std::vector<Operand> operands;
  std::vector<DimId> dims;         ///< Declared iteration dims; decisions may add others.
  std::vector<DimId> reduce_dims;  ///< The subset of `dims` it accumulates over.
  CommId init;                     ///< Of a reduction: where the first value comes from.
  ArrayId array;                   ///< kLoad, kStore.
  std::vector<AccessAxis> access;  ///< kLoad, kStore.
  MemId block;                     ///< kTempLoad, kTempStore.
  PhaseId phase;                   ///< Filled by Freeze.
  bool planned = false;

  const std::string& name() const { return name_; }
  bool is_memory() const {
    return op == Op::kLoad || op == Op::kStore || op == Op::kTempLoad || op == Op::kTempStore;
  }
  bool has_side_effect() const { return op == Op::kStore; }
  bool is_reduction() const { return !reduce_dims.empty(); }
  /// Running it twice for a point would be wrong: no dims beyond the declared ones.
  bool executes_once() const { return has_side_effect() || is_reduction(); }
};

/// The iteration `src` = i of the producer feeds the iteration `dst` = i of the consumer.
struct DimPair {
  PairId id;
  CommId comm;
  DimId src, dst;
  bool planned = false;
  std::string name_;
  const std::string& name() const { return name_; }
};

/// Point-to-point communication: a value of `producer` read by `consumer`.
struct Communication {
  CommId id;
  std::string name_;
  InstId producer, consumer;
  int operand = 0;  ///< Which operand of the consumer; -1: the reduction's init.
  std::vector<PairId> pairs;
  /// May go through a temporary array. Otherwise every pair must stay in registers.
  bool may_lower = false;
  bool is_init = false;  ///< producer initialises the reduction `consumer`.
  bool planned = false;
  /// What lowering it would create; set at freeze when `may_lower`.
  struct Lowered {
    MemId block;
    InstId store, load;
    CommId store_comm;  ///< producer -> store
    CommId load_comm;   ///< load -> consumer
  };
  std::optional<Lowered> lowered;
  const std::string& name() const { return name_; }
};

/// A storage axis of a temporary array: element index = iteration of `store_dim` that wrote it,
/// read by the same iteration of `load_dim`.
struct Axis {
  AxisId id;
  MemId block;
  DimId store_dim, load_dim;
  AxisId row_end;  ///< That of the innermost level of the same logical axis; maybe itself.
  std::string name_;
  const std::string& name() const { return name_; }
};

/// A temporary array, private to a block of threads.
struct MemBlock {
  MemId id;
  std::string name_;
  CommId comm;  ///< The communication it serves.
  std::uint32_t element_bytes = 4;
  std::vector<AxisId> axes;
  InstId store, load;
  const std::string& name() const { return name_; }
};

/// Instructions that hand each other values in registers only; between phases, a value may go
/// through a temporary array.
struct Phase {
  PhaseId id;
  std::string name_;     ///< That of its first instruction.
  bool is_main = false;  ///< Has an output's store.
  const std::string& name() const { return name_; }
};

/// Names of the values of `cache` (kernels/spaces/memory.exh).
inline constexpr std::string_view kCacheDefault = "CACHE_DEFAULT";
inline constexpr std::string_view kCacheGlobal = "CACHE_GLOBAL";
inline constexpr std::string_view kCacheReadOnly = "CACHE_READ_ONLY";
inline constexpr std::string_view kNoCache = "NO_CACHE";

/// A statement: a dimension or an instruction, as one kind of object that can be ordered.
struct Statement {
  StmtId id;
  std::string name_;
  bool planned = false;
  const std::string& name() const { return name_; }
};

enum class ArrayRole : std::uint8_t { kInput, kOutput };

/// An array argument: float32, `elements` long.
struct Array {
  ArrayId id;
  std::string name;
  ArrayRole role = ArrayRole::kInput;
  std::uint64_t elements = 0;
};

struct Scalar {
  std::string name;
  float value = 1;
};

/// A position in a storage order; 1 is innermost. An object of its own so that a requirement can
/// speak of "every position".
struct Rank {
  std::uint32_t value = 1;
  std::string name() const { return std::to_string(value); }
};

/// A list of objects by reference: what the iterators of a space range over.
template <typename T>
using Refs = std::vector<std::reference_wrapper<const T>>;

/// What lowering a communication brings to life, by kind of object (lowering.h).
struct LoweredObjects {
  std::vector<StmtId> statements;
  std::vector<LogicalDimId> logical_dims;
  std::vector<CommId> comms;
  std::vector<PairId> pairs;
  std::vector<MemId> blocks;
  std::vector<AxisId> axes;
};

class Function {
 public:
  std::string name;
  Device device;
  bool paper =
      false;  ///< Only the decisions of the paper: the space has none of those added to it.
  /// The space keeps programs that fill a temporary which nothing needs (memory.exh,
  /// nothing_is_filled_in_vain), so that they can be counted.
  bool keeps_vain_fills = false;
  bool refuses_vain_fills() const { return !paper && !keeps_vain_fills; }
  /// The sizes of axes are known when the code is printed also in the paper's space (dims.exh).
  bool known_sizes = false;
  std::vector<Array> arrays;
  std::vector<Scalar> scalars;
  std::vector<LogicalDim> logical_dims;
  std::vector<Dimension> dims;
  std::vector<Instruction> insts;
  std::vector<Communication> comms;
  std::vector<DimPair> pairs;
  std::vector<MemBlock> blocks;
  std::vector<Axis> axes;

  std::vector<Statement> statements;    ///< Filled by Freeze: permanent ones first.
  std::vector<Rank> ranks;              ///< Filled by Freeze: 1 … the largest number of axes.
  std::vector<Phase> phases;            ///< Filled by Freeze.
  std::vector<LoweredObjects> lowered;  ///< By communication; filled by Freeze.

  const LogicalDim& logical(LogicalDimId id) const { return logical_dims[id.index()]; }
  const Dimension& dim(DimId id) const { return dims[id.index()]; }
  const Instruction& inst(InstId id) const { return insts[id.index()]; }
  const Communication& comm(CommId id) const { return comms[id.index()]; }
  const DimPair& pair(PairId id) const { return pairs[id.index()]; }
  const MemBlock& block(MemId id) const { return blocks[id.index()]; }
  const Axis& axis(AxisId id) const { return axes[id.index()]; }
  const Phase& phase(PhaseId id) const { return phases[id.index()]; }
  const Array& array(ArrayId id) const { return arrays[id.index()]; }

  // What the snippets of kernels/spaces ask (function.cc).
  const Statement& statement(StmtId id) const;
  /// The dimension (instruction) that a statement is, or null.
  const Dimension* as_dim(const Statement& statement) const;
  const Instruction* as_inst(const Statement& statement) const;
  StmtId statement_id(const Dimension& d) const { return d.id; }

  Refs<Dimension> own_dims(const Instruction& inst) const { return refs(inst.dims); }
  Refs<Dimension> reduce_dims(const Instruction& inst) const { return refs(inst.reduce_dims); }
  Refs<Dimension> tile_dims(const LogicalDim& axis) const { return refs(axis.dims); }
  Refs<Instruction> memory_insts() const;
  Refs<Instruction> once_insts() const;
  Refs<Instruction> reductions() const;
  Refs<Instruction> init_of(const Instruction& reduction) const;
  Refs<Instruction> producer(const Communication& c) const { return {std::cref(inst(c.producer))}; }
  /// Is it a read of an argument that nothing writes?
  bool reads_input(const Instruction& inst) const {
    return inst.op == Op::kLoad && array(inst.array).role == ArrayRole::kInput;
  }
  /// The producer if reads_input().
  Refs<Instruction> input_read(const Communication& c) const {
    const Instruction& inst = this->inst(c.producer);
    return reads_input(inst) ? Refs<Instruction>{std::cref(inst)} : Refs<Instruction>{};
  }
  Refs<Instruction> consumer(const Communication& c) const { return {std::cref(inst(c.consumer))}; }
  /// The dims that the producer reduces over.
  Refs<Dimension> done_dims(const Communication& c) const {
    return refs(inst(c.producer).reduce_dims);
  }
  Refs<Dimension> src(const DimPair& p) const { return {std::cref(dim(p.src))}; }
  Refs<Dimension> dst(const DimPair& p) const { return {std::cref(dim(p.dst))}; }
  Refs<Instruction> store_of(const MemBlock& b) const { return {std::cref(inst(b.store))}; }
  Refs<Instruction> load_of(const MemBlock& b) const { return {std::cref(inst(b.load))}; }
  Refs<Dimension> store_dim(const Axis& a) const { return {std::cref(dim(a.store_dim))}; }
  Refs<Dimension> load_dim(const Axis& a) const { return {std::cref(dim(a.load_dim))}; }
  Refs<DimPair> pairs_of(const Communication& c) const;
  Refs<Communication> lowerable_comms() const;
  /// The pairs of lowerable communications.
  Refs<DimPair> tile_pairs() const;
  /// Is `outer` the tile level around that of `inner`, of the same axis of one communication?
  bool level_around_pair(const DimPair& outer, const DimPair& inner) const;
  /// Of one communication: is `other` of another axis, or a level further out than `pair`?
  bool stays_around(const DimPair& other, const DimPair& pair) const;
  /// Has some pair a level around it?
  bool has_level_around(const DimPair& inner) const;
  /// Iterations that the loops around a tile of the communication must have for the tile to fit the
  /// memory of temporary arrays.
  std::uint32_t least_around_tile(const Communication& c) const;
  /// Are there tiles of its communication that do not fit?
  bool limits_tile(const DimPair& pair) const { return least_around_tile(comm(pair.comm)) > 1; }
  Refs<Communication> comm_of(const DimPair& p) const { return {std::cref(comm(p.comm))}; }
  Refs<Communication> served(const MemBlock& b) const { return {std::cref(comm(b.comm))}; }
  Refs<Instruction> accesses_of(const MemBlock& b) const {
    return {std::cref(inst(b.store)), std::cref(inst(b.load))};
  }
  Refs<Dimension> dims_of(const Phase& p) const;
  PhaseId phase_of(const Dimension& d) const { return inst(d.inst).phase; }
  Refs<Axis> axes_of(const MemBlock& b) const;
  /// Is `dim` one of the declared dims of `inst`?
  bool is_own(const Instruction& inst, const Dimension& dim) const;
  /// Is the statement the instruction of the dim's nest, or another dim of it?
  bool shares_nest(const Statement& s, const Dimension& d) const {
    return s.id.is_inst ? s.id.inst() == d.inst : dim(s.id.dim()).inst == d.inst;
  }
  bool share_nest(const Dimension& a, const Dimension& b) const { return a.inst == b.inst; }
  /// Is `outer` the tile level around `inner`, and not the outermost level of their axis?
  bool tiles_next(const Dimension& outer, const Dimension& inner) const {
    return outer.logical == inner.logical && outer.level >= 1 && outer.level + 1 == inner.level;
  }
  bool level_around(const Axis& outer, const Axis& inner) const;
  /// The dim along which an access to an array moves from element to element, if there is one.
  Refs<Dimension> contiguous_dim(const Instruction& inst) const;
  bool is_contiguous(const Instruction& inst, const Dimension& dim) const;
  /// How many elements an access may take at once.
  std::vector<std::uint32_t> vec_universe(const Instruction& inst) const;
  std::vector<std::uint32_t> pad_universe() const;
  /// n, 2n, … as far as sizes go.
  std::vector<std::uint32_t> multiples(std::uint32_t n) const;
  /// Limits on dims of one kind. Linear indices have none; the paper's space has the hardware's.
  std::uint32_t max_thread_dims() const { return paper ? device.max_thread_dims : 64; }
  std::uint32_t max_block_dims() const { return paper ? device.max_block_dims : 64; }
  /// Is the size of the dim what a program of the paper learns when it runs: that of the outermost
  /// level of its axis?
  bool has_run_time_size(const Dimension& d) const { return paper && !known_sizes && d.level == 0; }
  /// Limits that the paper's space does not have.
  bool limits_code() const { return !paper && device.max_code > 0; }
  bool counts_as_code(const Instruction& inst) const {
    return limits_code() && inst.op != Op::kConst;
  }
  bool limits_registers() const { return !paper && device.max_registers > 0; }
  /// Does consecutive iteration of `dim` touch consecutive elements, so that an access of several
  /// at once is one vector access? Asked for declared dims of accesses to arrays only: those of
  /// temporaries depend on the layout, which is a decision.
  bool vectorizable(const Instruction& inst, const Dimension& dim) const;
  /// Positions that an axis of the block may take: 0 (not stored), 1 … number of axes.
  std::vector<std::uint32_t> rank_universe(const MemBlock& b) const;
  /// Place of an axis among those of its temporary, from 1.
  std::uint32_t place_of(const Axis& axis) const;
  /// Places of axes whose loop the two sides of a temporary can share, so that each iteration uses
  /// the array again; and 0.
  std::vector<std::uint32_t> shared_universe(const MemBlock& b) const;
  /// May the read begin an iteration before its value is needed? (memory.exh, advance)
  bool allows_advance(const Instruction& inst) const {
    return !paper && !device.vector_arithmetic && reads_input(inst);
  }
  /// Does the device have this cache directive, and is it legal for this instruction?
  bool allows_cache(const Instruction& inst, std::string_view flag) const;
  const LoweredObjects& lowering(CommId id) const { return lowered[id.index()]; }

 private:
  Refs<Dimension> refs(const std::vector<DimId>& ids) const;
};

}  // namespace exh::kernels::ir
