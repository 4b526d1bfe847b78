// SPDX-License-Identifier: MIT
//
// Function: the semantic backbone. Which instructions there are, the dimensions they iterate over
// and how values travel between them; nothing about how any of it is implemented. It is built once
// per kernel and size (builder.h), frozen (lowering.h adds every object that a decision could bring
// to life, marked `planned`), and const from then on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ir/fragments.h"
#include "kernels/ir/ids.h"
#include "kernels/ir/number.h"
#include "kernels/ir/types.h"

namespace exh::kernels::ir {

/// One mathematical axis of one loop nest: the product of the sizes of its dims is `extent`. Where
/// that is more than `total`, the axis is *covered*: what lies beyond is iterated, but it reads and
/// writes nothing (kernels/codegen/memory/covered_axes.h).
struct LogicalDim {
  LogicalDimId id;
  std::string name;              ///< "mad.m".
  std::uint32_t total = 1;       ///< Number of its points: what is computed.
  std::vector<DimId> dims;       ///< Outermost level first; the index is mixed radix in this order.
  std::uint32_t extent = total;  ///< Number of iterations: `total` or a little more.

  bool covers() const { return extent > total; }
  /// "m": what all instructions call the axis.
  std::string_view axis_name() const { return std::string_view(name).substr(name.rfind('.') + 1); }
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
  /// Filled by PlanLowering: what it is to a matrix unit, …
  FragmentPart part = FragmentPart::kNone;
  MatrixUnit matrix_unit = MatrixUnit::kNone;  ///< … which one, as far as types go, …
  InstId unit;                                 ///< … and the reduction that this unit would do.

  const std::string& name() const { return name_; }
  Fragment fragment() const { return ShapeOf(matrix_unit).Of(part); }
  /// May the level have a single iteration, where other sizes are possible?
  bool may_be_absent() const { return sizes.front() == 1 && sizes.back() > 1; }
};

/// ops.h says of each how many operands it has and what it computes.
enum class Op : std::uint8_t {
  kConst,  ///< operands: one; the value itself (init of a reduction), or cast to another type.
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMin,  ///< a NaN where one of both is; else a < b ? a : b, but either of two zeros
  kMax,  ///< a NaN where one of both is; else a > b ? a : b, but either of two zeros
  kMad,  ///< a * b + c
  kNeg,
  kAbs,
  kSqrt,
  kRsqrt,  ///< 1 / sqrt(a)
  kExp,
  kLog,
  kTanh,
  kErf,     ///< 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to a
  kPow,     ///< a to the power of b; of a negative a only where b is whole
  kLess,    ///< a < b ? 1 : 0
  kEqual,   ///< a == b ? 1 : 0
  kSelect,  ///< a != 0 ? b : c
  kAnd,     ///< a & b of integers and bools; so are kOr and kXor
  kOr,
  kXor,
  kNot,        ///< of an integer ~a, of a bool !a
  kIndex,      ///< where the loops are: offset + sum over axes of index(axis) * stride
  kGather,     ///< from an array argument, at an element whose number is computed: a kLoad's
               ///< and its operand, an i32; where there is no such element, it reads nothing
  kLoad,       ///< from an array argument
  kStore,      ///< to an array argument (side effect)
  kTempLoad,   ///< from a memory block (planned)
  kTempStore,  ///< to a memory block (planned)
  kWindow,     ///< All threads of a block copy a window of an argument (planned).
};

/// Where an instruction's input comes from.
struct Operand {
  enum class Kind : std::uint8_t { kLiteral, kScalar, kComm };
  Kind kind = Kind::kLiteral;
  Number literal;      ///< kLiteral.
  std::string scalar;  ///< kScalar: name of a scalar argument.
  /// kComm: the value of another instruction. When `comm` is lowered the value comes from
  /// `Function::comm(comm).lowered->load_comm` instead.
  CommId comm;
};

/// Address of a load or store: array[offset + sum over axes of index(axis) * stride].
struct AccessAxis {
  LogicalDimId logical;
  std::int64_t stride = 0;  ///< Elements.
};

/// A dimension of an array that a load may leave. The index of the dimension is offset + sum over
/// axes of index(axis) * stride; where it is not in 0 … extent - 1, nothing is read
/// (Instruction::outside).
struct AccessGuard {
  std::int64_t offset = 0;
  std::vector<AccessAxis> axes;
  std::int64_t extent = 1;
};

/// What of its values a reduction hands on. A scan has one at each point of its axis, too.
enum class Keeps : std::uint8_t {
  kLast,    ///< That of all steps.
  kEach,    ///< At each point that of all steps until there, its own among them.
  kBefore,  ///< … without its own.
};

struct Instruction {
  InstId id;
  std::string name_;
  Op op = Op::kConst;
  Type type = Type::kF32;  ///< Of its value; of a store, of what it writes.
  /// What the operator is evaluated in: operands become this, but the condition of a kSelect. Not
  /// `type` where that is narrow, and where numbers are compared.
  Type computes = Type::kF32;
  std::vector<Operand> operands;
  std::vector<DimId> dims;         ///< Declared iteration dims; decisions may add others.
  std::vector<DimId> reduce_dims;  ///< The subset of `dims` it accumulates over.
  CommId init;                     ///< Of a reduction: where the first value comes from.
  Keeps keeps = Keeps::kLast;      ///< Of a reduction; but kLast it is a scan, over one axis.
  ArrayId array;                   ///< kLoad, kGather, kStore, kWindow.
  /// kLoad, kGather: the element that index 0 of all axes reads; negative only with guards. kIndex:
  /// its value there.
  std::int64_t offset = 0;
  std::vector<AccessAxis> access;   ///< kLoad, kGather, kStore, kIndex.
  std::vector<AccessGuard> guards;  ///< kLoad, kGather: dimensions of the array that it may leave.
  Number outside = 0;               ///< … and its value there, which `type` has.
  MemId block;                      ///< kTempLoad, kTempStore.
  WindowId window;                  ///< kWindow; of a kLoad the one that it may read from.
  PhaseId phase;                    ///< Filled by PlanLowering.
  /// Filled by PlanLowering, where dims are parts of fragments: the communication through which
  /// they are, if its values may go through memory. Then they are only where it stays in registers.
  CommId fragment_through;
  /// Filled by PlanLowering, of a product: its sums, or what is made of each, are what another
  /// product of the same kind has as its first operand.
  bool sums_are_operand = false;
  bool planned = false;

  const std::string& name() const { return name_; }
  bool is_memory() const {
    return op == Op::kLoad || op == Op::kStore || op == Op::kTempLoad || op == Op::kTempStore;
  }
  bool has_side_effect() const { return op == Op::kStore; }
  bool is_reduction() const { return !reduce_dims.empty(); }
  bool is_scan() const { return keeps != Keeps::kLast; }
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

/// A dim that a reduction keeps, and that of a reduction which is corrected by it (Running).
struct Link {
  LinkId id;
  CommId comm;  ///< The one that may run.
  DimId src, dst;
  std::string name_;
  const std::string& name() const { return name_; }
};

/// How a maximum (or minimum) m may be read while it still runs: by terms of other reductions over
/// its axis, each exp(s - m) or such a term times what m has no part in. Where m grows from m0 to
/// m1, what those have added up so far is multiplied by exp(m0 - m1), and so they go on as if m had
/// always been m1 (M. Milakov and N. Gimelshein, Online normalizer calculation for softmax, 2018;
/// section 3 has it for one sum).
struct Running {
  DimId loop;                     ///< The outermost level of its axis: the loop that it runs in.
  std::vector<DimId> term_loops;  ///< The same level of all that is computed of it along the axis.
  /// The next level of its axis, and of what is computed of it: the loop that it runs in where
  /// blocks divide the outermost level. Not valid: there is none.
  DimId loop_of_block;
  std::vector<DimId> term_loops_of_block;
  std::vector<InstId> corrected;  ///< The reductions that end with these.
  std::vector<LinkId> links;      ///< Between what it keeps and what those keep.
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
  std::optional<Running> running;  ///< Filled by PlanLowering, where the value may be read early.
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
  CommId comm;                      ///< The communication it serves.
  Type type = Type::kF32;           ///< Of its elements: that of the values that it holds.
  std::uint32_t element_bytes = 4;  ///< BytesOf(type).
  std::vector<AxisId> axes;
  InstId store, load;
  const std::string& name() const { return name_; }
};

/// A dimension of a window. Its index is offset + sum over axes of index(axis) * stride, and the
/// argument has 0 … extent - 1 there; what is not is Window::outside. No two spans share an axis.
struct WindowSpan {
  SpanId id;
  WindowId window;
  std::string name_;
  std::int64_t unit = 1;  ///< Elements of the argument from one index to the next.
  std::int64_t offset = 0;
  std::vector<AccessAxis> axes;  ///< Of the read; those of one point are left out.
  std::int64_t extent = 1;
  const std::string& name() const { return name_; }

  /// How far one step of an axis moves the index; 0: it is an axis of another span, or of none.
  std::int64_t step(LogicalDimId axis) const {
    for (const AccessAxis& a : axes) {
      if (a.logical == axis) return a.stride;
    }
    return 0;
  }
};

/// One of the axes of a span.
struct SpanTerm {
  TermId id;
  SpanId span;
  std::string name_;
  LogicalDimId axis;         ///< Of the read.
  std::uint32_t extent = 1;  ///< Its iterations.
  std::uint32_t step = 1;    ///< How far one of them moves the index, up or down.
  const std::string& name() const { return name_; }
};

/// What a read of an argument touches while some of its dims run, as a box: each element once,
/// however many points read it. All threads of a block may copy it together into memory that they
/// share (target/plan_windows.h).
struct Window {
  WindowId id;
  std::string name_;                ///< "window.load_x".
  InstId read, copy;                ///< The kLoad, and the kWindow.
  Type type = Type::kF32;           ///< Of its elements: that of the argument's.
  std::uint32_t element_bytes = 4;  ///< BytesOf(type).
  std::int64_t base = 0;            ///< Element of the argument at index 0 of all spans.
  Number outside = 0;               ///< As of the read.
  std::vector<SpanId> spans;        ///< Largest unit first: the last one is innermost.
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

/// A statement: a dimension or an instruction, as one kind of object that can be ordered.
struct Statement {
  StmtId id;
  std::string name_;
  bool planned = false;
  const std::string& name() const { return name_; }
};

enum class ArrayRole : std::uint8_t { kInput, kOutput };

/// Bytes that the address of an array is a multiple of, unless the kernel says otherwise: the
/// widest access. Device memory begins at more.
inline constexpr std::uint32_t kDefaultAlignment = 16;

/// An array argument, `elements` long.
struct Array {
  ArrayId id;
  std::string name;
  ArrayRole role = ArrayRole::kInput;
  std::uint64_t elements = 0;
  Type type = Type::kF32;
  std::uint32_t alignment = kDefaultAlignment;  ///< Bytes; a power of two.

  std::uint64_t bytes() const { return elements * BytesOf(type); }
};

/// A scalar argument. Programs get it as a double and round it to `type`, on a GPU in the type that
/// `type` is computed in.
struct Scalar {
  std::string name;
  Number value = 1.0;
  Type type = Type::kF32;
};

/// A position in a storage order; 1 is innermost. An object of its own so that a requirement can
/// speak of "every position".
struct Rank {
  std::uint32_t value = 1;
  std::string name() const { return std::to_string(value); }
};

/// A number of slots, or of blocks: an object as a Rank is.
struct Count {
  std::uint32_t value = 1;
  std::string name() const { return std::to_string(value); }
};

/// A number of KiB of shared memory: an object as a Rank is.
struct Room {
  static constexpr std::uint32_t kBytes = 1024;
  std::uint32_t number = 1;
  std::string name() const { return std::to_string(number); }
  std::uint32_t bytes() const { return number * kBytes; }
  /// What needs more bytes than this needs this KiB.
  std::uint32_t below() const { return bytes() - kBytes; }
};

/// What lowering a communication brings to life, by kind of object (lowering.h).
struct LoweredObjects {
  std::vector<StmtId> statements;
  std::vector<LogicalDimId> logical_dims;
  std::vector<CommId> comms;
  std::vector<PairId> pairs;
  std::vector<MemId> blocks;
  std::vector<AxisId> axes;
};

struct Function {
  std::string name;
  std::vector<Array> arrays;
  std::vector<Scalar> scalars;
  std::vector<LogicalDim> logical_dims;
  std::vector<Dimension> dims;
  std::vector<Instruction> insts;
  std::vector<Communication> comms;
  std::vector<DimPair> pairs;
  std::vector<MemBlock> blocks;
  std::vector<Axis> axes;

  std::vector<Statement> statements;  ///< Filled by PlanLowering: permanent ones first.
  std::vector<Rank> ranks;            ///< Filled by PlanLowering: 1 … the largest number of axes.
  std::vector<Phase> phases;          ///< Filled by PlanLowering.
  std::vector<Link> links;            ///< Filled by PlanLowering.
  std::vector<Window> windows;        ///< Filled by PlanLowering; so are their spans.
  std::vector<WindowSpan> spans;
  std::vector<SpanTerm> terms;
  /// Filled by PlanLowering: fragments of halves are read by whole matrices (ir::Device).
  bool matrix_reads = false;
  std::vector<Room> room_list;          ///< Filled by PlanWindows: 1 … what a device may share.
  std::vector<LoweredObjects> lowered;  ///< By communication; filled by PlanLowering.

  const LogicalDim& logical(LogicalDimId id) const { return logical_dims[id.index()]; }
  const Dimension& dim(DimId id) const { return dims[id.index()]; }
  const Instruction& inst(InstId id) const { return insts[id.index()]; }
  const Communication& comm(CommId id) const { return comms[id.index()]; }
  const DimPair& pair(PairId id) const { return pairs[id.index()]; }
  const MemBlock& block(MemId id) const { return blocks[id.index()]; }
  const Axis& axis(AxisId id) const { return axes[id.index()]; }
  const Phase& phase(PhaseId id) const { return phases[id.index()]; }
  const Link& link(LinkId id) const { return links[id.index()]; }
  const Array& array(ArrayId id) const { return arrays[id.index()]; }
  const Window& window(WindowId id) const { return windows[id.index()]; }
  const WindowSpan& span(SpanId id) const { return spans[id.index()]; }
  const SpanTerm& term(TermId id) const { return terms[id.index()]; }
  /// Nothing: there is no scalar of that name.
  const Scalar* scalar(std::string_view wanted) const {
    for (const Scalar& one : scalars) {
      if (one.name == wanted) return &one;
    }
    return nullptr;
  }
  /// The type of a value that an instruction reads; of a literal, which has any, nothing.
  std::optional<Type> TypeOf(const Operand& operand) const;
  /// The type of the elements that an access to an array or a temporary takes.
  Type element_type(const Instruction& inst) const {
    return inst.block.valid() ? block(inst.block).type : array(inst.array).type;
  }
};

inline std::optional<Type> Function::TypeOf(const Operand& operand) const {
  if (operand.kind == Operand::Kind::kLiteral) return std::nullopt;
  if (operand.kind == Operand::Kind::kComm) return inst(comm(operand.comm).producer).type;
  const Scalar* const argument = scalar(operand.scalar);
  return argument == nullptr ? std::nullopt : std::optional(argument->type);
}

/// By instruction: does the value of `producer` reach it, through others or not?
std::vector<bool> ReachedFrom(const Function& function, InstId producer);

/// How the value that the communication carries may be read while it still runs, if it may. The
/// pairs of its communications are there.
/// `links`: those that it has are added.
std::optional<Running> FindRunning(const Function& function, const Communication& comm,
                                   std::vector<Link>& links);

/// Are there instructions which values of both reductions reach? Also when each meets a third one.
bool Meet(const Function& function, InstId a, InstId b);

}  // namespace exh::kernels::ir
