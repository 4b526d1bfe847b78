// SPDX-License-Identifier: MIT
//
// A small log with one record of each type.
#pragma once

#include <string>

#include "search/log/event_log.h"

namespace exh::search {

inline RunRecord SampleRun() {
  RunRecord run;
  run.tool = "search 0.1.0";
  run.started = "2026-01-31T12:00:00Z";
  run.space = "toy";
  run.fingerprint = "f00d";
  run.kernel = "matmul";
  run.sizes = {{"m", 512}, {"n", 4}};
  run.device = "cpu";
  run.limits = {{"max_threads", "1"}, {"vector_sizes", "[2,4]"}};
  run.conditions = "2 threads, g++ -O3";
  run.seed = 7;
  run.flops = 2e9;
  run.argv = {"./exh search", "--kernel", "mat\"mul\n"};
  run.order = {"mode", "color"};
  return run;
}

inline ChoiceRecord SampleChoice(int index) {
  ChoiceRecord choice;
  choice.index = index;
  choice.name = index == 0 ? "mode" : "color";
  choice.args = {index == 0 ? "r" : std::string(1, static_cast<char>('a' + index - 1))};
  choice.domain = index == 0 ? std::vector<std::string>{"LOOSE", "TIGHT"}
                             : std::vector<std::string>{"RED", "GREEN", "BLUE"};
  return choice;
}

inline EvalRecord SampleEval(std::uint64_t n) {
  EvalRecord eval;
  eval.n = n;
  eval.dt = 0.25 * static_cast<double>(n);
  eval.path = {{0, 0}, {2, static_cast<int>(n % 3)}};
  eval.vector = n % 2 == 0 ? "01." : "021";
  eval.hash = "00112233445566aa";
  eval.code = "ffeeddccbbaa9988";
  eval.verdict = n == 3 ? kernels::Verdict::kWrong : kernels::Verdict::kCorrect;
  eval.why = n == 3 ? "z[3] is \xff not 1" : "";  // Not UTF-8, as compilers do.
  eval.compile_ms = 812.5;
  eval.check_ms = 14.25;
  eval.runtimes_ns = {1000.5, 900.0 + static_cast<double>(n)};
  eval.best_ns = n == 3 ? 0 : 900.0 + static_cast<double>(n);
  eval.max_error = 2.1e-5;
  eval.error_ratio = 0.035;
  return eval;
}

inline std::string SampleLogText() {
  std::string text;
  LogTail tail;
  const auto add = [&](const auto& record) { text += SealLine(RecordText(ToJson(record)), tail); };
  add(SampleRun());
  for (int index = 0; index < 3; ++index) add(SampleChoice(index));
  DeadRecord dead;
  dead.label = "different";
  dead.depth = 2;
  dead.step = {1, 2};
  add(dead);
  for (std::uint64_t n = 1; n <= 4; ++n) add(SampleEval(n));
  BestRecord best;
  best.n = 2;
  best.ns = 902;
  add(best);
  ReferenceRecord reference;
  reference.name = "naive";
  reference.verdict = kernels::Verdict::kCorrect;
  reference.best_ns = 2e6;
  reference.runtimes_ns = {2e6};
  add(reference);
  EndRecord end;
  end.why = "budget:evals";
  end.seconds = {{"descend", 0.25}, {"compile", 1.5}};
  end.dt = 3.5;
  end.evaluations = 4;
  end.descents = 9;
  end.duplicates = 5;
  end.best = 2;
  end.verdicts = {{"correct", 3}, {"wrong", 1}};
  end.dead_ends = {{"different", 1}};
  add(end);
  return text;
}

}  // namespace exh::search
