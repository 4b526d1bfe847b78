// SPDX-License-Identifier: MIT
#include "search/main.h"

int main(int argc, char** argv) {
  return exh::search::SearchMain(argc, argv);
}
