// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/ir/device.h"
#include "kernels/ir/function.h"
#include "kernels/ir/tiling.h"

namespace exh::kernels::ir {

/// The backbone that is being written makes no sense. The text names the value, array, scalar or
/// axis at fault and says what would be right; who calls Kernel::Build adds the name of the kernel.
class BackboneError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A mathematical axis of the kernel. Every instruction that iterates it has dims of its own.
struct AxisRef {
  int index = -1;
};

/// The value an instruction computes.
struct Value {
  InstId inst;
};

/// An input of an instruction while it is built.
struct Input {
  Operand::Kind kind = Operand::Kind::kLiteral;
  Number literal;
  std::string scalar;
  Value value;
  bool may_lower = false;
};
inline Input Literal(const Number& x) {
  return {.kind = Operand::Kind::kLiteral, .literal = x};
}
inline Input ScalarArg(std::string name) {
  return {.kind = Operand::Kind::kScalar, .scalar = std::move(name)};
}
/// A value that must travel in registers.
inline Input InRegisters(Value v) {
  return {.kind = Operand::Kind::kComm, .value = v};
}
/// A value that may also travel through a temporary array, where that can be of use.
inline Input MayStage(Value v) {
  return {.kind = Operand::Kind::kComm, .value = v, .may_lower = true};
}

/// Address of an access: for each axis how many elements one step moves.
using Strides = std::vector<std::pair<AxisRef, std::int64_t>>;

/// A dimension of an array that a load may leave: its index is `offset` and the strides' steps, and
/// what is not in 0 … extent - 1 is not read.
struct Guard {
  std::int64_t offset = 0;
  Strides strides;
  std::int64_t extent = 1;
};

/// Writes a backbone. Each instruction gets a loop nest of its own over the axes it names; where
/// a producer and a consumer share an axis, its dims are paired level by level (point-to-point
/// communication; the paper, section 4.4).
///
/// What could not be implemented is refused with a BackboneError: names are identifiers of which no
/// two are equal, operations have their operands, a value has no axis that its reader lacks,
/// accesses stay inside of their array, and a store writes every element of an output once.
class Builder {
 public:
  /// `paper`: axes have the tile levels of the paper's space. `function` outlives the builder.
  explicit Builder(Function& function, bool paper = false) : function_(function), paper_(paper) {}

  /// `alignment`: in bytes, what the caller of the kernel promises of the array's address; a power
  /// of two, of an element's bytes or more.
  ArrayId InputArray(std::string name, std::uint64_t elements, Type type = Type::kF32,
                     std::uint32_t alignment = kDefaultAlignment);
  ArrayId OutputArray(std::string name, std::uint64_t elements, Type type = Type::kF32,
                      std::uint32_t alignment = kDefaultAlignment);
  void Scalar(std::string name, const Number& value, Type type = Type::kF32);
  /// The kernel's programs know all sizes: for one that the paper's space could not implement
  /// otherwise.
  void KnowSizes() { knows_sizes_ = true; }
  bool knows_sizes() const { return knows_sizes_; }
  bool is_paper() const { return paper_; }
  /// No axis declared from now on is covered by more iterations than it has points.
  void CoverNothing() { may_cover_ = false; }
  /// Of axes declared from now on those of these names are covered by multiples of `multiple`.
  void Cover(std::vector<std::string> names, std::uint32_t multiple);
  /// The device that is to run it, which outlives this: a text may ask what it holds. Without one
  /// registers hold everything: what a computation means is no matter of devices.
  void RunOn(const Device& device) { device_ = &device; }
  /// Can registers hold a value at so many points until a later nest reads it? `neighbours`: those
  /// along the axis that lanes may have. `are_sums`: of a processor they are added to all along, so
  /// there are no more of them than a tile has.
  bool RegistersHold(std::uint64_t points, std::uint64_t neighbours, bool are_sums) const;
  /// Can a temporary array?
  bool MemoryHolds(std::uint64_t points) const;
  /// Something computed must not see points beyond an axis, where arguments read as 0: a quotient
  /// of integers. The backbone has covered axes, so it is to be built again, with CoverNothing().
  bool must_cover_nothing() const;
  /// Declares an axis of `total` iterations with its tile levels: those of the paper's space, or
  /// one more of them, of any size, where there are all decisions. There the axis may be covered
  /// (CoveringExtent()).
  AxisRef Axis(std::string name, std::uint32_t total, const Tiling& tiling);
  /// Declares an axis whose tile sizes multiply to `extent`, which is `total` or more.
  AxisRef CoveredAxis(std::string name, std::uint32_t total, std::uint32_t extent,
                      const Tiling& tiling);

  /// Element `offset` and more: x[2 * i + 3] is at offset 3 and steps by 2. Together, the guards
  /// say where the load is outside of the array; `outside` is its value there.
  Value Load(std::string name, ArrayId array, const Strides& strides, std::int64_t offset = 0,
             const std::vector<Guard>& guards = {}, const Number& outside = 0);
  /// The same, of the element whose number is that and `index`, an i32 over some of the axes. Where
  /// the array has no such element, the value is `outside`, too.
  Value Gather(std::string name, ArrayId array, const Strides& strides, std::int64_t offset,
               const Input& index, const std::vector<Guard>& guards = {},
               const Number& outside = 0);
  /// The value `offset` and the strides' steps, as an i32 or, where that is too narrow, an i64.
  Value Index(std::string name, const Strides& strides, std::int64_t offset = 0);
  /// The value becomes the type of the array. With an offset, steps of axes may go down.
  void Store(std::string name, ArrayId array, const Strides& strides, const Input& value,
             std::int64_t offset = 0);
  /// Computed in the type that the operands have in common (CommonType()), literals aside, and f32
  /// where all are literals. `type`: of the value; without it ResultType(). A value of another type
  /// than its operand is cast by kConst; no other operator casts.
  Value Compute(std::string name, Op op, const std::vector<AxisRef>& axes,
                const std::vector<Input>& inputs, std::optional<Type> type = std::nullopt);
  /// acc = op(inputs…, acc) over `reduce`, starting from `init` (whose axes are `axes` without
  /// `reduce`). kMad (a * b + acc), kAdd, kMul, kMin and kMax accumulate. `type`: what they
  /// accumulate in; without it ResultType().
  Value Reduce(std::string name, Op op, const std::vector<AxisRef>& axes,
               const std::vector<AxisRef>& reduce, Value init, const std::vector<Input>& inputs,
               std::optional<Type> type = std::nullopt);
  /// The same along one axis, which the value keeps: at each point what has been accumulated until
  /// there, its own step among it or not. kAdd, kMul, kMin and kMax accumulate.
  Value Scan(std::string name, Op op, const std::vector<AxisRef>& axes, AxisRef along, Keeps keeps,
             Value init, const Input& input, std::optional<Type> type = std::nullopt);
  Type TypeOf(Value value) const { return function_.inst(value.inst).type; }

  /// Called when the backbone is complete: an output that nothing writes, or a value that nothing
  /// reads, is a mistake. Values that gain nothing from a temporary array have none any more where
  /// there are many (KeepUsefulStaging()).
  void Finish();

  /// What the user should be told about the sizes ("axis m = 97 … is not tiled").
  const std::vector<std::string>& notes() const { return notes_; }
  /// One more of these, unless it is there already.
  void AddNote(const std::string& note);

 private:
  struct AxisInfo {
    std::string name;
    std::uint32_t total = 1, extent = 1;
    TileLevels levels;
  };
  struct Nest {  ///< Of one instruction: its axes and their dims.
    std::vector<std::pair<int, LogicalDimId>> axes;
    std::vector<int> reduce;  ///< Those of the axes that its value no longer has.
  };
  void CheckArgument(const char* kind, const std::string& name) const;
  void CheckNest(const std::string& who, const std::string& name,
                 const std::vector<int>& axes) const;
  void CheckAccess(const std::string& who, ArrayId array, ArrayRole role, const Strides& strides,
                   std::int64_t offset, const std::vector<Guard>& guards = {}) const;
  void CheckTakes(const std::string& who, Op op, Type operands) const;
  /// Nothing: it is a literal, which has any.
  std::optional<Type> TypeOf(const Input& input) const;
  /// What inputs are computed in together; f32 where all are literals.
  Type CommonTypeOf(const std::string& who, std::span<const Input> inputs) const;
  void AddRead(const std::string& who, Instruction& inst, ArrayId array, const Strides& strides,
               std::int64_t offset, const std::vector<Guard>& guards, const Number& outside);
  std::vector<AccessAxis> AccessOf(InstId inst, const Strides& strides) const;
  void CheckWritesAll(const std::string& who, ArrayId array, const Strides& strides) const;
  Value Accumulated(std::string name, Op op, const std::vector<AxisRef>& axes,
                    const std::vector<AxisRef>& reduce, Keeps keeps, Value init,
                    const std::vector<Input>& inputs, std::optional<Type> type);
  void CheckValue(const std::string& who, Value value) const;
  void CheckInputs(const std::string& who, const std::vector<int>& axes,
                   const std::vector<Input>& inputs) const;
  std::string AxisNames(const std::vector<int>& axes) const;
  /// The axes of the nest that the value still has.
  std::vector<int> AxesOf(Value value) const;
  Instruction& AddInst(std::string name, Op op, const std::vector<int>& axes,
                       const std::vector<int>& reduce);
  Operand AddInput(InstId consumer, const Input& input, int operand);
  CommId Connect(InstId producer, InstId consumer, int operand, bool may_lower);
  void KeepUsefulStaging();
  int RunsAlong(const Instruction& access) const;
  std::vector<bool> FeedingReductions() const;

  Function& function_;
  const bool paper_;
  const Device* device_ = nullptr;
  bool knows_sizes_ = false;
  bool may_cover_ = true;
  std::vector<std::string> covered_;  ///< Axes that are covered by multiples of …
  std::uint32_t cover_multiple_ = 1;  ///< … this.
  std::vector<AxisInfo> axes_;
  std::vector<Nest> nests_;  ///< By instruction.
  std::vector<std::string> notes_;
};

}  // namespace exh::kernels::ir
