// SPDX-License-Identifier: MIT
//
// A kernel's text as plain data: what is written, before any name is looked up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dsl/source_range.h"

namespace exh::kernels::notation {

using dsl::SourceRange;

struct Name {
  std::string text;
  SourceRange range;
};

/// An expression, of numbers or of elements: the place says which.
struct Expr {
  enum class Kind : std::uint8_t {
    kNumber,  ///< `number`; `integer` when it is a whole one; `text` is "inf" when it is that.
    kName,    ///< `text`: a size, an option, a scalar, an index, a value without axes.
    kRead,    ///< `text`[args]: an array or a value.
    kCall,    ///< `text`(args): a function, or an operator: "+", "<", "and", "?" (with three args).
    kCast,    ///< cast(`type`, args[0]).
    kReduce,  ///< `text`(indices: `type`) args[0]: "sum"; or a scan, see `until`.
  };
  Kind kind = Kind::kNumber;
  SourceRange range;
  std::string text;
  double number = 0;
  std::optional<std::int64_t> integer;
  std::vector<Expr> args;
  std::vector<Name> indices;  ///< kReduce.
  /// kReduce that is a scan, scan(`text`, indices[0] `comparison` `until`) args[0]: up to which
  /// step of an index around it, and which one; empty text: it is none.
  Name until;
  std::string comparison;
  Name type;  ///< kCast, kReduce, and where it has no place; empty text: not said.

  bool is_scan() const { return !until.text.empty(); }
  /// Of a scan: does it run from the last step down?
  bool runs_down() const { return comparison.starts_with('>'); }
};

/// `size m = 512 in 1..4096`, `option relu = 0 in 0..1`, `option op = max in (sum, max)`.
struct SizeDecl {
  Name name;
  bool is_option = false;
  std::optional<std::int64_t> default_value, min, max;
  std::vector<Name> words;  ///< Of an option: its values 0, 1, … by name.
  Name default_word;        ///< Empty text: not said.
  std::string doc;
};

/// `scalar alpha: f32 = 1.5`.
struct ScalarDecl {
  Name name;
  Name type;  ///< Empty text: not said.
  double value = 0;
  std::optional<std::int64_t> integer;  ///< When it is a whole one.
};

/// `input a: f32[m, k] strides (k, 1) outside zero aligned 4`.
struct ArrayDecl {
  bool is_output = false;
  Name name;
  Expr type;  ///< A name, or `c ? a : b` of types.
  std::vector<Expr> extents;
  std::vector<Expr> strides;  ///< Empty: row-major.
  /// What is read outside: `never` or nothing, which is the same; `zero`; a number.
  std::optional<Expr> outside;
  std::optional<Expr> aligned;  ///< Bytes; nothing: what device memory has by itself.
  std::string doc;
};

/// `require n % 4 == 0`: sizes and options for which it is not so are refused.
struct SizeRequirement {
  Expr condition;
  std::string doc;  ///< Why.
};

/// `tile i, j: 32, 16`: the largest sizes of tile levels, outermost first.
struct TileHint {
  std::vector<Name> indices;
  std::vector<Expr> largest;
};

/// `c[i, j] = sum(p) a[i, p] * b[p, j]`: an output's elements, or a value with a name.
struct Statement {
  Name target;
  Name type;  ///< Empty text: not said.
  std::vector<Expr> indices;
  Expr value;
  SourceRange range;
};

struct Kernel {
  Name name;
  std::string doc;  ///< One line for lists.
  std::vector<SizeDecl> sizes;
  std::vector<ScalarDecl> scalars;
  std::vector<ArrayDecl> arrays;
  std::vector<SizeRequirement> requirements;
  std::vector<Statement> statements;
  std::vector<TileHint> tiles;
  SourceRange end;  ///< Of the text.
};

}  // namespace exh::kernels::notation
