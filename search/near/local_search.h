// SPDX-License-Identifier: MIT
//
// Local search: a descent beside the tree that keeps most decisions of one of the fastest
// implementations so far and opens some of them again. The tree decides in one order and can change
// what it decided early only by going back to where it was decided; here any decision may change
// while the others stay, as far as propagation lets them. What comes out enters the tree at its
// place like everything else (Tree::SelectTo), and pruning is the same, so nothing is lost or
// counted twice. (A large neighbourhood search; the engine's propagation repairs the rest.) Paths
// here are in the order of these descents (ChoiceOrder::ForRepair()), not in that of the tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/random.h"
#include "search/descend/bound_function.h"
#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "search/log/log_records.h"
#include "search/near/structure.h"

namespace exh::search {

/// One of the fastest implementations, and which of its decisions are open again.
struct Neighbourhood {
  runtime::Candidate elite;
  /// Another one that open decisions follow where they can, so that what two found comes together;
  /// without it they are drawn at random.
  std::optional<runtime::Candidate> mate;
  std::vector<runtime::DecisionId> open;  ///< Ascending; at least one, unless something is `first`.
  /// A decision that takes another value before anything else is decided: what stays is then what
  /// agrees with it. (Where many decisions have to follow one, as the nests that share an axis do,
  /// no few open ones lead there.)
  std::optional<PathStep> first = {};
};

/// Takes a step that may be a dead end; false: it is one.
inline bool RestrictTo(const PathStep& step, runtime::Candidate& candidate) {
  const auto decision = static_cast<runtime::DecisionId>(step.decision);
  return candidate.Restrict(decision, runtime::Bits{1} << step.value) ==
         runtime::Propagation::kFixpoint;
}

/// The elites, by structure. Any thread may call everything.
class LocalSearch {
 public:
  /// So many of the fastest implementations of a structure are kept, at most `kRelated` of them
  /// with the same decisions in the first half of their paths: variants of one would soon fill all
  /// places.
  static constexpr std::size_t kElites = 16, kRelated = 4;
  /// A structure whose fastest did not get faster by so much for so many evaluations is drawn half
  /// as often as before.
  static constexpr double kProgress = 0.01, kPatience = 100;
  /// What a structure had of so many evaluations counts when the next is drawn; of what is its due
  /// it has so much of a chance all the same.
  static constexpr double kWindow = 200, kAlways = 0.1;

  /// For implementations below `root`.
  explicit LocalSearch(const runtime::Candidate& root) : structure_(root) {}

  /// What an implementation consists of: a number.
  std::uint64_t StructureOf(const runtime::Candidate& implementation) const {
    return structure_.Of(implementation);
  }

  /// Might an implementation of this structure with this time find a place?
  bool MayTake(std::uint64_t structure, double ns) const;
  /// And with this path?
  bool Takes(std::uint64_t structure, const Path& path, double ns) const;
  /// Something of this structure was evaluated, whatever came of it.
  void Count(std::uint64_t structure);
  /// An implementation that is correct and took `ns`, and its path from the root.
  void Add(const runtime::Candidate& candidate, const Path& path, double ns);

  /// Is there something to be near to?
  bool is_ready() const;
  /// A structure that had less than its due, which is the less the more structures have something
  /// faster, and the longer it has not got any faster itself. Each has to show what it can be; one
  /// that made its way quickly is not for that the best in the end. Nothing before is_ready().
  std::optional<std::uint64_t> DrawStructure(Random& random) const;
  /// An elite of the structure, the faster the more often, what to change (a few decisions, some of
  /// one choice, some of those that speak of one object, or one and what follows from it), and for
  /// every third a mate. Nothing when it has none.
  std::optional<Neighbourhood> Draw(std::uint64_t structure, Random& random) const;
  /// The same around an implementation that need not be an elite, with its path; no mate.
  static Neighbourhood Around(const runtime::Candidate& candidate, const Path& path,
                              Random& random);

 private:
  struct Elite {
    runtime::Candidate candidate;
    Path path;
    double ns = 0;
    std::uint64_t family = 0;  ///< Of the first half of the path.
  };
  struct Elites {
    std::uint64_t structure = 0;
    std::vector<Elite> members;  ///< Fastest first.
    double fastest = 0;          ///< Of those that were faster by kProgress than all before.
    double stale = 0;            ///< Evaluations since then.
    double recent = 0;           ///< Of about the last kWindow evaluations, so many.
  };

  /// Null: the structure is new. With the lock held, as is what follows.
  const std::vector<Elite>* ElitesOf(std::uint64_t structure) const;
  /// Who makes room for an implementation: the end, nobody needs to; nothing, it is too slow.
  static std::optional<std::vector<Elite>::const_iterator> RoomFor(const std::vector<Elite>& elites,
                                                                   std::uint64_t family, double ns);

  Structure structure_;
  mutable std::mutex mutex_;
  std::vector<Elites> structures_;  ///< That of the fastest first.
};

/// Draws what the elite has; values of what is open at random, and another one for the first of
/// them. Prunes what the bound puts at the cut or above.
class NearGuide final : public Guide {
 public:
  /// All references outlive the guide; `bound` may be empty.
  NearGuide(const Neighbourhood& neighbourhood, const BoundFunction& bound, double cut)
      : neighbourhood_(neighbourhood), bound_(bound), cut_(cut) {}

  int Draw(const runtime::Candidate& state, runtime::DecisionId decision, int depth,
           Random& random) override;
  bool Prunes(const runtime::Candidate& child) override;

 private:
  const Neighbourhood& neighbourhood_;
  const BoundFunction& bound_;
  double cut_;
  bool has_changed_ = false;
};

}  // namespace exh::search
