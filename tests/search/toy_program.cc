// SPDX-License-Identifier: MIT
//
// The program `search` with one more kind of subject, which is all in this file: the toy space,
// with a function of the decisions as its time. `search-toy toy FOLDER` searches it; for everything
// else it is `search`. So it shows what a new kind of subject costs: its class, and its line in the
// list.
#include <atomic>
#include <memory>
#include <string_view>

#include "search/commands/session.h"
#include "search/functional/functional_subject.h"
#include "search/fused/fused_subject.h"
#include "search/kernel/kernel_subject.h"
#include "search/main.h"
#include "search/report/comparison.h"
#include "search/report/report.h"
#include "search/subject/registry.h"
#include "tests/search/fake_evaluator.h"
#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

class ToySubject final : public Subject {
 public:
  static std::unique_ptr<Subject> Of(const RunRecord&, const Allowance&) {
    return std::make_unique<ToySubject>();
  }
  std::string name() const override { return "toy"; }
  runtime::Candidate root() const override { return ToyRoot(); }
  void Describe(RunRecord& run) const override {
    run.subject = run.kernel = "toy";
    run.device = "nowhere";
  }
  std::string Outline(const runtime::Candidate&) const override { return "one loop\n"; }
  kernels::Source Emit(const runtime::Candidate& implementation) const override {
    return FakeEvaluator().Emit(implementation);
  }
  std::unique_ptr<Evaluator> MakeEvaluator(const EvaluatorOptions&) const override {
    return std::make_unique<FakeEvaluator>();
  }
  std::string InWords(const Comparison& comparison) const override {
    return ComparisonText(comparison.records);
  }
};

int SearchToy(const std::string& folder) {
  SearchOptions options;
  options.out = folder;
  options.progress = "none";
  options.budgets = {"evals=20"};
  const std::atomic<bool> interrupted = false;
  Budget budget(options, interrupted);
  return BeginRun(ToySubject(), options, {.argv = {"search-toy"}, .program = "search-toy"}, budget);
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
  if (argc == 3 && std::string_view(argv[1]) == "toy") return exh::search::SearchToy(argv[2]);
  return exh::search::SearchMain(argc, argv);
}
