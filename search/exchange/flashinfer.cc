// SPDX-License-Identifier: MIT
#include "search/exchange/flashinfer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "base/user_json.h"

namespace exh::search {
namespace {

using TraceJson = nlohmann::ordered_json;

/// Of a kernel (docs/kernels.md).
constexpr std::array<std::string_view, 16> kReserved = {
    "aligned", "and", "end",    "in",      "inf",     "input",  "kernel", "not",
    "option",  "or",  "output", "outside", "require", "scalar", "size",   "strides"};
constexpr std::array<std::string_view, 12> kFunctions = {
    "tile", "xor", "sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "rsqrt", "cast"};

/// What follows a name that a kernel may not have.
std::string NameIn(const std::string& name) {
  std::string made;
  for (const char c : name) {
    const bool keeps =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    made += keeps ? c : '_';
  }
  const bool is_reserved = std::ranges::find(kReserved, made) != kReserved.end() ||
                           std::ranges::find(kFunctions, made) != kFunctions.end();
  if (made.empty() || (made.front() >= '0' && made.front() <= '9')) made = "k" + made;
  return is_reserved ? made + "_" : made;
}

struct Tensor {
  std::string name, type;
  std::vector<std::string> shape;  ///< Axes.
  bool is_scalar = false;
};

struct Definition {
  std::string name, op_type, reference;
  std::map<std::string, std::optional<std::int64_t>, std::less<>> axes;  ///< Nothing: variable.
  std::vector<std::string> order;                                        ///< Of the axes.
  std::vector<Tensor> inputs, outputs;
};

const TraceJson& MemberOf(const TraceJson& json, const char* key, const std::string& where) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (!json.is_object() || found == json.end()) {
    throw UsageError(fmt::format("{} has no '{}'", where, key));
  }
  return *found;
}

std::string TextOf(const TraceJson& json, const char* key, const std::string& where) {
  const TraceJson& text = MemberOf(json, key, where);
  if (!text.is_string()) throw UsageError(fmt::format("'{}' of {} is no text", key, where));
  return text.get<std::string>();
}

std::string TypeOf(const std::string& dtype, const std::string& where) {
  if (dtype == "float32") return "f32";
  if (dtype == "float16") return "f16";
  if (dtype == "bfloat16") return "bf16";
  throw UsageError(
      fmt::format("dtype '{}' of {}; float32, float16 and bfloat16 are known", dtype, where));
}

std::vector<Tensor> TensorsIn(const TraceJson& json, const char* key,
                              const Definition& definition) {
  std::vector<Tensor> tensors;
  for (const auto& [name, about] : MemberOf(json, key, "the definition").items()) {
    const std::string where = fmt::format("'{}'", name);
    Tensor tensor{.name = name, .type = TypeOf(TextOf(about, "dtype", where), where)};
    const TraceJson& shape = MemberOf(about, "shape", where);
    tensor.is_scalar = shape.is_null();
    for (const TraceJson& axis : shape) {
      if (!axis.is_string() || !definition.axes.contains(axis.get<std::string>())) {
        throw UsageError(
            fmt::format("the shape of {} has {}, which is no axis", where, axis.dump()));
      }
      tensor.shape.push_back(axis.get<std::string>());
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Definition ParseDefinition(std::string_view text) {
  TraceJson json;
  try {
    json = ParseUserJson<TraceJson>(text);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  const std::string where = "the definition";
  Definition definition;
  definition.name = TextOf(json, "name", where);
  definition.op_type = TextOf(json, "op_type", where);
  definition.reference = TextOf(json, "reference", where);
  const std::vector<std::string> known = {"gemm", "rmsnorm"};
  if (std::ranges::find(known, definition.op_type) == known.end()) {
    throw UsageError(fmt::format("op_type '{}' is not known; {} are", definition.op_type,
                                 fmt::join(known, " and ")));
  }
  for (const auto& [name, axis] : MemberOf(json, "axes", where).items()) {
    const std::string axis_where = fmt::format("axis '{}'", name);
    const std::string type = TextOf(axis, "type", axis_where);
    std::optional<std::int64_t>& value = definition.axes[name];
    definition.order.push_back(name);
    if (type == "var") continue;
    if (type != "const") throw UsageError(fmt::format("{} is neither const nor var", axis_where));
    const TraceJson& number = MemberOf(axis, "value", axis_where);
    if (!number.is_number_integer() || number.get<std::int64_t>() < 1) {
      throw UsageError(fmt::format("the value of {} is no whole number from 1 on", axis_where));
    }
    value = number.get<std::int64_t>();
  }
  definition.inputs = TensorsIn(json, "inputs", definition);
  definition.outputs = TensorsIn(json, "outputs", definition);
  return definition;
}

/// A text without blanks: how somebody writes `A @ B.T` makes no difference.
std::string WithoutBlanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  return text;
}

[[noreturn]] void NotKnown(const Definition& definition, const std::string& what) {
  std::string reference = Shortened(definition.reference, 200);
  std::ranges::replace(reference, '\n', ' ');
  throw UsageError(fmt::format("its reference is not known to be {}: {}", what, reference));
}

/// Sizes: axes that are constant have one value.
std::string SizesText(const Definition& definition, FlashInferKernel& kernel) {
  constexpr std::int64_t kUsual = 512;
  std::string text;
  for (const std::string& axis : definition.order) {
    const std::optional<std::int64_t>& value = definition.axes.at(axis);
    if (value) {
      text += fmt::format("  size {0} = {1} in {1}..{1}\n", NameIn(axis), *value);
    } else {
      text += fmt::format("  size {} = {}\n", NameIn(axis), kUsual);
      kernel.sizes[axis] = NameIn(axis);
    }
  }
  return text;
}

std::string ArrayText(const char* word, const Tensor& tensor) {
  std::vector<std::string> extents;
  for (const std::string& axis : tensor.shape) extents.push_back(NameIn(axis));
  return fmt::format("  {} {}: {}[{}]\n", word, NameIn(tensor.name), tensor.type,
                     fmt::join(extents, ", "));
}

/// Does the reference return A @ B.T, and do nothing else?
bool IsProductAlone(const std::string& reference, const std::string& a, const std::string& b) {
  const std::vector<std::string> products = {fmt::format("torch.matmul({},{}.T)", a, b),
                                             fmt::format("{}@{}.T", a, b)};
  std::string result;  // The name that the product has.
  bool is_returned = false;
  for (const std::string_view line : Split(reference, '\n')) {
    const std::string text = WithoutBlanks(std::string(line));
    const bool is_frame = text.empty() || text.starts_with("#") || line.starts_with("import ") ||
                          line.starts_with("from ") || line.starts_with("def ");
    if (is_frame) continue;
    const bool is_return = line.starts_with("return");
    const std::size_t equals = is_return ? std::string::npos : text.find('=');
    const std::string value = is_return                     ? text.substr(6)
                              : equals == std::string::npos ? ""
                                                            : text.substr(equals + 1);
    const bool is_product = std::ranges::find(products, value) != products.end();
    if (is_return && (is_product || (!result.empty() && value == result))) {
      is_returned = true;
    } else if (is_product && equals != std::string::npos && result.empty()) {
      result = text.substr(0, equals);
    } else {
      return false;
    }
  }
  return is_returned;
}

/// C[i, j] = sum of A[i, p] * B[j, p].
std::string GemmText(const Definition& definition) {
  const auto& in = definition.inputs;
  const auto& out = definition.outputs;
  const bool has_shapes = in.size() == 2 && out.size() == 1 && in[0].shape.size() == 2 &&
                          in[1].shape.size() == 2 &&
                          out[0].shape == std::vector{in[0].shape[0], in[1].shape[0]} &&
                          in[0].shape[1] == in[1].shape[1] && in[0].shape[0] != in[1].shape[0];
  const std::string a = in.empty() ? "" : in[0].name, b = in.size() < 2 ? "" : in[1].name;
  const bool is_product = IsProductAlone(definition.reference, a, b);
  if (!has_shapes || !is_product) NotKnown(definition, "C = A * B^T of [M, K] and [N, K]");
  return fmt::format(
      "{}{}{}  product[i, j] = sum(p) {}[i, p] * {}[j, p]\n  {}[i, j] = product[i, j]\n",
      ArrayText("input", in[0]), ArrayText("input", in[1]), ArrayText("output", out[0]), NameIn(a),
      NameIn(b), NameIn(out[0].name));
}

/// The number of a line "EPS = 1e-5".
std::optional<std::string> EpsilonIn(const std::string& reference) {
  for (const std::string_view line : Split(reference, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = Trim(line.substr(0, equals));
    const std::string_view value = Trim(line.substr(equals + 1));
    if (name != "EPS" && name != "eps" && name != "epsilon") continue;
    double number = 0;
    const char* const end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || !(number > 0 && number < 1)) continue;
    std::string text = fmt::format("{:.15f}", number);  // Kernels have no exponents.
    text.erase(text.find_last_not_of('0') + 1);
    return text;
  }
  return std::nullopt;
}

/// Rows over the root of their mean square, scaled; with something added before.
std::string RmsNormText(const Definition& definition) {
  std::vector<Tensor> rows, weights;
  std::string epsilon, arrays;
  for (const Tensor& tensor : definition.inputs) {
    if (tensor.is_scalar) {
      if (tensor.name != "eps" && tensor.name != "epsilon") {
        NotKnown(definition, "an RMS norm (a scalar that is no eps)");
      }
      epsilon = NameIn(tensor.name);
      arrays += fmt::format("  scalar {} = 0.000001\n", epsilon);
      continue;
    }
    (tensor.shape.size() == 2 ? rows : weights).push_back(tensor);
    arrays += ArrayText("input", tensor);
  }
  const bool has_shapes =
      (rows.size() == 1 || rows.size() == 2) && weights.size() == 1 &&
      definition.outputs.size() == 1 && definition.outputs[0].shape == rows[0].shape &&
      rows.back().shape == rows[0].shape && weights[0].shape == std::vector{rows[0].shape[1]};
  const std::string reference = WithoutBlanks(definition.reference);
  const auto has = [&](const std::string& part) {
    return reference.find(part) != std::string::npos;
  };
  if (!has_shapes || !has("pow(2)") || !has("mean(") || !has("rsqrt(")) {
    NotKnown(definition, "an RMS norm of [batch, hidden] with a weight of [hidden]");
  }
  const std::string& weight = weights[0].name;
  if (has("+" + weight) || has(weight + "+") || has(weight + ".to(torch.float32)+")) {
    NotKnown(definition, "an RMS norm with nothing added to its weight");
  }
  if (rows.size() == 2 && !has("+" + rows[1].name) && !has(rows[1].name + "+") &&
      !has(rows[1].name + ".to(torch.float32)")) {
    NotKnown(definition, "an RMS norm of a sum");
  }
  std::string number = epsilon;
  if (number.empty()) {
    const auto said = EpsilonIn(definition.reference);
    if (!said) NotKnown(definition, "an RMS norm with a line 'EPS = …' or an input eps");
    number = *said;
  }
  const std::string width = NameIn(rows[0].shape[1]);
  const std::string in = NameIn(rows[0].name);
  std::string text = arrays + ArrayText("output", definition.outputs[0]);
  std::string row = fmt::format("cast(f32, {}[i, j])", in);
  if (rows.size() == 2) {
    text += fmt::format("  added[i, j] = {} + cast(f32, {}[i, j])\n", row, NameIn(rows[1].name));
    row = "added[i, j]";
  }
  text += fmt::format("  square[i] = (sum(j) {0} * {0}) / {1}\n", row, width);
  text += fmt::format("  scaled[i, j] = {} * rsqrt(square[i] + {}) * cast(f32, {}[j])\n", row,
                      number, NameIn(weights[0].name));
  const Tensor& out = definition.outputs[0];
  return text + fmt::format("  {}[i, j] = cast({}, scaled[i, j])\n", NameIn(out.name), out.type);
}

}  // namespace

FlashInferKernel KernelOfDefinition(std::string_view json) {
  const Definition definition = ParseDefinition(json);
  FlashInferKernel kernel;
  kernel.name = definition.name;
  const std::string body =
      definition.op_type == "gemm" ? GemmText(definition) : RmsNormText(definition);
  kernel.text = fmt::format("/// the definition '{}' of FlashInfer Trace\nkernel {}\n{}{}end\n",
                            NameIn(definition.name), NameIn(definition.name),
                            SizesText(definition, kernel), body);
  return kernel;
}

std::string ShapesOfWorkloads(std::string_view jsonl, const FlashInferKernel& definition,
                              const std::string& kernel) {
  std::string text;
  std::set<std::string> known;
  int number = 0;
  while (!jsonl.empty()) {
    const std::size_t end = std::min(jsonl.find('\n'), jsonl.size());
    const std::string_view line = Trim(jsonl.substr(0, end));
    jsonl.remove_prefix(std::min(end + 1, jsonl.size()));
    ++number;
    if (line.empty()) continue;
    const std::string where = fmt::format("line {}", number);
    TraceJson json;
    try {
      json = ParseUserJson<TraceJson>(line);
    } catch (const Error& error) {
      throw UsageError(fmt::format("{}: {}", where, error.what()));
    }
    // Stored as a trace without a result, or by itself.
    const bool is_trace = json.is_object() && json.contains("workload");
    if (is_trace && json.contains("definition") && json["definition"] != definition.name) continue;
    const TraceJson& axes = MemberOf(is_trace ? json["workload"] : json, "axes", where);
    TraceJson sizes = TraceJson::object();
    for (const auto& [axis, size] : definition.sizes) {
      const TraceJson& value = MemberOf(axes, axis.c_str(), where);
      if (!value.is_number_integer() || value.get<std::int64_t>() < 1) {
        throw UsageError(fmt::format("{}: '{}' is no whole number from 1 on", where, axis));
      }
      sizes[size] = value;
    }
    const std::string shape = TraceJson{{"kernel", kernel}, {"sizes", sizes}}.dump() + "\n";
    if (known.insert(shape).second) text += shape;
  }
  if (text.empty()) {
    throw UsageError(fmt::format("it has no workload of '{}'", definition.name));
  }
  return text;
}

}  // namespace exh::search
