// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "generator/plan/filters.h"
#include "tests/maps/generator/emit.h"

namespace exh::generator {
namespace {

using dsl::ChoiceKind;
using Kind = dsl::Condition::Kind;

std::string Signature(const char* head, const std::vector<std::string>& first, std::size_t objects,
                      const std::vector<std::string>& last = {}) {
  std::vector<std::string> parameters = first;
  for (std::string& each : ObjectParameters(objects)) parameters.push_back(std::move(each));
  parameters.insert(parameters.end(), last.begin(), last.end());
  return fmt::format("{}({})", head, fmt::join(parameters, ", "));
}

/// "e, v0, v1" of a function over the first `count` variables.
std::string Arguments(const std::vector<int>& variables, const std::string& last = "") {
  std::string text = "e";
  for (const int v : variables) text += fmt::format(", v{}", v);
  return last.empty() ? text : text + ", " + last;
}

/// The objects that changed are parameters with the names of the variables they are bound to.
std::string BoundSignature(const std::string& head, const std::vector<int>& arguments,
                           const std::string& last = "") {
  std::string text = head + "(Engine& e";
  for (const int v : arguments) text += fmt::format(", [[maybe_unused]] Object v{}", v);
  return text + last + ")";
}

std::string CounterName(const MapsPlan& plan, const MapsCounter& counter) {
  return ChoiceAt(plan, counter.choice).camel;
}

std::string Flags(const MapsCounter& counter) {
  return fmt::format("{}, {}", counter.product, counter.visibility == dsl::Visibility::kHalf);
}

/// The least and largest value of an increment, as an Interval.
std::string WeightText(const MapsPlan& plan, const MapsCounter& counter) {
  if (counter.weight) {
    const MapsUse use = UseOf(*counter.weight);
    const std::string view = CallOn(plan, "View", use);
    return ChoiceAt(plan, use.choice).kind == ChoiceKind::kInteger
               ? fmt::format("maps::NumbersOf({}, {})", CallOn(plan, "Universe", use), view)
               : view;
  }
  if (counter.weight_code < 0) return "Interval{1, 1}";
  return fmt::format("runtime::HullOf({})", CodeCall("Numbers", counter.weight_code,
                                                     FirstNumbers(counter.variables.size())));
}

void EmitTerm(CodeWriter& out, const MapsPlan& plan, const MapsCounter& counter) {
  const std::string name = CounterName(plan, counter);
  auto body = out.Block(Signature(fmt::format("inline Term Term{}", name).c_str(),
                                  {"[[maybe_unused]] const Engine& e"}, counter.variables.size()));
  out.Line("const Status status = maps::StatusOf({}, {:#x});",
           CallOn(plan, "View", UseOf(counter.increment)), counter.counted);
  out.Line("if (status == Status::kExcluded) return {{status, 0, 0}};");
  out.Line("const Interval weight = {};", WeightText(plan, counter));
  out.Line("return {{status, weight.min, weight.max}};");
}

/// An increment's decision changed.
void EmitCount(CodeWriter& out, const MapsPlan& plan, const MapsCounter& counter) {
  const std::string name = CounterName(plan, counter);
  const std::vector<int>& arguments = counter.increment.arguments;
  auto body = out.Block(BoundSignature("void Count" + name, arguments, ", Bits old, Bits now"));
  out.Line("const Status before = maps::StatusOf(old, {:#x});", counter.counted);
  out.Line("const Status after = maps::StatusOf(now, {:#x});", counter.counted);
  out.Line("if (before != Status::kMaybe || after == Status::kMaybe) return;");
  MapsLoops loops(out, plan, counter.variables, "return;");
  loops.BindDecision(ChoiceAt(plan, counter.increment.choice), arguments);
  for (std::size_t v = 0; v < counter.variables.size(); ++v) loops.Enumerate(static_cast<int>(v));
  const std::string key = fmt::format(
      "KeyOf({})", Names(FirstNumbers(static_cast<std::size_t>(counter.num_arguments))));
  out.Line("const Interval weight = {};", WeightText(plan, counter));
  out.Line("const Interval count = e.Read<Interval, {}>(k{}, {});", counter.num_arguments, name,
           key);
  out.Line("e.SetCounter<{}>(k{}, {},", counter.num_arguments, name, key);
  out.Line("    maps::Recounted(count, {}, before, after, weight.min, weight.max));",
           Flags(counter));
  loops.Close();
}

/// An increment's value changed.
void EmitWeigh(CodeWriter& out, const MapsPlan& plan, const MapsCounter& counter) {
  if (!counter.weight) return;
  const std::string name = CounterName(plan, counter);
  auto body = out.Block(BoundSignature("void Weigh" + name, counter.weight->arguments,
                                       ", Interval old, Interval now"));
  MapsLoops loops(out, plan, counter.variables, "return;");
  loops.BindDecision(ChoiceAt(plan, counter.weight->choice), counter.weight->arguments);
  for (std::size_t v = 0; v < counter.variables.size(); ++v) loops.Enumerate(static_cast<int>(v));
  const std::string key = fmt::format(
      "KeyOf({})", Names(FirstNumbers(static_cast<std::size_t>(counter.num_arguments))));
  out.Line("const Status status = maps::StatusOf({}, {:#x});",
           CallOn(plan, "View", UseOf(counter.increment)), counter.counted);
  out.Line("const Interval count = e.Read<Interval, {}>(k{}, {});", counter.num_arguments, name,
           key);
  out.Line("e.SetCounter<{}>(k{}, {}, maps::Reweighed(count, {}, status, old, now));",
           counter.num_arguments, name, key, Flags(counter));
  loops.Close();
}

/// A bound on the counter is pushed to its increments.
void EmitBound(CodeWriter& out, const MapsPlan& plan, const MapsCounter& counter) {
  const std::string name = CounterName(plan, counter);
  const auto arity = static_cast<std::size_t>(counter.num_arguments);
  const bool half = counter.visibility == dsl::Visibility::kHalf;
  auto body = out.Block(Signature(fmt::format("bool Bound{}", name).c_str(), {"Engine& e"}, arity,
                                  {"Interval bound"}));
  out.Line("const Interval count = Get{}({});", name, Arguments(FirstNumbers(arity)));
  out.Text(half ? "if (bound.IsEmpty() || count.min > bound.max) return false;"
                : "if (!count.Intersects(bound) || bound.IsEmpty()) return false;");
  out.Line("if (bound == Interval{{}}) return true;");
  MapsLoops loops(out, plan, counter.variables, "return true;");
  for (std::size_t i = 0; i < arity; ++i) loops.Bind(static_cast<int>(i));
  for (std::size_t v = 0; v < counter.variables.size(); ++v) loops.Enumerate(static_cast<int>(v));
  out.Line("const Term term = Term{}({});", name,
           Arguments(FirstNumbers(counter.variables.size())));
  out.Line("const Push push = maps::PushOf(count, {}, bound, term);", Flags(counter));
  const std::string& increment = ChoiceAt(plan, counter.increment.choice).camel;
  const auto shrink = [&](const char* kind, const std::string& values) {
    out.Line("if (push.kind == Push::Kind::{} &&", kind);
    out.Line("    !Shrink{}({})) return false;", increment,
             Arguments(counter.increment.arguments, values));
  };
  shrink("kExclude", fmt::format("~Bits{{{:#x}}}", counter.counted));
  shrink("kCount", fmt::format("Bits{{{:#x}}}", counter.counted));
  if (counter.weight) {
    const MapsUse weight = UseOf(*counter.weight);
    const std::string& choice = ChoiceAt(plan, weight.choice).camel;
    out.Line("if (push.kind == Push::Kind::kCap &&");
    if (ChoiceAt(plan, weight.choice).kind == ChoiceKind::kInteger) {
      out.Line("    !Shrink{}({})) return false;", choice,
               Arguments(weight.arguments, fmt::format("maps::UpTo({}, push.cap)",
                                                       CallOn(plan, "Universe", weight))));
    } else {
      out.Line("    !Bound{}({})) return false;", choice,
               Arguments(weight.arguments, "Interval{0, push.cap}"));
    }
  }
  loops.Close();
  out.Line("return true;");
}

/// It depends on no decision.
bool IsKnown(Kind kind) {
  return kind == Kind::kCode || kind == Kind::kAscending || kind == Kind::kConstant;
}

/// One condition of a trigger is certain.
std::string Certain(const MapsPlan& plan, const MapsTrigger& trigger, const MapsAtom& atom) {
  if (atom.kind == Kind::kConstant) return atom.constant ? "true" : "false";
  const std::vector<int>& scope = atom.code_variables;
  if (atom.kind == Kind::kAscending) {
    return fmt::format("v{} {} v{}", scope[0], atom.negated ? ">" : "<", scope[1]);
  }
  if (atom.kind == Kind::kCode) {
    return (atom.negated ? "!" : "") + CodeCall("Test", atom.code, scope);
  }
  const MapsUse use = UseOf(atom.lhs);
  const MapsChoice& choice = ChoiceAt(plan, use.choice);
  const std::string view = CallOn(plan, "View", use);
  if (atom.kind == Kind::kIs) {
    return fmt::format("({} & {:#x}) == 0", view, choice.all() & ~atom.values);
  }
  if (use.choice == trigger.class_counter) {
    return fmt::format("{}.max <= {}", view, atom.numbers[0]);
  }
  const char* opposite[] = {"kGe", "kLe", "kGt", "kLt", "kNe", "kEq"};
  const std::string op = fmt::format("CompareOp::{}", opposite[static_cast<int>(atom.op)]);
  if (atom.kind == Kind::kCompareCode) {
    const std::string numbers =
        atom.numbers.empty() ? CodeCall("Numbers", atom.code, scope)
                             : fmt::format("std::array<std::uint32_t, {}>{{{}}}",
                                           atom.numbers.size(), fmt::join(atom.numbers, ", "));
    return choice.kind == ChoiceKind::kInteger
               ? fmt::format("({} & runtime::ValuesThat({}, {}, {})) == 0", view,
                             CallOn(plan, "Universe", use), op, numbers)
               : fmt::format("!runtime::CounterMay({}, {}, {})", view, op, numbers);
  }
  const MapsUse other = UseOf(atom.rhs);
  const std::string right = CallOn(plan, "View", other);
  switch (choice.kind) {
    case ChoiceKind::kEnum:
      return atom.op == dsl::CompareOp::kEq ? fmt::format("!maps::MayDiffer({}, {})", view, right)
                                            : fmt::format("({} & {}) == 0", view, right);
    case ChoiceKind::kInteger:
      return fmt::format("!maps::MayCompare({}, {}, {}, {}, {})", CallOn(plan, "Universe", use),
                         view, op, CallOn(plan, "Universe", other), right);
    default:
      return fmt::format("!runtime::CounterMay({}, {}, {})", view, op, right);
  }
}

/// A change of an input runs the filter for each target, one at a time.
void EmitRemote(CodeWriter& out, const MapsPlan& plan, std::size_t f, std::size_t input) {
  const MapsFilter& filter = plan.filters[f];
  const MapsUse& changed = filter.inputs[input];
  const MapsChoice& target = ChoiceAt(plan, filter.target.choice);
  const bool counter = target.kind == ChoiceKind::kCounter;
  out.Blank();
  auto body =
      out.Block(BoundSignature(fmt::format("bool Remote{}x{}", f, input), changed.arguments));
  MapsLoops loops(out, plan, filter.variables, "return true;");
  loops.BindDecision(ChoiceAt(plan, changed.choice), changed.arguments);
  for (const int v : filter.target.arguments) loops.Enumerate(v);
  if (target.is_pair()) loops.SkipIf("v0 > v1");
  const std::string call =
      fmt::format("Filter{}({})", f, Arguments(FirstNumbers(filter.variables.size())));
  std::string allowed = call;
  bool has_loops = false;
  for (std::size_t v = 0; v < filter.variables.size(); ++v) {
    has_loops = has_loops || !loops.IsBound(static_cast<int>(v));
  }
  if (has_loops) {
    allowed = "allowed";
    out.Line("{};", counter ? "Interval allowed" : "Bits allowed = ~Bits{0}");
    MapsLoops inner(out, plan, filter.variables, "continue;");
    for (std::size_t v = 0; v < filter.variables.size(); ++v) {
      if (loops.IsBound(static_cast<int>(v))) inner.Bind(static_cast<int>(v));
    }
    for (std::size_t v = 0; v < filter.variables.size(); ++v) inner.Enumerate(static_cast<int>(v));
    out.Line("{}{};", counter ? "allowed = allowed & " : "allowed &= ", call);
    inner.Close();
  }
  out.Line("if (!{}{}({})) return false;", counter ? "Bound" : "Shrink", target.camel,
           Arguments(filter.target.arguments, allowed));
  loops.Close();
  out.Line("return true;");
}

void EmitTriggerCheck(CodeWriter& out, const MapsPlan& plan, std::size_t t, std::size_t condition) {
  const MapsTrigger& trigger = plan.triggers[t];
  const dsl::Instance& changed = trigger.when[condition].lhs;
  out.Blank();
  auto body =
      out.Block(BoundSignature(fmt::format("void Check{}x{}", t, condition), changed.arguments));
  MapsLoops loops(out, plan, trigger.variables, "return;");
  loops.BindDecision(ChoiceAt(plan, changed.choice), changed.arguments);
  for (std::size_t v = 0; v < trigger.variables.size(); ++v) loops.Enumerate(static_cast<int>(v));
  const std::vector<int> all = FirstNumbers(trigger.variables.size());
  out.Line("if (Certain{}({})) e.Enqueue({}, {{{}}});", t, Arguments(all), t, Names(all));
  loops.Close();
}

/// Prints what runs when a decision of the choice changes; the objects are a0, a1, …
class ChangeEmitter {
 public:
  ChangeEmitter(CodeWriter& out, const MapsPlan& plan, int choice)
      : out_(out), plan_(plan), number_(choice), choice_(ChoiceAt(plan, choice)) {}

  void Emit() {
    out_.Blank();
    auto body = out_.Block(
        fmt::format("bool On{}(Engine& e, [[maybe_unused]] const Change& change)", choice_.camel));
    const std::size_t arity = choice_.arguments.size();
    for (std::size_t i = 0; i < arity; ++i) {
      out_.Line("[[maybe_unused]] const Object a{} = maps::ObjectOf(change.key, {}, {});", i, arity,
                i);
    }
    const bool counter = choice_.kind == ChoiceKind::kCounter;
    out_.Line("[[maybe_unused]] const {} old = {};", counter ? "Interval" : "Bits",
              counter ? "change.old.interval()" : "change.old.a");
    out_.Line("[[maybe_unused]] const {} now = e.Read<{}, {}>(k{}, change.key);",
              counter ? "Interval" : "Bits", EntryType(choice_), arity, choice_.camel);
    EmitCounters();
    EmitRemotes();
    EmitTriggers();
    if (counter) {
      const bool empty = arity == 0;
      if (!empty) out_.Line("const Object objects[] = {{{}}};", Objects(false).substr(2));
      out_.Line("if (!Bound{}(e{}, e.Allowed(k{}, {}))) return false;", choice_.camel,
                Objects(false), choice_.camel, empty ? "nullptr" : "objects");
    }
    out_.Line("return true;");
  }

 private:
  /// ", a0, a1", or the other way round.
  std::string Objects(bool swapped) const {
    if (swapped) return ", a1, a0";
    std::string text;
    for (std::size_t i = 0; i < choice_.arguments.size(); ++i) text += fmt::format(", a{}", i);
    return text;
  }
  std::string Domain(const char* name, bool swapped) const {
    return swapped && choice_.inverts() ? fmt::format("Invert{}({})", choice_.camel, name) : name;
  }
  int Orders() const { return choice_.is_pair() ? 2 : 1; }

  void EmitCounters() {
    for (const MapsCounter& counter : plan_.counters) {
      const std::string name = CounterName(plan_, counter);
      for (int order = 0; order < Orders() && counter.increment.choice == number_; ++order) {
        out_.Line("Count{}(e{}, {}, {});", name, Objects(order == 1), Domain("old", order == 1),
                  Domain("now", order == 1));
      }
      if (!counter.weight || counter.weight->choice != number_) continue;
      if (choice_.kind == ChoiceKind::kInteger) {
        const std::string universe = fmt::format("e.Universe(k{}, change.key)", choice_.camel);
        out_.Line("Weigh{}(e{}, maps::NumbersOf({}, old), maps::NumbersOf({}, now));", name,
                  Objects(false), universe, universe);
      } else {
        out_.Line("Weigh{}(e{}, old, now);", name, Objects(false));
      }
    }
  }
  void EmitRemotes() {
    for (std::size_t f = 0; f < plan_.filters.size(); ++f) {
      for (std::size_t i = 0; i < plan_.filters[f].inputs.size(); ++i) {
        if (plan_.filters[f].inputs[i].choice != number_) continue;
        for (int order = 0; order < Orders(); ++order) {
          out_.Line("if (!Remote{}x{}(e{})) return false;", f, i, Objects(order == 1));
        }
      }
    }
  }
  void EmitTriggers() {
    for (std::size_t t = 0; t < plan_.triggers.size(); ++t) {
      for (std::size_t c = 0; c < plan_.triggers[t].when.size(); ++c) {
        const MapsAtom& atom = plan_.triggers[t].when[c];
        if (IsKnown(atom.kind)) continue;
        if (atom.lhs.choice != number_) continue;
        for (int order = 0; order < Orders(); ++order) {
          out_.Line("Check{}x{}(e{});", t, c, Objects(order == 1));
        }
      }
    }
  }

  CodeWriter& out_;
  const MapsPlan& plan_;
  int number_;
  const MapsChoice& choice_;
};

}  // namespace

void DeclareMapsBounds(CodeWriter& out, const MapsPlan& plan) {
  out.Blank();
  for (const MapsCounter& counter : plan.counters) {
    out.Line("{};", Signature(fmt::format("bool Bound{}", CounterName(plan, counter)).c_str(),
                              {"Engine& e"}, static_cast<std::size_t>(counter.num_arguments),
                              {"Interval bound"}));
  }
}

void EmitMapsCounters(CodeWriter& out, const MapsPlan& plan) {
  for (const MapsCounter& counter : plan.counters) {
    out.Blank();
    out.Title("counter " + ChoiceAt(plan, counter.choice).name, "");
    EmitTerm(out, plan, counter);
    EmitCount(out, plan, counter);
    EmitWeigh(out, plan, counter);
    EmitBound(out, plan, counter);
  }
}

void EmitMapsTriggers(CodeWriter& out, const MapsPlan& plan) {
  for (std::size_t t = 0; t < plan.triggers.size(); ++t) {
    const MapsTrigger& trigger = plan.triggers[t];
    out.Blank();
    out.Title(trigger.label, "");
    auto body =
        out.Block(Signature(fmt::format("bool Certain{}", t).c_str(),
                            {"[[maybe_unused]] const Engine& e"}, trigger.variables.size()));
    for (const MapsAtom& atom : trigger.when) {
      out.Line("if (!({})) return false;", Certain(plan, trigger, atom));
    }
    out.Line("return true;");
  }
}

void EmitMapsChanges(CodeWriter& out, const MapsPlan& plan) {
  for (std::size_t f = 0; f < plan.filters.size(); ++f) {
    for (std::size_t i = 0; i < plan.filters[f].inputs.size(); ++i) EmitRemote(out, plan, f, i);
  }
  for (std::size_t t = 0; t < plan.triggers.size(); ++t) {
    for (std::size_t c = 0; c < plan.triggers[t].when.size(); ++c) {
      const Kind kind = plan.triggers[t].when[c].kind;
      if (!IsKnown(kind)) EmitTriggerCheck(out, plan, t, c);
    }
  }
  for (std::size_t c = 0; c < plan.choices.size(); ++c) {
    ChangeEmitter(out, plan, static_cast<int>(c)).Emit();
  }
  out.Blank();
  auto body = out.Block("bool OnChange(Engine& e, int choice, const Change& change)");
  {
    auto cases = out.Block("switch (choice)");
    for (const MapsChoice& choice : plan.choices) {
      out.Line("case k{}:", choice.camel);
      out.Line("  return On{}(e, change);", choice.camel);
    }
  }
  out.Line("return false;");
}

}  // namespace exh::generator
