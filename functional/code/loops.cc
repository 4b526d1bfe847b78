// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <utility>

#include "functional/code/lowerer.h"
#include "kernels/loops/loop_text.h"

namespace exh::functional {
namespace {

constexpr std::int64_t kMostUnrolled = 64, kMostCopies = 4096;
/// To count, compare and jump.
constexpr double kStepsOfTurn = 2;

std::int64_t RoundsOf(std::int64_t total, std::int64_t count) {
  return (total + count - 1) / count;
}

}  // namespace

void Lowerer::InLoop(int code, std::int64_t total, const std::function<void(const Index&)>& body) {
  if (code >= 10 && CountOf(code) > 1) return InParallel(code, total, body);
  InSequence(total, body);
}

void Lowerer::InSequence(std::int64_t total, const std::function<void(const Index&)>& body) {
  if (total == 1) return body(Index());
  const IndexVariable variable = NewVariable(total);
  const std::size_t first_line = state_.lines.size();
  Open(kernels::loops::ForText("int", variable.name, 0, total));
  const std::int64_t copies_around = std::exchange(copies_, 1);
  loops_.push_back({0, 1, total, variable, {}});
  body(Index(variable));
  if (!LoopsAround().back().is_unrolled) CountSteps(kStepsOfTurn);
  loops_.pop_back();
  Close();
  // Private arrays are registers where it is known which element is meant.
  if (state_.indexes_private.contains(variable.number) && total <= kMostUnrolled &&
      copies_ * total <= kMostCopies) {
    copies_ *= total;
    state_.lines.insert(state_.lines.begin() + static_cast<std::ptrdiff_t>(first_line),
                        std::string(2 * static_cast<std::size_t>(depth_), ' ') + "#pragma unroll");
  }
  copies_ = std::max(copies_, copies_around);
}

/// Threads that have no element in the last round leave it out; where all of them must wait for
/// each other in it, they repeat the last element.
void Lowerer::InParallel(int code, std::int64_t total,
                         const std::function<void(const Index&)>& body) {
  const std::int64_t count = CountOf(code), rounds = RoundsOf(total, count);
  const bool is_partial = rounds * count != total;
  const State before = state_;
  const bool has_waited = std::exchange(has_waited_, false);
  const auto print = [&](bool repeats) {
    const IndexVariable variable = NewVariable(total);
    const std::string& name = variable.name;
    std::string point = ThreadOf(code);
    if (rounds > 1) {
      const std::string round = NewName("r");
      Open(kernels::loops::ForText("int", round, 0, rounds));
      point = fmt::format("{} * {} + {}", round, count, point);
    } else {
      Open("");
    }
    if (is_partial && repeats) {
      const std::string all = NewName("i"), guard = NewName("has");
      Line(fmt::format("const int {} = {};", all, point));
      Line(fmt::format("const bool {} = {} < {};", guard, all, total));
      Line(fmt::format("const int {} = {} ? {} : {};", name, guard, all, total - 1));
      guards_.push_back(guard);
    } else {
      Line(fmt::format("const int {} = {};", name, point));
      if (is_partial) Open(fmt::format("if ({} < {})", name, total));
    }
    Loop loop{code, count, total, variable, {}};
    if (const int at = code % 10; code / 10 != 2) {
      loop.thread = IndexOf(IndexVariable::Of(at, ThreadName(at), threads_[at]));
    }
    loops_.push_back(std::move(loop));
    body(IndexOf(variable));
    if (rounds > 1) CountSteps(kStepsOfTurn);
    loops_.pop_back();
    if (is_partial && repeats) guards_.pop_back();
    if (is_partial && !repeats) Close();
    Close();
  };
  print(/*repeats=*/false);
  // Groups leave rounds out as a whole.
  if (is_partial && has_waited_ && code / 10 != 2) {
    state_ = before;
    print(/*repeats=*/true);
  }
  has_waited_ |= has_waited;
}

std::int64_t Lowerer::CountOf(int code) const {
  const int dimension = code % 10;
  switch (code / 10) {
    case 1:
      return threads_[dimension];
    case 2:
      return groups_[dimension];
    default:
      return threads_[dimension] * groups_[dimension];
  }
}

std::string Lowerer::ThreadName(int dimension) {
  return fmt::format("thread{}", dimension);
}
std::string Lowerer::GroupName(int dimension) {
  return fmt::format("group{}", dimension);
}

std::string Lowerer::ThreadOf(int code) const {
  const int dimension = code % 10;
  if (code / 10 == 1) return ThreadName(dimension);
  if (code / 10 == 2 || threads_[dimension] == 1) return GroupName(dimension);
  if (groups_[dimension] == 1) return ThreadName(dimension);
  return fmt::format("{} * {} + {}", GroupName(dimension), threads_[dimension],
                     ThreadName(dimension));
}

}  // namespace exh::functional
