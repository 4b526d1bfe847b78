// SPDX-License-Identifier: MIT
#include "search/page/again/winner.h"

#include <algorithm>
#include <exception>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "kernels/devices/backend.h"
#include "kernels/task.h"
#include "search/log/decisions.h"
#include "search/log/log_text.h"
#include "search/log/replay.h"
#include "search/log/times/best_time.h"
#include "search/subject/problem.h"

namespace exh::search {
namespace {

constexpr std::size_t kMostSource = 400'000, kMostFinalists = 12;

/// Loops and code of a record, or why there are none.
struct Printed {
  std::string outline, source, suffix, trouble;
};

Printed Print(const Log& log, const EvalRecord& eval, const Rebuilt& rebuilt) {
  Printed printed;
  printed.trouble = rebuilt.trouble();
  if (!printed.trouble.empty()) return printed;
  try {
    runtime::Candidate candidate = rebuilt.root();
    ReplayRecord(log, eval, candidate);
    printed.outline = rebuilt.subject().Outline(candidate);
    printed.suffix = rebuilt.subject().source_suffix();
    printed.source = rebuilt.subject().Emit(candidate).text;
  } catch (const Refused& refused) {
    printed.trouble = std::string("code generation has no code for it: ") + refused.what();
  } catch (const std::exception& error) {
    printed.trouble = error.what();
  }
  return printed;
}

struct Finalist {
  const EvalRecord* eval = nullptr;
  double ns = 0, lo_ns = 0, hi_ns = 0;
};

/// Those that the log measured in turn with the best; empty when it measured none.
std::vector<Finalist> MeasuredInTurn(const Log& log) {
  constexpr std::string_view kRecord = "record ";
  std::vector<Finalist> finalists;
  for (const ReferenceRecord& reference : log.references) {
    if (!reference.name.starts_with(kRecord)) continue;
    const auto n = ParseInteger(std::string_view(reference.name).substr(kRecord.size()));
    const EvalRecord* const eval = n ? log.Find(static_cast<std::uint64_t>(*n)) : nullptr;
    if (eval == nullptr || reference.verdict != kernels::Verdict::kCorrect) continue;
    const double ns = reference.median_ns > 0 ? reference.median_ns : reference.best_ns;
    finalists.push_back({eval, ns, reference.lo_ns, reference.hi_ns});
  }
  return finalists;
}

std::vector<Finalist> NextFastest(const Log& log, const EvalRecord& best) {
  std::vector<Finalist> finalists;
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict != kernels::Verdict::kCorrect || eval.n == best.n) continue;
    finalists.push_back({&eval, eval.best_ns});
  }
  return finalists;
}

/// The value of a decision in an implementation; "-": it takes no part.
std::string ValueIn(const Log& log, const EvalRecord& eval, int decision) {
  const auto index = static_cast<std::size_t>(decision);
  const int value = index < VectorSize(eval.vector) ? VectorValue(eval.vector, index) : -1;
  return value < 0 ? "-" : ValueName(log, {decision, value});
}

/// Of the decisions that were taken in one of both, those that differ: name and both values. What
/// follows from them is left out.
void WriteDifferences(const Log& log, const EvalRecord& a, const EvalRecord& b, ScriptJson& json) {
  std::set<int> taken;
  for (const EvalRecord* const eval : {&a, &b}) {
    for (const PathStep& step : eval->path) taken.insert(step.decision);
  }
  json.Open('[');
  for (const int decision : taken) {
    const std::string value_a = ValueIn(log, a, decision), value_b = ValueIn(log, b, decision);
    if (value_a == value_b) continue;
    json.Texts({DecisionName(log, decision), value_a, value_b});
  }
  json.Close();
}

void WriteFinalists(const Log& log, const EvalRecord& best, ScriptJson& json) {
  std::vector<Finalist> finalists = MeasuredInTurn(log);
  json.Key("inTurn").Bool(!finalists.empty());
  if (finalists.empty()) finalists = NextFastest(log, best);
  std::ranges::stable_sort(finalists, {}, &Finalist::ns);
  if (finalists.size() > kMostFinalists) finalists.resize(kMostFinalists);
  json.Key("finalists").Open('[');
  for (const Finalist& finalist : finalists) {
    json.Open('{');
    json.Key("n").Integer(static_cast<std::int64_t>(finalist.eval->n));
    json.Key("ns").Number(finalist.ns);
    json.Key("lo").Number(finalist.lo_ns);
    json.Key("hi").Number(finalist.hi_ns);
    json.Key("differs");
    WriteDifferences(log, best, *finalist.eval, json);
    json.Close();
  }
  json.Close();
}

/// Where temporary arrays live: the decisions of the choice mem_space that take part.
void WriteArrays(const Log& log, const EvalRecord& eval, ScriptJson& json) {
  json.Key("arrays").Open('[');
  for (const ChoiceRecord& choice : log.choices) {
    if (choice.name != "mem_space" || choice.args.empty()) continue;
    const std::string space = ValueIn(log, eval, choice.index);
    if (space != "-") json.Texts({choice.args.front(), space});
  }
  json.Close();
}

}  // namespace

void WriteWinner(const Log& log, const Rebuilt& rebuilt, ScriptJson& json) {
  json.Key("winner");
  const EvalRecord* const best = log.Best();
  if (best == nullptr) {
    json.Null();
    return;
  }
  const Printed printed = Print(log, *best, rebuilt);
  json.Open('{');
  json.Key("n").Integer(static_cast<std::int64_t>(best->n));
  const TimeInterval time = BestTimeOf(log);
  json.Key("ns").Number(time.ns);
  json.Key("lo").Number(time.lo_ns);
  json.Key("hi").Number(time.hi_ns);
  json.Key("across").Text(AcrossText(best->across, best->bits_vary));
  json.Key("outline").Text(printed.outline, kMostSource);
  json.Key("source").Text(printed.source, kMostSource);
  json.Key("suffix").Text(printed.suffix);
  json.Key("trouble").Text(printed.trouble);
  WriteArrays(log, *best, json);
  json.Key("taken").Open('[');
  for (const PathStep& step : best->path) {
    json.Open('[');
    json.Text(DecisionName(log, step.decision));
    json.Text(ValueName(log, step));
    json.Close();
  }
  json.Close();
  WriteFinalists(log, *best, json);
  json.Close();
}

}  // namespace exh::search
