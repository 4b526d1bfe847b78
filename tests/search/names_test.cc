// SPDX-License-Identifier: MIT
//
// What leaves the program is built whatever a user calls arrays, scalars, sizes, options, indices
// and kernels: words and macros of C and C++, words of Python, and every name that what is printed
// has itself. Each text is exported and installed on both kinds of device, and a compiler reads it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/random.h"
#include "base/system/process.h"
#include "search/install/tuned_library.h"
#include "search/install/wisdom.h"
#include "search/report/export_program.h"
#include "search/subject/problem.h"
#include "tests/search/gpu_log.h"
#include "tests/search/temp_folder.h"
#include "tests/support/compiled_texts.h"
#include "tests/support/tree.h"

namespace exh::search {
namespace {

using Names = std::vector<std::string>;

std::string Shell(const std::string& folder, const std::string& command) {
  ProcessRequest request;
  request.argv = {"/bin/sh", "-c", "cd '" + folder + "' && " + command};
  request.timeout_s = 120;
  const ProcessResult result = RunProcess(request);
  return result.out + result.err + result.error;
}

/// Keywords and alternative tokens from the standards, and what this program does not list: its
/// own list may lack one.
const Names& Words() {
  static const Names words = [] {
    std::istringstream text(
        "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t "
        "char16_t char32_t class compl concept const consteval constexpr constinit const_cast "
        "continue co_await co_return co_yield decltype default delete do double dynamic_cast else "
        "enum explicit export extern false float for friend goto if inline int long mutable "
        "namespace new noexcept not not_eq nullptr operator or or_eq private protected public "
        "register reinterpret_cast requires return short signed sizeof static static_assert "
        "static_cast struct switch template this thread_local throw true try typedef typeid "
        "typename union unsigned using virtual void volatile wchar_t while xor xor_eq restrict "
        "typeof typeof_unqual _Bool _Complex _Generic _Noreturn _Static_assert _Thread_local "
        "_Atomic _Alignas _BitInt None True False lambda def pass is in del elif except finally "
        "from global import nonlocal raise with yield async await assert as std size_t int64_t "
        "uint8_t NULL NAN EOF errno stdin linux unix assert offsetof signbit M_PI INT_MAX f16 "
        "bf16 fallback json os ctypes library operator KERNELS NotTuned len zip any list m M");
    return Names(std::istream_iterator<std::string>(text), {});
  }();
  return words;
}

/// Macros of what the printed texts include, as the compiler knows them.
Names Macros() {
  const TempFolder folder;
  std::ofstream(folder / "all.cc")
      << "#include <algorithm>\n#include <atomic>\n#include <cmath>\n#include <cstdint>\n"
         "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include <mutex>\n"
         "#include <random>\n#include <sched.h>\n#include <string>\n#include <vector>\n";
  const std::string text = Shell(folder.path(), "g++ -dM -E all.cc");
  Names names;
  const std::regex macro("#define ([A-Za-z_]\\w*)");
  for (std::sregex_iterator found(text.begin(), text.end(), macro), end; found != end; ++found) {
    names.push_back((*found)[1]);
  }
  return names;
}

/// Identifiers of a text, but those of comments.
std::set<std::string> IdentifiersOf(const std::string& text) {
  const std::string code = std::regex_replace(text, std::regex("//[^\n]*"), "");
  std::set<std::string> names;
  const std::regex identifier("[A-Za-z_]\\w*");
  for (std::sregex_iterator found(code.begin(), code.end(), identifier), end; found != end;
       ++found) {
    names.insert(found->str());
  }
  return names;
}

/// As many as a kernel here needs.
const Names kPlain = {"ka", "kb", "kc", "kd", "ke", "kf", "kg", "kh", "ki", "kj"};

/// A kernel whose everything has names from a list, as far as kernels may be called so.
struct Drawn {
  std::string kernel, text;
};

std::string TextOf(const std::string& kernel, const Names& names) {
  Names sizes(names.begin(), names.begin() + 2), arrays(names.begin() + 2, names.begin() + 6);
  const std::string &option = names[6], &scalar = names[7], &row = names[8], &column = names[9];
  const std::string shape = fmt::format("f32[{}, {}]", sizes[0], sizes[1]);
  const std::string at = fmt::format("[{}, {}]", row, column);
  return fmt::format(
      "kernel {0}\n  size {1} = 8, {2} = 12\n  option {3} = 0 in 0..1\n  scalar {4} = 2\n"
      "  input {5}: {9}\n  input {6}: {9}\n  output {7}: {9}\n  output {8}: f32[{1}]\n"
      "  {7}{10} = {4} * {5}{10} + ({3} ? {6}{10} : {5}{10})\n"
      "  {8}[{11}] = sum({12}) {6}{10}\nend\n",
      kernel, sizes[0], sizes[1], option, scalar, arrays[0], arrays[1], arrays[2], arrays[3], shape,
      at, row, column);
}

bool IsKernel(const std::string& text) {
  const TempFolder folder;
  std::ofstream(folder / "a.kernel") << text;
  ProblemOptions options;
  options.kernel = folder / "a.kernel";
  try {
    FindKernel(options);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// What compilers and Python say of all that is written for a kernel; empty: nothing.
std::string Complaints(const std::string& text, const std::string& name) {
  const TempFolder folder;
  std::ofstream(folder / "a.kernel") << text;
  std::string said;
  const auto check = [&](const std::string& command) {
    const std::string found = Shell(folder.path(), command + " 2>&1 | head -20");
    if (!found.empty()) said += command + "\n" + found;
  };
  std::filesystem::create_directory_symlink(kSourceDir, folder / "tree");
  const std::string includes = "-I tree/tests/support/fake_cuda";
  for (const std::string device : {"cpu", "h200"}) {
    const bool is_cpu = device == "cpu";
    const std::string run = folder / ("run-" + device);
    std::filesystem::create_directory(run);
    WriteGpuLog({folder / "a.kernel", "", {}, {}, is_cpu ? "default" : "paper", device}, run);
    std::ofstream(folder / "k.cc") << ExportProgram(run, std::nullopt, is_cpu ? "cc" : "cu");
    std::ofstream(folder / "k.h") << ExportProgram(run, std::nullopt, "header");
    const std::vector<Wisdom> units = {WisdomOf(ReadProgram(run, std::nullopt), name)};
    std::string sources = "k.cc";
    for (const auto& [path, file] : LibraryFiles(units)) {
      const std::string at = folder / path;
      std::filesystem::create_directories(std::filesystem::path(at).parent_path());
      std::ofstream(at) << file;
      if (path.ends_with(".cc") || path.ends_with(".cu")) sources += " " + path;
    }
    std::ofstream(folder / "c.c") << (is_cpu ? "#include \"k.h\"\n#include \"tuned.h\"\n" : "");
    check(fmt::format(
        "for file in {}; do {}g++ -std=c++20 -c -O0 -w -fopenmp {} -x c++ $file -o checked.o; done",
        sources, kernels::testing::CachedCompiler(), includes));
    // The macros of sizes differ, and headers are of C, too.
    check("gcc -std=c17 -fsyntax-only -Wall -Werror " + includes + " -x c c.c");
    check(
        "python3 -c 'import sys; sys.path.insert(0, \".\"); import tuned; "
        "[getattr(tuned, name) for name in tuned._functions]'");
  }
  return said.empty() ? "" : text + said;
}

/// Kernels that have each of the names once, in any role.
std::vector<Drawn> KernelsOf(Names names, Random& random) {
  std::erase_if(names, [](const std::string& name) {
    Names all = kPlain;
    all[2] = name;
    return !IsKernel(TextOf("k", all));
  });
  std::vector<Drawn> drawn;
  while (!names.empty()) {
    Names some;
    for (std::size_t i = 0; i < kPlain.size(); ++i) {
      if (names.empty()) {
        some.push_back("z" + std::to_string(i));
        continue;
      }
      const std::size_t at = random.Below(names.size());
      some.push_back(names[at]);
      names.erase(names.begin() + static_cast<std::ptrdiff_t>(at));
    }
    drawn.push_back({some[random.Below(some.size())], ""});
    drawn.back().text = TextOf("k", some);
    EXPECT_TRUE(IsKernel(drawn.back().text)) << drawn.back().text;
  }
  return drawn;
}

void ExpectBuilt(const Names& names, std::uint64_t seed) {
  Random random(seed);
  for (const Drawn& drawn : KernelsOf(names, random)) {
    EXPECT_EQ(Complaints(drawn.text, drawn.kernel), "") << "seed " << seed;
  }
}

/// `count` of them: compilers take seconds for ten names, and what goes wrong goes wrong for many.
Names SomeOf(Names names, int count, std::uint64_t seed) {
  Random random(seed);
  Names some;
  for (; count > 0 && !names.empty(); --count) {
    const std::size_t at = random.Below(names.size());
    some.push_back(names[at]);
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return some;
}

TEST(Names, MayBeWordsOfLanguages) {
  ExpectBuilt(SomeOf(Words(), 70, 1), 1);
}

TEST(Names, MayBeMacros) {
  const Names names = Macros();
  ASSERT_GT(names.size(), 100u);
  ExpectBuilt(SomeOf(names, 30, 2), 2);
}

/// Names of what is printed around kernels, which differ from text to text.
TEST(Names, MayBeThoseThatPrintedTextsHave) {
  const TempFolder folder;
  std::ofstream(folder / "a.kernel") << TextOf("k", kPlain);
  std::set<std::string> names;
  for (const std::string device : {"cpu", "h200"}) {
    const bool is_cpu = device == "cpu";
    const std::string run = folder / ("run-" + device);
    std::filesystem::create_directory(run);
    WriteGpuLog({folder / "a.kernel", "", {}, {}, is_cpu ? "default" : "paper", device}, run);
    names.merge(IdentifiersOf(ExportProgram(run, std::nullopt, "header")));
    const std::string text = ExportProgram(run, std::nullopt, is_cpu ? "cc" : "cu");
    names.merge(IdentifiersOf(text.substr(text.find("#undef"))));  // Behind the kernel itself.
    const std::vector<Wisdom> units = {WisdomOf(ReadProgram(run, std::nullopt), "")};
    auto files = LibraryFiles(units);
    names.merge(IdentifiersOf(files.at("tuned.h")));
    names.merge(IdentifiersOf(files.at(is_cpu ? "tuned.cc" : "tuned.cu")));
  }
  EXPECT_GT(names.size(), 100u);
  ExpectBuilt(SomeOf(Names(names.begin(), names.end()), 80, 3), 3);
}

TEST(Names, OfKernelsClashWithNoFunctionOfALibrary) {
  const TempFolder folder;
  WriteGpuLog({"axpy", "n=64", {}, {}, "default", "cpu"}, folder.path());
  const LoggedProgram program = ReadProgram(folder.path(), std::nullopt);
  std::vector<Wisdom> units;
  for (const char* const name :
       {"status_text", "x", "x_is_tuned", "x_set_fallback", "x_function", "class", "sizes_x"}) {
    Merge(WisdomOf(program, name), units);
  }
  std::string sources;
  for (const auto& [path, file] : LibraryFiles(units)) {
    const std::string at = folder / path;
    std::filesystem::create_directories(std::filesystem::path(at).parent_path());
    std::ofstream(at) << file;
    if (path.ends_with(".cc")) sources += " " + path;
  }
  EXPECT_EQ(Shell(folder.path(), "g++ -std=c++20 -fsyntax-only -w -fopenmp" + sources), "");
}

}  // namespace
}  // namespace exh::search
