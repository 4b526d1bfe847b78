// SPDX-License-Identifier: MIT
#include "search/exact/components.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace exh::search {
namespace {

using runtime::Bits;
using runtime::Candidate;
using runtime::GroundClause;
using runtime::GroundCounter;
using runtime::GroundIncrement;
using runtime::GroundLiteral;
using runtime::GroundTable;
using runtime::Interval;
using runtime::kSaturated;
using runtime::SaturatingAdd;
using runtime::SaturatingMul;

/// A number in seven bits a byte.
void Append(std::uint64_t number, std::string& key) {
  for (; number >= 0x80; number >>= 7) key += static_cast<char>(number | 0x80);
  key += static_cast<char>(number);
}

std::uint64_t DivideUp(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace

ComponentFinder::ComponentFinder(std::shared_ptr<const runtime::Instance> instance)
    : instance_(std::move(instance)),
      form_(MakeGroundForm(*instance_)),
      view_{[this](std::uint32_t variable) { return Domain(variable); },
            [this](std::uint32_t counter) { return CounterOf(counter); }},
      residuals_(form_),
      parent_(form_.variables.size() + form_.counters.size()),
      node_stamp_(parent_.size()),
      degree_(parent_.size()),
      sums_(form_.counters.size()),
      sum_stamp_(form_.counters.size()),
      observed_stamp_(form_.counters.size()),
      read_stamp_(form_.counters.size()) {
  for (std::uint32_t v = 0; v < form_.variables.size(); ++v) {
    if (OwnerOf(v) == v) all_.variables.push_back(v);
  }
  const auto count = first_counter() + static_cast<std::uint32_t>(form_.counters.size());
  for (std::uint32_t c = 0; c < count; ++c) all_.constraints.push_back(c);
}

// ---- Domains.

bool ComponentFinder::IsShut(std::uint32_t gate) const {
  return std::ranges::any_of(form_.gates[gate],
                             [&](std::uint32_t member) { return Domain(member) == 1; });
}

Interval ComponentFinder::CounterOf(std::uint32_t counter) {
  const Interval imposed = candidate_->state().counter(candidate_->instance().layout(), counter);
  const Interval both = imposed & SumOf(counter).all;
  if (!both.IsEmpty()) return both;
  is_violated_ = true;
  return imposed;
}

// ---- Literals and counters.

runtime::Truth ComponentFinder::Status(const GroundLiteral& literal) {
  struct Facts : runtime::FormFacts {
    ComponentFinder& finder;
    Bits domain(std::uint32_t variable) const { return finder.Domain(variable); }
    Interval counter(std::uint32_t number) const { return finder.CounterOf(number); }
    Truth term(const GroundLiteral& term) const { return TermStatus(form, term, finder.view_); }
  };
  return LiteralStatus(literal, Facts{{form_}, *this});
}

runtime::Truth ComponentFinder::Status(const GroundIncrement& increment) {
  Truth counts = Truth::kTrue;
  for (const GroundLiteral& literal : increment.literals) {
    counts = std::min(counts, Status(literal));
    if (counts == Truth::kFalse) break;
  }
  return counts;
}

Interval ComponentFinder::Weight(const GroundIncrement& increment) {
  switch (increment.weight) {
    case GroundIncrement::Weight::kConstant:
      return {increment.value, increment.value};
    case GroundIncrement::Weight::kVariable: {
      const Bits values = Domain(increment.source);
      return {increment.numbers[std::countr_zero(values)],
              increment.numbers[63 - std::countl_zero(values)]};
    }
    case GroundIncrement::Weight::kCounter:
      return CounterOf(increment.source);
    case GroundIncrement::Weight::kTerm:
      return WeightRange(form_, increment.source, view_);
  }
  EXH_UNREACHABLE();
}

const ComponentFinder::Sum& ComponentFinder::SumOf(std::uint32_t counter) {
  Sum& sum = sums_[counter];
  if (sum_stamp_[counter] == now_) return sum;
  const GroundCounter& ground = form_.counters[counter];
  const auto with = [&](std::uint64_t a, std::uint64_t b) {
    return ground.product ? SaturatingMul(a, b) : SaturatingAdd(a, b);
  };
  const std::uint64_t nothing = ground.product ? 1 : 0;
  Sum made;
  made.settled = ground.base;
  made.rest = {nothing, nothing};
  for (const GroundIncrement& increment : ground.increments) {
    const Truth counts = Status(increment);
    if (counts == Truth::kFalse) continue;
    const Interval weight = Weight(increment);
    if (counts == Truth::kTrue && weight.IsConstrained()) {
      made.settled = with(made.settled, weight.min);
      continue;
    }
    made.open = true;
    const bool certain = counts == Truth::kTrue;
    made.rest.min = with(made.rest.min, certain ? weight.min : std::min(nothing, weight.min));
    made.rest.max = with(made.rest.max, certain ? weight.max : std::max(nothing, weight.max));
  }
  made.all = {with(made.settled, made.rest.min), with(made.settled, made.rest.max)};
  sum = made;
  sum_stamp_[counter] = now_;
  return sum;
}

bool ComponentFinder::IsBound(std::uint32_t counter) {
  return !SumOf(counter).all.IsSubsetOf(
      candidate_->state().counter(candidate_->instance().layout(), counter));
}

bool ComponentFinder::IsOpenIncrement(const GroundIncrement& increment) {
  const Truth counts = Status(increment);
  if (counts == Truth::kFalse) return false;
  return counts == Truth::kMaybe || !Weight(increment).IsConstrained();
}

// ---- Edges.

std::uint32_t ComponentFinder::Root(std::uint32_t node) {
  if (node_stamp_[node] != now_) {
    node_stamp_[node] = now_;
    parent_[node] = node;
    degree_[node] = 0;
  }
  while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
  return node;
}

void ComponentFinder::BeginEdge(std::uint32_t constraint) {
  edge_ = constraint;
  edge_joins_ = false;
}

void ComponentFinder::Join(std::uint32_t node) {
  const std::uint32_t root = Root(node);
  ++degree_[node];
  if (edge_joins_) {
    parent_[root] = Root(edge_node_);
  } else {
    edge_node_ = node;
    edge_joins_ = true;
  }
}

void ComponentFinder::EndEdge() {
  if (edge_joins_) edges_.emplace_back(edge_, edge_node_);
}

void ComponentFinder::JoinOpenOf(std::uint32_t gate) {
  for (const std::uint32_t member : form_.gates[gate]) JoinVariable(member);
}

/// Somebody looks at the counter: what it adds up matters.
void ComponentFinder::JoinCounter(std::uint32_t counter) {
  read_stamp_[counter] = now_;
  if (!SumOf(counter).open) return;
  Join(CounterNode(counter));
  if (observed_stamp_[counter] == now_) return;
  observed_stamp_[counter] = now_;
  observed_.push_back(counter);
}

void ComponentFinder::JoinLiteral(const GroundLiteral& literal) {
  switch (literal.kind) {
    case GroundLiteral::Kind::kIn:
      return JoinVariable(literal.a);
    case GroundLiteral::Kind::kPair:
      JoinVariable(literal.a);
      return JoinVariable(literal.b);
    case GroundLiteral::Kind::kCounterIn:
    case GroundLiteral::Kind::kCounterNot:
      return JoinCounter(literal.a);
    case GroundLiteral::Kind::kCounterPair:
      JoinCounter(literal.a);
      return JoinCounter(literal.b);
    case GroundLiteral::Kind::kLong:
      return JoinVariable(literal.a);
    case GroundLiteral::Kind::kTerm:
      return JoinTerm(literal.a);
  }
}

void ComponentFinder::JoinTerm(std::uint32_t number) {
  const runtime::TermTest& test = form_.terms.tests[number];
  for (std::uint32_t i = test.leaf_begin; i < test.leaf_end; ++i) {
    JoinVariable(form_.terms.leaves[i].slot);
  }
  for (std::uint32_t i = test.node_begin; test.counters && i < test.node_end; ++i) {
    const runtime::GroundTermNode& node = form_.terms.nodes[i];
    if (node.op == runtime::GroundTermNode::Op::kCounter) JoinCounter(node.left);
  }
}

TableResidual ComponentFinder::ResidualOf(const GroundTable& table) {
  std::array<Bits, 4> domains{};
  const std::size_t arity = table.variables.size();
  for (std::size_t p = 0; p < arity; ++p) domains[p] = Domain(table.variables[p]);
  return residuals_.Find(table.relation, {domains.data(), arity});
}

void ComponentFinder::LookAtTable(std::uint32_t number) {
  const GroundTable& table = form_.tables[number];
  if (IsShut(table.gate)) return;
  const bool is_open = IsOpen(table.gate);
  if (is_open && table.variables.size() == 2) {
    const Bits a = Domain(table.variables[0]), b = Domain(table.variables[1]);
    const std::span<const Bits> rows = residuals_.Rows(table.relation);
    bool may_hold = false, may_fail = false;
    for (Bits rest = a; rest != 0; rest &= rest - 1) {
      const Bits row = rows[static_cast<std::size_t>(std::countr_zero(rest))];
      may_hold = may_hold || (b & row) != 0;
      may_fail = may_fail || (b & ~row) != 0;
    }
    is_violated_ = is_violated_ || !may_hold;
    if (!may_fail) return;
    BeginEdge(number);
    for (const std::uint32_t variable : table.variables) JoinVariable(variable);
    return EndEdge();
  }
  const TableResidual residual = ResidualOf(table);
  if (is_open) {
    is_violated_ = is_violated_ || residual.impossible;
    // Each group is an edge of its own.
    for (int g = 0; g < residual.num_groups; ++g) {
      BeginEdge(number);
      for (std::size_t p = 0; p < table.variables.size(); ++p) {
        if ((residual.groups[g].positions >> p & 1) != 0) JoinVariable(table.variables[p]);
      }
      EndEdge();
    }
    return;
  }
  if (residual.num_groups == 0 && !residual.impossible) return;
  BeginEdge(number);
  JoinOpenOf(table.gate);
  for (int g = 0; g < residual.num_groups; ++g) {
    for (std::size_t p = 0; p < table.variables.size(); ++p) {
      if ((residual.groups[g].positions >> p & 1) != 0) JoinVariable(table.variables[p]);
    }
  }
  EndEdge();
}

void ComponentFinder::LookAtClause(std::uint32_t number) {
  const GroundClause& clause = form_.clauses[number];
  for (const GroundLiteral& literal : clause.literals) {
    if (Status(literal) == Truth::kTrue) return;
  }
  bool may_hold = false;
  BeginEdge(first_clause() + number);
  for (const GroundLiteral& literal : clause.literals) {
    if (Status(literal) != Truth::kMaybe) continue;
    may_hold = true;
    JoinLiteral(literal);
  }
  EndEdge();
  is_violated_ = is_violated_ || !may_hold;
}

void ComponentFinder::LookAtCounter(std::uint32_t number) {
  BeginEdge(first_counter() + number);
  Join(CounterNode(number));
  for (const GroundIncrement& increment : form_.counters[number].increments) {
    const Truth counts = Status(increment);
    if (counts == Truth::kFalse) continue;
    const bool is_weight_open = !Weight(increment).IsConstrained();
    if (counts == Truth::kTrue && !is_weight_open) continue;
    for (const GroundLiteral& literal : increment.literals) {
      if (Status(literal) == Truth::kMaybe) JoinLiteral(literal);
    }
    if (increment.weight == GroundIncrement::Weight::kVariable) JoinVariable(increment.source);
    if (increment.weight == GroundIncrement::Weight::kCounter) JoinCounter(increment.source);
    if (increment.weight == GroundIncrement::Weight::kTerm) JoinTerm(increment.source);
  }
  EndEdge();
}

/// A decision that may come to life has values to take then.
void ComponentFinder::LookAtLife(std::uint32_t variable) {
  const std::uint32_t gate = form_.variables[variable].live_gate;
  if (IsOpen(gate)) return;
  BeginEdge(0);
  Join(variable);
  JoinOpenOf(gate);
}

std::optional<std::vector<Component>> ComponentFinder::Split(const Candidate& candidate,
                                                             const Component& parent) {
  candidate_ = &candidate;
  ++now_;
  is_violated_ = false;
  edges_.clear();
  observed_.clear();

  const std::uint32_t num_decisions = instance_->num_decisions();
  std::vector<std::uint32_t> variables;
  for (const std::uint32_t variable : parent.variables) {
    if (IsConstrained(variable)) continue;
    // A decision that will never be live has nothing to decide.
    if (variable < num_decisions && IsShut(form_.variables[variable].live_gate)) continue;
    variables.push_back(variable);
    if (variable < num_decisions) LookAtLife(variable);
  }
  for (const std::uint32_t constraint : parent.constraints) {
    if (constraint < first_clause()) {
      LookAtTable(constraint);
    } else if (constraint < first_counter()) {
      LookAtClause(constraint - first_clause());
    } else {
      const std::uint32_t counter = constraint - first_counter();
      static_cast<void>(CounterOf(counter));  // Whether it is violated.
      if (observed_stamp_[counter] == now_ || !IsBound(counter)) continue;
      observed_stamp_[counter] = now_;
      observed_.push_back(counter);
    }
  }
  while (!observed_.empty()) {
    const std::uint32_t counter = observed_.back();
    observed_.pop_back();
    LookAtCounter(counter);
  }
  if (is_violated_) return std::nullopt;

  // By component: its place in the result.
  std::vector<Component> components;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const std::uint32_t variable : variables) places.emplace_back(Root(variable), variable);
  std::ranges::sort(places);
  std::vector<std::uint32_t> roots;
  for (const auto& [root, variable] : places) {
    if (roots.empty() || roots.back() != root) {
      roots.push_back(root);
      components.emplace_back();
    }
    components.back().variables.push_back(variable);
  }
  std::ranges::sort(edges_);
  for (const auto& [constraint, node] : edges_) {
    const auto found = std::ranges::lower_bound(roots, Root(node));
    if (found == roots.end() || *found != Root(node)) continue;  // Nothing of it is open.
    std::vector<std::uint32_t>& constraints =
        components[static_cast<std::size_t>(found - roots.begin())].constraints;
    if (constraints.empty() || constraints.back() != constraint) constraints.push_back(constraint);
  }
  for (Component& component : components) {
    if (component.constraints.empty() && component.variables.size() == 1) continue;
    double best = 0;
    for (const std::uint32_t variable : component.variables) {
      if (variable >= num_decisions || !candidate.IsOpen(variable)) continue;
      // What propagates to much with few values: fixed early, it makes parts fall apart. A
      // function of other decisions comes last of all.
      double score = (1.0 + degree_[variable]) / CountValues(variable);
      if (instance_->IsDerived(variable)) score = std::min(score, 1.0) * 1e-9;
      if (score <= best) continue;
      best = score;
      component.decision = variable;
    }
    EXH_CHECK(component.decision != runtime::kNoDecision);
    for (const std::uint32_t variable : component.variables) {
      Append(variable, component.key);
      AppendDomain(variable, component.key);
    }
    component.key += '\0';
    const std::uint32_t root = Root(component.variables.front());
    for (const std::uint32_t constraint : component.constraints) {
      AppendKey(constraint, root, component.key);
    }
  }
  std::ranges::stable_sort(components, {},
                           [](const Component& component) { return component.variables.size(); });
  return components;
}

// ---- Keys.

void ComponentFinder::AppendKey(std::uint32_t constraint, std::uint32_t root, std::string& key) {
  Append(constraint, key);
  if (constraint < first_clause()) return AppendTableKey(constraint, root, key);
  if (constraint >= first_counter()) return AppendCounterKey(constraint - first_counter(), key);
  for (const GroundLiteral& literal : form_.clauses[constraint - first_clause()].literals) {
    AppendLiteralKey(literal, key);
  }
}

void ComponentFinder::AppendTableKey(std::uint32_t number, std::uint32_t root, std::string& key) {
  const GroundTable& table = form_.tables[number];
  const bool is_any_constrained = std::ranges::any_of(
      table.variables, [&](std::uint32_t variable) { return IsConstrained(variable); });
  // Without a constrained variable the domains say it all.
  if (!is_any_constrained) return;
  const TableResidual residual = ResidualOf(table);
  if (residual.impossible) Append(0, key);
  for (int g = 0; g < residual.num_groups; ++g) {
    const auto first = std::countr_zero(residual.groups[g].positions);
    if (Root(table.variables[static_cast<std::size_t>(first)]) == root) {
      Append(residual.groups[g].content + std::uint64_t{1}, key);
    }
  }
}

void ComponentFinder::AppendDomain(std::uint32_t variable, std::string& key) const {
  if (!IsLong(variable)) return Append(Domain(variable), key);
  const runtime::GroundVariable& ground = form_.variables[variable];
  for (std::uint32_t word = 0; word < ground.num_words; ++word) {
    Append(Domain(ground.first_word + word), key);
  }
}

/// What is constrained of a term.
void ComponentFinder::AppendTermKey(std::uint32_t number, std::string& key) {
  const runtime::TermTest& test = form_.terms.tests[number];
  for (std::uint32_t i = test.leaf_begin; i < test.leaf_end; ++i) {
    const std::uint32_t variable = OwnerOf(form_.terms.leaves[i].slot);
    if (IsConstrained(variable)) AppendDomain(variable, key);
  }
  for (std::uint32_t i = test.node_begin; test.counters && i < test.node_end; ++i) {
    const runtime::GroundTermNode& node = form_.terms.nodes[i];
    if (node.op != runtime::GroundTermNode::Op::kCounter || SumOf(node.left).open) continue;
    Append(SumOf(node.left).settled, key);
  }
}

/// What is constrained of a literal that is open: the rest is its number and domains of the
/// component.
void ComponentFinder::AppendLiteralKey(const GroundLiteral& literal, std::string& key) {
  if (literal.kind == GroundLiteral::Kind::kTerm && Status(literal) == Truth::kMaybe) {
    AppendTermKey(literal.a, key);
  }
  if (literal.kind == GroundLiteral::Kind::kCounterPair && Status(literal) == Truth::kMaybe) {
    for (const std::uint32_t counter : {literal.a, literal.b}) {
      if (!SumOf(counter).open) Append(SumOf(counter).settled, key);
    }
  }
  if (literal.kind != GroundLiteral::Kind::kPair || Status(literal) != Truth::kMaybe) return;
  for (const std::uint32_t variable : {literal.a, literal.b}) {
    if (IsConstrained(variable)) Append(Domain(variable), key);
  }
}

void ComponentFinder::AppendCounterKey(std::uint32_t number, std::string& key) {
  const GroundCounter& counter = form_.counters[number];
  const Sum sum = SumOf(number);
  const Interval bounds = candidate_->state().counter(candidate_->instance().layout(), number);
  if (sum.settled == kSaturated || (counter.product && sum.settled == 0)) {
    // Arithmetic sticks: nothing to be made simpler.
    key += '\1';
    Append(sum.settled, key);
    Append(bounds.min, key);
    Append(bounds.max, key);
  } else {
    key += '\2';
    Interval left = {0, kSaturated};
    if (counter.product) {
      left.min = DivideUp(bounds.min, sum.settled);
      if (bounds.max != kSaturated) left.max = bounds.max / sum.settled;
    } else {
      left.min = bounds.min > sum.settled ? bounds.min - sum.settled : 0;
      if (bounds.max != kSaturated) left.max = bounds.max - std::min(bounds.max, sum.settled);
    }
    // Bounds that cannot be missed are none.
    Append(left.min <= sum.rest.min ? 0 : left.min, key);
    Append(left.max >= sum.rest.max ? kSaturated : left.max, key);
    if (read_stamp_[number] == now_) Append(sum.settled, key);
  }
  for (std::size_t i = 0; i < counter.increments.size(); ++i) {
    const GroundIncrement& increment = counter.increments[i];
    if (!IsOpenIncrement(increment)) continue;
    Append(i + 1, key);
    for (const GroundLiteral& literal : increment.literals) AppendLiteralKey(literal, key);
    const Interval weight = Weight(increment);
    if (increment.weight != GroundIncrement::Weight::kConstant && weight.IsConstrained()) {
      Append(weight.min, key);
    } else if (increment.weight == GroundIncrement::Weight::kTerm) {
      AppendTermKey(increment.source, key);
    }
  }
  key += '\0';
}

}  // namespace exh::search
