// SPDX-License-Identifier: MIT
#include "search/log/log_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "search/log/decisions.h"
#include "search/log/memory/front.h"
#include "search/log/times/best_time.h"

namespace exh::search {
namespace {

constexpr std::size_t kColumns = 100;

const ChoiceRecord* FindChoice(const Log& log, int decision) {
  if (decision < 0 || static_cast<std::size_t>(decision) >= log.choices.size()) return nullptr;
  const ChoiceRecord& record = log.choices[static_cast<std::size_t>(decision)];
  return record.index < 0 ? nullptr : &record;
}

/// Values by name, for all decisions that take part.
std::map<std::string, std::string> Values(const Log& log, const EvalRecord& eval) {
  std::map<std::string, std::string> values;
  ForEachVectorValue(eval.vector, [&](std::size_t decision, int value) {
    const int index = static_cast<int>(decision);
    values[DecisionName(log, index)] = ValueName(log, {index, value});
  });
  return values;
}

/// `mark` stands before its number.
std::string EvalLine(const Log& log, const EvalRecord& eval, char mark) {
  std::string line = fmt::format("{} {:>6} {:>9.2f}s  {:<15} ", mark, eval.n, eval.dt,
                                 kernels::VerdictName(eval.verdict));
  if (eval.verdict == kernels::Verdict::kCorrect) {
    line += fmt::format("{:>10}  {}", FormatTime(eval.best_ns),
                        FormatRate(log.run->flops, eval.best_ns));
    if (!eval.across.empty()) line += "  " + AcrossText(eval.across, eval.bits_vary);
    if (eval.workspace_bytes > 0) {
      line += fmt::format("  {} beside the arrays", BytesText(eval.workspace_bytes));
    }
  } else {
    line += eval.why.substr(0, eval.why.find('\n'));
  }
  return line + "\n";
}

std::vector<const EvalRecord*> Fastest(const Log& log, std::size_t most) {
  std::vector<const EvalRecord*> evals;
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict == kernels::Verdict::kCorrect) evals.push_back(&eval);
  }
  std::stable_sort(evals.begin(), evals.end(), [](const EvalRecord* a, const EvalRecord* b) {
    return LearnedTime(*a) < LearnedTime(*b);
  });
  if (evals.size() > most) evals.resize(most);
  return evals;
}

/// What was measured in turn with the best, and the best itself.
std::string ReferenceText(const ReferenceRecord& reference, const TimeInterval& best) {
  if (reference.verdict != kernels::Verdict::kCorrect) {
    return fmt::format("{}: {}", kernels::VerdictName(reference.verdict), reference.why);
  }
  const TimeInterval time = IntervalOf(reference);
  if (reference.name == "winner" || best.ns <= 0) return IntervalText(time);
  const Speed speed = SpeedAgainst(best, time);
  if (!time.has_interval() || !best.has_interval()) {
    return fmt::format("{}; the best is {:.3g}x as fast", IntervalText(time), speed.ratio);
  }
  if (time.is_busy() || best.is_busy()) {
    return fmt::format("{}; the best is {:.3g}x to {:.3g}x as fast", IntervalText(time), speed.lo,
                       speed.hi);
  }
  return fmt::format("{}; the best is {:.3g}x as fast ({:.3g}x to {:.3g}x){}", IntervalText(time),
                     speed.ratio, speed.lo, speed.hi,
                     speed.lo <= 1 && speed.hi >= 1 ? ": a tie" : "");
}

/// The fastest by what the search measured of each, and which of them may change places.
std::string FastestText(const Log& log, std::size_t most) {
  const auto fastest = Fastest(log, most);
  if (fastest.empty()) return "";
  const auto is_open = [&](const EvalRecord* eval) {
    return eval != fastest.front() && !IsFasterForSure(*fastest.front(), *eval);
  };
  const bool has_ties = std::ranges::any_of(fastest, is_open);
  std::string text = has_ties
                         ? "fastest in the search (~: not slower than the first beyond doubt):\n"
                         : "fastest in the search:\n";
  for (const EvalRecord* eval : fastest) text += EvalLine(log, *eval, is_open(eval) ? '~' : ' ');
  return text;
}

/// When the run came near what it found in the end: "within 10 % after 3.2 s, 5 % after 4.0 s …".
std::string WithinText(const Log& log) {
  std::vector<std::string> parts;
  for (const int percent : {10, 5, 1}) {
    const double near = log.bests.back().compared_ns() * (1 + percent / 100.0);
    const auto first = std::ranges::find_if(
        log.bests, [&](const BestRecord& best) { return best.compared_ns() <= near; });
    parts.push_back(fmt::format("{} % after {:.1f} s (record {})", percent, first->dt, first->n));
  }
  return fmt::format("within {}\n", fmt::join(parts, ", "));
}

}  // namespace

std::string DecisionName(const Log& log, int decision) {
  const ChoiceRecord* record = FindChoice(log, decision);
  if (record == nullptr) return fmt::format("#{}", decision);
  return fmt::format("{}({})", record->name, fmt::join(record->args, ","));
}

std::string ValueName(const Log& log, const PathStep& step) {
  const ChoiceRecord* record = FindChoice(log, step.decision);
  if (record != nullptr && step.value >= 0) {
    auto value = static_cast<std::size_t>(step.value);
    if (value < record->domain.size()) return record->domain[value];
    for (const LoggedRange& range : record->ranges) {
      const std::size_t count = std::size_t{range.last} - range.first + 1;
      if (value < count) return std::to_string(range.first + value);
      value -= count;
    }
  }
  return fmt::format("#{}", step.value);
}

std::string SizesText(const RunRecord& run) {
  std::vector<std::string> sizes;
  for (const auto& [name, value] : run.sizes) {
    const auto word = run.words.find(name);
    sizes.push_back(
        fmt::format("{}={}", name, word == run.words.end() ? std::to_string(value) : word->second));
  }
  return fmt::format("{}", fmt::join(sizes, ","));
}

std::string SettingsText(const RunRecord& run) {
  std::vector<std::string> settings;
  for (const auto& [name, value] : run.settings) {
    settings.push_back(fmt::format("{}={}", name, value));
  }
  return fmt::format("{}", fmt::join(settings, ","));
}

std::string NameText(const RunRecord& run) {
  std::string text = run.kernel;
  for (const std::string& more : {SizesText(run), SettingsText(run)}) {
    if (!more.empty()) text += " " + more;
  }
  return text;
}

std::string MachineText(const Machine& machine) {
  std::string text;
  for (const auto& [what, version] : machine) text += fmt::format("{} {}\n", what, version);
  return text;
}

std::string MachineDifferences(const Machine& a, const Machine& b) {
  std::string text;
  std::map<std::string, std::pair<std::string, std::string>> both;
  for (const auto& [what, version] : a) both[what] = {version, "not known"};
  for (const auto& [what, version] : b) {
    both.try_emplace(what, "not known", "").first->second.second = version;
  }
  for (const auto& [what, versions] : both) {
    if (versions.first == versions.second) continue;
    text += fmt::format("{}: {} -> {}\n", what, versions.first, versions.second);
  }
  return text;
}

std::string AcrossText(const std::string& across, bool bits_vary) {
  return across + (bits_vary ? ", bits may vary from run to run" : "");
}

std::string DivisionText(const std::string& across, bool bits_vary) {
  if (across.empty()) return "";
  return fmt::format("blocks divide reductions: {}\n", AcrossText(across, bits_vary));
}

std::string DecisionsInWords(const Log& log, const Path& path, const std::string& indent) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  std::size_t width = 0;
  for (const PathStep& step : path) {
    const ChoiceRecord* record = FindChoice(log, step.decision);
    const std::string choice = record ? record->name : DecisionName(log, step.decision);
    const std::string args = record ? fmt::format("{}", fmt::join(record->args, ",")) : "";
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& known) { return known.first == choice; });
    if (group == groups.end()) group = groups.insert(group, {choice, {}});
    group->second.push_back(fmt::format("{}={}", args, ValueName(log, step)));
    width = std::max(width, choice.size());
  }
  std::string text;
  for (const auto& [choice, values] : groups) {
    std::string line = fmt::format("{}{:<{}}", indent, choice, width);
    for (const std::string& value : values) {
      if (line.size() + 2 + value.size() > kColumns) {
        text += line + "\n";
        line = fmt::format("{}{:<{}}", indent, "", width);
      }
      line += "  " + value;
    }
    text += line + "\n";
  }
  return text;
}

std::string RunText(const Log& log, std::size_t most_lines) {
  const RunRecord& run = *log.run;
  std::string text = fmt::format("{} on {}, seed {}, started {}\n", NameText(run), run.device,
                                 run.seed, run.started);
  if (run.objective != "time") text += fmt::format("searched for least {}\n", run.objective);
  const std::string built = run.space_s > 0 ? fmt::format(" built in {:.1f} s,", run.space_s) : "";
  text += fmt::format("space {} {},{} by {}\n", run.space, run.fingerprint, built, run.tool);
  text += MachineText(run.machine);
  if (!run.checked.empty()) text += fmt::format("compared with the reference: {}\n", run.checked);
  if (!log.resumes.empty()) {
    text += fmt::format(
        "went on {}, last {}\n",
        log.resumes.size() == 1 ? std::string("once") : fmt::format("{} times", log.resumes.size()),
        log.resumes.back().started);
  }
  for (const RepairRecord& repair : log.repairs) {
    text += RepairText(repair);
    text += fmt::format("as it was: {}\n", repair.damaged);
  }
  if (log.end) {
    text += fmt::format("ended after {:.1f} s ({}): {} evaluations, {} descents, {} duplicates\n",
                        log.end->dt, log.end->why, log.end->evaluations, log.end->descents,
                        log.end->duplicates);
  } else {
    text += fmt::format("did not end: {} evaluations{}\n", log.evals.size(),
                        log.cut_off ? ", the last line is cut off" : "");
  }
  std::map<std::string, int> verdicts, dead_ends;
  for (const EvalRecord& eval : log.evals)
    ++verdicts[std::string(kernels::VerdictName(eval.verdict))];
  for (const DeadRecord& dead : log.deads) ++dead_ends[dead.label];
  for (const auto& [verdict, count] : verdicts) text += fmt::format("  {:<18}{}\n", verdict, count);
  for (const auto& [label, count] : dead_ends) {
    text += fmt::format("  dead end at {:<24}{}\n", label, count);
  }
  const TimeInterval best = BestTimeOf(log);
  for (const ReferenceRecord& reference : log.references) {
    text += fmt::format("  {:<8} {}\n", reference.name, ReferenceText(reference, best));
  }
  if (log.rates) {
    text += fmt::format("  device   copies {:.0f} GB/s, {:.1f} TFLOP/s of multiply-adds\n",
                        std::max(log.rates->driver_copy_gbs, log.rates->kernel_copy_gbs),
                        log.rates->fma_gflops / 1e3);
  }
  if (log.Best() != nullptr) {
    text +=
        fmt::format("best: record {}, {}\n", log.bests.back().n, TimeAndRateText(best, run.flops));
    text += BusyText(best, run) + WithinText(log);
    text += MemoryText(log.Best()->memory_bytes, log.Best()->workspace_bytes);
  }
  return text + FastestText(log, most_lines) + FrontText(FrontOf(log));
}

std::string RepairText(const RepairRecord& repair) {
  const auto lines = [](std::size_t count) {
    return fmt::format("{} line{}", count, count == 1 ? "" : "s");
  };
  if (repair.lost.empty()) {
    return fmt::format("repaired {}: {} mended, nothing is lost\n", repair.started,
                       lines(repair.mended));
  }
  std::string text = fmt::format("repaired {}: {} mended, {} lost\n", repair.started,
                                 lines(repair.mended), lines(repair.lost.size()));
  constexpr std::size_t kMost = 20;
  for (std::size_t line = 0; line < std::min(kMost, repair.lost.size()); ++line) {
    text += fmt::format("  {}\n", repair.lost[line]);
  }
  if (repair.lost.size() > kMost) {
    text += fmt::format("  and {} more\n", repair.lost.size() - kMost);
  }
  return text;
}

std::string EvalText(const Log& log, const EvalRecord& eval, bool full) {
  std::string text = fmt::format("record {} after {:.2f} s: {}", eval.n, eval.dt,
                                 kernels::VerdictName(eval.verdict));
  if (eval.best_ns > 0) {
    text +=
        fmt::format(", {}, {}", FormatTime(eval.best_ns), FormatRate(log.run->flops, eval.best_ns));
  }
  if (eval.estimate_ns > 0) {
    text += fmt::format(", about {} by {} of its blocks", FormatTime(eval.estimate_ns),
                        eval.estimate_blocks);
  }
  text +=
      fmt::format("\ncompiled in {:.0f} ms, checked in {:.0f} ms", eval.compile_ms, eval.check_ms);
  if (eval.verdict == kernels::Verdict::kCorrect) {
    text += fmt::format(", largest error {:.2g} ({:.2g} of what is allowed)", eval.max_error,
                        eval.error_ratio);
  }
  text += fmt::format("\nvector {}, code {}\n", eval.hash, eval.code);
  text += DivisionText(eval.across, eval.bits_vary);
  text += MemoryText(eval.memory_bytes, eval.workspace_bytes);
  if (!eval.why.empty()) text += eval.why + "\n";
  if (!full) return text + DecisionsInWords(log, eval.path, "  ");
  ForEachVectorValue(eval.vector, [&](std::size_t decision, int value) {
    const int index = static_cast<int>(decision);
    text += fmt::format("{}={}\n", DecisionName(log, index), ValueName(log, {index, value}));
  });
  return text;
}

std::string DiffText(const Log& a, const EvalRecord& eval_a, const Log& b, const EvalRecord& eval_b,
                     bool full) {
  std::set<std::string> taken;
  for (const PathStep& step : eval_a.path) taken.insert(DecisionName(a, step.decision));
  for (const PathStep& step : eval_b.path) taken.insert(DecisionName(b, step.decision));
  const auto values_a = Values(a, eval_a), values_b = Values(b, eval_b);
  std::map<std::string, std::pair<std::string, std::string>> both;
  for (const auto& [name, value] : values_a) both[name] = {value, "-"};
  for (const auto& [name, value] : values_b) {
    both.try_emplace(name, "-", "-").first->second.second = value;
  }
  std::string text;
  std::size_t left_out = 0;
  for (const auto& [name, values] : both) {
    if (values.first == values.second) continue;
    if (full || taken.count(name) > 0) {
      text += fmt::format("{}: {} -> {}\n", name, values.first, values.second);
    } else {
      ++left_out;
    }
  }
  if (left_out > 0) {
    text += fmt::format("{} more differ{} because of these; --full has them\n", left_out,
                        left_out == 1 ? "s" : "");
  }
  return text;
}

RecordName ParseRecordName(const std::string& text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos) return {text, std::nullopt};
  const std::string record = text.substr(at + 1);
  if (record == "best") return {text.substr(0, at), std::nullopt};
  const auto n = ParseInteger(record);
  if (!n || *n < 1) {
    throw UsageError(fmt::format("bad record '{}' of '{}': a number or 'best'", record, text));
  }
  return {text.substr(0, at), static_cast<std::uint64_t>(*n)};
}

const EvalRecord& PickRecord(const Log& log, const std::string& run,
                             std::optional<std::uint64_t> n) {
  const EvalRecord* eval = n ? log.Find(*n) : log.Best();
  if (eval != nullptr) return *eval;
  if (!n) throw UsageError(fmt::format("'{}' has no best: nothing in it was correct", run));
  if (log.evals.empty()) throw UsageError(fmt::format("'{}' has no evaluations", run));
  throw UsageError(fmt::format("'{}' has no record {}; it has {} to {}", run, *n,
                               log.evals.front().n, log.evals.back().n));
}

}  // namespace exh::search
