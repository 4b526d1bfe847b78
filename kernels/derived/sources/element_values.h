// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text_writer.h"
#include "kernels/derived/expression.h"
#include "kernels/derived/sources/error_squares.h"
#include "kernels/derived/sources/loop_nest.h"
#include "kernels/derived/sources/op_text.h"
#include "kernels/derived/sources/source_names.h"
#include "kernels/ir/function.h"

namespace exh::kernels::derived {

/// A value as C++ in double precision, and its errors.
struct ElementValue {
  Piece piece;
  ErrorSquares errors;
  std::optional<double> literal;  ///< It is a literal with this value.
  /// What the piece is: kName is one; kShort, such as `double(alpha)`, may stand there twice, too.
  enum class Form : std::uint8_t { kOther, kShort, kName } form = Form::kOther;
};

/// A text that computes values with their errors. What has to have a name gets it in a line in
/// front of the one that reads it first, and keeps it to the end of the scope.
class ElementValues : public TextWriter {
 public:
  explicit ElementValues(const ir::Function& function);

  const Expression& expression() const { return e_; }
  const LoopNest& nest() const { return nest_; }
  SourceNames& names() { return names_; }
  const Roundings& roundings(int node) const { return roundings_[static_cast<std::size_t>(node)]; }

  /// Variables of a node's value; an array of it has the name of the node.
  struct Variables {
    std::string value;
    std::string squares;  ///< Of a sum: of the squares of its terms, and of what it begins with.
    /// Of a reduction or a scan: E but for multiples of `squares` and of value^2.
    std::string errors;
    std::string kept_errors;  ///< The array of E.
  };
  const Variables& variables(int node) const { return variables_[static_cast<std::size_t>(node)]; }

  /// `text {`, and a scope of names that ends with the brace.
  void OpenScope(const std::string& text);
  void CloseScope();

  /// The value of a node, or a number, where it is read in this block.
  ElementValue ValueOf(const Expression::Input& input, int block);
  ElementValue ValueOf(int node, int block);
  /// By what it is made of, even if it has a name or a place already.
  ElementValue Computed(int node, int block);
  /// That of a reduction or a scan, as far as it has come.
  ElementValue SumOf(int node) const;

  /// What is known of the terms of a reduction; SumOf() has the multiple of their own squares with
  /// `squares`.
  Roundings TermOf(const Expression::Node& reduction) const;
  bool BeginsWithZero(const Expression::Node& reduction) const;
  /// How often a reduction's errors have the square of its value: 0 of integers.
  double AdditionsOf(const Expression::Node& reduction) const;
  /// How often they have the squares of its terms.
  double SquaresOf(const Expression::Node& reduction) const;
  /// Needs a reduction the variable `errors`?
  bool HasErrors(int reduction) const;

  /// Gives a value that is no name one, here.
  void Name(ElementValue& value, const std::string& wanted);
  /// a^2 E_b + b^2 E_a; whichever the text has twice gets a name.
  ErrorSquares ProductErrors(ElementValue& a, ElementValue& b);

 private:
  std::string StepsText(const Expression::Node& scan) const;
  Piece Loaded(const Expression::Node& load, int block);
  void NameLongErrors(int node, ElementValue& value);
  ElementValue Rounded(int node, const Piece& piece, ErrorSquares errors);
  ErrorSquares LargerErrors(int node, const std::vector<ElementValue>& inputs);
  ErrorSquares QuotientErrors(const std::string& quotient,
                              const std::vector<ElementValue>& inputs) const;
  ElementValue Chosen(ir::Op op, std::vector<ElementValue>& inputs);

  const Expression e_;
  const LoopNest nest_;
  const std::vector<Roundings> roundings_;
  SourceNames names_;
  std::vector<Variables> variables_;                 ///< By node.
  std::vector<std::map<int, ElementValue>> scopes_;  ///< What has a name, by node.
};

/// A reduction that is not a sum, but one of its terms.
bool Chooses(const Expression::Node& reduction);

/// `x * x`
std::string Squared(const std::string& name);

}  // namespace exh::kernels::derived
