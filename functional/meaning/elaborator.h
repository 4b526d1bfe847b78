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

struct Function;
using FunctionPtr = std::shared_ptr<const Function>;

/// What an expression stands for.
struct Value {
  enum class Kind : std::uint8_t { kNone, kNumber, kData, kFunction, kTuple };
  Kind kind = Kind::kNone;  ///< kNone: a mistake was reported.
  Term number;
  NodePtr data;
  FunctionPtr function;
  std::vector<Value> items;  ///< kTuple: two or more.
};

struct Scope;
using ScopePtr = std::shared_ptr<const Scope>;
struct Scope {
  std::string name;
  Value value;
  ScopePtr outer;
};

struct Function {
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
std::optional<bool> IsCertain(const Terms& terms, const Requirement& requirement);

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
  Value Look(const Expr& expr, const ScopePtr& scope);
  Value LookUp(const Expr& name, const ScopePtr& scope);
  Value LookAtLet(const Expr& let, const ScopePtr& scope);
  Value LookAtCall(const Expr& call, const ScopePtr& scope);
  Value Calculate(const std::string& op, const Value& a, const Value& b, const Expr& expr);
  Value Apply(const FunctionPtr& function, std::vector<Value> arguments, const Expr& call);
  Value ApplyLambda(const Function& lambda, std::vector<Value> arguments, const Expr& call);
  Value ApplyUser(const Function& user, const std::vector<Value>& arguments, const Expr& call);
  /// Values that write and get names go to `lets`. False: a mistake was reported.
  bool Bind(const Pattern& pattern, const Value& value, ScopePtr& scope,
            std::vector<NodePtr>& lets);
  Value Within(Value body, const std::vector<NodePtr>& lets, dsl::SourceRange range);

  // ---- The words of the language (patterns.cc).
  Value ApplyBuiltIn(const Function& word, std::vector<Value>& arguments, const Expr& call);
  Value ApplyTo(MemorySpace space, std::vector<Value>& arguments, const Expr& call);
  Value Map(const Function& word, std::vector<Value>& arguments, const Expr& call);
  Value Reduce(std::vector<Value>& arguments, const Expr& call);
  Value Zip(const std::vector<Value>& arguments, const Expr& call);
  Value Split(const std::vector<Value>& arguments, const Expr& call);
  Value Join(const std::vector<Value>& arguments, const Expr& call);
  Value Slide(const std::vector<Value>& arguments, bool strict, const Expr& call);
  Value Transpose(const std::vector<Value>& arguments, const Expr& call);
  Value Pad(const std::vector<Value>& arguments, const Expr& call);
  Value Reorder(const std::vector<Value>& arguments, const Expr& call);
  Value AsVector(const std::vector<Value>& arguments, const Expr& call);
  Value AsScalar(const std::vector<Value>& arguments, const Expr& call);
  Value Fill(const std::vector<Value>& arguments, const Expr& call);
  Value Dot(const std::vector<Value>& arguments, const Expr& call);
  Value User(const std::string& name, const std::vector<Value>& arguments, const Expr& call);

  // ---- What all of them use (support.cc).
  Value Fail(dsl::Diag diag, dsl::SourceRange range, const std::string& message);
  Value NumberValue(Term term, dsl::SourceRange range);
  Value DataValue(NodePtr node) const;
  std::string TextOf(const Value& value) const;
  std::string TypeText(const Type& type) const { return functional::TextOf(type, terms_); }
  NodePtr DataOf(const Value& value, dsl::SourceRange range);
  /// Null when it is no array: reported.
  NodePtr ArrayOf(const Value& value, const Expr& call);
  std::optional<Term> TermOf(const Value& value, const Expr& call, const char* what);
  NodePtr ItemOf(const NodePtr& tuple, int item) const;
  NodePtr View(const char* name, std::vector<NodePtr> inputs, TypePtr type, Spaces spaces,
               const Expr& call) const;
  TypePtr ArrayType(TypePtr element, Term length) const;
  /// What the elements of an array, or a view of it, lie in.
  bool AreSame(const Type& a, const Type& b, const char* what, dsl::SourceRange range);
  bool AreSame(const Term& a, const Term& b, const std::string& what, dsl::SourceRange range);
  /// False: it never holds, which is reported.
  bool Require(Requirement requirement, dsl::Diag diag);
  bool AtLeast(const Term& a, std::int64_t least, const char* what, const Expr& call);
  /// What writes the value writes it to `space`. False: nothing in it writes.
  static bool Retarget(const NodePtr& node, MemorySpace space);
  static void SetAll(Spaces& spaces, MemorySpace space);

  struct Global {
    enum class Kind : std::uint8_t { kSize, kParameter, kLimit, kDef, kUser, kData };
    Kind kind = Kind::kSize;
    int statement = 0;
    bool is_known = false;  ///< It stands above what is being looked at.
    Value value;
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
