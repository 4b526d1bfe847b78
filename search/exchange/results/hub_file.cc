// SPDX-License-Identifier: MIT
#include "search/exchange/results/hub_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/system/user_file.h"
#include "search/exchange/of_file.h"
#include "search/exchange/problem_text.h"

namespace exh::search {
namespace {

std::string StemOf(const std::string& path) {
  return std::filesystem::path(path).stem().string();
}

/// That of the file itself, where it has a result for each combination: then there are no
/// restrictions that it does not say.
SpaceFile OwnSpaceOf(const TuningResults& results, const std::string& path,
                     const std::string& beside) {
  double combinations = results.space ? 1 : 0;
  if (results.space) {
    for (const TuningParameter& parameter : results.space->parameters) {
      combinations *= static_cast<double>(parameter.values.size());
    }
  }
  if (combinations != static_cast<double>(results.results.size())) {
    throw UsageError(fmt::format(
        "{}: which configurations there are stands in no '{}' beside it; --space SPACE.exh, or "
        "--space FILE.json of a tuning problem (T1), says it",
        path, beside));
  }
  return {StemOf(path) + ".exh", ExhTextOf(*results.space)};
}

}  // namespace

SpaceFile ReadSpaceFile(const std::string& path,
                        const std::map<std::string, std::int64_t, std::less<>>& sizes,
                        const std::string& data) {
  const std::string text = ReadUserFile(path);
  if (path.ends_with(".exh")) {
    return {path, text, sizes, data.empty() ? "" : ReadUserFile(data), data};
  }
  if (!data.empty() || !sizes.empty()) {
    throw UsageError(fmt::format("{}: a tuning problem asks for no --data and no --size", path));
  }
  return OfFile(path, [&]() -> SpaceFile {
    return {StemOf(path) + ".exh", ExhTextOf(ParseTuningProblem(text))};
  });
}

RecordedRun ReadHubFile(const std::string& path, const SpaceFile& space) {
  const std::string text = ReadUserFile(path);
  const TuningResults results = OfFile(path, [&] { return ParseTuningResults(text); });
  const std::string beside = std::filesystem::path(path).replace_extension(".exh").string();
  std::error_code ignored;
  const bool is_beside = std::filesystem::exists(beside, ignored);
  const SpaceFile file = !space.path.empty() ? space
                         : is_beside         ? ReadSpaceFile(beside, space.sizes)
                                             : OwnSpaceOf(results, path, beside);
  RecordedRun run = OfFile(path, [&] { return RunOfResults(results, file); });
  // What another tuner refused has cost it an evaluation; a search of ours would not try it.
  for (EvalRecord& eval : run.log.evals) {
    if (eval.verdict == kernels::Verdict::kRefused) eval.verdict = kernels::Verdict::kCompileError;
  }
  if (run.log.evals.empty()) {
    throw UsageError(fmt::format("{}: it has no result of this space", path));
  }
  return run;
}

}  // namespace exh::search
