// SPDX-License-Identifier: MIT
//
// Clauses of requirements over all tuples of their objects. There are as many tuples as objects to
// the power of the variables, and each takes part in the freeze for some tens of nanoseconds: for
// that, the innermost loop of a clause with few conditions (FastRow) knows by which slots come
// first, seen from which side, and which conditions the root rules out, what a tuple will look like
// to the tables (its *look*), and so its pattern; whatever is rarer goes the general way (Leaf).
#include <algorithm>
#include <array>
#include <bit>

#include "runtime/check.h"
#include "runtime/error.h"
#include "runtime/internal/freezer.h"

namespace exh::runtime::internal {

class Freezer::ClauseLoop {
 public:
  ClauseLoop(Freezer& freezer, const Clause& clause);
  void Run();

 private:
  static constexpr std::size_t kMostConditions = kMaxTableArity;
  /// A choice applied to variables, ready for the inner loop.
  struct Use {
    const ChoiceTable* table = nullptr;
    const std::vector<int>* arguments = nullptr;
    // In a row: where the tuple of the row's objects is, and how far the next one is.
    const std::int32_t* base = nullptr;
    std::size_t stride = 0;
    std::int32_t At(std::size_t object) const { return base[object * stride]; }
  };
  /// An `is` condition.
  struct Test {
    Use use;
    std::array<Bits, 2> masks;  ///< As the condition says, and seen from the other side of a pair.
  };
  /// A comparison of two decisions of an enum.
  struct Comparison {
    const Condition* condition = nullptr;
    Use left, right;
    std::array<std::uint32_t, 4> pairs{};  ///< By sides; kNone: not asked for yet.
    // The last answer of PairStatus().
    std::uint32_t last_pairs = kNone;
    Bits last_left = 0, last_right = 0;
    Truth last = Truth::kMaybe;
  };
  /// A test whose variables are bound, or the flag of a quotient among the memberships.
  struct Bound {
    std::size_t test = 0;  ///< kFlag: no test.
    Slot slot = 0;
    bool swapped = false;
  };
  static constexpr std::size_t kFlag = ~std::size_t{0};
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Look {
    std::uint32_t look = kNone, pattern = 0;
  };

  bool IsFast() const;
  void PrepareUse(const ChoiceUse& choice_use, Use* use) const;
  bool Collect(std::size_t level);
  bool Enter(std::size_t variable);
  void Leaf();
  void General(Object object);
  void Row();
  bool ReadPrefix();
  template <int kTests, bool kCompares>
  void FastRow();
  template <int kTests, bool kCompares>
  bool FastTuple(Object object);
  void PlaceUse(std::size_t row_variable, Use* use) const;
  bool Fits(const std::array<Slot, kMaxTableArity>& slots, int arity) const;
  Truth StatusOf(Comparison* comparison, std::uint32_t pairs, Slot left, Slot right);
  std::uint32_t PairsOf(Comparison* comparison, unsigned sides);
  std::uint32_t PatternOf(std::uint32_t look, int num_tests);

  Freezer& freezer_;
  const Clause& clause_;
  const Scope scope_;
  const std::size_t depth_;
  std::uint32_t origin_ = 0;
  bool always_ = false;  ///< A condition is the constant true.

  // `is` conditions are looked at as soon as their variables are bound; level 0 is before the
  // first. Host code and comparisons wait for the last variable.
  std::vector<Test> tests_;
  std::vector<std::vector<std::size_t>> early_;  ///< By level.
  std::vector<const Condition*> others_, codes_;
  std::vector<Comparison> comparisons_;  ///< `others_`, when they are comparisons of enums.
  bool fast_ = false;

  std::array<Object, kMaxVariables> objects_{};
  std::vector<Bound> bound_;
  std::vector<Slot> gate_, memberships_;
  std::vector<std::size_t> bound_before_, gate_before_;
  std::vector<Literal> literals_;

  std::array<Look, 1024> looks_;  ///< By hash: the last ones.
  bool always_fits_ = false;      ///< A table, whatever the universes are.

  // A row: what its tuples share, and the tests that they do not.
  std::array<Slot, kMaxTableArity> prefix_slots_{};
  int num_prefix_ = 0, prefix_open_ = 0;
  std::uint32_t prefix_look_ = 0;
  std::array<Test*, kMaxTableArity> row_tests_{};
};

Freezer::ClauseLoop::ClauseLoop(Freezer& freezer, const Clause& clause)
    : freezer_(freezer),
      clause_(clause),
      scope_(freezer.space_, freezer.objects_, clause.variables),
      depth_(clause.variables.size()) {
  origin_ = freezer.relations_.InternOrigin({Origin::Kind::kRequirement, clause.requirement});
  early_.resize(depth_ + 1);
  for (const Condition& condition : clause.conditions) {
    if (condition.kind == Condition::Kind::kConstant) {
      always_ |= condition.constant;
    } else if (IsKnown(condition)) {
      codes_.push_back(&condition);
    } else if (condition.kind == Condition::Kind::kIs) {
      int level = 0;
      for (const int argument : condition.lhs.arguments) level = std::max(level, argument + 1);
      early_[level].push_back(tests_.size());
      Test& test = tests_.emplace_back();
      PrepareUse(condition.lhs, &test.use);
      test.masks = {condition.values,
                    freezer.instance_->Invert(condition.lhs.choice, condition.values)};
    } else {
      others_.push_back(&condition);
    }
  }
  bound_before_.resize(depth_ + 1);
  gate_before_.resize(depth_ + 1);
  fast_ = IsFast();
  if (!fast_) return;
  for (const Condition* condition : others_) {
    Comparison& comparison = comparisons_.emplace_back();
    comparison.condition = condition;
    comparison.pairs.fill(kNone);
    PrepareUse(condition->lhs, &comparison.left);
    PrepareUse(condition->rhs, &comparison.right);
  }
  std::size_t combinations = 1;
  for (const Condition& condition : clause.conditions) {
    if (IsKnown(condition)) continue;
    const Choice& choice = freezer.space_.choices[condition.lhs.choice];
    const std::size_t values = choice.kind == ChoiceKind::kEnum ? choice.values.size() : 64;
    combinations *= condition.kind == Condition::Kind::kCompare ? values * values : values;
  }
  always_fits_ = combinations <= RelationStore::kMaxCombinations;
}

/// Few conditions, each of them a test of a decision or a comparison of two.
bool Freezer::ClauseLoop::IsFast() const {
  const std::size_t slots = tests_.size() + 2 * others_.size();
  if (depth_ == 0 || slots < 2 || slots > kMaxTableArity || others_.size() > 1) return false;
  return std::ranges::all_of(others_, [&](const Condition* condition) {
    return condition->kind == Condition::Kind::kCompare &&
           freezer_.space_.choices[condition->lhs.choice].kind == ChoiceKind::kEnum;
  });
}

void Freezer::ClauseLoop::PrepareUse(const ChoiceUse& choice_use, Use* use) const {
  use->table = &freezer_.objects_.choices[choice_use.choice];
  use->arguments = &choice_use.arguments;
}

void Freezer::ClauseLoop::Run() {
  if (always_ || !Collect(0)) return;
  bound_before_[0] = bound_.size();
  const auto enter = [&](std::size_t variable) { return Enter(variable); };
  if (depth_ == 0) {
    Leaf();
  } else {
    scope_.ForEach(0, depth_ - 1, objects_.data(), enter, [&] { Row(); });
  }
}

/// Binds the tests of one level; false when the clause holds for all that follows.
bool Freezer::ClauseLoop::Collect(std::size_t level) {
  for (const std::size_t number : early_[level]) {
    const Test& test = tests_[number];
    std::size_t index = 0;
    const std::vector<int>& arguments = *test.use.arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      index += objects_[arguments[i]] * test.use.table->strides[i];
    }
    const std::int32_t found = test.use.table->lookup[index];
    if (found < 0) return false;  // No such decision: the tuple does not exist.
    const Slot slot = freezer_.instance_->slots_[found >> 1];
    const bool swapped = (found & 1) != 0;
    if ((freezer_.clauses_.known(slot) & ~test.masks[swapped]) == 0) return false;
    bound_.push_back({number, slot, swapped});
  }
  return true;
}

bool Freezer::ClauseLoop::Enter(std::size_t variable) {
  // Forget what earlier objects of this variable, and variables after it, left behind.
  bound_.resize(bound_before_[variable]);
  gate_.resize(gate_before_[variable]);
  memberships_.clear();
  scope_.AppendMemberships(objects_.data(), variable, variable + 1, &memberships_);
  for (const Slot slot : memberships_) {
    const Bits membership = freezer_.clauses_.known(slot);
    if (membership == kFalseBit) return false;
    if (membership == kTrueBit) continue;
    if (freezer_.is_flag_[slot]) {
      bound_.push_back({kFlag, slot, false});
    } else {
      gate_.push_back(slot);
    }
  }
  if (!Collect(variable + 1)) return false;
  bound_before_[variable + 1] = bound_.size();
  gate_before_[variable + 1] = gate_.size();
  return true;
}

/// All variables are bound.
void Freezer::ClauseLoop::Leaf() {
  literals_.clear();
  for (const Bound& bound : bound_) {
    const Bits mask = bound.test == kFlag ? kFalseBit : tests_[bound.test].masks[bound.swapped];
    literals_.push_back({Literal::Kind::kSlot, {}, bound.slot, 0, mask, 0});
  }
  for (const Condition* condition : others_) {
    Literal literal;
    const Outcome outcome = freezer_.Ground(*condition, objects_.data(), depth_, &literal);
    if (outcome == Outcome::kTrue || outcome == Outcome::kUndefined) return;
    if (outcome == Outcome::kOpen) literals_.push_back(literal);
  }
  for (const Condition* condition : codes_) {
    if (freezer_.Holds(*condition, objects_.data(), depth_)) return;
  }
  freezer_.clauses_.Add(literals_, gate_, origin_);
}

/// An object of the last variable, the general way.
void Freezer::ClauseLoop::General(Object object) {
  objects_[depth_ - 1] = object;
  if (Enter(depth_ - 1)) Leaf();
}

/// All variables but the last are bound.
void Freezer::ClauseLoop::Row() {
  const std::size_t last = depth_ - 1;
  const std::span<const Object> row = scope_.Row(last, objects_.data());
  freezer_.ticker_.Tick(static_cast<int>(row.size()));
  const auto bound_end = bound_.begin() + static_cast<std::ptrdiff_t>(bound_before_[last]);
  const bool has_flag = std::any_of(bound_.begin(), bound_end,
                                    [](const Bound& bound) { return bound.test == kFlag; });
  if (fast_ && gate_before_[last] == 0 && !has_flag) {
    switch (2 * tests_.size() + comparisons_.size()) {
      case 1:
        return FastRow<0, true>();
      case 3:
        return FastRow<1, true>();
      case 4:
        return FastRow<2, false>();
      case 5:
        return FastRow<2, true>();
      case 6:
        return FastRow<3, false>();
      case 8:
        return FastRow<4, false>();
      default:
        EXH_UNREACHABLE();
    }
  }
  for (const Object object : row) {
    if (scope_.IsDistinct(last, object, objects_.data())) General(object);
  }
}

void Freezer::ClauseLoop::PlaceUse(std::size_t row_variable, Use* use) const {
  use->base = use->table->lookup.data();
  use->stride = 0;
  for (std::size_t i = 0; i < use->arguments->size(); ++i) {
    const auto variable = static_cast<std::size_t>((*use->arguments)[i]);
    if (variable == row_variable) {
      use->stride += use->table->strides[i];
    } else {
      use->base += objects_[variable] * use->table->strides[i];
    }
  }
}

/// The tests of the row that its tuples share; false when one of them holds.
bool Freezer::ClauseLoop::ReadPrefix() {
  num_prefix_ = prefix_open_ = 0;
  prefix_look_ = 0;
  for (std::size_t i = 0; i < bound_before_[depth_ - 1]; ++i) {
    const Bound& bound = bound_[i];
    const Bits mask = tests_[bound.test].masks[bound.swapped];
    const Bits domain = freezer_.clauses_.known(bound.slot);
    if ((domain & ~mask) == 0) return false;
    const bool open = (domain & mask) != 0;
    prefix_open_ += open;
    prefix_look_ = prefix_look_ << 2 | static_cast<std::uint32_t>(2 * open + bound.swapped);
    prefix_slots_[num_prefix_++] = bound.slot;
  }
  return true;
}

template <int kTests, bool kCompares>
void Freezer::ClauseLoop::FastRow() {
  const std::size_t last = depth_ - 1;
  std::size_t num_row_tests = 0;
  for (const std::size_t test : early_[depth_]) {
    PlaceUse(last, &tests_[test].use);
    row_tests_[num_row_tests++] = &tests_[test];
  }
  for (Comparison& comparison : comparisons_) {
    PlaceUse(last, &comparison.left);
    PlaceUse(last, &comparison.right);
  }
  if (!ReadPrefix()) return;
  for (const Object object : scope_.Row(last, objects_.data())) {
    if (!scope_.IsDistinct(last, object, objects_.data())) continue;
    if (scope_.IsPermanent(last, object, objects_.data()) && FastTuple<kTests, kCompares>(object)) {
      continue;
    }
    General(object);
    if (!ReadPrefix()) return;  // It may have acted on a domain.
  }
}

/// False: nothing was done, the general way has to.
template <int kTests, bool kCompares>
bool Freezer::ClauseLoop::FastTuple(Object object) {
  constexpr int kArity = kTests + 2 * kCompares;
  const Slot* const slots_of = freezer_.instance_->slots_.data();
  std::array<Slot, kMaxTableArity> slots = prefix_slots_;
  std::uint32_t look = prefix_look_;
  int num_open = prefix_open_;
  for (int i = std::max(0, num_prefix_); i < kTests; ++i) {
    const Test& test = *row_tests_[i - num_prefix_];
    const std::int32_t found = test.use.At(object);
    if (found < 0) return true;  // No such tuple.
    const Slot slot = slots_of[found >> 1];
    const Bits mask = test.masks[found & 1], domain = freezer_.clauses_.known(slot);
    if ((domain & ~mask) == 0) return true;  // It holds.
    const bool open = (domain & mask) != 0;
    num_open += open;
    look = look << 2 | static_cast<std::uint32_t>(2 * open + (found & 1));
    slots[i] = slot;
  }
  if constexpr (kCompares) {
    Comparison& comparison = comparisons_.front();
    const std::int32_t left = comparison.left.At(object), right = comparison.right.At(object);
    if (left < 0 || right < 0) return true;
    if (left >> 1 == right >> 1) return false;
    const auto sides = static_cast<unsigned>(2 * (left & 1) + (right & 1));
    const std::uint32_t pairs = PairsOf(&comparison, sides);
    slots[kTests] = slots_of[left >> 1];
    slots[kTests + 1] = slots_of[right >> 1];
    const Truth status = StatusOf(&comparison, pairs, slots[kTests], slots[kTests + 1]);
    if (status == Truth::kTrue) return true;
    if (status == Truth::kFalse || num_open != kTests) return false;
    look = look << 2 | sides;
    num_open += 2;
  }
  // As GroundClauses::Add() decides: fewer than two act on a domain, and of many conditions those
  // that the root rules out are left out.
  if (num_open < 2 || (kArity > 3 && num_open != kArity)) return false;

  // Where each stands among the slots.
  std::array<Slot, kMaxTableArity> sorted{};
  bool twice = false;
#pragma GCC unroll 4
  for (int i = 0; i < kArity; ++i) {
    unsigned place = 0;
#pragma GCC unroll 4
    for (int j = 0; j < kArity; ++j) {
      place += slots[j] < slots[i];
      twice |= j < i && slots[j] == slots[i];
    }
    sorted[place] = slots[i];
    look = look << 2 | place;
  }
  if (twice || (!always_fits_ && !Fits(slots, kArity))) return false;
  if (!codes_.empty()) {
    objects_[depth_ - 1] = object;
    for (const Condition* condition : codes_) {
      if (freezer_.Holds(*condition, objects_.data(), depth_)) return true;
    }
  }
  Look& known = looks_[(look * 0x9E3779B1u) >> 22];
  if (known.look != look) known = {look, PatternOf(look, kTests)};
  freezer_.clauses_.AddPattern<kArity>(sorted, known.pattern);
  return true;
}

bool Freezer::ClauseLoop::Fits(const std::array<Slot, kMaxTableArity>& slots, int arity) const {
  std::array<std::uint8_t, kMaxTableArity> sizes{};
  for (int i = 0; i < arity; ++i) sizes[i] = freezer_.domains_.sizes[slots[i]];
  return RelationStore::Fits(arity, sizes);
}

std::uint32_t Freezer::ClauseLoop::PairsOf(Comparison* comparison, unsigned sides) {
  std::uint32_t& pairs = comparison->pairs[sides];
  if (pairs == kNone) {
    // Decisions of an enum all have the same values: any two will do.
    const Condition& condition = *comparison->condition;
    const DecisionId any = freezer_.instance_->first_decision_[condition.lhs.choice];
    pairs =
        freezer_.InternComparison(condition, any, (sides & 2) != 0, any, (sides & 1) != 0).first;
  }
  return pairs;
}

Truth Freezer::ClauseLoop::StatusOf(Comparison* comparison, std::uint32_t pairs, Slot left,
                                    Slot right) {
  const Bits left_domain = freezer_.clauses_.known(left);
  const Bits right_domain = freezer_.clauses_.known(right);
  if (comparison->last_pairs != pairs || comparison->last_left != left_domain ||
      comparison->last_right != right_domain) {
    comparison->last_pairs = pairs;
    comparison->last_left = left_domain;
    comparison->last_right = right_domain;
    comparison->last =
        PairStatus(freezer_.network_.pair_relations[pairs], left_domain, right_domain);
  }
  return comparison->last;
}

std::uint32_t Freezer::ClauseLoop::PatternOf(std::uint32_t look, int num_tests) {
  const int arity = num_tests + 2 * static_cast<int>(comparisons_.size());
  std::array<std::uint8_t, kMaxTableArity> places{};
  for (int i = arity; i-- > 0; look >>= 2) places[i] = look & 3;
  Pattern pattern;
  pattern.origin = origin_;
  if (!comparisons_.empty()) {
    pattern.num_pairs = 1;
    pattern.pair_positions[0] = {places[num_tests], places[num_tests + 1]};
    pattern.pair_relations[0] = PairsOf(&comparisons_.front(), look & 3);
    look >>= 2;
  }
  std::array<std::size_t, kMostConditions> numbers{};  // Of the tests, as they were bound.
  int num_bound = 0;
  for (const auto& level : early_) {
    for (const std::size_t number : level) numbers[num_bound++] = number;
  }
  EXH_CHECK(num_bound == num_tests);
  for (int i = num_tests; i-- > 0; look >>= 2) {
    pattern.masks[places[i]] |= tests_[numbers[i]].masks[look & 1];
  }
  return freezer_.relations_.InternPattern(pattern);
}

void Freezer::GroundTuple(const Clause& clause, const Scope& scope, const Object* objects,
                          std::uint32_t origin) {
  std::vector<Slot> memberships, gate;
  std::vector<Literal> literals;
  scope.AppendMemberships(objects, 0, scope.size(), &memberships);
  for (const Slot slot : memberships) {
    if (clauses_.known(slot) == kFalseBit) return;
    if (clauses_.known(slot) == kTrueBit) continue;
    if (is_flag_[slot]) {
      literals.push_back(GroundClauses::MemberLiteral(slot, false));
    } else {
      gate.push_back(slot);
    }
  }
  for (const bool known : {false, true}) {  // Host code last: it is the dear part.
    for (const Condition& condition : clause.conditions) {
      if (IsKnown(condition) != known) continue;
      Literal literal;
      const Outcome outcome = Ground(condition, objects, scope.size(), &literal);
      if (outcome == Outcome::kTrue || outcome == Outcome::kUndefined) return;
      if (outcome == Outcome::kOpen) literals.push_back(literal);
    }
  }
  clauses_.Add(literals, gate, origin);
}

void Freezer::GroundClausesThat(bool are_unary) {
  std::vector<std::pair<const Clause*, double>> clauses;
  double tuples = 0;
  for (const Clause& clause : space_.clauses) {
    if (IsUnary(clause) != are_unary) continue;
    if (clause.variables.size() > kMaxVariables) {
      throw Error("requirement " + space_.requirements[clause.requirement].label +
                  ": too many variables");
    }
    clauses.emplace_back(&clause, Scope(space_, objects_, clause.variables).NumTuples());
    tuples += clauses.back().second;
  }
  const double share = are_unary ? kUnaryShare : kClauseShare;
  for (const auto& [clause, of_clause] : clauses) {
    ticker_.Begin("requirement " + space_.requirements[clause->requirement].label,
                  share * of_clause / std::max(1.0, tuples), of_clause);
    // What is unary acts before the others are simplified.
    if (are_unary || !lanes_.is_on() || !GroundByLanes(*clause)) ClauseLoop(*this, *clause).Run();
  }
}

}  // namespace exh::runtime::internal
