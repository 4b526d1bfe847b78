// SPDX-License-Identifier: MIT
//
// Writes the expected C++ of every golden space that differs, and says which. Look at the diff
// before you commit it: a golden is reviewed like code.
#include <cstdlib>
#include <iostream>
#include <string>

#include "generator/output.h"
#include "tests/generator/golden_files.h"

namespace {

/// Whether the file had to change; ends the program if it cannot be written.
bool Update(const std::string& path, const std::string& text) {
  if (exh::tests::ReadFile(path) == text) return false;
  std::string error;
  if (!exh::generator::WriteIfChanged(path, text, &error)) {
    std::cerr << error << "\n";
    std::exit(1);
  }
  std::cout << "updated " << path << "\n";
  return true;
}

}  // namespace

int main() {
  using namespace exh::tests;
  int changed = 0;
  for (const std::string& feature : GoldenFeatures()) {
    for (const auto& file : GenerateGolden(feature)) {
      changed += Update(ExpectedPath(feature, file), file.text);
    }
  }
  changed += Update(LinalgDigestPath(), DigestText(GenerateLinalg()));
  std::cout << changed << " files updated\n";
}
