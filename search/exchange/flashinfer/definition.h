// SPDX-License-Identifier: MIT
//
// A definition of FlashInfer Trace, as its JSON has it: an operator with axes that are known or
// that a workload decides, tensors, and a reference in PyTorch.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace exh::search {

using TraceJson = nlohmann::ordered_json;

struct DefinedTensor {
  std::string name;
  std::string type;                ///< "f32"
  std::vector<std::string> shape;  ///< Axes.
  bool is_scalar = false;
};

struct Definition {
  std::string name, op_type, reference;
  std::vector<std::string> constraints;
  std::map<std::string, std::optional<std::int64_t>, std::less<>> axes;  ///< Nothing: variable.
  std::vector<std::string> order;                                        ///< Of the axes.
  std::vector<DefinedTensor> inputs, outputs;
};

/// Throws UsageError with what is wrong.
Definition ParseDefinition(std::string_view json);

/// The member of an object. Throws UsageError, "`where` has no 'key'".
const TraceJson& TraceMember(const TraceJson& json, const char* key, const std::string& where);

/// Words that no name of a kernel can be.
const std::set<std::string>& WordsOfKernels();
/// What follows a name that a kernel may not have.
std::string KernelNameOf(const std::string& name);

}  // namespace exh::search
