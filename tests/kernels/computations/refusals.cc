// SPDX-License-Identifier: MIT
#include "tests/kernels/computations/refusals.h"

#include <fmt/format.h>

#include <cctype>
#include <mutex>
#include <optional>

#include "base/parallel.h"
#include "base/random.h"
#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/codegen/plan/static_counts.h"
#include "kernels/devices/backend.h"
#include "search/descend/choice_order.h"
#include "search/descend/dropped/dropped.h"
#include "search/descend/patient_descent.h"
#include "search/log/decisions.h"

namespace exh::kernels::testing {
namespace {

/// With # for words that have digits in them: names of dimensions, and numbers.
std::string KindOf(const std::string& why) {
  std::string kind, word;
  bool has_digit = false;
  const auto end_word = [&] {
    kind += has_digit ? "#" : word;
    word.clear();
    has_digit = false;
  };
  for (const char c : why) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '_' || c == '.') {
      word += c;
      has_digit = has_digit || std::isdigit(byte) != 0;
    } else {
      end_word();
      kind += c;
    }
  }
  end_word();
  return kind;
}

}  // namespace

std::string Refusals::Text() const {
  std::string text;
  for (const auto& [kind, reason] : reasons) {
    text += fmt::format("  {} of {}: {}\n", reason.count, drawn, reason.why);
  }
  return text;
}

Refusals CountRefusals(const Task& task, std::uint64_t count, std::uint64_t seed, int threads) {
  const runtime::Candidate root(task.instance);
  const search::ChoiceOrder orders[] = {search::ChoiceOrder::Default(*task.instance),
                                        search::ChoiceOrder::ForRepair(*task.instance)};
  std::mutex mutex;
  Refusals refusals;
  const auto draw = [&](std::size_t number) {
    Random random(seed + (number + 1) * 0x9e3779b97f4a7c15ULL);
    search::Guide uniform;
    const search::PatientDescent descent = search::DescendPatiently(
        root, orders[number % std::size(orders)], {}, random, uniform, [](const auto&) {});
    const bool is_found = descent.result == search::DescentResult::kImplementation;
    std::optional<search::Dropped> dropped;
    const runtime::Candidate& found = descent.descender.candidate();
    if (is_found) {
      dropped = search::DroppedBy([&] {
        EmitSource(task, found);
        if (!BackendOf(task.function->device).is_gpu()) return;
        const codegen::Schedule schedule = ExtractSchedule(task, found);
        codegen::CountStatically(
            codegen::LowerImplementation(*task.function, schedule, codegen::TensorForm::kLanes,
                                         codegen::BankSearch::kNone),
            {});
      });
    }
    const std::lock_guard lock(mutex);
    (is_found ? refusals.drawn : refusals.given_up) += 1;
    if (!dropped) return true;
    ++refusals.refused;
    Refusals::Reason& reason = refusals.reasons[KindOf(dropped->why)];
    if (reason.count++ == 0) {
      reason.why = dropped->why;
      reason.decisions = search::AllDecisionsText(found);
    }
    return true;
  };
  RunInParallel(count, threads, draw);
  return refusals;
}

}  // namespace exh::kernels::testing
