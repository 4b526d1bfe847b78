// SPDX-License-Identifier: MIT
#include "search/report/proof.h"

#include <fmt/format.h>

#include "base/numbers.h"
#include "search/report/report.h"

namespace exh::search {

namespace {

/// What a proof does not speak of.
std::string ExceptionText(const Proof& proof) {
  std::uint64_t count = 0;
  for (const auto& [verdict, number] : proof.unmeasured) count += number;
  if (count == 0) return "";
  return fmt::format("  ({} without a time left aside: {})\n",
                     count == 1 ? "one implementation" : fmt::format("{} implementations", count),
                     CountsText(proof.unmeasured, proof.unmeasured.size()));
}

}  // namespace

std::string ProofText(const Proof& proof, const TimeInterval& best) {
  if (proof.violations > 0) {
    std::string text = fmt::format(
        "the bound was above what was measured {} {}: a mistake of {}, so that nothing is proven\n",
        proof.violations, proof.violations == 1 ? "time" : "times",
        proof.is_stated ? "the bound that the space states" : "the model");
    for (const ViolationRecord& example : proof.examples) {
      text += fmt::format("  record {}: {} measured, bound {}{}{}\n", example.n,
                          FormatTime(example.ns), FormatTime(example.bound_ns),
                          example.resource.empty() ? "" : ", by ", example.resource);
    }
    if (!proof.measured.empty()) {
      text += fmt::format(
          "  it rests on {}, measured on this machine: remove that file, and the next search "
          "measures again\n",
          proof.measured);
    }
    return text;
  }
  if (proof.exhausted && best.ns <= 0) return "proven: no implementation of this space is of use\n";
  if (proof.exhausted && proof.pruned == 0) {
    return "proven: optimal, every implementation of this space was evaluated\n" +
           ExceptionText(proof);
  }
  std::string text;
  if (proof.exhausted) {
    text += fmt::format("proven: optimal within {:.3g} %\n", 100 * proof.epsilon);
  }
  if (proof.bound_ns > 0) {
    text += fmt::format("{}: no implementation of this space{} is faster than {}",
                        proof.is_stated ? "by the bound that the space states" : "proven",
                        proof.of_least_memory ? " that takes as little memory" : "",
                        FormatTime(proof.bound_ns));
    if (best.is_busy()) {
      text += fmt::format("; the best takes {:.3g}x to {:.3g}x as long",
                          best.lo_ns / proof.bound_ns, best.hi_ns / proof.bound_ns);
    } else if (best.ns > 0) {
      const double factor = best.ns / proof.bound_ns;
      text += factor < 2 ? fmt::format("; the best takes {:.3g} % more", 100 * (factor - 1))
                         : fmt::format("; the best takes {:.3g}x as long", factor);
    }
    text += "\n";
  }
  return text.empty() ? text : text + ExceptionText(proof);
}

std::optional<double> SolScore(double time_ns, double bound_ns, double peer_ns) {
  if (bound_ns <= 0 || time_ns < bound_ns || peer_ns <= bound_ns) return std::nullopt;
  return 1 / (1 + (time_ns - bound_ns) / (peer_ns - bound_ns));
}

std::string SolText(const Proof& proof, const TimeInterval& best,
                    const std::vector<ReferenceRecord>& references) {
  if (proof.violations > 0 || proof.of_least_memory || best.is_busy()) return "";
  const ReferenceRecord* peer = nullptr;
  for (const ReferenceRecord& record : references) {
    const bool is_library =
        record.name != "winner" && record.name != "naive" && !record.name.starts_with("record ");
    if (!is_library || record.verdict != kernels::Verdict::kCorrect) continue;
    const double ns = IntervalOf(record).ns;
    if (ns > 0 && (peer == nullptr || ns < IntervalOf(*peer).ns)) peer = &record;
  }
  if (peer == nullptr || IntervalOf(*peer).is_busy()) return "";
  const std::optional<double> score = SolScore(best.ns, proof.bound_ns, IntervalOf(*peer).ns);
  if (!score) return "";
  return fmt::format("  SOL score {:.3f} (1: {}, what is proven; 0.5: as fast as {})\n", *score,
                     FormatTime(proof.bound_ns), peer->why.empty() ? peer->name : peer->why);
}

}  // namespace exh::search
