// SPDX-License-Identifier: MIT
//
// Whether another order of choices would meet fewer dead ends, measured while a search starts: the
// file of a space records an order, but a user's kernel may be unlike those that it was measured
// on.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "search/descend/choice_order.h"
#include "search/descend/order_study.h"

namespace exh::search {

/// What a measured order is worth telling; empty when it is not: of the first one fewer than a
/// tenth die, or of the best beyond doubt no fewer than three quarters of those of the first.
std::string OrderAdviceText(const MeasuredOrder& first, const MeasuredOrder& best);

/// Measures in a thread of its own, for as long as it lives and half a second at most.
class OrderAdvice {
 public:
  /// `root` and `order` outlive it.
  OrderAdvice(const runtime::Candidate& root, const ChoiceOrder& order);
  ~OrderAdvice();
  OrderAdvice(const OrderAdvice&) = delete;
  OrderAdvice& operator=(const OrderAdvice&) = delete;

  /// A line without its end, or nothing. Waits until that is over.
  std::string Text();

 private:
  std::atomic<bool> stopped_ = false;
  std::string text_;
  std::thread thread_;
};

}  // namespace exh::search
