// SPDX-License-Identifier: MIT
//
// BodyPrinter: loops and statements as C++, the same for processors and GPUs.
//
// What a statement writes stays in a register for those behind it, in the same body or in loops
// within it: they read the element as long as nothing else may have written its tensor. An element
// that a loop does nothing but accumulate in is in a register around that loop. A temporary that is
// read from registers alone has no memory.
//
// So it takes two runs: the first finds out which temporaries are read from memory.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text_writer.h"
#include "kernels/derived/sources/op_text.h"
#include "kernels/fused/code/nest.h"
#include "kernels/fused/schedule/program.h"
#include "kernels/ir/text/helper_functions.h"

namespace exh::kernels::fused {

class BodyPrinter : public TextWriter {
 public:
  /// `index`: the type that counts elements. `read`: the arrays that were read from memory in the
  /// first run; null in the first run.
  BodyPrinter(const OperatorProgram& program, derived::Dialect dialect, std::string index,
              const std::set<int>* read);
  virtual ~BodyPrinter() = default;

  /// Arrays that were read from memory.
  const std::set<int>& read() const { return read_; }
  /// Temporaries that were written to memory.
  const std::set<int>& kept() const { return kept_; }

  /// What stands before the text that is printed so far: the functions that it calls, and the types
  /// of its wide accesses.
  std::string Prelude() const;

  /// "a3".
  static std::string NameOf(int array) { return "a" + std::to_string(array); }

 protected:
  /// An element: its array, and which one.
  using Cell = std::pair<int, ir::Index>;
  /// Elements that are known, and the registers that they are in.
  using Registers = std::map<Cell, std::string>;
  /// An element that a loop does nothing but accumulate in.
  struct Taken {
    Cell cell;
    ir::Op op;      ///< Of the reduction.
    ir::Type type;  ///< That it is accumulated in.
  };

  /// An element that is in shared memory for a while.
  struct Staged {
    Cell cell;
    bool is_write = false;
  };

  void SetPart(const ProgramPart& part);
  /// A node and all that is in it.
  void Print(const NestNode& node);
  /// Lines in front of a loop; what is printed behind them is the loop.
  virtual void BeforeLoop(const NestNode& /*loop*/) {}
  /// Can its iterations be done as one with wide accesses? For loops that are vectors.
  bool CanBeWide(const NestNode& loop) const;
  /// What so many iterations of a vector do, from the value on that its variable has.
  void PrintWide(const NestNode& loop);
  /// Are vectors printed as wide accesses?
  virtual bool has_wide_accesses() const { return false; }
  const OperatorProgram& program() const { return program_; }
  const std::string& index() const { return index_; }
  /// Notes what the text calls.
  ir::HelperFunctions& helpers() { return helpers_; }
  /// An index or a condition, for the text.
  template <typename Expression>
  std::string TextOf(const Expression& expression, ir::IndexOrder order = ir::IndexOrder::kNames) {
    expression.AddExtremes(extremes_);
    return expression.Text(order);
  }
  /// Stores from here on happen where this holds; "": always.
  void set_store_condition(std::string condition) { store_condition_ = std::move(condition); }
  /// Stores from here on are left out, or not.
  void set_leaves_out_stores(bool leaves_out) { leaves_out_stores_ = leaves_out; }

  // For those who print loops in a way of their own.
  std::string LoopHeader(const NestNode& loop, int step);
  /// The variable of a loop at a place that counts from 0, in steps of `width` iterations.
  std::string VariableLine(const NestNode& loop, const std::string& place, int width);
  /// Forgets what the loop may write. Returns what is known behind it, for Leave().
  Registers Enter(const NestNode& loop);
  void Leave(Registers outside) { registers_ = std::move(outside); }
  /// What the loop accumulates in and uses in no other way.
  std::vector<Taken> TakenIn(const NestNode& loop) const;
  /// All elements that it accumulates in.
  std::size_t NumAccumulated(const NestNode& node) const;
  /// Until EndTaking() the element is in this register, a variable.
  void BeginTaking(const Cell& cell, const std::string& name);
  void EndTaking(const Cell& cell, const std::string& name);
  void StoreTaken(const Cell& cell, const std::string& name);
  /// Does it add to a sum?
  bool IsTake(const NestNode& node) const;
  /// Arrays that a node reads, in memory or out of registers.
  std::set<int> ReadIn(const NestNode& node) const;
  /// Arrays that it stores to.
  std::set<int> WrittenIn(const NestNode& node) const;
  /// Elements that whole statements of a body without loops read or write whose neighbours are
  /// those along `across`, not along `along`. None, if anything else than whole statements is
  /// there.
  std::vector<Staged> StagedIn(const NestNode& body, const ir::IndexVariable& along,
                               const ir::IndexVariable& across) const;
  /// Copies the element of an array to `place`.
  void StageRead(const Cell& cell, const std::string& place);
  /// From here on the element is at `place`, until EndStages().
  void Stage(const Staged& staged, const std::string& place);
  void EndStages();
  /// Copies it from `place` to its array.
  void StoreStaged(const Cell& cell, const std::string& place);
  /// The element, from a register or from memory.
  std::string Load(const Cell& cell);
  std::string NewName() { return "r" + std::to_string(next_++); }

 private:
  struct Use {
    Cell cell;
    bool is_write = false;
    bool accumulates = false;
  };

  void PrintLoop(const NestNode& loop);
  void PrintCall(const NestNode& call);

  // A vector (body_vector.cc): wide reads, then one iteration after the other, then wide writes.
  void PrintVector(const NestNode& loop);
  /// `before`: what statements of the vector wrote by then; that is in registers.
  void ReadWide(const NestNode& call, const NestNode& loop, const std::set<int>& before);
  void WriteWide(const Cell& first, const std::vector<Cell>& lanes);

  const fused::StatementPiece& PieceOf(const NestNode& call) const;
  const Statement& StatementOf(const NestNode& call) const;
  /// By iterator of the statement, in the lane that is printed.
  std::vector<ir::Index> ArgumentsOf(const NestNode& call) const;
  void BeginLane(const NestNode& loop, int lane);
  void EndLanes() { lane_ = {}; }
  /// An element in memory, and the pointer to it.
  std::string ElementText(const Cell& cell);
  std::string PointerText(const Cell& cell);
  /// What it reads, in the end what it writes.
  std::vector<Use> UsesOf(const NestNode& call) const;
  void AddUses(const NestNode& node, std::vector<Use>& uses) const;
  /// Elements that a loop accumulates in and uses in no other way.
  std::vector<Cell> AccumulatedIn(const NestNode& loop) const;
  void Forget(const std::vector<Use>& uses);

  derived::Piece Value(const Statement& of, const std::vector<ir::Index>& arguments);
  derived::Piece Computed(const Statement& of, const Step& step,
                          const std::vector<std::string>& values);
  std::string Read(const Access& access, const std::vector<ir::Index>& arguments);
  /// `value` is of type `from`; it becomes what the array holds.
  void Write(const Cell& cell, const derived::Piece& value, ir::Type from);
  /// Stores what is in the register `name`.
  void Store(const Cell& cell, const std::string& name);
  /// "exh_float4", which the text has from here on.
  std::string WideType(ir::Type type, int width);
  bool IsStored(int array) const;
  /// A store as a line, where stores happen.
  void PrintStore(const std::string& store);

  const StatementTensor& array(int index) const {
    return program_.arrays[static_cast<std::size_t>(index)];
  }

  const OperatorProgram& program_;
  const std::string index_;
  const std::set<int>* const known_;
  const ProgramPart* part_ = nullptr;
  ir::HelperFunctions helpers_;
  ir::IndexExtremes extremes_;        ///< That the text calls.
  std::set<std::string> wide_types_;  ///< That it has.
  std::set<int> read_, kept_;
  Registers registers_;
  std::string store_condition_;
  bool leaves_out_stores_ = false;
  std::map<Cell, std::string> staged_;  ///< Elements that are stored elsewhere for a while.
  std::set<Cell> accumulated_;          ///< Those of registers_ that are variables.
  std::pair<int, ir::Index> lane_;      ///< In a vector: its variable's number, and its value.
  std::set<int> wide_;                  ///< In a vector: arrays that are stored at its end.
  int next_ = 0;
};

}  // namespace exh::kernels::fused
