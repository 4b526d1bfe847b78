// SPDX-License-Identifier: MIT
//
// A program with a worker, to be killed: starts the command line, passes its first line on, waits.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "kernels/devices/cuda/process/worker.h"

int main(int argc, char** argv) {
  exh::kernels::cuda::Worker worker(std::vector<std::string>(argv + 1, argv + argc));
  std::string line;
  worker.Receive(60, line);
  std::puts(line.c_str());
  std::fflush(stdout);
  while (true) ::pause();
}
