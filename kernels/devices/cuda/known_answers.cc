// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/known_answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <optional>

#include "base/numbers.h"
#include "base/system/process.h"
#include "kernels/devices/cuda/driver/driver.h"
#include "kernels/devices/cuda/probes/known_texts.h"
#include "kernels/devices/cuda/process/answer_stream.h"

namespace exh::kernels::cuda {
namespace {

KnownAnswers Trouble(const std::string& compiler, const std::string& why) {
  KnownAnswers none;
  none.compiler = compiler;
  none.trouble = why;
  return none;
}

KnownAnswers AskOnGpu(int ordinal) {
  const DriverOrProblem loaded = Driver::Load(Driver::LibraryNames());
  if (!loaded.driver) return Trouble("", loaded.problem);
  const auto [nvrtc, problem] = Nvrtc::Load(Nvrtc::LibraryNames());
  if (!nvrtc) return Trouble("", problem);
  try {
    const Gpu gpu(*loaded.driver, ordinal);
    return AskNvrtc(*nvrtc, gpu);
  } catch (const GpuError& error) {
    return Trouble(nvrtc->description(), error.what());
  }
}

}  // namespace

int KnownAnswersMain() {
  const AnswerStream answers;
  std::string line;
  std::getline(std::cin, line);
  const std::optional<std::int64_t> gpu = ParseInteger(line);
  const KnownAnswers known =
      gpu ? AskOnGpu(static_cast<int>(*gpu)) : Trouble("", "the request is not understood");
  return answers.Write(ToJson(known) + "\n") ? 0 : 1;
}

KnownAnswers KnownAnswersOf(const std::string& compiler, const std::string& architecture, int gpu,
                            const StopToken* stop) {
  const std::string name = fmt::format("{} for {}", compiler, architecture);
  std::string remedies;
  for (const auto& remedy : KnownRemedies())
    remedies += fmt::format("{}\n", fmt::join(remedy, " "));
  const std::string key =
      fmt::format("{}\n{}\n{}", name, DigestOf(KnownTexts(architecture)), remedies);
  if (std::optional<KnownAnswers> known = FindKnownAnswers(key)) return *std::move(known);
  ProcessRequest request;
  request.argv = {ThisProgram(), kAskNvrtc};
  request.input = fmt::format("{}\n", gpu);
  constexpr double kPatience = 120;  // Of a GPU that is busy, too.
  request.timeout_s = PatienceSeconds(kPatience, stop);
  request.stop = stop;
  const ProcessResult result = RunProcess(request);
  std::optional<KnownAnswers> known = ParseKnownAnswers(result.out);
  if (!result.ok() || !known) {
    const std::string why(Trim(result.err));
    return Trouble(name, !why.empty()            ? why.substr(0, why.find('\n'))
                         : !result.error.empty() ? result.error
                                                 : "its process did not end well");
  }
  known->compiler = name;
  KeepKnownAnswers(key, *known);
  return *std::move(known);
}

}  // namespace exh::kernels::cuda
