// SPDX-License-Identifier: MIT
#include "search/commands/parts/standard_main.h"
#include "search/kernel/kernel_subject.h"
#include "search/subject/registry.h"

extern "C" void exh_list_of_subjects(std::vector<exh::search::SubjectKind>& kinds) {
  kinds = {{"", exh::search::KernelSubject::Of}};
}

int main(int argc, char** argv) {
  return exh::search::StandardMain(argc, argv, exh::search::NoParts());
}
