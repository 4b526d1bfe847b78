// SPDX-License-Identifier: MIT
//
// Which values may be read while they run: of texts that say so, and of texts that are like them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "kernels/ir/lowering.h"
#include "kernels/library/registry.h"
#include "kernels/library/text_kernel.h"
#include "kernels/task.h"
#include "tests/kernels/space/sample.h"

namespace exh::kernels {
namespace {

/// "max_top:sub corrects sum_total; …"; empty: nothing may run.
std::string RunningOf(const Kernel& kernel, const Parameters& sizes) {
  const Task task = MakeTask(kernel, sizes, testing::TestDevice(1));
  std::string text;
  for (const ir::Communication& comm : task.function->comms) {
    if (!comm.running) continue;
    text += (text.empty() ? "" : "; ") + comm.name() + " corrects";
    for (const ir::InstId sum : comm.running->corrected) {
      text += " " + task.function->inst(sum).name();
    }
  }
  return text;
}

std::string RunningOf(const std::string& statements) {
  const std::string text =
      "kernel a\n  size m = 4, n = 8\n  scalar c = 2\n  input x: f32[m, n]\n"
      "  input v: f32[n]\n" +
      statements + "end\n";
  const TextKernel kernel("a.kernel", text);
  return RunningOf(kernel, {{"m", 4}, {"n", 8}});
}

TEST(FindRunning, TermsOfAMaximumEndInSums) {
  EXPECT_EQ(RunningOf(*FindKernel("logsumexp"), {{"m", 4}, {"n", 8}, {"type", 0}}),
            "max_top:sub corrects sum_total");
  EXPECT_EQ(RunningOf(*FindKernel("attention"), {{"h", 1},
                                                 {"m", 4},
                                                 {"n", 8},
                                                 {"d", 4},
                                                 {"dv", 4},
                                                 {"group", 1},
                                                 {"causal", 0},
                                                 {"window", 0},
                                                 {"type", 0}}),
            "max_top:sub corrects sum_total; max_top:sub_2 corrects mad_y");
}

constexpr const char* kTop = "  output y: f32[m]\n  top[i] = max(j) x[i, j]\n";

TEST(FindRunning, TermsMayBeScaledNegatedAndCast) {
  for (const char* const term :
       {"exp(x[i, j] - top[i])", "c * exp(x[i, j] - top[i])", "exp(x[i, j] - top[i]) * v[j]",
        "exp(x[i, j] - top[i]) / v[j]", "-exp(x[i, j] - top[i])",
        "cast(f32, cast(f16, exp(x[i, j] - top[i]))) * x[i, j]"}) {
    const std::string text = fmt::format("{}  y[i] = sum(j) (({}) + 0 * v[j])\n", kTop, term);
    // With something added, the term is none.
    EXPECT_EQ(RunningOf(text), "") << text;
    const std::string plain = fmt::format("{}  y[i] = sum(j) ({})\n", kTop, term);
    const bool has_v = std::string(term).find("v[") != std::string::npos;
    const std::string unused = has_v ? "" : "  output z: f32[n]\n  z[j] = v[j]\n";
    EXPECT_NE(RunningOf(plain + unused), "") << plain;
  }
}

TEST(FindRunning, WhatIsNoSumOfTermsWaits) {
  for (const char* const rest : {
           "  y[i] = sum(j) exp(top[i] - x[i, j])\n",                   // It grows.
           "  y[i] = sum(j) (x[i, j] - top[i])\n",                      // No exp.
           "  y[i] = max(j) exp(x[i, j] - top[i])\n",                   // No sum.
           "  y[i] = sum(j) exp(exp(x[i, j] - top[i]))\n",              // No multiple.
           "  y[i] = sum(j) v[j] / exp(x[i, j] - top[i])\n",            // It divides.
           "  y[i] = sum(j) (v[j] < 0 ? exp(x[i, j] - top[i]) : 0)\n",  // Maybe it has no terms.
           "  y[i] = sum(j) exp(x[i, j] - top[i]) * exp(x[i, j] - top[i])\n",  // It shrinks twice.
           "  e[i, j] = exp(x[i, j] - top[i])\n  y[i] = sum(j) e[i, j] * (2 * e[i, j])\n",
           "  y[i] = sum(j: f64) exp(x[i, j] - top[i])\n",    // Wider than the maximum.
           "  y[i] = v[0] + sum(j) exp(x[i, j] - top[i])\n",  // It begins with something.
       }) {
    const bool has_v = std::string(rest).find("v[") != std::string::npos;
    const std::string text =
        std::string(kTop) + rest + (has_v ? "" : "  output z: f32[n]\n  z[j] = v[j]\n");
    EXPECT_EQ(RunningOf(text), "") << text;
  }
  // What is stored has no time to be corrected.
  EXPECT_EQ(RunningOf("  output y: f32[m, n]\n  output z: f32[n]\n  z[j] = v[j]\n"
                      "  top[i] = max(j) x[i, j]\n  y[i, j] = exp(x[i, j] - top[i])\n"),
            "");
}

}  // namespace
}  // namespace exh::kernels
