// SPDX-License-Identifier: MIT
#include "search/tree/tree_search.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "base/error.h"
#include "kernels/evaluation.h"
#include "search/log/decisions.h"
#include "search/tree/tree_replay.h"

namespace exh::search {
namespace {

/// Different streams for what draws by the same sequence number.
constexpr std::uint64_t kOfSelections = 1, kOfRollouts = 2;

Random Stream(std::uint64_t seed, std::uint64_t sequence, std::uint64_t use) {
  return Random(seed + (2 * sequence + use) * 0x9e3779b97f4a7c15ULL);
}

/// As a SelectRecord says it.
std::string_view NameOf(ChosenBy chosen_by) {
  switch (chosen_by) {
    case ChosenBy::kLocal:
      break;
    case ChosenBy::kFirst:
      return "first";
    case ChosenBy::kLast:
      return "last";
  }
  return "local";
}

bool IsBroken(const EvalRecord& record) {
  return record.verdict == kernels::Verdict::kBroken;
}

/// As a ResultRecord says it.
std::string ResultName(const Backup& backup) {
  switch (backup.kind) {
    case Backup::Kind::kTimed:
      return "known";
    case Backup::Kind::kFailed:
      return "failed";
    case Backup::Kind::kEmpty:
      return "empty";
    case Backup::Kind::kLost:
      break;
  }
  return "lost";
}

}  // namespace

TreeSearch::TreeSearch(const runtime::Candidate& root, const ChoiceOrder& order,
                       const BoundFunction& bound, std::shared_ptr<const Policy> policy,
                       const TreeOptions& options, std::uint64_t seed, EventLog& log)
    : policy_(std::move(policy)),
      seed_(seed),
      log_(log),
      space_(root, order, bound),
      tree_(space_, options) {}

void TreeSearch::Restore(const Log& log) {
  const std::lock_guard lock(mutex_);
  TreeReplay replay = ReplayTree(log, tree_);
  sequence_ = replay.last;
  open_ = std::move(replay.open);
  in_flight_ = open_.size();
  for (const EvalRecord& record : log.evals) {
    if (IsBroken(record)) {
      if (record.sequence > 0) ++num_spoilt_;  // Once the tree took it for a failure.
      continue;
    }
    Backup result = BackupOf(record);
    result.is_known = true;
    programs_[HashOfText(record.code)].result = result;
  }
}

void TreeSearch::GiveUpOpen() {
  const std::lock_guard lock(mutex_);
  for (const Selection& selection : std::exchange(open_, {})) {
    WriteResult(selection, {.kind = Backup::Kind::kLost});
  }
}

std::optional<Selection> TreeSearch::Select() {
  const std::lock_guard lock(mutex_);
  for (;;) {
    Random random = Stream(seed_, sequence_ + 1, kOfSelections);
    std::optional<Selection> selection = tree_.Select(*policy_, random);
    if (!selection) return std::nullopt;
    WriteSelection(*selection, policy_->name());
    if (!selection->is_closed) return selection;
  }
}

std::optional<Selection> TreeSearch::SelectTo(const Path& path, ChosenBy chosen_by) {
  const std::lock_guard lock(mutex_);
  std::optional<Selection> selection = tree_.SelectTo(path);
  if (selection) WriteSelection(*selection, NameOf(chosen_by));
  return selection;
}

void TreeSearch::WriteSelection(Selection& selection, std::string_view chosen_by) {
  selection.sequence = NextSequence();
  SelectRecord record;
  record.sequence = selection.sequence;
  record.path = selection.path;
  record.policy = chosen_by;
  record.is_closed = selection.is_closed;
  log_.Write(record);
  if (!selection.is_closed) ++in_flight_;
}

Random TreeSearch::RandomOf(const Selection& selection) const {
  return Stream(seed_, selection.sequence, kOfRollouts);
}

bool TreeSearch::IsKnown(std::uint64_t code) const {
  const std::lock_guard lock(mutex_);
  return programs_.count(code) > 0;
}

bool TreeSearch::Claim(std::uint64_t code, const Selection& selection) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = programs_.try_emplace(code);
  if (is_new) return true;
  Program& program = found->second;
  if (program.is_spoilt) {
    KeepOpen();
  } else if (program.result) {
    WriteResult(selection, *program.result);
  } else {
    program.waiting.push_back(selection);
  }
  return false;
}

void TreeSearch::BackUp(const Selection& selection, Backup::Kind kind) {
  const std::lock_guard lock(mutex_);
  WriteResult(selection, {.kind = kind});
}

void TreeSearch::BackUp(const Selection& selection, std::uint64_t code, EvalRecord& record) {
  const std::lock_guard lock(mutex_);
  record.selection = selection.sequence;
  Program& program = programs_[code];
  if (IsBroken(record)) {
    log_.Write(record);
    program.is_spoilt = true;
    KeepOpen(1 + std::exchange(program.waiting, {}).size());
    return;
  }
  const Backup backup = BackupOf(record);
  tree_.BackUp(selection.edge, backup);
  record.sequence = NextSequence();
  log_.Write(record);
  --in_flight_;
  program.result = backup;
  program.result->is_known = true;
  for (const Selection& other : std::exchange(program.waiting, {})) {
    WriteResult(other, *program.result);
  }
}

void TreeSearch::KeepOpen(std::uint64_t selections) {
  in_flight_ -= selections;
  num_spoilt_ += selections;
}

void TreeSearch::WriteResult(const Selection& selection, const Backup& backup) {
  tree_.BackUp(selection.edge, backup);
  --in_flight_;
  ResultRecord record;
  record.sequence = NextSequence();
  record.selection = selection.sequence;
  record.what = ResultName(backup);
  record.ns = backup.ns;
  log_.Write(record);
}

void TreeSearch::SetBest(BestRecord& record) {
  const std::lock_guard lock(mutex_);
  tree_.SetBest(record.cut_ns());
  record.sequence = NextSequence();
  log_.Write(record);
}

double TreeSearch::cut() const {
  const std::lock_guard lock(mutex_);
  return tree_.cut();
}

double TreeSearch::LowerBound() const {
  const std::lock_guard lock(mutex_);
  const double bound = tree_.LowerBound();
  return std::isfinite(bound) ? bound : 0;
}

std::uint64_t TreeSearch::num_cut() const {
  const std::lock_guard lock(mutex_);
  return tree_.num_cut();
}

bool TreeSearch::exhausted() const {
  const std::lock_guard lock(mutex_);
  return tree_.exhausted() || (num_spoilt_ > 0 && in_flight_ == 0 && !tree_.HasFree());
}

bool TreeSearch::is_spoilt() const {
  const std::lock_guard lock(mutex_);
  return num_spoilt_ > 0;
}

Backup BackupOf(const EvalRecord& record) {
  const double ns = LearnedTime(record);
  if (record.verdict != kernels::Verdict::kCorrect && ns == 0) {
    return {.kind = Backup::Kind::kFailed};
  }
  return {.kind = Backup::Kind::kTimed, .ns = ns};
}

Backup BackupOf(const ResultRecord& record) {
  for (const auto kind :
       {Backup::Kind::kTimed, Backup::Kind::kFailed, Backup::Kind::kEmpty, Backup::Kind::kLost}) {
    const Backup backup{.kind = kind, .ns = record.ns, .is_known = true};
    if (ResultName(backup) == record.what) return backup;
  }
  throw Error(fmt::format("a result of the log is '{}'", record.what));
}

}  // namespace exh::search
