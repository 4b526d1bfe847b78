// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/process/compile_process.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

#include "kernels/devices/cuda/process/answer_stream.h"
#include "kernels/devices/cuda/process/compile_protocol.h"

namespace exh::kernels::cuda {
namespace {

using Clock = std::chrono::steady_clock;

CompileAnswer CompileOne(const Nvrtc& nvrtc, const CompileRequest& request) {
  const auto start = Clock::now();
  Cubin cubin =
      nvrtc.Compile(request.source, request.architecture, request.options, request.optimization);
  CompileAnswer answer;
  answer.id = request.id;
  answer.ok = cubin.ok();
  answer.log = std::move(cubin.log);
  answer.why = std::move(cubin.trouble);
  answer.resources = cubin.resources;
  if (cubin.ok()) {
    errno = 0;
    std::ofstream file(request.file, std::ios::binary);
    file << cubin.bytes;
    file.close();
    if (!file) {
      answer.why = fmt::format("cannot write {}: {}", request.file,
                               errno == 0 ? "write error" : std::strerror(errno));
    }
  }
  answer.compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return answer;
}

}  // namespace

int CompileProcessMain() {
  std::ios::sync_with_stdio(false);  // A source comes as one long line.
  const AnswerStream answers;
  const NvrtcOrProblem loaded = Nvrtc::Load(Nvrtc::LibraryNames());
  CompileReady ready;
  ready.why = loaded.problem;
  if (loaded.nvrtc) ready.compiler = loaded.nvrtc->description();
  if (!answers.Write(ToJsonLine(ready)) || !loaded.nvrtc) return 1;
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::optional<CompileRequest> request = ParseCompileRequest(line);
    CompileAnswer answer;
    if (request) {
      answer = CompileOne(*loaded.nvrtc, *request);
    } else {
      answer.why = "the request is not understood";
    }
    if (!answers.Write(ToJsonLine(answer))) return 1;
  }
  return 0;
}

}  // namespace exh::kernels::cuda
