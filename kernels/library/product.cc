// SPDX-License-Identifier: MIT
#include "kernels/library/product.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace exh::kernels {
namespace {

thread_local StoppableProducts* scope_of_thread = nullptr;

/// Multiply-adds between two looks at the token: some hundredths of a second.
constexpr double kBlockWork = 1 << 27;
/// Below that it is over before threads have begun.
constexpr double kLittleWork = 1 << 22;

int NumThreads() {
  cpu_set_t cores;
  return ::sched_getaffinity(0, sizeof(cores), &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1;
}

}  // namespace

StoppableProducts::StoppableProducts(const StopToken* stop)
    : stop_(stop), before_(scope_of_thread) {
  scope_of_thread = this;
}

StoppableProducts::~StoppableProducts() {
  scope_of_thread = before_;
}

Eigen::MatrixXd Product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  using Eigen::Index;
  const auto depth = static_cast<double>(a.cols());
  const auto work = depth * static_cast<double>(a.rows()) * static_cast<double>(b.cols());
  if (work <= kLittleWork) return a * b;
  // Blocks of the result: whole rows of it where they are short, otherwise about as wide as high.
  const auto elements = static_cast<Index>(std::max(1.0, kBlockWork / depth));
  constexpr Index kMostRows = 512;
  const Index rows = std::min({a.rows(), kMostRows, elements});
  const Index columns = std::clamp<Index>(elements / rows, 1, b.cols());
  const Index down = (a.rows() + rows - 1) / rows, across = (b.cols() + columns - 1) / columns;

  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(a.rows(), b.cols());
  StoppableProducts* const scope = scope_of_thread;
  const StopToken* const stop = scope != nullptr ? scope->stop_ : nullptr;
  std::atomic<Index> next = 0;
  std::atomic<bool> has_stopped = false;
  const auto compute = [&] {
    for (Index block = next++; block < down * across && !has_stopped; block = next++) {
      if (IsStopped(stop)) {
        has_stopped = true;
        return;
      }
      const Index row = block % down * rows, column = block / down * columns;
      const Index high = std::min(rows, a.rows() - row);
      const Index wide = std::min(columns, b.cols() - column);
      result.block(row, column, high, wide).noalias() =
          a.middleRows(row, high) * b.middleCols(column, wide);
    }
  };
  std::vector<std::thread> threads;
  for (int thread = 1; thread < NumThreads(); ++thread) threads.emplace_back(compute);
  compute();
  for (std::thread& thread : threads) thread.join();
  if (has_stopped) scope->has_stopped_ = true;
  return result;
}

}  // namespace exh::kernels
