// SPDX-License-Identifier: MIT
#include "search/report/wrong_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>

#include "base/error.h"
#include "kernels/problem.h"
#include "search/log/log_reader.h"
#include "search/log/log_text.h"
#include "search/log/replay.h"
#include "search/log/run_folder.h"
#include "search/subject/implementation_files.h"

namespace exh::search {
namespace {

using kernels::Verdict;

constexpr const char* kName = "wrong";  // Of the folder, and of what lies in it.

std::string Device(const RunRecord& run) {
  return run.device.empty() ? run.conditions : fmt::format("{} ({})", run.device, run.conditions);
}

/// What a person reads who looks into it.
std::string AboutText(const WrongRun& run, const EvalRecord& record) {
  const RunRecord& header = run.header;
  auto machine = run.evaluator.Versions();
  std::string& compiler = machine["compiler"];
  if (compiler.empty()) compiler = "not known";
  std::string text = fmt::format(
      "A result that is wrong: a mistake of Exhaust, or of the compiler. Please report it, with "
      "this "
      "folder.\n\n"
      "message    {}\n"
      "record     {} of {}, seed {}\n"
      "run again  {} {} --record {}\n"
      "what       {}, space {} {}\n"
      "device     {}\n"
      "compiler   {}\n"
      "program    {}\n"
      "inputs     drawn from seed {}; those that a candidate had not seen from seed {}; see "
      "kernels/problem.h\n",
      record.why, record.n, run.folder, header.seed, run.replay, run.folder, record.n,
      NameText(header), header.space, header.fingerprint, Device(header), compiler, header.tool,
      kernels::kTimedSeed, kernels::kOtherSeed);
  if (record.known) {
    text +=
        "note       an earlier search of the same program on such a machine found this; here it "
        "was "
        "not run again\n";
  }
  for (const std::string& note : run.evaluator.Notes())
    text += fmt::format("note       {}\n", note);
  return text +
         fmt::format(
             "called     {}\n\nfiles\n  wrong{}  the source\n  wrong.decisions.txt  all "
             "decisions\n  wrong.replay  those that were taken: search replay wrong.replay\n",
             fmt::join(header.argv, " "), run.subject.source_suffix());
}

void Keep(const WrongRun& run, std::uint64_t number) {
  const Log log = ReadLog(run.folder);
  const EvalRecord& record = PickRecord(log, run.folder, number);
  runtime::Candidate candidate = run.root;
  ReplayRecord(log, record, candidate);
  Path path;
  for (const PathStep& step : record.path) path.push_back(LocalStep(log, step, candidate));
  const std::string folder = run.folder + "/" + kName;
  WriteImplementation(folder, kName, run.subject, run.header, candidate, path,
                      run.evaluator.Emit(candidate).text,
                      fmt::format("Record {} of {}: {}", record.n, run.folder,
                                  record.why.substr(0, record.why.find('\n'))));
  WriteFile(folder + "/README.txt", AboutText(run, record));
}

}  // namespace

std::string KeepFirstWrong(const WrongRun& run, const std::vector<Failure>& failures) {
  std::uint64_t count = 0, first = 0;
  for (const Failure& failure : failures) {
    if (failure.verdict != Verdict::kWrong) continue;
    count += failure.count;
    first = first == 0 ? failure.n : std::min(first, failure.n);
  }
  if (count == 0) return "";
  if (!run.subject.writes_code()) {
    return fmt::format(
        "{}: none of them is the best\n",
        count == 1 ? "1 result was wrong" : fmt::format("{} results were wrong", count));
  }
  std::string text = fmt::format(
      "{} wrong: none of them is the best, but each is a mistake of Exhaust or of the compiler\n",
      count == 1 ? "1 result was" : fmt::format("{} results were", count));
  const std::string folder = run.folder + "/" + kName;
  std::error_code unknown;
  try {
    // A run that goes on has kept it before.
    if (!std::filesystem::exists(folder + "/README.txt", unknown)) Keep(run, first);
    text +=
        fmt::format("  please report it, with the folder {}: source, decisions, message\n", folder);
  } catch (const Error& error) {
    text += fmt::format("  please report it, with {}; the first could not be kept: {}\n",
                        run.folder, error.what());
  }
  return text;
}

}  // namespace exh::search
