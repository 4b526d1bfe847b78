// SPDX-License-Identifier: MIT
#include "kernels/ir/target/plan_windows.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <utility>

namespace exh::kernels::ir {
namespace {

/// Finds the spans of one read.
class SpanFinder {
 public:
  SpanFinder(const Function& function, const Instruction& read)
      : function_(function), read_(read) {}

  /// Nothing: the read has no window.
  std::optional<std::vector<WindowSpan>> Run() {
    for (const AccessGuard& guard : read_.guards) {
      if (!AddGuard(guard)) return std::nullopt;
    }
    AddOthers();
    std::ranges::stable_sort(spans_, std::ranges::greater(), &WindowSpan::unit);
    const auto same = std::ranges::adjacent_find(spans_, {}, &WindowSpan::unit);
    const bool meet =
        std::ranges::any_of(spans_, [](const WindowSpan& span) { return span.axes.size() > 1; });
    if (same != spans_.end() || !meet) return std::nullopt;
    return std::move(spans_);
  }

 private:
  std::int64_t Total(LogicalDimId axis) const { return function_.logical(axis).total; }
  std::int64_t StepOf(LogicalDimId axis) const {
    std::int64_t step = 0;
    for (const AccessAxis& moves : read_.access) {
      if (moves.logical == axis) step += moves.stride;
    }
    return step;
  }
  bool IsTaken(LogicalDimId axis) const {
    return std::ranges::any_of(spans_,
                               [&](const WindowSpan& span) { return span.step(axis) != 0; });
  }

  /// A dimension that the read may leave.
  bool AddGuard(const AccessGuard& guard) {
    WindowSpan span;
    span.unit = 0;
    span.offset = guard.offset;
    span.extent = guard.extent;
    for (const AccessAxis& moves : guard.axes) {
      if (moves.stride == 0 || Total(moves.logical) == 1) continue;
      const std::int64_t step = StepOf(moves.logical);
      if (step == 0 || step % moves.stride != 0 || IsTaken(moves.logical)) return false;
      const std::int64_t unit = step / moves.stride;
      if (unit <= 0 || (span.unit != 0 && span.unit != unit)) return false;
      if (span.step(moves.logical) != 0) return false;
      span.unit = unit;
      span.axes.push_back(moves);
    }
    if (span.axes.empty()) return false;  // It always leaves it, or never: neither is worth a span.
    spans_.push_back(std::move(span));
    return true;
  }

  /// Axes along which the read stays inside of the argument.
  struct Part {
    std::int64_t unit = 1, reach = 0;  ///< Between the first and the last element.
    std::vector<AccessAxis> axes;
  };

  void AddOthers() {
    std::vector<Part> parts;
    for (const AccessAxis& moves : read_.access) {
      const std::int64_t step = StepOf(moves.logical);
      const bool is_known = std::ranges::any_of(
          parts, [&](const Part& part) { return part.axes.front().logical == moves.logical; });
      if (is_known || step == 0 || Total(moves.logical) == 1 || IsTaken(moves.logical)) continue;
      const std::int64_t reach = std::abs(step) * (Total(moves.logical) - 1);
      parts.push_back({std::abs(step), reach, {{moves.logical, step}}});
    }
    std::ranges::stable_sort(parts, {}, &Part::unit);
    std::vector<Part> apart;
    for (Part& part : parts) {
      const auto meets = [&] {
        std::int64_t reach = 0;
        for (const Part& smaller : apart) reach += smaller.reach;
        return part.unit <= reach;
      };
      while (!apart.empty() && meets()) {
        part.unit = std::gcd(part.unit, apart.back().unit);
        part.reach += apart.back().reach;
        part.axes.insert(part.axes.begin(), apart.back().axes.begin(), apart.back().axes.end());
        apart.pop_back();
      }
      apart.push_back(std::move(part));
    }
    for (const Part& part : apart) AddPart(part);
  }

  void AddPart(const Part& part) {
    WindowSpan span;
    span.unit = part.unit;
    span.extent = part.reach / part.unit + 1;
    for (const AccessAxis& moves : part.axes) {
      const std::int64_t step = moves.stride / part.unit;
      // Index 0 is the first element that is read.
      if (step < 0) span.offset -= step * (Total(moves.logical) - 1);
      span.axes.push_back({moves.logical, step});
    }
    spans_.push_back(std::move(span));
  }

  const Function& function_;
  const Instruction& read_;
  std::vector<WindowSpan> spans_;
};

template <typename IdType, typename T>
IdType NextId(const std::vector<T>& items) {
  return IdType{static_cast<std::uint16_t>(items.size())};
}

void Plan(Function& f, InstId read, std::vector<WindowSpan> spans) {
  Window window;
  window.id = NextId<WindowId>(f.windows);
  window.name_ = "window." + f.inst(read).name_;
  window.read = read;
  window.type = f.array(f.inst(read).array).type;
  window.element_bytes = BytesOf(window.type);
  window.base = f.inst(read).offset;
  window.outside = f.inst(read).outside;
  for (WindowSpan& span : spans) {
    span.id = NextId<SpanId>(f.spans);
    span.window = window.id;
    span.name_ = window.name_ + "." + std::to_string(window.spans.size());
    window.base -= span.unit * span.offset;
    window.spans.push_back(span.id);
    for (const AccessAxis& axis : span.axes) {
      const LogicalDim& logical = f.logical(axis.logical);
      f.terms.push_back({NextId<TermId>(f.terms), span.id,
                         span.name_ + logical.name.substr(logical.name.rfind('.')), axis.logical,
                         logical.extent, static_cast<std::uint32_t>(std::abs(axis.stride))});
    }
    f.spans.push_back(std::move(span));
  }
  Instruction copy;
  copy.id = NextId<InstId>(f.insts);
  copy.name_ = window.name_;
  copy.op = Op::kWindow;
  copy.type = copy.computes = window.type;
  copy.array = f.inst(read).array;
  copy.window = window.id;
  copy.planned = true;
  window.copy = copy.id;
  f.insts.push_back(std::move(copy));
  f.insts[read.index()].window = window.id;
  f.windows.push_back(std::move(window));
}

}  // namespace

void PlanWindows(Function& function) {
  const std::size_t permanent_insts = function.insts.size();
  for (std::size_t i = 0; i < permanent_insts; ++i) {
    const Instruction& inst = function.insts[i];
    if (inst.op != Op::kLoad || function.array(inst.array).role != ArrayRole::kInput) continue;
    auto spans = SpanFinder(function, inst).Run();
    if (spans) Plan(function, inst.id, std::move(*spans));
  }
  constexpr std::uint32_t kMostRooms = 512;  // More than any device shares.
  const std::uint32_t rooms = function.windows.empty() ? 0 : kMostRooms;
  for (std::uint32_t number = 1; number <= rooms; ++number) function.room_list.push_back({number});
}

}  // namespace exh::kernels::ir
