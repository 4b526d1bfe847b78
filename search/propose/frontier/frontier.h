// SPDX-License-Identifier: MIT
//
// Frontier: what of the space is left to evaluate. It knows which programs were seen, takes in what
// proposers found, and writes what came of it to the log, so that it stands there in the order in
// which the frontier took it. With a tree (tree_frontier.h) it also learns from every result, cuts,
// and proves. Without one (seen_programs.h) it only tells the new from the known.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "search/log/log_reader.h"
#include "search/propose/entry.h"
#include "search/tree/tree_search.h"

namespace exh::search {

/// What a frontier says of an attempt.
struct Intake {
  bool is_new = false;        ///< Its entry is to be evaluated.
  bool is_duplicate = false;  ///< Its program was seen before.
  /// Why nothing more will be found, as in EndRecord::why; empty: more may be.
  std::string_view end = {};
};

/// So many descents in a row that run out of patience: the search is stuck.
inline constexpr int kMaxGivenUp = 500;

/// What a frontier has proven when nothing is under way any more.
struct Proven {
  bool exhausted = false;  ///< All implementations were evaluated or cut.
  double bound_ns = 0;     ///< Nothing of the space is faster; 0: nothing is known.
  double epsilon = 0;      ///< What was cut could be faster than the best by this share.
  std::string tree;        ///< Digest of the tree.
};

class Frontier {
 public:
  virtual ~Frontier() = default;

  /// Do results change what is proposed next? Then little should be under way at once, and what has
  /// come of it should be told soon.
  virtual bool learns() const = 0;
  /// Is the program with this hash of its code certainly known? From any thread.
  virtual bool IsKnown(std::uint64_t code) const = 0;
  /// What takes at least as long need not be evaluated, in ns. From any thread.
  virtual double cut() const { return std::numeric_limits<double>::infinity(); }

  /// Takes an implementation that was found beside what the frontier selects itself. True:
  /// `attempt` has it, with its path. False: it need not be evaluated. From any thread.
  virtual bool Admit(Entry entry, ChosenBy chosen_by, Attempt& attempt) = 0;

  // Of what follows, one thread alone calls all that is not const.

  /// Takes what a proposer came to.
  virtual Intake Take(const Attempt& attempt) = 0;
  /// Logs an evaluation of an entry that was taken as new, and learns from it.
  virtual void Write(const Entry& entry, EvalRecord& record) = 0;
  /// Logs a new best.
  virtual void Write(BestRecord& record) = 0;

  /// Nothing of the space is faster, in ns; 0 when nothing is known.
  virtual double LowerBound() const { return 0; }
  /// Children that bounds kept the search out of.
  virtual std::uint64_t num_pruned() const { return 0; }
  /// Nothing where nothing can be proven.
  virtual std::optional<Proven> Prove() const { return std::nullopt; }

  /// Goes on where a log ends, before anything else. Adds to `counts` what it knows of descents and
  /// duplicates; the evaluations stand there. Throws Error when the log does not fit.
  virtual void Restore(const Log& log, EndRecord& counts) = 0;
  /// Says in the log that what was under way at the end of the restored log is lost.
  virtual void GiveUpOpen() {}
};

}  // namespace exh::search
