// SPDX-License-Identifier: MIT
//
// Elaborator: unfolds a program into nodes. Functions are values here and are gone afterwards: to
// apply one is to look at its body with the arguments in scope, so each use has types of its own.
// A value that writes memory and is bound to a name becomes a `let`, so that it stands in the
// result once; a view is put where its name stands.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dsl/diagnostics/diagnostic.h"
#include "functional/meaning/elaborate.h"
#include "functional/meaning/program.h"
#include "functional/syntax/ast.h"

namespace exh::functional {

struct ElaboratedFunction;
using FunctionPtr = std::shared_ptr<const ElaboratedFunction>;

/// What an expression stands for.
struct ElaboratedValue {
  enum class Kind : std::uint8_t { kNone, kNumber, kData, kFunction, kTuple };
  Kind kind = Kind::kNone;  ///< kNone: a mistake was reported.
  Term number;
  NodePtr data;
  FunctionPtr function;
  std::vector<ElaboratedValue> items;  ///< kTuple: two or more.
};

struct Scope;
using ScopePtr = std::shared_ptr<const Scope>;
struct Scope {
  std::string name;
  ElaboratedValue value;
  ScopePtr outer;
};

struct ElaboratedFunction {
  enum class Kind : std::uint8_t { kLambda, kBuiltIn, kUser, kTo };
  Kind kind = Kind::kLambda;
  std::string name;   ///< kBuiltIn; kUser; kLambda: of a def, or empty.
  std::string label;  ///< kBuiltIn: of a map.
  const std::vector<Pattern>* patterns = nullptr;  ///< kLambda.
  const Expr* body = nullptr;                      ///< kLambda.
  ScopePtr scope;                                  ///< kLambda.
  int statement = -1;                              ///< Of a def: what it may use stands before it.
  const Statement* user = nullptr;                 ///< kUser.
  MemorySpace space = MemorySpace::kGlobal;        ///< kTo.
  FunctionPtr inner;                               ///< kTo.
};

/// Whether a requirement holds whatever the parameters are; nothing: it depends.
std::optional<bool> IsCertain(const Terms& terms, const ProgramRequirement& requirement);

class Elaborator {
 public:
  Elaborator(const File& file, const Given& given, dsl::DiagnosticSink& sink);
  std::unique_ptr<Program> Run();

 private:
  // ---- Statements (elaborate.cc).
  void Declare();
  void Look(const Statement& statement);
  void LookAtParameter(const Statement& statement);
  void LookAtKernel(const Statement& statement);
  void LookAtLimit(const Statement& statement);
  std::optional<std::int64_t> NumberOf(const Expr& expr, const char* what);
  std::optional<std::int64_t> GivenFor(const std::string& name) const;
  TypePtr TypeOf(const TypeExpr& type);

  // ---- Expressions (expressions.cc).
  ElaboratedValue Look(const Expr& expr, const ScopePtr& scope);
  ElaboratedValue LookUp(const Expr& name, const ScopePtr& scope);
  ElaboratedValue LookAtLet(const Expr& let, const ScopePtr& scope);
  ElaboratedValue LookAtCall(const Expr& call, const ScopePtr& scope);
  ElaboratedValue Calculate(const std::string& op, const ElaboratedValue& a,
                            const ElaboratedValue& b, const Expr& expr);
  ElaboratedValue Apply(const FunctionPtr& function, std::vector<ElaboratedValue> arguments,
                        const Expr& call);
  ElaboratedValue ApplyLambda(const ElaboratedFunction& lambda,
                              std::vector<ElaboratedValue> arguments, const Expr& call);
  ElaboratedValue ApplyUser(const ElaboratedFunction& user,
                            const std::vector<ElaboratedValue>& arguments, const Expr& call);
  /// Values that write and get names go to `lets`. False: a mistake was reported.
  bool Bind(const Pattern& pattern, const ElaboratedValue& value, ScopePtr& scope,
            std::vector<NodePtr>& lets);
  ElaboratedValue Within(ElaboratedValue body, const std::vector<NodePtr>& lets,
                         dsl::SourceRange range);

  // ---- The words of the language (patterns.cc).
  ElaboratedValue ApplyBuiltIn(const ElaboratedFunction& word,
                               std::vector<ElaboratedValue>& arguments, const Expr& call);
  ElaboratedValue ApplyTo(MemorySpace space, std::vector<ElaboratedValue>& arguments,
                          const Expr& call);
  ElaboratedValue Map(const ElaboratedFunction& word, std::vector<ElaboratedValue>& arguments,
                      const Expr& call);
  ElaboratedValue Reduce(std::vector<ElaboratedValue>& arguments, const Expr& call);
  ElaboratedValue Zip(const std::vector<ElaboratedValue>& arguments, const Expr& call);
  ElaboratedValue Split(const std::vector<ElaboratedValue>& arguments, const Expr& call);
  ElaboratedValue Join(const std::vector<ElaboratedValue>& arguments, const Expr& call);
  ElaboratedValue Slide(const std::vector<ElaboratedValue>& arguments, bool strict,
                        const Expr& call);
  ElaboratedValue Transpose(const std::vector<ElaboratedValue>& arguments, const Expr& call);
  ElaboratedValue Pad(const std::vector<ElaboratedValue>& arguments, const Expr& call);
  ElaboratedValue Reorder(const std::vector<ElaboratedValue>& arguments, const Expr& call);
  ElaboratedValue AsVector(const std::vector<ElaboratedValue>& arguments, const Expr& call);
  ElaboratedValue AsScalar(const std::vector<ElaboratedValue>& arguments, const Expr& call);
  ElaboratedValue Fill(const std::vector<ElaboratedValue>& arguments, const Expr& call);
  ElaboratedValue Dot(const std::vector<ElaboratedValue>& arguments, const Expr& call);
  ElaboratedValue User(const std::string& name, const std::vector<ElaboratedValue>& arguments,
                       const Expr& call);

  // ---- What all of them use (support.cc).
  ElaboratedValue Fail(dsl::Diag diag, dsl::SourceRange range, const std::string& message);
  ElaboratedValue NumberValue(Term term, dsl::SourceRange range);
  ElaboratedValue DataValue(NodePtr node) const;
  std::string TextOf(const ElaboratedValue& value) const;
  std::string TypeText(const DataType& type) const { return functional::TextOf(type, terms_); }
  NodePtr DataOf(const ElaboratedValue& value, dsl::SourceRange range);
  /// Null when it is no array: reported.
  NodePtr ArrayOf(const ElaboratedValue& value, const Expr& call);
  std::optional<Term> TermOf(const ElaboratedValue& value, const Expr& call, const char* what);
  NodePtr ItemOf(const NodePtr& tuple, int item) const;
  NodePtr View(const char* name, std::vector<NodePtr> inputs, TypePtr type, Spaces spaces,
               const Expr& call) const;
  TypePtr ArrayType(TypePtr element, Term length) const;
  /// What the elements of an array, or a view of it, lie in.
  bool AreSame(const DataType& a, const DataType& b, const char* what, dsl::SourceRange range);
  bool AreSame(const Term& a, const Term& b, const std::string& what, dsl::SourceRange range);
  /// False: it never holds, which is reported.
  bool Require(ProgramRequirement requirement, dsl::Diag diag);
  bool AtLeast(const Term& a, std::int64_t least, const char* what, const Expr& call);
  /// What writes the value writes it to `space`. False: nothing in it writes.
  static bool Retarget(const NodePtr& node, MemorySpace space);
  static void SetAll(Spaces& spaces, MemorySpace space);

  struct Global {
    enum class Kind : std::uint8_t { kSize, kParameter, kLimit, kDef, kUser, kData };
    Kind kind = Kind::kSize;
    int statement = 0;
    bool is_known = false;  ///< It stands above what is being looked at.
    ElaboratedValue value;
  };

  const File& file_;
  const Given& given_;
  dsl::DiagnosticSink& sink_;
  std::unique_ptr<Program> program_;
  Terms& terms_;
  std::map<std::string, Global> globals_;
  std::vector<dsl::SourceRange> calls_;  ///< Of defs and lambdas, from the outside.
  int now_ = 0;                          ///< The statement that is being looked at.
  int in_def_ = -1;                      ///< The def that is being unfolded.
  int depth_ = 0;
  int applied_ = 0, maps_ = 0;
  bool too_large_ = false;
  std::string word_;  ///< The function of the language that is being applied.
};

}  // namespace exh::functional
