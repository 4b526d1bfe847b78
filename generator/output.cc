// SPDX-License-Identifier: MIT
#include "generator/output.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace exh::generator {
namespace {

namespace fs = std::filesystem;

bool Holds(const std::string& path, const std::string& text) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  std::ostringstream old;
  old << file.rdbuf();
  return std::move(old).str() == text;
}

std::string Escaped(const std::string& path) {
  std::string escaped;
  for (const char c : path) {
    if (c == ' ' || c == '#') escaped += '\\';
    if (c == '$') escaped += '$';
    escaped += c;
  }
  return escaped;
}

}  // namespace

bool WriteIfChanged(const std::string& path, const std::string& text, std::string* error) {
  if (Holds(path, text)) return true;
  std::error_code code;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, code);
  const std::string temporary = path + ".tmp" + std::to_string(::getpid());
  {
    std::ofstream file(temporary, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
      const std::error_code reason(errno, std::generic_category());
      *error = "cannot write '" + path + "': " + reason.message();
      fs::remove(temporary, code);
      return false;
    }
  }
  fs::rename(temporary, path, code);
  if (!code) return true;
  *error = "cannot write '" + path + "': " + code.message();
  fs::remove(temporary, code);
  return false;
}

bool WriteAll(const std::vector<GeneratedFile>& files, const std::string& prefix,
              const std::string& depfile, const std::vector<std::string>& sources,
              std::string* error) {
  std::vector<std::string> targets, read;
  for (const GeneratedFile& file : files) {
    targets.push_back(fs::absolute(prefix + file.suffix).string());
    if (!WriteIfChanged(prefix + file.suffix, file.text, error)) return false;
  }
  if (depfile.empty()) return true;
  for (const std::string& source : sources) read.push_back(fs::absolute(source).string());
  return WriteIfChanged(depfile, DepfileText(targets, read), error);
}

std::string DepfileText(const std::vector<std::string>& targets,
                        const std::vector<std::string>& sources) {
  std::string rule;
  for (const std::string& target : targets) rule += Escaped(target) + " ";
  rule.back() = ':';
  for (const std::string& source : sources) rule += " \\\n  " + Escaped(source);
  return rule + "\n";
}

}  // namespace exh::generator
