// SPDX-License-Identifier: MIT
#include "search/descend/order_advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

namespace exh::search {
namespace {

constexpr std::chrono::milliseconds kPatience{500};
/// With fewer that die no order is worth looking for.
constexpr double kFew = 0.1;
constexpr double kMuchBetter = 0.75;

}  // namespace

std::string OrderAdviceText(const MeasuredOrder& first, const MeasuredOrder& best) {
  if (first.share.share() < kFew || best.share.share() > kMuchBetter * first.share.share() ||
      best.share.Interval().second >= first.share.Interval().first) {
    return {};
  }
  return fmt::format(
      "{:.0f} % of random descents die in this order of choices, {:.0f} % with --order {} "
      "(`search order` looks for better ones)",
      100 * first.share.share(), 100 * best.share.share(), fmt::join(best.names, ","));
}

OrderAdvice::OrderAdvice(const runtime::Candidate& root, const ChoiceOrder& order)
    : thread_([&root, &order, this] {
        const auto end = std::chrono::steady_clock::now() + kPatience;
        OrderStudyOptions options;
        options.descents = 40;
        options.places = 2;
        options.enough = kFew;
        options.stopped = [&] { return stopped_ || std::chrono::steady_clock::now() > end; };
        MeasuredOrder first, best;
        options.kept = [&](const MeasuredOrder& kept) {
          if (first.names.empty()) first = kept;
          best = kept;
        };
        StudyOrders(root, order.names(), options);
        if (!stopped_) text_ = OrderAdviceText(first, best);
      }) {}

OrderAdvice::~OrderAdvice() {
  stopped_ = true;
  if (thread_.joinable()) thread_.join();
}

std::string OrderAdvice::Text() {
  if (thread_.joinable()) thread_.join();
  return text_;
}

}  // namespace exh::search
