// SPDX-License-Identifier: MIT
//
// Single instructions as text: what is the same in every language. Where values are, what they are
// converted to, which indices accesses have and when these may leave their array, and which
// registers an initial value or a partial result is in. What an instruction looks like is the
// business of subclasses: CpuStatements has vectors in registers, GpuStatements scalars.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_writer.h"
#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/codegen/print/code_names.h"
#include "kernels/codegen/print/op_text.h"

namespace exh::kernels::codegen {

/// Prints instructions of one kernel and the declarations of their values, at given indices of the
/// unrolled dims around them. The loops are the business of LoopPrinter.
class Statements {
 public:
  virtual ~Statements() = default;

  /// The part of the program that is being printed, which outlives it.
  void SetPart(const Part& part) { part_ = &part; }
  /// The unrolled copy (or lane) that is being printed.
  void SetIndex(int dim_class, std::int64_t index) { copy_[At(dim_class)] = index; }
  std::int64_t copy(int dim_class) const { return copy_[At(dim_class)]; }
  /// The iterations of a loop, or the blocks, that are being printed: from `first` to `last`.
  /// Guards that hold for all of them are not asked.
  void SetRange(int dim_class, std::int64_t first, std::int64_t last) {
    ranges_[At(dim_class)] = {first, last};
  }
  void SetWholeRange(int dim_class) { SetRange(dim_class, 0, Class(dim_class).size - 1LL); }
  /// "i_m0 * 64 + 63": the affine value at the current copies, as it stands in a comparison.
  std::string IndexText(const Affine& affine) const {
    const std::string text = Sum(affine);
    return text.empty() ? "0" : text;
  }
  /// Addresses and guards are printed as if the loop of this class were at `index`, which is a
  /// number or an expression in parentheses; -1: as it is.
  void MoveLoop(int dim_class, const std::string& index);

  /// Does the instruction have a register?
  bool HasRegister(ir::InstId inst) const {
    return Storage(inst).is_read || code_.function->inst(inst).is_reduction();
  }
  virtual void Declare(ir::InstId inst) = 0;
  /// Once for each copy of the unrolled dims around it. An own VECTOR dim is inside.
  virtual void Execute(ir::InstId inst) = 0;

  /// A kCorrect node: all that comes of a maximum that has grown is corrected.
  void Correct(int node);
  /// A kSettle node: what comes of one that has nothing in it.
  void Settle(int node);

  /// "t / 16 % 8": the index of a thread axis; `bounded`: no thread is beyond the axes of its
  /// layout.
  std::string AxisIndex(int axis, bool bounded = false) const;
  /// "t / 16 % 8 == 0 && t < 128"; empty for no guard.
  std::string Condition(const ThreadGuard& guard) const;
  /// The same of digits of the thread index, and of threads below `below`; 0: of any.
  std::string Condition(const std::vector<ThreadDigit>& zeros, std::uint32_t below) const;

 protected:
  /// What differs in all of them.
  struct Style {
    bool has_vectors = true;  ///< Registers hold vectors; if not, each lane is a register.
    std::size_t width = 88;   ///< Declarations are broken into lines of about this length.
  };
  /// `helpers`: notes what the text calls; it has the dialect.
  Statements(const LoweredCode& code, const CodeNames& names, const Style& style,
             ir::HelperFunctions& helpers, TextWriter& out);

  static std::size_t At(int i) { return static_cast<std::size_t>(i); }
  const DimClass& Class(int dim_class) const { return code_.tree.classes[At(dim_class)]; }
  const ValueStorage& Storage(ir::InstId id) const { return code_.values.storage[id.index()]; }
  const InstValues& Values(ir::InstId id) const { return code_.values.insts[id.index()]; }
  /// Its indices are numbers in the text.
  bool IsCopied(int dim_class) const {
    const DimKind kind = Class(dim_class).kind;
    return kind == DimKind::UNROLL || kind == DimKind::VECTOR;
  }
  std::string Number(const ir::Number& value, ir::Type type) const {
    return NumberText(value, type, helpers_.dialect());
  }

  // ---- registers ----

  /// The type of the instruction's register.
  ir::Type HeldBy(ir::InstId id) const { return ir::ComputeTypeOf(code_.function->inst(id).type); }
  /// What names are made of: "mad" of "v_mad".
  std::string BareName(ir::InstId inst) const { return names_.value(inst).substr(2); }
  using Key = std::vector<std::int64_t>;
  /// "v_mad_0_3": the register of one point of the unrolled dims.
  virtual std::string Register(ir::InstId inst, const Key& key) const;
  /// The one at the current copies.
  Key OwnKey(ir::InstId inst) const;
  virtual std::string OwnRegister(ir::InstId inst) const { return Register(inst, OwnKey(inst)); }
  std::string BesideName(ir::InstId inst) const;
  /// "carry_scan_0", "before_max_3": what a reduction has beside its value, of one point of those
  /// unrolled dims that it has it for.
  virtual std::string BesideRegister(ir::InstId inst, const Key& key) const;
  /// What a reduction begins in: that, of a scan; else the register of its value.
  std::string FirstRegister(ir::InstId reduction, const Key& key) const;
  /// The key of these dims, of that of a value.
  Key BesideKey(ir::InstId inst, const Key& key) const;
  /// Names of all of them, as they are declared.
  std::vector<std::string> BesideRegisters(ir::InstId inst) const;
  /// A register that a scan carries, and those of its value along its axis: rows of steps, both in
  /// their order (ValueStorage::rows; without them, one row).
  struct ScannedColumn {
    std::string carry;
    std::vector<std::vector<std::string>> rows;
  };
  std::vector<ScannedColumn> ScannedRegisters(ir::InstId scan) const;
  /// Where the steps of a reduction accumulate, at the current copies.
  std::string Accumulator(const ir::Instruction& inst) const;
  /// Of a sliced scan: what it has of the step before, in the slice; empty: this is its first one.
  std::string StepBefore(const ir::Instruction& scan) const;
  /// One step of a scan at the current copies. `value`: what it accumulates then; `inside`: where
  /// it takes the step (Inside()).
  void StepOfScan(const ir::Instruction& scan, const std::string& value, const std::string& inside);
  /// Where a maximum that runs begins, nothing is to be corrected yet.
  void BeginBefore(ir::InstId maximum, const Key& key);
  /// A value of a compute type in all lanes that registers have.
  std::string AllLanes(const std::string& value, ir::Type type, std::uint32_t lanes) const;
  /// What sums of terms are multiplied by where a maximum grows from `before` to `now`.
  virtual std::string Correction(ir::InstId maximum, const std::string& before,
                                 const std::string& now) const;
  /// How the declaration of a constant of the type begins.
  virtual std::string ConstantOf(ir::Type /*type*/) const { return "const auto"; }
  /// The registers in which a sum adds up, by copy of a step along lanes.
  virtual std::vector<std::string> SumsOf(ir::InstId sum, const Key& key) const {
    return {Register(sum, key)};
  }
  std::vector<std::string> Registers(ir::InstId inst) const {
    return RegistersOf(names_.value(inst), Storage(inst), !style_.has_vectors);
  }
  /// "float v_acc_0, v_acc_1;" `behind`: each of the names.
  void DeclareAs(std::string_view type, const std::vector<std::string>& names,
                 const std::string& behind = "");
  /// The registers of a reduction that an init writes.
  std::vector<Key> Written(const InitWrite& write) const;
  /// A register of a reduction, and its number among all of them.
  struct Place {
    std::string name;
    Key key;
    std::uint64_t number = 0;  ///< Of its first lane …
    std::uint64_t lane = 1;    ///< … and how far the next one is.
  };
  /// Those that have a value of their own where a node is: of unrolled copies around it the one
  /// that is being printed.
  std::vector<Place> RegistersAt(ir::InstId inst, int node) const;

  // ---- values ----

  /// An operand that is no literal, as it is.
  ValueText Read(const ir::Instruction& inst, std::size_t operand) const;
  virtual ValueText ReadRegister(const ir::Instruction& inst, std::size_t operand) const = 0;
  /// A maximum that runs as its readers see it (Runs()).
  ValueText FiniteOf(const ir::Instruction& inst, std::size_t operand) const;
  /// Registers of a sum have this key: that of the maximum which corrects them.
  Key KeyOfMaximum(const CorrectedSum& corrected, const Key& sum) const;
  /// An operand as a value of the type.
  ValueText ReadAs(const ir::Instruction& inst, std::size_t operand, ir::Type type) const;
  /// What operators make of their operands, as a value of the instruction's type. A reduction's own
  /// register is the last operand.
  ValueText Compute(const ir::Instruction& inst) const;
  /// Two partial results of a reduction, in registers of so many lanes, as one.
  std::string Combined(const ir::Instruction& reduction, const std::string& own,
                       const std::string& more, std::uint32_t lanes = 1) const;
  /// What changes no value of the reduction, as its registers hold it.
  std::string IdentityOf(const ir::Instruction& reduction) const;

  // ---- indices ----

  /// "i_m0 * 4096 + i_k0 * 8 + 3": the affine value at the current copies; empty when it is 0.
  /// `lane`: of a VECTOR dim; -1: the one that is being printed. `is_large`: too much for an int.
  std::string Sum(const Affine& affine, bool is_large = false, std::int64_t lane = -1) const {
    return SumOf(affine, is_large, nullptr, affine.offset, lane);
  }
  /// `constant` and the terms that `wanted` accepts.
  using Wanted = std::function<bool(int dim_class)>;
  std::string SumOf(const Affine& affine, bool is_large, const Wanted& wanted,
                    std::int64_t constant, std::int64_t lane = -1) const;
  struct Range {
    std::int64_t least = 0, most = 0;
  };
  /// The values that it may have at the current copies and at a lane.
  Range RangeOf(const Affine& affine, std::int64_t lane = -1) const;
  static constexpr const char* kNever = "false";
  /// When its guards let the instruction do what it does, at all of these lanes: "i_n0 * 4 < 16 &&
  /// …". Empty: always; kNever. `is_asked`: which guards; null: all.
  std::string Inside(const ir::Instruction& inst, const std::vector<std::int64_t>& lanes = {-1},
                     const std::function<bool(const GuardIndex&)>& is_asked = nullptr) const;
  /// Is an index with this text and range, which may be outside, inside of the guard?
  virtual std::string GuardText(const GuardIndex& guard, const Range& range,
                                std::int64_t lane) const = 0;
  /// The axis as a guard asks for it.
  virtual std::string GuardAxis(int axis, bool bounded) const { return AxisIndex(axis, bounded); }

  const LoweredCode& code_;
  const CodeNames& names_;
  const Style style_;
  ir::HelperFunctions& helpers_;
  TextWriter& out_;
  const Part* part_ = nullptr;

  std::vector<Range> ranges_;  ///< By class: see SetRange().

 private:
  /// At a node, what comes of a maximum in this place: the names of registers, and how many lanes
  /// each has.
  struct OneSum {
    std::string name;
    ir::Type held;
    std::uint32_t lanes;
  };
  std::vector<OneSum> SumsAt(int node, const Place& maximum) const;
  /// The number that the index of a class is in the text, if it is one.
  std::optional<std::int64_t> FixedIndex(int dim_class, std::int64_t lane) const;

  std::vector<std::int64_t> copy_;  ///< By class: index of the unrolled copy or lane.
  int moved_class_ = -1;
  std::string moved_index_;
  std::optional<std::int64_t> moved_number_;  ///< Where the index is one.
};

}  // namespace exh::kernels::codegen
