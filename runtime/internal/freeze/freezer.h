// SPDX-License-Identifier: MIT
//
// Freezer: fills an Instance. Its steps are listed in Run(), in order; each is one function, in the
// file that is named below. The root domains, the gates, the relations and the stores of clauses
// are filled as the steps go on, and the network is made of them at the end.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/instance.h"
#include "runtime/internal/ground/ground_clauses.h"
#include "runtime/internal/ground/lane_store.h"
#include "runtime/internal/network/freeze_ticker.h"
#include "runtime/internal/network/network.h"
#include "runtime/internal/network/objects.h"
#include "runtime/internal/network/relation_store.h"
#include "runtime/internal/network/row_places.h"

namespace exh::runtime::internal {

class LaneEmitter;

class Freezer {
 public:
  Freezer(const Space& space, const Host& host, const FreezeOptions& options);
  ~Freezer();
  std::shared_ptr<const Instance> Run();

 private:
  static constexpr std::size_t kMaxVariables = 16;
  static constexpr std::uint32_t kAskedPerLook = 16;
  static constexpr std::uint32_t kMostOpenings =
      64;  ///< Above as many gates they find nothing done.
  // Parts of a freeze, about, for those who wait for it.
  static constexpr double kUnaryShare = 0.02, kClauseShare = 0.5;
  static constexpr double kTableShare = 0.1, kRootShare = 0.13, kRunShare = 0.25;
  enum class Outcome : std::uint8_t { kFalse, kTrue, kOpen, kUndefined };

  struct FiredTuple {
    int trigger;
    std::vector<Object> objects;
  };
  class ClauseLanes;       // freeze_lanes.cc
  class UniformFinder;     // uniform_finder.cc
  class CounterGrounder;   // freeze_constraints.cc
  class QuotientGrounder;  // freeze_constraints.cc

  // ---- freezer.cc
  void FreezeSets();
  void FreezeNames(int set, Object size);
  void FreezeDecisions();
  void FreezeUniverse(int choice, std::span<const Object> objects);
  void NumberCounters();
  void PlanTriggers();
  void RejectCycles();
  void AssignMemberships();
  void FreezeDomains();
  void PropagateRoot();
  void FixKnown();

  // ---- freeze_estimate.cc
  double ExpectedWords();
  double ExpectedSeconds(double words) const;

  // ---- freezer.cc
  void IndexRecords(bool is_final);
  void FillStatistics(std::size_t num_entailed);
  std::string SizeText() const;
  ChoiceTable MakeTable(int choice) const;
  std::string TupleText(std::span<const Variable> variables, std::span<const Object> objects) const;

  // ---- freeze_layout.cc
  void AssignSlots();
  void AssignCells(int choice, Slot* next);
  void DescribeCells();
  void FindBlocks();
  void PlanPresence();
  /// Both cells of a pair, when it is one.
  void SetDomain(Slot slot, Bits values, State* state) const;

  // ---- freeze_conditions.cc
  /// The literal of a condition for these objects; kOpen when there is one.
  Outcome Ground(const Condition& condition, const Object* objects, std::size_t num_objects,
                 Literal* literal);
  Outcome GroundIs(const Condition& condition, const Object* objects, Literal* literal) const;
  Outcome GroundCompare(const Condition& condition, const Object* objects, Literal* literal);
  Outcome GroundCompareCode(const Condition& condition, const Object* objects,
                            std::size_t num_objects, Literal* literal);
  /// The pair relation of a comparison of two decisions, and its complement.
  std::pair<std::uint32_t, std::uint32_t> InternComparison(const Condition& condition,
                                                           DecisionId left, bool left_swapped,
                                                           DecisionId right, bool right_swapped);
  Outcome GroundPresent(const Condition& condition, const Object* objects, Literal* literal);
  /// Whether a condition that depends on no decision (IsKnown) holds.
  bool Holds(const Condition& condition, const Object* objects, std::size_t num_objects);
  static bool IsKnown(const Condition& condition);
  std::vector<std::uint32_t> NumbersOf(const Condition& condition, const Object* objects,
                                       std::size_t num_objects);
  /// Ground conditions of a conjunction; those that hold anyway are dropped. kTrue: none is left.
  Outcome GroundAll(std::span<const Condition> conditions, const Object* objects,
                    std::size_t num_objects, std::vector<Literal>* literals);
  /// Decision of a use, or -1; `swapped` when the stored orientation is the other one.
  int Find(const ChoiceUse& use, const Object* objects, bool* swapped) const;
  Bits Oriented(int choice, bool swapped, Bits values) const;
  std::uint64_t NumberOf(DecisionId decision, bool swapped, int value) const;

  // ---- freeze_terms.cc
  class TermGrounder;
  /// A comparison of terms, as a literal on one or two short decisions where it reads no more.
  Outcome GroundTerms(const Condition& condition, const Object* objects, std::size_t num_objects,
                      Literal* literal);
  /// The weight of an increment; false: a decision that it reads does not exist.
  bool GroundWeight(const Term& weight, const std::string& text, const Object* objects,
                    std::size_t num_objects, Increment* increment);
  /// What the values of a long decision have to be.
  Literal LongLiteral(DecisionId decision, const std::vector<bool>& values);
  /// Throws Error for terms that may be too large, and for weights that may be negative.
  void CheckTerms();
  /// Where the root is a dead end: Error for weights that could be negative before it was
  /// propagated, for then it may be none.
  void CheckWeights();
  template <typename View>
  void CheckCounterPairs(const View& view);
  /// Puts numbers in the place of what the host says of the terms of the space itself.
  void FixTerms();
  std::int64_t IntegerOf(const TermNode& node, const Object* objects, std::size_t num_objects);

  // ---- freeze_clauses.cc
  /// All variables are bound.
  void GroundTuple(const Clause& clause, const Scope& scope, const Object* objects,
                   std::uint32_t origin);
  /// By the row (freeze_lanes.cc); false: it has to be grounded tuple by tuple.
  /// `only_few`: only where the root leaves so few of its conditions that they are a table.
  bool GroundByLanes(const Clause& clause, bool only_few);
  void GroundByTuples(const Clause& clause);
  /// All clauses that are unary, or all that are not.
  void GroundClausesThat(bool are_unary);

  // ---- freeze_constraints.cc
  bool IsUnary(const Clause& clause) const;
  void GroundCounters();
  void GroundCounter(int choice);
  void GroundQuotient(int quotient);
  void SplitSums();
  Counter SumOfParts(Counter counter, std::uint32_t parts_of);
  std::int64_t BaseOf(const Choice& choice, std::span<const Object> objects);
  void GroundTriggers();
  void GroundFired(std::size_t number);
  void GroundShared(const std::vector<int>& adders, Slot slot);
  void AddIncrement(std::vector<Literal> literals, Increment increment, Counter* counter);
  /// Splits memberships of a tuple into planned ones and literals on quotient flags.
  void SplitMemberships(std::span<const Slot> memberships, std::vector<Slot>* planned,
                        std::vector<Slot>* flags) const;

  const Host& host_;
  const FreezeOptions options_;
  FreezeTicker ticker_;
  std::uint32_t asked_ = 0;  // Times that a predicate was asked for.
  std::shared_ptr<Instance> instance_;
  const Space& space_;  // The instance's copy.
  Objects& objects_;
  Network& network_;
  RelationStore relations_;
  RootDomains domains_;
  Gates gates_;
  LaneStore lanes_;
  GroundClauses clauses_;
  std::optional<RowPlaces> places_;
  std::unique_ptr<UniformFinder> uniform_;  ///< Null: nothing is looked for.
  /// By cell: what GroundClauses::known() says of it.
  std::vector<std::uint8_t, CacheLineAllocator<std::uint8_t>> known_cells_;

  std::vector<FiredTuple> fired_;
  std::map<std::pair<int, Host::Member>, std::vector<int>> adders_;  // (set, member) -> fired.
  std::map<std::vector<int>, Slot> shared_memberships_;  // Several adders -> hidden slot.
  Slot first_hidden_ = 0;
  std::vector<Slot> slots_in_use_;  ///< Ascending; the cells between them belong to nobody.
  std::vector<bool> is_flag_;       // By slot: the flag of a quotient.
  std::map<std::vector<std::uint32_t>, std::uint32_t> universe_ids_;
  // What externs answered, by the objects that they were asked for.
  std::map<CodeId, std::map<std::vector<Object>, bool>> predicates_;
  std::map<CodeId, std::map<std::vector<Object>, std::vector<std::uint32_t>>> constants_;
  std::map<CodeId, std::map<std::vector<Object>, std::int64_t>> integers_;
  /// What a comparison of two short decisions means, by its nodes and their universes.
  std::map<std::vector<std::int64_t>, std::pair<std::uint32_t, std::uint32_t>> term_pairs_;
  std::map<std::string, std::uint32_t> term_texts_;
  std::string place_;                ///< Of what is being grounded: "requirement fits (a.exh:12)".
  std::vector<std::int64_t> bases_;  ///< By counter.
  std::map<std::array<std::uint32_t, 5>, std::pair<std::uint32_t, std::uint32_t>> comparisons_;
};

/// Fills the wake-up lists: every ground constraint by itself.
void IndexNetwork(const Instance& instance, Network* network);

/// Adds the joints of exact counters and the tables and clauses over their decisions.
void FindJoints(const RootDomains& root, const Gates& gates, Network* network);

/// Runs for the increments of counters that differ in their lane alone.
void IndexIncrements(const RowPlaces& places, const RootDomains& root, Network* network);

/// Records that the queue may hold come first, so that it is no longer than they are.
void PutLooseFirst(std::vector<std::uint8_t>* covered, Network* network);

/// The wake-up lists of what is in no run: bit i of covered[id] says that the constraint is in a
/// run of the i-th slot that it reads.
void IndexScalars(const Instance& instance, const RootDomains* root,
                  const std::vector<std::uint8_t>& covered, Network* network);

/// Wake tables for these slots, from their finished lists.
void IndexWakes(const RootDomains& root, std::span<const Slot> slots, Network* network);

}  // namespace exh::runtime::internal
