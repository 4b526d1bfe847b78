// SPDX-License-Identifier: MIT
#include "kernels/library/call_kernel.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>

#include "base/check.h"
#include "kernels/derived/reference/programs/sample.h"
#include "kernels/ir/builder.h"
#include "kernels/ir/target/covered_rows.h"

namespace exh::kernels {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

thread_local const KernelCall* running = nullptr;

void Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(2, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

/// From a signal handler: nothing is allocated.
void SayWhoseFault(const char* what) {
  for (const std::string_view text :
       {std::string_view("search: kernel '"), running->kernel_, std::string_view("': "),
        running->part_, std::string_view(" ended the program: "), std::string_view(what),
        std::string_view("\n")}) {
    Write(text);
  }
}

namespace {

void OnSignal(int signal) {
  if (running == nullptr) {  // Not our business: what would have happened without us.
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  const char* const name = ::sigdescr_np(signal);
  SayWhoseFault(name == nullptr ? "a signal" : name);
  ::_exit(1);
}

void OnExit() {
  if (running == nullptr) return;
  SayWhoseFault("it calls exit()");
  ::_exit(1);
}

void WatchProcess() {
  for (const int signal : kSignals) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = OnSignal;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    ::sigaction(signal, &action, nullptr);
  }
  std::atexit(OnExit);
}

/// A stack for handlers: that of the thread is full when a recursion does not end.
class SpareStack {
 public:
  SpareStack() : memory_(std::make_unique<char[]>(kBytes)) {
    stack_t before{};
    if (::sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
    stack_t stack{};
    stack.ss_sp = memory_.get();
    stack.ss_size = kBytes;
    set_ = ::sigaltstack(&stack, nullptr) == 0;
  }
  ~SpareStack() {
    if (!set_) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }
  SpareStack(const SpareStack&) = delete;
  SpareStack& operator=(const SpareStack&) = delete;

 private:
  static constexpr std::size_t kBytes = 1 << 16;
  std::unique_ptr<char[]> memory_;
  bool set_ = false;
};

}  // namespace

KernelCall::KernelCall(std::string_view kernel, std::string_view part)
    : kernel_(kernel), part_(part), outer_(running) {
  static std::once_flag once;
  std::call_once(once, WatchProcess);
  thread_local const SpareStack stack;
  running = this;
}

KernelCall::~KernelCall() {
  running = outer_;
}

KernelError::KernelError(const Kernel& kernel, std::string_view what)
    : Error(fmt::format("kernel '{}': {}", kernel.name(), what)) {}

void CheckReference(const Kernel& kernel, const ir::Function& function, bool finite,
                    bool cuts_floats, const ProblemData& data) {
  const auto refuse = [&](const std::string& array, const std::string& what) {
    throw KernelError(kernel, fmt::format("Reference: array '{}' {}", array, what));
  };
  for (const ir::Array& array : function.arrays) {
    const ArrayData& found = data.at(array.name);
    const auto check = [&](const char* what, const std::vector<double>& values) {
      if (values.size() == array.elements) return;
      refuse(array.name,
             fmt::format("has {} elements, its {} {}", array.elements, what, values.size()));
    };
    if (array.role == ir::ArrayRole::kInput) {
      if (found.values.size() == array.elements) {
        if (found.values.type() == array.type) continue;
        refuse(array.name, fmt::format("is an input of {}; it was given {}", ir::WordOf(array.type),
                                       ir::WordOf(found.values.type())));
      }
      refuse(array.name, fmt::format("is an input of {} elements; it was given {}", array.elements,
                                     found.values.size()));
    }
    check("reference", found.reference);
    check("tolerance", found.tolerance);
    for (std::size_t i = 0; i < found.tolerance.size(); ++i) {
      const double tolerance = found.tolerance[i], reference = found.reference[i];
      if (!finite) break;  // What is NaN or infinite has a tolerance that is, too.
      if (tolerance == derived::kNotSampled) continue;  // It is not in the sample.
      // What an integer has no place for it may be anything of.
      if (!(tolerance >= 0) || (std::isinf(tolerance) && !cuts_floats)) {
        refuse(array.name, fmt::format("has the tolerance {} at element {}; it must be finite and "
                                       "not negative",
                                       tolerance, i));
      }
      if (!std::isfinite(reference)) {
        refuse(array.name,
               fmt::format("has the reference {} at element {}, and all inputs are finite",
                           reference, i));
      }
    }
  }
  if (data.size() == function.arrays.size()) return;
  std::set<std::string_view> declared;
  for (const ir::Array& array : function.arrays) declared.insert(array.name);
  for (const auto& [name, array] : data) {
    if (!declared.contains(name))
      refuse(name, "is written, and the backbone has none of that name");
  }
}

BuiltBackbone BuildBackbone(const Kernel& kernel, const Parameters& sizes, bool paper,
                            ir::Function& function, const ir::Device* device) {
  const bool for_units = device != nullptr && !device->tensor_units.empty();
  bool may_cover = true, has_looked = false;
  ir::CoveredRows covered;
  while (true) {
    function = ir::Function();
    function.name = kernel.name();
    ir::Builder builder(function, paper);
    if (device != nullptr) builder.RunOn(*device);
    if (!may_cover) builder.CoverNothing();
    builder.Cover(covered.axes, covered.multiple);
    CallKernel(kernel, "Build", [&] {
      kernel.Build(builder, sizes);
      builder.Finish();
    });
    if (builder.must_cover_nothing()) {
      may_cover = false;
    } else if (device != nullptr && !paper && may_cover && !has_looked) {
      has_looked = true;
      covered = for_units ? ir::AxesToCover(function) : ir::RowsToCover(function, *device);
      if (covered.axes.empty()) return {builder.knows_sizes(), builder.notes()};
    } else {
      return {builder.knows_sizes(), builder.notes()};
    }
  }
}

}  // namespace exh::kernels
