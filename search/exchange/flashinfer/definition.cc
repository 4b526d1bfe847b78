// SPDX-License-Identifier: MIT
#include "search/exchange/flashinfer/definition.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "base/user_json.h"
#include "kernels/notation/words.h"
#include "search/exchange/torch/torch_value.h"

namespace exh::search {
namespace {

/// Of a kernel (docs/kernels.md), beside the words of functions and reductions.
constexpr std::array<std::string_view, 18> kKernelWords = {
    "aligned", "and", "end",    "in",      "inf",     "input",  "kernel", "not",  "option",
    "or",      "xor", "output", "outside", "require", "scalar", "size",   "tile", "strides"};

std::string TraceText(const TraceJson& json, const char* key, const std::string& where) {
  const TraceJson& text = TraceMember(json, key, where);
  if (!text.is_string()) throw UsageError(fmt::format("'{}' of {} is no text", key, where));
  return text.get<std::string>();
}

std::string TypeOfTensor(const std::string& dtype, const std::string& where) {
  const std::string type = torch::TypeOfTorch(dtype);
  if (!type.empty()) return type;
  throw UsageError(
      fmt::format("dtype '{}' of {}; float32, float16, bfloat16, float8_e4m3fn, float8_e5m2, "
                  "float64, int64, int32, int8 and bool are known",
                  dtype, where));
}

std::vector<DefinedTensor> TraceTensors(const TraceJson& json, const char* key,
                                        const Definition& definition) {
  std::vector<DefinedTensor> tensors;
  for (const auto& [name, about] : TraceMember(json, key, "the definition").items()) {
    const std::string where = fmt::format("'{}'", name);
    DefinedTensor tensor{.name = name,
                         .type = TypeOfTensor(TraceText(about, "dtype", where), where)};
    const TraceJson& shape = TraceMember(about, "shape", where);
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

}  // namespace

const TraceJson& TraceMember(const TraceJson& json, const char* key, const std::string& where) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (!json.is_object() || found == json.end()) {
    throw UsageError(fmt::format("{} has no '{}'", where, key));
  }
  return *found;
}

const std::set<std::string>& WordsOfKernels() {
  static const std::set<std::string> words = [] {
    std::set<std::string> all(kKernelWords.begin(), kKernelWords.end());
    for (const std::string& word : kernels::notation::CallWords()) all.insert(word);
    return all;
  }();
  return words;
}

std::string KernelNameOf(const std::string& name) {
  std::string made;
  for (const char c : name) {
    const bool keeps =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    made += keeps ? c : '_';
  }
  if (made.empty() || (made.front() >= '0' && made.front() <= '9')) made = "k" + made;
  return WordsOfKernels().contains(made) ? made + "_" : made;
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
  definition.name = TraceText(json, "name", where);
  definition.op_type = TraceText(json, "op_type", where);
  definition.reference = TraceText(json, "reference", where);
  for (const auto& [name, axis] : TraceMember(json, "axes", where).items()) {
    const std::string axis_where = fmt::format("axis '{}'", name);
    const std::string type = TraceText(axis, "type", axis_where);
    std::optional<std::int64_t>& value = definition.axes[name];
    definition.order.push_back(name);
    if (type == "var") continue;
    if (type != "const") throw UsageError(fmt::format("{} is neither const nor var", axis_where));
    const TraceJson& number = TraceMember(axis, "value", axis_where);
    if (!number.is_number_integer() || number.get<std::int64_t>() < 1) {
      throw UsageError(fmt::format("the value of {} is no whole number from 1 on", axis_where));
    }
    value = number.get<std::int64_t>();
  }
  definition.inputs = TraceTensors(json, "inputs", definition);
  definition.outputs = TraceTensors(json, "outputs", definition);
  const auto constraints = json.find("constraints");
  if (constraints != json.end() && !constraints->is_null()) {
    for (const TraceJson& constraint : *constraints) {
      if (!constraint.is_string()) throw UsageError("a constraint is no text");
      definition.constraints.push_back(constraint.get<std::string>());
    }
  }
  return definition;
}

}  // namespace exh::search
