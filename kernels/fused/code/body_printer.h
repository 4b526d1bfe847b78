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

namespace exh::kernels::fused {

/// The types of wide accesses that a text mentions, as a text that stands before it.
std::string VectorTypesOf(const std::string& text);

class BodyPrinter : public TextWriter {
 public:
  /// `index`: the type that counts elements. `read`: the arrays that were read from memory in the
  /// first run; null in the first run.
  BodyPrinter(const Program& program, derived::Dialect dialect, std::string index,
              const std::set<int>* read);
  virtual ~BodyPrinter() = default;

  /// Arrays that were read from memory.
  const std::set<int>& read() const { return read_; }
  /// Temporaries that were written to memory.
  const std::set<int>& kept() const { return kept_; }

  /// "a3".
  static std::string NameOf(int array) { return "a" + std::to_string(array); }

 protected:
  void SetPart(const Part& part);
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
  const Program& program() const { return program_; }
  const std::string& index() const { return index_; }

 private:
  /// An element: its array, and which one, as text.
  using Cell = std::pair<int, std::string>;
  struct Use {
    Cell cell;
    bool is_write = false;
    bool accumulates = false;
  };

  void PrintLoop(const NestNode& loop);
  void PrintCall(const NestNode& call);
  std::string LoopHeader(const NestNode& loop, int step) const;

  // A vector (body_vector.cc): wide reads, then one iteration after the other, then wide writes.
  void PrintVector(const NestNode& loop);
  /// `before`: what statements of the vector wrote by then; that is in registers.
  void ReadWide(const NestNode& call, const NestNode& loop, const std::set<int>& before);
  void WriteWide(const Cell& first, const std::vector<Cell>& lanes);
  static std::string LaneText(const std::string& variable, int lane);

  const fused::Piece& PieceOf(const NestNode& call) const;
  const Statement& StatementOf(const NestNode& call) const;
  std::vector<std::string> ArgumentsOf(const NestNode& call) const;
  /// What it reads, in the end what it writes.
  std::vector<Use> UsesOf(const NestNode& call) const;
  void AddUses(const NestNode& node, std::vector<Use>& uses) const;
  /// Elements that a loop accumulates in and uses in no other way.
  std::vector<Cell> AccumulatedIn(const NestNode& loop) const;
  void Forget(const std::vector<Use>& uses);

  derived::Piece Value(const Statement& of, const std::vector<std::string>& arguments);
  derived::Piece Computed(const Statement& of, const Step& step,
                          const std::vector<std::string>& values) const;
  std::string Read(const Access& access, const Statement& of,
                   const std::vector<std::string>& arguments);
  /// The element, from a register or from memory.
  std::string Load(const Cell& cell);
  /// `value` is of type `from`; it becomes what the array holds.
  void Write(const Cell& cell, const derived::Piece& value, ir::Type from);
  void Store(const Cell& cell, const std::string& value);
  bool IsStored(int array) const;
  std::string NewName() { return "r" + std::to_string(next_++); }

  const StatementTensor& array(int index) const {
    return program_.arrays[static_cast<std::size_t>(index)];
  }

  const Program& program_;
  const derived::Dialect dialect_;
  const std::string index_;
  const std::set<int>* const known_;
  const Part* part_ = nullptr;
  std::set<int> read_, kept_;
  std::map<Cell, std::string> registers_;
  std::set<Cell> accumulated_;                ///< Those of registers_ that are variables.
  std::pair<std::string, std::string> lane_;  ///< In a vector: its variable, and that of a lane.
  std::set<int> wide_;                        ///< In a vector: arrays that are stored at its end.
  int next_ = 0;
};

}  // namespace exh::kernels::fused
