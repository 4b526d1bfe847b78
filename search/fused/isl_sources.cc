// SPDX-License-Identifier: MIT
#include "search/fused/isl_sources.h"

#include <set>
#include <string>

#include "kernels/fused/code/code.h"

namespace exh::search {

namespace fused = kernels::fused;

std::vector<kernels::NamedSource> IslSources(
    const fused::Schedules& schedules,
    const std::function<kernels::Source(const std::vector<fused::NestNode>&)>& text) {
  std::vector<kernels::NamedSource> sources;
  std::set<std::string> texts;
  for (const poly::NamedIslOptions& setting : poly::IslSettings()) {
    const fused::ProgramSchedule schedule = schedules.ByIsl(setting);
    if (!schedule.in_time) {
      kernels::NamedSource given_up{schedule.way, {}};
      given_up.verdict = kernels::Verdict::kTimeout;
      given_up.why = schedule.why;
      sources.push_back(std::move(given_up));
    }
    if (!schedule.why.empty()) continue;
    const kernels::Source source = text(fused::NestsOf(schedules, schedule, /*has_vectors=*/false));
    if (texts.insert(source.text).second) sources.push_back({schedule.way, source});
  }
  return sources;
}

}  // namespace exh::search
