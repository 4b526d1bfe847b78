// SPDX-License-Identifier: MIT
#include "tests/fuzz/mutations.h"
#include "tests/support/tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace exh::fuzz {
namespace {

std::size_t Below(std::mt19937& random, std::size_t n) {
  return random() % n;
}

/// Words that take each other's place.
using Exchanges = std::vector<std::vector<std::string>>;

const Exchanges kExchanges = {{" is not ", " is "},
                              {" == ", " != "},
                              {" <= ", " < ", " >= ", " > "},
                              {" || ", " ", " && ", " => "},
                              {"half counter", "counter", "internal counter"},
                              {" sum ", " mul "},
                              {"$a", "$b", "$c"},
                              {"symmetric\n", "\n"}};

const Exchanges kKernelExchanges = {
    {"sum(", "max(", "prod(", "any(", "min(", "argmax(", "sum(sum("},
    {"sum(k) ", "sum(n) ", "max(k) ", "sum(k: f64) ", "sum(k: i8) ", "abs"},
    {"f32", "f64", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "u32", "i8", "bool"},
    {" * ", " + ", " - ", " / ", " % ", " < ", " >= ", " == ", " and ", " or ", " xor "},
    {" ? ", " : ", " = ", "; "},
    {"a[", "b[", "x[", "-a[", "not a[", "exp(a)[", "cast(f32, a)[", "a["},
    {"m, ", "k, ", "n, ", "2 * m + k - 1, ", ""},
    {"m]", "k]", "n]", "m + 1]", "m, k]", "0]"},
    {"[m, k]", "[k, m]", "[m]", ""},
    {"size ", "option ", "scalar ", "tile "},
    {"input ", "output "},
    {" in 1..", " in 0..", " in -1..", " = "},
    {"1", "0", "7", "4096", "2147483648", "9223372036854775807", "1.5e3"},
    {"\n", "\n\n", ";", " // why\n", "\n  /// doc\n", "\n    "},
    {" strides (", " strides (0 * ", " strides (4611686018427387904 * ", " outside zero",
     " aligned 4"}};

std::string ExchangedBy(const Exchanges& exchanges, std::string text, std::mt19937& random) {
  for (std::size_t i = Below(random, 4) + 1; i > 0; --i) {
    const auto& words = exchanges[Below(random, exchanges.size())];
    const std::string& from = words[Below(random, words.size())];
    const std::size_t at = text.find(from, Below(random, text.size()));
    if (at != std::string::npos) text.replace(at, from.size(), words[Below(random, words.size())]);
  }
  return text;
}

std::vector<std::string> FilesBelow(const std::string& folder, const char* suffix) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(kSourceDir) / folder)) {
    if (entry.path().extension() == suffix) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string RandomBytes(std::mt19937& random) {
  std::string text(Below(random, 400), ' ');
  for (char& c : text) c = static_cast<char>(Below(random, 256));
  return text;
}

std::string RandomWords(const std::vector<std::string>& dictionary, std::mt19937& random) {
  std::string text;
  for (std::size_t i = Below(random, 120); i > 0; --i) {
    text += dictionary[Below(random, dictionary.size())] + " ";
  }
  return text;
}

std::string Mutated(std::string text, std::mt19937& random) {
  for (std::size_t i = Below(random, 6) + 1; i > 0 && !text.empty(); --i) {
    const std::size_t at = Below(random, text.size());
    const std::size_t length = std::min(text.size() - at, Below(random, 30));
    switch (Below(random, 5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(at, length));
        break;
      case 2:
        text[at] = static_cast<char>(Below(random, 128));
        break;
      case 3:
        text.insert(at, 1, "\"$:|/*()\n"[Below(random, 9)]);
        break;
      default:
        text.insert(at, text.substr(Below(random, text.size()), length));
    }
  }
  return text;
}

std::string Exchanged(std::string text, std::mt19937& random) {
  return ExchangedBy(kExchanges, std::move(text), random);
}

std::string ExchangedInKernel(std::string text, std::mt19937& random) {
  return ExchangedBy(kKernelExchanges, std::move(text), random);
}

std::vector<std::string> ReadDictionary(const std::string& path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.size() < 2 || line.front() != '"') continue;
    std::string word;
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
      if (line[i] == '\\' && line[i + 1] == 'x') {
        word += static_cast<char>(std::stoi(line.substr(i + 2, 2), nullptr, 16));
        i += 3;
      } else {
        if (line[i] == '\\') ++i;
        word += line[i];
      }
    }
    words.push_back(word);
  }
  return words;
}

std::vector<std::string> SpaceFiles(const std::string& folder) {
  return FilesBelow(folder, ".exh");
}

std::vector<std::string> KernelFiles(const std::string& folder) {
  return FilesBelow(folder, ".kernel");
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace exh::fuzz
