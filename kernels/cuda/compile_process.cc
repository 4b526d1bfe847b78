// SPDX-License-Identifier: MIT
//
// The process behind CompilePool: it says which compiler it has, then compiles text after text.
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "kernels/cuda/compile_pool.h"

namespace exh::kernels::cuda {
namespace {

using nlohmann::json;

bool Answer(const json& object) {
  const std::string line = object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  std::size_t done = 0;
  while (done < line.size()) {
    const ssize_t n = ::write(STDOUT_FILENO, line.data() + done, line.size() - done);
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

json CompileOne(const Nvrtc& nvrtc, const json& request) {
  const Cubin cubin = nvrtc.Compile(request.at("source").get<std::string>(),
                                    request.at("architecture").get<std::string>());
  std::string why;
  if (cubin.ok()) {
    const auto path = request.at("file").get<std::string>();
    std::ofstream file(path, std::ios::binary);
    file << cubin.bytes;
    file.close();
    if (!file) why = "cannot write " + path;
  }
  return {{"ok", cubin.ok()},
          {"why", why},
          {"log", cubin.log},
          {"registers", cubin.resources.registers},
          {"spill_bytes", cubin.resources.spill_bytes},
          {"shared_bytes", cubin.resources.shared_bytes}};
}

}  // namespace

int CompileProcessMain() {
  const NvrtcOrProblem loaded = Nvrtc::Load(Nvrtc::LibraryNames());
  if (!loaded.nvrtc) return Answer({{"why", loaded.problem}}) ? 1 : 2;
  if (!Answer({{"compiler", loaded.nvrtc->description()}})) return 2;
  std::string line;
  while (std::getline(std::cin, line)) {
    try {
      if (!Answer(CompileOne(*loaded.nvrtc, json::parse(line)))) return 2;
    } catch (const json::exception& error) {
      Answer({{"ok", false},
              {"why", error.what()},
              {"log", ""},
              {"registers", 0},
              {"spill_bytes", 0},
              {"shared_bytes", 0}});
    }
  }
  return 0;
}

}  // namespace exh::kernels::cuda
