// SPDX-License-Identifier: MIT
#include "kernels/cpu/problem_bench.h"

#include <array>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "kernels/cpu/problem_file.h"

namespace exh::kernels::cpu {
namespace {

/// Seconds for one reference, beyond which what is not going to be best does without the others.
constexpr double kCostly = 0.5;

/// The order in which they are made: of what is made first, other inputs find most.
enum Order : std::size_t { kTimed, kOther, kWholeNumbers, kSpecial, kNumProblems };
constexpr std::array<std::size_t, kNumProblems> kInOrder = {0, 2, 1, 3};
static_assert(std::size(kCheckedProblems) == kNumProblems);

}  // namespace

ProblemBench::ProblemBench(Make make, ForkServer& server, const StopToken* stop)
    : make_(std::move(make)), server_(server), stop_(stop) {}

ProblemBench::~ProblemBench() = default;

bool ProblemBench::IsReady(double seconds) {
  if (!first_problems_.valid()) {
    first_problems_ = std::async(std::launch::async, [this] {
      const std::lock_guard lock(mutex_);
      MakeProblems(/*all=*/false);  // Measure() says why there are none.
    });
  }
  return first_problems_.wait_for(std::chrono::duration<double>(seconds)) ==
         std::future_status::ready;
}

Measurement ProblemBench::Measure(CpuRunRequest request, const CheckCare& care) {
  const std::lock_guard lock(mutex_);
  Measurement failure = MakeProblems(care.is_full);
  if (failure.verdict != Verdict::kCorrect) return failure;
  const std::size_t looked_at = care.only_times ? kOther : problems_->size();
  for (std::size_t made = kOther; made < looked_at; ++made) {
    if (made == kSpecial && !(care.is_full && care.special)) continue;
    request.problems_after.push_back(made);
  }
  if (care.is_full) {
    request.batch_ms = 10;
    request.batches_ms = 1000;
    request.repeats = 128;
    request.repeats_ms = care.repeats_ms;
    if (care.only_times) request.batches = 3;  // It has been measured before, and may be again.
  }
  return RunCandidate(request, *problems_, server_, stop_);
}

Measurement ProblemBench::MakeProblems(bool all) {
  Measurement outcome;
  while (!problems_ || problems_->size() < NumProblems(all)) {
    outcome.verdict = Verdict::kStopped;
    if (IsStopped(stop_)) return outcome;
    const CheckedProblem& next = kCheckedProblems[kInOrder[problems_ ? problems_->size() : 0]];
    const auto start = std::chrono::steady_clock::now();
    std::optional<MadeProblem> made;
    try {
      made = make_(next);
    } catch (const Error& error) {
      outcome.verdict = Verdict::kBroken;
      outcome.why = error.what();
      return outcome;
    }
    if (!made) return outcome;  // There was no time for it.
    outcome.verdict = Verdict::kBroken;
    if (!problems_) {
      problems_ = std::make_unique<ProblemSet>(made->view, kNumProblems);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      is_costly_ = taken.count() > kCostly;
    }
    outcome.why = problems_->Add(made->view, next.what);
    if (!outcome.why.empty()) return outcome;
  }
  outcome.verdict = Verdict::kCorrect;
  return outcome;
}

std::size_t ProblemBench::NumProblems(bool all) const {
  if (all) return kNumProblems;
  return is_costly_ ? kOther : kSpecial;
}

std::vector<std::string> WriteProblemFiles(const ProblemBench::Make& make,
                                           const std::string& folder, int jobs,
                                           std::optional<bool> is_costly) {
  std::vector<std::string> files;
  for (const CheckedProblem& one : kCheckedProblems) files.push_back(folder + "/" + one.name);
  const auto write = [&](std::size_t number) {
    const std::optional<MadeProblem> made = make(kCheckedProblems[number]);
    if (!made) throw Interrupted("stopped before the reference was computed");
    const std::string error = WriteProblemFile(files[number], made->view);
    if (!error.empty()) throw Error(error);
    return true;
  };
  std::size_t written = 0;
  if (!is_costly) {
    const auto start = std::chrono::steady_clock::now();
    write(written++);
    constexpr double kMuch = 5;  // Seconds.
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    is_costly = taken.count() > kMuch;
  }
  if (*is_costly) files.resize(2);
  RunInParallel(files.size() - written, jobs, [&](std::size_t i) { return write(i + written); });
  return files;
}

}  // namespace exh::kernels::cpu
