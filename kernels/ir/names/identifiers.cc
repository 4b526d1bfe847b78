// SPDX-License-Identifier: MIT
#include "kernels/ir/names/identifiers.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace exh::kernels::ir {
namespace {

bool IsCapital(char c) {
  return c >= 'A' && c <= 'Z';
}
bool IsSmall(char c) {
  return c >= 'a' && c <= 'z';
}
bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Up to C++23 and C23.
constexpr std::string_view kWordsOfC =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t "
    "char32_t char8_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit continue contract_assert decltype default delete do double "
    "dynamic_cast else enum explicit export extern false float for friend goto if inline int "
    "long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
    "protected public register reinterpret_cast requires restrict return short signed sizeof "
    "static static_assert static_cast struct switch template this thread_local throw true try "
    "typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile "
    "wchar_t while xor xor_eq";

/// But for those that C has, too.
constexpr std::string_view kWordsOfPython =
    "as assert async await def del elif except False finally from global import in is lambda "
    "None nonlocal pass raise True with yield";

/// Macros of standard headers that have small letters, types without a prefix, and names that each
/// program has.
constexpr std::string_view kOfHeaders =
    "alloca be16toh be32toh be64toh complex errno fpclassify htobe16 htobe32 htobe64 htole16 "
    "htole32 htole64 i386 imaginary isfinite isgreater isgreaterequal isinf isless "
    "islessequal islessgreater isnan isnormal issubnormal isunordered le16toh le32toh le64toh "
    "linux main major makedev math_errhandling max_align_t minor noreturn nullptr_t offsetof "
    "pthread_cleanup_pop pthread_cleanup_pop_restore_np pthread_cleanup_push "
    "pthread_cleanup_push_defer_np ptrdiff_t sched_priority setjmp signbit size_t ssize_t std "
    "stderr stdin stdout strdupa strndupa unix va_arg va_copy va_end va_start wint_t";

/// What functions call their own that are printed around kernels.
constexpr std::string_view kOwn =
    // Parameters and variables of launchers, of what checks and calls, and of entries.
    "arguments arrays device early entry fallback i maps next pointers scalars shared_bytes sizes "
    "status "
    "stream threads workspace workspace_bytes "
    // What they call.
    "CheckAndStart Entry Prepare "
    // The function that knows the result, and texts of yardsticks.
    "Columns Eigen Expected Matrix Strides SumTolerance bf16 blockIdx dim3 f16 f8e4m3 f8e5m2 "
    "threadIdx";

/// Words of a text: they are between spaces.
std::set<std::string_view> WordsOf(std::string_view text) {
  std::set<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.insert(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// "int64_t", "uint_fast8_t".
bool IsIntegerType(std::string_view name) {
  if (name.starts_with('u')) name.remove_prefix(1);
  if (!name.starts_with("int") || !name.ends_with("_t")) return false;
  name = name.substr(3, name.size() - 5);
  for (const std::string_view kind : {"_fast", "_least"}) {
    if (name.starts_with(kind)) name.remove_prefix(kind.size());
  }
  return name == "max" || name == "ptr" || (!name.empty() && std::ranges::all_of(name, IsDigit));
}

/// "NAN", "EOF", "PRId64", "SYS_read", "M_PIf": capitals, as macros have them.
bool CouldBeMacro(std::string_view name) {
  constexpr std::size_t kShortest = 3;
  if (name.size() >= kShortest && std::ranges::none_of(name, IsSmall) &&
      std::ranges::any_of(name, IsCapital)) {
    return true;
  }
  const auto first = std::ranges::find_if_not(name, IsCapital);
  const auto capitals = static_cast<std::size_t>(first - name.begin());
  const bool is_prefix = first != name.end() && *first == '_';
  return capitals >= kShortest || (capitals == 2 && is_prefix) || name.starts_with("M_") ||
         name.starts_with("L_") || name == "P_tmpdir";
}

bool BeginsWithOurs(std::string_view name) {
  constexpr std::string_view kOurs = "exh";
  return name.size() >= kOurs.size() &&
         std::equal(kOurs.begin(), kOurs.end(), name.begin(), [](char a, char b) {
           return a == std::tolower(static_cast<unsigned char>(b));
         });
}

}  // namespace

bool IsWord(std::string_view name) {
  static const auto words = [] {
    auto all = WordsOf(kWordsOfC);
    for (const std::string_view more : {kWordsOfPython, kOfHeaders}) all.merge(WordsOf(more));
    return all;
  }();
  return words.count(name) > 0 || IsIntegerType(name);
}

bool IsReserved(std::string_view name) {
  const bool is_of_compilers = name.find("__") != std::string_view::npos ||
                               (name.size() > 1 && name.front() == '_' && IsCapital(name[1]));
  return IsWord(name) || is_of_compilers || CouldBeMacro(name) || BeginsWithOurs(name) ||
         name.starts_with("cuda");
}

std::string Numbered(std::string_view name, Taken& taken) {
  std::string text(name);
  for (int number = 2; !taken.insert(text).second; ++number) {
    text = std::string(name) + "_" + std::to_string(number);
  }
  return text;
}

std::string AsIdentifier(std::string_view name) {
  std::string text;
  for (const char c : name) text += IsCapital(c) || IsSmall(c) || IsDigit(c) ? c : '_';
  return text.empty() || IsDigit(text.front()) ? "_" + text : text;
}

std::string Identifier(std::string_view name, Taken& taken) {
  std::string text = AsIdentifier(name);
  if (IsReserved(text)) text += "_";
  return Numbered(text, taken);
}

std::string ArgumentName(std::string_view name, Taken& taken) {
  static const auto own = WordsOf(kOwn);
  const std::string text = AsIdentifier(name);
  return Identifier(own.count(text) > 0 ? text + "_" : text, taken);
}

ArgumentNames::ArgumentNames(const Function& function) {
  Taken taken;
  // Functions of the kernel: "matmul_launch", "matmul_finish2".
  for (const char* const part :
       {"kernel", "launch", "maps", "run", "overlap", "workspace_bytes", "fill", "finish"}) {
    for (const char* const number : {"", "1", "2", "3", "4", "5", "6", "7", "8", "9"}) {
      taken.insert(AsIdentifier(function.name) + "_" + part + number);
    }
  }
  for (const Array& array : function.arrays) arrays.push_back(ArgumentName(array.name, taken));
  for (const Scalar& one : function.scalars) scalars.push_back(ArgumentName(one.name, taken));
}

}  // namespace exh::kernels::ir
