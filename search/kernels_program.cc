// SPDX-License-Identifier: MIT
#include "search/commands/parts/standard_main.h"

int main(int argc, char** argv) {
  return exh::search::StandardMain(argc, argv, exh::search::NoParts());
}
