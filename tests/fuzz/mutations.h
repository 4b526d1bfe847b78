// SPDX-License-Identifier: MIT
//
// Inputs for the entries when no coverage-guided fuzzer makes them: seeded, the same everywhere.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace exh::fuzz {

/// Any bytes, at most 400.
std::string RandomBytes(std::mt19937& random);

/// Words of the dictionary, at most 120.
std::string RandomWords(const std::vector<std::string>& dictionary, std::mt19937& random);

/// The text with a few pieces removed, doubled, moved or overwritten. Rarely a space.
std::string Mutated(std::string text, std::mt19937& random);

/// The text with a few words exchanged for others of their kind. Most results are spaces.
std::string Exchanged(std::string text, std::mt19937& random);

/// The same for kernels as text.
std::string ExchangedInKernel(std::string text, std::mt19937& random);

/// The entries of a dictionary file as libFuzzer reads it: one `"text"` a line, `\"`, `\\` and
/// `\xNN` escaped.
std::vector<std::string> ReadDictionary(const std::string& path);

/// Every .exh file below a folder of the tree, sorted.
std::vector<std::string> SpaceFiles(const std::string& folder);

/// Every .kernel file below a folder of the tree, sorted.
std::vector<std::string> KernelFiles(const std::string& folder);

std::string ReadText(const std::string& path);

}  // namespace exh::fuzz
