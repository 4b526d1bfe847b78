// SPDX-License-Identifier: MIT
#include "search/exchange/torch/torch_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "search/exchange/python/python_text.h"
#include "search/exchange/torch/reference_lines.h"
#include "search/exchange/torch/torch_shapes.h"

namespace exh::search::torch {
namespace {

using Kind = PythonNode::Kind;

TorchTensor Truth(bool value) {
  TorchTensor truth = NumberOf(value ? 1 : 0, true);
  truth.type = "bool";
  return truth;
}

bool IsSlice(const TorchObject& item) {
  return item.IsList() && item.list().size() == 3;
}

/// Of a list as of a shape: `x.shape[-1]`, `x.shape[:2]`.
TorchObject ElementOfList(const TorchList& list, const TorchObject& item) {
  const auto count = static_cast<std::int64_t>(list.size());
  if (!IsSlice(item)) return list[DimOf(WholeIn(item.tensor()), list.size())];
  const auto bound = [&](const TorchObject& object, std::int64_t otherwise) {
    if (object.IsNothing()) return otherwise;
    const std::int64_t said = WholeIn(object.tensor());
    return std::clamp<std::int64_t>(said < 0 ? said + count : said, 0, count);
  };
  const std::int64_t begin = bound(item.list()[0], 0), end = bound(item.list()[1], count);
  if (!item.list()[2].IsNothing()) throw UsageError("a step is not understood here");
  TorchList some;
  for (std::int64_t i = begin; i < end; ++i) some.push_back(list[static_cast<std::size_t>(i)]);
  return {some};
}

class ReferenceReader {
 public:
  ReferenceReader(const std::vector<std::pair<std::string, TorchTensor>>& inputs, TorchBody& body)
      : inputs_(inputs), body_(body) {}

  ReferenceResult Read(const std::string& program) {
    for (const ReferenceLine& line : ReferenceLines(program)) {
      if (has_result_ || (is_within_ && line.indent <= indent_)) break;
      try {
        Line(line);
      } catch (const Error& error) {
        throw UsageError(fmt::format("line {} of its reference, '{}': {}", line.number,
                                     Shortened(line.text, 100), error.what()));
      }
    }
    if (!is_within_) throw UsageError("its reference has no function 'run'");
    if (!has_result_) throw UsageError("'run' of its reference returns nothing");
    return result_;
  }

 private:
  static bool Begins(const std::string& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    const char next = text.size() > word.size() ? text[word.size()] : ' ';
    return next == ' ' || next == '(' || next == ':';
  }

  void Line(const ReferenceLine& line) {
    const std::string& text = line.text;
    if (Begins(text, "import") || Begins(text, "from")) return Import(text);
    if (text.starts_with('@') || Begins(text, "assert") || text == "pass") return;
    if (text == "with torch.no_grad():") return;
    if (Begins(text, "def")) return Function(line);
    for (const char* const word : {"for", "while", "if", "elif", "else", "try", "with", "class",
                                   "del", "raise", "global", "async", "match"}) {
      if (!Begins(text, word)) continue;
      throw UsageError(
          fmt::format("'{}' is not understood: an element of an output is one expression, and "
                      "sizes are known before a search",
                      word));
    }
    if (Begins(text, "return")) return Return(text.substr(6));
    Statement(text);
  }

  /// The names of modules, and of functions of theirs.
  void Import(const std::string& text) {
    const bool is_from = text.starts_with("from");
    const std::size_t at = text.find(is_from ? " import " : "import ");
    if (at == std::string::npos) throw UsageError("an import that is none");
    for (const std::string& piece : PiecesAtCommas(text.substr(at + (is_from ? 8 : 7)))) {
      const std::size_t as = piece.find(" as ");
      const std::string name(Trim(as == std::string::npos ? piece : piece.substr(as + 4)));
      modules_.insert(name.substr(0, name.find('.')));
    }
  }

  void Function(const ReferenceLine& line) {
    const std::size_t open = line.text.find('('), close = line.text.rfind(')');
    const std::string name(Trim(line.text.substr(3, open - 3)));
    if (name != "run" || is_within_ || open == std::string::npos || close == std::string::npos) {
      throw UsageError("a function beside 'run' is not understood");
    }
    is_within_ = true;
    indent_ = line.indent;
    std::vector<std::string> names;
    for (const std::string& piece : PiecesAtCommas(line.text.substr(open + 1, close - open - 1))) {
      const std::size_t end = std::min(piece.find(':'), piece.find('='));
      names.emplace_back(Trim(piece.substr(0, end)));
    }
    if (names.size() != inputs_.size()) {
      throw UsageError(
          fmt::format("'run' takes {} inputs, and there are {}", names.size(), inputs_.size()));
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      held_[names[i]] = {inputs_[i].second};
      given_.insert(names[i]);
    }
  }

  void Return(const std::string& text) {
    if (!is_within_) throw UsageError("a return outside of 'run'");
    const PythonNode node = ParsePython("(" + text + ")", PythonWords::kReference);
    const bool is_list = node.kind == Kind::kList;
    if (is_list) result_.names = node.operators;
    const TorchObject value = Value(node);
    result_.results = is_list ? value.list() : TorchList{value};
    has_result_ = true;
  }

  void Statement(const std::string& text) {
    std::string op;
    const std::size_t equals = AssignmentIn(text, &op);
    if (equals == std::string::npos) {
      throw UsageError("a statement that gives nothing a name is not understood");
    }
    const std::string left(Trim(text.substr(0, equals - op.size())));
    TorchObject value =
        Value(ParsePython("(" + text.substr(equals + 1) + ")", PythonWords::kReference));
    std::vector<std::string> targets = PiecesAtCommas(left);
    if (targets.size() == 1 && left.starts_with('(') && left.ends_with(')')) {
      targets = PiecesAtCommas(left.substr(1, left.size() - 2));
    }
    if (targets.size() == 1 && !left.ends_with(',')) {
      // `x: int = …`
      const std::string name(Trim(targets[0].substr(0, targets[0].find(':'))));
      if (!op.empty()) value = Changed(name, op, value);
      return Hold(name, std::move(value));
    }
    const TorchList& values = value.list();
    if (values.size() != targets.size()) {
      throw UsageError(fmt::format("{} names for {} things", targets.size(), values.size()));
    }
    for (std::size_t i = 0; i < targets.size(); ++i) Hold(targets[i], values[i]);
  }

  TorchObject Changed(const std::string& name, const std::string& op, const TorchObject& by) {
    if (given_.contains(name)) {
      throw UsageError(fmt::format("the input '{}' is changed", name));
    }
    const TorchTensor& from = Held(name).tensor();
    if (op == "@") return {Product(from, by.tensor(), body_)};
    return {Combined(op, from, by.tensor())};
  }

  void Hold(const std::string& name, TorchObject value) {
    const bool is_name = std::ranges::all_of(name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!is_name || name.empty()) {
      throw UsageError(
          fmt::format("'{}' is no name: an element that is set, or a member, is not "
                      "understood",
                      name));
    }
    if (name == "_") return;
    if (value.IsTensor()) {
      const TorchTensor named = body_.Named(name, value.tensor());
      if (named.statement >= 0) body_.Rename(named.statement, name);
      value = {named};
    }
    given_.erase(name);
    held_[name] = std::move(value);
  }

  const TorchObject& Held(const std::string& name) const {
    const auto found = held_.find(name);
    if (found != held_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [each, value] : held_) names.push_back(each);
    throw UsageError(UnknownName("name", name, names));
  }

  TorchObject Value(const PythonNode& node) {
    switch (node.kind) {
      case Kind::kValue:
        return Literal(node.value);
      case Kind::kName:
        if (held_.contains(node.word)) return Held(node.word);
        if (modules_.contains(node.word)) return {TorchObject::Module{}};
        return Held(node.word);
      case Kind::kNothing:
        return node.word.empty() ? TorchObject{} : TorchObject{node.word};
      case Kind::kNegate:
        return {Opposite(Value(node.parts[0]).tensor())};
      case Kind::kNot: {
        const TorchTensor part = Value(node.parts[0]).tensor();
        if (part.is_python && part.known) return {Truth(*part.known == 0)};
        return {Inverse(part)};
      }
      case Kind::kCalculate:
        return Calculation(node);
      case Kind::kCompare:
        return Comparison(node);
      case Kind::kList:
        return Several(node);
      case Kind::kMember:
        return Member(Value(node.parts[0]), node.word);
      case Kind::kApply:
        return Application(node);
      case Kind::kElement:
        return Element(node);
      case Kind::kSlice:
        return Several(node);
      case Kind::kAnd:
      case Kind::kOr:
      case Kind::kCall:
      case Kind::kListOfEach:
        break;
    }
    throw UsageError("'and', 'or' and lists of each are not understood");
  }

  static TorchObject Literal(const PythonValue& value) {
    if (value.is_text()) return {std::get<std::string>(value.held)};
    if (const auto* const truth = std::get_if<bool>(&value.held)) return {Truth(*truth)};
    if (value.is_whole()) return {NumberOf(static_cast<double>(value.whole()), true)};
    return {NumberOf(std::get<double>(value.held), false)};
  }

  TorchObject Several(const PythonNode& node) {
    TorchList list;
    for (const PythonNode& part : node.parts) list.push_back(Value(part));
    return {list};
  }

  TorchObject Calculation(const PythonNode& node) {
    const TorchObject left = Value(node.parts[0]), right = Value(node.parts[1]);
    if (node.word == "+" && left.IsList() && right.IsList()) {  // Of shapes.
      TorchList list = left.list();
      list.insert(list.end(), right.list().begin(), right.list().end());
      return {list};
    }
    if (node.word == "@") return {Product(left.tensor(), right.tensor(), body_)};
    if (node.word == "**") return {Power(left.tensor(), right.tensor(), body_)};
    return {Combined(node.word, left.tensor(), right.tensor())};
  }

  TorchObject Comparison(const PythonNode& node) {
    if (node.operators.size() != 1 || node.operators[0].ends_with("in")) {
      throw UsageError("chains of comparisons and 'in' are not understood");
    }
    return {
        Combined(node.operators[0], Value(node.parts[0]).tensor(), Value(node.parts[1]).tensor())};
  }

  TorchObject Member(const TorchObject& of, const std::string& name) {
    if (std::holds_alternative<TorchObject::Module>(of.held)) {
      if (const std::string type = TypeOfTorch(name); !type.empty()) {
        return {TorchObject::Type{type}};
      }
      if (name == "inf") return {NumberOf(std::numeric_limits<double>::infinity(), false)};
      if (name == "pi") return {NumberOf(std::numbers::pi, false)};
      if (name == "e") return {NumberOf(std::numbers::e, false)};
      return of;
    }
    if (of.IsList() && (name == "values" || name == "indices") && of.list().size() == 2) {
      return of.list()[name == "values" ? 0 : 1];
    }
    const TorchTensor& tensor = of.tensor();
    if (name == "T" || name == "mT") {
      if (name == "T" && tensor.rank() != 2) throw UsageError("'T' of other than two dimensions");
      return {Transposed(tensor, -1, -2)};
    }
    if (name == "shape") return CallFunction("size", {.places = {of}, .names = {}}, body_);
    if (name == "dtype") return {TorchObject::Type{tensor.type}};
    if (name == "ndim") return {NumberOf(static_cast<double>(tensor.rank()), true)};
    if (name == "device") return {};
    throw UsageError(fmt::format("'{}' of a tensor is not known", name));
  }

  TorchObject Application(const PythonNode& node) {
    const PythonNode& callee = node.parts[0];
    TorchArguments arguments;
    std::string name;
    if (callee.kind == Kind::kMember) {
      name = callee.word;
      TorchObject of = Value(callee.parts[0]);
      if (!std::holds_alternative<TorchObject::Module>(of.held)) arguments.places.push_back(of);
    } else if (callee.kind == Kind::kName) {
      name = callee.word;
    } else {
      throw UsageError("what is called is no function");
    }
    for (std::size_t i = 1; i < node.parts.size(); ++i) {
      const std::string& keyword = node.operators[i - 1];
      TorchObject value = Value(node.parts[i]);
      if (keyword.empty()) {
        arguments.places.push_back(std::move(value));
      } else if (keyword != "device") {
        arguments.names[keyword == "axis" ? "dim" : keyword] = std::move(value);
      }
    }
    if (callee.kind == Kind::kName && !modules_.contains(name)) return BuiltIn(name, arguments);
    return CallFunction(name, arguments, body_);
  }

  /// Functions of Python itself.
  static TorchObject BuiltIn(const std::string& name, const TorchArguments& arguments) {
    const std::vector<std::string> known = {"float", "int", "len", "tuple", "list"};
    if (std::ranges::count(known, name) == 0 || arguments.places.size() != 1) {
      throw UsageError(UnknownName("function", name, known));
    }
    const TorchObject& of = arguments.places[0];
    if (name == "tuple" || name == "list") return {of.list()};
    if (name == "len") {
      if (of.IsList()) return {NumberOf(static_cast<double>(of.list().size()), true)};
      if (of.tensor().rank() == 0) throw UsageError("'len' of a number");
      return {NumberOf(of.tensor().shape[0])};
    }
    if (const auto* const text = std::get_if<std::string>(&of.held)) {
      const double infinity = std::numeric_limits<double>::infinity();
      if (*text == "inf" || *text == "-inf") {
        return {NumberOf(*text == "inf" ? infinity : -infinity, false)};
      }
      throw UsageError(fmt::format("'{}' as a number", *text));
    }
    const TorchTensor& number = of.tensor();
    if (!number.is_python && number.rank() > 0) throw UsageError("a tensor as a number");
    if (name == "int" && number.known) return {NumberOf(std::trunc(*number.known), true)};
    if (name == "float" && number.known) return {NumberOf(*number.known, false)};
    return of;
  }

  TorchObject Element(const PythonNode& node) {
    const TorchObject of = Value(node.parts[0]);
    std::vector<TorchObject> items;
    for (std::size_t i = 1; i < node.parts.size(); ++i) items.push_back(Value(node.parts[i]));
    if (of.IsList()) {
      if (items.size() != 1) throw UsageError("several subscripts of a list");
      return ElementOfList(of.list(), items[0]);
    }
    return {ElementOf(of.tensor(), items)};
  }

  const std::vector<std::pair<std::string, TorchTensor>>& inputs_;
  TorchBody& body_;
  std::map<std::string, TorchObject, std::less<>> held_;
  std::set<std::string> given_;    ///< Names that are inputs still.
  std::set<std::string> modules_;  ///< And functions of theirs.
  bool is_within_ = false, has_result_ = false;
  int indent_ = 0;
  ReferenceResult result_;
};

}  // namespace

ReferenceResult ReadReference(const std::string& program,
                              const std::vector<std::pair<std::string, TorchTensor>>& inputs,
                              TorchBody& body) {
  return ReferenceReader(inputs, body).Read(program);
}

}  // namespace exh::search::torch
