// SPDX-License-Identifier: MIT
#include "tests/functional/oracle/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include "base/check.h"

namespace exh::functional::reference {
namespace {

struct NamedFunction {
  const char* name;
  Function function;
  std::size_t operands;
};

constexpr std::array<NamedFunction, 8> kFunctions = {{
    {"id", Function::kId, 1},
    {"+", Function::kAdd, 2},
    {"-", Function::kSubtract, 2},
    {"*", Function::kMultiply, 2},
    {"/", Function::kDivide, 2},
    {"min", Function::kMin, 2},
    {"max", Function::kMax, 2},
    {"dot", Function::kDot, 2},
}};

std::ptrdiff_t PartsOf(const DataType& type) {
  if (type.kind == DataType::Kind::kScalar || type.kind == DataType::Kind::kVector) return 1;
  std::ptrdiff_t parts = 0;
  for (const TypePtr& item : type.items) parts += PartsOf(*item);
  return parts;
}

/// Those of component `item` of a tuple.
Value PartsOfItem(const Value& tuple, const DataType& type, std::size_t item) {
  std::ptrdiff_t first = 0;
  for (std::size_t i = 0; i < item; ++i) first += PartsOf(*type.items[i]);
  const auto begin = tuple.begin() + first;
  return {begin, begin + PartsOf(*type.items[item])};
}

/// What a map of one element looks at.
Value OnlyOf(Value array) {
  for (Part& part : array) part.dims.erase(part.dims.begin());
  return array;
}

}  // namespace

class Compiler::Binding {
 public:
  Binding(Compiler& compiler, const NodePtr& variable, Value value)
      : compiler_(compiler), variable_(variable.get()) {
    compiler_.bound_[variable_] = std::move(value);
  }
  ~Binding() { compiler_.bound_.erase(variable_); }
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

 private:
  Compiler& compiler_;
  const Node* variable_;
};

Code Compiler::Compile(const ProgramKernel& kernel) {
  kernel_ = kernel.name;
  code_ = Code();
  inputs_.clear();
  slot_levels_.assign(static_cast<std::size_t>(code_.slots), 0);
  const ArrayFacts facts = lengths_.FactsOf(kernel.name, *kernel.result->type);
  code_.result_cells = facts.elements;
  Part result;
  result.slot = Code::kResult;
  result.dims = Contiguous(lengths_.ShapesOf(*kernel.result->type)[0]);
  Loop whole;
  whole.count = 1;
  levels_ = {&whole};
  LookInto(*kernel.result, {result});
  code_.whole = std::move(whole);
  return std::move(code_);
}

Value Compiler::Look(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kInput:
      return Input(node);
    case Node::Kind::kConstant:
      return Constant(node, lengths_.ShapesOf(*node.type));
    case Node::Kind::kVariable: {
      const auto found = bound_.find(&node);
      EXH_CHECK(found != bound_.end());
      return found->second;
    }
    case Node::Kind::kItem:
      return ItemOf(node);
    case Node::Kind::kTuple:
      return LookAtAll(node.inputs);
    case Node::Kind::kMap:
      return Map(node);
    case Node::Kind::kReduce:
      return Reduce(node);
    case Node::Kind::kLet: {
      const Binding binding(*this, node.variables[0], Look(*node.inputs[0]));
      return Look(*node.body);
    }
    case Node::Kind::kUser: {
      Value to = NewMemory(lengths_.ShapesOf(*node.type));
      User(node, to);
      return to;
    }
    case Node::Kind::kView:
      return View(node);
  }
  EXH_UNREACHABLE();
}

void Compiler::LookInto(const Node& node, const Value& to) {
  if (node.kind == Node::Kind::kUser) {
    User(node, to);
  } else if (node.kind == Node::Kind::kMap && node.body->writes) {
    MapInto(node, Look(*node.inputs[0]), to);
  } else if (node.kind == Node::Kind::kLet) {
    const Binding binding(*this, node.variables[0], Look(*node.inputs[0]));
    LookInto(*node.body, to);
  } else if (node.kind == Node::Kind::kTuple) {
    LookIntoAll(node.inputs, to);
  } else {
    EmitCopy(to, Look(node));
  }
}

Value Compiler::LookAtAll(const std::vector<NodePtr>& nodes) {
  Value all;
  for (const NodePtr& node : nodes) {
    Value value = Look(*node);
    std::move(value.begin(), value.end(), std::back_inserter(all));
  }
  return all;
}

void Compiler::LookIntoAll(const std::vector<NodePtr>& nodes, const Value& to) {
  auto next = to.begin();
  for (const NodePtr& node : nodes) {
    const auto end = next + PartsOf(*node->type);
    LookInto(*node, Value(next, end));
    next = end;
  }
}

Value Compiler::Input(const Node& input) {
  lengths_.FactsOf(input.name, *input.type);
  const auto [slot, is_new] = inputs_.try_emplace(input.name, code_.slots);
  if (is_new) {
    code_.inputs.emplace_back(input.name, NewSlot());
    slot_levels_.back() = 0;
  }
  Part part;
  part.slot = slot->second;
  part.dims = Contiguous(lengths_.ShapesOf(*input.type)[0]);
  return {part};
}

Value Compiler::ItemOf(const Node& item) {
  const Node& tuple = *item.inputs[0];
  return PartsOfItem(Look(tuple), *tuple.type, static_cast<std::size_t>(item.item));
}

Value Compiler::Map(const Node& map) {
  const Value array = Look(*map.inputs[0]);
  const auto calculated = [&] {
    Value to = NewMemory(lengths_.ShapesOf(*map.type));
    MapInto(map, array, to);
    return to;
  };
  if (map.body->writes) return calculated();
  try {
    return MapOfViews(map, array);
  } catch (const NoLayout&) {
    // Its elements are copied then, below.
  }
  Value needed = FreeIn(*map.body);
  needed.insert(needed.end(), array.begin(), array.end());
  if (IsMoving(needed)) throw NoLayout{};
  Value to;
  Outside(LevelOf(needed), [&] { to = calculated(); });
  return to;
}

Value Compiler::MapOfViews(const Node& map, const Value& array) {
  const int id = ++maps_of_views_;
  const std::int64_t length = LengthOf(array);
  Value element = array;
  for (Part& part : element) {
    part.moves.push_back({id, part.dims.front()});
    part.dims.erase(part.dims.begin());
  }
  const Binding binding(*this, map.variables[0], std::move(element));
  Value result = Look(*map.body);
  for (Part& part : result) {
    Dim dim = {length, 0, nullptr};  // All elements are the same unless it moves.
    const auto moves = [&](const Move& move) { return move.map == id; };
    const auto found = std::ranges::find_if(part.moves, moves);
    if (found != part.moves.end()) {
      dim = std::move(found->dim);
      part.moves.erase(found);
    }
    part.dims.insert(part.dims.begin(), std::move(dim));
  }
  return result;
}

void Compiler::MapInto(const Node& map, const Value& array, const Value& to) {
  const std::int64_t length = LengthOf(array);
  if (LengthOf(to) != length) Fail("a map does not fit what it is written to");
  if (length == 1) {
    const Binding binding(*this, map.variables[0], OnlyOf(array));
    LookInto(*map.body, OnlyOf(to));
    return;
  }
  Repeat(length, [&](Loop& loop) {
    const Binding binding(*this, map.variables[0], ElementOf(array, loop));
    LookInto(*map.body, ElementOf(to, loop));
  });
}

Value Compiler::Reduce(const Node& reduce) {
  const std::vector<Shape> shapes = lengths_.ShapesOf(*reduce.type);
  Value so_far = NewMemory(shapes);
  LookInto(*reduce.inputs[0], so_far);
  const Value array = Look(*reduce.inputs[1]);
  // A call reads its operands before it writes. All else writes elsewhere, and they are swapped.
  const bool in_place = reduce.body->kind == Node::Kind::kUser;
  const Value next = in_place ? so_far : NewMemory(shapes);
  Repeat(LengthOf(array), [&](Loop& loop) {
    SetLevel(so_far, Level());
    const Binding first(*this, reduce.variables[0], so_far);
    const Binding second(*this, reduce.variables[1], ElementOf(array, loop));
    LookInto(*reduce.body, next);
    for (std::size_t i = 0; i < so_far.size() && !in_place; ++i) {
      Emit(Step::Kind::kSwap).swapped = {so_far[i].slot, next[i].slot};
    }
  });
  SetLevel(so_far, Level());
  return so_far;
}

Operand Compiler::LanesOf(const Node& operand, std::int64_t& lanes) {
  Value value = Look(operand);
  EXH_CHECK(value.size() == 1 && value[0].dims.size() <= 1);
  const bool is_spread = value[0].dims.empty();
  if (!is_spread && value[0].dims[0].places != nullptr) value = Copied(value);
  if (!is_spread) lanes = std::max(lanes, value[0].dims[0].extent);
  return {value[0].slot, value[0].offset, is_spread ? 0 : value[0].dims[0].stride};
}

void Compiler::User(const Node& user, const Value& to) {
  const auto found = std::ranges::find(kFunctions, user.name, &NamedFunction::name);
  if (found == kFunctions.end() || found->operands != user.inputs.size()) {
    Fail(fmt::format("user function '{}' is known by its type alone", user.name));
  }
  Call call;
  call.function = found->function;
  std::array<std::int64_t, 2> lanes = {1, 1};
  call.left = LanesOf(*user.inputs[0], lanes[0]);
  call.right = found->operands == 2 ? LanesOf(*user.inputs[1], lanes[1]) : call.left;
  call.lanes = std::max(lanes[0], lanes[1]);
  const bool has_lanes = !to[0].dims.empty();
  call.result = {to[0].slot, to[0].offset, has_lanes ? to[0].dims[0].stride : 0};
  const bool are_equal = std::ranges::all_of(
      lanes, [&](std::int64_t each) { return each == 1 || each == call.lanes; });
  const std::int64_t room = has_lanes ? to[0].dims[0].extent : 1;
  const bool fits = call.function == Function::kDot ? room == 1 : room == call.lanes;
  if (!are_equal || !fits) Fail(fmt::format("operands of '{}' are of several lengths", user.name));
  Emit(Step::Kind::kCall).call = call;
}

}  // namespace exh::functional::reference
