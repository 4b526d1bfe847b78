// SPDX-License-Identifier: MIT
//
// A depth-first search. It takes the first variable that has several values left, and tries the
// lower half of them before the upper half: the first solution that it meets is the lexicographic
// minimum. After each decision the bounds are propagated. A row sum(a * x) + c >= 0 has the *slack*
// sum(max of a * x) + c: below 0 there is no solution, and no term may lie further below its
// maximum than the slack.
//
// The trail holds each change of a bound with the row that caused it. When a row fails, the trail
// is walked backwards from it, which gives the decisions that the failure rests on. Decisions in
// between have nothing to do with it: they are taken back without a look at their upper halves
// (conflict-directed backjumping; P. Prosser, Hybrid algorithms for the constraint satisfaction
// problem, 1993). Without that, parts of a problem that have nothing to do with each other would
// multiply.
//
// Invariants: the slack of each row fits the present bounds, also while rows wait in the queue; an
// entry of the trail names the entry before it of the same bound; levels are numbered from 1, and
// what stands before the first decision has level 0.
#include "poly/lexmin.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>

#include "base/check.h"

namespace exh::poly {
namespace {

constexpr int kNobody = -1;

std::int64_t FloorDiv(std::int64_t a, std::int64_t b) {  // b > 0
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}

class Solver {
 public:
  Solver(const LexProblem& problem, std::uint64_t max_nodes)
      : lower_(problem.lower), upper_(problem.upper), max_nodes_(max_nodes) {
    const std::size_t num_variables = lower_.size();
    EXH_CHECK(upper_.size() == num_variables);
    for (const LinearRow& row : problem.rows) {
      AddRow(row, 1);
      if (row.is_equality) AddRow(row, -1);
    }
    row_begin_.push_back(static_cast<int>(terms_.size()));
    FillUses(num_variables);
    heads_.assign(2 * num_variables, kNobody);
    needed_.assign(2 * num_variables, 0);
    queued_.assign(slack_.size(), 0);
  }

  LexResult Solve() {
    LexResult result;
    for (std::size_t i = 0; i < lower_.size(); ++i) {
      if (lower_[i] > upper_[i]) return result;
    }
    for (std::size_t row = 0; row < slack_.size(); ++row) Enqueue(static_cast<int>(row));
    int failed = Propagate();
    std::size_t variable = 0;
    while (true) {
      while (failed != kNobody) {
        if (!BackJump(failed, variable)) return Ended(LexResult::Status::kNone);
        failed = Propagate();
      }
      while (variable < lower_.size() && lower_[variable] == upper_[variable]) ++variable;
      if (variable == lower_.size()) return Ended(LexResult::Status::kFound);
      if (num_nodes_ == max_nodes_) return Ended(LexResult::Status::kLimit);
      ++num_nodes_;
      levels_.push_back({.variable = static_cast<int>(variable), .trail_size = trail_.size()});
      const std::int64_t middle = lower_[variable] + (upper_[variable] - lower_[variable]) / 2;
      levels_.back().middle = middle;
      ChangeUpper(static_cast<int>(variable), middle, kNobody);
      failed = Propagate();
    }
  }

 private:
  struct Term {
    int variable;
    std::int64_t coefficient;
  };
  struct Use {
    int row;
    std::int64_t size;  // Of the coefficient, without its sign.
  };
  struct Change {
    int bound;  // 2 * variable for its lower bound, + 1 for its upper one.
    std::int64_t old;
    int reason;    // The row, or kNobody for a decision.
    int previous;  // The change before of the same bound, or kNobody.
    int level;
  };
  struct Level {
    int variable;
    std::int64_t middle = 0;
    std::size_t trail_size;         // Before the decision.
    bool is_upper = false;          // The lower half was refuted.
    std::vector<int> because = {};  // Levels that the refutation of the lower half rests on.
  };

  void AddRow(const LinearRow& row, int sign) {
    row_begin_.push_back(static_cast<int>(terms_.size()));
    std::int64_t slack = sign * row.constant;
    for (const auto& [variable, coefficient] : row.terms) {
      const std::int64_t signed_coefficient = sign * coefficient;
      terms_.push_back({variable, signed_coefficient});
      slack += signed_coefficient * (signed_coefficient > 0 ? upper_[variable] : lower_[variable]);
    }
    slack_.push_back(slack);
  }

  // For each bound, the rows whose slack depends on it.
  void FillUses(std::size_t num_variables) {
    use_begin_.assign(2 * num_variables + 1, 0);
    for (const Term& term : terms_) ++use_begin_[BoundOf(term) + 1];
    for (std::size_t i = 1; i < use_begin_.size(); ++i) use_begin_[i] += use_begin_[i - 1];
    uses_.resize(terms_.size());
    std::vector<int> next(use_begin_.begin(), use_begin_.end() - 1);
    for (std::size_t row = 0; row < slack_.size(); ++row) {
      for (int i = row_begin_[row]; i < row_begin_[row + 1]; ++i) {
        uses_[next[BoundOf(terms_[i])]++] = {static_cast<int>(row),
                                             std::abs(terms_[i].coefficient)};
      }
    }
  }

  // The bound at which a term is greatest.
  static int BoundOf(const Term& term) { return 2 * term.variable + (term.coefficient > 0); }

  LexResult Ended(LexResult::Status status) {
    LexResult result{.status = status, .num_nodes = num_nodes_};
    if (status == LexResult::Status::kFound) result.values = lower_;
    return result;
  }

  void Enqueue(int row) {
    if (queued_[row]) return;
    queued_[row] = 1;
    queue_.push_back(row);
  }

  void ChangeLower(int variable, std::int64_t value, int reason) {
    Record(2 * variable, lower_[variable], value - lower_[variable], reason);
    lower_[variable] = value;
  }

  void ChangeUpper(int variable, std::int64_t value, int reason) {
    Record(2 * variable + 1, upper_[variable], upper_[variable] - value, reason);
    upper_[variable] = value;
  }

  void Record(int bound, std::int64_t old, std::int64_t distance, int reason) {
    trail_.push_back({bound, old, reason, heads_[bound], static_cast<int>(levels_.size())});
    heads_[bound] = static_cast<int>(trail_.size()) - 1;
    for (int i = use_begin_[bound]; i < use_begin_[bound + 1]; ++i) {
      slack_[uses_[i].row] -= uses_[i].size * distance;
      Enqueue(uses_[i].row);
    }
  }

  void UndoTo(std::size_t size) {
    while (trail_.size() > size) {
      const Change& change = trail_.back();
      std::int64_t& value = (change.bound % 2 == 0 ? lower_ : upper_)[change.bound / 2];
      const std::int64_t distance = std::abs(change.old - value);
      for (int i = use_begin_[change.bound]; i < use_begin_[change.bound + 1]; ++i) {
        slack_[uses_[i].row] += uses_[i].size * distance;
      }
      value = change.old;
      heads_[change.bound] = change.previous;
      trail_.pop_back();
    }
  }

  // The row that fails, or kNobody at the fixpoint.
  int Propagate() {
    int failed = kNobody;
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      const int row = queue_[next];
      queued_[row] = 0;
      if (failed == kNobody && !Tighten(row)) failed = row;
    }
    queue_.clear();
    return failed;
  }

  bool Tighten(int row) {
    const std::int64_t slack = slack_[row];
    if (slack < 0) return false;
    for (int i = row_begin_[row]; i < row_begin_[row + 1]; ++i) {
      const auto [variable, coefficient] = terms_[i];
      const std::int64_t room = upper_[variable] - lower_[variable];
      if (room == 0) continue;
      // The bound that changes is not the one that the slack of this row depends on.
      const std::int64_t most = FloorDiv(slack, std::abs(coefficient));
      if (room <= most) continue;
      if (coefficient > 0) {
        ChangeLower(variable, upper_[variable] - most, row);
      } else {
        ChangeUpper(variable, lower_[variable] + most, row);
      }
    }
    return true;
  }

  // The levels that the failure of a row rests on, largest first.
  std::vector<int> LevelsBehind(int failed) {
    int open = 0;
    // A bound that a row gave a variable rests on the other terms of the row.
    const auto need = [&](int row, std::size_t before, int but_variable) {
      for (int i = row_begin_[row]; i < row_begin_[row + 1]; ++i) {
        if (terms_[i].variable == but_variable) continue;
        const int bound = BoundOf(terms_[i]);
        int entry = heads_[bound];
        while (entry != kNobody && entry >= static_cast<int>(before))
          entry = trail_[entry].previous;
        if (entry == kNobody || needed_[bound]) continue;
        needed_[bound] = 1;
        ++open;
      }
    };
    need(failed, trail_.size(), kNobody);
    std::vector<int> because;
    for (std::size_t i = trail_.size(); open > 0 && i-- > 0;) {
      const Change& change = trail_[i];
      if (!needed_[change.bound]) continue;
      needed_[change.bound] = 0;
      --open;
      if (change.reason != kNobody) {
        need(change.reason, i, change.bound / 2);
      } else {
        because.push_back(change.level);
      }
    }
    std::sort(because.rbegin(), because.rend());
    because.erase(std::unique(because.begin(), because.end()), because.end());
    return because;
  }

  // Goes back to the deepest decision that the failure rests on and whose upper half is left, and
  // takes that. False if there is none. Where both halves of a decision are refuted, what both
  // refutations rest on, without the decision, allows no solution.
  bool BackJump(int failed, std::size_t& variable) {
    std::vector<int> because = LevelsBehind(failed);
    while (!because.empty()) {
      const int deepest = because.front();
      UndoTo(levels_[deepest - 1].trail_size);
      levels_.resize(deepest);
      Level& level = levels_.back();
      because.erase(because.begin());
      if (!level.is_upper) {
        level.is_upper = true;
        level.because = std::move(because);
        ChangeLower(level.variable, level.middle + 1, kNobody);
        variable = level.variable;
        return true;
      }
      std::vector<int> both;
      std::set_union(because.begin(), because.end(), level.because.begin(), level.because.end(),
                     std::back_inserter(both), std::greater<>());
      because = std::move(both);
      levels_.pop_back();
    }
    return false;
  }

  std::vector<std::int64_t> lower_, upper_;
  const std::uint64_t max_nodes_;
  std::uint64_t num_nodes_ = 0;
  std::vector<Term> terms_;
  std::vector<int> row_begin_;  // Into terms_, and one for the end.
  std::vector<std::int64_t> slack_;
  std::vector<Use> uses_;
  std::vector<int> use_begin_;  // Into uses_, by bound, and one for the end.
  std::vector<Change> trail_;
  std::vector<int> heads_;  // By bound: its last change.
  std::vector<char> needed_;
  std::vector<Level> levels_;
  std::vector<int> queue_;
  std::vector<char> queued_;
};

}  // namespace

int LexProblem::AddVariable(std::int64_t least, std::int64_t most) {
  lower.push_back(least);
  upper.push_back(most);
  return static_cast<int>(lower.size()) - 1;
}

LexResult LexMin(const LexProblem& problem, std::uint64_t max_nodes) {
  return Solver(problem, max_nodes).Solve();
}

}  // namespace exh::poly
