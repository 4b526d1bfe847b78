// SPDX-License-Identifier: MIT
#include "search/exchange/flashinfer/flashinfer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "base/user_json.h"
#include "search/exchange/flashinfer/definition.h"
#include "search/exchange/python/python_text.h"
#include "search/exchange/torch/torch_reference.h"

namespace exh::search {
namespace {

using torch::NumberOf;
using torch::SizeIn;
using torch::TorchBody;
using torch::TorchSize;
using torch::TorchTensor;

/// Lengths that are data, in other words: tensors that say where rows begin, or which pages there
/// are. Empty: there are none.
std::string RaggedInputs(const Definition& definition) {
  std::vector<std::string> names;
  for (const DefinedTensor& tensor : definition.inputs) {
    const bool is_of_places = tensor.name.ends_with("indptr") || tensor.name.ends_with("indices") ||
                              tensor.name.ends_with("page_len");
    if (is_of_places && (tensor.type == "i32" || tensor.type == "i64")) {
      names.push_back("'" + tensor.name + "'");
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// A definition as statements.
class DefinitionReader {
 public:
  /// The axis `pair_axis` is that pair; empty: none is.
  DefinitionReader(const Definition& definition, std::string pair_axis,
                   std::optional<TorchSize> pair)
      : definition_(definition),
        pair_axis_(std::move(pair_axis)),
        pair_(pair),
        body_(TakenNames(definition), std::move(pair)) {}

  FlashInferKernel Kernel() {
    for (const std::string& axis : definition_.order) {
      sizes_[axis] = {KernelNameOf(axis), definition_.axes.at(axis)};
    }
    for (const std::string& constraint : definition_.constraints) Constrain(constraint);
    if (pair_) sizes_[pair_axis_] = *pair_;
    std::vector<std::pair<std::string, TorchTensor>> inputs;
    std::string arrays;
    for (const DefinedTensor& tensor : definition_.inputs) {
      const std::string name = KernelNameOf(tensor.name);
      if (tensor.is_scalar) {
        inputs.emplace_back(tensor.name, body_.Scalar(name, tensor.type));
        arrays += ScalarText(tensor);
      } else {
        inputs.emplace_back(tensor.name, body_.Array(name, tensor.type, ShapeOf(tensor)));
        arrays += ArrayText("input", tensor);
      }
    }
    const auto result = torch::ReadReference(definition_.reference, inputs, body_);
    for (std::size_t i = 0; i < definition_.outputs.size(); ++i) {
      const DefinedTensor& output = definition_.outputs[i];
      arrays += ArrayText("output", output);
      body_.Output(KernelNameOf(output.name), output.type, ShapeOf(output), ResultFor(result, i));
    }
    FlashInferKernel kernel;
    kernel.name = definition_.name;
    const std::string name = KernelNameOf(definition_.name);
    kernel.text =
        fmt::format("/// the definition '{}' of FlashInfer Trace\nkernel {}\n{}{}{}{}end\n",
                    definition_.name, name, SizesText(kernel), requires_, arrays, body_.Text());
    for (const std::string& axis : definition_.order) {
      const TorchSize& size = sizes_.at(axis);
      if (!definition_.axes.at(axis) && size.text != KernelNameOf(axis)) {
        kernel.derived[axis] = size.text;
      }
    }
    return kernel;
  }

  /// Axes that could be pairs, once the kernel was made.
  std::vector<std::pair<std::string, TorchSize>> PossiblePairs() const {
    std::vector<std::pair<std::string, TorchSize>> pairs;
    for (const TorchSize& size : body_.repeated()) {
      for (const std::string& axis : definition_.order) {
        if (sizes_.at(axis).Equals(size)) pairs.emplace_back(axis, size);
      }
    }
    return pairs;
  }

 private:
  static std::set<std::string> TakenNames(const Definition& definition) {
    std::set<std::string> taken = WordsOfKernels();
    for (const std::string& axis : definition.order) taken.insert(KernelNameOf(axis));
    for (const auto* const tensors : {&definition.inputs, &definition.outputs}) {
      for (const DefinedTensor& tensor : *tensors) taken.insert(KernelNameOf(tensor.name));
    }
    return taken;
  }

  std::vector<TorchSize> ShapeOf(const DefinedTensor& tensor) const {
    std::vector<TorchSize> shape;
    for (const std::string& axis : tensor.shape) shape.push_back(sizes_.at(axis));
    return shape;
  }

  /// `H_qo == H_kv * H_r`: the axis alone is what the others make.
  void Constrain(const std::string& text) {
    try {
      const PythonNode node = ParsePython(text, PythonWords::kReference);
      if (node.kind != PythonNode::Kind::kCompare || node.operators.size() != 1) {
        throw UsageError("only comparisons are understood");
      }
      const TorchSize left = SizeIn(SideOf(node.parts[0]));
      const TorchSize right = SizeIn(SideOf(node.parts[1]));
      const bool is_name =
          node.operators[0] == "==" && !left.value && node.parts[0].kind == PythonNode::Kind::kName;
      if (is_name && right.text.find(left.text) == std::string::npos) {
        sizes_[node.parts[0].word] = right;
        return;
      }
      if (left.value && right.value) return;
      requires_ += fmt::format("  require {} {} {}\n", left.text, node.operators[0], right.text);
    } catch (const Error& error) {
      throw UsageError(fmt::format("the constraint '{}': {}", Shortened(text, 100), error.what()));
    }
  }
  TorchTensor SideOf(const PythonNode& node) const {
    if (node.kind == PythonNode::Kind::kValue && node.value.is_whole()) {
      return NumberOf(static_cast<double>(node.value.whole()), true);
    }
    if (node.kind == PythonNode::Kind::kCalculate && node.word != "@") {
      return torch::Combined(node.word, SideOf(node.parts[0]), SideOf(node.parts[1]));
    }
    const auto found = node.kind == PythonNode::Kind::kName ? sizes_.find(node.word) : sizes_.end();
    if (found == sizes_.end()) {
      throw UsageError("it is about more than axes, so about what only the data say");
    }
    return NumberOf(found->second);
  }

  TorchTensor ResultFor(const torch::ReferenceResult& result, std::size_t i) const {
    const std::string& name = definition_.outputs[i].name;
    std::size_t which = i;
    if (!result.names.empty()) {
      const auto found = std::ranges::find(result.names, name);
      if (found == result.names.end()) {
        throw UsageError(fmt::format("its reference does not return '{}'", name));
      }
      which = static_cast<std::size_t>(found - result.names.begin());
    }
    const bool has_all = result.results.size() == definition_.outputs.size();
    if (!has_all || which >= result.results.size()) {
      throw UsageError(fmt::format("its reference returns {} and the definition has {} outputs",
                                   result.results.size(), definition_.outputs.size()));
    }
    return result.results[which].tensor();
  }

  /// Axes that arrays have; those that are constant have one value.
  std::string SizesText(FlashInferKernel& kernel) const {
    // The more there are, the less each has.
    constexpr std::array<std::int64_t, 4> kUsual = {512, 256, 64, 16};
    const auto variable = static_cast<std::size_t>(std::ranges::count_if(
        definition_.axes, [](const auto& axis) { return !axis.second.has_value(); }));
    const std::int64_t usual = kUsual[std::clamp<std::size_t>(variable, 1, kUsual.size()) - 1];
    std::string text;
    for (const std::string& axis : definition_.order) {
      const std::string name = KernelNameOf(axis);
      const std::optional<std::int64_t>& value = definition_.axes.at(axis);
      if (sizes_.at(axis).text != name || !IsUsed(axis)) continue;
      if (value) {
        text += fmt::format("  size {0} = {1} in {1}..{1}\n", name, *value);
      } else {
        text += fmt::format("  size {} = {}\n", name, usual);
        kernel.sizes[axis] = name;
      }
    }
    return text;
  }
  /// In a shape, or in a size that other axes make.
  bool IsUsed(const std::string& axis) const {
    const std::string name = KernelNameOf(axis);
    for (const auto* const tensors : {&definition_.inputs, &definition_.outputs}) {
      for (const DefinedTensor& tensor : *tensors) {
        for (const std::string& one : tensor.shape) {
          const TorchSize& size = sizes_.at(one);
          if ((one == axis && size.parts.empty()) || HasWord(size.text, name)) return true;
          for (const std::string& part : size.parts) {
            if (HasWord(part, name)) return true;
          }
        }
      }
    }
    return HasWord(requires_, name);
  }
  static bool HasWord(const std::string& text, const std::string& word) {
    const auto is_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool begins = at == 0 || !is_word(text[at - 1]);
      if (begins && (end == text.size() || !is_word(text[end]))) return true;
    }
    return false;
  }

  std::string ArrayText(const char* word, const DefinedTensor& tensor) const {
    std::vector<std::string> extents;
    for (const TorchSize& size : ShapeOf(tensor)) {
      if (size.parts.empty()) extents.push_back(size.text);
      extents.insert(extents.end(), size.parts.begin(), size.parts.end());
    }
    const std::string shape = extents.empty() ? "" : fmt::format("[{}]", fmt::join(extents, ", "));
    return fmt::format("  {} {}: {}{}\n", word, KernelNameOf(tensor.name), tensor.type, shape);
  }
  /// With the value that a search uses.
  static std::string ScalarText(const DefinedTensor& tensor) {
    const std::string name = KernelNameOf(tensor.name);
    const bool is_small = name.find("eps") != std::string::npos;
    const std::string type = tensor.type == "f32" ? "" : ": " + tensor.type;
    const char* const value = !torch::IsFloat(tensor.type) ? "1" : is_small ? "0.000001" : "0.5";
    return fmt::format("  scalar {}{} = {}\n", name, type, value);
  }

  const Definition& definition_;
  const std::string pair_axis_;
  const std::optional<TorchSize> pair_;
  TorchBody body_;
  std::map<std::string, TorchSize, std::less<>> sizes_;
  std::string requires_;
};

}  // namespace

FlashInferKernel KernelOfDefinition(std::string_view json) {
  const Definition definition = ParseDefinition(json);
  const std::string ragged = RaggedInputs(definition);
  if (!ragged.empty()) {
    throw UsageError(
        fmt::format("op_type '{}' has rows whose lengths and places are data ({}); a kernel has "
                    "sizes that are known before a search",
                    definition.op_type, ragged));
  }
  DefinitionReader reader(definition, "", std::nullopt);
  const FlashInferKernel kernel = reader.Kernel();
  // What was repeated is read with a divided index; as a pair it is read as it lies there.
  for (const auto& [axis, pair] : reader.PossiblePairs()) {
    try {
      return DefinitionReader(definition, axis, pair).Kernel();
    } catch (const UsageError&) {  // Another axis of that size, or none is.
    }
  }
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
    const TraceJson& axes = TraceMember(is_trace ? json["workload"] : json, "axes", where);
    TraceJson sizes = TraceJson::object();
    for (const auto& [axis, size] : definition.sizes) {
      const TraceJson& value = TraceMember(axes, axis.c_str(), where);
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
