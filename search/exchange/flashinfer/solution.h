// SPDX-License-Identifier: MIT
//
// Winners as a solution of FlashInfer Trace: a JSON file with sources that its own tools build. The
// sources are those of a tuned library (search/install), and a function with the arguments of the
// definition, in the order of its inputs and then its outputs, which picks by the shapes of what it
// is given. Tensors are those of DLPack (TVM-FFI).
#pragma once

#include <string>
#include <vector>

namespace exh::search {

struct SolutionRequest {
  std::vector<std::string> runs;  ///< Folders, logs, or RUN@N.
  std::string definition;         ///< Its JSON.
  std::string name;               ///< Empty: the definition's with "exhaust" before it.
  std::string author = "exhaust";
};

/// The JSON of a solution. Throws UsageError: a definition that is none or not understood, a run of
/// another kernel than this becomes, runs of several kinds of devices.
std::string SolutionOf(const SolutionRequest& request);

}  // namespace exh::search
