// SPDX-License-Identifier: MIT
//
// Other programs from tests and benchmarks: a folder for their files, a pipe from their output.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace exh::tests {

/// A folder that goes with the object.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string operator/(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// A file as text; empty when there is none.
std::string Contents(const std::string& path);

bool IsOnPath(const std::string& program);

/// Runs a shell command and calls line(text) for each line that it prints. Returns its exit status.
template <typename Line>
int ReadLines(const std::string& command, const Line& line) {
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return -1;
  char* text = nullptr;
  std::size_t size = 0;
  for (ssize_t length = 0; (length = ::getline(&text, &size, pipe)) > 0;) {
    line(std::string_view(text, static_cast<std::size_t>(length)));
  }
  std::free(text);
  return ::pclose(pipe);
}

}  // namespace exh::tests
