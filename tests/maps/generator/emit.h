// SPDX-License-Identifier: MIT
//
// What the emitters share: names, and loops over bindings of variables.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "generator/code_writer.h"
#include "tests/maps/generator/plan.h"

namespace exh::generator {

const MapsChoice& ChoiceAt(const MapsPlan& plan, int choice);
/// "std::uint8_t": an entry of the store.
std::string EntryType(const MapsChoice& choice);
int EntryBytes(const MapsChoice& choice);
/// "v0, v2".
std::string Names(const std::vector<int>& variables);
/// "GetOrder(e, v0, v2)".
std::string CallOn(const MapsPlan& plan, const char* prefix, const MapsUse& use);
MapsUse UseOf(const dsl::Instance& instance);
/// "v0", "v1", … up to `count`, as parameters.
std::vector<std::string> ObjectParameters(std::size_t count);
/// 0, 1, … count - 1.
std::vector<int> FirstNumbers(std::size_t count);
/// "{{1, -1}, {4, 0}}".
std::string VariablesText(const std::vector<MapsVariable>& variables);

/// Prints loops that complete a binding, with tests of membership and distinctness.
class MapsLoops {
 public:
  /// `skip`: the statement that leaves the function when the binding is none.
  MapsLoops(CodeWriter& out, const MapsPlan& plan, const std::vector<MapsVariable>& variables,
            std::string skip)
      : out_(out), plan_(plan), variables_(variables), skip_(std::move(skip)) {}
  /// The objects of a decision of `choice` are these variables; prints the tests that remain.
  void BindDecision(const MapsChoice& choice, const std::vector<int>& arguments);
  /// The variable has a value that agrees with its set.
  void Bind(int variable);
  /// A loop over the variable, unless it has a value.
  void Enumerate(int variable);
  bool IsBound(int variable) const { return (bound_ >> variable & 1) != 0; }
  /// Prints `if (condition) continue;`, or what leaves the function.
  void SkipIf(const std::string& condition);
  void Close() { scopes_.clear(); }

 private:
  struct Fact {
    int set = -1;
    int parameter = -1;
  };
  bool Implied(int variable, int set, int parameter) const;
  bool MayBeSame(int a, int b) const;
  void Test(int variable, bool own_set_known, int known_user);

  CodeWriter& out_;
  const MapsPlan& plan_;
  const std::vector<MapsVariable>& variables_;
  std::string skip_;
  std::uint32_t bound_ = 0;
  std::vector<std::pair<int, Fact>> facts_;
  struct Stack : std::vector<std::unique_ptr<CodeWriter::Scope>> {
    void clear() {
      while (!empty()) pop_back();
    }
    ~Stack() { clear(); }
  } scopes_;
};

void EmitMapsAccess(CodeWriter& out, const MapsPlan& plan);
void EmitMapsFilters(CodeWriter& out, const MapsPlan& plan);
void EmitMapsCounters(CodeWriter& out, const MapsPlan& plan);
void EmitMapsTriggers(CodeWriter& out, const MapsPlan& plan);
void EmitMapsChanges(CodeWriter& out, const MapsPlan& plan);
void EmitMapsModel(CodeWriter& out, const MapsPlan& plan);
/// "BoundNumThreads" is declared for every counter.
void DeclareMapsBounds(CodeWriter& out, const MapsPlan& plan);
/// One term of a clause: some values of the decisions named `d0`, `d1`, … satisfy it.
std::string MapsMayHold(const MapsPlan& plan, const MapsFilter& filter, const MapsTerm& term);
/// "e.Test(3, {v0, v1})", "e.Numbers(…)".
std::string CodeCall(const char* function, int code, const std::vector<int>& scope);

}  // namespace exh::generator
