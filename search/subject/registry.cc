// SPDX-License-Identifier: MIT
#include "search/subject/registry.h"

#include <fmt/format.h>

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

bool IsOtherKind(const std::string& kernel) {
  return std::ranges::any_of(Kinds(), [&](const SubjectKind& kind) {
    return kind.kernel != nullptr && kernel == kind.kernel;
  });
}

std::unique_ptr<Subject> SubjectOf(const RunRecord& run, const Allowance& allowance) {
  const SubjectKind* found = nullptr;
  for (const SubjectKind& kind : Kinds()) {
    if (kind.kernel == nullptr ? found == nullptr : run.kernel == kind.kernel) found = &kind;
  }
  if (found == nullptr) {
    throw UsageError(fmt::format("this program has no subject like '{}'", run.kernel));
  }
  return found->of(run, allowance);
}

}  // namespace exh::search
