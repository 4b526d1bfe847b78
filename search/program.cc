// SPDX-License-Identifier: MIT
#include "search/main.h"
#include "search/standard_streams.h"

int main(int argc, char** argv) {
  exh::search::OpenStandardFiles();
  exh::search::ForgiveOutput();
  return exh::search::FinishOutput(exh::search::SearchMain(argc, argv));
}
