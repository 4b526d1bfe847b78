// SPDX-License-Identifier: MIT
//
// A program with a pool of processes, to be killed: pool_parent SETUP [CUBIN] -- COMMAND... reads
// the set-up of the pool from a file, says "ready" when a process is, and runs the candidate.
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/devices/cuda/pools/gpu_pool.h"
#include "kernels/devices/cuda/process/run_protocol.h"

int main(int argc, char** argv) {
  using namespace exh::kernels::cuda;  // NOLINT: this program is about it
  std::vector<std::string> own, command;
  bool is_own = true;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (is_own && word == "--") {
      is_own = false;
    } else {
      (is_own ? own : command).push_back(word);
    }
  }
  if (own.empty() || command.empty()) return 2;
  std::ifstream file(own.front());
  const auto setup = ParseRunSetup({std::istreambuf_iterator<char>(file), {}});
  if (!setup) return 2;
  GpuPool pool(command, *setup);
  const std::string why = pool.Start();
  std::puts(why.empty() ? "ready" : why.c_str());
  std::fflush(stdout);
  if (own.size() > 1) {
    RunRequest request;
    request.cubin = own[1];
    pool.Run(request);
  }
  while (true) ::pause();
}
