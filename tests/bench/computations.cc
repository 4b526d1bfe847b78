// SPDX-License-Identifier: MIT
//
// Spaces of computations as text (tests/kernels/computations): time to build, random descents.
//
// The columns of `./exh bench spaces`. [--seconds S] [--device D]
// [--times N: sizes so many times as large as the test's] [--write FOLDER: only writes their texts]
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/bench/parts/measure_spaces.h"
#include "tests/kernels/computations/computations.h"

namespace {

/// NAME.kernel, and in NAME.size what --size takes.
void Write(const std::string& folder, std::int64_t times) {
  namespace testing = exh::kernels::testing;
  std::filesystem::create_directories(folder);
  for (const testing::Computation& computation : testing::Computations()) {
    const std::string path = folder + "/" + std::string(computation.name);
    std::ofstream(path + ".kernel") << testing::KernelOf(computation).text();
    std::ofstream sizes(path + ".size");
    const char* between = "";
    for (const auto& [name, value] : testing::SizesOf(computation, times)) {
      sizes << between << name << '=' << value;
      between = ",";
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 1;
  std::int64_t times = 16;
  std::string device, folder;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seconds") == 0) seconds = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--times") == 0) times = std::atoll(argv[i + 1]);
    if (std::strcmp(argv[i], "--device") == 0) device = argv[i + 1];
    if (std::strcmp(argv[i], "--write") == 0) folder = argv[i + 1];
  }
  if (!folder.empty()) {
    Write(folder, times);
    return 0;
  }
  for (const char* one : {"cpu", "h200"}) {
    if (device.empty() || device == one) exh::tests::MeasureComputations(seconds, one, times);
  }
  return 0;
}
