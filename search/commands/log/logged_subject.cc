// SPDX-License-Identifier: MIT
#include "search/commands/log/logged_subject.h"

#include <fmt/format.h>

#include <exception>

#include "base/error.h"
#include "search/log/replay.h"
#include "search/report/report.h"
#include "search/subject/registry.h"
#include "search/why/side_by_side.h"

namespace exh::search {

namespace {

/// The loops of a record in lines. Throws whatever making them again may throw.
std::string OutlineOf(const Log& log, const std::string& name, const EvalRecord& eval) {
  const std::unique_ptr<Subject> subject = SubjectOf(*log.run);
  runtime::Candidate candidate = subject->root();
  CheckSameSpace(log, name, candidate.instance());
  ReplayRecord(log, eval, candidate);
  return subject->Outline(candidate);
}

/// What `work` makes, or why loops cannot be made again.
template <typename Work>
std::string OrWhyNot(const char* whose, const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return fmt::format("{} loops cannot be made again: {}\n", whose, error.what());
  }
}

}  // namespace

std::string LoopsOf(const Log& log, const std::string& name, const EvalRecord& eval) {
  return OrWhyNot("its", [&] {
    const std::string outline = OutlineOf(log, name, eval);
    return outline.empty() ? "" : "its loops:\n" + Indented(outline);
  });
}

std::string LoopsBesideEachOther(const Log& log_a, const std::string& name_a,
                                 const EvalRecord& eval_a, const Log& log_b,
                                 const std::string& name_b, const EvalRecord& eval_b) {
  return OrWhyNot("their", [&]() -> std::string {
    const std::string a = OutlineOf(log_a, name_a, eval_a), b = OutlineOf(log_b, name_b, eval_b);
    if (a.empty() && b.empty()) return "";
    if (a == b) return "their loops are the same\n";
    constexpr std::size_t kWidth = 56;
    return "their loops:\n" + Indented(SideBySide(a, b, kWidth));
  });
}

void CheckComparable(const Log& log_a, const std::string& name_a, const Log& log_b,
                     const std::string& name_b) {
  const RunRecord &a = *log_a.run, &b = *log_b.run;
  std::string difference;
  if (a.space != b.space) difference = fmt::format("spaces: {} and {}", a.space, b.space);
  if (a.kernel != b.kernel) difference = fmt::format("kernels: {} and {}", a.kernel, b.kernel);
  if (difference.empty()) return;
  throw UsageError(
      fmt::format("'{}' and '{}' are of different {}; decisions are compared of one kernel", name_a,
                  name_b, difference));
}

}  // namespace exh::search
