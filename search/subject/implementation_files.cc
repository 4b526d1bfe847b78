// SPDX-License-Identifier: MIT
#include "search/subject/implementation_files.h"

#include <vector>

#include "search/log/decisions.h"
#include "search/log/run_folder.h"
#include "search/subject/decision_file.h"

namespace exh::search {

void WriteImplementation(const std::string& folder, const std::string& name, const Subject& subject,
                         const RunRecord& run, const runtime::Candidate& implementation,
                         const Path& path, const std::string& source, const std::string& comment) {
  MakeFolder(folder);
  const runtime::Instance& instance = implementation.instance();
  std::vector<std::string> taken;
  for (const PathStep& step : path) taken.push_back(StepText(instance, step));
  const std::string stem = folder + "/" + name, decisions = name + ".decisions.txt";
  WriteFile(stem + subject.source_suffix(),
            WithDecisions(source, taken, decisions, subject.comment_mark()));
  WriteFile(folder + "/" + decisions, AllDecisionsText(implementation));
  WriteFile(stem + ".replay", WriteDecisionFile(run, instance, path, comment));
}

}  // namespace exh::search
