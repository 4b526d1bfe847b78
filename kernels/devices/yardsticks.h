// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/devices/evaluator.h"

namespace exh::kernels {

/// A source that a winner is compared with, to be compiled.
struct NamedSource {
  std::string name;
  Source source;
  std::uint64_t workspace_bytes = 0;  ///< What it takes beside the arrays.
  /// Is it checked on special values, too? Libraries have their own ideas of NaN.
  bool is_ours = false;
  /// Not kCorrect: there is no source, for the reason `why`.
  Verdict verdict = Verdict::kCorrect;
  std::string why = {};
};

/// Compiles all of them, `jobs` at once.
std::vector<Contender> CompileYardsticks(Evaluator& evaluator,
                                         const std::vector<NamedSource>& yardsticks, int jobs);

}  // namespace exh::kernels
