// SPDX-License-Identifier: MIT
#include "search/tune/job_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system/process.h"
#include "search/tune/line_file.h"
#include "search/tune/shape_run.h"

namespace exh::search {
namespace {

constexpr double kWorth = 600;     // Seconds of an element.
constexpr double kCountsFor = 60;  // Seconds of a shape whose budget counts evaluations.
constexpr const char* kSbatch = "sbatch";
constexpr const char* kSqueue = "squeue";
constexpr const char* kJob = "job";

double SecondsOfShape(const std::vector<std::string>& budgets) {
  const double seconds = SecondsOf(budgets);
  return std::isfinite(seconds) ? seconds : kCountsFor;
}

/// A word as a shell reads it back.
std::string Quoted(const std::string& word) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '/' || c == '.' || c == '_' || c == '-' || c == '=';
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// What was submitted, a line for each.
std::string JobsOf(const FleetFolder& folder) {
  return folder.slurm() + "/jobs.jsonl";
}

}  // namespace

int ShapesPerElement(const std::vector<std::string>& budgets) {
  const double shapes = std::ceil(kWorth / SecondsOfShape(budgets));
  constexpr double kMost = 1000;
  return static_cast<int>(std::clamp(shapes, 1.0, kMost));
}

std::vector<TuneShape> ShapesOf(const FleetOptions& options, const std::vector<TuneShape>& shapes,
                                int element) {
  const auto size = static_cast<std::size_t>(options.shapes_per_element);
  const std::size_t count = size == 0 ? 0 : (shapes.size() + size - 1) / size;
  if (element < 0 || static_cast<std::size_t>(element) >= count) {
    throw UsageError(
        count == 0
            ? std::string("--element: the fleet has no job array; --launch slurm makes it")
            : fmt::format("--element {}: the fleet has elements 0 to {}", element, count - 1));
  }
  const std::size_t begin = static_cast<std::size_t>(element) * size;
  const std::size_t end = std::min(begin + size, shapes.size());
  return {shapes.begin() + static_cast<std::ptrdiff_t>(begin),
          shapes.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::string ArrayText(const std::vector<int>& elements) {
  std::string text;
  for (std::size_t i = 0; i < elements.size();) {
    std::size_t end = i + 1;
    while (end < elements.size() && elements[end] == elements[end - 1] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", elements[i]);
    if (end - i > 1) text += fmt::format("-{}", elements[end - 1]);
    i = end;
  }
  return text;
}

std::string ScriptText(const ArrayScript& script) {
  // An element may be begun anywhere: paths that depend on a working directory do not.
  const std::string folder = std::filesystem::absolute(script.folder.path()).string();
  const double seconds = SecondsOfShape(script.options.budgets) * script.options.shapes_per_element;
  // Starts, finals and compilers that hang a little; sbatch's own --time goes before it.
  constexpr double kSlack = 1.5, kStart = 10;
  const int minutes = static_cast<int>(std::ceil(kSlack * seconds / 60 + kStart));
  std::string text =
      "#!/bin/sh\n# Written by search tune --launch slurm. An element runs some shapes of the "
      "fleet; one\n"
      "# that is queued again goes on where it was.\n";
  text += "#SBATCH --job-name=tune\n";
  text += fmt::format("#SBATCH --array={}\n", ArrayText(script.elements));
  text += fmt::format("#SBATCH --output={}/slurm/%A_%a.txt\n", folder);
  text += "#SBATCH --open-mode=append\n#SBATCH --requeue\n";
  text += fmt::format("#SBATCH --time={}\n", minutes);
  if (script.needs_gpu) text += "#SBATCH --gres=gpu:1\n";
  std::string command;
  for (const std::string& word : script.program) command += Quoted(word) + " ";
  command += fmt::format("tune --element \"$SLURM_ARRAY_TASK_ID\" --out {}", Quoted(folder));
  // A shell says 128 and the signal. SIGTERM is for the search, too, which then ends by itself; a
  // shell that does not wait for that would take it along.
  return text + "# Slurm queues nothing again that is killed without its node.\n" +
         "trap : TERM\nfor life in 1 2 3; do\n  " + command +
         "\n  code=$?\n  [ $code -gt 128 ] || break\ndone\nexit $code\n";
}

void RequireSlurm() {
  if (!FindProgram(kSbatch).empty()) return;
  throw UsageError(
      "--launch slurm: 'sbatch' was not found on PATH, so there is no Slurm here; --launch local "
      "does without");
}

std::string Submit(const std::string& script, const std::vector<std::string>& words) {
  ProcessRequest request;
  request.argv = {kSbatch};
  request.argv.insert(request.argv.end(), words.begin(), words.end());
  request.argv.push_back(script);
  // With --wait it answers when all of the array has ended, which may take days.
  constexpr double kPatience = 1e9;
  request.timeout_s = kPatience;
  const ProcessResult result = RunProcess(request);
  if (result.ok()) return std::string(Trim(result.out));
  const std::string said(Trim(result.err.empty() ? result.out : result.err));
  throw Error(fmt::format("sbatch has not taken '{}': {}", script,
                          result.status == ProcessResult::Status::kNotStarted ? result.error
                          : said.empty() ? fmt::format("code {}", result.code)
                                         : said));
}

std::string JobIn(std::string_view said) {
  constexpr std::string_view kDigits = "0123456789";
  said = Trim(said.substr(0, said.find(';')));
  const std::size_t last = said.find_last_not_of(kDigits);
  return std::string(last == std::string_view::npos ? said : said.substr(last + 1));
}

void AddJob(const FleetFolder& folder, const std::string& job) {
  if (!job.empty()) LineFile(JobsOf(folder)).Append({{kJob, job}});
}

std::set<int> QueuedElements(const FleetFolder& folder) {
  std::string jobs;
  for (const ReadLine& line : ReadLines(JobsOf(folder))) {
    if (!line.json.contains(kJob) || !line.json[kJob].is_string()) continue;
    jobs += (jobs.empty() ? "" : ",") + line.json[kJob].get<std::string>();
  }
  std::set<int> elements;
  if (jobs.empty() || FindProgram(kSqueue).empty()) return elements;
  ProcessRequest request;
  request.argv = {kSqueue, "--noheader", "--array", "--format=%K", "--jobs=" + jobs};
  // What has left the queue it may call invalid; of the others it says what it knows all the same.
  const ProcessResult result = RunProcess(request);
  for (const std::string_view line : Split(result.out, '\n')) {
    if (const auto element = ParseInteger(Trim(line))) elements.insert(static_cast<int>(*element));
  }
  return elements;
}

}  // namespace exh::search
