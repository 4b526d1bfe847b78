// SPDX-License-Identifier: MIT
#include "base/system/processor.h"

#include <fstream>

#include "base/numbers.h"

namespace exh {

std::string ProcessorModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    if (Trim(line.substr(0, colon)) == "model name")
      return std::string(Trim(line.substr(colon + 1)));
  }
  return {};
}

}  // namespace exh
