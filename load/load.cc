// SPDX-License-Identifier: MIT
#include "load/load.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/hash.h"
#include "load/data_host.h"

namespace exh::load {
namespace {

runtime::CompareOp OperatorOf(dsl::CompareOp op) {
  switch (op) {
    case dsl::CompareOp::kLt:
      return runtime::CompareOp::kLt;
    case dsl::CompareOp::kGt:
      return runtime::CompareOp::kGt;
    case dsl::CompareOp::kLe:
      return runtime::CompareOp::kLe;
    case dsl::CompareOp::kGe:
      return runtime::CompareOp::kGe;
    case dsl::CompareOp::kEq:
      return runtime::CompareOp::kEq;
    case dsl::CompareOp::kNe:
      return runtime::CompareOp::kNe;
  }
  EXH_UNREACHABLE();
}

runtime::TermNode::Kind KindOf(dsl::TermNode::Kind kind) {
  using From = dsl::TermNode::Kind;
  using To = runtime::TermNode::Kind;
  switch (kind) {
    case From::kNumber:
      return To::kNumber;
    case From::kCode:
    case From::kVariable:
      return To::kCode;
    case From::kInstance:
      return To::kChoice;
    case From::kNegate:
      return To::kNegate;
    case From::kAdd:
      return To::kAdd;
    case From::kSubtract:
      return To::kSubtract;
    case From::kMultiply:
      return To::kMultiply;
    case From::kDivide:
      return To::kDivide;
    case From::kDiv:
      return To::kDiv;
    case From::kMod:
      return To::kMod;
    case From::kMin:
      return To::kMin;
    case From::kMax:
      return To::kMax;
  }
  EXH_UNREACHABLE();
}

using Scope = std::vector<dsl::Variable>;

bool ReadsDecisions(const dsl::Term& term) {
  for (const dsl::TermNode& node : term) {
    if (node.kind == dsl::TermNode::Kind::kInstance) return true;
  }
  return false;
}

class Loader {
 public:
  Loader(const dsl::Spec& spec, dsl::DiagnosticSink& sink) : spec_(spec), sink_(sink) {}

  /// Nothing when something was refused or is not given.
  std::optional<LoadedSpace> Load(const std::string& name, const Given& given) {
    Refuse();
    auto data = ReadSpaceData(spec_, given, sink_);
    if (!data) return std::nullopt;
    data_ = std::move(*data);
    runtime::Space space;
    space.name = name;
    space.fingerprint = fmt::format("{:016x}", HashOf(given));
    AddSets(&space);
    for (const dsl::Choice& choice : spec_.choices) space.choices.push_back(ChoiceOf(choice));
    for (const dsl::Requirement& requirement : spec_.requirements) {
      space.requirements.push_back({requirement.label, PositionOf(requirement.range)});
      place_ = "require " + requirement.label;
      for (const std::vector<dsl::Condition>& clause : requirement.clauses) {
        space.clauses.push_back({static_cast<int>(space.requirements.size()) - 1,
                                 VariablesOf(requirement.variables),
                                 ConditionsOf(clause, requirement.variables)});
      }
    }
    for (const dsl::Quotient& quotient : spec_.quotients) {
      space.quotients.push_back(QuotientOf(quotient));
    }
    space.order = spec_.order;
    AddObjective(&space);
    std::vector<runtime::Term> terms;
    for (const dsl::BesideTerm& beside : spec_.terms) terms.push_back(KnownTermOf(beside));
    if (refused_) return std::nullopt;
    return LoadedSpace{std::move(space),
                       std::make_shared<DataHost>(std::move(data_), std::move(codes_)),
                       std::move(terms)};
  }

 private:
  void RefuseAt(dsl::SourceRange range, const std::string& what) {
    refused_ = true;
    sink_.Report(dsl::Diag::kNeedsBackbone, range,
                 what +
                     " needs a backbone in C++, and a space that is loaded has none: its objects "
                     "and numbers are in the file or in data (extern set, extern constant)");
  }
  void RefuseCode(const dsl::Snippet& code) { RefuseAt(code.range, "code"); }

  /// What stands in a list of its own. That choices and conditions ask for code is seen where they
  /// are converted.
  void Refuse() {
    for (const dsl::Set& set : spec_.sets) {
      if (set.is_quotient || set.given || set.numbers) continue;
      RefuseAt(set.range, "set '" + set.name + "'");
    }
    for (const dsl::Set& set : spec_.sets) {
      if (!set.numbers) continue;
      for (const dsl::Term* term : {&set.numbers->first, &set.numbers->last}) {
        for (const dsl::TermNode& node : *term) {
          if (node.kind == dsl::TermNode::Kind::kCode && node.external < 0) RefuseCode(node.code);
        }
      }
    }
    for (const dsl::External& external : spec_.externals) {
      if (external.has_code || external.present) {
        RefuseAt(external.range, "extern '" + external.name + "'");
      }
    }
    for (const dsl::Trigger& trigger : spec_.triggers) {
      RefuseAt(trigger.range, "trigger '" + trigger.label + "'");
    }
    for (const dsl::Choice& choice : spec_.choices) {
      if (choice.kind != dsl::ChoiceKind::kEnum || !choice.values.empty()) continue;
      refused_ = true;
      sink_.Report(dsl::Diag::kBuildWithoutValues, choice.range,
                   "choice '" + choice.name + "' has no values: declare at least one");
    }
  }

  /// Of the texts, and of what is given beside them.
  std::uint64_t HashOf(const Given& given) const {
    std::uint64_t hash = kFnvStart;
    for (const dsl::Spec::File& file : spec_.files)
      hash = Fnv1a64("\xFF", Fnv1a64(file.text, hash));
    for (const auto& [name, number] : given.sizes) {
      hash = Fnv1a64(fmt::format("{}={}\xFF", name, number), hash);
    }
    return given.data.empty() ? hash : Fnv1a64(given.data, hash);
  }

  runtime::Position PositionOf(dsl::SourceRange range) const {
    const dsl::Spec::File& file = spec_.files.at(range.file);
    return {file.path, dsl::Locate(file.text, range.begin).line};
  }

  void AddSets(runtime::Space* space) const {
    for (const dsl::Set& set : spec_.sets) {
      runtime::Set made;
      made.name = set.name;
      made.superset = set.superset ? set.superset->set : -1;
      made.root = set.root;
      made.parameter_set = set.parameter ? set.parameter->set.set : -1;
      made.disjoint = set.disjoint;
      made.is_quotient = set.is_quotient;
      space->sets.push_back(std::move(made));
    }
  }

  static std::vector<runtime::Variable> VariablesOf(const Scope& scope) {
    std::vector<runtime::Variable> made;
    for (const dsl::Variable& variable : scope) {
      made.push_back({variable.name, {variable.set.set, variable.set.parameter}});
    }
    return made;
  }

  // ---- what the host is asked for

  runtime::CodeId Add(DataCode code, const Scope& scope, dsl::SourceRange range) {
    for (const dsl::Variable& variable : scope) {
      code.roots.push_back(spec_.sets[static_cast<std::size_t>(variable.set.set)].root);
    }
    const runtime::Position position = PositionOf(range);
    code.place = fmt::format("{}:{}: {}", position.file, position.line, place_);
    codes_.push_back(std::move(code));
    return static_cast<runtime::CodeId>(codes_.size()) - 1;
  }

  runtime::CodeId CodeOfExternal(int external) {
    const auto [known, is_new] = external_codes_.try_emplace(external, -1);
    if (is_new) {
      const dsl::External& declared = spec_.externals[static_cast<std::size_t>(external)];
      DataCode code;
      code.external = external;
      known->second = Add(std::move(code), declared.arguments, declared.range);
    }
    return known->second;
  }

  runtime::CodeId CodeOfTerm(const dsl::Term& term, const Scope& scope) {
    DataCode code;
    code.kind = DataCode::Kind::kTerm;
    code.left = term;
    return Add(std::move(code), scope, term.back().range);
  }

  void RefuseCodes(const dsl::Term& term) {
    for (const dsl::TermNode& node : term) {
      if (node.kind == dsl::TermNode::Kind::kCode && node.external < 0) RefuseCode(node.code);
    }
  }

  /// Of a choice or of an extern, which has none.
  static runtime::ChoiceUse UseOf(const dsl::Instance& instance) {
    return {instance.choice, instance.arguments};
  }

  runtime::Term TermOf(const dsl::Term& term, const Scope& scope) {
    using Kind = dsl::TermNode::Kind;
    RefuseCodes(term);
    runtime::Term nodes;
    for (const dsl::TermNode& node : term) {
      runtime::TermNode made;
      made.kind = KindOf(node.kind);
      made.number = node.number;
      if (node.kind == Kind::kInstance) made.use = UseOf(node.instance);
      if (node.kind == Kind::kVariable) made.code = CodeOfTerm({node}, scope);
      if (node.kind == Kind::kCode && node.external >= 0) {
        made.external = true;
        made.code = CodeOfExternal(node.external);
        made.use = UseOf(node.instance);
      }
      nodes.push_back(std::move(made));
    }
    return nodes;
  }

  /// Of a term without scope, with numbers in the place of constants.
  runtime::Term KnownTermOf(const dsl::BesideTerm& beside) {
    runtime::Term nodes = TermOf(beside.term, {});
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].kind != runtime::TermNode::Kind::kCode) continue;
      const int external = beside.term[i].external;
      if (external < 0) continue;  // It was refused.
      nodes[i].kind = runtime::TermNode::Kind::kNumber;
      nodes[i].number = data_.Number(external, {});
    }
    return nodes;
  }

  // ---- conditions

  bool MayBeNegative(int external) const {
    for (const auto& [tuple, number] : data_.constants[static_cast<std::size_t>(external)]) {
      if (number < 0) return true;
    }
    return false;
  }

  /// A comparison with a constant. A negative one can stand in a term only.
  void CompareWith(const dsl::Condition& condition, const Scope& scope, runtime::Condition* made) {
    if (!MayBeNegative(condition.external)) {
      made->kind = runtime::Condition::Kind::kCompareCode;
      made->lhs = UseOf(condition.lhs);
      made->rhs = UseOf(condition.rhs);
      made->external = true;
      made->single = condition.single;
      made->code = CodeOfExternal(condition.external);
      return;
    }
    const dsl::Choice& choice = spec_.choices[static_cast<std::size_t>(condition.lhs.choice)];
    const dsl::External& constant = spec_.externals[static_cast<std::size_t>(condition.external)];
    if (choice.visibility != dsl::Visibility::kFull) {
      throw UsageError(
          fmt::format("constant '{}' is negative somewhere, and '{}' is compared with "
                      "it, which is a counter without a largest value",
                      constant.name, choice.name));
    }
    dsl::TermNode left, right;
    left.kind = dsl::TermNode::Kind::kInstance;
    left.instance = condition.lhs;
    right.kind = dsl::TermNode::Kind::kCode;
    right.external = condition.external;
    right.instance = condition.rhs;
    made->kind = runtime::Condition::Kind::kTerms;
    made->left = TermOf({left}, scope);
    made->right = TermOf({right}, scope);
    made->text = TextAt(condition.range);
  }

  std::string TextAt(dsl::SourceRange range) const {
    const std::string& text = spec_.files.at(range.file).text;
    return text.substr(range.begin, range.end - range.begin);
  }

  /// A comparison of terms. One without decisions is known before the search.
  void CompareTerms(const dsl::Condition& condition, const Scope& scope, runtime::Condition* made) {
    if (ReadsDecisions(condition.left) || ReadsDecisions(condition.right)) {
      made->kind = runtime::Condition::Kind::kTerms;
      made->left = TermOf(condition.left, scope);
      made->right = TermOf(condition.right, scope);
      made->text = condition.text;
      return;
    }
    RefuseCodes(condition.left);
    RefuseCodes(condition.right);
    DataCode code;
    code.kind = DataCode::Kind::kComparison;
    code.left = condition.left;
    code.right = condition.right;
    code.op = condition.op;
    made->kind = runtime::Condition::Kind::kCode;
    made->code = Add(std::move(code), scope, condition.range);
  }

  runtime::Condition ConditionOf(const dsl::Condition& condition, const Scope& scope) {
    using From = dsl::Condition::Kind;
    using To = runtime::Condition::Kind;
    runtime::Condition made;
    made.negated = condition.negated;
    made.op = OperatorOf(condition.op);
    switch (condition.kind) {
      case From::kIs:
        made.kind = To::kIs;
        made.lhs = UseOf(condition.lhs);
        made.values = condition.values;
        break;
      case From::kCompare:
        made.kind = To::kCompare;
        made.lhs = UseOf(condition.lhs);
        made.rhs = UseOf(condition.rhs);
        break;
      case From::kCompareCode:
        if (condition.numbers.empty() && condition.external < 0) {
          RefuseCode(condition.code);
        } else if (condition.external >= 0) {
          CompareWith(condition, scope, &made);
          break;
        }
        made.kind = To::kCompareCode;
        made.lhs = UseOf(condition.lhs);
        made.numbers = condition.numbers;
        break;
      case From::kTerms:
        CompareTerms(condition, scope, &made);
        break;
      case From::kConstant:
        made.constant = condition.constant;
        break;
      case From::kCode:
        if (condition.external < 0) {
          RefuseCode(condition.code);
          break;
        }
        made.kind = To::kCode;
        made.external = true;
        made.lhs = UseOf(condition.lhs);
        made.code = CodeOfExternal(condition.external);
        break;
      case From::kAscending:
        made.kind = To::kAscending;
        made.lhs = UseOf(condition.lhs);
        break;
      case From::kPresent:  // Of a dynamic extern.
        EXH_CHECK(refused_);
        break;
    }
    return made;
  }

  std::vector<runtime::Condition> ConditionsOf(const std::vector<dsl::Condition>& conditions,
                                               const Scope& scope) {
    std::vector<runtime::Condition> made;
    for (const dsl::Condition& condition : conditions) {
      made.push_back(ConditionOf(condition, scope));
    }
    return made;
  }

  // ---- choices

  runtime::Choice ChoiceOf(const dsl::Choice& choice) {
    place_ = "choice " + choice.name;
    runtime::Choice made;
    made.name = choice.name;
    made.arguments = VariablesOf(choice.arguments);
    made.position = PositionOf(choice.range);
    switch (choice.kind) {
      case dsl::ChoiceKind::kEnum:
        LoadEnum(choice, made);
        break;
      case dsl::ChoiceKind::kInteger:
        made.kind = runtime::ChoiceKind::kInteger;
        made.numbers = choice.numbers;
        if (!choice.spans.empty()) {
          made.universe = UniverseOf(choice);
        } else if (choice.numbers.empty()) {
          RefuseCode(choice.universe);
        }
        break;
      case dsl::ChoiceKind::kCounter:
        LoadCounter(choice, made);
        break;
    }
    return made;
  }

  static void LoadEnum(const dsl::Choice& choice, runtime::Choice& made) {
    made.kind = runtime::ChoiceKind::kEnum;
    for (const dsl::EnumValue& value : choice.values) made.values.push_back(value.name);
    if (choice.symmetry == dsl::Symmetry::kSymmetric) {
      made.symmetry = runtime::Symmetry::kSymmetric;
    } else if (choice.symmetry == dsl::Symmetry::kAntisymmetric) {
      made.symmetry = runtime::Symmetry::kAntisymmetric;
      made.inverse = choice.inverse;
    }
  }

  runtime::CodeId UniverseOf(const dsl::Choice& choice) {
    DataCode code;
    code.kind = DataCode::Kind::kUniverse;
    code.spans = choice.spans;
    for (const dsl::TermSpan& span : choice.spans) {
      RefuseCodes(span.first);
      RefuseCodes(span.last);
    }
    return Add(std::move(code), choice.arguments, choice.range);
  }

  void LoadCounter(const dsl::Choice& choice, runtime::Choice& made) {
    made.kind = runtime::ChoiceKind::kCounter;
    made.visibility = choice.visibility == dsl::Visibility::kFull ? runtime::Visibility::kFull
                      : choice.visibility == dsl::Visibility::kHalf
                          ? runtime::Visibility::kHalf
                          : runtime::Visibility::kInternal;
    made.product = choice.product;
    made.over = VariablesOf(choice.over);
    Scope scope = choice.arguments;
    scope.insert(scope.end(), choice.over.begin(), choice.over.end());
    if (!choice.base_term.empty()) {
      made.base = CodeOfTerm(choice.base_term, choice.arguments);
    } else if (choice.base) {
      RefuseCode(*choice.base);
    }
    if (choice.weight_code) RefuseCode(*choice.weight_code);
    made.has_base_number = choice.base_number.has_value();
    made.base_number = choice.base_number.value_or(0);
    if (choice.weight) made.weight = UseOf(*choice.weight);
    made.weight_term = TermOf(choice.weight_term, scope);
    made.when = ConditionsOf(choice.when, scope);
  }

  runtime::Quotient QuotientOf(const dsl::Quotient& quotient) {
    runtime::Quotient made;
    place_ = "quotient " + spec_.sets[static_cast<std::size_t>(quotient.set)].name;
    made.set = quotient.set;
    made.variables = VariablesOf(quotient.variables);
    made.flag = quotient.flag;
    made.dividend = ConditionsOf(quotient.dividend, quotient.variables);
    made.equivalence = quotient.equivalence;
    made.equivalence_values = quotient.equivalence_values;
    return made;
  }

  void AddObjective(runtime::Space* space) {
    if (const auto& objective = spec_.objective) {
      place_ = "objective";
      space->objective = runtime::SpaceObjective{objective->maximize, TermOf(objective->term, {}),
                                                 objective->text, PositionOf(objective->range)};
    }
    if (const auto& bound = spec_.lower_bound) {
      place_ = "lower bound";
      space->lower_bound = runtime::TimeBound{bound->unit_ns, TermOf(bound->term, {}), bound->text,
                                              PositionOf(bound->range)};
    }
  }

  const dsl::Spec& spec_;
  dsl::DiagnosticSink& sink_;
  SpaceData data_;
  std::vector<DataCode> codes_;
  std::map<int, runtime::CodeId> external_codes_;
  std::string place_;  ///< Of what is converted: "choice start".
  bool refused_ = false;
};

/// "spaces/my-conv.exh" is `my_conv`, as exhc calls it.
std::string NameOf(const std::string& path) {
  std::string name = path.substr(path.find_last_of('/') + 1);
  name = name.substr(0, name.find('.'));
  for (char& c : name) {
    const bool keeps = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!keeps) c = '_';
  }
  return name.empty() ? "space" : name;
}

}  // namespace

std::optional<LoadedSpace> LoadSpace(const dsl::Spec& spec, const std::string& name,
                                     dsl::DiagnosticSink& sink, const Given& given) {
  return Loader(spec, sink).Load(name, given);
}

std::optional<LoadedSpace> LoadFile(const std::string& path, dsl::DiagnosticSink& sink,
                                    const Given& given, const dsl::CompileOptions& options) {
  const auto spec = dsl::Compile(path, options, sink);
  if (!spec) return std::nullopt;
  return LoadSpace(*spec, NameOf(path), sink, given);
}

std::optional<LoadedSpace> LoadText(const std::string& path, std::string text,
                                    dsl::DiagnosticSink& sink, const Given& given,
                                    const dsl::CompileOptions& options) {
  const auto spec = dsl::CompileText(path, std::move(text), options, sink);
  if (!spec) return std::nullopt;
  return LoadSpace(*spec, NameOf(path), sink, given);
}

std::shared_ptr<const runtime::Instance> Freeze(const LoadedSpace& loaded,
                                                const runtime::FreezeOptions& options) {
  return runtime::Instance::Freeze(loaded.space, *loaded.host, options);
}

}  // namespace exh::load
