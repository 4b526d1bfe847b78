// SPDX-License-Identifier: MIT
#include "tests/support/cuda_program.h"

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/system/process.h"
#include "tests/kernels/codegen/temporary_folder.h"
#include "tests/support/tree.h"

namespace exh::tests {
namespace {

using kernels::testing::TemporaryFolder;

/// Empty when the compiler succeeds and says nothing.
std::string Compile(const std::string& text, const std::string& path,
                    std::vector<std::string> command) {
  std::ofstream(path) << text;
  command.push_back(path);
  ProcessRequest request;
  request.argv = std::move(command);
  request.timeout_s = 120;
  const ProcessResult result = RunProcess(request);
  if (result.ok() && result.out.empty() && result.err.empty()) return "";
  return "compiler: " + result.out + result.err + result.error;
}

}  // namespace

ProgramRun RunOnProcessor(const std::string& text) {
  const TemporaryFolder folder;
  const std::string program = folder.path() + "/program";
  ProgramRun run;
  // Kernels take tensor maps by value, and g++ has a note on how old versions passed these.
  run.compiler =
      Compile(text, program + ".cu",
              {"g++", "-std=c++20", "-Wno-psabi", "-I",
               std::string(kSourceDir) + "/tests/support/fake_cuda", "-o", program, "-x", "c++"});
  if (!run.compiler.empty()) return run;
  ProcessRequest request;
  request.argv = {program};
  const ProcessResult result = RunProcess(request);
  if (result.status == ProcessResult::Status::kExited) run.code = result.code;
  run.out = result.out;
  run.err = result.err + result.error;
  return run;
}

std::string FindNvcc() {
  const std::string found = FindProgram("nvcc");
  if (!found.empty()) return found;
  const std::string usual = "/usr/local/cuda/bin/nvcc";
  return std::filesystem::exists(usual) ? usual : "";
}

std::string CompileWithNvcc(const std::string& text, const std::string& architecture) {
  const TemporaryFolder folder;
  return Compile(text, folder.path() + "/program.cu",
                 {FindNvcc(), "-arch=" + architecture, "-Werror", "all-warnings", "-o",
                  folder.path() + "/program"});
}

}  // namespace exh::tests
