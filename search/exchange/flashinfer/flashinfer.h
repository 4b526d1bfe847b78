// SPDX-License-Identifier: MIT
//
// FlashInfer Trace: a definition of an operator, with its reference in PyTorch, becomes a kernel as
// text; its workloads become shapes for `search tune`. The reference is read line by line
// (exchange/torch); what is not understood is refused.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace exh::search {

struct FlashInferKernel {
  std::string name;  ///< Of the definition.
  std::string text;  ///< docs/kernels.md
  /// Of the axes that a workload decides: the name of the size.
  std::map<std::string, std::string, std::less<>> sizes;
  /// Of axes that are no sizes of it: what other axes make of them, "H_kv * 4".
  std::map<std::string, std::string, std::less<>> derived;
};

/// Throws UsageError with what is wrong or not understood.
FlashInferKernel KernelOfDefinition(std::string_view json);

/// Workloads, an object a line, as lines of shapes of the kernel in the file `kernel`. Those of
/// other definitions are left out, and those that are alike stand once. Throws UsageError with the
/// line.
std::string ShapesOfWorkloads(std::string_view jsonl, const FlashInferKernel& definition,
                              const std::string& kernel);

}  // namespace exh::search
