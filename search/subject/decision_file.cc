// SPDX-License-Identifier: MIT
#include "search/subject/decision_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "base/system/user_file.h"
#include "base/user_json.h"
#include "search/descend/descent.h"
#include "search/log/decisions.h"
#include "search/log/log_text.h"

namespace exh::search {
namespace {

constexpr std::size_t kMostMistakes = 20;

std::string Where(const DecisionFile& file, int line) {
  return fmt::format("{}:{}", file.path, line);
}

void SetHeader(DecisionFile& file, int line, std::string_view key, std::string_view value) {
  std::optional<std::string>* field = nullptr;
  if (key == "subject") field = &file.subject;
  if (key == "kernel") field = &file.kernel;
  if (key == "size") field = &file.sizes;
  if (key == "device") field = &file.device;
  if (key == "space") field = &file.space;
  if (key == "settings") field = &file.settings;
  if (key == "text") field = &file.text;
  if (field == nullptr) {
    throw UsageError(
        Where(file, line) + ": " +
        UnknownName("header", key,
                    {"subject", "kernel", "size", "device", "space", "settings", "text"}));
  }
  if (field->has_value()) {
    throw UsageError(fmt::format("{}: '{}' stands twice", Where(file, line), key));
  }
  *field = std::string(value);
  if (key != "text") return;
  const auto json = TryUserJson(value);
  if (!json.is_string()) {
    throw UsageError(Where(file, line) + ": the text of a kernel is one string in quotes, as JSON");
  }
  *field = json.get<std::string>();
}

}  // namespace

DecisionFile ParseDecisionFile(std::string_view text, const std::string& path) {
  DecisionFile file;
  file.path = path;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.starts_with("text:")) line = Trim(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::size_t colon = line.find(':');
    const bool is_header = colon != std::string_view::npos && line.find('(') > colon;
    if (is_header) {
      SetHeader(file, number, Trim(line.substr(0, colon)), Trim(line.substr(colon + 1)));
    } else {
      file.decisions.push_back({number, std::string(line)});
    }
  }
  return file;
}

DecisionFile ReadDecisionFile(const std::string& path) {
  return ParseDecisionFile(ReadUserFile(path), path);
}

kernels::Recipe WishesOf(const DecisionFile& file) {
  kernels::Recipe recipe;
  recipe.name = file.path;
  for (const DecisionFile::Line& line : file.decisions) {
    const std::string_view text = line.text;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) {
      constexpr std::size_t kMost = 80;
      throw UsageError(fmt::format("{}: '{}' is no decision, such as dim_kind(mad.m1)=LOOP",
                                   Where(file, line.number), Shortened(text, kMost)));
    }
    kernels::Wish wish;
    wish.decision = Trim(text.substr(0, equals));
    for (const std::string_view value : Split(text.substr(equals + 1), '|')) {
      wish.values.emplace_back(value);
    }
    recipe.wishes.push_back(std::move(wish));
  }
  return recipe;
}

void MergeHeader(const DecisionFile& file, ProblemOptions& options) {
  if (options.kernel.empty() && options.compute.empty() && file.kernel) {
    options.kernel = *file.kernel;
    if (file.text) options.text = *file.text;
  }
  if (options.size.empty() && file.sizes) options.size = *file.sizes;
  if (options.device.empty() && file.device) options.device = *file.device;
  if (options.device.empty()) options.device = "cpu";
  if (options.space.empty() && file.space) options.space = *file.space;
}

std::string WriteDecisionFile(const RunRecord& run, const runtime::Instance& instance,
                              const Path& path, const std::string& comment) {
  std::string text = fmt::format("# {}\n", comment);
  if (!run.subject.empty()) text += fmt::format("subject: {}\n", run.subject);
  text += fmt::format("kernel: {}\nsize: {}\ndevice: {}\nspace: {}\n", run.kernel, SizesText(run),
                      run.device, run.decisions);
  if (!run.settings.empty()) text += fmt::format("settings: {}\n", SettingsText(run));
  if (!run.text.empty()) text += fmt::format("text: {}\n", nlohmann::json(run.text).dump());
  for (const PathStep& step : path) text += StepText(instance, step) + "\n";
  return text;
}

namespace {

/// The notes that name one of the values of a decision as text, as words of their own.
std::string NotesOfValues(std::string_view decision, const std::vector<std::string>& notes) {
  std::string found;
  const auto values =
      Split(decision.substr(std::min(decision.find('=') + 1, decision.size())), '|');
  for (const std::string& note : notes) {
    const bool is_of_it = std::ranges::any_of(values, [&](std::string_view value) {
      return note.find(fmt::format("({})", Trim(value))) != std::string::npos;
    });
    if (is_of_it) found += "\n  note: " + note;
  }
  return found;
}

}  // namespace

std::vector<DecisionFile::Line> ApplyDecisions(const DecisionFile& file,
                                               runtime::Candidate& candidate,
                                               const std::vector<std::string>& notes) {
  const runtime::Instance& instance = candidate.instance();
  std::vector<std::string> mistakes;
  std::vector<std::pair<DecisionFile::Line, std::vector<runtime::Action>>> taken;
  for (const DecisionFile::Line& line : file.decisions) {
    std::string error;
    if (auto actions = ParseActions(instance, line.text, &error)) {
      taken.emplace_back(line, *std::move(actions));
    } else if (mistakes.size() < kMostMistakes) {
      mistakes.push_back(
          fmt::format("{}: {}{}", Where(file, line.number), error, SuccessorNote(line.text)));
    }
  }
  if (!mistakes.empty()) throw UsageError(fmt::format("{}", fmt::join(mistakes, "\n")));

  for (const auto& [line, actions] : taken) {
    const std::string why = TryRestrict(candidate, actions);
    if (why.empty()) continue;
    runtime::Candidate root(candidate.shared_instance());
    if (!TryRestrict(root, actions).empty()) {
      throw UsageError(fmt::format("{}: {} is not in the space ({}){}", Where(file, line.number),
                                   line.text, why, NotesOfValues(line.text, notes)));
    }
    throw UsageError(fmt::format("{}: {} contradicts the decisions above it ({})",
                                 Where(file, line.number), line.text, why));
  }
  std::vector<DecisionFile::Line> without_effect;
  for (const auto& [line, actions] : taken) {
    if (!candidate.IsLive(actions.front().decision)) without_effect.push_back(line);
  }
  return without_effect;
}

Path CompleteByDescent(const ChoiceOrder& order, Random& random, runtime::Candidate& candidate) {
  constexpr int kTries = 20;
  Descender descender(order);
  std::string label;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const DescentResult result =
        descender.Run(candidate, random, [&](const DeadEnd& dead_end) { label = dead_end.label; });
    if (result == DescentResult::kImplementation) {
      Path taken = descender.path();
      candidate = descender.candidate();
      return taken;
    }
    if (result == DescentResult::kExhausted) {
      throw UsageError(fmt::format("no implementation has these decisions (at last: {})", label));
    }
  }
  throw UsageError(fmt::format("found no implementation with these decisions (often: {})", label));
}

}  // namespace exh::search
