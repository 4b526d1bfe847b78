// SPDX-License-Identifier: MIT
#include "search/subject/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"

namespace exh::search {

namespace {

const std::vector<SubjectKind>& Kinds() {
  static const std::vector<SubjectKind> kinds = [] {
    std::vector<SubjectKind> all;
    exh_list_of_subjects(all);
    return all;
  }();
  return kinds;
}

}  // namespace

std::unique_ptr<Subject> SubjectOf(const RunRecord& run, const Allowance& allowance) {
  const auto found = std::ranges::find(Kinds(), run.subject, &SubjectKind::name);
  if (found != Kinds().end()) return found->of(run, allowance);
  std::vector<std::string> names;
  for (const SubjectKind& kind : Kinds()) {
    names.emplace_back(*kind.name == '\0' ? "kernels" : kind.name);
  }
  throw UsageError(fmt::format(
      "this is of the subject '{}', which this program does not have; it has {}; a newer one may",
      run.subject, fmt::join(names, ", ")));
}

}  // namespace exh::search
