// SPDX-License-Identifier: MIT
//
// The disposable process of the tests: what `search run-candidate` is to the search.
#include "kernels/cpu/contain/runner.h"

int main() {
  return exh::kernels::cpu::RunnerMain();
}
