// SPDX-License-Identifier: MIT
#include "dsl/meaning/symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/spelling.h"

namespace exh::dsl {
namespace {

const ast::Name& NameOf(const SetSource& source) {
  return std::visit([](const auto* decl) -> const ast::Name& { return decl->name; }, source);
}

const ast::Name& NameOf(const ChoiceSource& source) {
  return std::visit(
      [](const auto* decl) -> const ast::Name& {
        if constexpr (requires { decl->flag; }) {
          return decl->flag;
        } else {
          return decl->name;
        }
      },
      source);
}

// What must be defined before a set: its superset, and the set of its parameter.
std::vector<ast::Name> Needs(const SetSource& source) {
  std::vector<ast::Name> needs;
  if (const auto* const* set = std::get_if<const ast::SetDecl*>(&source)) {
    if ((*set)->superset) needs.push_back((*set)->superset->set);
    if ((*set)->parameter) needs.push_back((*set)->parameter->set.set);
  } else {
    const auto* quotient = std::get<const ast::QuotientDecl*>(source);
    needs.push_back(quotient->item.set.set);
    if (quotient->parameter) needs.push_back(quotient->parameter->set.set);
  }
  return needs;
}

void AddInstances(const ast::Term& term, std::vector<ast::Name>& needs) {
  for (const ast::TermNode& node : term) {
    const auto* instance = std::get_if<ast::Instance>(&node.operand);
    if (instance != nullptr) needs.push_back(instance->choice);
  }
}

void AddInstances(const ast::Formula& formula, std::vector<ast::Name>& needs) {
  for (const ast::Formula& part : formula.parts) AddInstances(part, needs);
  if (!formula.condition) return;
  const ast::Condition& condition = *formula.condition;
  if (const auto* test = std::get_if<ast::IsTest>(&condition.kind)) {
    needs.push_back(test->instance.choice);
  } else if (const auto* comparison = std::get_if<ast::TermComparison>(&condition.kind)) {
    AddInstances(comparison->left, needs);
    AddInstances(comparison->right, needs);
  } else if (const auto* use = std::get_if<ast::Instance>(&condition.kind)) {
    needs.push_back(use->choice);
  }
}

// What a let and a counter read; of a counter also the values that it adds.
std::vector<ast::Name> Needs(const ChoiceSource& source) {
  std::vector<ast::Name> needs;
  if (const auto* const* let = std::get_if<const ast::LetDecl*>(&source)) {
    AddInstances((*let)->body, needs);
  }
  const auto* const* counter = std::get_if<const ast::CounterDecl*>(&source);
  if (counter == nullptr) return needs;
  AddInstances((*counter)->weight, needs);
  for (const ast::Formula& formula : (*counter)->when) AddInstances(formula, needs);
  return needs;
}

// Stable topological sort. A cycle is reported once, at the use that closes it.
// What a name that depends on itself is called.
std::pair<Diag, std::string_view> CycleOf(const SetSource&) {
  return {Diag::kSetCycle, "set"};
}
std::pair<Diag, std::string_view> CycleOf(const ChoiceSource& source) {
  const bool let = std::holds_alternative<const ast::LetDecl*>(source);
  return let ? std::pair{Diag::kLetCycle, std::string_view("let")}
             : std::pair{Diag::kCounterCycle, std::string_view("counter")};
}

template <typename Source>
class Sorter {
 public:
  Sorter(const std::vector<Source>& sources, DiagnosticSink& sink)
      : sources_(sources), sink_(sink), state_(sources.size(), kNew) {
    for (std::size_t i = 0; i < sources.size(); ++i) by_name_.emplace(NameOf(sources[i]).text, i);
  }

  std::vector<Source> Sort() {
    for (std::size_t i = 0; i < sources_.size(); ++i) Visit(i);
    return std::move(sorted_);
  }

 private:
  enum State { kNew, kOpen, kDone };

  // Iterative, because a chain may be as long as the file.
  void Visit(std::size_t root) {
    struct Frame {
      std::size_t node;
      std::vector<ast::Name> needs;
      std::size_t next = 0;
    };
    if (state_[root] != kNew) return;
    std::vector<Frame> stack;
    const auto open = [&](std::size_t node) {
      state_[node] = kOpen;
      stack.push_back({node, Needs(sources_[node])});
    };
    open(root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next == frame.needs.size()) {
        state_[frame.node] = kDone;
        sorted_.push_back(sources_[frame.node]);
        stack.pop_back();
        continue;
      }
      const ast::Name need = frame.needs[frame.next++];
      const auto found = by_name_.find(need.text);
      if (found == by_name_.end() || state_[found->second] == kDone) continue;
      if (state_[found->second] == kNew) {
        open(found->second);
        continue;
      }
      const auto [diag, what] = CycleOf(sources_[found->second]);
      auto& error =
          sink_.Report(diag, need.range, fmt::format("{} '{}' depends on itself", what, need.text));
      bool inside = false;
      for (const Frame& f : stack) {
        inside = inside || f.node == found->second;
        const ast::Name& name = NameOf(sources_[f.node]);
        if (inside) error.WithNote(name.range, fmt::format("through '{}'", name.text));
      }
    }
  }

  const std::vector<Source>& sources_;
  DiagnosticSink& sink_;
  std::vector<State> state_;
  std::vector<Source> sorted_;
  std::map<std::string, std::size_t, std::less<>> by_name_;
};

template <typename Source>
void DropRedefinitions(std::vector<Source>& sources, Diag diag, std::string_view what,
                       DiagnosticSink& sink) {
  std::map<std::string, SourceRange> first;
  std::erase_if(sources, [&](const Source& source) {
    const ast::Name& name = NameOf(source);
    const auto [at, fresh] = first.emplace(name.text, name.range);
    if (fresh) return false;
    auto& error =
        sink.Report(diag, name.range, fmt::format("{} '{}' is declared twice", what, name.text));
    const SourceRange here = name.range;
    error.WithNote(at->second, at->second == here ? "the file is included twice" : "declared here");
    return true;
  });
}

std::vector<std::string> Keys(const auto& map) {
  std::vector<std::string> keys;
  for (const auto& [name, index] : map) keys.push_back(name);
  return keys;
}

// Externs share the names of choices: all of them stand in conditions.
void DeclareExterns(const std::vector<const ast::ExternDecl*>& externals, Resolution& r) {
  for (const ast::ExternDecl* external : externals) {
    const ast::Name& name = external->name;
    const SourceRange here = name.range;
    std::optional<SourceRange> first;
    if (const auto choice = r.choice_by_name.find(name.text); choice != r.choice_by_name.end()) {
      first = r.choice(choice->second).range;
    } else if (const auto let = r.let_by_name.find(name.text); let != r.let_by_name.end()) {
      first = r.lets[let->second].decl->name.range;
    } else if (const auto other = r.external_by_name.find(name.text);
               other != r.external_by_name.end()) {
      first = r.extern_sources[static_cast<std::size_t>(other->second)]->name.range;
    }
    if (first) {
      r.sink
          .Report(Diag::kRepeatedChoice, name.range,
                  fmt::format("'{}' is declared twice", name.text))
          .WithNote(*first, *first == here ? "the file is included twice" : "declared here");
      continue;
    }
    r.external_by_name.emplace(name.text, static_cast<int>(r.extern_sources.size()));
    r.extern_sources.push_back(external);
    r.spec.externals.emplace_back();
    r.spec.externals.back().name = name.text;
    r.spec.externals.back().range = name.range;
  }
}

}  // namespace

void DeclareNames(const ast::File& file, Resolution& r) {
  std::vector<SetSource> sets;
  std::vector<ChoiceSource> choices;
  std::vector<const ast::ExternDecl*> externals;
  for (const ast::Statement& statement : file.statements) {
    if (const auto* set = std::get_if<ast::SetDecl>(&statement)) {
      sets.emplace_back(set);
    } else if (const auto* quotient = std::get_if<ast::QuotientDecl>(&statement)) {
      sets.emplace_back(quotient);
      choices.emplace_back(quotient);
    } else if (const auto* choice = std::get_if<ast::EnumDecl>(&statement)) {
      choices.emplace_back(choice);
    } else if (const auto* integer = std::get_if<ast::IntegerDecl>(&statement)) {
      choices.emplace_back(integer);
    } else if (const auto* counter = std::get_if<ast::CounterDecl>(&statement)) {
      choices.emplace_back(counter);
    } else if (const auto* let = std::get_if<ast::LetDecl>(&statement)) {
      choices.emplace_back(let);
    } else if (const auto* external = std::get_if<ast::ExternDecl>(&statement)) {
      externals.push_back(external);
    } else if (const auto* broken = std::get_if<ast::BrokenDecl>(&statement)) {
      for (const ast::Name& name : broken->declares) r.broken.insert(name.text);
    }
  }
  DropRedefinitions(sets, Diag::kRepeatedSet, "set", r.sink);
  DropRedefinitions(choices, Diag::kRepeatedChoice, "choice", r.sink);
  r.set_sources = Sorter<SetSource>(sets, r.sink).Sort();
  r.choice_sources = Sorter<ChoiceSource>(choices, r.sink).Sort();
  for (const SetSource& source : r.set_sources) {
    Set& set = r.spec.sets.emplace_back();
    set.name = NameOf(source).text;
    set.range = NameOf(source).range;
    r.set_by_name.emplace(set.name, static_cast<SetIndex>(r.spec.sets.size()) - 1);
  }
  for (const ChoiceSource& source : r.choice_sources) {
    if (const auto* const* let = std::get_if<const ast::LetDecl*>(&source)) {
      r.let_by_name.emplace((*let)->name.text, r.lets.size());
      r.lets.push_back({*let, {}, {}, {}, false});
    }
  }
  std::erase_if(r.choice_sources, [](const ChoiceSource& source) {
    return std::holds_alternative<const ast::LetDecl*>(source);
  });
  for (const ChoiceSource& source : r.choice_sources) {
    Choice& choice = r.spec.choices.emplace_back();
    choice.name = NameOf(source).text;
    choice.range = NameOf(source).range;
    r.choice_by_name.emplace(choice.name, static_cast<ChoiceIndex>(r.spec.choices.size()) - 1);
  }
  DeclareExterns(externals, r);
}

SetIndex FindSet(const ast::Name& name, Resolution& r) {
  const auto found = r.set_by_name.find(name.text);
  if (found != r.set_by_name.end()) {
    r.Use(name.range, r.set(found->second).range);
    return found->second;
  }
  if (!r.broken.contains(name.text)) {
    r.sink.Report(
        Diag::kUnknownSet, name.range,
        fmt::format("unknown set '{}'{}", name.text, DidYouMean(name.text, Keys(r.set_by_name))));
  }
  return -1;
}

ChoiceIndex FindChoice(const ast::Name& name, Resolution& r) {
  const auto found = r.choice_by_name.find(name.text);
  if (found != r.choice_by_name.end()) {
    r.Use(name.range, r.choice(found->second).range);
    return found->second;
  }
  if (r.let_by_name.contains(name.text) || r.external_by_name.contains(name.text)) {
    r.sink.Report(
        Diag::kNothingToTest, name.range,
        fmt::format("'{}' is no choice: it has no values to test or to count", name.text));
  } else if (!r.broken.contains(name.text)) {
    constexpr int kMostStrange = 3;
    const std::string meant = DidYouMean(name.text, Keys(r.choice_by_name));
    if (meant.empty() && ++r.strange_choices > kMostStrange) return -1;
    const bool is_last = meant.empty() && r.strange_choices == kMostStrange;
    r.sink.Report(Diag::kUnknownChoice, name.range,
                  fmt::format("unknown choice '{}'{}", name.text,
                              is_last ? ", as others before: is an include missing?" : meant));
  }
  return -1;
}

bool IsSubset(SetIndex inner, SetIndex outer, const Resolution& r) {
  if (inner < 0 || outer < 0) return true;
  while (inner != outer) {
    const auto& superset = r.set(inner).superset;
    if (!superset) return false;
    if (superset->set < 0) return true;  // The chain is broken and that is reported.
    inner = superset->set;
  }
  return true;
}

std::string CleanDoc(const std::string& doc) {
  std::string clean;
  for (const char c : doc) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank) {
      clean += c;
    } else if (!clean.empty() && clean.back() != ' ') {
      clean += ' ';
    }
  }
  while (!clean.empty() && clean.back() == ' ') clean.pop_back();
  return clean;
}

}  // namespace exh::dsl
