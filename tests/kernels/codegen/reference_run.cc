// SPDX-License-Identifier: MIT
#include "tests/kernels/codegen/reference_run.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "kernels/codegen/print/cpu_printer.h"
#include "kernels/ir/elements.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::codegen::testing {
namespace {

/// A folder that is removed at the end.
class Folder {
 public:
  Folder() {
    char pattern[] = "/tmp/exh_codegen_test.XXXXXX";
    path_ = ::mkdtemp(pattern);
  }
  ~Folder() {
    for (const char* file : {"/a.cc", "/a.so", "/log"}) std::remove((path_ + file).c_str());
    std::remove(path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

InterpreterData MakeData(const ir::Function& function, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> digit(-4, 4), factor(-1, 1);
  const bool multiplies = std::ranges::any_of(function.insts, [](const ir::Instruction& inst) {
    return inst.is_reduction() && inst.op == ir::Op::kMul;
  });
  InterpreterData data;
  for (const ir::Array& array : function.arrays) {
    const bool input = array.role == ir::ArrayRole::kInput;
    std::vector<double> values(array.elements, std::numeric_limits<double>::quiet_NaN());
    if (input) {
      for (double& value : values) value = multiplies ? factor(random) : digit(random);
      if (multiplies) std::ranges::replace(values, 0.0, 2.0);
    }
    data.arrays.push_back(std::move(values));
  }
  for (const ir::Scalar& scalar : function.scalars) data.scalars.push_back(scalar.value);
  return data;
}

InterpreterData Reference(const ir::Function& function, const InterpreterData& inputs) {
  InterpreterData out = inputs;
  if (function.name == "axpy") {
    for (std::size_t i = 0; i < out.arrays[2].size(); ++i) {
      out.arrays[2][i] = inputs.scalars[0] * inputs.arrays[0][i] + inputs.arrays[1][i];
    }
    return out;
  }
  if (function.name == "rows") {
    std::vector<double>& y = out.arrays[2];
    const std::size_t k = inputs.arrays[1].size();
    for (const ir::Instruction& inst : function.insts) {
      if (!inst.is_reduction()) continue;
      const ir::Instruction& init = function.inst(function.comm(inst.init).producer);
      std::ranges::fill(y, init.operands.front().literal);
      for (std::size_t i = 0; i < y.size() * k; ++i) {
        const double x = inputs.arrays[0][i], w = inputs.arrays[1][i % k];
        const bool is_mad = inst.op == ir::Op::kMad;
        y[i / k] = ir::Evaluate(inst.op, inst.computes, x, is_mad ? w : y[i / k], y[i / k]);
      }
    }
    return out;
  }
  const auto total = [&](const char* axis) -> std::size_t {
    for (const ir::LogicalDim& dim : function.logical_dims) {
      if (dim.name == std::string("mad.") + axis) return dim.total;
    }
    return 0;
  };
  const std::size_t m = total("m"), n = total("n"), k = total("k");
  const std::size_t a_stride = inputs.arrays[0].size() / (m * k);
  double first = 0;
  for (const ir::Instruction& inst : function.insts) {
    if (inst.name() == "init") first = inst.operands.front().literal;
  }
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = first;
      for (std::size_t p = 0; p < k; ++p) {
        sum += inputs.arrays[0][(i * k + p) * a_stride] * inputs.arrays[1][p * n + j];
      }
      out.arrays[2][i * n + j] = sum;
    }
  }
  return out;
}

std::string Compare(const ir::Function& function, const InterpreterData& got,
                    const InterpreterData& expected,
                    const std::vector<std::vector<std::uint8_t>>& written) {
  for (const ir::Array& array : function.arrays) {
    if (array.role != ir::ArrayRole::kOutput) continue;
    for (std::size_t i = 0; i < array.elements; ++i) {
      std::ostringstream why;
      why << array.name << "[" << i << "] ";
      if (written[array.id.index()][i] != 1) {
        why << "was written " << int{written[array.id.index()][i]} << " times";
        return why.str();
      }
      const double x = got.arrays[array.id.index()][i], e = expected.arrays[array.id.index()][i];
      if (x != e) {
        why << "is " << x << ", not " << e;
        return why.str();
      }
    }
  }
  return "";
}

std::string CheckByInterpreter(const ir::Function& function, const Schedule& schedule, Fault fault,
                               unsigned order) {
  const LoweredCode code = LowerSchedule(function, schedule, fault);
  if (!code.error.empty()) return code.error;
  InterpreterData data = MakeData(function, 1);
  const InterpreterData expected = Reference(function, data);
  const InterpreterResult result = Interpret(code, data, order);
  if (!result.error.empty()) return result.error;
  return Compare(function, data, expected, result.written);
}

std::string CheckByCompiler(const ir::Function& function, const Schedule& schedule, Fault fault,
                            int threads) {
  const std::string source = PrintCpu(function, schedule, {.checked = true, .fault = fault});
  const Folder folder;
  std::ofstream(folder.path() + "/a.cc") << source;
  const std::string command =
      "g++ -O1 -march=native -fopenmp -Wall -Werror -Wno-unused-variable "
      "-Wno-unused-but-set-variable "
      "-Wno-psabi -ffp-contract=fast -shared -fPIC " +
      folder.path() + "/a.cc -o " + folder.path() + "/a.so > " + folder.path() + "/log 2>&1";
  if (std::system(command.c_str()) != 0) {
    std::ostringstream why;
    why << std::ifstream(folder.path() + "/log").rdbuf() << "\n" << source;
    return why.str();
  }
  void* library = ::dlopen((folder.path() + "/a.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return ::dlerror();
  using Run = void (*)(void* const*, const double*, int, unsigned char* const*);
  const Run run = reinterpret_cast<Run>(::dlsym(library, "exh_run_checked"));

  InterpreterData data = MakeData(function, 1);
  const InterpreterData expected = Reference(function, data);
  std::vector<ir::Elements> arrays;
  std::vector<std::vector<std::uint8_t>> written;
  std::vector<void*> array_pointers;
  std::vector<unsigned char*> written_pointers;
  for (const ir::Array& array : function.arrays) {
    const std::vector<double>& values = data.arrays[array.id.index()];
    arrays.emplace_back(array.type, values.size());
    for (std::size_t i = 0; i < values.size(); ++i) arrays.back().Set(i, values[i]);
    written.emplace_back(values.size(), 0);
  }
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    array_pointers.push_back(const_cast<std::byte*>(arrays[i].bytes().data()));
    written_pointers.push_back(written[i].data());
  }
  run(array_pointers.data(), data.scalars.data(), threads, written_pointers.data());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    for (std::size_t at = 0; at < arrays[i].size(); ++at) data.arrays[i][at] = arrays[i][at];
  }
  // Not closed: libgomp's threads may still be in it.
  std::string why = Compare(function, data, expected, written);
  if (!why.empty() && fault == Fault::kNone) why += "\n" + source;
  return why;
}

}  // namespace exh::kernels::codegen::testing
