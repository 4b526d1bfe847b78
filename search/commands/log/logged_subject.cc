// SPDX-License-Identifier: MIT
#include "search/commands/log/logged_subject.h"

#include <fmt/format.h>

#include <exception>

#include "search/log/replay.h"
#include "search/report/report.h"
#include "search/subject/registry.h"

namespace exh::search {

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
