// SPDX-License-Identifier: MIT
#include "search/commands/space/asked_space.h"

#include <fmt/format.h>

#include "base/error.h"
#include "search/commands/command.h"
#include "search/commands/decided.h"
#include "search/commands/parts/parts.h"
#include "search/kernel/kernel_subject.h"
#include "search/log/log_reader.h"
#include "search/subject/registry.h"

namespace exh::search {

void AddAskedSpace(CLI::App& command, AskedSpace& asked, const char* what) {
  asked.command = &command;
  command.add_option("run", asked.run, what);
  AddProblemOptions(command, asked.problem);
  command.add_option("--data", asked.data, "with --space FILE.exh: what the space asks for, JSON");
}

std::unique_ptr<Subject> SubjectAsked(const AskedSpace& asked, const StopToken* stop) {
  if (!asked.run.empty()) {
    if (!IsRun(asked.run)) {
      throw UsageError(fmt::format(
          "'{}' is no run: a folder with a log, or a log; --kernel names a kernel", asked.run));
    }
    RefuseForRuns(*asked.command, asked.run, {"--compute", "--type", "--threads", "--gpu"});
    return SubjectOf(*ReadLogAloud(asked.run).run, {MemoryFor(asked.problem.memory), stop});
  }
  ProblemOptions options = asked.problem;
  options.stop = stop;
  if (IsSpaceOfUser(options.space)) return PartsOfProgram().own_space(options, asked.data);
  return std::make_unique<KernelSubject>(MakeProblem(options));
}

nlohmann::ordered_json HeadJson(const Subject& subject) {
  RunRecord run;
  subject.Describe(run);
  nlohmann::ordered_json json;
  json["kernel"] = run.kernel;
  for (const auto& [name, value] : run.sizes) json["sizes"][name] = value;
  for (const auto& [name, value] : run.settings) json["settings"][name] = value;
  json["device"] = run.device;
  if (!run.decisions.empty()) json["space"] = run.decisions;
  return json;
}

}  // namespace exh::search
