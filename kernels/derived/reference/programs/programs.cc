// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/programs/programs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "kernels/derived/reference/op_rules.h"

namespace exh::kernels::derived {
namespace {

using ir::Op;

/// What this thread computes of an expression.
Sample SampleOfThread(const Expression& expression) {
  const SampledReferences* const scope = SampledReferences::Current();
  return scope == nullptr ? Sample() : SampleOf(expression, scope->affordable());
}

}  // namespace

Programs::Programs(Expression expression, ProblemData& data)
    : data_(data),
      expression_(std::move(expression)),
      plan_(expression_, SampleOfThread(expression_)),
      tensors_(expression_.nodes.size()),
      written_(expression_.arrays.size()) {
  if (!plan_.sample.is_there()) return;
  values_ = ValuesOf(plan_.sample, expression_.axis(plan_.sample.axis).total,
                     SampledReferences::Current()->seed());
}

std::int64_t Programs::StripTotal() const {
  if (plan_.strip_axis < 0) return 1;
  return values_.empty() ? expression_.axis(plan_.strip_axis).total
                         : static_cast<std::int64_t>(values_.size());
}

void Programs::BeginStrip(std::int64_t first) {
  first_ = first;
  window_ = std::min(plan_.strip, StripTotal() - first);
}

int Programs::SlotOf(Expression::Input input, ir::Type as, RowProgram& program) const {
  while (!input.is_number() && expression_.PassesOn(Node(input.node))) {
    const Expression::Node& node = Node(input.node);
    input = node.inputs.at(0);
    if (input.is_number()) input.number = Converted(node.type, input.number);
  }
  if (input.is_number()) {
    const bool is_kept = KeepsAll(input.type, as);
    const ir::Number number = is_kept ? input.number : Converted(as, input.number);
    program.numbers.emplace_back(program.slots,
                                 IsWide(as) ? SlotOfWhole(as, number.whole()) : double{number});
    return program.slots++;
  }
  if (!HaveSameSlots(input.type, as) || !expression_.Keeps(input, as)) {
    return SlotOfCast(input, as, program);
  }
  const auto found = program.slot_of_node.find(input.node);
  if (found != program.slot_of_node.end()) return found->second;
  const int slot = NewSlot(input.node, program);
  program.slot_of_node[input.node] = slot;
  return slot;
}

int Programs::SlotOfCast(const Expression::Input& input, ir::Type as, RowProgram& program) const {
  const std::pair cast(input.node, as);
  const auto found = program.slot_of_cast.find(cast);
  if (found != program.slot_of_cast.end()) return found->second;
  RowProgram::Step step;
  step.rule = &Conversion(input.type, as).rule();
  step.node = input.node;
  step.operands.push_back(SlotOf(input, input.type, program));
  return program.slot_of_cast[cast] = AddStep(std::move(step), program);
}

int Programs::NewSlot(int index, RowProgram& program) const {
  const Expression::Node& node = Node(index);
  const bool is_read = tensors_[At(index)].is_there();
  if (!is_read && !plan_.IsRead(node)) return AddStep(index, node.op, program);
  RowProgram::Read read;
  if (is_read) {
    read.tensor = &tensors_[At(index)];
    read.strides = read.tensor->strides;
  } else {
    read.strides = node.strides;
    read.offset = Base(node.offset, node.strides);
    read.type = node.type;
    if (node.op == Op::kLoad) ReadArray(node, read);
  }
  read.slot = program.slots++;
  program.reads.push_back(std::move(read));
  return program.reads.back().slot;
}

void Programs::ReadArray(const Expression::Node& load, RowProgram::Read& read) const {
  const ir::Array& array = expression_.array(load.array);
  read.count = static_cast<std::int64_t>(array.elements);
  for (const Expression::Guard& of : load.guards) {
    RowProgram::Guard guard;
    guard.offset = Base(of.offset, of.strides);
    guard.strides = of.strides;
    guard.extent = of.extent;
    read.guards.push_back(std::move(guard));
  }
  read.otherwise =
      IsWide(load.type) ? SlotOfWhole(load.type, load.otherwise.whole()) : double{load.otherwise};
  if (load.store >= 0) {
    read.tensor = &written_[load.array.index()];
    return;
  }
  const Elements& values = data_.at(array.name).values;
  EXH_CHECK(values.type() == array.type && values.size() == array.elements);
  read.elements = values.bytes().data();
  read.type = array.type;
}

int Programs::AddGather(int index, RowProgram& program) const {
  const Expression::Node& node = Node(index);
  RowProgram::Read read;
  read.strides = node.strides;
  read.offset = Base(node.offset, node.strides);
  ReadArray(node, read);
  read.index = SlotOf({node.index, 0, "", ir::Type::kI32}, ir::Type::kI32, program);
  RowProgram::Step step;
  step.node = index;
  step.read = program.reads.size();
  program.reads.push_back(std::move(read));
  const int slot = AddStep(std::move(step), program);
  program.reads[program.steps.back().read].slot = slot;
  return slot;
}

int Programs::AddStep(int index, Op op, RowProgram& program) const {
  if (op == Op::kLoad) return AddGather(index, program);
  const Expression::Node& node = Node(index);
  RowProgram::Step step;
  step.rule = op == Op::kConst ? &Conversion(node.inputs.at(0).type, node.type).rule()
                               : &RuleOf(op, node.computes);
  step.node = index;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    ir::Type as = Expression::OperandType(node, i);
    // A condition is asked whether it is 0.
    if (node.op == Op::kSelect && i == 0 && IsWide(as)) as = ir::Type::kBool;
    step.operands.push_back(SlotOf(node.inputs[i], as, program));
  }
  return AddStep(std::move(step), program);
}

int Programs::AddStep(RowProgram::Step step, RowProgram& program) {
  step.slot = program.slots++;
  program.steps.push_back(std::move(step));
  return program.steps.back().slot;
}

RowProgram Programs::ProgramOf(const Expression::Input& input, ir::Type as) const {
  RowProgram program;
  program.root = SlotOf(input, as, program);
  return program;
}

void Programs::SetAxes(const Axes& axes, RowProgram& program) const {
  program.axes = axes;
  // A single point, or one after the other: rows are of neighbours.
  if (axes.empty() || IsSampled(axes.back())) program.axes.push_back(-1);
  const auto sampled =
      std::ranges::find_if(program.axes, [&](int axis) { return IsSampled(axis); });
  program.sampled =
      sampled == program.axes.end() ? -1 : static_cast<int>(sampled - program.axes.begin());
  program.values = program.sampled < 0 ? nullptr : values_.data() + first_;
  program.sizes.clear();
  for (const int axis : program.axes) program.sizes.push_back(Size(axis));
  for (RowProgram::Read& read : program.reads) {
    read.steps = Steps(read.strides, program);
    for (RowProgram::Guard& guard : read.guards) guard.steps = Steps(guard.strides, program);
  }
}

std::vector<std::int64_t> Programs::Steps(const Strides& strides, const RowProgram& program) {
  std::vector<std::int64_t> steps;
  for (const int axis : program.axes) steps.push_back(StrideOf(strides, axis));
  return steps;
}

double Programs::Cost(const RowProgram& program, int axis, const Strides& written) const {
  constexpr double kLine = 16;   // Steps beyond are no slower.
  constexpr double kBegin = 20;  // To begin a row, for each read and step.
  // Of a sample no row is along its axis.
  if (IsSampled(axis)) return std::numeric_limits<double>::infinity();
  const auto of_step = [&](const Strides& strides) {
    return std::min(kLine, std::abs(static_cast<double>(StrideOf(strides, axis))));
  };
  double cost = 4 * of_step(written);
  for (const RowProgram::Read& read : program.reads) cost += of_step(read.strides);
  const auto parts = static_cast<double>(1 + program.reads.size() + program.steps.size());
  return cost + kBegin * parts / static_cast<double>(std::min(kRow, Size(axis)));
}

Axes Programs::WithRowsLast(const RowProgram& program, Axes axes, const Strides& written) const {
  if (axes.empty()) return axes;
  const auto best =
      std::ranges::min_element(axes, {}, [&](int axis) { return Cost(program, axis, written); });
  std::rotate(best, best + 1, axes.end());
  return axes;
}

}  // namespace exh::kernels::derived
