// SPDX-License-Identifier: MIT
#include "tests/kernels/space/compiled_batch.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "kernels/codegen/cpu_printer.h"
#include "kernels/problem.h"
#include "runtime/check.h"

namespace exh::kernels::testing {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kPerFile = 10;  ///< Starting a compiler for each would double the time.

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "exhaust-space-XXXXXX").string();
    EXH_CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Each implementation in a namespace of its own, its entry numbered.
std::string PrintBatch(const Sample& sample, std::size_t begin, std::size_t end,
                       codegen::Fault fault) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    const std::string source = codegen::PrintCpu(*sample.task.function, sample.schedules[i],
                                                 {.checked = true, .fault = fault});
    std::string numbered;
    for (std::size_t at = 0;;) {
      const std::size_t next = source.find("exh_run", at);
      numbered += source.substr(at, next - at);
      if (next == std::string::npos) break;
      numbered += fmt::format("exh_run_{}", i);
      at = next + 7;
    }
    text += fmt::format("namespace n{} {{\n{}\n}}\n", i, numbered);
  }
  return text;
}

/// Runs `work(0) … work(count - 1)` on all cores.
template <typename Work>
void InParallel(std::size_t count, Work work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

class Checker {
 public:
  explicit Checker(const Task& task) : task_(task), problem_(MakeProblem(task, 1)) {
    for (const ir::Scalar& scalar : task.function->scalars) scalars_.push_back(scalar.value);
  }

  using Run = void (*)(float* const*, const float*, int, unsigned char* const*);
  std::string Check(Run run) const {
    std::vector<std::vector<float>> arrays;
    std::vector<std::vector<unsigned char>> written;
    for (const ir::Array& array : task_.function->arrays) {
      const ArrayData& data = problem_.find(array.name)->second;
      arrays.push_back(data.values);
      arrays.back().resize(array.elements, std::numeric_limits<float>::quiet_NaN());
      written.emplace_back(array.elements, 0);
    }
    std::vector<float*> array_pointers;
    std::vector<unsigned char*> written_pointers;
    for (auto& array : arrays) array_pointers.push_back(array.data());
    for (auto& counts : written) written_pointers.push_back(counts.data());
    run(array_pointers.data(), scalars_.data(), 2, written_pointers.data());
    for (const ir::Array& array : task_.function->arrays) {
      if (array.role != ir::ArrayRole::kOutput) continue;
      const ArrayData& data = problem_.find(array.name)->second;
      for (std::size_t i = 0; i < array.elements; ++i) {
        const double got = arrays[array.id.index()][i];
        if (!(std::abs(got - data.reference[i]) <= data.tolerance[i])) {
          return fmt::format("{}[{}] is {}, not {}", array.name, i, got, data.reference[i]);
        }
        const int writes = written[array.id.index()][i];
        if (writes != 1) return fmt::format("{}[{}] was written {} times", array.name, i, writes);
      }
    }
    return "";
  }

 private:
  const Task& task_;
  ProblemData problem_;
  std::vector<float> scalars_;
};

}  // namespace

std::vector<std::string> RunPrinted(const Sample& sample, codegen::Fault fault) {
  const Folder folder;
  const std::size_t count = sample.schedules.size();
  const std::size_t batches = (count + kPerFile - 1) / kPerFile;
  InParallel(batches, [&](std::size_t batch) {
    const std::string stem = fmt::format("{}/{}", folder.path(), batch);
    std::ofstream(stem + ".cc") << PrintBatch(sample, batch * kPerFile,
                                              std::min(count, (batch + 1) * kPerFile), fault);
    const std::string command = fmt::format(
        "g++ -O0 -march=native -fopenmp -Wno-psabi -shared -fPIC '{0}.cc' -o '{0}.so' 2>'{0}.log'",
        stem);
    // A batch that does not compile has no library: each of its implementations says so below.
    if (std::system(command.c_str()) != 0) fs::remove(stem + ".so");
  });
  const Checker checker(sample.task);
  std::vector<std::string> messages;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string stem = fmt::format("{}/{}", folder.path(), i / kPerFile);
    void* library = ::dlopen((stem + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    void* run = library ? ::dlsym(library, fmt::format("exh_run_{}_checked", i).c_str()) : nullptr;
    if (run == nullptr) {
      std::ifstream log(stem + ".log");
      std::string first;
      std::getline(log, first);
      messages.push_back("did not compile: " + first);
      continue;
    }
    // Never closed: libgomp's threads may still be in it.
    messages.push_back(checker.Check(reinterpret_cast<Checker::Run>(run)));
  }
  return messages;
}

}  // namespace exh::kernels::testing
