// SPDX-License-Identifier: MIT
//
// `search fused explain`: how an operator is scheduled.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "kernels/fused/code/code.h"
#include "kernels/fused/lower.h"
#include "kernels/fused/schedule/schedules.h"
#include "search/commands/fused/operators.h"

namespace exh::search {
namespace {

namespace fused = kernels::fused;

constexpr const char *kCpp = "cpp", *kCuda = "cuda";

struct ExplainOptions {
  std::string file, code, isl;
};

fused::ProgramSchedule ScheduleOf(const fused::Schedules& schedules, const std::string& isl) {
  if (isl.empty()) return schedules.Influenced();
  std::string legal;
  for (const poly::NamedIslOptions& setting : poly::IslSettings()) {
    if (setting.name == isl) return schedules.ByIsl(setting);
    legal += (legal.empty() ? "" : ", ") + setting.name;
  }
  throw UsageError(fmt::format("--isl '{}': there is no such setting; legal: {}", isl, legal));
}

int Explain(const ExplainOptions& options) {
  if (options.file.empty()) {
    throw UsageError("explain which operator? search fused explain FILE.json");
  }
  const auto graph = ReadOneOperator(options.file);
  if (!graph) return 2;
  const fused::OperatorProgram program = fused::ProgramOf(fused::StatementsOf(*graph));
  const fused::Schedules schedules(program, poly::DependenceKind::kValue);
  if (options.code.empty()) {
    fmt::print("statements\n{}{}", fused::TextOf(program.list),
               options.isl.empty() ? fused::ExplanationOf(schedules)
                                   : fused::LoopsOf(schedules, ScheduleOf(schedules, options.isl)));
    return 0;
  }
  const fused::ProgramSchedule schedule = ScheduleOf(schedules, options.isl);
  if (!schedule.why.empty()) throw Error(schedule.why);
  const auto nests = fused::NestsOf(schedules, schedule, /*has_vectors=*/options.isl.empty());
  fmt::print("{}", options.code == kCpp ? fused::CpuText(program, nests).text
                                        : fused::CudaText(program, nests).text);
  return 0;
}

}  // namespace

void AddFusedExplain(CLI::App& command, Invocation& invocation) {
  CLI::App* const explain = command.add_subcommand(
      "explain", "how an operator is scheduled: tree, steps, schedule, loops");
  const auto options = std::make_shared<ExplainOptions>();
  explain->add_option("file", options->file, "FILE.json");
  explain->add_option("--isl", options->isl, "the schedule of isl, with this setting");
  explain->add_option("--code", options->code, "print the program instead: cpp, cuda")
      ->check(CLI::IsMember({kCpp, kCuda}));
  explain->callback(
      [options, &invocation] { invocation.run = [options] { return Explain(*options); }; });
}

}  // namespace exh::search
