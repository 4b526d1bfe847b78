// SPDX-License-Identifier: MIT
//
// A functional program as plain data: what is written, with places and without meaning.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dsl/source_range.h"

namespace exh::functional {

struct Name {
  std::string text;
  dsl::SourceRange range;
};

/// What a value is bound to: a name, or a tuple taken apart.
struct Pattern {
  std::string name;            ///< Of a name.
  std::vector<Pattern> items;  ///< Of a tuple: two or more.
  dsl::SourceRange range;
  bool is_tuple() const { return !items.empty(); }
};

/// Expressions are at most this deep, and so is the recursion of whoever looks at them.
inline constexpr int kMaxDepth = 200;

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct Expr {
  enum class Kind : std::uint8_t {
    kNumber,  ///< `3`.
    kReal,    ///< `0.5`.
    kName,
    kTuple,   ///< `(a, b)`.
    kLambda,  ///< `x -> body`, `(a, (b, c)) -> body`: `patterns`, `items[0]`.
    kLet,     ///< `let p = a in b`: `patterns[0]`, `items[0]`, `items[1]`.
    kCall,    ///< `f(a, b)`: `items[0]` is the function.
    kBinary,  ///< `a + b`: `text` is the operator.
    kNegate,
  };
  Kind kind = Kind::kNumber;
  std::int64_t number = 0;
  std::string text;   ///< A name, an operator, a real as written.
  std::string label;  ///< kName: what stands after `@`.
  std::vector<ExprPtr> items;
  std::vector<Pattern> patterns;
  dsl::SourceRange range;  ///< Of the whole.
  dsl::SourceRange head;   ///< Where a caret points: operator, function, name.
  int depth = 1;
};

struct TypeExpr;
using TypeExprPtr = std::shared_ptr<const TypeExpr>;

struct TypeExpr {
  enum class Kind : std::uint8_t { kScalar, kVector, kArray, kTuple };
  Kind kind = Kind::kScalar;
  std::string name;  ///< kScalar: `float`.
  std::vector<TypeExprPtr> items;
  ExprPtr length;  ///< kArray, kVector.
  dsl::SourceRange range;
};

/// `first`, or `first .. last`.
struct NumberRange {
  ExprPtr first, last;  ///< The second may be null.
};

struct Statement {
  enum class Kind : std::uint8_t {
    kSize,     ///< `size name = number`.
    kParam,    ///< `param name`, `param name in 1 .. 8 | 16`.
    kLimit,    ///< `limit word = number`.
    kRequire,  ///< `require label: a <= b`.
    kDef,      ///< `def name = body`, `def name(p, q) = body`.
    kUser,     ///< `user name(float, float): float`.
    kInput,    ///< `input name: type`.
    kKernel,   ///< `kernel name = body`, `kernel name: type = body`.
  };
  Kind kind = Kind::kSize;
  Name name;
  ExprPtr value;                    ///< kSize, kLimit, kDef, kKernel; kRequire: the left side.
  ExprPtr right;                    ///< kRequire.
  std::string op;                   ///< kRequire: `<=` and the like.
  std::vector<NumberRange> ranges;  ///< kParam.
  bool has_parameters = false;      ///< kDef.
  std::vector<Pattern> parameters;  ///< kDef.
  std::vector<TypeExprPtr> types;   ///< kUser: of the arguments.
  TypeExprPtr type;                 ///< kInput; kKernel: or null; kUser: of the result.
  dsl::SourceRange range;
};

struct File {
  std::uint32_t file = 0;
  std::vector<Statement> statements;
};

}  // namespace exh::functional
