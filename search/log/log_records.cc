// SPDX-License-Identifier: MIT
#include "search/log/log_records.h"

#include <iterator>
#include <string_view>

namespace exh::search {

void BringUpToDate(RunRecord& run) {
  constexpr std::string_view kRule = "rule:";
  if (!run.subject.empty() || run.text.empty()) return;
  const bool is_fused = run.kernel == kFusedSubject;
  if (!is_fused && run.kernel != kFunctionalSubject) return;
  run.subject = run.kernel;
  for (auto size = run.sizes.begin(); size != run.sizes.end();) {
    const auto& [name, value] = *size;
    const bool is_rule = name.starts_with(kRule);
    if (is_rule) run.settings[name.substr(kRule.size())] = value;
    if (is_fused && name == "leaves") run.settings[name] = value;
    size = is_rule || is_fused ? run.sizes.erase(size) : std::next(size);
  }
}

}  // namespace exh::search
