// SPDX-License-Identifier: MIT
#include "base/system/standard_streams.h"
#include "search/main.h"

int main(int argc, char** argv) {
  exh::OpenStandardFiles();
  exh::ForgiveOutput();
  return exh::FinishOutput(exh::search::SearchMain(argc, argv));
}
