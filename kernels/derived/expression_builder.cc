// SPDX-License-Identifier: MIT
#include "kernels/derived/expression_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/check.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::derived {
namespace {

using ir::Index;
using ir::Op;
using ir::Type;
using Atom = ir::IndexAtom;
using Value = Expression::Input;

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

// ---- Values -------------------------------------------------------------------------------------

Value ExpressionBuilder::Computed(Op op, std::vector<Value> operands, Type type) {
  const Type computes = operands.back().type;
  return Computed(op, std::move(operands), type, computes);
}

Value ExpressionBuilder::Computed(Op op, std::vector<Value> operands, Type type, Type computes) {
  Expression::Node node;
  node.op = op;
  node.type = type;
  node.computes = computes;
  node.inputs = std::move(operands);
  return NodeOf(std::move(node));
}

Value ExpressionBuilder::Loaded(ir::ArrayId array, int store, const Index& element,
                                bool is_inside) {
  const Place place = PlaceOf(element);
  Expression::Node node;
  node.op = Op::kLoad;
  node.type = out_.array(array).type;
  node.array = array;
  node.store = store;
  node.offset = place.offset;
  node.strides.assign(place.strides.begin(), place.strides.end());
  if (!place.quotients.empty()) {
    node.index = Whole({0, {}, place.quotients}).node;
    return NodeOf(std::move(node));
  }
  const auto elements = static_cast<std::int64_t>(out_.array(array).elements);
  const auto [least, largest] = out_.Range(node);
  if (!is_inside && (least < 0 || largest >= elements)) {
    node.guards = {{node.offset, node.strides, elements}};
  }
  return NodeOf(std::move(node));
}

Value ExpressionBuilder::Gathered(Op op, const Value& term, std::vector<int> axes,
                                  const Value& init, Type type) {
  Expression::Node node;
  node.op = op;
  node.type = node.computes = type;
  node.reduced = std::move(axes);
  node.inputs = {term};
  if (op == Op::kAdd && !term.is_number()) {
    const Expression::Node& of = out_.node(term.node);
    const bool adds = of.op == Op::kAdd || of.op == Op::kMad;
    if (of.is_reduction() && adds && IsZero(of.init)) {
      node.op = of.op;
      node.inputs = of.inputs;
      node.reduced.insert(node.reduced.end(), of.reduced.begin(), of.reduced.end());
    } else if (of.op == Op::kMul && !of.accumulates() && of.type == type &&
               ir::ResultType(Op::kMul, of.computes) == type) {
      node.op = Op::kMad;
      node.inputs = of.inputs;
    }
  }
  node.init = init.node;
  if (init.is_number()) {
    Expression::Node number;
    number.type = type;
    number.inputs = {init};
    node.init = NodeOf(std::move(number)).node;
  }
  return NodeOf(std::move(node));
}

bool ExpressionBuilder::IsZero(int node) const {
  const Expression::Node& of = out_.node(node);
  return of.op == Op::kConst && of.inputs[0].is_number() && of.inputs[0].number == 0.0;
}

Value ExpressionBuilder::Guarded(const Value& inside, const Index& index, std::int64_t length,
                                 double otherwise) {
  const bool is_low = index.min() < 0, is_high = index.max() >= length;
  if (!is_low && !is_high) return inside;
  const Place place = PlaceOf(index);
  if (!inside.is_number() && out_.node(inside.node).op == Op::kLoad && place.quotients.empty()) {
    Expression::Node load = out_.node(inside.node);
    if (load.guards.empty() || double{load.otherwise} == otherwise) {
      load.axes.clear();
      load.otherwise = otherwise;
      Expression::Guard guard = {
          place.offset, {place.strides.begin(), place.strides.end()}, length};
      const auto is_same = [&](const Expression::Guard& other) {
        return other.offset == guard.offset && other.strides == guard.strides &&
               other.extent == guard.extent;
      };
      if (std::ranges::any_of(load.guards, is_same)) return inside;
      load.guards.push_back(std::move(guard));
      return NodeOf(std::move(load));
    }
  }
  Value above = Whole(place);
  if (is_high) {
    const Value left = Computed(Op::kSub, {WholeNumber(length - 1), above}, Type::kI32);
    above = is_low ? Computed(Op::kMin, {above, left}, Type::kI32) : left;
  }
  const Value is_inside = Computed(Op::kLess, {WholeNumber(-1), above}, Type::kBool);
  return Computed(Op::kSelect, {is_inside, inside, {-1, otherwise, "", inside.type}}, inside.type,
                  inside.type);
}

int ExpressionBuilder::Store(ir::ArrayId array, const Value& value, const Index& element,
                             bool is_output) {
  EXH_CHECK(element.IsAffine());
  const Place place = PlaceOf(element);
  Expression::Node store;
  store.op = Op::kStore;
  store.type = store.computes = out_.array(array).type;
  store.array = array;
  store.offset = place.offset;
  store.strides.assign(place.strides.begin(), place.strides.end());
  store.inputs = {value};
  const int number = NodeOf(std::move(store)).node;
  if (is_output) out_.outputs.push_back(number);
  return number;
}

int ExpressionBuilder::Apart() {
  Expression::Node node;
  node.inputs = {{-1, 0}};
  out_.nodes.push_back(std::move(node));
  return static_cast<int>(out_.nodes.size()) - 1;
}

// ---- Nodes --------------------------------------------------------------------------------------

ExpressionBuilder::NodeKey ExpressionBuilder::KeyOf(const Expression::Node& node) {
  NodeKey key = {node.op,
                 node.type,
                 node.computes,
                 node.reduced,
                 node.init,
                 node.along,
                 node.keeps,
                 node.index,
                 node.store,
                 node.array.value,
                 node.offset,
                 node.strides,
                 node.otherwise.Cell(node.type),
                 {},
                 {}};
  for (const Value& input : node.inputs) {
    const std::uint64_t bits = input.is_number() ? input.number.Cell(input.type) : 0;
    key.inputs.emplace_back(input.node, input.type, bits);
  }
  for (const Expression::Guard& guard : node.guards) {
    key.guards.emplace_back(guard.offset, guard.strides, guard.extent);
  }
  return key;
}

Value ExpressionBuilder::NodeOf(Expression::Node node) {
  std::set<int> axes;
  const auto add_node = [&](int read) {
    if (read >= 0) axes.insert(out_.node(read).axes.begin(), out_.node(read).axes.end());
  };
  const auto add_strides = [&](const Expression::Strides& strides) {
    for (const auto& [axis, stride] : strides) axes.insert(axis);
  };
  for (const Value& input : node.inputs) add_node(input.node);
  add_node(node.init);
  add_node(node.index);
  add_strides(node.strides);
  for (const Expression::Guard& guard : node.guards) add_strides(guard.strides);
  for (const int axis : node.reduced) axes.erase(axis);
  if (node.is_scan()) axes.insert(node.along);
  node.axes.assign(axes.begin(), axes.end());
  const Type type = node.type;
  const auto [found, is_new] =
      by_key_.try_emplace(KeyOf(node), static_cast<int>(out_.nodes.size()));
  if (is_new) out_.nodes.push_back(std::move(node));
  return {found->second, 0, "", type};
}

bool ExpressionBuilder::ComesOf(int node, int other) const {
  std::set<int> open = {node};
  while (!open.empty()) {
    const int last = *open.rbegin();
    if (last <= other) return last == other;
    open.erase(last);
    Expression::ForEachValue(out_.node(last), [&](int read) { open.insert(read); });
    if (out_.node(last).index >= 0) open.insert(out_.node(last).index);
  }
  return false;
}

Expression ExpressionBuilder::Take() {
  std::vector<bool> is_read(out_.nodes.size(), false);
  for (const int output : out_.outputs) is_read[At(output)] = true;
  std::vector<int> places(out_.nodes.size(), -1);
  const auto note = [&](int read) { is_read[At(read)] = true; };
  for (std::size_t i = is_read.size(); i-- > 0;) {
    if (!is_read[i]) continue;
    Expression::ForEachValue(out_.nodes[i], note);
    if (out_.nodes[i].index >= 0) note(out_.nodes[i].index);
  }
  std::vector<Expression::Node> nodes;
  const auto move = [&](int& node) {
    if (node >= 0) node = places[At(node)];
  };
  for (std::size_t i = 0; i < is_read.size(); ++i) {
    if (!is_read[i]) continue;
    places[i] = static_cast<int>(nodes.size());
    nodes.push_back(std::move(out_.nodes[i]));
    Expression::Node& node = nodes.back();
    for (Value& input : node.inputs) move(input.node);
    for (int* const read : {&node.init, &node.index, &node.store}) move(*read);
  }
  out_.nodes = std::move(nodes);
  for (int& output : out_.outputs) move(output);
  return std::move(out_);
}

// ---- Places -------------------------------------------------------------------------------------

ExpressionBuilder::Place ExpressionBuilder::PlaceOf(const Index& index) {
  Place place;
  AddTo(place, index, 1);
  std::erase_if(place.strides, [](const auto& of) { return of.second == 0; });
  return place;
}

void ExpressionBuilder::AddTo(Place& place, const Index& index, std::int64_t factor) {
  place.offset += factor * index.constant();
  for (const Index::Term& term : index.terms()) {
    const std::int64_t times = factor * term.factor;
    const Atom& atom = *term.atom;
    if (atom.kind == Atom::Kind::kVariable) {
      place.strides[atom.variable.number] += times;
      continue;
    }
    if (atom.kind != Atom::Kind::kDiv) AddTo(place, atom.of, times);
    if (atom.kind == Atom::Kind::kWithin) continue;
    EXH_CHECK(atom.kind == Atom::Kind::kDiv || atom.kind == Atom::Kind::kMod);
    const Value quotient =
        Computed(Op::kDiv, {Whole(PlaceOf(atom.of)), WholeNumber(atom.by)}, Type::kI32);
    // What is left is all without the quotient.
    place.quotients.emplace_back(quotient,
                                 atom.kind == Atom::Kind::kDiv ? times : -times * atom.by);
  }
}

Value ExpressionBuilder::Whole(const Index& index, Type type) {
  return Whole(PlaceOf(index), type);
}

Value ExpressionBuilder::Whole(const Place& place, Type type) {
  Value sum = {-1, place.offset, "", type};
  if (!place.strides.empty()) {
    Expression::Node node;
    node.op = Op::kIndex;
    node.type = node.computes = type;
    node.offset = place.offset;
    node.strides.assign(place.strides.begin(), place.strides.end());
    sum = NodeOf(std::move(node));
  }
  EXH_CHECK(place.quotients.empty() || type == Type::kI32);
  for (const auto& [quotient, factor] : place.quotients) {
    const Value times = Computed(Op::kMul, {quotient, WholeNumber(factor)}, Type::kI32);
    sum = Computed(Op::kAdd, {sum, times}, Type::kI32);
  }
  return sum;
}

Index ExpressionBuilder::NewAxes(const std::vector<std::int64_t>& lengths, std::vector<int>& axes) {
  Index index;
  for (const std::int64_t length : lengths) {
    if (length == 1) continue;  // No axis: the next one has the number that it would have.
    const int axis = static_cast<int>(out_.axes.size());
    const std::string name = fmt::format("i{}", axis);
    index = index * length + Index(ir::IndexVariable::Of(axis, name, length));
    out_.axes.push_back({name, static_cast<std::uint32_t>(length)});
    axes.push_back(axis);
  }
  return index;
}

}  // namespace exh::kernels::derived
