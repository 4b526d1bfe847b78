// SPDX-License-Identifier: MIT
#include "search/page/columns.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/evaluation.h"
#include "search/log/times/best_time.h"

namespace exh::search {
namespace {

/// To so many parts of one.
double Rounded(double value, double parts) {
  return std::round(value * parts) / parts;
}

double TimeOnFront(const EvalRecord& eval) {
  const bool is_on_front = eval.verdict == kernels::Verdict::kCorrect && eval.memory_bytes > 0;
  return is_on_front ? TypicalTime(eval) : 0;
}

/// A column of numbers, and where its numbers come from.
struct NumberField {
  std::string_view name;
  bool is_integer;
  double (*of)(const EvalRecord&);
};

/// Verdict and reason stand behind the first two.
constexpr std::size_t kBeforeVerdict = 2;
constexpr NumberField kFields[] = {
    {"n", true, [](const EvalRecord& eval) { return static_cast<double>(eval.n); }},
    {"dt", false, [](const EvalRecord& eval) { return Rounded(eval.dt, 1000); }},
    {"ns", false, [](const EvalRecord& eval) { return eval.best_ns; }},
    {"again", false, [](const EvalRecord& eval) { return eval.again_ns; }},
    {"estimate", false, [](const EvalRecord& eval) { return eval.estimate_ns; }},
    {"bound", false, [](const EvalRecord& eval) { return eval.bound_ns; }},
    {"compile", false, [](const EvalRecord& eval) { return Rounded(eval.compile_ms, 10); }},
    {"check", false, [](const EvalRecord& eval) { return Rounded(eval.check_ms, 10); }},
    {"error", false, [](const EvalRecord& eval) { return Rounded(eval.error_ratio, 1000); }},
    {"registers", true, [](const EvalRecord& eval) { return static_cast<double>(eval.registers); }},
    {"blocks", true,
     [](const EvalRecord& eval) { return static_cast<double>(eval.blocks_per_sm); }},
    {"clock", false, [](const EvalRecord& eval) { return eval.clock_mhz; }},
    {"memory", true, [](const EvalRecord& eval) { return static_cast<double>(eval.memory_bytes); }},
    {"workspace", true,
     [](const EvalRecord& eval) { return static_cast<double>(eval.workspace_bytes); }},
    {"typical", false, TimeOnFront}};

/// Numbers of a log may be any of 64 bits; those of a page are exact up to here.
std::int64_t AsInteger(double value) {
  constexpr double kMost = 9007199254740992;
  return static_cast<std::int64_t>(std::clamp(value, -kMost, kMost));
}

void WriteNumbers(const NumberField& field, std::span<const double> values, ScriptJson& json) {
  if (std::ranges::all_of(values, [](double value) { return value == 0; })) return;
  ScriptJson column;
  column.Open('[');
  for (const double value : values) {
    if (field.is_integer) {
      column.Integer(AsInteger(value));
    } else {
      column.Number(value);
    }
  }
  column.Close();
  json.Key(field.name).Column(column.Take());
}

void WriteIndices(std::string_view name, std::span<const int> values, ScriptJson& json) {
  ScriptJson column;
  column.Open('[');
  for (const int value : values) column.Integer(value);
  column.Close();
  json.Key(name).Column(column.Take());
}

}  // namespace

int TextDictionary::Add(const std::string& text) {
  if (const auto known = index_.find(text); known != index_.end()) return known->second;
  if (bytes_ + text.size() > most_bytes_) {
    left_out_.insert(std::hash<std::string>()(text));
    return -2;
  }
  const int index = static_cast<int>(texts_.size());
  bytes_ += text.size();
  index_.emplace(text, index);
  texts_.push_back(text);
  return index;
}

EvalColumns::EvalColumns(const ColumnLimits& limits)
    : limits_(limits),
      verdicts_(std::numeric_limits<std::size_t>::max()),
      reasons_(limits.reasons) {
  static_assert(std::size(kFields) == kNumbers);
}

EvalColumns::EvalColumns(const Log& log, const ColumnLimits& limits) : EvalColumns(limits) {
  for (const EvalRecord& eval : log.evals) Add(eval);
}

void EvalColumns::Add(const EvalRecord& eval) {
  for (std::size_t f = 0; f < kNumbers; ++f) numbers_[f].push_back(kFields[f].of(eval));
  verdict_.push_back(verdicts_.Add(std::string(kernels::VerdictName(eval.verdict))));
  reason_.push_back(eval.why.empty() ? -1 : reasons_.Add(eval.why.substr(0, limits_.reason + 1)));
}

void EvalColumns::WriteFrom(std::size_t first, std::size_t first_reason, ScriptJson& json) const {
  json.Key("count").Integer(static_cast<std::int64_t>(count()));
  json.Key("evals").Open('{');
  const auto write = [&](std::size_t f) {
    WriteNumbers(kFields[f], std::span(numbers_[f]).subspan(first), json);
  };
  for (std::size_t f = 0; f < kBeforeVerdict; ++f) write(f);
  WriteIndices("verdict", std::span(verdict_).subspan(first), json);
  WriteIndices("reason", std::span(reason_).subspan(first), json);
  for (std::size_t f = kBeforeVerdict; f < kNumbers; ++f) write(f);
  json.Close();
  json.Key("verdicts").Texts(verdicts_.texts());
  json.Key("reasons").Texts({reasons_.texts().begin() + static_cast<std::ptrdiff_t>(first_reason),
                             reasons_.texts().end()},
                            limits_.reason);
  json.Key("reasonsLeftOut").Integer(static_cast<std::int64_t>(reasons_.num_left_out()));
}

}  // namespace exh::search
