// SPDX-License-Identifier: MIT
//
// Expressions that calculate with whole parameters, as terms of `.exh`. Inside they are fractions:
// the language allows no `/` within `div`, `%` and what `/` divides by, so a denominator stays
// beside its numerator until the comparison. (a / b) % (c / d) is (a * d) % (c * b) / (b * d).
#pragma once

#include <string>
#include <vector>

#include "search/exchange/python/python_text.h"

namespace exh::search {

struct ParameterChoice;

/// There is no term for it.
class NotExact : public Error {
 public:
  using Error::Error;
};

class ExactTerms {
 public:
  /// `choices` are those of the parameters, and outlive it.
  explicit ExactTerms(const std::vector<ParameterChoice>& choices) : choices_(choices) {}

  /// "a() * 2 div b()", a whole number for all values. Throws NotExact, also where it may divide by
  /// 0.
  std::string TermText(const PythonNode& node);
  /// "a() * 2 <= b()". Throws NotExact.
  std::string ComparisonText(const PythonNode& left, const std::string& op,
                             const PythonNode& right);
  /// What that comparison says for these values; what divides by 0 does not hold. Throws NotExact
  /// when numbers get too large.
  bool Compare(const PythonNode& left, const std::string& op, const PythonNode& right,
               const std::vector<PythonValue>& values) const;

  /// False: something was met that Python rounds, or that may divide by 0.
  bool is_surely_exact() const { return is_surely_exact_; }

 private:
  /// A text with how strongly it is held together: 1 a sum, 2 a product, 3 an atom.
  struct Text {
    std::string text;
    int strength = 3;
  };
  struct FractionText {
    Text up;
    Text down{"1"};
    bool is_whole() const { return down.text == "1"; }
  };
  struct Number {
    __int128 up = 0, down = 1;
  };

  static Text Multiplied(const Text& a, const Text& b);
  static Text Combined(const Text& a, const char* op, const Text& b);
  static Text Quotient(const FractionText& fraction);
  FractionText TextOf(const PythonNode& node);
  FractionText TextOfCalculation(const PythonNode& node);
  FractionText TextOfCall(const PythonNode& node);
  bool IsPositive(const PythonNode& node, bool or_zero = false) const;
  Number NumberOf(const PythonNode& node, const std::vector<PythonValue>& values) const;

  const std::vector<ParameterChoice>& choices_;
  bool is_surely_exact_ = true;
};

}  // namespace exh::search
