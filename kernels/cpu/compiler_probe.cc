// SPDX-License-Identifier: MIT
#include "kernels/cpu/compiler_probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system/process.h"
#include "base/system/scratch_folder.h"

namespace exh::kernels::cpu {
namespace {

namespace fs = std::filesystem;
using Outcome = KnownAnswer::Outcome;

constexpr double kPatience = 20;  // Of one compilation, and of one program.

/// What all of them begin with. `Plain` is compiled as it stands: nothing of it is vectorised. The
/// numbers are whole and small, so that every sum is exact in whatever order it is computed.
constexpr const char* kBegin = R"(
#include <cstdio>
#define PLAIN __attribute__((noinline, optimize("O0")))
#define KNOWN __attribute__((noinline))
template <typename T>
PLAIN void Fill(T* to, int n, int step, int modulus) {
  for (int i = 0; i < n; ++i) to[i] = static_cast<T>(i * step % modulus - modulus / 2);
}
template <typename T>
PLAIN int Compare(const T* got, const T* expected, int n) {
  int wrong = 0;
  for (int i = n - 1; i >= 0; --i) {
    if (got[i] == expected[i]) continue;
    if (++wrong > 0) std::printf("element %d is %g and not %g\n", i, static_cast<double>(got[i]), static_cast<double>(expected[i]));
  }
  return wrong != 0;
}
)";

/// A product whose tiles are in registers: their loops are unrolled, rows go through a small array,
/// and accesses are strided in either operand.
constexpr const char* kProduct = R"(
constexpr int kM = 20, kN = 24, kK = 26;
PLAIN void Expect(const TYPE* a, const TYPE* b, TYPE* c) {
  for (int m = 0; m < kM; ++m) for (int n = 0; n < kN; ++n) {
    TYPE sum = 0;
    for (int k = 0; k < kK; ++k) sum += a[m * kK + k] * b[k * kN + n];
    c[m * kN + n] = sum;
  }
}
KNOWN void Known(const TYPE* __restrict__ a, const TYPE* __restrict__ b, TYPE* __restrict__ c) {
  for (int n0 = 0; n0 < kN; n0 += 6) {
    TYPE row[kK * 6];
    for (int k = 0; k < kK; ++k) {
      for (int n = 0; n < 6; ++n) row[n * kK + k] = b[k * kN + n0 + n];
    }
    for (int m0 = 0; m0 < kM; m0 += 5) {
      TYPE v[30];
      for (int i = 0; i < 30; ++i) v[i] = 0;
      for (int k = 0; k < kK; k += 2) {
        #pragma GCC unroll 2
        for (int h = 0; h < 2; ++h) {
          #pragma GCC unroll 5
          for (int m = 0; m < 5; ++m) {
            const TYPE x = a[(m0 + m) * kK + k + h];
            #pragma GCC unroll 6
            for (int n = 0; n < 6; ++n) v[m * 6 + n] += x * row[n * kK + k + h];
          }
        }
      }
      for (int n = 0; n < 6; ++n) for (int m = 0; m < 5; ++m) c[(m0 + m) * kN + n0 + n] = v[m * 6 + n];
    }
  }
}
int main() {
  static TYPE a[kM * kK], b[kK * kN], got[kM * kN], expected[kM * kN];
  Fill(a, kM * kK, 7, 11), Fill(b, kK * kN, 5, 13), Fill(got, kM * kN, 1, 3);
  Expect(a, b, expected), Known(a, b, got);
  return Compare(got, expected, kM * kN);
}
)";

/// Sums, maxima and choices along rows and along columns, whose lengths are no multiples of
/// vectors.
constexpr const char* kReductions = R"(
constexpr int kRows = 37, kColumns = 51;
PLAIN void Expect(const TYPE* x, TYPE* out) {
  for (int r = 0; r < kRows; ++r) {
    TYPE sum = 0, most = x[r * kColumns], positive = 0;
    for (int c = 0; c < kColumns; ++c) {
      const TYPE v = x[r * kColumns + c];
      sum += v;
      if (v > most) most = v;
      if (v > 0) positive += v;
    }
    out[r] = sum, out[kRows + r] = most, out[2 * kRows + r] = positive;
  }
  for (int c = 0; c < kColumns; ++c) {
    TYPE sum = 0;
    for (int r = 0; r < kRows; ++r) sum += x[r * kColumns + c];
    out[3 * kRows + c] = sum;
  }
}
KNOWN void Known(const TYPE* __restrict__ x, TYPE* __restrict__ out) {
  for (int r = 0; r < kRows; ++r) {
    TYPE sum = 0, most = x[r * kColumns], positive = 0;
    for (int c = 0; c < kColumns; ++c) {
      sum += x[r * kColumns + c];
      most = x[r * kColumns + c] > most ? x[r * kColumns + c] : most;
      positive += x[r * kColumns + c] > 0 ? x[r * kColumns + c] : 0;
    }
    out[r] = sum, out[kRows + r] = most, out[2 * kRows + r] = positive;
  }
  TYPE sums[kColumns];
  for (int c = 0; c < kColumns; ++c) sums[c] = 0;
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) sums[c] += x[r * kColumns + c];
  }
  for (int c = 0; c < kColumns; ++c) out[3 * kRows + c] = sums[c];
}
int main() {
  static TYPE x[kRows * kColumns], got[3 * kRows + kColumns], expected[3 * kRows + kColumns];
  Fill(x, kRows * kColumns, 17, 101), Fill(got, 3 * kRows + kColumns, 1, 3);
  Expect(x, expected), Known(x, got);
  return Compare(got, expected, 3 * kRows + kColumns);
}
)";

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

std::string FirstLine(const std::string& text) {
  return std::string(Trim(text.substr(0, text.find('\n'))));
}

/// What of the processor decides which instructions are printed: its model and its features.
std::string ProcessorText() {
  std::ifstream file("/proc/cpuinfo");
  std::string model, features;
  for (std::string line; std::getline(file, line);) {
    if (model.empty() && line.starts_with("model name")) model = line;
    if (features.empty() && (line.starts_with("flags") || line.starts_with("Features"))) {
      features = line;
    }
  }
  return model + "\n" + features;
}

/// Another compiler of the same name is another file: no process is needed to know it again.
std::string FileText(const std::string& program) {
  std::error_code error;
  const fs::path path = fs::canonical(program, error);
  const auto size = fs::file_size(path, error);
  const auto time = fs::last_write_time(path, error).time_since_epoch().count();
  return fmt::format("{} {} {}", path.string(), size, time);
}

class Asker {
 public:
  explicit Asker(const CompilerOptions& options) : options_(options), flags_(options.flags) {
    // A program takes the place of the library; how code is generated stays the same.
    std::erase(flags_, "-shared");
  }

  KnownTry Try(const KnownText& text, const std::vector<std::string>& more) {
    const std::string file = fmt::format("{}/{}", scratch_.path(), number_++);
    std::ofstream(file + ".cc") << text.source;
    std::vector<std::string> argv = {options_.compiler};
    argv.insert(argv.end(), flags_.begin(), flags_.end());
    argv.insert(argv.end(), more.begin(), more.end());
    argv.insert(argv.end(), {file + ".cc", "-o", file});
    const ProcessResult compiled = Run(argv);
    if (!compiled.ok()) {
      trouble_ = "it does not compile: " + Complaint(compiled);
      return {Outcome::kUnknown, trouble_};
    }
    const ProcessResult ran = Run({file});
    if (ran.ok()) return {Outcome::kRight, ""};
    if (ran.status == ProcessResult::Status::kExited && ran.code == 1) {
      return {Outcome::kWrong, FirstLine(ran.out)};
    }
    // What crashes is wrong; what was stopped, or not started, says nothing.
    if (ran.status == ProcessResult::Status::kSignalled && !IsSentByOthers(ran.code)) {
      return {Outcome::kWrong, SignalText(ran.code)};
    }
    trouble_ = "it does not run: " + Complaint(ran);
    return {Outcome::kUnknown, trouble_};
  }

  /// Not empty: something failed that may go well the next time.
  const std::string& trouble() const { return trouble_; }

  std::string Version() const { return FirstLine(Run({options_.compiler, "--version"}).out); }

 private:
  ProcessResult Run(const std::vector<std::string>& argv) const {
    ProcessRequest request;
    request.argv = argv;
    request.timeout_s = PatienceSeconds(kPatience, options_.stop);
    request.stop = options_.stop;
    request.environment = {"LC_ALL=C", "TMPDIR=" + scratch_.path()};
    return RunProcess(request);
  }

  static std::string Complaint(const ProcessResult& result) {
    if (!result.error.empty()) return result.error;
    const std::string line = FirstLine(result.err.empty() ? result.out : result.err);
    return line.empty() ? fmt::format("exit code {}", result.code) : line;
  }

  const CompilerOptions& options_;
  std::vector<std::string> flags_;
  ScratchFolder scratch_;
  int number_ = 0;
  std::string trouble_;
};

KnownAnswers Ask(const CompilerOptions& options, const std::string& key) {
  if (std::optional<KnownAnswers> known = FindKnownAnswers(key)) return *std::move(known);
  KnownAnswers none;
  none.compiler = options.compiler;
  try {
    Asker asker(options);
    const std::string version = asker.Version();
    const std::vector<KnownText> texts = KnownCpuTexts();
    KnownAnswers known = AskForKnownAnswers(
        version.empty() ? options.compiler : version, texts, KnownCpuRemedies(),
        [&](const KnownText& text, const std::vector<std::string>& more) {
          // One that fails, or takes its time, is not asked again and again.
          return asker.trouble().empty() ? asker.Try(text, more)
                                         : KnownTry{Outcome::kUnknown, asker.trouble()};
        });
    known.trouble = asker.trouble();
    KeepKnownAnswers(key, known);
    return known;
  } catch (const Error& error) {  // There is no place for its files.
    none.trouble = error.what();
    return none;
  }
}

}  // namespace

std::vector<KnownText> KnownCpuTexts() {
  std::vector<KnownText> texts;
  for (const char* type : {"float", "double", "int"}) {
    const auto add = [&](const std::string& what, const std::string& text) {
      texts.push_back(
          {fmt::format("{} of {}", what, type), "", kBegin + Replaced(text, "TYPE", type), false});
    };
    add("products in tiles", kProduct);
    add("sums, maxima and choices", kReductions);
  }
  return texts;
}

std::vector<std::vector<std::string>> KnownCpuRemedies() {
  return {{"-fno-tree-slp-vectorize"},
          {"-fno-tree-vectorize"},
          {"-fno-tree-vectorize", "-O2"},
          {"-O1"}};
}

KnownAnswers AskCompiler(const CompilerOptions& options) {
  const std::string program = FindProgram(options.compiler);
  if (program.empty()) {
    KnownAnswers none;
    none.compiler = options.compiler;
    none.trouble = fmt::format("'{}' is not on PATH", options.compiler);
    return none;
  }
  std::string remedies;
  for (const auto& remedy : KnownCpuRemedies())
    remedies += fmt::format("{}\n", fmt::join(remedy, " "));
  static const std::string digest = DigestOf(KnownCpuTexts());
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}\n{}", FileText(program), fmt::join(options.flags, " "),
                  ProcessorText(), digest, remedies);
  static std::mutex mutex;
  static std::map<std::string, KnownAnswers> asked;  // In this process: nobody asks twice.
  const std::lock_guard lock(mutex);
  const auto known = asked.find(key);
  if (known != asked.end()) return known->second;
  KnownAnswers answers = Ask(options, key);
  if (!IsStopped(options.stop)) asked.emplace(key, answers);
  return answers;
}

}  // namespace exh::kernels::cpu
