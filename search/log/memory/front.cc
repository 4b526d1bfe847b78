// SPDX-License-Identifier: MIT
#include "search/log/memory/front.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers.h"

namespace exh::search {
namespace {

/// Does it take neither more time nor more bytes?
bool IsNoWorse(const FrontPoint& point, const FrontPoint& than) {
  return point.ns <= than.ns && point.bytes <= than.bytes;
}

}  // namespace

bool Front::Add(const FrontPoint& point) {
  const auto is_no_worse = [&](const FrontPoint& known) { return IsNoWorse(known, point); };
  if (std::ranges::any_of(points_, is_no_worse)) return false;
  std::erase_if(points_, [&](const FrontPoint& known) { return IsNoWorse(point, known); });
  const auto place = std::ranges::upper_bound(points_, point.bytes, {}, &FrontPoint::bytes);
  points_.insert(place, point);
  return true;
}

bool Front::Add(const EvalRecord& eval) {
  const bool is_known = eval.verdict == kernels::Verdict::kCorrect && eval.memory_bytes > 0;
  return is_known && Add(FrontPoint{eval.n, eval.best_ns, eval.memory_bytes, TypicalTime(eval)});
}

std::vector<FrontPoint> Front::PointsForSure() const {
  std::vector<FrontPoint> sure;
  for (const FrontPoint& point : points_) {
    if (sure.empty() || point.typical_ns < sure.back().ns) sure.push_back(point);
  }
  return sure;
}

Front FrontOf(const Log& log) {
  Front front;
  for (const EvalRecord& eval : log.evals) front.Add(eval);
  return front;
}

std::string BytesText(std::uint64_t bytes) {
  constexpr std::uint64_t kFew = 10'000;
  if (bytes < kFew) return fmt::format("{} bytes", bytes);
  const auto number = static_cast<double>(bytes);
  if (number < 1e6) return fmt::format("{:.3g} kB", number / 1e3);
  return number < 1e9 ? fmt::format("{:.3g} MB", number / 1e6)
                      : fmt::format("{:.3g} GB", number / 1e9);
}

std::string MemoryText(std::uint64_t memory_bytes, std::uint64_t workspace_bytes) {
  if (memory_bytes == 0) return "";
  if (workspace_bytes == 0) {
    return fmt::format("memory: {}, that of the arrays\n", BytesText(memory_bytes));
  }
  return fmt::format("memory: {}, of which {} lie beside the arrays\n", BytesText(memory_bytes),
                     BytesText(workspace_bytes));
}

std::string FrontText(const Front& front) {
  const std::vector<FrontPoint> points = front.PointsForSure();
  if (points.size() < 2) return "";
  std::string text = "time against memory:\n";
  for (const FrontPoint& point : points) {
    text += fmt::format("{:>8}  {:>10}  {:>10}\n", point.n, BytesText(point.bytes),
                        FormatTime(point.ns));
  }
  return text;
}

}  // namespace exh::search
