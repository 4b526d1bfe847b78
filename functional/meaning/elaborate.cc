// SPDX-License-Identifier: MIT
#include "functional/meaning/elaborate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/spelling.h"
#include "functional/meaning/built_ins.h"
#include "functional/meaning/elaborator.h"

namespace exh::functional {

using dsl::Diag;

namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 31;
/// Of all ranges of a parameter together.
constexpr std::int64_t kMostListed = 1'000'000;

bool IsNameOfChoice(const std::string& name) {
  return name[0] >= 'a' && name[0] <= 'z' &&
         std::ranges::none_of(name, [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

Elaborator::Elaborator(const File& file, const Given& given, dsl::DiagnosticSink& sink)
    : file_(file),
      given_(given),
      sink_(sink),
      program_(std::make_unique<Program>()),
      terms_(program_->terms) {}

std::unique_ptr<Program> Elaborator::Run() {
  Declare();
  for (const Statement& statement : file_.statements) {
    Look(statement);
    ++now_;
    if (too_large_) break;
  }
  if (program_->kernels.empty() && !sink_.has_errors()) {
    sink_.Report(Diag::kFunNoKernel, {file_.file, 0, 0},
                 "the program has no kernel: add kernel name = what is to be calculated");
  }
  if (sink_.has_errors()) return nullptr;
  return std::move(program_);
}

void Elaborator::Declare() {
  for (int i = 0; const Statement& statement : file_.statements) {
    Global global;
    global.statement = i++;
    switch (statement.kind) {
      case Statement::Kind::kRequire:
        continue;
      case Statement::Kind::kSize:
        global.kind = Global::Kind::kSize;
        break;
      case Statement::Kind::kParam:
        global.kind = Global::Kind::kParameter;
        break;
      case Statement::Kind::kLimit:
        global.kind = Global::Kind::kLimit;
        break;
      case Statement::Kind::kDef:
        global.kind = Global::Kind::kDef;
        break;
      case Statement::Kind::kUser:
        global.kind = Global::Kind::kUser;
        break;
      case Statement::Kind::kInput:
      case Statement::Kind::kKernel:
        global.kind = Global::Kind::kData;
        break;
    }
    const std::string& name = statement.name.text;
    if (IsBuiltIn(name)) {
      Fail(Diag::kFunNameTaken, statement.name.range,
           fmt::format("'{}' is a function of the language", name));
      continue;
    }
    const auto [found, is_new] = globals_.try_emplace(name, std::move(global));
    if (is_new) continue;
    const Statement& first = file_.statements[static_cast<std::size_t>(found->second.statement)];
    sink_
        .Report(Diag::kFunNameTaken, statement.name.range,
                fmt::format("there is already a '{}'", name))
        .WithNote(first.name.range, fmt::format("'{}' is stated here", name));
  }
  std::vector<std::string> legal;
  for (const auto& [name, global] : globals_) {
    const bool has_value = global.kind == Global::Kind::kSize ||
                           global.kind == Global::Kind::kParameter ||
                           global.kind == Global::Kind::kLimit;
    if (has_value) legal.push_back(name);
  }
  for (const auto& [name, value] : given_) {
    if (std::ranges::find(legal, name) != legal.end()) continue;
    Fail(Diag::kFunUnknownName, {file_.file, 0, 0},
         fmt::format("--size: nothing with a value is called '{}'{}", name,
                     DidYouMean(name, legal)));
  }
}

std::optional<std::int64_t> Elaborator::GivenFor(const std::string& name) const {
  const auto found = given_.find(name);
  return found == given_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> Elaborator::NumberOf(const Expr& expr, const char* what) {
  const ElaboratedValue value = Look(expr, nullptr);
  if (value.kind == ElaboratedValue::Kind::kNone) return std::nullopt;
  const auto number =
      value.kind == ElaboratedValue::Kind::kNumber ? value.number.AsNumber() : std::nullopt;
  if (!number || *number < 0 || *number > kLargest) {
    Fail(Diag::kFunNumber, expr.range,
         fmt::format("{} is a whole number from 0 to 2^31, of numbers and sizes alone; this is {}",
                     what, TextOf(value)));
    return std::nullopt;
  }
  return number;
}

void Elaborator::Look(const Statement& statement) {
  const std::string& name = statement.name.text;
  const auto declared = globals_.find(name);
  Global* const global = declared == globals_.end() ? nullptr : &declared->second;
  switch (statement.kind) {
    case Statement::Kind::kSize: {
      const auto number = NumberOf(*statement.value, "a size");
      if (!number || global == nullptr) return;
      const std::int64_t value = GivenFor(name).value_or(*number);
      program_->sizes.emplace_back(name, value);
      global->value = NumberValue(Terms::Number(value), statement.name.range);
      break;
    }
    case Statement::Kind::kParam:
      LookAtParameter(statement);
      break;
    case Statement::Kind::kLimit:
      LookAtLimit(statement);
      break;
    case Statement::Kind::kRequire: {
      const ElaboratedValue left = Look(*statement.value, nullptr),
                            right = Look(*statement.right, nullptr);
      for (const auto& [side, expr] :
           {std::pair(&left, &statement.value), {&right, &statement.right}}) {
        if (side->kind == ElaboratedValue::Kind::kNone) return;
        if (side->kind == ElaboratedValue::Kind::kNumber) continue;
        Fail(Diag::kFunType, (*expr)->range,
             fmt::format("numbers are compared, not {}", TextOf(*side)));
        return;
      }
      ProgramRequirement said;
      said.label = name;
      said.left = left.number;
      said.op = statement.op;
      said.right = right.number;
      said.why = "require " + name;
      said.range = statement.range;
      Require(std::move(said), Diag::kFunNever);
      break;
    }
    case Statement::Kind::kDef:
      break;  // Looked at where it is used.
    case Statement::Kind::kUser: {
      if (global == nullptr) return;
      auto user = std::make_shared<ElaboratedFunction>();
      user->kind = ElaboratedFunction::Kind::kUser;
      user->name = name;
      user->user = &statement;
      global->value.kind = ElaboratedValue::Kind::kFunction;
      global->value.function = std::move(user);
      std::vector<TypeExprPtr> types = statement.types;
      types.push_back(statement.type);
      for (const TypeExprPtr& each : types) {
        const TypePtr type = TypeOf(*each);
        if (type == nullptr || type->kind == DataType::Kind::kScalar ||
            type->kind == DataType::Kind::kVector) {
          continue;
        }
        Fail(Diag::kFunType, each->range,
             fmt::format("a user function calculates with scalars, not with {}", TypeText(*type)));
      }
      break;
    }
    case Statement::Kind::kInput: {
      TypePtr type = TypeOf(*statement.type);
      if (type == nullptr || global == nullptr) return;
      auto node = std::make_shared<Node>();
      node->kind = Node::Kind::kInput;
      node->name = name;
      const bool is_scalar = type->kind == DataType::Kind::kScalar;
      node->spaces.space = is_scalar ? MemorySpace::kPrivate : MemorySpace::kGlobal;
      node->type = std::move(type);
      node->range = statement.name.range;
      global->value = DataValue(std::move(node));
      break;
    }
    case Statement::Kind::kKernel:
      LookAtKernel(statement);
      break;
  }
}

void Elaborator::LookAtLimit(const Statement& statement) {
  const auto number = NumberOf(*statement.value, "a limit");
  const std::string& word = statement.name.text;
  const std::vector<std::string> legal(kLimits.begin(), kLimits.end());
  if (std::ranges::find(legal, word) == legal.end()) {
    Fail(Diag::kFunUnknownName, statement.name.range, UnknownName("limit", word, legal));
    return;
  }
  if (!number) return;
  program_->limits.push_back({word, GivenFor(word).value_or(*number), statement.name.range});
}

void Elaborator::LookAtParameter(const Statement& statement) {
  ProgramParameter parameter;
  parameter.name = statement.name.text;
  parameter.range = statement.name.range;
  parameter.is_inferred = statement.ranges.empty();
  const bool is_taken = IsWordOfExh(parameter.name);
  if (is_taken || !IsNameOfChoice(parameter.name)) {
    Fail(Diag::kFunNameTaken, parameter.range,
         is_taken ? fmt::format("'{}' is a word of .exh, and parameters become choices there",
                                parameter.name)
                  : fmt::format("parameters become choices of .exh, whose names begin with a small "
                                "letter and have no capitals: '{}'",
                                parameter.name));
    return;
  }
  for (const NumberRange& range : statement.ranges) {
    const auto first = NumberOf(*range.first, "a value of a parameter");
    const auto last = range.last ? NumberOf(*range.last, "a value of a parameter") : first;
    if (!first || !last) return;
    const dsl::SourceRange place = range.last ? range.last->range : range.first->range;
    if (*first > *last || (!parameter.values.empty() && *first <= parameter.values.back())) {
      Fail(Diag::kFunParam, place,
           fmt::format(
               "values of a parameter ascend: {} .. {}{}", *first, *last,
               parameter.values.empty() ? "" : fmt::format(" after {}", parameter.values.back())));
      return;
    }
    if (*last - *first >= kMostListed) {
      Fail(Diag::kFunParam, place,
           fmt::format("a parameter has at most 4096 values; this range alone has {}",
                       *last - *first + 1));
      return;
    }
    for (std::int64_t value = *first; value <= *last; ++value) parameter.values.push_back(value);
  }
  if (const auto given = GivenFor(parameter.name)) {
    const bool fits = parameter.is_inferred
                          ? *given >= 1
                          : std::ranges::find(parameter.values, *given) != parameter.values.end();
    if (!fits) {
      Fail(Diag::kFunParam, parameter.range,
           fmt::format("--size {}={}: it is none of the parameter's values", parameter.name,
                       *given));
      return;
    }
    parameter.values = {*given};
    parameter.is_inferred = false;
  }
  Global& global = globals_.at(parameter.name);
  global.value = NumberValue(terms_.Parameter(parameter.name), parameter.range);
  terms_.SetBounds(parameter.name, parameter.is_inferred
                                       ? Bounds{1, static_cast<double>(kLargest)}
                                       : Bounds{static_cast<double>(parameter.values.front()),
                                                static_cast<double>(parameter.values.back())});
  program_->parameters.push_back(std::move(parameter));
}

void Elaborator::LookAtKernel(const Statement& statement) {
  const ElaboratedValue value = Look(*statement.value, nullptr);
  if (value.kind == ElaboratedValue::Kind::kNone) return;
  const NodePtr node = DataOf(value, statement.value->head);
  if (node == nullptr) return;
  if (statement.type) {
    const TypePtr type = TypeOf(*statement.type);
    if (type == nullptr ||
        !AreSame(*node->type, *type, "what the kernel yields and its type", statement.name.range)) {
      return;
    }
  }
  if (!node->writes) {
    Fail(Diag::kFunWritesNothing, statement.name.range,
         fmt::format("kernel '{}' writes nothing: there is no user function in it; map(id, …) "
                     "copies",
                     statement.name.text));
    return;
  }
  if (node->spaces.Only() != MemorySpace::kGlobal && !Retarget(node, MemorySpace::kGlobal)) {
    Fail(
        Diag::kFunWritesNothing, statement.name.range,
        fmt::format("what kernel '{}' yields must lie in global memory: a reduction lies where its "
                    "initial value does, so copy it, toGlobal(id(…))",
                    statement.name.text));
    return;
  }
  if (node->spaces.Only() != MemorySpace::kGlobal) {
    Fail(Diag::kFunWritesNothing, statement.name.range,
         fmt::format("a part of what kernel '{}' yields is not in global memory: copy it, "
                     "toGlobal(id(…))",
                     statement.name.text));
    return;
  }
  program_->kernels.push_back({statement.name.text, node, statement.name.range});
  auto result = std::make_shared<Node>();
  result->kind = Node::Kind::kInput;
  result->name = statement.name.text;
  result->type = node->type;
  result->spaces.space = MemorySpace::kGlobal;
  result->range = statement.name.range;
  const auto global = globals_.find(statement.name.text);
  if (global != globals_.end()) global->second.value = DataValue(std::move(result));
}

TypePtr Elaborator::TypeOf(const TypeExpr& written) {
  DataType type;
  if (written.kind == TypeExpr::Kind::kScalar) {
    if (written.name != "float" && written.name != "int") {
      Fail(
          Diag::kFunType, written.range,
          fmt::format("there is no type '{}': float, int, vector(float, 4), [float]n, (float, int)",
                      written.name));
      return nullptr;
    }
    type.scalar = written.name;
    return std::make_shared<const DataType>(std::move(type));
  }
  std::vector<TypePtr> items;
  for (const TypeExprPtr& item : written.items) {
    items.push_back(TypeOf(*item));
    if (items.back() == nullptr) return nullptr;
  }
  if (written.kind == TypeExpr::Kind::kTuple) {
    type.kind = DataType::Kind::kTuple;
    type.items = std::move(items);
    return std::make_shared<const DataType>(std::move(type));
  }
  const ElaboratedValue length = Look(*written.length, nullptr);
  if (length.kind == ElaboratedValue::Kind::kNone) return nullptr;
  if (length.kind != ElaboratedValue::Kind::kNumber) {
    Fail(Diag::kFunType, written.length->range,
         fmt::format("a length is a number over sizes and parameters, not {}", TextOf(length)));
    return nullptr;
  }
  ProgramRequirement positive;
  positive.label = "length";
  positive.left = length.number;
  positive.op = ">=";
  positive.right = Terms::Number(1);
  positive.why = "a length";
  positive.range = written.length->range;
  if (!Require(std::move(positive), Diag::kFunLength)) return nullptr;
  if (written.kind == TypeExpr::Kind::kArray) return ArrayType(items[0], length.number);
  if (items[0]->kind != DataType::Kind::kScalar) {
    Fail(Diag::kFunType, written.range, "a vector is made of scalars");
    return nullptr;
  }
  type.kind = DataType::Kind::kVector;
  type.scalar = items[0]->scalar;
  type.length = length.number;
  return std::make_shared<const DataType>(std::move(type));
}

std::unique_ptr<Program> Elaborate(const File& file, const Given& given,
                                   dsl::DiagnosticSink& sink) {
  return Elaborator(file, given, sink).Run();
}

}  // namespace exh::functional
