// SPDX-License-Identifier: MIT
#include "search/proof.h"

#include <fmt/format.h>

#include "search/numbers.h"

namespace exh::search {

namespace {

/// What a proof does not speak of.
std::string ExceptionText(const Proof& proof) {
  if (proof.unmeasured == 0) return "";
  return fmt::format("  ({} implementations that do not compile, spill or crash left aside)\n",
                     proof.unmeasured);
}

}  // namespace

std::string ProofText(const Proof& proof, double best_ns) {
  if (proof.violations > 0) {
    std::string text = fmt::format(
        "the bound was above what was measured {} {}: a mistake of the model, so that nothing is "
        "proven\n",
        proof.violations, proof.violations == 1 ? "time" : "times");
    for (const ViolationRecord& example : proof.examples) {
      text += fmt::format("  record {}: {} measured, bound {}{}{}\n", example.n,
                          FormatTime(example.ns), FormatTime(example.bound_ns),
                          example.resource.empty() ? "" : ", by ", example.resource);
    }
    return text;
  }
  if (proof.exhausted && best_ns <= 0) return "proven: no implementation of this space is of use\n";
  if (proof.exhausted && proof.pruned == 0) {
    return "proven: optimal, every implementation of this space was evaluated\n" +
           ExceptionText(proof);
  }
  std::string text;
  if (proof.exhausted) {
    text += fmt::format("proven: optimal within {:.3g} %\n", 100 * proof.epsilon);
  }
  if (proof.bound_ns > 0) {
    text += fmt::format("proven: no implementation of this space is faster than {}",
                        FormatTime(proof.bound_ns));
    if (best_ns > 0) {
      text += fmt::format("; the best takes {:.3g} % more", 100 * (best_ns / proof.bound_ns - 1));
    }
    text += "\n";
  }
  return text.empty() ? text : text + ExceptionText(proof);
}

}  // namespace exh::search
