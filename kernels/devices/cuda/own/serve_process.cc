// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/own/serve_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "kernels/devices/cuda/driver/gpu.h"
#include "kernels/devices/cuda/driver/timer.h"
#include "kernels/devices/cuda/own/launch_limits.h"
#include "kernels/devices/cuda/own/own_arrays.h"
#include "kernels/devices/cuda/own/own_constants.h"
#include "kernels/devices/cuda/own/setup.h"
#include "kernels/devices/cuda/process/answer_stream.h"
#include "kernels/devices/cuda/process/json_lines.h"
#include "kernels/devices/own/own_launch_json.h"

namespace exh::kernels::cuda {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr double kLeastCapNs = 5e6;  ///< What a first launch may take by what is around it.
/// Beyond the cap. A kernel that reads nobody's memory ends when the driver has seen to that, which
/// was found to take more than 50 ms; and another process costs more than this.
constexpr double kPatienceNs = 1e9;
constexpr double kWaitNs = 10e9;       ///< For what nobody wants to be without.
constexpr double kForeverNs = 3600e9;  ///< Whoever asks ends this sooner.

std::string BytesOfFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// One configuration, loaded and ready to be launched.
struct LoadedKernel {
  Module module;
  CUfunction function = nullptr;
  WideLaunch launch;
  OwnConstants::Places constants;
};

class OwnServer {
 public:
  OwnServer(const Driver& driver, const OwnSetup& setup)
      : driver_(driver),
        entry_(setup.entry),
        gpu_(driver, setup.ordinal),
        programs_(gpu_, BytesOfFile(setup.programs)),
        timer_(gpu_, programs_.Function("exh_clock")),
        constants_(gpu_, setup.constants) {
    LoadedKernel kernel;
    const auto [verdict, why] = Load(setup.reference_cubin, setup.reference, kernel);
    if (!why.empty()) throw GpuError(why);
    const std::string missing =
        constants_.Find(kernel.module, /*needs_all=*/true, kernel.constants);
    if (!missing.empty()) throw GpuError(missing);
    constants_.Fill(kernel.constants);
    arrays_.emplace(gpu_, programs_, setup, [&](void** arguments) {
      RunToEnd([&] { gpu_.LaunchWide(kernel.function, kernel.launch, arguments); });
    });
    // As a candidate: it writes within its arrays, and another run has the same results.
    arrays_->Restore();
    constants_.Fill(kernel.constants);
    std::vector<void*> arguments = arrays_->Arguments(setup.reference);
    gpu_.Synchronize();
    RunToEnd([&] { gpu_.LaunchWide(kernel.function, kernel.launch, arguments.data()); });
    const DataSet::Verdict again = arrays_->Check();
    if (!again.why.empty()) throw GpuError(again.why + ", in its second run");
  }

  std::string name() const {
    return fmt::format("{}, driver {}", gpu_.facts().name, driver_.version());
  }

  Json Answer(const Json& question) {
    Json answer = {{"id", question.value("id", std::uint64_t{0})}};
    if (question.value("begin", false)) {
      answer["ready"] = name();
      return answer;
    }
    try {
      Measure(question, answer);
    } catch (const GpuError& error) {
      Say("crash", error.what(), answer);
      answer["ends"] = true;  // Whatever it was, this context is not trusted any further.
    } catch (const Json::exception& error) {
      answer["problem"] = fmt::format("the question is not understood: {}", error.what());
    }
    return answer;
  }

 private:
  static void Say(const char* verdict, const std::string& why, Json& answer) {
    answer["verdict"] = verdict;
    answer["why"] = why;
  }

  static void SayItDoesNotEnd(double limit_ns, Json& answer) {
    Say("slow", fmt::format("did not end in {:.0f} ms", limit_ns / 1e6), answer);
    answer["ends"] = true;
  }

  void RunToEnd(const std::function<void()>& launch) {
    if (!timer_.Once(launch, kForeverNs)) throw GpuError("it does not end");
  }

  struct Refusal {
    const char* verdict = "crash";
    std::string why;  ///< Empty: it is none.
  };
  Refusal Load(const std::string& cubin, const OwnLaunch& launch, LoadedKernel& kernel) {
    const auto refused = [](const std::string& why) {
      return Refusal{"crash", "not launched: " + why};
    };
    if (std::string why = ProblemOfLaunch(launch, gpu_.facts(), kernel.launch); !why.empty()) {
      return refused(why);
    }
    const std::string code = BytesOfFile(cubin);
    if (code.empty()) throw GpuError(fmt::format("cannot read {}", cubin));
    kernel.module = Module(gpu_, code);
    kernel.function = kernel.module.Find(entry_.c_str());
    if (kernel.function == nullptr) {
      return {"compile_error",
              fmt::format("no kernel '{}' came of it: is its name made of defines, or is it within "
                          "a namespace without 'extern \"C\"'?",
                          entry_)};
    }
    std::string problem = constants_.Find(kernel.module, /*needs_all=*/false, kernel.constants);
    if (!problem.empty()) return refused(problem);
    const unsigned int shared = kernel.launch.shared_bytes;
    if (shared > 0 && gpu_.cu().cuFuncSetAttribute(kernel.function, kMaxDynamicSharedBytes,
                                                   static_cast<int>(shared)) != kSuccess) {
      return refused(fmt::format(
          "{} bytes of dynamic shared memory, beside what the kernel declares, are too many",
          shared));
    }
    kernels::Launch flat;
    flat.threads = kernel.launch.threads();
    flat.shared_bytes = shared;
    if (gpu_.Occupancy(kernel.function, flat) > 0) return {};
    return refused(
        fmt::format("no multiprocessor holds a block of {} threads with {} bytes of shared memory "
                    "and the registers that it has",
                    flat.threads, shared));
  }

  void Measure(const Json& question, Json& answer) {
    const auto launch = question.at("launch").get<OwnLaunch>();
    const bool is_final = question.value("effort", "quick") != "quick";
    const double cap_ns = question.value("cap_ns", 0.0);
    kernel_ = std::make_unique<LoadedKernel>();
    LoadedKernel& kernel = *kernel_;
    const Refusal refusal = Load(question.at("cubin").get<std::string>(), launch, kernel);
    if (!refusal.why.empty()) return Say(refusal.verdict, refusal.why, answer);
    std::vector<void*> arguments = arrays_->Arguments(launch);
    const auto run = [&] { gpu_.LaunchWide(kernel.function, kernel.launch, arguments.data()); };

    const double most_ns = std::max(cap_ns, kLeastCapNs);
    const double limit_ns = cap_ns > 0 ? most_ns + (is_final ? kWaitNs : kPatienceNs) : kForeverNs;
    const auto start = Clock::now();
    double once_ns = 0;
    if (!RunChecked(kernel, run, limit_ns, "", once_ns, answer)) return;
    answer["check_ms"] = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (cap_ns > 0 && once_ns > most_ns && !is_final) {
      // The first launch of all may wait for the driver: stacks, and what a kernel prints into.
      const std::optional<double> again_ns = timer_.Once(run, limit_ns);
      if (!again_ns) return SayItDoesNotEnd(limit_ns, answer);
      once_ns = std::min(once_ns, *again_ns);
    }
    if (cap_ns > 0 && once_ns > most_ns && !is_final) {
      answer["runtimes_ns"] = {once_ns};
      return Say("slow",
                 fmt::format("{:.0f} us, the cap is {:.0f} us", once_ns / 1e3, most_ns / 1e3),
                 answer);
    }
    TimerOptions options;
    constexpr double kFinalBatchNs = 2e6;
    if (is_final) options.batch_ns = kFinalBatchNs;
    if (!is_final) options.stop_ns = cap_ns;
    const Timing timing = timer_.Time([&](int) { run(); }, once_ns, options);
    answer["runtimes_ns"] = timing.batch_ns;
    if (is_final && !RunChecked(kernel, run, limit_ns, " after the timed runs", once_ns, answer)) {
      return;
    }
    answer["verdict"] = "correct";
  }

  /// One launch on restored arrays, and the check of all that it wrote. False: that decides.
  bool RunChecked(const LoadedKernel& kernel, const std::function<void()>& run, double limit_ns,
                  const char* when, double& once_ns, Json& answer) {
    arrays_->Restore();
    constants_.Fill(kernel.constants);
    gpu_.Synchronize();
    const std::optional<double> ns = timer_.Once(run, limit_ns);
    if (!ns) {
      SayItDoesNotEnd(limit_ns, answer);
      return false;
    }
    once_ns = *ns;
    const DataSet::Verdict verdict = arrays_->Check();
    const auto worst = [&](const char* key, double value) {
      if (std::isfinite(value)) answer[key] = std::max(value, answer.value(key, 0.0));
    };
    worst("max_error", verdict.max_error);
    worst("error_ratio", verdict.max_ratio);
    if (verdict.is_spoilt) answer["ends"] = true;
    if (verdict.why.empty()) return true;
    Say("wrong", verdict.why + when, answer);
    return false;
  }

  const Driver driver_;
  const std::string entry_;
  Gpu gpu_;
  Module programs_;
  Timer timer_;
  OwnConstants constants_;
  std::optional<OwnArrays> arrays_;
  /// What was asked for last, until the next question: to unload it waits for its launch, and an
  /// answer may say that this does not end.
  std::unique_ptr<LoadedKernel> kernel_;
};

/// Null: `problem` says why.
std::unique_ptr<OwnServer> MakeServer(const std::string& path, std::string& problem) {
  try {
    const OwnSetup setup = ParseOwnSetup(BytesOfFile(path));
    const DriverOrProblem loaded = Driver::Load(setup.drivers);
    if (loaded.driver) return std::make_unique<OwnServer>(*loaded.driver, setup);
    problem = loaded.problem;
  } catch (const GpuError& error) {
    problem = fmt::format("the default configuration: {}", error.what());
  } catch (const Json::exception& error) {
    problem = fmt::format("{} is no set-up: {}", path, error.what());
  }
  return nullptr;
}

}  // namespace

int ServeProcessMain(const std::string& path) {
  const AnswerStream answers;
  std::string problem;
  const std::unique_ptr<OwnServer> server = MakeServer(path, problem);
  std::string line;
  while (std::getline(std::cin, line)) {
    const Json question = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    Json answer = Json::object();
    if (!question.is_object()) {
      answer["problem"] = "the question is not understood";
    } else if (server == nullptr) {
      answer = {{"id", question.value("id", std::uint64_t{0})}, {"problem", problem}};
    } else {
      answer = server->Answer(question);
    }
    // No destructors: they would wait for a kernel that does not end.
    if (!answers.Write(JsonLine(answer)) || server == nullptr || answer.value("ends", false)) {
      ::_exit(0);
    }
  }
  ::_exit(0);
}

}  // namespace exh::kernels::cuda
