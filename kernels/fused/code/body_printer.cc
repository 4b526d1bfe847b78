// SPDX-License-Identifier: MIT
#include "kernels/fused/code/body_printer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "kernels/derived/expression.h"
#include "kernels/fused/element.h"
#include "kernels/ir/ops.h"
#include "kernels/loops/loop_text.h"

namespace exh::kernels::fused {
namespace {

using ir::Op;
using ir::Type;
using Kind = NestNode::Kind;

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

BodyPrinter::BodyPrinter(const OperatorProgram& program, derived::Dialect dialect,
                         std::string index, const std::set<int>* read)
    : program_(program), index_(std::move(index)), known_(read), helpers_(dialect) {}

void BodyPrinter::SetPart(const ProgramPart& part) {
  part_ = &part;
  registers_.clear();
}

void BodyPrinter::Print(const NestNode& node) {
  switch (node.kind) {
    case Kind::kBlock:
      for (const NestNode& child : node.children) Print(child);
      return;
    case Kind::kLoop:
      if (node.mapping.vector > 1 && has_wide_accesses() && CanBeWide(node))
        return PrintVector(node);
      return PrintLoop(node);
    case Kind::kIf: {
      std::vector<Use> uses;
      AddUses(node, uses);
      Open("if (" + TextOf(node.condition) + ")");
      const auto outside = registers_;
      Print(node.children.front());
      registers_ = outside;
      Close();
      return Forget(uses);
    }
    case Kind::kCall:
      return PrintCall(node);
  }
}

// ---- loops ----

std::string BodyPrinter::LoopHeader(const NestNode& loop, int step) {
  const loops::LoopRange& of = loop.range;
  return loops::ForText(index_, of.variable.name, TextOf(of.first), TextOf(of.condition),
                        std::to_string(step == 1 ? of.step : step));
}

void BodyPrinter::PrintLoop(const NestNode& loop) {
  const std::vector<Cell> cells = AccumulatedIn(loop);
  std::vector<std::string> names;
  for (const Cell& cell : cells) {
    const std::string before = Load(cell);
    names.push_back(NewName());
    Line(
        fmt::format("{} {} = {};", ir::RegisterName(array(cell.first).type), names.back(), before));
  }
  Registers outside = Enter(loop);
  for (std::size_t i = 0; i < cells.size(); ++i) BeginTaking(cells[i], names[i]);
  BeforeLoop(loop);
  Open(LoopHeader(loop, 1));
  Print(loop.children.front());
  Close();
  Leave(std::move(outside));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EndTaking(cells[i], names[i]);
    StoreTaken(cells[i], names[i]);
  }
}

std::string BodyPrinter::VariableLine(const NestNode& loop, const std::string& place, int width) {
  const loops::LoopRange& of = loop.range;
  std::string value = place;
  if (width > 1) value = fmt::format("({}) * {}", value, width);
  if (of.step != 1) value = fmt::format("({}) * {}", value, of.step);
  if (of.first != ir::Index()) value = fmt::format("{} + {}", TextOf(of.first), value);
  return fmt::format("const int {} = {};", of.variable.name, value);
}

BodyPrinter::Registers BodyPrinter::Enter(const NestNode& loop) {
  std::vector<Use> uses;
  AddUses(loop, uses);
  Forget(uses);
  return registers_;
}

void BodyPrinter::BeginTaking(const Cell& cell, const std::string& name) {
  registers_[cell] = name;
  accumulated_.insert(cell);
}

void BodyPrinter::EndTaking(const Cell& cell, const std::string& name) {
  accumulated_.erase(cell);
  registers_[cell] = name;
}

void BodyPrinter::StoreTaken(const Cell& cell, const std::string& name) {
  Store(cell, name);
}

std::vector<BodyPrinter::Taken> BodyPrinter::TakenIn(const NestNode& loop) const {
  std::vector<Taken> taken;
  for (const Cell& cell : AccumulatedIn(loop)) {
    const auto found = std::ranges::find(program_.accumulators, cell.first);
    EXH_CHECK(found != program_.accumulators.end());
    const Statement& of =
        program_.list.statements[static_cast<std::size_t>(found - program_.accumulators.begin())];
    taken.push_back({cell, *of.reduces, OperatorProgram::AccumulatesIn(of)});
  }
  return taken;
}

std::size_t BodyPrinter::NumAccumulated(const NestNode& node) const {
  std::vector<Use> uses;
  AddUses(node, uses);
  std::set<Cell> cells;
  for (const Use& use : uses) {
    if (use.accumulates) cells.insert(use.cell);
  }
  return cells.size();
}

bool BodyPrinter::IsTake(const NestNode& node) const {
  return node.kind == Kind::kCall && PieceOf(node).what == StatementPiece::What::kTake;
}

std::set<int> BodyPrinter::ReadIn(const NestNode& node) const {
  std::vector<Use> uses;
  AddUses(node, uses);
  std::set<int> arrays;
  for (const Use& use : uses) {
    if (!use.is_write || use.accumulates) arrays.insert(use.cell.first);
  }
  return arrays;
}

std::set<int> BodyPrinter::WrittenIn(const NestNode& node) const {
  std::vector<Use> uses;
  AddUses(node, uses);
  std::set<int> arrays;
  for (const Use& use : uses) {
    if (use.is_write && IsStored(use.cell.first)) arrays.insert(use.cell.first);
  }
  return arrays;
}

std::vector<BodyPrinter::Cell> BodyPrinter::AccumulatedIn(const NestNode& loop) const {
  const std::vector<const NestNode*> within = loops::LoopsOf(loop);
  std::vector<Use> uses;
  AddUses(loop, uses);
  std::map<int, ir::Index> elements;  // By array that is accumulated in.
  for (const Use& use : uses) {
    if (use.accumulates) elements.emplace(use.cell);
  }
  for (const Use& use : uses) {
    const auto found = elements.find(use.cell.first);
    if (found == elements.end()) continue;
    const bool varies = std::ranges::any_of(within, [&](const NestNode* of) {
      return use.cell.second.Uses(of->range.variable.number);
    });
    if (varies || !use.accumulates || found->second != use.cell.second ||
        accumulated_.contains(use.cell)) {
      elements.erase(found);
    }
  }
  return {elements.begin(), elements.end()};
}

void BodyPrinter::Forget(const std::vector<Use>& uses) {
  std::set<int> written;
  for (const Use& use : uses) {
    if (use.is_write) written.insert(use.cell.first);
  }
  std::erase_if(registers_, [&](const auto& known) {
    return written.contains(known.first.first) && !accumulated_.contains(known.first);
  });
}

// ---- statements ----

const StatementPiece& BodyPrinter::PieceOf(const NestNode& call) const {
  return part_->pieces[At(call.statement)];
}

const Statement& BodyPrinter::StatementOf(const NestNode& call) const {
  return program_.list.statements[At(PieceOf(call).statement)];
}

std::vector<ir::Index> BodyPrinter::ArgumentsOf(const NestNode& call) const {
  const Statement& of = StatementOf(call);
  std::vector<ir::Index> arguments(of.iterators.size());
  const std::vector<int>& iterators = PieceOf(call).iterators;
  for (std::size_t i = 0; i < iterators.size(); ++i) {
    ir::Index given = call.arguments[i];
    if (!lane_.second.terms().empty()) given = given.With(lane_.first, lane_.second);
    arguments[At(iterators[i])] = given.Within(of.iterators[At(iterators[i])].extent);
  }
  return arguments;
}

std::string BodyPrinter::ElementText(const Cell& cell) {
  return fmt::format("{}[{}]", NameOf(cell.first), TextOf(cell.second, ir::IndexOrder::kFactors));
}

std::string BodyPrinter::PointerText(const Cell& cell) {
  return fmt::format("{} + {}", NameOf(cell.first), TextOf(cell.second, ir::IndexOrder::kFactors));
}

std::vector<BodyPrinter::Use> BodyPrinter::UsesOf(const NestNode& call) const {
  const StatementPiece& piece = PieceOf(call);
  const Statement& of = StatementOf(call);
  const std::vector<ir::Index> arguments = ArgumentsOf(call);
  const auto cell = [&](const Access& access, int index) -> Cell {
    return {index, ElementOf(access, array(index).shape, arguments)};
  };
  std::vector<Use> uses;
  if (piece.what == StatementPiece::What::kWhole || piece.what == StatementPiece::What::kTake) {
    for (const Access& read : of.reads) uses.push_back({.cell = cell(read, read.tensor)});
  }
  const int accumulator = program_.accumulators[At(piece.statement)];
  if (piece.what == StatementPiece::What::kEnd)
    uses.push_back({.cell = cell(of.write, accumulator)});
  const bool begins = piece.what == StatementPiece::What::kBegin,
             takes = piece.what == StatementPiece::What::kTake;
  uses.push_back({.cell = cell(of.write, begins || takes ? accumulator : of.write.tensor),
                  .is_write = true,
                  .accumulates = takes});
  return uses;
}

void BodyPrinter::AddUses(const NestNode& node, std::vector<Use>& uses) const {
  if (node.kind == Kind::kCall) {
    const std::vector<Use> of_call = UsesOf(node);
    uses.insert(uses.end(), of_call.begin(), of_call.end());
  }
  for (const NestNode& child : node.children) AddUses(child, uses);
}

void BodyPrinter::PrintCall(const NestNode& call) {
  const StatementPiece& piece = PieceOf(call);
  const Statement& of = StatementOf(call);
  const Cell cell = UsesOf(call).back().cell;
  const Type accumulates = OperatorProgram::AccumulatesIn(of);
  switch (piece.what) {
    case StatementPiece::What::kWhole:
      return Write(cell, Value(of, ArgumentsOf(call)), of.steps.back().type);
    case StatementPiece::What::kBegin: {
      const double nothing = ir::IdentityOf(*of.reduces, accumulates);
      return Write(cell, {derived::NumberText(nothing, helpers_.dialect(), accumulates)},
                   accumulates);
    }
    case StatementPiece::What::kTake: {
      const derived::Piece value =
          derived::CastText(Value(of, ArgumentsOf(call)), of.steps.back().type, accumulates);
      if (accumulated_.contains(cell)) {
        return Line(derived::AccumulateText(*of.reduces, registers_.at(cell), {value}, helpers_,
                                            accumulates));
      }
      const std::string sum = NewName();
      const std::string before = Load(cell);
      Line(fmt::format("{} {} = {};", ir::RegisterName(accumulates), sum, before));
      Line(derived::AccumulateText(*of.reduces, sum, {value}, helpers_, accumulates));
      return Write(cell, {sum}, accumulates);
    }
    case StatementPiece::What::kEnd: {
      const Cell sum = {program_.accumulators[At(piece.statement)], cell.second};
      return Write(cell, {Load(sum)}, accumulates);
    }
  }
}

derived::Piece BodyPrinter::Value(const Statement& of, const std::vector<ir::Index>& arguments) {
  std::vector<std::string> values;
  for (const Step& step : of.steps) {
    derived::Piece value;
    switch (step.what) {
      case Step::What::kRead:
        value = {Read(of.reads[At(step.read)], arguments)};
        break;
      case Step::What::kNumber:
        value = {derived::NumberText(step.number, helpers_.dialect(), step.type)};
        break;
      case Step::What::kIndex:
        value = {fmt::format("static_cast<{}>({})", ir::RegisterName(step.type),
                             TextOf(step.index.With(0, arguments), ir::IndexOrder::kFactors))};
        break;
      case Step::What::kCompute:
        value = Computed(of, step, values);
        break;
    }
    values.push_back(NewName());
    Line(fmt::format("const {} {} = {};", ir::RegisterName(step.type), values.back(), value.text));
    if (step.what == Step::What::kRead && !of.reads[At(step.read)].is_guarded) {
      const Access& read = of.reads[At(step.read)];
      registers_.emplace(Cell{read.tensor, ElementOf(read, array(read.tensor).shape, arguments)},
                         values.back());
    }
  }
  return {values.back()};
}

derived::Piece BodyPrinter::Computed(const Statement& of, const Step& step,
                                     const std::vector<std::string>& values) {
  std::vector<derived::Piece> operands;
  for (std::size_t i = 0; i < step.operands.size(); ++i) {
    const int operand = step.operands[i];
    const Type from = of.steps[At(operand)].type;
    if (step.op == Op::kConst)
      return derived::RoundText({values[At(operand)]}, from, step.type, helpers_);
    const bool is_condition = step.op == Op::kSelect && i == 0;
    operands.push_back(is_condition
                           ? derived::Piece{values[At(operand)]}
                           : derived::CastText({values[At(operand)]}, from, step.computes));
  }
  return derived::RoundText(derived::OpText(step.op, operands, helpers_, step.computes),
                            ir::ResultType(step.op, step.computes), step.type, helpers_);
}

std::string BodyPrinter::Read(const Access& access, const std::vector<ir::Index>& arguments) {
  const std::vector<std::int64_t>& shape = array(access.tensor).shape;
  const Cell cell = {access.tensor, ElementOf(access, shape, arguments)};
  const ir::Condition guard =
      access.is_guarded ? GuardOf(access, shape, arguments) : ir::Condition();
  if (guard.always()) return Load(cell);
  return fmt::format(
      "{} ? {} : {}", TextOf(guard, ir::IndexOrder::kFactors), Load(cell),
      derived::NumberText(access.otherwise, helpers_.dialect(), array(access.tensor).type));
}

// ---- elements ----

std::string BodyPrinter::Load(const Cell& cell) {
  const auto known = registers_.find(cell);
  if (known != registers_.end()) return known->second;
  read_.insert(cell.first);
  return derived::LoadText(ElementText(cell), array(cell.first).type, helpers_);
}

void BodyPrinter::Write(const Cell& cell, const derived::Piece& value, Type from) {
  const Type type = array(cell.first).type;
  const std::string name = NewName();
  Line(fmt::format("const {} {} = {};", ir::RegisterName(type), name,
                   derived::RoundText(value, from, type, helpers_).text));
  if (wide_.contains(cell.first)) {  // Other lanes have other elements.
    registers_[cell] = name;
    return;
  }
  Forget({{.cell = cell, .is_write = true}});
  registers_[cell] = name;
  Store(cell, name);
}

bool BodyPrinter::IsStored(int array_index) const {
  return array(array_index).is_result() || known_ == nullptr || known_->contains(array_index);
}

void BodyPrinter::Store(const Cell& cell, const std::string& name) {
  if (!IsStored(cell.first)) return;
  if (!array(cell.first).is_result()) kept_.insert(cell.first);
  if (leaves_out_stores_) return;
  const Type type = array(cell.first).type;
  const auto staged = staged_.find(cell);
  const std::string place = staged == staged_.end() ? ElementText(cell) : staged->second;
  PrintStore(fmt::format("{} = {};", place, derived::StoreText({name}, type, type, helpers_)));
}

void BodyPrinter::PrintStore(const std::string& store) {
  Line(store_condition_.empty() ? store : fmt::format("if ({}) {}", store_condition_, store));
}

}  // namespace exh::kernels::fused
