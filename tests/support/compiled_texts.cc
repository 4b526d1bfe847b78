// SPDX-License-Identifier: MIT
#include "tests/support/compiled_texts.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/tree.h"

namespace exh::kernels::testing {
namespace {

constexpr std::size_t kPerFile = 10;  // Starting a compiler for each would double the time.

}  // namespace

const std::string& CachedCompiler() {
  static const std::string cached =
      std::system("command -v ccache >/dev/null 2>&1") == 0 ? "ccache " : "";
  return cached;
}

void InParallel(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

CompiledTexts::CompiledTexts(std::size_t count,
                             const std::function<std::string(std::size_t)>& print,
                             const std::string& prologue, const std::string& flags)
    : libraries_((count + kPerFile - 1) / kPerFile) {
  std::filesystem::create_directory_symlink(kSourceDir, folder_.path() + "/tree");
  InParallel(libraries_.size(), [&](std::size_t file) {
    std::string text = prologue + "\n";
    for (std::size_t i = file * kPerFile; i < std::min(count, (file + 1) * kPerFile); ++i) {
      text += print(i);
    }
    std::ofstream(Stem(file) + ".cc") << text;
    const std::string command = fmt::format(
        "cd '{0}' && {{ {1}g++ {2} -fPIC -c {3}.cc -o {3}.o && g++ {2} -shared {3}.o -o {3}.so; }} "
        "2>{3}.log",
        folder_.path(), CachedCompiler(), flags, file);
    if (std::system(command.c_str()) != 0) return;
    libraries_[file] = ::dlopen((Stem(file) + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (libraries_[file] == nullptr) std::ofstream(Stem(file) + ".log") << ::dlerror() << "\n";
  });
}

std::string CompiledTexts::Stem(std::size_t file) const {
  return fmt::format("{}/{}", folder_.path(), file);
}

void* CompiledTexts::Find(std::size_t i, const std::string& name) const {
  void* library = libraries_[i / kPerFile];
  return library == nullptr ? nullptr : ::dlsym(library, name.c_str());
}

std::string CompiledTexts::CompilerError(std::size_t i) const {
  std::ifstream log(Stem(i / kPerFile) + ".log");
  std::string first, line;
  while (std::getline(log, line)) {
    if (first.empty() || line.find("error:") != std::string::npos) first = line;
    if (line.find("error:") != std::string::npos) break;
  }
  return first;
}

}  // namespace exh::kernels::testing
