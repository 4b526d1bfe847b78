// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <utility>

#include "functional/code/lowerer.h"

namespace exh::functional {
namespace {

using kernels::ir::Relation;

std::string FloatText(double number) {
  std::string text = fmt::format("{:.9g}", number);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text + "f";
}

const Readable* Bound(const Binding* binding, const Node* variable) {
  for (; binding != nullptr; binding = binding->outer.get()) {
    if (binding->variable == variable) return binding->value.get();
  }
  return nullptr;
}

}  // namespace

std::string Lowerer::Read(const ReadablePtr& value, Path path) {
  if (value->node != nullptr) return Resolve(*value->node, value->variables, std::move(path));
  if (value->array != nullptr) {
    path.push_back({value->index, -1});
    return Read(value->array, std::move(path));
  }
  return ReadWritten(*value, path);
}

/// What was written, and perhaps is being replaced.
std::string Lowerer::ReadWritten(const Readable& value, const Path& path) {
  const Place place = value.target(path);
  if (place.storage->kernel >= 0 && place.storage->kernel != kernel_) {
    throw Unlowerable(
        "what one kernel keeps in the memory of threads or groups, a later one reads");
  }
  read_.push_back(place);
  if (place.leaf->space == MemorySpace::kPrivate) NotePrivate(place);
  if (value.is_accumulator && stored_ != place) {
    for (Accumulator& accumulator : accumulators_) {
      const auto found = state_.made.find(accumulator.variable);
      if (found != state_.made.end() && found->second.get() == &value) {
        accumulator.is_read_elsewhere = true;
      }
    }
  }
  CountAccess(place, false);
  const bool is_private = place.leaf->space == MemorySpace::kPrivate;
  if (vectors_ == nullptr || is_private) return place.Text();
  return vectors_->Read(place, conditions_);
}

std::string Lowerer::Resolve(const Node& node, const BindingPtr& variables, Path path) {
  if (const auto made = state_.made.find(&node); made != state_.made.end()) {
    return Read(made->second, std::move(path));
  }
  switch (node.kind) {
    case Node::Kind::kConstant:
      return NumberOf(node);
    case Node::Kind::kVariable: {
      const Readable* const value = Bound(variables.get(), &node);
      if (value == nullptr) Refuse(node, "a variable is used where nothing is bound to it");
      return Read(ReadablePtr(ReadablePtr(), value), std::move(path));
    }
    case Node::Kind::kItem:
      path.push_back({{}, node.item});
      return Resolve(*node.inputs[0], variables, std::move(path));
    case Node::Kind::kTuple: {
      const int item = path.back().item;
      path.pop_back();
      return Resolve(*node.inputs[static_cast<std::size_t>(item)], variables, std::move(path));
    }
    case Node::Kind::kMap: {
      auto element = std::make_shared<Readable>();
      element->array = std::make_shared<Readable>(Readable{.node = node.inputs[0].get(),
                                                           .variables = variables,
                                                           .array = {},
                                                           .index = {},
                                                           .target = {}});
      element->index = std::move(path.back().index);
      path.pop_back();
      const auto inner =
          std::make_shared<Binding>(Binding{node.variables[0].get(), element, variables});
      return Resolve(*node.body, inner, std::move(path));
    }
    case Node::Kind::kLet:
      return Resolve(*node.body, variables, std::move(path));
    case Node::Kind::kUser:
      return Calculated(node, variables, path);
    case Node::Kind::kView:
      break;
    case Node::Kind::kInput:
      return Read(by_name_.at(node.name), std::move(path));
    case Node::Kind::kReduce:
      Refuse(node, "it is read before it is written");
  }
  if (node.name == "zip") {
    ValueStep index = std::move(path.back());
    path.pop_back();
    const int item = path.back().item;
    path.back() = std::move(index);
    return Resolve(*node.inputs[static_cast<std::size_t>(item)], variables, std::move(path));
  }
  if (node.name != "pad") {
    return Resolve(*node.inputs[0], variables, PathIntoInput(node, std::move(path), numbers()));
  }
  const std::int64_t length = Number(node.inputs[0]->type->length);
  Index& index = path.back().index;
  index = index + Index(-Number(node.arguments[0]));
  Condition condition;
  if (index.min() < 0) condition = {index, Relation::kAtLeast, 0};
  if (index.max() >= length) condition = condition && Condition(index, Relation::kLess, length);
  index = index.Within(length);
  conditions_.push_back(condition);
  const std::string inside = Resolve(*node.inputs[0], variables, std::move(path));
  conditions_.pop_back();
  if (condition.always()) return inside;
  return fmt::format("({} ? {} : {})", condition.Text(), inside, NumberOf(node));
}

std::string Lowerer::NumberOf(const Node& node) {
  return FloatText(node.number ? static_cast<double>(Number(*node.number)) : node.real);
}

std::string Lowerer::Calculated(const Node& user, const BindingPtr& variables, const Path& path) {
  const auto operand = [&](std::size_t i, const Path& lane) {
    return Resolve(*user.inputs[i], variables, lane);
  };
  const std::string& name = user.name;
  if (name == "id") return operand(0, path);
  if (user.inputs.size() == 2) {
    if (name == "dot") {
      const Node& vector =
          *user.inputs[user.inputs[0]->type->kind == DataType::Kind::kVector ? 0 : 1];
      if (vector.type->kind != DataType::Kind::kVector) {
        return fmt::format("({} * {})", operand(0, path), operand(1, path));
      }
      CountSteps(static_cast<double>(Number(vector.type->length)));
      std::string sum;
      for (std::int64_t lane = 0; lane < Number(vector.type->length); ++lane) {
        const Path at = {{Index(lane), -1}};
        sum += fmt::format("{}{} * {}", sum.empty() ? "" : " + ", operand(0, at), operand(1, at));
      }
      return "(" + sum + ")";
    }
    // What is replaced, if anything, is the first operand: its loops are known then.
    const std::string first = operand(0, path), second = operand(1, path);
    // A product is one instruction with the sum that it is added to.
    CountSteps(name == "*" ? 0.5 : name == "/" ? 8 : 1);
    if (name == "min" || name == "max") {
      (name == "min" ? state_.calls.min : state_.calls.max) = true;
      return fmt::format("exh_{}({}, {})", name, first, second);
    }
    if (name == "+" || name == "-" || name == "*" || name == "/") {
      return fmt::format("({} {} {})", first, name, second);
    }
  }
  Refuse(user, fmt::format("what '{}' calculates is not known: of a user function the program has "
                           "the type alone; a 'def' says what it is",
                           name));
}

}  // namespace exh::functional
