// SPDX-License-Identifier: MIT
//
// The program `search` with one more kind of subject: the toy space,
// with a function of the decisions as its time (toy_subject.h). `search-toy toy FOLDER [WORKER …]`
// searches it; for everything else it is `search`. So it shows what a new kind of subject costs:
// its class, and its line in the list.
#include <atomic>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "search/commands/session.h"
#include "search/functional/functional_subject.h"
#include "search/fused/fused_subject.h"
#include "search/kernel/kernel_subject.h"
#include "search/main.h"
#include "search/subject/registry.h"
#include "tests/search/toy_subject.h"

namespace exh::search {
namespace {

/// `WORDS`: the folder, and commands of workers.
int SearchToy(const std::vector<std::string>& words) {
  SearchOptions options;
  options.out = words.front();
  options.progress = "none";
  options.budgets = {words.size() > 1 ? "evals=200" : "evals=20"};
  options.workers.assign(words.begin() + 1, words.end());
  const std::atomic<bool> interrupted = false;
  Budget budget(options, interrupted);
  try {
    return BeginRun(ToySubject(), options, {.argv = {"search-toy"}, .program = "search-toy"},
                    budget);
  } catch (const Error& error) {
    std::fprintf(stderr, "search-toy: %s\n", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace exh::search

extern "C" void exh_list_of_subjects(std::vector<exh::search::SubjectKind>& kinds) {
  using namespace exh::search;
  kinds = {{"", KernelSubject::Of},
           {kFusedSubject, FusedSubject::Of},
           {kFunctionalSubject, FunctionalSubject::Of},
           {"toy", ToySubject::Of}};
}

int main(int argc, char** argv) {
  if (argc >= 3 && std::string_view(argv[1]) == "toy") {
    return exh::search::SearchToy({argv + 2, argv + argc});
  }
  return exh::search::SearchMain(argc, argv);
}
