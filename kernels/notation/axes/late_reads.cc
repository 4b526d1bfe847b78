// SPDX-License-Identifier: MIT
#include "kernels/notation/axes/late_reads.h"

#include <algorithm>

namespace exh::kernels::notation {
namespace {

template <typename Set>
void Add(Set& all, const Set& more) {
  all.insert(more.begin(), more.end());
}

/// What is left of it for terms of a reduction over `own`: these come to their end together.
LateReads::Ended Without(const LateReads::Ended& ended, const std::vector<const Index*>& own) {
  LateReads::Ended rest = ended;
  std::erase_if(rest, [&](const auto& one) {
    return std::ranges::any_of(own, [&](const Index* index) { return index->axis == one.second; });
  });
  return rest;
}

}  // namespace

LateReads::LateReads(const Kernel& kernel, const ResolvedKernel& resolution)
    : kernel_(kernel),
      resolution_(resolution),
      made_of_(kernel.statements.size()),
      ended_(kernel.statements.size()) {
  for (std::size_t i = 0; i < kernel.statements.size(); ++i) {
    if (!resolution.needed[i]) continue;
    made_of_[i] = MadeOf(kernel.statements[i].value);
    ended_[i] = EndedIn(kernel.statements[i].value);
    FindRunning(kernel.statements[i].value, {});
  }
}

int LateReads::AxisOfTerm(const Expr& expr) const {
  const auto is_call = [](const Expr& of, std::string_view op) {
    return of.kind == Expr::Kind::kCall && of.text == op;
  };
  if (!is_call(expr, "exp") || !is_call(expr.args.front(), "-")) return -1;
  if (expr.args.front().args.size() != 2) return -1;
  const int top = ValueOf(expr.args.front().args[1]);
  if (top < 0) return -1;
  const Expr& value = kernel_.statements[static_cast<std::size_t>(top)].value;
  const bool is_maximum =
      value.kind == Expr::Kind::kReduce && value.text == "max" && !value.is_scan();
  return is_maximum ? resolution_.reductions.at(&value).front()->axis : -1;
}

void LateReads::FindRunning(const Expr& expr, const std::set<int>& sums) {
  if (const Expr* const chosen = ChosenOf(expr)) return FindRunning(*chosen, sums);
  std::set<int> around = sums;
  if (expr.kind == Expr::Kind::kReduce && expr.text == "sum" && !expr.is_scan()) {
    for (const Index* index : resolution_.reductions.at(&expr)) around.insert(index->axis);
  }
  if (around.contains(AxisOfTerm(expr))) {
    std::vector<const Expr*> reads;
    ReadsOf(expr.args.front().args[0], reads);
    running_.insert(reads.begin(), reads.end());
  }
  for (const Expr& arg : expr.args) FindRunning(arg, around);
}

std::map<const Expr*, LateReads::Ended> LateReads::In(const Expr& expr, const Ended& before) const {
  std::map<const Expr*, Ended> found;
  Find(expr, before, found);
  return found;
}

std::vector<bool> LateReads::InPlace(const ir::Builder& builder) const {
  std::vector<bool> in_place(kernel_.statements.size(), false);
  for (std::size_t i = 0; i < in_place.size(); ++i) {
    if (!resolution_.needed[i] || resolution_.output_of[i] < 0) continue;
    in_place[i] = true;
    Visit(kernel_.statements[i].value, {}, builder, in_place);
  }
  return in_place;
}

void LateReads::Visit(const Expr& expr, const Ended& before, const ir::Builder& builder,
                      std::vector<bool>& in_place) const {
  const auto late = In(expr, before);
  std::vector<const Expr*> reads;
  ReadsOf(expr, reads);
  for (const Expr* read : reads) {
    const int value = ValueOf(*read);
    const auto number = static_cast<std::size_t>(value);
    const auto found = late.find(read);
    const bool is_again =
        found != late.end() && KeptUntil(*read, found->second, builder) == Kept::kNowhere;
    if (is_again) {
      Visit(kernel_.statements[number].value, found->second, builder, in_place);
    } else if (!in_place[number]) {
      in_place[number] = true;
      Visit(kernel_.statements[number].value, {}, builder, in_place);
    }
  }
}

void LateReads::ReadsOf(const Expr& expr, std::vector<const Expr*>& reads) const {
  if (const Expr* const chosen = ChosenOf(expr)) return ReadsOf(*chosen, reads);
  if (ValueOf(expr) >= 0) reads.push_back(&expr);
  for (const Expr& arg : expr.args) ReadsOf(arg, reads);
}

const Expr* LateReads::ChosenOf(const Expr& expr) const {
  const auto chosen = resolution_.chosen.find(&expr);
  return chosen == resolution_.chosen.end() ? nullptr : chosen->second;
}

int LateReads::ValueOf(const Expr& expr) const {
  const auto read = resolution_.reads.find(&expr);
  return read == resolution_.reads.end() ? -1 : read->second.statement;
}

bool LateReads::HasAxis(int statement, int axis) const {
  return std::ranges::any_of(resolution_.left[static_cast<std::size_t>(statement)],
                             [&](const Index* index) { return index->axis == axis; });
}

std::set<int> LateReads::MadeOf(const Expr& expr) const {
  if (const Expr* const chosen = ChosenOf(expr)) return MadeOf(*chosen);
  std::set<int> all;
  if (const int value = ValueOf(expr); value >= 0) {
    all = made_of_[static_cast<std::size_t>(value)];
    all.insert(value);
  }
  for (const Expr& arg : expr.args) Add(all, MadeOf(arg));
  return all;
}

LateReads::Ended LateReads::EndedIn(const Expr& expr) const {
  if (const Expr* const chosen = ChosenOf(expr)) return EndedIn(*chosen);
  Ended all;
  if (const int value = ValueOf(expr); value >= 0) all = ended_[static_cast<std::size_t>(value)];
  for (const Expr& arg : expr.args) Add(all, EndedIn(arg));
  // A scan goes along with what it accumulates, step by step.
  if (expr.kind != Expr::Kind::kReduce || expr.is_scan()) return all;
  for (const int value : MadeOf(expr)) {
    for (const Index* index : resolution_.reductions.at(&expr)) {
      if (HasAxis(value, index->axis)) all.emplace(value, index->axis);
    }
  }
  return all;
}

void LateReads::Find(const Expr& expr, const Ended& before,
                     std::map<const Expr*, Ended>& found) const {
  if (const Expr* const chosen = ChosenOf(expr)) return Find(*chosen, before, found);
  if (const int value = ValueOf(expr); value >= 0) {
    if (!EndedAxes(value, before).empty()) found.emplace(&expr, before);
    return;
  }
  if (expr.is_scan()) return Find(expr.args.front(), before, found);
  if (expr.kind == Expr::Kind::kReduce) {
    return Find(expr.args.front(), Without(before, resolution_.reductions.at(&expr)), found);
  }
  for (const Expr& arg : expr.args) {
    Ended others;
    for (const Expr& other : expr.args) {
      if (&other != &arg) Add(others, EndedIn(other));
    }
    Ended all = before;
    // What is added to a reduction is what it begins with: it is there before the first term.
    const bool begins = expr.text == "+" && arg.kind == Expr::Kind::kReduce && !arg.is_scan();
    if (begins) all = Without(all, resolution_.reductions.at(&arg));
    Add(all, others);
    Find(begins ? arg.args.front() : arg, all, found);
  }
}

std::set<int> LateReads::EndedAxes(int statement, const Ended& before) const {
  std::set<int> axes;
  const auto& behind = made_of_[static_cast<std::size_t>(statement)];
  for (const auto& [value, axis] : before) {
    const bool is_of_it = value == statement || behind.count(value) > 0;
    if (is_of_it && HasAxis(statement, axis)) axes.insert(axis);
  }
  return axes;
}

/// Is a reduction in it, or in a value with these axes that it reads?
bool LateReads::Reduces(const Expr& expr, const std::set<int>& axes) const {
  if (const Expr* const chosen = ChosenOf(expr)) return Reduces(*chosen, axes);
  if (expr.kind == Expr::Kind::kReduce) return true;
  const int read = ValueOf(expr);
  const bool goes_on =
      read >= 0 && std::ranges::all_of(axes, [&](int axis) { return HasAxis(read, axis); });
  if (goes_on && Reduces(kernel_.statements[static_cast<std::size_t>(read)].value, axes))
    return true;
  return std::ranges::any_of(expr.args, [&](const Expr& arg) { return Reduces(arg, axes); });
}

/// Is each step along the axis one element further in all arrays that move along it?
bool LateReads::AdjoinsIn(const Expr& expr, int axis) const {
  if (const Expr* const chosen = ChosenOf(expr)) return AdjoinsIn(*chosen, axis);
  const auto read = resolution_.reads.find(&expr);
  if (read != resolution_.reads.end()) {
    const ResolvedAccess& access = read->second;
    return access.array < 0 || std::ranges::all_of(access.strides, [&](const auto& stride) {
             return stride.first->axis != axis || stride.second == 1;
           });
  }
  return std::ranges::all_of(expr.args, [&](const Expr& arg) { return AdjoinsIn(arg, axis); });
}

Kept LateReads::KeptUntil(const Expr& read, const Ended& before, const ir::Builder& builder) const {
  const int statement = ValueOf(read);
  const auto number = static_cast<std::size_t>(statement);
  const Expr& value = kernel_.statements[number].value;
  const std::set<int> axes = EndedAxes(statement, before);
  std::uint64_t points = 1, neighbours = 1;
  for (const Index* index : resolution_.left[number]) {
    if (axes.count(index->axis) == 0) continue;
    const auto extent = static_cast<std::uint64_t>(*index->extent);
    points *= extent;
    neighbours = AdjoinsIn(value, index->axis) ? extent : 1;  // Of the last one.
  }
  if (!resolution_.left[number].empty() && axes.count(resolution_.left[number].back()->axis) == 0) {
    neighbours = 1;
  }
  const bool are_sums = Reduces(value, axes);
  if (builder.RegistersHold(points, neighbours, are_sums)) return Kept::kInRegisters;
  // What is reduced is worth to be kept; what takes some operations is not worth its way.
  if (are_sums && builder.MemoryHolds(points)) return Kept::kInMemory;
  return running_.contains(&read) ? Kept::kInRegisters : Kept::kNowhere;
}

}  // namespace exh::kernels::notation
