// SPDX-License-Identifier: MIT
#include "search/fused/fused_workload.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/devices/backend.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/run/problem.h"

namespace exh::search {
namespace {

namespace fused = kernels::fused;
using kernels::NamedSource;
using kernels::Source;

class FusedWorkload final : public kernels::Workload {
 public:
  FusedWorkload(const fused::Graph& graph, const fused::Schedules& schedules,
                const fused::MappingSpace& space, const kernels::ir::Device& device,
                std::uint64_t most_bytes)
      : graph_(graph),
        schedules_(schedules),
        space_(space),
        device_(device),
        dialect_(kernels::BackendOf(device).dialect()),
        most_bytes_(most_bytes) {
    fused::CheckReferenceBytes(schedules.program().list, most_bytes);
  }

  const kernels::ir::Device& device() const override { return device_; }

  Source Emit(const runtime::Candidate& implementation) const override {
    return fused::Text(schedules_.program(), space_.NestsOf(implementation), dialect_);
  }

  std::optional<kernels::cpu::MadeProblem> MakeProblem(const kernels::CheckedProblem& one,
                                                       const StopToken* stop) const override {
    return fused::ProblemsOf(graph_, schedules_.program(), stop, kernels::kTimedSeed,
                             most_bytes_)(one);
  }

  /// The loops of isl's schedules. Each program once.
  std::vector<NamedSource> Yardsticks(kernels::ir::Dialect dialect) const override {
    std::vector<NamedSource> sources;
    std::set<std::string> texts;
    for (const poly::NamedIslOptions& setting : poly::IslSettings()) {
      const fused::ProgramSchedule schedule = schedules_.ByIsl(setting);
      NamedSource named{.name = schedule.way, .source = {}, .is_ours = true};
      if (!schedule.in_time) {
        named.verdict = kernels::Verdict::kTimeout;
        named.why = schedule.why;
        sources.push_back(std::move(named));
      }
      if (!schedule.why.empty()) continue;
      named.source =
          fused::Text(schedules_.program(),
                      fused::NestsOf(schedules_, schedule, /*has_vectors=*/false), dialect);
      if (texts.insert(named.source.text).second) sources.push_back(std::move(named));
    }
    return sources;
  }
  std::string YardstickText() const override { return "isl " + poly::IslVersion(); }
  std::map<std::string, std::string, std::less<>> Versions(
      kernels::ir::Dialect /*language*/) const override {
    return {{"isl", poly::IslVersion()}};
  }

 private:
  const fused::Graph& graph_;
  const fused::Schedules& schedules_;
  const fused::MappingSpace& space_;
  const kernels::ir::Device& device_;
  const kernels::ir::Dialect dialect_;
  const std::uint64_t most_bytes_;
};

}  // namespace

std::unique_ptr<const kernels::Workload> WorkloadOf(const fused::Graph& graph,
                                                    const fused::Schedules& schedules,
                                                    const fused::MappingSpace& space,
                                                    const kernels::ir::Device& device,
                                                    std::uint64_t most_bytes) {
  return std::make_unique<FusedWorkload>(graph, schedules, space, device, most_bytes);
}

}  // namespace exh::search
