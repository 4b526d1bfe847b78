// SPDX-License-Identifier: MIT
#include "search/commands/log/logged_subject.h"

#include <fmt/format.h>

#include <exception>

#include "search/functional/functional_subject.h"
#include "search/fused/fused_subject.h"
#include "search/kernel/kernel_subject.h"
#include "search/log/replay.h"
#include "search/report/report.h"

namespace exh::search {

std::unique_ptr<Subject> SubjectOf(const RunRecord& run) {
  if (run.kernel == kFusedKernel) return FusedSubject::Of(run);
  if (run.kernel == kFunctionalKernel) return FunctionalSubject::Of(run);
  return std::make_unique<KernelSubject>(MakeProblem(run));
}

std::string LoopsOf(const Log& log, const std::string& name, const EvalRecord& eval) {
  try {
    const std::unique_ptr<Subject> subject = SubjectOf(*log.run);
    runtime::Candidate candidate = subject->root();
    CheckSameSpace(log, name, candidate.instance());
    ReplayRecord(log, eval, candidate);
    const std::string outline = subject->Outline(candidate);
    return outline.empty() ? "" : "its loops:\n" + Indented(outline);
  } catch (const std::exception& error) {
    return fmt::format("its loops cannot be made again: {}\n", error.what());
  }
}

}  // namespace exh::search
