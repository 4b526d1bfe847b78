// SPDX-License-Identifier: MIT
#include "load/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/hash.h"

namespace exh::load {
namespace {

/// Of a space without sets and code: nobody asks it.
class NoObjects final : public runtime::Host {
 public:
  int Size(int root_set) const override {
    static_cast<void>(root_set);
    EXH_UNREACHABLE();
  }
  std::string Name(int root_set, runtime::Object object) const override {
    static_cast<void>(root_set);
    static_cast<void>(object);
    EXH_UNREACHABLE();
  }
  std::vector<Member> Members(int set) const override {
    static_cast<void>(set);
    EXH_UNREACHABLE();
  }
  bool Test(runtime::CodeId code, std::span<const runtime::Object> scope) const override {
    static_cast<void>(code);
    static_cast<void>(scope);
    EXH_UNREACHABLE();
  }
  std::vector<std::uint32_t> Numbers(runtime::CodeId code,
                                     std::span<const runtime::Object> scope) const override {
    static_cast<void>(code);
    static_cast<void>(scope);
    EXH_UNREACHABLE();
  }
  std::vector<Planned> Plan(int trigger, std::span<const runtime::Object> scope) const override {
    static_cast<void>(trigger);
    static_cast<void>(scope);
    EXH_UNREACHABLE();
  }
};

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

class Loader {
 public:
  Loader(const dsl::Spec& spec, dsl::DiagnosticSink& sink) : spec_(spec), sink_(sink) {}

  /// Nothing when something was refused.
  std::optional<runtime::Space> Load(const std::string& name) {
    Refuse();
    runtime::Space space;
    space.name = name;
    std::uint64_t hash = kFnvStart;
    for (const dsl::Spec::File& file : spec_.files)
      hash = Fnv1a64("\xFF", Fnv1a64(file.text, hash));
    space.fingerprint = fmt::format("{:016x}", hash);
    for (const dsl::Choice& choice : spec_.choices) space.choices.push_back(ChoiceOf(choice));
    for (const dsl::Requirement& requirement : spec_.requirements) {
      space.requirements.push_back({requirement.label, PositionOf(requirement.range)});
      for (const std::vector<dsl::Condition>& clause : requirement.clauses) {
        space.clauses.push_back(
            {static_cast<int>(space.requirements.size()) - 1, {}, ConditionsOf(clause)});
      }
    }
    space.order = spec_.order;
    if (refused_) return std::nullopt;
    return space;
  }

 private:
  void RefuseAt(dsl::SourceRange range, const std::string& what) {
    refused_ = true;
    sink_.Report(dsl::Diag::kNeedsBackbone, range,
                 what +
                     " needs a backbone in C++, and a space that is loaded has none; it may have "
                     "choices without arguments, listed numbers and integer terms");
  }
  void RefuseCode(const dsl::Snippet& code) { RefuseAt(code.range, "code"); }

  /// What stands in a list of its own. That choices and conditions ask for code is seen where they
  /// are converted.
  void Refuse() {
    for (const dsl::Set& set : spec_.sets) RefuseAt(set.range, "set '" + set.name + "'");
    for (const dsl::External& external : spec_.externals) {
      RefuseAt(external.range, "extern '" + external.name + "'");
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

  runtime::Position PositionOf(dsl::SourceRange range) const {
    const dsl::Spec::File& file = spec_.files.at(range.file);
    return {file.path, dsl::Locate(file.text, range.begin).line};
  }

  runtime::ChoiceUse UseOf(const dsl::Instance& instance) const {
    return {instance.choice, instance.arguments};
  }

  runtime::Term TermOf(const dsl::Term& term) {
    runtime::Term nodes;
    for (const dsl::TermNode& node : term) {
      if (node.kind == dsl::TermNode::Kind::kCode && node.external < 0) RefuseCode(node.code);
      runtime::TermNode made;
      made.kind = KindOf(node.kind);
      made.number = node.number;
      if (node.kind == dsl::TermNode::Kind::kInstance) made.use = UseOf(node.instance);
      nodes.push_back(std::move(made));
    }
    return nodes;
  }

  runtime::Condition ConditionOf(const dsl::Condition& condition) {
    using From = dsl::Condition::Kind;
    using To = runtime::Condition::Kind;
    runtime::Condition made;
    made.negated = condition.negated;
    switch (condition.kind) {
      case From::kIs:
        made.kind = To::kIs;
        made.lhs = UseOf(condition.lhs);
        made.values = condition.values;
        break;
      case From::kCompare:
        made.kind = To::kCompare;
        made.lhs = UseOf(condition.lhs);
        made.op = OperatorOf(condition.op);
        made.rhs = UseOf(condition.rhs);
        break;
      case From::kCompareCode:
        if (condition.numbers.empty() && condition.external < 0) RefuseCode(condition.code);
        made.kind = To::kCompareCode;
        made.lhs = UseOf(condition.lhs);
        made.op = OperatorOf(condition.op);
        made.numbers = condition.numbers;
        break;
      case From::kTerms:
        made.kind = To::kTerms;
        made.op = OperatorOf(condition.op);
        made.left = TermOf(condition.left);
        made.right = TermOf(condition.right);
        made.text = condition.text;
        break;
      case From::kConstant:
        made.constant = condition.constant;
        break;
      case From::kCode:
        if (condition.external < 0) RefuseCode(condition.code);
        break;
      case From::kAscending:  // Of variables, and so of a set.
      case From::kPresent:    // Of an extern.
        EXH_CHECK(refused_);
        break;
    }
    return made;
  }

  std::vector<runtime::Condition> ConditionsOf(const std::vector<dsl::Condition>& conditions) {
    std::vector<runtime::Condition> made;
    for (const dsl::Condition& condition : conditions) made.push_back(ConditionOf(condition));
    return made;
  }

  runtime::Choice ChoiceOf(const dsl::Choice& choice) {
    runtime::Choice made;
    made.name = choice.name;
    made.position = PositionOf(choice.range);
    switch (choice.kind) {
      case dsl::ChoiceKind::kEnum:
        made.kind = runtime::ChoiceKind::kEnum;
        for (const dsl::EnumValue& value : choice.values) made.values.push_back(value.name);
        break;
      case dsl::ChoiceKind::kInteger:
        made.kind = runtime::ChoiceKind::kInteger;
        if (choice.numbers.empty()) RefuseCode(choice.universe);
        made.numbers = choice.numbers;
        break;
      case dsl::ChoiceKind::kCounter:
        LoadCounter(choice, made);
        break;
    }
    return made;
  }

  void LoadCounter(const dsl::Choice& choice, runtime::Choice& made) {
    made.kind = runtime::ChoiceKind::kCounter;
    made.visibility = choice.visibility == dsl::Visibility::kFull ? runtime::Visibility::kFull
                      : choice.visibility == dsl::Visibility::kHalf
                          ? runtime::Visibility::kHalf
                          : runtime::Visibility::kInternal;
    made.product = choice.product;
    if (choice.base) RefuseCode(*choice.base);
    if (choice.weight_code) RefuseCode(*choice.weight_code);
    made.has_base_number = choice.base_number.has_value();
    made.base_number = choice.base_number.value_or(0);
    if (choice.weight) made.weight = UseOf(*choice.weight);
    made.weight_term = TermOf(choice.weight_term);
    made.when = ConditionsOf(choice.when);
  }

  const dsl::Spec& spec_;
  dsl::DiagnosticSink& sink_;
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
                                     dsl::DiagnosticSink& sink) {
  std::optional<runtime::Space> space = Loader(spec, sink).Load(name);
  if (!space) return std::nullopt;
  return LoadedSpace{std::move(*space), std::make_shared<NoObjects>()};
}

std::optional<LoadedSpace> LoadFile(const std::string& path, dsl::DiagnosticSink& sink) {
  const auto spec = dsl::Compile(path, {}, sink);
  if (!spec) return std::nullopt;
  return LoadSpace(*spec, NameOf(path), sink);
}

std::optional<LoadedSpace> LoadText(const std::string& path, std::string text,
                                    dsl::DiagnosticSink& sink) {
  const auto spec = dsl::CompileText(path, std::move(text), {}, sink);
  if (!spec) return std::nullopt;
  return LoadSpace(*spec, NameOf(path), sink);
}

std::shared_ptr<const runtime::Instance> Freeze(const LoadedSpace& loaded,
                                                const runtime::FreezeOptions& options) {
  return runtime::Instance::Freeze(loaded.space, *loaded.host, options);
}

}  // namespace exh::load
