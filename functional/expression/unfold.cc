// SPDX-License-Identifier: MIT
#include "functional/expression/unfold.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "functional/expression/expression.h"

namespace exh::functional {
namespace {

using kernels::ir::Op;

/// Of nodes: what rounds that are told one by one may come to.
constexpr std::size_t kMostNodes = 1 << 18;

/// Of a dimension, the outermost 0. Null: there is none that is known.
const Term* LengthAt(const DataType& type, int dimension) {
  const DataType* at = &type;
  for (; dimension > 0 && at->kind == DataType::Kind::kArray; --dimension) at = at->items[0].get();
  const bool has_length = at->kind == DataType::Kind::kArray || at->kind == DataType::Kind::kVector;
  return dimension == 0 && has_length ? &at->length : nullptr;
}

std::int64_t Product(const std::vector<std::int64_t>& factors) {
  return std::accumulate(factors.begin(), factors.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

void Unfolder::AddKernel(const ProgramKernel& kernel) {
  kernel_ = kernel.name;
  Stored& stored = stored_.at(kernel.name);
  Path path;
  Index element;
  std::int64_t stride = 1;
  for (std::size_t i = stored.extents.size(); i-- > 0; stride *= stored.extents[i]) {
    std::vector<std::int64_t> factors = FactorsOf(*kernel.result, nullptr, static_cast<int>(i));
    if (Product(factors) != stored.extents[i]) factors = {stored.extents[i]};
    std::vector<int> axes;
    path.push_back({out_.NewAxes(factors, axes), -1});
    element = element + path.back().index * stride;
  }
  const Value value = Of(*kernel.result, nullptr, path);
  stored.store = out_.Store(stored.array, value, element, true);
}

Unfolder::Value Unfolder::Of(const Node& node, const Scope* scope, Path path) {
  switch (node.kind) {
    case Node::Kind::kConstant:
      return {-1, NumberOf(node), "", kernels::ir::Type::kF32};
    case Node::Kind::kVariable:
      return OfVariable(node, scope, std::move(path));
    case Node::Kind::kItem:
      path.push_back({{}, node.item});
      return Of(*node.inputs[0], scope, std::move(path));
    case Node::Kind::kTuple: {
      const auto item = static_cast<std::size_t>(path.back().item);
      path.pop_back();
      return Of(*node.inputs[item], scope, std::move(path));
    }
    default:
      break;
  }
  const std::tuple question(&node, scope, path);
  if (const auto found = known_.find(question); found != known_.end()) return found->second;
  const Value value = Find(node, scope, std::move(path));
  known_.emplace(question, value);
  return value;
}

Unfolder::Value Unfolder::Find(const Node& node, const Scope* scope, Path path) {
  switch (node.kind) {
    case Node::Kind::kMap: {
      const Scope* const inner = Bind({node.variables[0].get(), Scope::Kind::kElement,
                                       node.inputs[0].get(), scope, path.back().index, 0, scope});
      path.pop_back();
      return Of(*node.body, inner, std::move(path));
    }
    case Node::Kind::kLet: {
      const Scope* const inner = Bind({node.variables[0].get(),
                                       Scope::Kind::kValue,
                                       node.inputs[0].get(),
                                       scope,
                                       {},
                                       0,
                                       scope});
      return Of(*node.body, inner, std::move(path));
    }
    case Node::Kind::kUser:
      return OfUser(node, scope, path);
    case Node::Kind::kReduce:
      return OfReduction(node, scope, path);
    case Node::Kind::kInput:
      return Loaded(node.name, path);
    default:
      break;
  }
  EXH_CHECK(node.kind == Node::Kind::kView);
  if (node.name == "pad") return OfPad(node, scope, std::move(path));
  if (node.name == "zip") {
    ValueStep index = std::move(path.back());
    path.pop_back();
    const auto item = static_cast<std::size_t>(path.back().item);
    path.back() = std::move(index);
    return Of(*node.inputs[item], scope, std::move(path));
  }
  const auto number = [this](const Term& term) { return Number(term); };
  return Of(*node.inputs[0], scope, PathIntoInput(node, std::move(path), number));
}

Unfolder::Value Unfolder::OfVariable(const Node& variable, const Scope* scope, Path path) {
  while (scope != nullptr && scope->variable != &variable) scope = scope->outer;
  EXH_CHECK(scope != nullptr);
  if (scope->kind == Scope::Kind::kSoFar && scope->round >= 0) {
    return After(*scope->node, scope->around, scope->round, path);
  }
  if (scope->kind == Scope::Kind::kSoFar) {
    Try& of = tries_[static_cast<std::size_t>(-1 - scope->round)];
    of.has_failed = of.has_failed || path != of.path;
    return {of.node, 0, "", kernels::ir::Type::kF32};
  }
  if (scope->kind == Scope::Kind::kElement) path.push_back({scope->index, -1});
  return Of(*scope->node, scope->around, std::move(path));
}

Unfolder::Value Unfolder::OfUser(const Node& user, const Scope* scope, const Path& path) {
  const auto operand = [&](std::size_t i, const Path& lane) {
    const Node& of = *user.inputs[i];
    // What is no vector is the same in all lanes.
    return Of(of, scope, of.type->kind == DataType::Kind::kVector ? lane : Path());
  };
  const std::string& name = user.name;
  if (name == "id" && user.inputs.size() == 1) return operand(0, path);
  static const std::map<std::string, Op> kOps = {{"+", Op::kAdd},   {"-", Op::kSub},
                                                 {"*", Op::kMul},   {"/", Op::kDiv},
                                                 {"min", Op::kMin}, {"max", Op::kMax}};
  const auto found = kOps.find(name);
  if (user.inputs.size() == 2 && found != kOps.end()) {
    return out_.Computed(found->second, {operand(0, path), operand(1, path)});
  }
  if (user.inputs.size() != 2 || name != "dot") {
    Fail(fmt::format("user function '{}' is known by its type alone", name));
  }
  const Node& vector = *user.inputs[user.inputs[0]->type->kind == DataType::Kind::kVector ? 0 : 1];
  std::vector<int> axes;
  Path lane;
  if (vector.type->kind == DataType::Kind::kVector) {
    lane.push_back({out_.NewAxes({Number(vector.type->length)}, axes), -1});
  }
  const Value product = out_.Computed(Op::kMul, {operand(0, lane), operand(1, lane)});
  return axes.empty() ? product : out_.Gathered(Op::kAdd, product, axes, {-1, 0});
}

Unfolder::Value Unfolder::OfPad(const Node& pad, const Scope* scope, Path path) {
  const std::int64_t length = Number(pad.inputs[0]->type->length);
  const Index index = path.back().index - Index(Number(pad.arguments[0]));
  path.back().index = index.Within(length);
  const Value inside = Of(*pad.inputs[0], scope, std::move(path));
  return out_.Guarded(inside, index, length, NumberOf(pad));
}

// ---- Reductions ---------------------------------------------------------------------------------

const Unfolder::Scope* Unfolder::InStep(const Node& reduce, const Scope* scope, int round,
                                        Index element) {
  const Scope* const so_far =
      Bind({reduce.variables[0].get(), Scope::Kind::kSoFar, &reduce, scope, Index(), round, scope});
  return Bind({reduce.variables[1].get(), Scope::Kind::kElement, reduce.inputs[1].get(), scope,
               std::move(element), 0, so_far});
}

Unfolder::Value Unfolder::After(const Node& reduce, const Scope* scope, int rounds,
                                const Path& path) {
  if (rounds == 0) return Of(*reduce.inputs[0], scope, path);
  if (out_.so_far().nodes.size() > kMostNodes) {
    Fail("a reduction that is no sum, product or extreme has too many rounds to be calculated");
  }
  return Of(*reduce.body, InStep(reduce, scope, rounds - 1, Index(rounds - 1)), path);
}

Unfolder::Value Unfolder::OfReduction(const Node& reduce, const Scope* scope, const Path& path) {
  const std::int64_t length = Number(reduce.inputs[1]->type->length);
  if (length > 1) {
    if (const std::optional<Value> sum = AsSum(reduce, scope, path)) return *sum;
  }
  Value value;
  // From the first one on: each finds those before it.
  for (int round = 1; round <= length; ++round) value = After(reduce, scope, round, path);
  return value;
}

std::optional<Unfolder::Value> Unfolder::AsSum(const Node& reduce, const Scope* scope,
                                               const Path& path) {
  std::vector<std::int64_t> factors = FactorsOf(*reduce.inputs[1], scope, 0);
  const std::int64_t length = Number(reduce.inputs[1]->type->length);
  if (Product(factors) != length) factors = {length};
  std::vector<int> axes;
  Index element = out_.NewAxes(factors, axes);
  const int so_far = out_.Apart();
  const int round = -1 - static_cast<int>(tries_.size());
  tries_.push_back({path, so_far});
  const Value step = Of(*reduce.body, InStep(reduce, scope, round, std::move(element)), path);
  if (tries_[static_cast<std::size_t>(-1 - round)].has_failed || step.is_number()) return {};
  const Expression::Node node = out_.node(step.node);
  const auto is_free = [&](const Value& of) {
    return of.is_number() || !out_.ComesOf(of.node, so_far);
  };
  const auto init = [&] { return Of(*reduce.inputs[0], scope, path); };
  if (node.is_reduction()) {  // It goes on from what there is so far.
    const bool adds = node.op == Op::kAdd || node.op == Op::kMad;
    if (node.init != so_far || !adds || !std::ranges::all_of(node.inputs, is_free)) return {};
    const Value term = node.op == Op::kMad ? out_.Computed(Op::kMul, node.inputs) : node.inputs[0];
    axes.insert(axes.end(), node.reduced.begin(), node.reduced.end());
    return out_.Gathered(Op::kAdd, term, std::move(axes), init());
  }
  if (node.inputs.size() != 2) return {};
  const std::size_t which = node.inputs[0].node == so_far ? 0 : 1;
  const Value& other = node.inputs[1 - which];
  if (node.inputs[which].node != so_far || !is_free(other)) return {};
  switch (node.op) {
    case Op::kAdd:
    case Op::kMul:
    case Op::kMin:
    case Op::kMax:
      return out_.Gathered(node.op, other, std::move(axes), init());
    case Op::kSub:
      if (which != 0) return {};
      return out_.Gathered(Op::kAdd, out_.Computed(Op::kNeg, {other}), std::move(axes), init());
    default:
      return {};
  }
}

// ---- Factors of lengths -------------------------------------------------------------------------

std::vector<std::int64_t> Unfolder::FactorsOf(const Node& node, const Scope* scope, int dimension,
                                              std::vector<int> items) {
  switch (node.kind) {
    case Node::Kind::kVariable: {
      const Scope* of = scope;
      while (of != nullptr && of->variable != &node) of = of->outer;
      if (of == nullptr || of->kind == Scope::Kind::kSoFar) break;
      const bool is_element = of->kind == Scope::Kind::kElement;
      return FactorsOf(*of->node, of->around, dimension + (is_element ? 1 : 0), std::move(items));
    }
    case Node::Kind::kItem:
      items.push_back(node.item);
      return FactorsOf(*node.inputs[0], scope, dimension, std::move(items));
    case Node::Kind::kTuple: {
      if (items.empty()) break;
      const auto item = static_cast<std::size_t>(items.back());
      items.pop_back();
      return FactorsOf(*node.inputs[item], scope, dimension, std::move(items));
    }
    case Node::Kind::kMap:
      if (dimension == 0) return FactorsOf(*node.inputs[0], scope, 0);
      return FactorsOf(*node.body,
                       Bind({node.variables[0].get(), Scope::Kind::kElement, node.inputs[0].get(),
                             scope, Index(), 0, scope}),
                       dimension - 1, std::move(items));
    case Node::Kind::kLet:
      return FactorsOf(*node.body,
                       Bind({node.variables[0].get(), Scope::Kind::kValue, node.inputs[0].get(),
                             scope, Index(), 0, scope}),
                       dimension, std::move(items));
    case Node::Kind::kView:
      if (std::vector<std::int64_t> factors = FactorsOfView(node, scope, dimension, items);
          !factors.empty()) {
        return factors;
      }
      break;
    default:
      break;
  }
  const Term* const length = LengthAt(*node.type, dimension);
  if (length == nullptr) return {};
  return {Number(*length)};
}

std::vector<std::int64_t> Unfolder::FactorsOfView(const Node& view, const Scope* scope,
                                                  int dimension, std::vector<int> items) {
  const std::string& name = view.name;
  const auto of_input = [&](int of) { return FactorsOf(*view.inputs[0], scope, of, items); };
  if (name == "zip") {
    if (dimension > 0) {
      if (items.empty()) return {};
      const auto item = static_cast<std::size_t>(items.back());
      items.pop_back();
      return FactorsOf(*view.inputs[item], scope, dimension, std::move(items));
    }
    std::vector<std::int64_t> most;
    for (const NodePtr& input : view.inputs) {
      std::vector<std::int64_t> factors = FactorsOf(*input, scope, 0);
      if (factors.size() > most.size()) most = std::move(factors);
    }
    return most;
  }
  if (name == "transpose") return of_input(dimension < 2 ? 1 - dimension : dimension);
  if (name == "join" || name == "asScalar") {
    if (dimension > 0) return of_input(dimension + 1);
    std::vector<std::int64_t> factors = of_input(0);
    const std::vector<std::int64_t> inner = of_input(1);
    factors.insert(factors.end(), inner.begin(), inner.end());
    return factors;
  }
  if (name == "split" || name == "asVector") {
    if (dimension > 1) return of_input(dimension - 1);
    const std::vector<std::int64_t> factors = of_input(0);
    std::int64_t left = Number(view.type->items[0]->length);
    auto first = factors.end();
    while (first != factors.begin() && left > 1 && left % *(first - 1) == 0) left /= *--first;
    if (left > 1) return {};
    return dimension == 0 ? std::vector(factors.begin(), first) : std::vector(first, factors.end());
  }
  if (name == "reorder" && dimension == 0) {  // By all or by one: nothing moves.
    const std::int64_t step = Number(view.arguments[0]), length = Number(view.type->length);
    return step == 1 || step == length ? of_input(0) : std::vector<std::int64_t>();
  }
  if (name == "slide") return dimension > 1 ? of_input(dimension - 1) : std::vector<std::int64_t>();
  return dimension > 0 ? of_input(dimension) : std::vector<std::int64_t>();  // pad
}

// ---- Numbers ------------------------------------------------------------------------------------

std::int64_t Unfolder::Number(const Term& term) const {
  if (const auto number = program_.terms.Evaluate(term, parameters_)) return *number;
  Fail(
      fmt::format("{} has no value: a division by 0, one with a rest, or a number that is too "
                  "large",
                  program_.terms.Text(term)));
}

float Unfolder::NumberOf(const Node& node) const {
  return static_cast<float>(node.number ? static_cast<double>(Number(*node.number)) : node.real);
}

void Unfolder::Fail(const std::string& message) const {
  throw Error(fmt::format("kernel '{}': {}", kernel_, message));
}

}  // namespace exh::functional
