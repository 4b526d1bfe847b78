// SPDX-License-Identifier: MIT
//
// Evaluations a second with one pilot and with several, of 50 ms each: [--pilots 4] [--simulate N]
//
// Pilots are copies of this program that search the toy space of tests/search and take 50 ms for
// each measurement. With --simulate they answer without looking at what was asked: 1, 2, 4 … N of
// them on the space of matmul 1024 on [--device cpu] show where the process that decides is what
// takes longest.
// [--ms 50] is the time of a measurement, [--seconds 8] that of a search.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/system/process.h"
#include "search/fleet/fleet_evaluator.h"
#include "search/fleet/message_lines.h"
#include "search/fleet/pilot_process.h"
#include "search/fleet/pilot_protocol.h"
#include "search/kernel/kernel_subject.h"
#include "search/log/decisions.h"
#include "search/run/explorer.h"
#include "tests/search/temp_folder.h"
#include "tests/search/toy_subject.h"

namespace exh::search {
namespace {

/// Answers each task after `ms` with a time that is a function of the code's hash.
int FakePilot(int ms) {
  MessageReader reader;
  for (std::string line; std::getline(std::cin, line);) {
    reader.Add(line + "\n");
    while (const auto message = reader.Next()) {
      const auto asked = ParseAsked(*message);
      if (!asked) continue;
      std::string answer;
      if (asked->hello) {
        PilotReady ready;
        ready.stamp = asked->hello->stamp;
        ready.rates = asked->hello->rates;
        answer = ToMessage(ready);
      } else if (asked->task) {
        PilotAnswer done;
        done.id = asked->task->id;
        done.measurement.verdict = kernels::Verdict::kCorrect;
        if (asked->task->mode != PilotMode::kCompile) {
          std::this_thread::sleep_for(std::chrono::milliseconds(ms));
          const double ns = 1e6 + static_cast<double>(HashOfText(asked->task->hash) % 1'000'000);
          done.measurement.runtimes_ns = {ns};
          done.measurement.best_ns = ns;
        }
        answer = ToMessage(done);
      }
      std::fputs(LinesOf(answer).c_str(), stdout);
      std::fflush(stdout);
    }
  }
  return 0;
}

/// Evaluations a second, from the first on.
double RateOf(const Subject& subject, const std::string& command, int pilots, double seconds) {
  StopToken stop;
  WorkerOptions fleet;
  fleet.commands.assign(static_cast<std::size_t>(pilots), command);
  fleet.stop = &stop;
  const auto evaluator = MakeFleetEvaluator(subject, fleet);
  for (const kernels::Lane* lane : evaluator->lanes()) {
    while (!lane->is_ready()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const TempFolder folder;
  const runtime::Candidate root = subject.root();
  const ChoiceOrder order = subject.order("", root);
  AnyStopper stopper;
  stopper.Add(ParseBudget(fmt::format("{}s", seconds), SteadyClock()));
  ExplorerOptions options;
  options.jobs = std::max(NumCores(), 4 * pilots);
  options.policy = MakePolicy("tag", {});
  options.idle_factor = 0;  // Times are made up: by them nothing is too slow to be compiled.
  options.stop = &stop;
  std::FILE* const nowhere = std::fopen("/dev/null", "w");
  ProgressReporter progress(ProgressMode::kPlain, nowhere);
  EventLog log(folder / "log.jsonl");
  log.Write(RunRecord{});
  Explorer explorer(root, order, *evaluator, stopper, log, progress, SteadyClock(), options);
  const Outcome outcome = explorer.Run();
  std::fclose(nowhere);
  std::vector<EvalRecord> evals = ReadLog(folder.path()).evals;
  std::erase_if(evals, [](const EvalRecord& eval) { return eval.lane.empty(); });
  if (evals.size() < 2) return 0;
  return static_cast<double>(evals.size() - 1) / (evals.back().dt - evals.front().dt);
}

int Compare(int pilots, int ms, double seconds) {
  const ToySubject subject;
  const std::string command = fmt::format("EXH_TOY_MS={} exec {} worker", ms, ThisProgram());
  const double one = RateOf(subject, command, 1, seconds);
  const double all = RateOf(subject, command, pilots, seconds);
  fmt::print("measurements of {} ms\n", ms);
  fmt::print("   1 pilot   {:7.1f} evaluations/s\n", one);
  fmt::print("{:4} pilots  {:7.1f} evaluations/s  {:.2f} x\n", pilots, all, all / one);
  return 0;
}

int Simulate(int most, int ms, double seconds, const std::string& device) {
  ProblemOptions options;
  options.device = device;
  options.kernel = "matmul";
  options.size = "m=1024,n=1024,k=1024";
  const KernelSubject subject(MakeProblem(options));
  const std::string command = fmt::format("exec {} fake-pilot {}", ThisProgram(), ms);
  fmt::print("pilots that answer after {} ms, on the space of matmul 1024 on {}, on {} cores\n", ms,
             device, NumCores());
  fmt::print("pilots  evaluations/s  of what they could\n");
  double one = 0;
  for (int pilots = 1; pilots <= most; pilots *= 2) {
    const double rate = RateOf(subject, command, pilots, seconds);
    if (pilots == 1) one = rate;
    fmt::print("{:6} {:14.1f} {:12.0f} %\n", pilots, rate, 100 * rate / (one * pilots));
    std::fflush(stdout);
  }
  return 0;
}

/// The word behind an option; without it `usual`.
std::string Word(const std::vector<std::string>& words, std::string_view name,
                 const std::string& usual) {
  const auto found = std::ranges::find(words, name);
  return found == words.end() || found + 1 == words.end() ? usual : *(found + 1);
}

double Option(const std::vector<std::string>& words, std::string_view name, double usual) {
  const std::string word = Word(words, name, "");
  return word.empty() ? usual : std::atof(word.c_str());
}

int Main(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "worker") return PilotMain({});
  const int ms = static_cast<int>(Option(words, "--ms", 50));
  if (words.size() > 1 && words[0] == "fake-pilot") return FakePilot(std::atoi(words[1].c_str()));
  const double seconds = Option(words, "--seconds", 8);
  const int simulated = static_cast<int>(Option(words, "--simulate", 0));
  try {
    if (simulated > 0) {
      return Simulate(simulated, ms, seconds, Word(words, "--device", "cpu"));
    }
    return Compare(static_cast<int>(Option(words, "--pilots", 4)), ms, seconds);
  } catch (const Error& error) {
    fmt::print(stderr, "fleet: {}\n", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace exh::search

extern "C" void exh_list_of_subjects(std::vector<exh::search::SubjectKind>& kinds) {
  using namespace exh::search;
  kinds = {{"", KernelSubject::Of}, {"toy", ToySubject::Of}};
}

int main(int argc, char** argv) {
  return exh::search::Main({argv + 1, argv + argc});
}
