// SPDX-License-Identifier: MIT
//
// Random terms: what the two forms say is what calculating says. Terms that are called equal have
// equal values, bounds hold, and the text means the term.
#include "functional/terms/terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace exh::functional {
namespace {

using Values = std::map<std::string, std::int64_t>;

/// A term, calculated in another way: by the operations that made it.
struct Made {
  Term term;
  std::vector<std::optional<std::int64_t>> values;  ///< By sample.
};

class RandomTerms {
 public:
  explicit RandomTerms(std::uint32_t seed) : random_(seed) {
    for (const char* name : {"a", "b", "c"}) {
      Made parameter{terms.Parameter(name), {}};
      terms.SetBounds(name, {1, 12});
      for (Values& sample : samples) {
        sample[name] = std::uniform_int_distribution<std::int64_t>(1, 12)(random_);
        parameter.values.emplace_back(sample[name]);
      }
      all.push_back(parameter);
    }
    for (const std::int64_t number : {1, 2, 3, 6}) {
      all.push_back(
          {Terms::Number(number), std::vector<std::optional<std::int64_t>>(kSamples, number)});
    }
  }

  void Add() {
    const Made left = Any(), right = Any();
    Made made;
    const int op = std::uniform_int_distribution<int>(0, 7)(random_);
    switch (op) {
      case 0:
        made.term = terms.Add(left.term, right.term);
        break;
      case 1:
        made.term = terms.Subtract(left.term, right.term);
        break;
      case 2:
      case 3:
        made.term = terms.Multiply(left.term, right.term);
        break;
      case 4:
        if (right.term.AsNumber() == 0) return;
        made.term = terms.Divide(left.term, right.term);
        break;
      default:
        made.term = terms.Apply(op == 5   ? TermFactor::Op::kDiv
                                : op == 6 ? TermFactor::Op::kMin
                                          : TermFactor::Op::kMod,
                                left.term, right.term);
    }
    if (made.term.is_bad()) return;
    for (std::size_t i = 0; i < kSamples; ++i) {
      made.values.push_back(Calculated(op, left.values[i], right.values[i]));
    }
    all.push_back(std::move(made));
  }

  static constexpr std::size_t kSamples = 40;
  Terms terms;
  std::vector<Values> samples = std::vector<Values>(kSamples);
  std::vector<Made> all;

 private:
  const Made& Any() {
    return all[std::uniform_int_distribution<std::size_t>(0, all.size() - 1)(random_)];
  }

  static std::optional<std::int64_t> Calculated(int op, std::optional<std::int64_t> a,
                                                std::optional<std::int64_t> b) {
    if (!a || !b || std::abs(*a) > 1'000'000 || std::abs(*b) > 1'000'000) return std::nullopt;
    if (op == 0) return *a + *b;
    if (op == 1) return *a - *b;
    if (op <= 3) return *a * *b;
    if (op == 6) return std::min(*a, *b);
    if (*b == 0) return std::nullopt;
    const std::int64_t floor = *a / *b - (*a % *b != 0 && (*a < 0) != (*b < 0) ? 1 : 0);
    if (op == 4) return *a % *b == 0 ? std::optional(floor) : std::nullopt;
    return op == 5 ? floor : *a - *b * floor;
  }

  std::mt19937 random_;
};

TEST(Terms, SayWhatCalculatingSays) {
  int equal = 0, exact = 0, bounded = 0;
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    RandomTerms made(seed);
    for (int i = 0; i < 12; ++i) made.Add();
    for (const Made& each : made.all) {
      const Bounds bounds = made.terms.BoundsOf(each.term);
      for (std::size_t i = 0; i < RandomTerms::kSamples; ++i) {
        // Where the plain calculation has a value the term has it. It may have one where that has
        // none: (a / b) * b is a.
        if (!each.values[i]) continue;
        const auto value = made.terms.Evaluate(each.term, made.samples[i]);
        ASSERT_TRUE(value) << seed << ": " << made.terms.Text(each.term);
        ASSERT_EQ(*value, *each.values[i]) << seed << ": " << made.terms.Text(each.term);
        const double slack = 1e-6 * (1 + std::abs(static_cast<double>(*value)));
        ASSERT_GE(static_cast<double>(*value) + slack, bounds.min) << made.terms.Text(each.term);
        ASSERT_LE(static_cast<double>(*value) - slack, bounds.max) << made.terms.Text(each.term);
        ++exact;
      }
    }
    for (const Made& a : made.all) {
      for (const Made& b : made.all) {
        const bool same = made.terms.IsEqual(a.term, b.term);
        const bool at_most = made.terms.IsAtMost(a.term, b.term);
        const bool above = made.terms.IsAbove(a.term, b.term);
        ASSERT_FALSE(at_most && above);
        equal += same && &a != &b;
        bounded += at_most || above;
        for (std::size_t i = 0; i < RandomTerms::kSamples; ++i) {
          if (!a.values[i] || !b.values[i]) continue;
          const std::string text = made.terms.Text(a.term) + " and " + made.terms.Text(b.term);
          if (same) {
            ASSERT_EQ(*a.values[i], *b.values[i]) << seed << ": " << text;
          }
          if (at_most) {
            ASSERT_LE(*a.values[i], *b.values[i]) << seed << ": " << text;
          }
          if (above) {
            ASSERT_GT(*a.values[i], *b.values[i]) << seed << ": " << text;
          }
        }
      }
    }
  }
  EXPECT_GT(equal, 500);
  EXPECT_GT(exact, 10000);
  EXPECT_GT(bounded, 5000);
}

TEST(Terms, CancelAndAreShort) {
  Terms terms;
  const Term n = terms.Parameter("n"), m = terms.Parameter("m"), two = Terms::Number(2);
  EXPECT_EQ(terms.Text(terms.Multiply(m, terms.Divide(n, m))), "n");
  EXPECT_EQ(terms.Text(terms.Divide(terms.Multiply(n, m), n)), "m");
  const Term square = terms.Multiply(terms.Subtract(n, two), terms.Subtract(n, two));
  EXPECT_EQ(terms.Text(square), "(n - 2) * (n - 2)");
  EXPECT_EQ(terms.Text(terms.Divide(square, m), true), "((n() - 2) * (n() - 2)) div m()");
  // An exact quotient by a sum meets its divisor again, as a factor or in a sum.
  const Term step = terms.Subtract(n, two);
  const Term tiles = terms.Add(terms.Divide(terms.Subtract(m, n), step), Terms::Number(1));
  EXPECT_EQ(terms.Text(terms.Multiply(tiles, step)), "m - 2");
  EXPECT_TRUE(
      terms.IsEqual(terms.Multiply(terms.Multiply(tiles, tiles), terms.Multiply(step, step)),
                    terms.Multiply(terms.Subtract(m, two), terms.Subtract(m, two))));
  // What rounds down does not.
  const Term floor = terms.Apply(TermFactor::Op::kDiv, n, two);
  EXPECT_FALSE(terms.IsEqual(terms.Multiply(floor, two), n));
}

TEST(Terms, ThatBecomeTooLargeSaySo) {
  Terms terms;
  Term large = terms.Parameter("n");
  for (int i = 0; i < 8; ++i) large = terms.Multiply(large, terms.Add(large, Terms::Number(3)));
  EXPECT_TRUE(large.is_bad());
  EXPECT_FALSE(terms.IsAtMost(large, large));
  Term number = Terms::Number(1 << 30);
  for (int i = 0; i < 3; ++i) number = terms.Multiply(number, number);
  EXPECT_TRUE(number.is_bad());
}

}  // namespace
}  // namespace exh::functional
