// SPDX-License-Identifier: MIT
#include "tests/maps/hand_written_order.h"

#include "base/check.h"

namespace exh::maps {
namespace {

enum : std::uint8_t { kBefore = 1, kAfter = 2, kInner = 4, kOuter = 8, kMerged = 16 };

std::uint8_t Inverse(std::uint8_t value) {
  switch (value) {
    case kBefore:
      return kAfter;
    case kAfter:
      return kBefore;
    case kInner:
      return kOuter;
    case kOuter:
      return kInner;
    default:
      return kMerged;
  }
}

/// The clauses of order.exh for one reading of three statements.
bool ClausesHold(std::uint8_t ab, std::uint8_t bc, std::uint8_t ac) {
  const bool transitive = (ab != kBefore || bc != kBefore || ac == kBefore) &&
                          (ab != kInner || bc != kInner || ac == kInner);
  const bool body = bc != kOuter || (ab != kBefore && ab != kAfter) || ac == ab;
  const bool around = ac != kOuter || bc != kOuter || ab == kInner || ab == kOuter || ab == kMerged;
  return transitive && body && around && (ab != kMerged || ac == bc);
}

bool AllHold(std::uint8_t ab, std::uint8_t bc, std::uint8_t ac) {
  const std::uint8_t ba = Inverse(ab), cb = Inverse(bc), ca = Inverse(ac);
  return ClausesHold(ab, bc, ac) && ClausesHold(ac, cb, ab) && ClausesHold(ba, ac, bc) &&
         ClausesHold(bc, ca, ba) && ClausesHold(ca, ab, cb) && ClausesHold(cb, ba, ca);
}

}  // namespace

HandWrittenOrder::HandWrittenOrder(int instructions, int dims) : statements_(instructions + dims) {
  for (int domain = 0; domain < 32; ++domain) {
    for (int v = 0; v < 5; ++v) {
      if ((domain >> v & 1) == 0) continue;
      const auto value = static_cast<std::uint8_t>(1 << v);
      inverse_[domain] |= Inverse(value);
      for (int first = 0; first < 5; ++first) {
        for (int third = 0; third < 5; ++third) {
          const auto ab = static_cast<std::uint8_t>(1 << first);
          const auto ac = static_cast<std::uint8_t>(1 << third);
          if (AllHold(ab, value, ac)) composed_[first][domain] |= ac;
        }
      }
    }
  }
  std::size_t buckets = 8;
  const int pairs = statements_ * (statements_ - 1) / 2;
  while (buckets * 7 / 8 < static_cast<std::size_t>(pairs)) buckets *= 2;
  domains_ = {std::vector<Key>(buckets, kNoKey), std::vector<std::uint8_t>(buckets, 0)};
  waiting_ = domains_;
  for (int b = 0; b < statements_; ++b) {
    for (int a = 0; a < b; ++a) {
      const Key key = KeyOf(static_cast<Object>(a), static_cast<Object>(b));
      std::uint8_t values = kBefore | kAfter | kInner | kOuter | kMerged;
      if (a < instructions) values = kBefore | kAfter | kInner;
      if (b < instructions) values = kBefore | kAfter;
      const std::size_t place = PlaceOf(domains_, key);
      domains_.keys[place] = key;
      domains_.values[place] = values;
    }
  }
  EXH_CHECK(Propagate());
}

Bits HandWrittenOrder::Get(Object a, Object b) const {
  return Domain(a, b);
}

bool HandWrittenOrder::Shrink(Object a, Object b, std::uint8_t values) {
  const Key key = KeyOf(a, b);
  std::uint8_t& domain = domains_.values[PlaceOf(domains_, key)];
  const std::uint8_t old = domain;
  domain &= values;
  if (domain == old) return true;
  const std::size_t place = PlaceOf(waiting_, key);
  waiting_.keys[place] = key;
  if (waiting_.values[place] == 0) changes_.emplace_back(a, b);
  waiting_.values[place] = 1;
  return domain != 0;
}

bool HandWrittenOrder::Restrict(Object a, Object b, Bits values) {
  if (Shrink(a, b, static_cast<std::uint8_t>(values)) && Propagate()) return true;
  for (const auto& [x, y] : changes_) waiting_.values[PlaceOf(waiting_, KeyOf(x, y))] = 0;
  changes_.clear();
  return false;
}

bool HandWrittenOrder::Propagate() {
  while (!changes_.empty()) {
    const auto [a, b] = changes_.back();
    changes_.pop_back();
    waiting_.values[PlaceOf(waiting_, KeyOf(a, b))] = 0;
    ++events_;
    for (int i = 0; i < statements_; ++i) {
      const auto c = static_cast<Object>(i);
      if (c == a || c == b) continue;
      if (a < c && !Shrink(a, c, Filter(Domain(a, b), Domain(b, c)))) return false;
      if (c < a && !Shrink(c, a, Filter(Domain(c, b), Domain(b, a)))) return false;
      if (b < c && !Shrink(b, c, Filter(Domain(b, a), Domain(a, c)))) return false;
      if (c < b && !Shrink(c, b, Filter(Domain(c, a), Domain(a, b)))) return false;
    }
  }
  return true;
}

}  // namespace exh::maps
