// SPDX-License-Identifier: MIT
//
// Domains of enums and of integers, and intervals: operations on sets, tests of three values.
#include <gtest/gtest.h>

#include <vector>

#include "runtime/enum_domain.h"
#include "runtime/int_domain.h"
#include "runtime/interval.h"

namespace exh::runtime {
namespace {

enum class Kind : std::uint8_t { A = 1, B = 2, C = 4 };

}  // namespace

template <>
struct EnumTraits<Kind> {
  static constexpr Bits kAll = 7;
};

namespace {

using KindDomain = EnumDomain<Kind>;
const KindDomain kAB = KindDomain(Kind::A) | Kind::B;
const KindDomain kBC = KindDomain(Kind::B) | Kind::C;

static_assert(sizeof(KindDomain) == sizeof(Kind));

TEST(EnumDomain, SetOperations) {
  EXPECT_EQ(kAB | kBC, KindDomain::All());
  EXPECT_EQ(kAB & kBC, KindDomain(Kind::B));
  EXPECT_EQ(~kAB, KindDomain(Kind::C));
  EXPECT_EQ(KindDomain::AllBut(Kind::A), kBC);
  KindDomain domain = Kind::A;
  domain |= Kind::B;
  EXPECT_EQ(domain, kAB);
  domain &= kBC;
  EXPECT_EQ(domain, KindDomain(Kind::B));
  EXPECT_TRUE((kAB & Kind::C).IsEmpty());
  EXPECT_EQ(KindDomain::None(), KindDomain());
}

TEST(EnumDomain, ThreeValuedTests) {
  EXPECT_TRUE(kAB.MayBe(Kind::A));
  EXPECT_FALSE(kAB.MayBe(Kind::C));
  EXPECT_TRUE(KindDomain(Kind::A).MustBe(kAB));
  EXPECT_FALSE(kAB.MustBe(Kind::A));
  EXPECT_TRUE(kAB.MayBeOtherThan(Kind::A));
  EXPECT_FALSE(KindDomain(Kind::A).MayBeOtherThan(Kind::A));
  EXPECT_TRUE(kAB.Contains(Kind::A));
  EXPECT_TRUE(kAB.Contains(KindDomain::None()));
  EXPECT_FALSE(kAB.Contains(kBC));
  EXPECT_TRUE(KindDomain(Kind::C).IsConstrained());
  EXPECT_EQ(KindDomain(Kind::C).value(), Kind::C);
  EXPECT_FALSE(kAB.IsConstrained());
  EXPECT_FALSE(KindDomain::None().IsConstrained());
}

TEST(EnumDomain, ListsValuesInBitOrder) {
  std::vector<Kind> values(KindDomain::All().begin(), KindDomain::All().end());
  EXPECT_EQ(values, (std::vector<Kind>{Kind::A, Kind::B, Kind::C}));
  EXPECT_EQ(kBC.size(), 2);
}

const std::vector<std::uint32_t> kFirst = {1, 3, 4, 5, 8}, kSecond = {2, 3, 5, 9};
using Numbers = std::vector<std::uint32_t>;

TEST(IntDomain, KeepsTheCommonValuesOfAList) {
  const IntDomain domain = IntDomain::Of(kFirst, Numbers{1, 6, 8});
  EXPECT_EQ(domain.Numbers(), (Numbers{1, 8}));
  EXPECT_TRUE(domain.Contains(8));
  EXPECT_FALSE(domain.Contains(6));
  EXPECT_FALSE(domain.Contains(3));
  EXPECT_EQ(domain.min(), 1u);
  EXPECT_EQ(domain.max(), 8u);
  IntDomain wider = domain;
  wider.Insert(4);
  wider.Insert(6);  // Not in the universe.
  EXPECT_EQ(wider.Numbers(), (Numbers{1, 4, 8}));
  EXPECT_EQ(wider.Complement().Numbers(), (Numbers{3, 5}));
}

TEST(IntDomain, GcdAndLcm) {
  EXPECT_EQ(IntDomain::Of(kFirst, Numbers{4, 8}).gcd(), 4u);
  EXPECT_EQ(IntDomain::All(kFirst).lcm(), 120u);
  const Numbers large = {4294967279, 4294967291, 4294967293};
  EXPECT_EQ(IntDomain::All(large).lcm(), kSaturated);
}

TEST(IntDomain, ComparesWithNumbersAtTheExtremes) {
  const IntDomain all = IntDomain::All(kFirst);
  EXPECT_TRUE(all.Must(CompareOp::kLt, Numbers{9}));
  EXPECT_FALSE(all.Must(CompareOp::kLt, Numbers{8}));
  EXPECT_TRUE(all.Must(CompareOp::kLe, Numbers{8}));
  EXPECT_FALSE(all.Must(CompareOp::kLe, Numbers{7}));
  EXPECT_TRUE(all.Must(CompareOp::kGt, Numbers{0}));
  EXPECT_FALSE(all.Must(CompareOp::kGt, Numbers{1}));
  EXPECT_TRUE(all.Must(CompareOp::kGe, Numbers{1}));
  EXPECT_FALSE(all.Must(CompareOp::kGe, Numbers{2}));
  EXPECT_FALSE(all.May(CompareOp::kLt, Numbers{1}));
  EXPECT_TRUE(all.May(CompareOp::kLe, Numbers{1}));
  EXPECT_FALSE(all.May(CompareOp::kGt, Numbers{8}));
}

TEST(IntDomain, IsDifferentOnlyWhenProvablyDisjoint) {
  const IntDomain domain = IntDomain::Of(kFirst, Numbers{1, 3});
  EXPECT_TRUE(domain.Must(CompareOp::kNe, Numbers{4, 6}));
  EXPECT_FALSE(domain.Must(CompareOp::kNe, Numbers{3, 6}));
  EXPECT_TRUE(domain.Must(CompareOp::kNe, IntDomain::Of(kSecond, Numbers{2, 9})));
}

TEST(IntDomain, SubDomains) {
  const auto that = [](CompareOp op, std::uint32_t number) {
    return IntDomain::That(kFirst, op, number).Numbers();
  };
  EXPECT_EQ(that(CompareOp::kLt, 5), (Numbers{1, 3, 4}));
  EXPECT_EQ(that(CompareOp::kLe, 5), (Numbers{1, 3, 4, 5}));
  EXPECT_EQ(that(CompareOp::kGt, 5), (Numbers{8}));
  EXPECT_EQ(that(CompareOp::kGe, 5), (Numbers{5, 8}));
  EXPECT_EQ(that(CompareOp::kNe, 5), (Numbers{1, 3, 4, 8}));
  EXPECT_EQ(that(CompareOp::kEq, 6), Numbers{}) << "an absent number is not its neighbour";
  EXPECT_EQ(IntDomain::That(kFirst, CompareOp::kNe, Numbers{1, 3}).Numbers(), kFirst);
  EXPECT_EQ(IntDomain::All(kFirst).That(CompareOp::kEq, IntDomain::All(kSecond)).Numbers(),
            (Numbers{3, 5}));
  EXPECT_EQ(IntDomain::All(kFirst).That(CompareOp::kGt, IntDomain::All(kSecond)).Numbers(),
            (Numbers{3, 4, 5, 8}));
}

TEST(IntDomain, SixtyFourValues) {
  Numbers universe;
  for (std::uint32_t i = 0; i < 64; ++i) universe.push_back(i);
  EXPECT_EQ(IntDomain::All(universe).size(), 64);
  EXPECT_EQ(IntDomain::All(universe).max(), 63u);
}

TEST(Interval, SaturatesAndIntersects) {
  EXPECT_EQ(SaturatingAdd(kSaturated - 1, 2), kSaturated);
  EXPECT_EQ(SaturatingMul(std::uint64_t{1} << 40, std::uint64_t{1} << 40), kSaturated);
  EXPECT_EQ(SaturatingMul(0, kSaturated), 0u);
  EXPECT_EQ((Interval{1, 5} & Interval{3, 9}), (Interval{3, 5}));
  EXPECT_TRUE((Interval{1, 2} & Interval{3, 9}).IsEmpty());
  EXPECT_TRUE((Interval{1, 3}.Intersects({3, 9})));
  EXPECT_FALSE((Interval{1, 2}.Intersects({3, 9})));
}

}  // namespace
}  // namespace exh::runtime
