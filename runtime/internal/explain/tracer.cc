// SPDX-License-Identifier: MIT
//
// Two passes over a trail of events. Forward, Apply() propagates like the engine, but slowly
// (GroundFilter), and writes down each change of a domain with the constraint that made it.
// Backward, Explain() undoes one event after the other and keeps a set of events that are *wanted*.
// At first that is the one that emptied a domain. For a wanted event the domains that its
// constraint read are widened as far as the event still follows (Weaken); whatever is narrower than
// at the root after that needs a reason, and the earlier events that made it so become wanted
// (WantFacts).
//
// r is 0 or 1. C1 says that p is not 1 or r is not 0, C2 that q is not 2 or r is not 1:
//
//   event              cause     on the way back
//   1  p is 1          decided   wanted by 3
//   2  s is 0          decided   not wanted: no part of the explanation
//   3  r is not 0      C1        wanted by 5: otherwise 0 would be left there
//   4  q is 2          decided   wanted by 5
//   5  r is not 1      C2        nothing is left of r: the dead end
//
// Invariants of the way back: `domains_` are those right before the event that is looked at; only
// earlier events are added to the wanted ones; each step follows from the facts and requirements
// that it names, whatever else is decided. Facts are widened one after the other, each as far as
// possible then, so an explanation is short but need not be the shortest.
#include "runtime/internal/explain/tracer.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace exh::runtime::internal {
namespace {

std::string Text(Interval interval) {
  if (interval.IsEmpty()) return "";
  if (interval.IsConstrained()) return std::to_string(interval.min);
  return "[" + std::to_string(interval.min) + ", " +
         (interval.max == kSaturated ? "…" : std::to_string(interval.max)) + "]";
}

}  // namespace

Tracer::Tracer(const Instance& instance, const GroundForm& form)
    : instance_(instance), form_(form), filter_(form), queued_(filter_.size(), false) {
  for (const GroundVariable& variable : form.variables) root_.variables.push_back(variable.root);
  for (const GroundCounter& counter : form.counters) root_.counters.push_back(counter.root);
  domains_ = root_;
}

bool Tracer::IsEmptied(std::uint32_t variable) const {
  const GroundVariable& v = form_.variables[variable];
  if (v.num_words == 0) return domains_.variables[variable] == 0;
  for (std::uint32_t word = 0; word < v.num_words; ++word) {
    if (domains_.variables[v.first_word + word] != 0) return false;
  }
  return true;
}

bool Tracer::Keep(const Narrowing& narrowing, std::uint32_t constraint, std::uint32_t action) {
  Event event{narrowing, constraint, 0, 0, {}, {}, action, narrowing.failed};
  const Subject subject = narrowing.subject;
  if (narrowing.failed) {
    if (subject.is_counter) event.interval_before = domains_.counters[subject.index];
    events_.push_back(event);
    return false;
  }
  if (subject.is_counter) {
    Interval& interval = domains_.counters[subject.index];
    event.interval_before = interval;
    event.interval_after = interval & narrowing.interval;
    if (event.interval_after == interval) return true;
    interval = event.interval_after;
    event.dead = interval.IsEmpty();
  } else {
    Bits& values = domains_.variables[subject.index];
    event.values_before = values;
    event.values_after = values & narrowing.values;
    if (event.values_after == values) return true;
    values = event.values_after;
    event.dead = IsEmptied(subject.index);
  }
  events_.push_back(event);
  if (IsDeadEnd(event)) return false;
  for (const std::uint32_t reader : filter_.readers(subject)) {
    if (queued_[reader]) continue;
    queued_[reader] = true;
    queue_.push_back(reader);
  }
  return true;
}

bool Tracer::IsDeadEnd(const Event& event) const {
  return event.dead;
}

std::vector<Narrowing> Tracer::NarrowingsOf(const Action& action) const {
  const GroundVariable& variable = form_.variables[action.decision];
  if (variable.num_words == 0) return {{{false, action.decision}, action.values, {}, false}};
  std::vector<Narrowing> narrowings;
  for (std::uint32_t word = 0; word < variable.num_words; ++word) {
    const Bits kept = word == action.word        ? action.values
                      : action.keeps_other_words ? ~Bits{0}
                                                 : Bits{0};
    narrowings.push_back({{false, variable.first_word + word}, kept, {}, false});
  }
  return narrowings;
}

bool Tracer::Propagate() {
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const std::uint32_t constraint = queue_[next];
    queued_[constraint] = false;
    for (const Narrowing& narrowing : filter_.Run(constraint, domains_)) {
      if (!Keep(narrowing, constraint)) return false;
    }
  }
  queue_.clear();
  return true;
}

bool Tracer::Apply(std::span<const Action> decisions) {
  for (const Action& action : decisions) {
    const auto number = static_cast<std::uint32_t>(actions_.size());
    actions_.push_back(action);
    for (const Narrowing& narrowing : NarrowingsOf(action)) {
      if (!Keep(narrowing, kDecision, number)) return true;
    }
    if (!Propagate()) return true;
  }
  return false;
}

bool Tracer::Shows(const Event& event, const Wanted& wanted, const GroundDomains& domains,
                   const std::vector<bool>& used) const {
  const std::vector<Narrowing> narrowings = used.empty()
                                                ? filter_.Run(event.constraint, domains)
                                                : filter_.RunTable(event.constraint, domains, used);
  const Subject subject = event.narrowing.subject;
  Bits values = ~Bits{0};
  Interval interval;
  for (const Narrowing& narrowing : narrowings) {
    if (narrowing.failed) return true;
    if (narrowing.subject != subject) continue;
    values &= narrowing.values;
    interval = interval & narrowing.interval;
  }
  if (event.narrowing.failed) return false;
  if (!subject.is_counter) return (values & wanted.removed) == 0;
  if (event.interval_after.IsEmpty()) {
    return (interval & domains.counters[subject.index]).IsEmpty();
  }
  return (event.interval_after.min == event.interval_before.min ||
          interval.min >= event.interval_after.min) &&
         (event.interval_after.max == event.interval_before.max ||
          interval.max <= event.interval_after.max);
}

GroundDomains Tracer::Weaken(const Event& event, const Wanted& wanted) const {
  GroundDomains weakened = domains_;
  const std::vector<Subject>& reads = filter_.reads(event.constraint);
  const auto follows = [&] { return Shows(event, wanted, weakened, {}); };
  if (!follows()) return weakened;  // Nothing can be left out.
  for (const Subject subject : reads) {
    if (subject.is_counter) {
      Interval& interval = weakened.counters[subject.index];
      const Interval kept = interval, root = root_.counters[subject.index];
      if (kept == root) continue;
      for (const Interval wider :
           {root, Interval{root.min, kept.max}, Interval{kept.min, root.max}}) {
        interval = wider;
        if (follows()) break;
        interval = kept;
      }
      continue;
    }
    Bits& values = weakened.variables[subject.index];
    const Bits kept = values, root = root_.variables[subject.index];
    if (kept == root) continue;
    values = root;
    if (follows()) continue;
    values = kept;
    for (Bits rest = root & ~kept; rest != 0; rest &= rest - 1) {
      const Bits value = rest & (~rest + 1);
      values |= value;
      if (!follows()) values &= ~value;
    }
  }
  return weakened;
}

/// Of the clauses that a table was made of, those that are enough.
std::vector<std::string> Tracer::Labels(const Event& event, const Wanted& wanted,
                                        const GroundDomains& domains) const {
  std::vector<std::string> labels;
  const auto add = [&](const Origin& origin) {
    const std::string label = OriginText(instance_.space(), origin);
    if (std::ranges::count(labels, label) == 0) labels.push_back(label);
  };
  if (!filter_.IsTable(event.constraint)) {
    const std::vector<Origin> origins = filter_.origins(event.constraint);
    for (const Origin& one : origins) add(one);
    // The bounds of a counter that hold from the start are requirements too.
    const Origin origin = origins.front();
    if (origin.kind != Origin::Kind::kCounter) return labels;
    for (const Clause& clause : instance_.space().clauses) {
      const auto bounds = std::ranges::count_if(clause.conditions, [&](const Condition& c) {
        return c.kind == Condition::Kind::kCompareCode && c.lhs.choice == origin.index;
      });
      const auto others = std::ranges::count_if(clause.conditions, [](const Condition& c) {
        return c.kind != Condition::Kind::kCode && c.kind != Condition::Kind::kAscending &&
               c.kind != Condition::Kind::kConstant;
      });
      if (bounds == 1 && others == 1) add({Origin::Kind::kRequirement, clause.requirement});
    }
    return labels;
  }
  const GroundRelation& relation = filter_.relation(event.constraint);
  std::vector<bool> used(relation.clauses.size(), true);
  for (std::size_t clause = 0; clause < used.size(); ++clause) {
    used[clause] = false;
    if (!Shows(event, wanted, domains, used)) used[clause] = true;
  }
  for (std::size_t clause = 0; clause < used.size(); ++clause) {
    if (used[clause]) add(relation.clauses[clause].origin);
  }
  return labels;
}

/// Marks the earlier events that made the domains as narrow as `weakened` still is.
void Tracer::WantFacts(std::size_t at, const GroundDomains& weakened,
                       std::map<std::size_t, Wanted>* wanted) const {
  const Event& event = events_[at];
  for (const Subject subject : filter_.reads(event.constraint)) {
    Bits removed = 0;
    bool min_raised = false, max_lowered = false;
    if (subject.is_counter) {
      min_raised = weakened.counters[subject.index].min != root_.counters[subject.index].min;
      max_lowered = weakened.counters[subject.index].max != root_.counters[subject.index].max;
    } else {
      removed = root_.variables[subject.index] & ~weakened.variables[subject.index];
    }
    for (std::size_t earlier = at; earlier-- > 0;) {
      const Event& cause = events_[earlier];
      if (cause.narrowing.subject != subject) continue;
      if (!subject.is_counter) {
        const Bits here = cause.values_before & ~cause.values_after & removed;
        if (here != 0) (*wanted)[earlier].removed |= here;
        continue;
      }
      // The latest event that moved a bound which is needed; it brings the earlier ones along.
      const bool raised = cause.interval_after.min != cause.interval_before.min;
      const bool lowered = cause.interval_after.max != cause.interval_before.max;
      if ((min_raised && raised) || (max_lowered && lowered)) {
        wanted->try_emplace(earlier);
        min_raised = min_raised && !raised;
        max_lowered = max_lowered && !lowered;
      }
    }
  }
}

/// Of all values at the root, those that the last event excludes by itself.
Bits Tracer::RemovedByLast() const {
  const Event& event = events_.back();
  const Subject subject = event.narrowing.subject;
  if (event.narrowing.failed || subject.is_counter) return 0;
  const Bits root = root_.variables[subject.index];
  if (event.constraint == kDecision) return root & ~event.narrowing.values;
  GroundDomains domains = domains_;
  domains.variables[subject.index] = root;
  Bits values = root;
  for (const Narrowing& narrowing : filter_.Run(event.constraint, domains)) {
    if (narrowing.failed) return event.values_before;
    if (narrowing.subject == subject) values &= narrowing.values;
  }
  const Bits removed = root & ~values;
  if (event.values_after != 0 || form_.variables[subject.index].num_words != 0) return removed;
  return (event.values_before & ~removed) == 0 ? removed : event.values_before;
}

void Tracer::Undo(const Event& event) {
  const Subject subject = event.narrowing.subject;
  if (event.narrowing.failed) return;
  if (subject.is_counter) {
    domains_.counters[subject.index] = event.interval_before;
  } else {
    domains_.variables[subject.index] = event.values_before;
  }
}

Explanation Tracer::Explain() {
  EXH_CHECK(!events_.empty() && IsDeadEnd(events_.back()));
  Explanation explanation;
  std::map<std::size_t, Wanted> wanted;
  const std::size_t last = events_.size() - 1;
  wanted[last].removed = RemovedByLast();
  const Subject emptied = events_[last].narrowing.subject;
  if (!events_[last].narrowing.failed && !emptied.is_counter) {
    // What the last step does not remove was removed before.
    for (std::size_t earlier = last; earlier-- > 0;) {
      const Event& cause = events_[earlier];
      const bool is_same = cause.narrowing.subject == emptied;
      const GroundVariable& variable = form_.variables[emptied.index];
      const bool is_word = variable.num_words != 0 && !cause.narrowing.subject.is_counter &&
                           cause.narrowing.subject.index >= variable.first_word &&
                           cause.narrowing.subject.index < variable.first_word + variable.num_words;
      if (!is_same && !is_word) continue;
      Bits here = cause.values_before & ~cause.values_after;
      if (is_same) here &= ~wanted[last].removed;
      if (here != 0) wanted[earlier].removed |= here;
    }
  }
  for (std::size_t at = events_.size(); at-- > 0;) {
    const Event& event = events_[at];
    Undo(event);
    const auto found = wanted.find(at);
    if (found == wanted.end()) continue;
    if (event.constraint == kDecision) {
      const Action& action = actions_[event.action];
      if (std::ranges::find(explanation.decisions, action) != explanation.decisions.end()) continue;
      explanation.steps.push_back(Step(event, found->second, domains_));
      explanation.decisions.push_back(action);
      continue;
    }
    if (at == last) {
      for (const Subject subject : filter_.reads(event.constraint)) {
        if (subject.is_counter || subject.index >= instance_.num_decisions()) continue;
        explanation.involved.emplace_back(subject.index, domains_.variables[subject.index]);
      }
    }
    const GroundDomains weakened = Weaken(event, found->second);
    explanation.steps.push_back(Step(event, found->second, weakened));
    WantFacts(at, weakened, &wanted);
  }
  std::ranges::reverse(explanation.steps);
  std::ranges::reverse(explanation.decisions);
  for (const auto& [decision, values] : explanation.involved) {
    const Choice& choice = instance_.space().choices[instance_.choice(decision)];
    const auto objects = instance_.objects(decision);
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const std::string& name = instance_.object_name(choice.arguments[i].set.set, objects[i]);
      if (std::ranges::count(explanation.objects, name) == 0) explanation.objects.push_back(name);
    }
  }
  return explanation;
}

std::string Tracer::Name(Subject subject) const {
  return subject.is_counter ? form_.counters[subject.index].name
                            : form_.variables[subject.index].name;
}

std::string Tracer::ValuesText(std::uint32_t variable, Bits values) const {
  const GroundVariable& v = form_.variables[variable];
  if (v.decision != kNoDecision) return instance_.ValuesText(v.decision, values, v.word);
  std::string text = (values & 1) != 0 ? "no" : "";
  if ((values & 2) != 0) text += text.empty() ? "yes" : "|yes";
  return text;
}

std::string Tracer::FactText(Subject subject, const GroundDomains& domains) const {
  if (!subject.is_counter) {
    return Name(subject) + "=" + ValuesText(subject.index, domains.variables[subject.index]);
  }
  const Interval interval = domains.counters[subject.index], root = root_.counters[subject.index];
  if (interval.IsConstrained()) return Name(subject) + "=" + Text(interval);
  std::string text = Name(subject);
  if (interval.min != root.min) text += " >= " + std::to_string(interval.min);
  if (interval.max != root.max) text += " <= " + std::to_string(interval.max);
  return text;
}

ExplanationStep Tracer::Step(const Event& event, const Wanted& wanted,
                             const GroundDomains& weakened) {
  ExplanationStep step;
  const Subject subject = event.narrowing.subject;
  const bool is_clause_failure = event.narrowing.failed && !subject.is_counter;
  if (!is_clause_failure) {
    step.subject = Name(subject);
    step.before = subject.is_counter ? Text(event.interval_before)
                                     : ValuesText(subject.index, event.values_before);
    if (!IsDeadEnd(event)) {
      step.after = subject.is_counter ? Text(event.interval_after)
                                      : ValuesText(subject.index, event.values_after);
    }
  }
  step.is_decision = event.constraint == kDecision;
  if (step.is_decision) {
    step.by.push_back("the decision " + ActionText(instance_, actions_[event.action]));
    return step;
  }
  for (const Subject read : filter_.reads(event.constraint)) {
    const bool narrowed = read.is_counter
                              ? weakened.counters[read.index] != root_.counters[read.index]
                              : weakened.variables[read.index] != root_.variables[read.index];
    if (narrowed) step.because.push_back(FactText(read, weakened));
  }
  step.by = Labels(event, wanted, weakened);
  return step;
}

}  // namespace exh::runtime::internal
