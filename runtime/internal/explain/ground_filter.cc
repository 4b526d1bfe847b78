// SPDX-License-Identifier: MIT
//
// Each filter yields narrowings, "keep these values", and changes nothing. Tables and joints: a
// value stays when a combination that is allowed and still possible has it. Clauses: the last
// literal that may hold must hold. Counters are in ground_counter.cc. A constraint behind a gate
// says nothing until all memberships of the gate are TRUE.
//
//   clause    a is 1 || b is 2      b in {0, 1}: the second literal fails, so a is 1
//   table     a and b are equal     a in {0, 1}, b in {1, 2}: both are 1
//   joint     (1,2,6) (2,2,3)       the first one is 1: the others are 2 and 6
#include "runtime/internal/explain/ground_filter.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "runtime/internal/network/term_filter.h"

namespace exh::runtime::internal {
namespace {

constexpr CompareOp kNegated[] = {CompareOp::kGe, CompareOp::kLe, CompareOp::kGt,
                                  CompareOp::kLt, CompareOp::kNe, CompareOp::kEq};

Narrowing KeepValues(std::uint32_t variable, Bits values) {
  return {{false, variable}, values, {}, false};
}

Narrowing KeepInterval(std::uint32_t counter, Interval interval) {
  return {{true, counter}, 0, interval, interval.IsEmpty()};
}

/// Bounds know no holes: a value goes only at an end.
Interval Without(Interval interval, std::uint64_t value) {
  if (interval.min == value && interval.max == value) return {1, 0};
  if (interval.min == value) ++interval.min;
  if (interval.max == value) --interval.max;
  return interval;
}

void KeepPairs(const GroundForm& form, const GroundDomains& domains, const GroundLiteral& literal,
               bool complement, std::vector<Narrowing>* out) {
  const Bits right = domains.variables[literal.b];
  Bits kept_left = 0, kept_right = 0;
  for (Bits rest = domains.variables[literal.a]; rest != 0; rest &= rest - 1) {
    const Bits row = form.pair_relations[literal.pairs][std::countr_zero(rest)];
    const Bits partners = (complement ? ~row : row) & right;
    if (partners != 0) kept_left |= rest & (~rest + 1);
    kept_right |= partners;
  }
  out->push_back(KeepValues(literal.a, kept_left));
  out->push_back(KeepValues(literal.b, kept_right));
}

void KeepCompared(const GroundDomains& domains, CompareOp op, std::uint32_t a, std::uint32_t b,
                  std::vector<Narrowing>* out) {
  const Interval left = domains.counters[a], right = domains.counters[b];
  switch (op) {
    case CompareOp::kLt:
      if (left.min >= right.max && right.max != kSaturated) {
        out->push_back(KeepInterval(a, {1, 0}));
        return;
      }
      out->push_back(KeepInterval(a, {0, right.max == kSaturated ? kSaturated : right.max - 1}));
      out->push_back(KeepInterval(b, {SaturatingAdd(left.min, 1), kSaturated}));
      return;
    case CompareOp::kLe:
      out->push_back(KeepInterval(a, {0, right.max}));
      out->push_back(KeepInterval(b, {left.min, kSaturated}));
      return;
    case CompareOp::kGt:
      return KeepCompared(domains, CompareOp::kLt, b, a, out);
    case CompareOp::kGe:
      return KeepCompared(domains, CompareOp::kLe, b, a, out);
    case CompareOp::kEq:
      out->push_back(KeepInterval(a, right));
      out->push_back(KeepInterval(b, left));
      return;
    case CompareOp::kNe:
      if (left.IsConstrained() && left.min != kSaturated) {
        out->push_back(KeepInterval(b, Without(right, left.min)));
      }
      if (right.IsConstrained() && right.min != kSaturated) {
        out->push_back(KeepInterval(a, Without(left, right.min)));
      }
      return;
  }
}

/// Where the filter of a comparison puts what it finds.
class Narrowings {
 public:
  Narrowings(const GroundForm& form, std::vector<Narrowing>* out) : form_(form), out_(*out) {}

  bool Fail() {
    out_.push_back({.failed = true});
    return false;
  }

  bool KeepNumbers(const TermLeaf& leaf, Whole min, Whole max) {
    const std::vector<std::uint32_t>& universe = form_.universes[leaf.universe];
    for (std::uint32_t word = 0; word < leaf.words; ++word) {
      Bits kept = 0;
      for (std::size_t value = 64 * word; value < universe.size() && value < 64 * word + 64;
           ++value) {
        const Whole number{universe[value]};
        if (min <= number && number <= max) kept |= Bits{1} << value % 64;
      }
      out_.push_back(KeepValues_(leaf.slot + word, kept));
    }
    return true;
  }

  bool KeepValues(const TermLeaf& leaf, const Bits* words) {
    for (std::uint32_t word = 0; word < leaf.words; ++word) {
      out_.push_back(KeepValues_(leaf.slot + word, words[word]));
    }
    return true;
  }

  bool KeepCounter(std::uint32_t counter, Whole min, Whole max, std::int64_t offset) {
    const Whole low = Sum(min, Whole{-offset}, true), high = Sum(max, Whole{-offset}, false);
    if (high.sign() < 0) return Fail();
    out_.push_back(KeepInterval(
        counter, {low.sign() < 0 ? 0 : static_cast<std::uint64_t>(low.value),
                  high.IsInfinite() ? kSaturated : static_cast<std::uint64_t>(high.value)}));
    return true;
  }

 private:
  static Narrowing KeepValues_(std::uint32_t variable, Bits values) {
    return internal::KeepValues(variable, values);
  }

  const GroundForm& form_;
  std::vector<Narrowing>& out_;
};

void KeepLong(const GroundForm& form, const GroundLiteral& literal, bool complement,
              std::vector<Narrowing>* out) {
  for (std::uint32_t word = 0; word < literal.b; ++word) {
    const Bits mask = form.long_masks[literal.pairs + word];
    out->push_back(KeepValues(literal.a + word, complement ? ~mask : mask));
  }
}

}  // namespace

void KeepTerm(const GroundForm& form, const GroundDomains& domains, std::uint32_t test,
              Interval allowed, std::vector<Narrowing>* out) {
  Narrowings sink(form, out);
  KeepTermWithin(TermOf(form, test), domains, Whole::Bound(allowed.min, true),
                 Whole::Bound(allowed.max, false), &sink);
}

Truth Status(const GroundForm& form, const GroundDomains& domains, const GroundLiteral& literal) {
  struct Facts : FormFacts {
    const GroundDomains& domains;
    Bits domain(std::uint32_t variable) const { return domains.domain(variable); }
    Interval counter(std::uint32_t number) const { return domains.counter(number); }
    Truth term(const GroundLiteral& term) const {
      return TermStatus(TermOf(form, term.a), domains, term.negated);
    }
  };
  return LiteralStatus(literal, Facts{{form}, domains});
}

void MakeTrue(const GroundForm& form, const GroundDomains& domains, const GroundLiteral& literal,
              std::vector<Narrowing>* out) {
  switch (literal.kind) {
    case GroundLiteral::Kind::kIn:
      out->push_back(KeepValues(literal.a, literal.values));
      return;
    case GroundLiteral::Kind::kPair:
      return KeepPairs(form, domains, literal, false, out);
    case GroundLiteral::Kind::kCounterIn:
      out->push_back(KeepInterval(literal.a, literal.interval));
      return;
    case GroundLiteral::Kind::kCounterNot:
      out->push_back(
          KeepInterval(literal.a, Without(domains.counters[literal.a], literal.interval.min)));
      return;
    case GroundLiteral::Kind::kCounterPair:
      return KeepCompared(domains, literal.op, literal.a, literal.b, out);
    case GroundLiteral::Kind::kLong:
      return KeepLong(form, literal, false, out);
    case GroundLiteral::Kind::kTerm: {
      Narrowings sink(form, out);
      FilterTerm(TermOf(form, literal.a), domains, literal.negated, &sink);
      return;
    }
  }
}

void MakeFalse(const GroundForm& form, const GroundDomains& domains, const GroundLiteral& literal,
               std::vector<Narrowing>* out) {
  switch (literal.kind) {
    case GroundLiteral::Kind::kIn:
      out->push_back(KeepValues(literal.a, ~literal.values));
      return;
    case GroundLiteral::Kind::kPair:
      return KeepPairs(form, domains, literal, true, out);
    case GroundLiteral::Kind::kCounterIn: {
      Interval outside = domains.counters[literal.a];
      const Interval inside = literal.interval;
      if (inside.Contains(outside.min)) {
        outside.min = SaturatingAdd(inside.max, 1);
        if (inside.max == kSaturated) outside = {1, 0};
      }
      if (!outside.IsEmpty() && inside.Contains(outside.max)) {
        outside = inside.min == 0 ? Interval{1, 0} : Interval{outside.min, inside.min - 1};
      }
      out->push_back(KeepInterval(literal.a, outside));
      return;
    }
    case GroundLiteral::Kind::kCounterNot:
      out->push_back(KeepInterval(literal.a, {literal.interval.min, literal.interval.min}));
      return;
    case GroundLiteral::Kind::kCounterPair:
      return KeepCompared(domains, kNegated[static_cast<int>(literal.op)], literal.a, literal.b,
                          out);
    case GroundLiteral::Kind::kLong:
      return KeepLong(form, literal, true, out);
    case GroundLiteral::Kind::kTerm: {
      Narrowings sink(form, out);
      FilterTerm(TermOf(form, literal.a), domains, !literal.negated, &sink);
      return;
    }
  }
}

GroundFilter::GroundFilter(const GroundForm& form) : form_(form), reads_(size()) {
  for (const GroundRelation& relation : form.relations) {
    std::size_t cells = 1;
    for (const int values : relation.sizes) cells *= static_cast<std::size_t>(values);
    std::vector<bool> allowed(cells, false);
    for (const std::vector<int>& tuple : AllowedTuples(form, relation)) {
      std::size_t cell = 0;
      for (std::size_t i = 0; i < tuple.size(); ++i) {
        cell =
            cell * static_cast<std::size_t>(relation.sizes[i]) + static_cast<std::size_t>(tuple[i]);
      }
      allowed[cell] = true;
    }
    allowed_.push_back(std::move(allowed));
  }
  for (std::uint32_t table = 0; table < form.tables.size(); ++table) {
    for (const std::uint32_t v : form.tables[table].variables) reads_[table].push_back({false, v});
    for (const std::uint32_t v : form.gates[form.tables[table].gate]) {
      reads_[table].push_back({false, v});
    }
  }
  for (std::uint32_t c = 0; c < form.clauses.size(); ++c) {
    const auto id = static_cast<std::uint32_t>(form.tables.size()) + c;
    for (const GroundLiteral& literal : form.clauses[c].literals) Read(id, literal);
  }
  for (std::uint32_t c = 0; c < num_counters(); ++c) {
    const std::uint32_t id = first_counter() + c;
    reads_[id].push_back({true, c});
    for (const GroundIncrement& increment : form.counters[c].increments) {
      for (const GroundLiteral& literal : increment.literals) Read(id, literal);
      if (increment.weight == GroundIncrement::Weight::kConstant) continue;
      if (increment.weight == GroundIncrement::Weight::kTerm) {
        ReadTerm(id, increment.source);
        continue;
      }
      reads_[id].push_back(
          {increment.weight == GroundIncrement::Weight::kCounter, increment.source});
    }
  }
  for (std::uint32_t j = 0; j < form.joints.size(); ++j) {
    auto& reads = reads_[first_joint() + j];
    for (const std::uint32_t v : form.joints[j].variables) reads.push_back({false, v});
    for (const std::uint32_t v : form.gates[form.joints[j].gate]) reads.push_back({false, v});
  }
  variable_readers_.resize(form.variables.size());
  counter_readers_.resize(form.counters.size());
  for (std::uint32_t id = 0; id < reads_.size(); ++id) {
    std::ranges::sort(reads_[id]);
    reads_[id].erase(std::unique(reads_[id].begin(), reads_[id].end()), reads_[id].end());
    for (const Subject subject : reads_[id]) {
      (subject.is_counter ? counter_readers_ : variable_readers_)[subject.index].push_back(id);
    }
  }
}

void GroundFilter::ReadTerm(std::uint32_t constraint, std::uint32_t test) {
  const TermView term = TermOf(form_, test);
  for (std::uint32_t i = 0; i < term.num_leaves(); ++i) {
    for (std::uint32_t word = 0; word < term.leaf(i).words; ++word) {
      reads_[constraint].push_back({false, term.leaf(i).slot + word});
    }
  }
  for (std::uint32_t i = 0; i < term.num_nodes(); ++i) {
    if (term.node(i).op == GroundTermNode::Op::kCounter) {
      reads_[constraint].push_back({true, term.node(i).left});
    }
  }
}

void GroundFilter::Read(std::uint32_t constraint, const GroundLiteral& literal) {
  if (literal.kind == GroundLiteral::Kind::kTerm) return ReadTerm(constraint, literal.a);
  if (literal.kind == GroundLiteral::Kind::kLong) {
    for (std::uint32_t word = 0; word < literal.b; ++word) {
      reads_[constraint].push_back({false, literal.a + word});
    }
    return;
  }
  const bool counters =
      literal.kind != GroundLiteral::Kind::kIn && literal.kind != GroundLiteral::Kind::kPair;
  reads_[constraint].push_back({counters, literal.a});
  if (literal.kind == GroundLiteral::Kind::kPair ||
      literal.kind == GroundLiteral::Kind::kCounterPair) {
    reads_[constraint].push_back({counters, literal.b});
  }
}

const std::vector<std::uint32_t>& GroundFilter::readers(Subject subject) const {
  return (subject.is_counter ? counter_readers_ : variable_readers_)[subject.index];
}

std::vector<Origin> GroundFilter::origins(std::uint32_t constraint) const {
  EXH_CHECK(!IsTable(constraint));
  if (constraint >= first_joint()) return form_.joints[constraint - first_joint()].origins;
  if (constraint >= first_counter()) return {form_.counters[constraint - first_counter()].origin};
  return {form_.clauses[constraint - form_.tables.size()].origin};
}

std::vector<Narrowing> GroundFilter::RunJoint(const GroundJoint& joint,
                                              const GroundDomains& domains) const {
  for (const std::uint32_t member : form_.gates[joint.gate]) {
    if (domains.variables[member] != Bits{2}) return {};
  }
  std::vector<Bits> supported(joint.variables.size(), 0);
  for (const std::vector<int>& combination : joint.combinations) {
    bool is_possible = true;
    for (std::size_t i = 0; i < combination.size(); ++i) {
      is_possible &= (domains.variables[joint.variables[i]] >> combination[i] & 1) != 0;
    }
    if (!is_possible) continue;
    for (std::size_t i = 0; i < combination.size(); ++i) supported[i] |= Bits{1} << combination[i];
  }
  std::vector<Narrowing> narrowings;
  for (std::size_t i = 0; i < supported.size(); ++i) {
    narrowings.push_back(KeepValues(joint.variables[i], supported[i]));
  }
  return narrowings;
}

std::vector<Narrowing> GroundFilter::RunTable(std::uint32_t id, const GroundDomains& domains,
                                              const std::vector<bool>& used) const {
  const GroundTable& table = form_.tables[id];
  const GroundRelation& relation = form_.relations[table.relation];
  for (const std::uint32_t member : form_.gates[table.gate]) {
    if (domains.variables[member] != Bits{2}) return {};
  }
  const std::size_t arity = table.variables.size();
  std::vector<Bits> supported(arity, 0), rest(arity);
  std::vector<int> values(arity);
  // Combinations in mixed radix: `rest` holds what each position still has to go through.
  const auto restart = [&](std::size_t position) {
    rest[position] = domains.variables[table.variables[position]];
    values[position] = std::countr_zero(rest[position]);
  };
  for (std::size_t position = 0; position < arity; ++position) restart(position);
  while (true) {
    bool allowed = true;
    if (used.empty()) {
      std::size_t cell = 0;
      for (std::size_t i = 0; i < arity; ++i) {
        cell = cell * static_cast<std::size_t>(relation.sizes[i]) +
               static_cast<std::size_t>(values[i]);
      }
      allowed = allowed_[table.relation][cell];
    } else {
      for (std::size_t clause = 0; clause < used.size() && allowed; ++clause) {
        if (used[clause]) allowed = Holds(form_, relation.clauses[clause], values);
      }
    }
    if (allowed) {
      for (std::size_t i = 0; i < arity; ++i) supported[i] |= Bits{1} << values[i];
    }
    std::size_t position = arity;
    while (position > 0) {
      rest[position - 1] &= rest[position - 1] - 1;
      if (rest[position - 1] != 0) break;
      restart(--position);
    }
    if (position == 0) break;
    values[position - 1] = std::countr_zero(rest[position - 1]);
  }
  std::vector<Narrowing> narrowings;
  for (std::size_t i = 0; i < arity; ++i) {
    narrowings.push_back(KeepValues(table.variables[i], supported[i]));
  }
  return narrowings;
}

std::vector<Narrowing> GroundFilter::Run(std::uint32_t constraint,
                                         const GroundDomains& domains) const {
  if (IsTable(constraint)) return RunTable(constraint, domains, {});
  std::vector<Narrowing> narrowings;
  if (constraint >= first_joint()) {
    return RunJoint(form_.joints[constraint - first_joint()], domains);
  }
  if (constraint >= first_counter()) {
    FilterCounter(form_, constraint - first_counter(), domains, &narrowings);
    return narrowings;
  }
  const GroundClause& clause = form_.clauses[constraint - form_.tables.size()];
  const GroundLiteral* last = nullptr;
  for (const GroundLiteral& literal : clause.literals) {
    const Truth status = Status(form_, domains, literal);
    if (status == Truth::kTrue || (status == Truth::kMaybe && last != nullptr)) return {};
    if (status == Truth::kMaybe) last = &literal;
  }
  if (last != nullptr) {
    MakeTrue(form_, domains, *last, &narrowings);
  } else {
    narrowings.push_back({.failed = true});
  }
  return narrowings;
}

}  // namespace exh::runtime::internal
