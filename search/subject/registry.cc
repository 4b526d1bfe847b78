// SPDX-License-Identifier: MIT
#include "search/subject/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"

namespace exh::search {

const std::vector<SubjectKind>& SubjectKinds() {
  static const std::vector<SubjectKind> kinds = [] {
    std::vector<SubjectKind> all;
    exh_list_of_subjects(all);
    return all;
  }();
  return kinds;
}

std::unique_ptr<Subject> SubjectOf(const RunRecord& run, const Allowance& allowance) {
  const auto found = std::ranges::find(SubjectKinds(), run.subject, &SubjectKind::name);
  if (found != SubjectKinds().end()) return found->of(run, allowance);
  std::vector<std::string> names;
  for (const SubjectKind& kind : SubjectKinds()) {
    names.emplace_back(*kind.name == '\0' ? "kernels" : kind.name);
  }
  throw UsageError(fmt::format(
      "this is of the subject '{}', which this program does not have; it has {}; a newer one may",
      run.subject, fmt::join(names, ", ")));
}

}  // namespace exh::search
