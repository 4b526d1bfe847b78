// SPDX-License-Identifier: MIT
#include "search/simulate/whole/oracle_evaluator.h"

#include <fmt/format.h>

#include <utility>

#include "base/numbers.h"
#include "search/log/decisions.h"

namespace exh::search {
namespace {

using kernels::Compiled;
using kernels::Measurement;
using kernels::Verdict;

/// As logs have it (EvalRecord::code).
std::string CodeOf(const std::string& source) {
  return HashText(WithoutComments(source));
}

bool IsOfCompiler(Verdict verdict) {
  return verdict == Verdict::kCompileError || verdict == Verdict::kCompileTimeout ||
         verdict == Verdict::kSpills;
}

}  // namespace

Compiled OracleEvaluator::CompileOf(const kernels::Source& source,
                                    const runtime::Candidate& implementation) {
  if (auto refused = NotCompiled(source)) return *std::move(refused);
  std::string code = CodeOf(source.text);
  OracleAnswer answer = oracle_.Of(implementation, VectorText(implementation), code);
  answers_.insert_or_assign(std::move(code), std::move(answer));
  return Compile(source);
}

Compiled OracleEvaluator::Compile(const kernels::Source& source) {
  Compiled compiled;
  compiled.source = source.text;
  const auto known = answers_.find(CodeOf(source.text));
  if (known == answers_.end()) {
    compiled.verdict = Verdict::kBroken;
    compiled.why = "an oracle is asked for implementations, and not for texts";
  } else if (IsOfCompiler(known->second.verdict)) {
    compiled.verdict = known->second.verdict;
    compiled.why = known->second.why;
  }
  return compiled;
}

Measurement OracleEvaluator::Measure(const Compiled& compiled, const Cap& cap, Effort /*effort*/) {
  Measurement measurement;
  const auto known = answers_.find(CodeOf(compiled.source));
  if (known == answers_.end()) {
    measurement.why = compiled.why;
    return measurement;
  }
  const OracleAnswer& answer = known->second;
  measurement.verdict = answer.verdict;
  measurement.why = answer.why;
  if (answer.verdict == Verdict::kSlow) measurement.estimate_ns = answer.estimate_ns;
  if (answer.verdict != Verdict::kCorrect) return measurement;
  if (cap.ns > 0 && answer.ns > cap.ns) {
    measurement.verdict = Verdict::kSlow;
    measurement.why = fmt::format("slower than {}", FormatTime(cap.ns));
    return measurement;
  }
  measurement.best_ns = answer.ns;
  measurement.runtimes_ns = {answer.ns};
  return measurement;
}

}  // namespace exh::search
