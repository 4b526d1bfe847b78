// SPDX-License-Identifier: MIT
#include "tests/fuzz/mutations.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace exh::fuzz {
namespace {

std::size_t Below(std::mt19937& random, std::size_t n) {
  return random() % n;
}

/// Words that take each other's place.
const std::vector<std::vector<std::string>> kExchanges = {
    {" is not ", " is "},
    {" == ", " != "},
    {" <= ", " < ", " >= ", " > "},
    {" || ", " ", " && ", " => "},
    {"half counter", "counter", "internal counter"},
    {" sum ", " mul "},
    {"$a", "$b", "$c"},
    {"symmetric\n", "\n"}};

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
  for (std::size_t i = Below(random, 4) + 1; i > 0; --i) {
    const auto& words = kExchanges[Below(random, kExchanges.size())];
    const std::string& from = words[Below(random, words.size())];
    const std::size_t at = text.find(from, Below(random, text.size()));
    if (at != std::string::npos) text.replace(at, from.size(), words[Below(random, words.size())]);
  }
  return text;
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
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(EXH_SOURCE_DIR) / folder)) {
    if (entry.path().extension() == ".exh") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace exh::fuzz
