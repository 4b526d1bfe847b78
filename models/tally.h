// SPDX-License-Identifier: MIT
//
// Tally: the terms of the bound (terms/list.h), counted of one candidate.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/bound.h"
#include "models/inventory/work_view.h"
#include "models/terms/list.h"

namespace exh::models {

class Tally {
 public:
  /// By term, in the order of the list.
  using Parts = std::array<std::vector<BoundPart>, terms::kCount>;

  /// `view` and `parts` outlive the tally. Where there are `parts`, they are filled on the way.
  explicit Tally(const WorkView& view, Parts* parts = nullptr);

  /// Each is to be called once, in this order; nanoseconds of its longest term. Allocates nothing
  /// without `parts`.
  double CountThroughput();
  double CountWaits();

  /// What is counted so far.
  const terms::List& terms() const { return terms_; }

 private:
  void CountArray(const ArrayUse& use);
  void CountTemporaries();
  void CountPartialResults();
  template <class Thing>
  void Count(const Thing& thing);
  template <class Work>
  void Add(const std::string& what, const Work& work);
  template <class Work>
  void Raise(const Work& work);
  template <bool is_wait>
  double Longest() const;

  const WorkView& view_;
  terms::List terms_;
};

}  // namespace exh::models
