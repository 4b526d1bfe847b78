// SPDX-License-Identifier: MIT
//
// One text has the declarations of what it calls, the search for the library, and a call for each
// step. Products of a batch are small: each is one thread's, and they are shared out. What no
// library has (a relu behind a product, a matrix that is packed) is a loop of all threads.
#include "kernels/derived/calls/blas_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "kernels/derived/calls/library_text.h"
#include "kernels/derived/sources/op_text.h"

namespace exh::kernels::derived {
namespace {

using Op = VendorStep::Op;

constexpr LibraryFunction kOpenBlas[] = {
    {"openblas_get_config", "char* (*)()"},
    {"openblas_get_corename", "char* (*)()"},
    {"openblas_set_num_threads", "void (*)(int)"},
    {"cblas_sgemm",
     "void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, "
     "float*, int)"},
    {"cblas_dgemm",
     "void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int, "
     "double, double*, int)"},
    {"cblas_sgemv",
     "void (*)(int, int, int, int, float, const float*, int, const float*, int, float, float*, "
     "int)"},
    {"cblas_dgemv",
     "void (*)(int, int, int, int, double, const double*, int, const double*, int, double, "
     "double*, int)"},
    {"cblas_saxpy", "void (*)(int, float, const float*, int, float*, int)"},
    {"cblas_daxpy", "void (*)(int, double, const double*, int, double*, int)"},
};
constexpr LibraryFunction kOneDnn[] = {
    {"dnnl_version", "const Version* (*)()"},
    {"dnnl_sgemm",
     "int (*)(char, char, long, long, long, float, const float*, long, const float*, long, float, "
     "float*, long)"},
};

LibraryFacts FactsOf(BlasLibrary library) {
  if (library == BlasLibrary::kOneDnn) return OneDnnFacts(kOneDnn);
  return {
      {"libopenblas.so.0", "libopenblas.so", nullptr}, "libopenblas.so.0", "OpenBLAS", kOpenBlas};
}

bool IsOfOneType(const VendorStep& step) {
  return step.type == step.type_c && !ir::InfoOf(step.type).is_narrow();
}

/// Has the library what the step needs? Its integers have 32 bits.
bool Has(BlasLibrary library, const VendorStep& step) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  if (!IsOfOneType(step) || std::max({step.m, step.n, step.k}) > kMost) return false;
  if (library == BlasLibrary::kOpenBlas) return true;
  return step.type == ir::Type::kF32 && step.op != Op::kAxpy;
}

bool IsProduct(const VendorStep& step) {
  return step.op == Op::kGemm || step.op == Op::kGemv;
}

class Printer : public LibraryText {
 public:
  Printer(const VendorCall& call, const std::vector<double>& scalars, BlasLibrary library)
      : LibraryText(FactsOf(library)), call_(call), scalars_(scalars), library_(library) {}

  std::string Text() {
    for (const auto* steps : {&call_.before, &call_.steps}) {
      for (const VendorStep& step : *steps) {
        if (!Has(library_, step)) return "";
      }
    }
    const auto is_from_library = [](const VendorStep& step) {
      return IsProduct(step) || step.op == Op::kAxpy;
    };
    if (std::ranges::none_of(call_.steps, is_from_library)) return "";
    // Printed first: what they call is declared before them.
    std::string before;
    if (!call_.before.empty()) before = Steps("exh_before", call_.before);
    const std::string run = Steps("exh_run", call_.steps);
    Line("#include <dlfcn.h>");
    Line("#include <omp.h>");
    Line("#include <stdio.h>");
    Line("#include <stdlib.h>");
    Line("#include <string.h>");
    Line();
    Line("namespace {");
    Line();
    if (library_ == BlasLibrary::kOneDnn) {
      Line("struct Version { int major, minor, patch; const char* hash; };");
    }
    Declare();
    if (call_.scratch_bytes > 0) Line("void* scratch;");
    Line();
    Line("}  // namespace");
    Line();
    Ready();
    return Take() + before + run;
  }

 private:
  std::string Element(const VendorStep& step) const { return std::string(ElementName(step.type)); }
  bool IsDouble(const VendorStep& step) const { return step.type == ir::Type::kF64; }
  std::string Number(const VendorStep& step, double value) const {
    return NumberText(value, Dialect::kCpp, step.type);
  }
  /// alpha or beta, of which some factors are scalars: what the others make of it, times these.
  std::string Factor(const VendorStep& step, double value, const std::vector<int>& scalars) const {
    if (scalars.empty()) return Number(step, value);
    std::string text;
    for (const int scalar : scalars) {
      value /= scalars_.at(static_cast<std::size_t>(scalar));
      text += fmt::format(" * scalars[{}]", scalar);
    }
    return fmt::format("static_cast<{}>({}{})", Element(step),
                       NumberText(value, Dialect::kCpp, ir::Type::kF64), text);
  }
  std::string Alpha(const VendorStep& step) const {
    return Factor(step, step.alpha, step.alpha_scalars);
  }
  std::string Beta(const VendorStep& step) const {
    return Factor(step, step.beta, step.beta_scalars);
  }

  void Ready() {
    Open("extern \"C\" const char* exh_ready(const char** which)");
    Load();
    if (library_ == BlasLibrary::kOpenBlas) {
      Line("char name[32] = \"\", version[32] = \"\";");
      Line("const char* const config = openblas_get_config();");
      Line("sscanf(config, \"%31s %31s\", name, version);");
      Line("if (strstr(config, \"USE64BITINT\") != nullptr) {");
      Line(
          "  return \"this OpenBLAS takes integers of 64 bits (ILP64): one with integers of 32 "
          "bits is needed\";");
      Line("}");
      Line(
          "snprintf(said, sizeof said, \"%s %s for %s\", name, version, "
          "openblas_get_corename());");
    } else {
      SayVersionOfOneDnn();
    }
    if (call_.scratch_bytes > 0) {
      constexpr std::uint64_t kLine = 64;
      const std::uint64_t bytes = (call_.scratch_bytes + kLine - 1) / kLine * kLine;
      Line(fmt::format("scratch = aligned_alloc({}, {});", kLine, bytes));
      Line("if (scratch == nullptr) return \"there is no memory for what it keeps\";");
    }
    Line("*which = said;");
    Line("return nullptr;");
    Close();
    Line();
  }

  std::string Steps(const char* name, const std::vector<VendorStep>& steps) {
    const bool has_scalars = std::ranges::any_of(steps, [](const VendorStep& s) {
      return !s.alpha_scalars.empty() || !s.beta_scalars.empty();
    });
    Open(fmt::format("extern \"C\" void {}(void* const* arrays, const double*{}, int threads)",
                     name, has_scalars ? " scalars" : ""));
    const bool is_batch = std::ranges::any_of(steps, [](const auto& s) { return s.batch > 1; });
    const std::string each = is_batch ? "1" : "threads";
    Line(library_ == BlasLibrary::kOpenBlas ? "openblas_set_num_threads(" + each + ");"
                                            : "omp_set_num_threads(threads);");
    for (const VendorStep& step : steps) {
      Open("");
      Step(step);
      Close();
    }
    Close();
    return Take();
  }

  void Array(const VendorStep& step, const char* name, int array, bool is_const) {
    const std::string from = array == kScratch ? "scratch" : fmt::format("arrays[{}]", array);
    Line(fmt::format("{0}{1}* const {2} = static_cast<{0}{1}*>({3});", is_const ? "const " : "",
                     Element(step), name, from));
  }

  /// A loop of all threads over `count` elements.
  void EachElement(std::int64_t count, const std::string& statement) {
    Line("#pragma omp parallel for simd num_threads(threads)");
    Line(fmt::format("for (long i = 0; i < {}; ++i) {}", count, statement));
  }

  void Step(const VendorStep& step) {
    Array(step, "a", step.a, true);
    if (IsProduct(step)) Array(step, "b", step.b, true);
    Array(step, "c", step.c, false);
    switch (step.op) {
      case Op::kCopy:  // Not timed. Threads of OpenMP would go on spinning beside the library's.
        return Line(fmt::format("memcpy(c, a, {} * sizeof *c);", step.m));
      case Op::kPack:
        return EachElement(step.m, fmt::format("c[i] = a[i * {}];", step.stride));
      case Op::kAxpy:
        return Line(fmt::format("cblas_{}axpy({}, {}, a, 1, c, 1);", IsDouble(step) ? 'd' : 's',
                                step.m, Alpha(step)));
      case Op::kGemv:
        Line(VectorProduct(step));
        break;
      case Op::kGemm:
        Products(step);
        break;
    }
    if (!step.relu) return;
    const std::string zero = Number(step, 0);
    EachElement(step.m * step.n * step.batch, fmt::format("c[i] = c[i] < {0} ? {0} : c[i];", zero));
  }

  /// a is m x n, row by row.
  std::string VectorProduct(const VendorStep& step) const {
    const std::string alpha = Alpha(step), beta = Beta(step);
    if (library_ == BlasLibrary::kOneDnn) {
      return fmt::format("dnnl_sgemm('N', 'N', {0}, 1, {1}, {2}, a, {1}, b, 1, {3}, c, 1);", step.m,
                         step.n, alpha, beta);
    }
    constexpr int kRowMajor = 101, kAsItIs = 111;  // Of CBLAS.
    return fmt::format("cblas_{}gemv({}, {}, {}, {}, {}, a, {}, b, 1, {}, c, 1);",
                       IsDouble(step) ? 'd' : 's', kRowMajor, kAsItIs, step.m, step.n, alpha,
                       step.n, beta);
  }

  void Products(const VendorStep& step) {
    if (step.batch == 1) return Line(Product(step, "a", "b", "c"));
    Line("#pragma omp parallel for num_threads(threads)");
    Line(fmt::format(
        "for (long i = 0; i < {}; ++i) {}", step.batch,
        Product(step, fmt::format("a + i * {}", step.step_a),
                fmt::format("b + i * {}", step.step_b), fmt::format("c + i * {}", step.step_c))));
  }

  std::string Product(const VendorStep& step, const std::string& a, const std::string& b,
                      const std::string& c) const {
    const std::string alpha = Alpha(step), beta = Beta(step);
    const std::int64_t lda = step.transpose_a ? step.m : step.k;
    const std::int64_t ldb = step.transpose_b ? step.k : step.n;
    if (library_ == BlasLibrary::kOneDnn) {
      return fmt::format("dnnl_sgemm('{}', '{}', {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});",
                         step.transpose_a ? 'T' : 'N', step.transpose_b ? 'T' : 'N', step.m, step.n,
                         step.k, alpha, a, lda, b, ldb, beta, c, step.n);
    }
    constexpr int kRowMajor = 101, kAsItIs = 111, kTransposed = 112;  // Of CBLAS.
    return fmt::format("cblas_{}gemm({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});",
                       IsDouble(step) ? 'd' : 's', kRowMajor,
                       step.transpose_a ? kTransposed : kAsItIs,
                       step.transpose_b ? kTransposed : kAsItIs, step.m, step.n, step.k, alpha, a,
                       lda, b, ldb, beta, c, step.n);
  }

  const VendorCall& call_;
  const std::vector<double>& scalars_;
  const BlasLibrary library_;
};

}  // namespace

std::string BlasSource(const VendorCall& call, const std::vector<double>& scalars,
                       BlasLibrary library) {
  return call.steps.empty() ? "" : Printer(call, scalars, library).Text();
}

std::string BlasSource(const VendorCall& call, const ir::Function& function, BlasLibrary library) {
  std::vector<double> scalars;
  for (const ir::Scalar& scalar : function.scalars) scalars.push_back(double{scalar.value});
  // What nothing can be divided by is no factor to look for; nor are numbers of other types.
  for (const auto* steps : {&call.before, &call.steps}) {
    for (const VendorStep& step : *steps) {
      for (const auto* numbers : {&step.alpha_scalars, &step.beta_scalars}) {
        for (const int number : *numbers) {
          const auto index = static_cast<std::size_t>(number);
          if (scalars[index] == 0 || function.scalars[index].type != step.type) return "";
        }
      }
    }
  }
  return BlasSource(call, scalars, library);
}

}  // namespace exh::kernels::derived
