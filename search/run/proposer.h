// SPDX-License-Identifier: MIT
//
// Proposer: phase 1 of the explorer, what to evaluate next. Without a tree that is a random descent
// from the root. With one it is a rollout from where the tree selects, or a neighbour of an elite
// (local_search.h).
//
// Finding an implementation takes far less time than compiling and running one. So many are found
// for each that is compiled, and a cost model, which learns from every result, chooses among them.
// A *walk* is a hill climb on the model: it starts at a rollout of the tree, at a neighbour of an
// elite, or at one of a line (lines.h), and goes to a random neighbour whenever the model scores it
// better. Of all implementations that a walk looked at, the one with the best score is compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/descend/bound_function.h"
#include "search/descend/choice_order.h"
#include "search/descend/patient_descent.h"
#include "search/learn/cost_model.h"
#include "search/measure/evaluator.h"
#include "search/near/lines.h"
#include "search/near/local_search.h"
#include "search/near/walker.h"
#include "search/tree/tree_search.h"

namespace exh::search {

/// An implementation on its way through the phases.
struct Entry {
  runtime::Candidate candidate;
  Path path = {};  ///< In the order of the tree.
  kernels::Source source = {};
  std::string vector = {}, code = {};
  std::uint64_t code_hash = 0;
  std::optional<Selection> selection = {};  ///< With a tree.
  double bound = 0;
  std::shared_ptr<Line> line = {};  ///< That it was found for.
  kernels::Compiled compiled = {};
  bool ready = false;     ///< Phase 2 came to it before the run was stopped.
  bool is_trial = false;  ///< Only its trial is compiled.
};

/// The result of looking for an implementation.
struct Attempt {
  DescentResult result = DescentResult::kGaveUp;
  bool is_idle = false;  ///< The tree had nothing to select.
  std::optional<Selection> selection;
  int pruned = 0;
  std::vector<DeadEnd> dead_ends;
  std::optional<Entry> entry;
};

struct ProposerOptions {
  /// The share of descents that start near one of the fastest implementations, 0 to 1
  /// (local_search.h). Only with a tree.
  double local_share = 0;
  /// Steps of a walk, each a descent of which the cost model sees what it found, before one
  /// implementation is compiled; 1: no walk and no model. Only with a tree.
  int screen = 1;
  BoundFunction bound = {};      ///< Only a search with a tree looks at it.
  BoundFunction check = {};      ///< Instead of `bound`: cuts nothing, is only logged and checked.
  AmountsFunction amounts = {};  ///< What the cost model learns from, beside the decisions.
  int weighted_depth = 8;        ///< Decisions of a rollout that are drawn by bounds.
};

class Proposer {
 public:
  /// All references outlive the proposer; `tree` may be null.
  Proposer(const runtime::Candidate& root, const ChoiceOrder& order, Evaluator& evaluator,
           TreeSearch* tree, const ProposerOptions& options, std::uint64_t seed);

  /// A descent, or several. From any thread when each has its own source of chance.
  Attempt Make(Random& random) const;
  /// An implementation that the run begins with. Only with a tree; nothing when that has seen it.
  std::optional<Attempt> MakeFirst(const runtime::Candidate& implementation) const;

  /// What an evaluation said; `ns` 0: the implementation did not work, or not in time. One thread
  /// alone may teach.
  void Learn(const Entry& entry, double ns);
  /// The evaluations of a log in their order, so that what is known is the same as in a run that
  /// was not stopped.
  void Learn(const Log& log);

 private:
  /// What a walk led to.
  struct Prospect {
    Entry entry;       ///< Without its path.
    double score = 0;  ///< Smaller is better.
  };

  void MakeAtRandom(Random& random, Attempt& attempt) const;
  void MakeFromTree(Attempt& attempt) const;
  /// Finds an implementation near an elite whose program is new. True: `attempt` has it. False:
  /// only the dead ends are added to `attempt`. Children that are pruned here are not nodes of the
  /// tree, and are not counted.
  bool MakeNear(Random& random, Attempt& attempt) const;
  /// The same without a cost model: random neighbours of elites.
  bool LookAround(Random& random, Attempt& attempt) const;
  /// A walk that starts near an elite, or on a line.
  std::optional<Prospect> WalkNear(Random& random, Attempt& attempt) const;
  /// Where a walk begins. False: no start was found.
  bool BeginNearFastest(Walker& walker, Random& random, Attempt& attempt) const;
  bool BeginOn(const Line& line, Walker& walker, Random& random, Attempt& attempt) const;
  bool BeginNear(const LocalSearch& local, std::uint64_t structure, Walker& walker, Random& random,
                 Attempt& attempt) const;
  bool BeginAnywhere(std::uint64_t structure, Walker& walker, Random& random,
                     Attempt& attempt) const;
  /// Climbs from where `walker` stands, step by step to a neighbour that the model scores better.
  /// Returns the best of all that it looked at whose program was not compiled yet; nothing when all
  /// were. `structure`: neighbours of another structure are passed over.
  std::optional<Prospect> Walk(Walker& walker, double cut, std::optional<std::uint64_t> structure,
                               Random& random, const Descender::OnDeadEnd& note) const;
  /// Puts it into `attempt`, unless its program is known or the tree refuses its path.
  bool Take(Entry entry, Attempt& attempt, ChosenBy chosen_by = ChosenBy::kLocal) const;

  /// The path of what a descent from the end of `start` found, in the order of the tree.
  Path PathOf(const PatientDescent& descent, const Path& start) const;
  double BoundOf(const runtime::Candidate& candidate) const;
  /// The lower confidence bound of the logarithm of its time: the model's mean minus `hope` times
  /// its uncertainty. (`hope` is the exploration weight; smaller scores are better.)
  double Score(const runtime::Candidate& candidate, double hope) const;
  /// What the device says of it; until the thread asks again.
  std::span<const double> AmountsOf(const runtime::Candidate& candidate) const;
  /// `ns` 0: it has no time; `line` may be null.
  void Learn(const runtime::Candidate& candidate, const std::string& vector, const Path& path,
             double ns, const std::shared_ptr<Line>& line);
  /// With its source, and without its paths.
  Entry EntryOf(const runtime::Candidate& implementation) const;

  const runtime::Candidate& root_;
  const ChoiceOrder& order_;
  Evaluator& evaluator_;
  TreeSearch* tree_;
  ProposerOptions options_;
  /// The tree decides first what lower bounds depend on. Descents near an elite decide last what
  /// propagation can repair easily. Each is far better with its own order.
  ChoiceOrder near_order_;
  LocalSearch local_;
  mutable Lines lines_;  ///< Start at the first Draw().
  CostModel model_;
};

}  // namespace exh::search
