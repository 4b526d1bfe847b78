// SPDX-License-Identifier: MIT
#include "kernels/devices/task_workload.h"

#include <fstream>
#include <utility>

#include "base/numbers.h"
#include "kernels/derived/calls/blas_source.h"
#include "kernels/derived/calls/onednn_source.h"
#include "kernels/devices/backend.h"
#include "kernels/library/call_kernel.h"
#include "kernels/problem.h"

namespace exh::kernels {
namespace {

/// A kernel of more operations is checked on two problems (drawn inputs and whole numbers) instead
/// of four.
constexpr double kMostFlopsOfAllProblems = 1e11;

/// Of the headers that yardsticks are compiled with: "3.4.0"; empty where they do not say it.
std::string EigenVersion() {
  std::ifstream file(EXH_EIGEN_INCLUDE "/Eigen/src/Core/util/Macros.h");
  std::string version, line;
  for (const std::string part :
       {"EIGEN_WORLD_VERSION", "EIGEN_MAJOR_VERSION", "EIGEN_MINOR_VERSION"}) {
    const std::string define = "#define " + part + " ";
    while (std::getline(file, line) && !line.starts_with(define)) {
    }
    if (!file) return "";
    version += (version.empty() ? "" : ".") + std::string(Trim(line.substr(define.size())));
  }
  return version;
}

/// What processes that check see; arrays stay in `data`.
cpu::Problem ViewOf(const Task& task, const ProblemData& data) {
  cpu::Problem problem = kernels::ViewOf(task.function->arrays, data);
  for (std::size_t i = 0; i < task.function->scalars.size(); ++i) {
    const ir::Scalar& scalar = task.function->scalars[i];
    problem.scalars.push_back({scalar.type, data.scalars.empty() ? scalar.value : data.scalars[i]});
  }
  return problem;
}

class TaskWorkload final : public Workload {
 public:
  explicit TaskWorkload(const Task& task) : task_(task) {}

  const ir::Device& device() const override { return task_.function->device; }

  Source Emit(const runtime::Candidate& implementation) const override {
    return EmitSource(task_, implementation);
  }

  std::optional<cpu::MadeProblem> MakeProblem(const CheckedProblem& one,
                                              const StopToken* stop) const override {
    auto data = std::make_shared<const ProblemData>(
        kernels::MakeProblem(task_, one.seed, one.inputs, stop));
    if (data->empty()) return std::nullopt;  // There was no time for it.
    return cpu::MadeProblem{ViewOf(task_, *data), data};
  }
  std::optional<bool> is_costly() const override { return task_.flops > kMostFlopsOfAllProblems; }

  double flops() const override { return task_.flops; }

  std::vector<NamedSource> Yardsticks(ir::Dialect dialect) const override {
    const Kernel& kernel = *task_.kernel;
    std::vector<NamedSource> sources;
    if (dialect == ir::Dialect::kCpp) {
      sources = OfProcessor();
    } else {
      sources = {{"naive", CallKernel(kernel, "NaiveCuda", &Kernel::NaiveCuda, task_.sizes)}};
    }
    std::erase_if(sources, [](const NamedSource& known) { return known.source.text.empty(); });
    return sources;
  }

  VendorCall Vendor() const override {
    return CallKernel(*task_.kernel, "Vendor", &Kernel::Vendor, task_.sizes);
  }

  std::map<std::string, std::string, std::less<>> Versions(ir::Dialect dialect) const override {
    if (dialect != ir::Dialect::kCpp) return {};
    return {{"eigen", EigenVersion()}};
  }

 private:
  std::vector<NamedSource> OfProcessor() const {
    const Kernel& kernel = *task_.kernel;
    const Parameters& sizes = task_.sizes;
    const VendorCall call = Vendor();
    const auto blas = [&](derived::BlasLibrary library) {
      return derived::BlasSource(call, *task_.function, library);
    };
    std::vector<NamedSource> sources = {
        {"naive", CallKernel(kernel, "NaiveSource", &Kernel::NaiveSource, sizes)},
        {"eigen", CallKernel(kernel, "EigenSource", &Kernel::EigenSource, sizes),
         CallKernel(kernel, "EigenWorkspace", &Kernel::EigenWorkspace, sizes)},
        {"openblas", blas(derived::BlasLibrary::kOpenBlas), call.scratch_bytes},
        {"onednn", blas(derived::BlasLibrary::kOneDnn), call.scratch_bytes}};
    // What is no product of matrices, one library may know all the same.
    if (sources.back().source.text.empty()) {
      sources.back() = {"onednn", derived::OneDnnSource(*task_.function)};
    }
    return sources;
  }

  const Task& task_;
};

}  // namespace

std::unique_ptr<const Workload> WorkloadOf(const Task& task) {
  return std::make_unique<TaskWorkload>(task);
}

}  // namespace exh::kernels
