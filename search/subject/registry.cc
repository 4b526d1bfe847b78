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

const SubjectKind* LanguageOf(std::string_view path) {
  const auto found = std::ranges::find_if(SubjectKinds(), [&](const SubjectKind& kind) {
    return kind.is_file != nullptr && kind.is_file(path);
  });
  return found == SubjectKinds().end() ? nullptr : &*found;
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
