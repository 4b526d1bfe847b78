// SPDX-License-Identifier: MIT
//
// The spaces that users search: what it takes to build them, and how fast random descents are.
//
// Of every kernel of the library, and chains of products, or of one, or of a file.
// [--seconds S] [--device D] [--kernel K|FILE]
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/bench/parts/measure_spaces.h"

int main(int argc, char** argv) {
  double seconds = 3;
  std::string device, kernel;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seconds") == 0) seconds = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--device") == 0) device = argv[i + 1];
    if (std::strcmp(argv[i], "--kernel") == 0) kernel = argv[i + 1];
  }
  exh::tests::MeasureSpaces(seconds, device, kernel);
  return 0;
}
