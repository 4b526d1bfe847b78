// SPDX-License-Identifier: MIT
#include "search/exchange/torch/torch_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.h"

namespace exh::search::torch {
namespace {

constexpr double kLargestWhole = 1e15;

bool IsWhole(const std::string& type) {
  return !IsFloat(type) && type != "bool";
}

/// The type that two have in common.
std::string CommonType(const TorchTensor& a, const TorchTensor& b) {
  // A number of Python counts where it has a fraction and the other one cannot have any.
  if (a.is_python != b.is_python) {
    const TorchTensor& number = a.is_python ? a : b;
    const TorchTensor& tensor = a.is_python ? b : a;
    if (IsFloat(number.type) && !IsFloat(tensor.type)) return "f32";
    return tensor.type == "bool" && !IsFloat(number.type) ? number.type : tensor.type;
  }
  if (a.type == b.type) return a.type;
  if (IsFloat(a.type) != IsFloat(b.type)) return IsFloat(a.type) ? a.type : b.type;
  if (a.type == "bool" || b.type == "bool") return a.type == "bool" ? b.type : a.type;
  if (!IsFloat(a.type)) return a.type == "i64" || b.type == "i64" ? "i64" : "i32";
  return a.type == "f64" || b.type == "f64" ? "f64" : "f32";
}

ElementText NumberText(double value) {
  if (std::isinf(value)) {
    return {value < 0 ? "-inf" : "inf", value < 0 ? Strength::kSign : Strength::kAtom};
  }
  const Strength strength = value < 0 ? Strength::kSign : Strength::kAtom;
  if (value == std::floor(value) && std::abs(value) < kLargestWhole) {
    return {fmt::format("{:.0f}", value), strength};
  }
  return {fmt::format("{}", value), strength};
}

/// As an operand of what yields `type`.
TorchTensor Operand(const TorchTensor& a, const std::string& type) {
  const bool needs_float = IsFloat(type) && IsWhole(a.type) && !(a.is_python && a.known);
  if (!needs_float) return a;
  return Converted(a, "f32");
}

double PythonResult(const std::string& op, double a, double b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/" || op == "//" || op == "%") {
    if (b == 0) throw UsageError("a division by 0");
    if (op == "/") return a / b;
    return op == "//" ? std::floor(a / b) : a - b * std::floor(a / b);
  }
  return std::pow(a, b);
}

bool IsComparison(const std::string& op) {
  return op == "<" || op == "<=" || op == ">" || op == ">=" || op == "==" || op == "!=";
}

struct Sign {
  std::string text;
  Strength strength;
};

Sign SignOf(const std::string& op) {
  if (op == "+" || op == "-") return {op, Strength::kSum};
  if (op == "&") return {"and", Strength::kAnd};
  if (op == "|") return {"or", Strength::kOr};
  return IsComparison(op) ? Sign{op, Strength::kComparison} : Sign{op, Strength::kProduct};
}

/// The next stronger one: what stands right of a minus, and on both sides of a comparison.
Strength Above(Strength strength) {
  return static_cast<Strength>(static_cast<int>(strength) + 1);
}

/// Of two tensors, with what becomes of their elements.
template <typename Text>
TorchTensor Elementwise(const std::string& type, const TorchTensor& a, const TorchTensor& b,
                        Text text) {
  TorchTensor made;
  made.type = type;
  made.shape = BroadcastShape(a.shape, b.shape);
  made.is_python = a.is_python && b.is_python;
  made.is_part = a.is_part || b.is_part;
  made.is_free = (a.is_free || a.is_python) && (b.is_free || b.is_python);
  made.at = [a, b, text = std::move(text)](const TorchIndex& index) {
    return text(a.at(IndexFor(a.shape, index)), b.at(IndexFor(b.shape, index)));
  };
  return made;
}

template <typename Text>
TorchTensor Elementwise(const std::string& type, const TorchTensor& a, Text text) {
  TorchTensor made;
  made.type = type;
  made.shape = a.shape;
  made.is_python = a.is_python;
  made.is_part = a.is_part;
  made.is_free = a.is_free;
  made.at = [a, text = std::move(text)](const TorchIndex& index) { return text(a.at(index)); };
  return made;
}

/// a ** b of tensors.
TorchTensor PowerOf(const TorchTensor& a, const TorchTensor& b) {
  if (b.known == 1.0) return a;
  if (b.known == 0.5) return FunctionOf("sqrt", a);
  if (b.known == -0.5) return FunctionOf("rsqrt", a);
  if (b.known == 2.0) return Combined("*", a, a);
  return CombinedBy("pow", Operand(a, "f32"), b);
}

/// What is calculated in f32.
bool IsNarrowFloat(const std::string& type) {
  return type == "f16" || type == "bf16" || type == "f8e4m3" || type == "f8e5m2";
}

}  // namespace

TorchSize SizeOf(std::int64_t value) {
  return {fmt::format("{}", value), value};
}

std::vector<std::string> PairIn(const std::string& index) {
  const std::size_t comma = index.find(", ");
  if (comma == std::string::npos) return {};
  return {index.substr(0, comma), index.substr(comma + 2)};
}

bool IsFloat(const std::string& type) {
  return type == "f32" || type == "f64" || IsNarrowFloat(type);
}

std::string TypeOfTorch(const std::string& dtype) {
  static const std::map<std::string, std::string, std::less<>> types = {
      {"float32", "f32"},       {"float", "f32"},
      {"float16", "f16"},       {"half", "f16"},
      {"bfloat16", "bf16"},     {"float64", "f64"},
      {"double", "f64"},        {"int64", "i64"},
      {"long", "i64"},          {"int32", "i32"},
      {"int", "i32"},           {"int8", "i8"},
      {"bool", "bool"},         {"float8_e4m3fn", "f8e4m3"},
      {"float8_e5m2", "f8e5m2"}};
  const auto found = types.find(dtype);
  return found == types.end() ? "" : found->second;
}

TorchTensor NumberOf(double value, bool is_whole) {
  TorchTensor number;
  number.type = is_whole ? "i64" : "f32";
  number.is_python = true;
  number.is_plain = true;
  number.known = value;
  if (is_whole && value >= 0) number.size = SizeOf(static_cast<std::int64_t>(value));
  number.at = [value](const TorchIndex&) { return NumberText(value); };
  return number;
}

TorchTensor NumberOf(const TorchSize& size) {
  if (size.value) return NumberOf(static_cast<double>(*size.value), true);
  TorchTensor number;
  number.type = "i64";
  number.is_python = true;
  number.is_plain = true;
  number.size = size;
  number.at = [size](const TorchIndex&) { return ElementText{size.text}; };
  return number;
}

TorchSize SizeIn(const TorchTensor& number) {
  if (number.size) return *number.size;
  if (number.known && *number.known == -1) throw UsageError("-1 as a size is not understood");
  throw UsageError("a size is no whole number that is known before the search");
}

std::int64_t WholeIn(const TorchTensor& number) {
  if (!number.known || *number.known != std::floor(*number.known) ||
      std::abs(*number.known) > kLargestWhole) {
    throw UsageError("a whole number that is known is expected");
  }
  return static_cast<std::int64_t>(*number.known);
}

std::vector<TorchSize> BroadcastShape(const std::vector<TorchSize>& a,
                                      const std::vector<TorchSize>& b) {
  const std::vector<TorchSize>& longer = a.size() >= b.size() ? a : b;
  const std::vector<TorchSize>& shorter = a.size() >= b.size() ? b : a;
  std::vector<TorchSize> shape = longer;
  const std::size_t skip = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    TorchSize& size = shape[skip + i];
    if (size.IsOne()) {
      size = shorter[i];
    } else if (!shorter[i].IsOne() && !size.Equals(shorter[i])) {
      throw UsageError(
          fmt::format("shapes {} and {} do not go together", ShapeText(a), ShapeText(b)));
    }
  }
  return shape;
}

TorchIndex IndexFor(const std::vector<TorchSize>& shape, const TorchIndex& index) {
  TorchIndex own(index.end() - static_cast<std::ptrdiff_t>(shape.size()), index.end());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].IsOne()) own[i] = "0";
  }
  return own;
}

std::string ShapeText(const std::vector<TorchSize>& shape) {
  std::string text;
  for (const TorchSize& size : shape) text += (text.empty() ? "" : ", ") + size.text;
  return "[" + text + "]";
}

TorchTensor Combined(const std::string& op, const TorchTensor& a, const TorchTensor& b) {
  if (a.is_python && b.is_python && a.known && b.known && !IsComparison(op)) {
    const bool is_whole =
        !IsFloat(a.type) && !IsFloat(b.type) && op != "/" && !(op == "**" && *b.known < 0);
    return NumberOf(PythonResult(op, *a.known, *b.known), is_whole);
  }
  if (op == "**") return PowerOf(a, b);
  const std::string common = CommonType(a, b);
  if ((op == "&" || op == "|") && common != "bool" && !IsWhole(common)) {
    throw UsageError(fmt::format("'{}' of {}", op, common));
  }
  // What both are calculated in.
  const std::string in = op == "/" && !IsFloat(common) ? "f32" : common;
  const bool is_of_floats = IsFloat(in) && (op == "//" || op == "%");
  if (is_of_floats) throw UsageError(fmt::format("'{}' of floats is not understood", op));
  const Sign sign = SignOf(op == "//" ? "/" : op);
  const Strength left = IsComparison(op) ? Above(sign.strength) : sign.strength;
  const bool turns = op == "+" || op == "&" || op == "|";
  const Strength right = turns ? left : Above(sign.strength);
  TorchTensor made = Elementwise(
      IsComparison(op) ? "bool" : in, Operand(a, in), Operand(b, in),
      [sign, left, right](const ElementText& x, const ElementText& y) {
        return ElementText{fmt::format("{} {} {}", x.AtLeast(left), sign.text, y.AtLeast(right)),
                           sign.strength};
      });
  // Products and quotients of sizes are sizes.
  const bool is_size = a.size && b.size && (op == "*" || op == "//" || op == "+" || op == "-");
  if (made.is_python && is_size) made.size = TorchSize{made.at({}).text, std::nullopt};
  return made;
}

TorchTensor CombinedBy(const std::string& function, const TorchTensor& a, const TorchTensor& b) {
  const std::string type = CommonType(a, b);
  return Elementwise(type, Operand(a, type), Operand(b, type),
                     [function](const ElementText& x, const ElementText& y) {
                       return ElementText{fmt::format("{}({}, {})", function, x.text, y.text)};
                     });
}

TorchTensor FunctionOf(const std::string& function, const TorchTensor& a) {
  const std::string type = IsFloat(a.type) || function == "abs" ? a.type : "f32";
  TorchTensor made = Elementwise(type, Operand(a, type), [function](const ElementText& x) {
    return ElementText{fmt::format("{}({})", function, x.text)};
  });
  return made;
}

TorchTensor Opposite(const TorchTensor& a) {
  if (a.is_python && a.known) return NumberOf(-*a.known, !IsFloat(a.type));
  return Elementwise(a.type == "bool" ? "i64" : a.type, a, [](const ElementText& x) {
    return ElementText{"-" + x.AtLeast(Strength::kAtom), Strength::kSign};
  });
}

TorchTensor Inverse(const TorchTensor& a) {
  if (a.type != "bool") throw UsageError(fmt::format("'~' of {} is not understood", a.type));
  return Elementwise("bool", a, [](const ElementText& x) {
    return ElementText{"not " + x.AtLeast(Strength::kComparison), Strength::kNot};
  });
}

TorchTensor Choice(const TorchTensor& condition, const TorchTensor& a, const TorchTensor& b) {
  if (condition.type != "bool") throw UsageError("a choice by what is no bool");
  const std::string type = CommonType(a, b);
  const TorchTensor x = Operand(a, type), y = Operand(b, type);
  TorchTensor made;
  made.type = type;
  made.shape = BroadcastShape(condition.shape, BroadcastShape(a.shape, b.shape));
  made.is_part = condition.is_part || a.is_part || b.is_part;
  made.is_free = condition.is_free && (a.is_free || a.is_python) && (b.is_free || b.is_python);
  made.at = [condition, x, y](const TorchIndex& index) {
    return ElementText{
        fmt::format("{} ? {} : {}",
                    condition.at(IndexFor(condition.shape, index)).AtLeast(Strength::kOr),
                    x.at(IndexFor(x.shape, index)).AtLeast(Strength::kOr),
                    y.at(IndexFor(y.shape, index)).AtLeast(Strength::kOr)),
        Strength::kChoice};
  };
  return made;
}

TorchTensor Converted(const TorchTensor& a, const std::string& type) {
  if (a.type == type) return a;
  TorchTensor made = a;
  made.type = type;
  made.is_python = false;
  made.known.reset();
  made.size.reset();
  made.unrounded.reset();
  // What narrow floats are calculated in is f32, so nothing is to be done. Literals have no type.
  if ((IsNarrowFloat(a.type) && type == "f32") || (a.known && IsFloat(type))) return made;
  made.is_plain = false;
  made.statement = -1;
  made.at = [a, type](const TorchIndex& index) {
    return ElementText{fmt::format("cast({}, {})", type, a.at(index).text)};
  };
  if (IsFloat(a.type) && IsFloat(type)) made.unrounded = std::make_shared<TorchTensor>(a);
  return made;
}

}  // namespace exh::search::torch
