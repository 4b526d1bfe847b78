// SPDX-License-Identifier: MIT
//
// How fast an engine of the published kind is: hash maps, filter by filter, from the same spaces.
#include "tests/maps/measure.h"

#include <cstdio>
#include <string>
#include <vector>

namespace {

void Print(const char* what, const exh::maps::Measured& m) {
  std::printf("%-44s %9.1f descents/s  %6.1f decisions  %6.2f dead ends  %8.0f events\n", what,
              m.descents_per_second, m.decisions_per_descent, m.dead_ends_per_descent,
              m.events_per_descent);
  std::printf("%-44s %9llu descents, %llu gave up\n", "",
              static_cast<unsigned long long>(m.descents),
              static_cast<unsigned long long>(m.gave_up));
}

}  // namespace

int main() {
  // The choices that its space has, communication early: what this engine was always measured with.
  const std::vector<std::string> order = {"size",      "dim_mapping", "dim_kind", "thread_mapping",
                                          "mem_space", "order",       "rank",     "cache"};
  for (int turn = 0; turn < 2; ++turn) {
    Print("order alone, 59 statements, by hand", exh::maps::MeasureHandWrittenOrder(9, 50, 3));
    Print("order alone, 59 statements, generated", exh::maps::MeasureOrder(9, 50, 3));
  }
  Print("matmul 1024, lowerings included, generated",
        exh::maps::MeasureMatmul(1024, order, 1000, 20));
  constexpr int kChecked = 20;
  std::printf("of %d implementations of matmul our engine confirms %d\n", kChecked,
              exh::maps::CountConfirmed(1024, order, kChecked));
}
