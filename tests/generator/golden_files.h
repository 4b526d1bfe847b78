// SPDX-License-Identifier: MIT
//
// The golden spaces: golden/<feature>/space.exh and the C++ that it must become; for those that
// have an expected.exh.ir.json, also the other forms. Of the space of linear algebra there are
// digests.
#pragma once

#include <string>
#include <vector>

#include "generator/generator.h"

namespace exh::tests {

/// The features, sorted.
std::vector<std::string> GoldenFeatures();

/// golden/<feature>, absolute.
std::string GoldenFolder(const std::string& feature);

/// What exh_add_space generates for the golden space; aborts with the diagnostics on a mistake in
/// it.
std::vector<generator::GeneratedFile> GenerateGolden(const std::string& feature,
                                                     bool line_directives = true);

/// All that can be generated of kernels/spaces/linalg.exh.
std::vector<generator::GeneratedFile> GenerateLinalg();

/// One line per file: a digest of its text, its size, its name.
std::string DigestText(const std::vector<generator::GeneratedFile>& files);

/// The file with the digests of GenerateLinalg().
std::string LinalgDigestPath();

/// "expected.exh" + suffix in the feature's folder.
std::string ExpectedPath(const std::string& feature, const generator::GeneratedFile& file);

/// The file's text; empty when there is none.
std::string ReadFile(const std::string& path);

}  // namespace exh::tests
