// SPDX-License-Identifier: MIT
#include "tests/search/gpu_log.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "kernels/devices/backend.h"
#include "kernels/library/registry.h"
#include "search/descend/descent.h"
#include "search/log/decisions.h"
#include "search/log/event_log.h"

namespace exh::search {
namespace {

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool IsWanted(const GpuRun& wish, const std::string& source) {
  const auto has = [&](const std::string& part) { return Has(source, part); };
  return std::all_of(wish.wanted.begin(), wish.wanted.end(), has) &&
         std::none_of(wish.unwanted.begin(), wish.unwanted.end(), has);
}

RunRecord Header(const Problem& problem) {
  RunRecord run;
  run.tool = "search 0.1.0";
  run.started = "2026-01-31T12:00:00Z";
  run.space = problem.task.instance->space().name;
  run.fingerprint = problem.task.instance->fingerprint();
  run.kernel = problem.kernel->name();
  if (kernels::FindKernel(run.kernel) == nullptr) run.text = problem.kernel->text();
  run.sizes = problem.sizes;
  run.device = problem.device.name;
  run.decisions = problem.space();
  run.limits = DeviceLimits(problem.device);
  run.conditions = "NVIDIA H200, driver 13.0, warm L2";
  run.seed = 7;
  run.flops = problem.task.flops;
  return run;
}

ReferenceRecord Reference(const std::string& name, double ns) {
  ReferenceRecord record;
  record.name = name;
  record.verdict = kernels::Verdict::kCorrect;
  record.best_ns = record.lo_ns = 0.9 * ns;
  record.median_ns = ns;
  record.hi_ns = 1.1 * ns;
  return record;
}

}  // namespace

GpuLog WriteGpuLog(const GpuRun& wish, const std::string& folder) {
  ProblemOptions options;
  options.kernel = wish.kernel;
  options.size = wish.size;
  options.device = wish.device;
  options.space = wish.space;
  // Code that compiles in a moment and runs on a processor, too; and some temporaries in main
  // memory.
  if (wish.device == "h200") {
    options.limits = {"max_threads=64", "max_unroll=16", "global_bytes=65536"};
  }
  const Problem problem = MakeProblem(options);
  const runtime::Candidate root = problem.root();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  GpuLog log;
  runtime::Candidate found = root;
  for (std::uint64_t seed = 1; log.path.empty(); ++seed) {
    EXH_CHECK(seed < 100000);
    Descender descender(order, 100);
    Random random(seed);
    if (descender.Run(root, random, [](const DeadEnd&) {}) != DescentResult::kImplementation) {
      continue;
    }
    log.source = kernels::EmitSource(problem.task, descender.candidate());
    if (!IsWanted(wish, log.source.text)) continue;
    found = descender.candidate();
    log.path = descender.path();
    CompletePath(root, found, order, log.path);
  }

  EventLog file(folder + "/log.jsonl");
  log.run = Header(problem);
  file.Write(log.run);
  for (const ChoiceRecord& choice : ChoiceRecords(root.instance())) file.Write(choice);
  for (const std::uint64_t n : {1, 2, 3, 4}) {
    EvalRecord eval;
    eval.n = n;
    eval.path = log.path;
    eval.vector = VectorText(found);
    eval.verdict = n == 1 ? kernels::Verdict::kWrong : kernels::Verdict::kCorrect;
    eval.runtimes_ns = {41300, 40200, 40900};
    eval.best_ns = 40200;
    eval.registers = 96;
    eval.blocks_per_sm = 5;
    eval.clock_mhz = 1980;
    eval.max_error = 2.1e-5;
    eval.error_ratio = 0.035;
    file.Write(eval);
  }
  for (const auto& [name, ns] : std::vector<std::pair<std::string, double>>{
           {"winner", 40000}, {"record 4", 60000}, {"naive", 400000}, {"cublas", wish.cublas_ns}}) {
    file.Write(Reference(name, ns));
  }
  RatesRecord rates;
  rates.driver_copy_gbs = 4200;
  rates.kernel_copy_gbs = 4100;
  rates.fma_gflops = 60000;
  file.Write(rates);
  BestRecord best;
  best.n = 2;
  best.ns = 40000;
  file.Write(best);
  return log;
}

}  // namespace exh::search
