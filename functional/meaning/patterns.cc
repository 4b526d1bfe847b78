// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "functional/meaning/built_ins.h"
#include "functional/meaning/elaborator.h"

namespace exh::functional {

using dsl::Diag;

namespace {

struct BuiltIn {
  const char* name;
  std::size_t least, most;  ///< Arguments.
  const char* shape;        ///< How it is written.
};

constexpr std::array<BuiltIn, 24> kBuiltIns = {{
    {"map", 2, 2, "map(f, x)"},
    {"mapSeq", 2, 2, "mapSeq(f, x)"},
    {"mapWrg", 3, 3, "mapWrg(dimension, f, x)"},
    {"mapLcl", 3, 3, "mapLcl(dimension, f, x)"},
    {"mapGlb", 3, 3, "mapGlb(dimension, f, x)"},
    {"reduce", 3, 3, "reduce(initial, f, x)"},
    {"reduceSeq", 3, 3, "reduceSeq(initial, f, x)"},
    {"zip", 2, 8, "zip(x, y)"},
    {"split", 2, 2, "split(m, x)"},
    {"join", 1, 1, "join(x)"},
    {"slide", 3, 3, "slide(size, step, x)"},
    {"slideStrict", 3, 3, "slideStrict(size, step, x)"},
    {"transpose", 1, 1, "transpose(x)"},
    {"pad", 4, 4, "pad(before, after, value, x)"},
    {"reorder", 2, 2, "reorder(stride, x)"},
    {"asVector", 2, 2, "asVector(v, x)"},
    {"asScalar", 1, 1, "asScalar(x)"},
    {"toGlobal", 1, 9, "toGlobal(x)"},
    {"toLocal", 1, 9, "toLocal(x)"},
    {"toPrivate", 1, 9, "toPrivate(x)"},
    {"id", 1, 1, "id(x)"},
    {"fill", 2, 2, "fill(n, value)"},
    {"dot", 2, 2, "dot(x, y)"},
    {"min", 2, 2, "min(x, y)"},
}};
constexpr BuiltIn kMax = {"max", 2, 2, "max(x, y)"};

const BuiltIn& FindBuiltIn(std::string_view name) {
  const auto found = std::ranges::find(kBuiltIns, name, &BuiltIn::name);
  return found == kBuiltIns.end() ? kMax : *found;
}

/// The code of a map that is told how to run (docs/lift.md), without its dimension; -1: open.
int CodeOf(std::string_view name) {
  if (name == "mapSeq") return 0;
  if (name == "mapLcl") return 10;
  if (name == "mapWrg") return 20;
  if (name == "mapGlb") return 30;
  return -1;
}

/// Words of `.exh` that are no names there.
constexpr std::array<std::string_view, 27> kWordsOfExh = {
    "alias", "antisymmetric", "base",    "counter",  "define",   "disjoint", "end",
    "enum",  "false",         "forall",  "half",     "integer",  "internal", "is",
    "mul",   "not",           "of",      "quotient", "requires", "set",      "subsetof",
    "sum",   "symmetric",     "trigger", "true",     "value",    "when"};

constexpr int kMostMaps = 20'000;

}  // namespace

const std::vector<std::string>& BuiltIns() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const BuiltIn& each : kBuiltIns) names.emplace_back(each.name);
    names.emplace_back(kMax.name);
    return names;
  }();
  return all;
}

bool IsBuiltIn(std::string_view name) {
  return std::ranges::find(BuiltIns(), name) != BuiltIns().end();
}

bool IsWordOfExh(std::string_view name) {
  return std::ranges::find(kWordsOfExh, name) != kWordsOfExh.end();
}

ElaboratedValue Elaborator::ApplyBuiltIn(const ElaboratedFunction& word,
                                         std::vector<ElaboratedValue>& arguments,
                                         const Expr& call) {
  const BuiltIn& built_in = FindBuiltIn(word.name);
  if (arguments.size() < built_in.least || arguments.size() > built_in.most) {
    return Fail(Diag::kFunArguments, call.head,
                fmt::format("'{}' is written {}; here it has {} argument{}", word.name,
                            built_in.shape, arguments.size(), arguments.size() == 1 ? "" : "s"));
  }
  if (!word.label.empty() && !word.name.starts_with("map")) {
    return Fail(Diag::kFunArguments, call.head, "only a map has a name after '@'");
  }
  const std::string before = std::exchange(word_, word.name);
  ElaboratedValue value;
  if (word.name.starts_with("map")) {
    value = Map(word, arguments, call);
  } else if (word.name.starts_with("reduce")) {
    value = Reduce(arguments, call);
  } else if (word.name == "zip") {
    value = Zip(arguments, call);
  } else if (word.name == "split") {
    value = Split(arguments, call);
  } else if (word.name == "join") {
    value = Join(arguments, call);
  } else if (word.name.starts_with("slide")) {
    value = Slide(arguments, word.name == "slideStrict", call);
  } else if (word.name == "transpose") {
    value = Transpose(arguments, call);
  } else if (word.name == "pad") {
    value = Pad(arguments, call);
  } else if (word.name == "reorder") {
    value = Reorder(arguments, call);
  } else if (word.name == "asVector") {
    value = AsVector(arguments, call);
  } else if (word.name == "asScalar") {
    value = AsScalar(arguments, call);
  } else if (word.name == "fill") {
    value = Fill(arguments, call);
  } else if (word.name == "dot") {
    value = Dot(arguments, call);
  } else if (word.name == "toGlobal") {
    value = ApplyTo(MemorySpace::kGlobal, arguments, call);
  } else if (word.name == "toLocal") {
    value = ApplyTo(MemorySpace::kLocal, arguments, call);
  } else if (word.name == "toPrivate") {
    value = ApplyTo(MemorySpace::kPrivate, arguments, call);
  } else {
    const bool are_numbers = std::ranges::all_of(arguments, [](const ElaboratedValue& a) {
      return a.kind == ElaboratedValue::Kind::kNumber;
    });
    value = are_numbers && word.name != "id"
                ? NumberValue(
                      terms_.Apply(word.name == "min" ? TermFactor::Op::kMin : TermFactor::Op::kMax,
                                   arguments[0].number, arguments[1].number),
                      call.range)
                : User(word.name, arguments, call);
  }
  word_ = before;
  return value;
}

ElaboratedValue Elaborator::ApplyTo(MemorySpace space, std::vector<ElaboratedValue>& arguments,
                                    const Expr& call) {
  if (arguments[0].kind == ElaboratedValue::Kind::kFunction) {
    auto to = std::make_shared<ElaboratedFunction>();
    to->kind = ElaboratedFunction::Kind::kTo;
    to->space = space;
    to->inner = arguments[0].function;
    // toGlobal(f, x) is toGlobal(f(x)), and toGlobal(f) a function.
    if (arguments.size() > 1) {
      arguments.erase(arguments.begin());
      return Apply(to, std::move(arguments), call);
    }
    ElaboratedValue value;
    value.kind = ElaboratedValue::Kind::kFunction;
    value.function = std::move(to);
    return value;
  }
  if (arguments.size() > 1) {
    return Fail(Diag::kFunArguments, call.head,
                fmt::format("'{0}' takes one value, or a function and its arguments", word_));
  }
  const NodePtr node = DataOf(arguments[0], call.head);
  if (node == nullptr) return {};
  if (!Retarget(node, space)) {
    return Fail(Diag::kFunWritesNothing, call.head,
                fmt::format("nothing here is written to {} memory: {}; copy it, with 'id' for a "
                            "scalar and map(id, …) for an array",
                            WordOf(space),
                            node->writes ? "a reduction lies where its initial value does"
                                         : "a view writes nothing"));
  }
  return DataValue(node);
}

ElaboratedValue Elaborator::Map(const ElaboratedFunction& word,
                                std::vector<ElaboratedValue>& arguments, const Expr& call) {
  int code = CodeOf(word.name);
  if (code >= 10) {
    const auto dimension = TermOf(arguments[0], call, "the dimension");
    if (!dimension) return {};
    const auto number = dimension->AsNumber();
    if (!number || *number < 0 || *number > 2) {
      return Fail(Diag::kFunArguments, call.head,
                  fmt::format("the dimension of '{}' is 0, 1 or 2, not {}", word.name,
                              terms_.Text(*dimension)));
    }
    code += static_cast<int>(*number);
    arguments.erase(arguments.begin());
  }
  if (arguments[0].kind != ElaboratedValue::Kind::kFunction) {
    return Fail(Diag::kFunArguments, call.head,
                fmt::format("the function of '{}' comes first, {}; here it is {}", word.name,
                            FindBuiltIn(word.name).shape, TextOf(arguments[0])));
  }
  const NodePtr array = ArrayOf(arguments[1], call);
  if (array == nullptr) return {};
  if (++maps_ > kMostMaps) {
    if (std::exchange(too_large_, true)) return {};
    return Fail(Diag::kFunTooLarge, call.head,
                fmt::format("the program unfolds into more than {} maps", kMostMaps));
  }
  auto element = std::make_shared<Node>();
  element->kind = Node::Kind::kVariable;
  element->type = array->type->items[0];
  element->spaces = array->spaces;
  element->range = call.range;
  const ElaboratedValue result = Apply(arguments[0].function, {DataValue(element)}, call);
  NodePtr body = DataOf(result, call.head);
  if (body == nullptr) return {};
  auto map = std::make_shared<Node>();
  map->kind = Node::Kind::kMap;
  map->name = word.label;
  map->code = code;
  map->type = ArrayType(body->type, array->type->length);
  map->spaces = body->spaces;
  map->writes = body->writes || array->writes;
  map->inputs = {array};
  map->variables = {element};
  map->range = call.range;
  if (code >= 0 && !body->writes) {
    return Fail(
        Diag::kFunWritesNothing, call.head,
        fmt::format("'{}' runs nothing: its function has no user function (such as + or id) "
                    "in it; 'map' alone changes views",
                    word.name));
  }
  map->body = std::move(body);
  return DataValue(map);
}

ElaboratedValue Elaborator::Reduce(std::vector<ElaboratedValue>& arguments, const Expr& call) {
  // reduce(f, initial, x), too: a function is no initial value.
  if (arguments[0].kind == ElaboratedValue::Kind::kFunction) std::swap(arguments[0], arguments[1]);
  if (arguments[1].kind != ElaboratedValue::Kind::kFunction) {
    return Fail(Diag::kFunArguments, call.head,
                fmt::format("'{0}' is written {0}(initial, f, x); here the function is {1}", word_,
                            TextOf(arguments[1])));
  }
  const std::string word = word_;
  const NodePtr initial = DataOf(arguments[0], call.head);
  const NodePtr array = ArrayOf(arguments[2], call);
  if (initial == nullptr || array == nullptr) return {};
  const auto variable = [&](const TypePtr& type, const Spaces& spaces) {
    auto node = std::make_shared<Node>();
    node->kind = Node::Kind::kVariable;
    node->type = type;
    node->spaces = spaces;
    node->range = call.range;
    return node;
  };
  const NodePtr so_far = variable(initial->type, initial->spaces);
  const NodePtr element = variable(array->type->items[0], array->spaces);
  const ElaboratedValue result =
      Apply(arguments[1].function, {DataValue(so_far), DataValue(element)}, call);
  const NodePtr body = DataOf(result, call.head);
  if (body == nullptr) return {};
  if (!AreSame(*body->type, *initial->type,
               "what a reduction yields and its initial value have one type", call.head)) {
    return {};
  }
  // It is accumulated where the initial value lies.
  if (const auto space = initial->spaces.Only()) Retarget(body, *space);
  auto reduce = std::make_shared<Node>();
  reduce->kind = Node::Kind::kReduce;
  reduce->type = initial->type;
  reduce->spaces = initial->spaces;
  reduce->writes = initial->writes || array->writes || body->writes;
  reduce->inputs = {initial, array};
  reduce->variables = {so_far, element};
  reduce->body = body;
  reduce->range = call.range;
  if (!body->writes) {
    return Fail(
        Diag::kFunWritesNothing, call.head,
        fmt::format("'{}' calculates nothing: its function has no user function in it", word));
  }
  return DataValue(reduce);
}

ElaboratedValue Elaborator::Zip(const std::vector<ElaboratedValue>& arguments, const Expr& call) {
  std::vector<NodePtr> inputs;
  DataType tuple;
  tuple.kind = DataType::Kind::kTuple;
  Spaces spaces;
  for (const ElaboratedValue& argument : arguments) {
    NodePtr array = ArrayOf(argument, call);
    if (array == nullptr) return {};
    if (!inputs.empty() && !AreSame(inputs.front()->type->length, array->type->length,
                                    "arrays that are zipped have one length", call.head)) {
      return {};
    }
    tuple.items.push_back(array->type->items[0]);
    spaces.items.push_back(array->spaces);
    inputs.push_back(std::move(array));
  }
  Term length = inputs.front()->type->length;
  TypePtr type = ArrayType(std::make_shared<const DataType>(std::move(tuple)), std::move(length));
  return DataValue(View("zip", std::move(inputs), std::move(type), std::move(spaces), call));
}

ElaboratedValue Elaborator::Split(const std::vector<ElaboratedValue>& arguments, const Expr& call) {
  const auto size = TermOf(arguments[0], call, "the size of a part");
  const NodePtr array = ArrayOf(arguments[1], call);
  if (!size || array == nullptr || !AtLeast(*size, 1, "the size of a part", call)) return {};
  const Term& length = array->type->length;
  ProgramRequirement divides;
  divides.label = "split";
  divides.left = length;
  divides.op = "%";
  divides.right = *size;
  divides.why = fmt::format("split({}) of {}", terms_.Text(*size), terms_.Text(length));
  divides.range = call.head;
  if (!Require(std::move(divides), Diag::kFunDivides)) return {};
  TypePtr type = ArrayType(ArrayType(array->type->items[0], *size), terms_.Divide(length, *size));
  return DataValue(View("split", {array}, std::move(type), array->spaces, call));
}

ElaboratedValue Elaborator::Join(const std::vector<ElaboratedValue>& arguments, const Expr& call) {
  const NodePtr array = ArrayOf(arguments[0], call);
  if (array == nullptr) return {};
  const DataType& inner = *array->type->items[0];
  if (inner.kind != DataType::Kind::kArray) {
    return Fail(Diag::kFunType, call.head,
                fmt::format("'join' takes an array of arrays, not {}", TypeText(*array->type)));
  }
  TypePtr type = ArrayType(inner.items[0], terms_.Multiply(array->type->length, inner.length));
  return DataValue(View("join", {array}, std::move(type), array->spaces, call));
}

ElaboratedValue Elaborator::Slide(const std::vector<ElaboratedValue>& arguments, bool strict,
                                  const Expr& call) {
  const auto size = TermOf(arguments[0], call, "the size of a window");
  const auto step = TermOf(arguments[1], call, "the step");
  const NodePtr array = ArrayOf(arguments[2], call);
  if (!size || !step || array == nullptr) return {};
  if (!AtLeast(*size, 1, "the size of a window", call) || !AtLeast(*step, 1, "the step", call)) {
    return {};
  }
  const Term& length = array->type->length;
  const std::string what = fmt::format("{}({}, {}) over {}", word_, terms_.Text(*size),
                                       terms_.Text(*step), terms_.Text(length));
  ProgramRequirement fits;
  fits.label = "window";
  fits.left = *size;
  fits.op = "<=";
  fits.right = length;
  fits.why = what;
  fits.range = call.head;
  if (!Require(std::move(fits), Diag::kFunWindow)) return {};
  const Term rest = terms_.Subtract(length, *size);
  Term steps;
  if (strict) {
    ProgramRequirement covers;
    covers.label = "windows_cover";
    covers.left = rest;
    covers.op = "%";
    covers.right = *step;
    covers.why = what + ", without a rest";
    covers.range = call.head;
    if (!Require(std::move(covers), Diag::kFunDivides)) return {};
    steps = terms_.Divide(rest, *step);
  } else {
    steps = terms_.Apply(TermFactor::Op::kDiv, rest, *step);
  }
  TypePtr type =
      ArrayType(ArrayType(array->type->items[0], *size), terms_.Add(steps, Terms::Number(1)));
  NodePtr windows = View("slide", {array}, std::move(type), array->spaces, call);
  windows->arguments = {*size, *step};
  return DataValue(std::move(windows));
}

ElaboratedValue Elaborator::Transpose(const std::vector<ElaboratedValue>& arguments,
                                      const Expr& call) {
  const NodePtr array = ArrayOf(arguments[0], call);
  if (array == nullptr) return {};
  const DataType& inner = *array->type->items[0];
  if (inner.kind != DataType::Kind::kArray) {
    return Fail(
        Diag::kFunType, call.head,
        fmt::format("'transpose' takes an array of arrays, not {}", TypeText(*array->type)));
  }
  TypePtr type = ArrayType(ArrayType(inner.items[0], array->type->length), inner.length);
  return DataValue(View("transpose", {array}, std::move(type), array->spaces, call));
}

ElaboratedValue Elaborator::Pad(const std::vector<ElaboratedValue>& arguments, const Expr& call) {
  const auto before = TermOf(arguments[0], call, "what is added before");
  const auto after = TermOf(arguments[1], call, "what is added after");
  const NodePtr value = DataOf(arguments[2], call.head);
  const NodePtr array = ArrayOf(arguments[3], call);
  if (!before || !after || value == nullptr || array == nullptr) return {};
  if (value->kind != Node::Kind::kConstant || value->type->kind != DataType::Kind::kScalar) {
    return Fail(Diag::kFunType, call.head, "what 'pad' puts around an array is a number");
  }
  const Term length = terms_.Add(terms_.Add(*before, array->type->length), *after);
  ProgramRequirement remains;
  remains.label = "padded";
  remains.left = length;
  remains.op = ">=";
  remains.right = Terms::Number(1);
  remains.why = fmt::format("pad({}, {}) of {} leaves something", terms_.Text(*before),
                            terms_.Text(*after), terms_.Text(array->type->length));
  remains.range = call.head;
  if (!Require(std::move(remains), Diag::kFunLength)) return {};
  NodePtr padded =
      View("pad", {array}, ArrayType(array->type->items[0], length), array->spaces, call);
  padded->arguments = {*before, *after};
  padded->number = value->number;
  padded->real = value->real;
  return DataValue(std::move(padded));
}

ElaboratedValue Elaborator::Reorder(const std::vector<ElaboratedValue>& arguments,
                                    const Expr& call) {
  const auto stride = TermOf(arguments[0], call, "the stride");
  const NodePtr array = ArrayOf(arguments[1], call);
  if (!stride || array == nullptr || !AtLeast(*stride, 1, "the stride", call)) return {};
  ProgramRequirement divides;
  divides.label = "stride";
  divides.left = array->type->length;
  divides.op = "%";
  divides.right = *stride;
  divides.why =
      fmt::format("reorder({}) of {}", terms_.Text(*stride), terms_.Text(array->type->length));
  divides.range = call.head;
  if (!Require(std::move(divides), Diag::kFunDivides)) return {};
  NodePtr reordered = View("reorder", {array}, array->type, array->spaces, call);
  reordered->arguments = {*stride};
  return DataValue(std::move(reordered));
}

ElaboratedValue Elaborator::AsVector(const std::vector<ElaboratedValue>& arguments,
                                     const Expr& call) {
  const auto size = TermOf(arguments[0], call, "the length of a vector");
  const NodePtr array = ArrayOf(arguments[1], call);
  if (!size || array == nullptr || !AtLeast(*size, 1, "the length of a vector", call)) return {};
  const DataType& element = *array->type->items[0];
  if (element.kind != DataType::Kind::kScalar) {
    return Fail(Diag::kFunType, call.head,
                fmt::format("vectors are made of scalars, not of {}", TypeText(element)));
  }
  const Term& length = array->type->length;
  ProgramRequirement divides;
  divides.label = "vector";
  divides.left = length;
  divides.op = "%";
  divides.right = *size;
  divides.why = fmt::format("asVector({}) of {}", terms_.Text(*size), terms_.Text(length));
  divides.range = call.head;
  if (!Require(std::move(divides), Diag::kFunDivides)) return {};
  DataType vector;
  vector.kind = DataType::Kind::kVector;
  vector.scalar = element.scalar;
  vector.length = *size;
  TypePtr type =
      ArrayType(std::make_shared<const DataType>(std::move(vector)), terms_.Divide(length, *size));
  return DataValue(View("asVector", {array}, std::move(type), array->spaces, call));
}

ElaboratedValue Elaborator::AsScalar(const std::vector<ElaboratedValue>& arguments,
                                     const Expr& call) {
  const NodePtr array = ArrayOf(arguments[0], call);
  if (array == nullptr) return {};
  const DataType& element = *array->type->items[0];
  if (element.kind != DataType::Kind::kVector) {
    return Fail(
        Diag::kFunType, call.head,
        fmt::format("'asScalar' takes an array of vectors, not {}", TypeText(*array->type)));
  }
  DataType scalar;
  scalar.scalar = element.scalar;
  TypePtr type = ArrayType(std::make_shared<const DataType>(std::move(scalar)),
                           terms_.Multiply(array->type->length, element.length));
  return DataValue(View("asScalar", {array}, std::move(type), array->spaces, call));
}

ElaboratedValue Elaborator::Fill(const std::vector<ElaboratedValue>& arguments, const Expr& call) {
  const auto length = TermOf(arguments[0], call, "the length");
  const NodePtr value = DataOf(arguments[1], call.head);
  if (!length || value == nullptr || !AtLeast(*length, 1, "the length", call)) return {};
  if (value->kind != Node::Kind::kConstant) {
    return Fail(Diag::kFunType, call.head, "'fill' repeats a number, or an array made by 'fill'");
  }
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kConstant;
  node->number = value->number;
  node->real = value->real;
  node->type = ArrayType(value->type, *length);
  node->spaces.space = MemorySpace::kPrivate;
  node->range = call.range;
  return DataValue(node);
}

ElaboratedValue Elaborator::Dot(const std::vector<ElaboratedValue>& arguments, const Expr& call) {
  const ElaboratedValue product = User("dot", arguments, call);
  if (product.kind == ElaboratedValue::Kind::kNone) return {};
  const DataType& type = *product.data->type;
  if (type.kind != DataType::Kind::kVector) return product;  // Of scalars: their product.
  DataType scalar;
  scalar.scalar = type.scalar;
  product.data->type = std::make_shared<const DataType>(std::move(scalar));
  return product;
}

ElaboratedValue Elaborator::User(const std::string& name,
                                 const std::vector<ElaboratedValue>& arguments, const Expr& call) {
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kUser;
  node->name = name;
  node->writes = true;
  node->range = call.range;
  node->spaces.space = MemorySpace::kPrivate;
  for (const ElaboratedValue& argument : arguments) {
    NodePtr input = DataOf(argument, call.head);
    if (input == nullptr) return {};
    const DataType& type = *input->type;
    if (type.kind != DataType::Kind::kScalar && type.kind != DataType::Kind::kVector) {
      return Fail(
          Diag::kFunType, call.head,
          fmt::format("'{}' calculates with scalars, not with {}{}", name, TypeText(type),
                      type.kind == DataType::Kind::kArray ? "; a map does it by element" : ""));
    }
    // A number takes the type of what it is calculated with.
    const bool is_number = input->kind == Node::Kind::kConstant;
    if (node->type == nullptr ||
        (node->inputs.front()->kind == Node::Kind::kConstant && !is_number)) {
      node->type = input->type;
    } else if (!is_number && !AreSame(*node->type, type,
                                      fmt::format("operands of '{}'", name).c_str(), call.head)) {
      return {};
    }
    // The result lies as far out as an operand does.
    if (input->spaces.space < node->spaces.space) node->spaces.space = input->spaces.space;
    node->inputs.push_back(std::move(input));
  }
  return DataValue(node);
}

ElaboratedValue Elaborator::ApplyUser(const ElaboratedFunction& user,
                                      const std::vector<ElaboratedValue>& arguments,
                                      const Expr& call) {
  const Statement& statement = *user.user;
  if (arguments.size() != statement.types.size()) {
    return Fail(Diag::kFunArguments, call.head,
                fmt::format("'{}' takes {} argument{}, not {}", user.name, statement.types.size(),
                            statement.types.size() == 1 ? "" : "s", arguments.size()));
  }
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::kUser;
  node->name = user.name;
  node->writes = true;
  node->range = call.range;
  node->spaces.space = MemorySpace::kPrivate;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    NodePtr input = DataOf(arguments[i], call.head);
    const TypePtr wanted = TypeOf(*statement.types[i]);
    if (input == nullptr || wanted == nullptr) return {};
    if (!AreSame(*input->type, *wanted,
                 fmt::format("argument {} of '{}'", i + 1, user.name).c_str(), call.head)) {
      return {};
    }
    if (input->spaces.space < node->spaces.space) node->spaces.space = input->spaces.space;
    node->inputs.push_back(std::move(input));
  }
  node->type = TypeOf(*statement.type);
  if (node->type == nullptr) return {};
  return DataValue(node);
}

}  // namespace exh::functional
