// SPDX-License-Identifier: MIT
//
// What it takes to build the spaces of computations as text (tests/kernels/computations), and how
// random descents fare in them: the columns of `./exh bench spaces`. [--seconds S] [--device D]
// [--times N: sizes so many times as large as the test's]
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/bench/measure_spaces.h"

int main(int argc, char** argv) {
  double seconds = 1;
  std::int64_t times = 16;
  std::string device;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seconds") == 0) seconds = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--times") == 0) times = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--device") == 0) device = argv[i + 1];
  }
  for (const char* one : {"cpu", "h200"}) {
    if (device.empty() || device == one) exh::tests::MeasureComputations(seconds, one, times);
  }
  return 0;
}
