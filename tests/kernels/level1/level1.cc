// SPDX-License-Identifier: MIT
#include "tests/kernels/level1/level1.h"

#include <fmt/format.h>

#include <fstream>

#include "base/error.h"
#include "base/numbers.h"
#include "tests/support/tree.h"

namespace exh::kernels::testing {

std::vector<Level1Computation> Level1Computations() {
  const std::string folder = "tests/kernels/level1/";
  const std::string path = folder + "computations.txt";
  std::ifstream list(std::string(kSourceDir) + "/" + path);
  std::vector<Level1Computation> all;
  for (std::string line; std::getline(list, line);) {
    if (line.starts_with('#')) continue;
    const auto pieces = Split(line, ';');
    const auto number = pieces.size() == 5 ? ParseInteger(pieces[0]) : std::nullopt;
    if (number != static_cast<std::int64_t>(all.size()) + 1) {
      throw Error(fmt::format("{}: here must stand number {}, its name, its text and two sizes: {}",
                              path, all.size() + 1, line));
    }
    all.push_back({static_cast<int>(*number), std::string(pieces[1]),
                   fmt::format("{}{}.kernel", folder, pieces[2]), std::string(pieces[3]),
                   std::string(pieces[4])});
  }
  return all;
}

}  // namespace exh::kernels::testing
