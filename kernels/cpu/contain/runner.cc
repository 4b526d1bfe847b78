// SPDX-License-Identifier: MIT
//
// Knows no expected value and decides nothing: it maps arrays, gives up all it may, loads the
// candidate and runs it as often as it is told.
#include "kernels/cpu/contain/runner.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/cpu/contain/channel.h"
#include "kernels/cpu/contain/containment.h"
#include "kernels/cpu/contain/fork_server.h"
#include "kernels/cpu/contain/shared_arrays.h"

namespace exh::kernels::cpu {
namespace {

using Clock = std::chrono::steady_clock;
using RunFunction = void (*)(void* const*, const double*, int);
using ReadyFunction = const char* (*)(const char**);

/// The next packet; empty at the end of the channel.
std::string Receive(std::size_t most) {
  std::string packet(most, '\0');
  ssize_t n = 0;
  do {
    n = ::read(kChannelFd, packet.data(), packet.size());
  } while (n < 0 && errno == EINTR);
  packet.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return packet;
}

/// Bytes of the next packet, before this process is contained; 0 at the end of the channel.
std::size_t NextBytes() {
  ssize_t n = 0;
  do {
    n = ::recv(kChannelFd, nullptr, 0, MSG_PEEK | MSG_TRUNC);
  } while (n < 0 && errno == EINTR);
  return n > 0 ? static_cast<std::size_t>(n) : 0;
}

void SetWhy(RunnerReply& reply, const std::string& why) {
  why.copy(reply.why, sizeof reply.why - 1);
}

void Send(const RunnerReply& reply) {
  if (::write(kChannelFd, &reply, sizeof reply) != sizeof reply) ::_exit(1);
}

class Runner {
 public:
  Runner(const RunnerSetup& setup, MappedArrays& arrays)
      : setup_(setup), arrays_(arrays), scalars_(1) {
    scalars_.resize(std::max<std::size_t>(setup.scalars.size(), 1));
    for (std::size_t problem = 0; problem < setup.scalars.size(); ++problem) {
      for (const std::uint64_t cell : setup.scalars[problem]) {
        scalars_[problem].push_back(std::bit_cast<double>(cell));
      }
    }
  }

  void Answer(const RunnerCommand& command) {
    RunnerReply reply;
    reply.cookie = command.cookie;
    if (command.op == RunnerCommand::kLoad) {
      Load(reply);
    } else {
      Run(command, reply);
    }
    Send(reply);
  }

 private:
  void Load(RunnerReply& reply) {
    // Never closed: the threads of its OpenMP runtime may still be inside when we exit.
    void* const library = ::dlopen(setup_.library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      return SetWhy(reply, fmt::format("cannot load the candidate: {}", ::dlerror()));
    }
    run_ = reinterpret_cast<RunFunction>(::dlsym(library, "exh_run"));
    if (run_ == nullptr) return SetWhy(reply, "the candidate defines no exh_run");
    if (setup_.is_yardstick) LoadYardstick(library, reply);
  }

  void LoadYardstick(void* library, RunnerReply& reply) {
    const auto ready = reinterpret_cast<ReadyFunction>(::dlsym(library, "exh_ready"));
    const char* which = "";
    const char* const why = ready == nullptr ? nullptr : ready(&which);
    if (why != nullptr) return SetWhy(reply, why);
    std::string(which).copy(reply.which, sizeof reply.which - 1);
    before_ = reinterpret_cast<RunFunction>(::dlsym(library, "exh_before"));
    reply.has_before = before_ != nullptr;
  }

  void Run(const RunnerCommand& command, RunnerReply& reply) {
    if (run_ == nullptr) return SetWhy(reply, "nothing is loaded");
    if (command.problem != problem_) {
      if (!arrays_.UseProblem(command.problem)) return SetWhy(reply, "the inputs went away");
      problem_ = command.problem;
    }
    RunFunction const run = run_;
    void* const* const pointers = arrays_.pointers();
    const std::size_t of_problem = std::min<std::size_t>(command.problem, scalars_.size() - 1);
    const double* const scalars = scalars_[of_problem].data();
    const int threads = setup_.threads;
    Clock::time_point start = Clock::now(), end;
    if (before_ == nullptr) {
      for (std::uint64_t i = 0; i < command.runs; ++i) run(pointers, scalars, threads);
      end = Clock::now();
      reply.ns = std::chrono::duration<double, std::nano>(end - start).count();
    } else {
      for (std::uint64_t i = 0; i < command.runs; ++i) {
        before_(pointers, scalars, threads);
        start = Clock::now();
        run(pointers, scalars, threads);
        end = Clock::now();
        reply.ns += std::chrono::duration<double, std::nano>(end - start).count();
      }
    }
    reply.end_ns = std::chrono::duration<double, std::nano>(end.time_since_epoch()).count();
  }

  const RunnerSetup& setup_;
  MappedArrays& arrays_;
  std::vector<std::vector<double>> scalars_;  ///< By problem.
  RunFunction run_ = nullptr, before_ = nullptr;
  std::uint32_t problem_ = 0;
};

}  // namespace

int RunnerMain() {
  if (!ServeForks()) {
    // A search that ends hears nothing of this: its fork server prints nowhere.
    std::fputs("this command is started by a search, to run candidates\n", stderr);
    return 2;
  }
  // A candidate that dies must be seen to die of its signal, whatever handlers were installed.
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGXFSZ}) {
    ::signal(signal, SIG_DFL);
  }
  RunnerSetup setup;
  if (!ParseRunnerSetup(Receive(NextBytes()), setup)) ::_exit(2);
  const SharedLayout layout(setup.shapes);
  MappedArrays arrays(layout, kInputsFd, kOutputsFd);
  RunnerReply ready;
  ready.cookie = setup.cookie;
  if (arrays.error().empty()) {
    ready.containment = ToBits(Contain(setup.allowance));
  } else {
    SetWhy(ready, arrays.error());
  }
  Send(ready);

  Runner runner(setup, arrays);
  while (true) {
    const std::string packet = Receive(sizeof(RunnerCommand));
    // No destructors: a candidate may have spoiled the heap.
    if (packet.size() != sizeof(RunnerCommand)) ::_exit(0);
    RunnerCommand command;
    std::memcpy(&command, packet.data(), sizeof command);
    runner.Answer(command);
  }
}

}  // namespace exh::kernels::cpu
