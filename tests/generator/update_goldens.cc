// SPDX-License-Identifier: MIT
//
// Writes the expected C++ of every golden space that differs, and says which. Look at the diff
// before you commit it: a golden is reviewed like code.
#include <iostream>

#include "generator/output.h"
#include "tests/generator/golden_files.h"

int main() {
  int changed = 0;
  for (const std::string& feature : exh::tests::GoldenFeatures()) {
    for (const auto& file : exh::tests::GenerateGolden(feature)) {
      const std::string path = exh::tests::ExpectedPath(feature, file);
      if (exh::tests::ReadFile(path) == file.text) continue;
      std::string error;
      if (!exh::generator::WriteIfChanged(path, file.text, &error)) {
        std::cerr << error << "\n";
        return 1;
      }
      std::cout << "updated " << path << "\n";
      ++changed;
    }
  }
  std::cout << changed << " files updated\n";
}
