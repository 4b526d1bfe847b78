// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "functional/expression/expression.h"
#include "functional/expression/unfold.h"

namespace exh::functional {
namespace {

using kernels::ir::Array;
using kernels::ir::ArrayRole;
using kernels::ir::Op;
namespace ir = kernels::ir;
using Expression = kernels::derived::Expression;
using Value = Expression::Input;
using Atom = ir::IndexAtom;

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

Value WholeNumber(std::int64_t number) {
  return {-1, number, "", ir::Type::kI32};
}

ScalarShape ShapeOf(const std::string& name, const functional::Type& type, const Program& program,
                    const Assignment& parameters) {
  const auto number = [&](const Term& term) {
    const auto value = program.terms.Evaluate(term, parameters);
    if (value && *value >= 1) return *value;
    const std::string text = program.terms.Text(term);
    throw Error(value ? fmt::format("a length is at least 1: {} is {}", text, *value)
                      : fmt::format("{} has no value: a division by 0, one with a rest, or a "
                                    "number that is too large",
                                    text));
  };
  const std::vector<ScalarShape> scalars = ScalarsOf(type, number);
  if (scalars.size() == 1 && scalars[0].items.empty() && scalars[0].scalar == "float") {
    return scalars[0];
  }
  throw Error(
      fmt::format("'{}' is {}: only floats, vectors of them and arrays of those are "
                  "calculated here",
                  name, functional::TextOf(type, program.terms)));
}

}  // namespace

std::vector<Array> ArraysOf(const Program& program, const Assignment& parameters) {
  for (const Parameter& parameter : program.parameters) {
    if (parameters.contains(parameter.name)) continue;
    throw Error(fmt::format("parameter '{}' has no value", parameter.name));
  }
  std::vector<Array> arrays;
  const auto add = [&](const std::string& name, const Node& node, ArrayRole role) {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    std::int64_t elements = 1;
    for (const std::int64_t extent : ShapeOf(name, *node.type, program, parameters).extents) {
      if (extent > kMost / elements) {
        throw Error(fmt::format("'{}' has more than {} elements", name, kMost));
      }
      elements *= extent;
    }
    const kernels::ir::ArrayId id{static_cast<std::uint16_t>(arrays.size())};
    arrays.push_back({id, name, role, static_cast<std::uint64_t>(elements)});
  };
  for (const auto& [name, node] : InputsOf(program)) add(name, *node, ArrayRole::kInput);
  for (const Kernel& kernel : program.kernels) add(kernel.name, *kernel.result, ArrayRole::kOutput);
  return arrays;
}

Expression ExpressionOf(const Program& program, const Assignment& parameters) {
  Unfolder unfolder(program, parameters, ArraysOf(program, parameters));
  for (const Kernel& kernel : program.kernels) unfolder.AddKernel(kernel);
  return unfolder.Take();
}

Unfolder::Unfolder(const Program& program, const Assignment& parameters, std::vector<Array> arrays)
    : program_(program), parameters_(parameters) {
  std::map<std::string, const Node*> nodes = InputsOf(program);
  for (const Kernel& kernel : program.kernels) nodes[kernel.name] = kernel.result.get();
  for (const Array& array : arrays) {
    const ScalarShape shape = ShapeOf(array.name, *nodes.at(array.name)->type, program, parameters);
    stored_[array.name] = {array.id, shape.extents, -1};
  }
  out_.arrays = std::move(arrays);
}

Expression Unfolder::Take() {
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

// ---- Values -------------------------------------------------------------------------------------

Expression::Input Unfolder::Computed(Op op, std::vector<Value> operands, ir::Type type) {
  Expression::Node node;
  node.op = op;
  node.type = type;
  // A condition says nothing of what is computed in.
  node.computes = operands.back().type;
  node.inputs = std::move(operands);
  return NodeOf(std::move(node));
}

Expression::Input Unfolder::Loaded(const std::string& name, const Path& path) {
  const Stored& stored = stored_.at(name);
  EXH_CHECK(path.size() == stored.extents.size());
  Index address;
  for (std::size_t i = 0; i < path.size(); ++i) {
    address = address * stored.extents[i] + path[path.size() - 1 - i].index;
  }
  const Place place = PlaceOf(address);
  Expression::Node node;
  node.op = Op::kLoad;
  node.array = stored.array;
  node.store = stored.store;
  node.offset = place.offset;
  node.strides.assign(place.strides.begin(), place.strides.end());
  if (!place.quotients.empty()) {
    node.index = Whole({0, {}, place.quotients}).node;
    return NodeOf(std::move(node));
  }
  const auto elements = static_cast<std::int64_t>(out_.array(stored.array).elements);
  const auto [least, largest] = out_.Range(node);
  if (least < 0 || largest >= elements) node.guards = {{node.offset, node.strides, elements}};
  return NodeOf(std::move(node));
}

Expression::Input Unfolder::Gathered(Op op, Value term, std::vector<int> axes, const Value& init) {
  Expression::Node node;
  node.op = op;
  node.reduced = std::move(axes);
  node.inputs = {term};
  if (op == Op::kAdd && !term.is_number()) {
    const Expression::Node& of = out_.node(term.node);
    const bool adds = of.op == Op::kAdd || of.op == Op::kMad;
    if (of.is_reduction() && adds && IsZero({of.init})) {
      node.op = of.op;
      node.inputs = of.inputs;
      node.reduced.insert(node.reduced.end(), of.reduced.begin(), of.reduced.end());
    } else if (of.op == Op::kMul && !of.is_reduction()) {
      node.op = Op::kMad;
      node.inputs = of.inputs;
    }
  }
  node.init = init.node;
  if (init.is_number()) {
    Expression::Node number;
    number.inputs = {init};
    node.init = NodeOf(std::move(number)).node;
  }
  return NodeOf(std::move(node));
}

bool Unfolder::IsZero(const Value& value) const {
  const Expression::Node& node = out_.node(value.node);
  return node.op == Op::kConst && node.inputs[0].is_number() && node.inputs[0].number == 0.0;
}

Expression::Input Unfolder::Guarded(const Value& inside, const Index& index, std::int64_t length,
                                    float otherwise) {
  const bool is_low = index.min() < 0, is_high = index.max() >= length;
  if (!is_low && !is_high) return inside;
  const Place place = PlaceOf(index);
  if (!inside.is_number() && out_.node(inside.node).op == Op::kLoad && otherwise == 0 &&
      place.quotients.empty()) {
    Expression::Node load = out_.node(inside.node);
    load.axes.clear();
    load.guards.push_back({place.offset, {place.strides.begin(), place.strides.end()}, length});
    return NodeOf(std::move(load));
  }
  Value above = Whole(place);
  if (is_high) {
    const Value left = Computed(Op::kSub, {WholeNumber(length - 1), above}, ir::Type::kI32);
    above = is_low ? Computed(Op::kMin, {above, left}, ir::Type::kI32) : left;
  }
  const Value is_inside = Computed(Op::kLess, {WholeNumber(-1), above}, ir::Type::kBool);
  return Computed(Op::kSelect, {is_inside, inside, {-1, otherwise}});
}

Unfolder::NodeKey Unfolder::KeyOf(const Expression::Node& node) {
  NodeKey key = {node.op,    node.type,        node.computes, node.reduced, node.init, node.index,
                 node.store, node.array.value, node.offset,   node.strides, {},        {}};
  for (const Value& input : node.inputs) {
    const double number = input.is_number() ? double{input.number} : 0;
    key.inputs.emplace_back(input.node, input.type, std::bit_cast<std::uint64_t>(number));
  }
  for (const Expression::Guard& guard : node.guards) {
    key.guards.emplace_back(guard.offset, guard.strides, guard.extent);
  }
  return key;
}

Expression::Input Unfolder::NodeOf(Expression::Node node) {
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
  node.axes.assign(axes.begin(), axes.end());
  const ir::Type type = node.type;
  const auto [found, is_new] =
      by_key_.try_emplace(KeyOf(node), static_cast<int>(out_.nodes.size()));
  if (is_new) out_.nodes.push_back(std::move(node));
  return {found->second, 0, "", type};
}

bool Unfolder::ComesOf(int node, int other) const {
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

// ---- Places -------------------------------------------------------------------------------------

Unfolder::Place Unfolder::PlaceOf(const Index& index) {
  Place place;
  AddTo(place, index, 1);
  std::erase_if(place.strides, [](const auto& of) { return of.second == 0; });
  return place;
}

void Unfolder::AddTo(Place& place, const Index& index, std::int64_t factor) {
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
        Computed(Op::kDiv, {Whole(PlaceOf(atom.of)), WholeNumber(atom.by)}, ir::Type::kI32);
    // What is left is all without the quotient.
    place.quotients.emplace_back(quotient,
                                 atom.kind == Atom::Kind::kDiv ? times : -times * atom.by);
  }
}

Expression::Input Unfolder::Whole(const Place& place) {
  Value sum = WholeNumber(place.offset);
  if (!place.strides.empty()) {
    Expression::Node node;
    node.op = Op::kIndex;
    node.type = node.computes = ir::Type::kI32;
    node.offset = place.offset;
    node.strides.assign(place.strides.begin(), place.strides.end());
    sum = NodeOf(std::move(node));
  }
  for (const auto& [quotient, factor] : place.quotients) {
    const Value times = Computed(Op::kMul, {quotient, WholeNumber(factor)}, ir::Type::kI32);
    sum = Computed(Op::kAdd, {sum, times}, ir::Type::kI32);
  }
  return sum;
}

Index Unfolder::NewAxes(const std::vector<std::int64_t>& lengths, std::vector<int>& axes) {
  Index index;
  for (const std::int64_t length : lengths) {
    if (length == 1) continue;  // No axis: the next one has the number that it would have.
    const int axis = static_cast<int>(out_.axes.size());
    index = index * length + Index(IndexVariable::Of(axis, fmt::format("i{}", axis), length));
    out_.axes.push_back({fmt::format("i{}", axis), static_cast<std::uint32_t>(length)});
    axes.push_back(axis);
  }
  return index;
}

}  // namespace exh::functional
