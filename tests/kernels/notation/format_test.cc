// SPDX-License-Identifier: MIT
//
// Formatting changes blanks, line breaks and semicolons between lines and nothing else, and once is
// enough.
#include "kernels/notation/syntax/format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/diagnostics/render.h"
#include "kernels/notation/syntax/parse.h"
#include "tests/kernels/notation/tree_text.h"
#include "tests/support/tree.h"

namespace exh::kernels::notation {
namespace {

std::string Tree(const std::string& text) {
  dsl::DiagnosticSink sink;
  sink.sources().AddInMemory("a.kernel", text);
  std::string error;
  const Kernel kernel = ParseKernel(*sink.sources().Open("a.kernel", {}, &error), sink);
  EXPECT_FALSE(sink.has_errors()) << dsl::RenderText(sink);
  return TreeText(kernel);
}

/// Checks what holds of every text whose syntax is right.
std::string Formatted(const std::string& text) {
  std::string messages;
  const auto formatted = FormatKernel("a.kernel", text, &messages);
  EXPECT_TRUE(formatted) << messages;
  if (!formatted) return "";
  EXPECT_EQ(FormatKernel("a.kernel", *formatted, &messages), formatted);
  EXPECT_EQ(Tree(*formatted), Tree(text));
  return *formatted;
}

std::string Messages(const std::string& text) {
  std::string messages;
  EXPECT_FALSE(FormatKernel("a.kernel", text, &messages));
  return messages;
}

std::vector<std::filesystem::path> LibraryFiles() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(kSourceDir) + "/kernels/library/texts")) {
    if (entry.path().extension() == ".kernel") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string TextOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(FormatKernel, AMessyText) {
  EXPECT_EQ(Formatted("\n\n//   first   \n///   C = A * B\t\r\nkernel   mm;   // why\n"
                      "  \n   \n/// rows;columns\n"
                      "size m=512 , n = 3 in -1 .. 4096;option t=- 1 in - 2..-1\n"
                      "   scalar alpha :f32=-1.5,beta = - 0.5   // so\t\n"
                      "input a:f32 [ m,n ]strides(t?1:n ,(t>0 and not t)?m:1)outside zero\n"
                      "\toutput c : f32[m,n]\n\n\n\n"
                      "c[m,n]=- - alpha*( a [m , n]-1 )+beta* max( k ) ( -a[2*k-1, n]- -3 )\n"
                      "tile m,n :32 , t ?16:t?1:2 ;tile k: 4  \n"
                      "end  // behind\n\n\n// after\n\n"),
            R"(//   first
///   C = A * B
kernel mm  // why

  /// rows;columns
  size m = 512, n = 3 in -1..4096
  option t = -1 in -2..-1
  scalar alpha: f32 = -1.5, beta = -0.5  // so
  input a: f32[m, n] strides (t ? 1 : n, (t > 0 and not t) ? m : 1) outside zero
  output c: f32[m, n]

  c[m, n] = --alpha * (a[m, n] - 1) + beta * max(k) (-a[2 * k - 1, n] - -3)
  tile m, n: 32, t ? 16 : t ? 1 : 2
  tile k: 4
end  // behind

// after
)");
}

TEST(FormatKernel, WhatIsInItsFormStaysAsItIs) {
  const std::string text = R"(// A file of one kernel.

/// y = A * x
kernel mv

  size m = 2048, n = 2048 in 1..1048576
  input a: f32[m, n]  // row-major
  input x: f32[n]
  output y: f32[m]

  // The value.
  ax[m] = sum(n) a[m, n] * x[n]
  y: f32[m] = not (ax[m] < 0) ? ax[m] : -ax[m] % 2
  tile m: 128, 16
  // No more.
end
)";
  EXPECT_EQ(Formatted(text), text);
}

TEST(FormatKernel, ALineOfSeveralKeepsItsBreaks) {
  EXPECT_EQ(Formatted("kernel k\ninput a: f32[\nm,  // rows\n\n n\n]\n"
                      "c[m,n]=a[m,n]\n+a[n,\nm]*\n// in the line\n-2\n      // before the next\n"
                      "d[m]=max(1,\n2)\nend"),
            R"(kernel k
  input a: f32[
      m,  // rows

      n
      ]
  c[m, n] = a[m, n]
      + a[n,
      m] *
      // in the line
      -2
  // before the next
  d[m] = max(1,
      2)
end
)");
}

TEST(FormatKernel, CommentsStayBehindWhatTheyStandBehind) {
  EXPECT_EQ(Formatted("kernel k//;a\n;//b\nx=1;//c\n;;y=2//\n//\n\n\n//e\n/// f\n\nz=3;;end//g"),
            R"(kernel k  //;a
  //b
  x = 1  //c
  y = 2  //
  //

  //e
  /// f

  z = 3
end  //g
)");
  // It is of the next line that a doc comment speaks, wherever it stands.
  EXPECT_EQ(Formatted("kernel k;///a\nsize m\nend"), "kernel k  ///a\n  size m\nend\n");
  EXPECT_EQ(Formatted("kernel k\r\nx = 1 // a \xc3\xa4\r\nend\r\n"),
            "kernel k\n  x = 1  // a \xc3\xa4\nend\n");
}

TEST(FormatKernel, ADocCommentLosesTheBlanksBehindIt) {
  EXPECT_EQ(Formatted("///\t a \t\nkernel k\nend"), "///\t a\nkernel k\nend\n");
}

TEST(FormatKernel, AMinusIsASignWhereNothingStandsBeforeIt) {
  EXPECT_EQ(Formatted("kernel k\n"
                      "a=-b-c- -d*-e\n"
                      "a=(-b)-(- c)\n"
                      "a=f(-b,- c)-d[-e]-1-2.5e-3\n"
                      "a=b<-c and-d==- e or not-f?-g:- h\n"
                      "a=sum(k)-b\n"
                      "size m=-1 in-2..-1\n"
                      "end"),
            R"(kernel k
  a = -b - c - -d * -e
  a = (-b) - (-c)
  a = f(-b, -c) - d[-e] - 1 - 2.5e-3
  a = b < -c and -d == -e or not -f ? -g : -h
  a = sum(k) - b
  size m = -1 in -2..-1
end
)");
}

TEST(FormatKernel, AColonBelongsToAQuestionOrToADeclaration) {
  EXPECT_EQ(Formatted("kernel k\n"
                      "a:f32[m ? 1:2]=b?c?1:2:d[e?3:4]\n"
                      "tile m:f(b?1:2),c?1:2\n"
                      "scalar s:f32=1,t:f32=2\n"
                      "end"),
            R"(kernel k
  a: f32[m ? 1 : 2] = b ? c ? 1 : 2 : d[e ? 3 : 4]
  tile m: f(b ? 1 : 2), c ? 1 : 2
  scalar s: f32 = 1, t: f32 = 2
end
)");
}

TEST(FormatKernel, ATypeInBracketsHasABlankBeforeIt) {
  EXPECT_EQ(Formatted("kernel k\n"
                      "a:f16=sum(k:f64)b[k]*cast( f64 ,c [k])\n"
                      "a=max(i , j :i64)(d?1:2)xor b\nxor-c\n"
                      "input x:bf16[m]outside   never   aligned(2)\n"
                      "input z:f32[m]outside- inf-inf  aligned 4\n"
                      "end"),
            R"(kernel k
  a: f16 = sum(k: f64) b[k] * cast(f64, c[k])
  a = max(i, j: i64) (d ? 1 : 2) xor b
      xor -c
  input x: bf16[m] outside never aligned (2)
  input z: f32[m] outside -inf - inf aligned 4
end
)");
}

TEST(FormatKernel, BracketsAdjoinNamesAndNothingElse) {
  EXPECT_EQ(Formatted("kernel k\n"
                      "a [ i ]=sum (k , j)( b [ k ] )*not_a (1)\n"
                      "a=max(k)max(j)2*(3)\n"
                      "a=not(b)and(c)or(not d)\n"
                      "input x:f32[m]strides(1)outside zero\n"
                      "end"),
            R"(kernel k
  a[i] = sum(k, j) (b[k]) * not_a(1)
  a = max(k) max(j) 2 * (3)
  a = not (b) and (c) or (not d)
  input x: f32[m] strides (1) outside zero
end
)");
}

TEST(FormatKernel, WordsOfOptionsAndChoicesOfTypes) {
  EXPECT_EQ(Formatted("kernel k\n"
                      "option op=max in(sum , max),t in( f32,i8 )\n"
                      "///why\nrequire op==sum or(t!=i8)\n"
                      "output y:( op==max?i32:t ) [ n ]\n"
                      "end"),
            R"(kernel k
  option op = max in (sum, max), t in (f32, i8)
  ///why
  require op == sum or (t != i8)
  output y: (op == max ? i32 : t)[n]
end
)");
}

TEST(FormatKernel, AMistakeOfSyntaxIsReportedAndNothingElse) {
  EXPECT_TRUE(Messages("kernel k\nx = = 1\nend").starts_with("a.kernel:2:5: error: "))
      << Messages("kernel k\nx = = 1\nend");
  EXPECT_TRUE(Messages("kernel k\nx = 1 \x01\nend").starts_with("a.kernel:2:7: error: "));
  EXPECT_TRUE(Messages("").starts_with("a.kernel:1:1: error: "));
  EXPECT_TRUE(Messages("kernel k\nx = 1").starts_with("a.kernel:2:6: error: "));
  // Names need not be known.
  EXPECT_EQ(Formatted("kernel k;x=nobody[knows];end"), "kernel k\n  x = nobody[knows]\nend\n");
}

TEST(FormatKernel, TheLibraryIsInThisForm) {
  ASSERT_GE(LibraryFiles().size(), 6u);
  for (const auto& path : LibraryFiles()) {
    const std::string text = TextOf(path);
    EXPECT_EQ(Formatted(text), text) << path;
  }
}

/// The same words with other blanks between them, and semicolons for some line breaks.
std::string Respaced(const std::string& text, std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto blanks = [&](unsigned least) {
    std::string some;
    for (unsigned count = least + below(3); count > 0; --count) some += " \t"[below(2)];
    return some;
  };
  const auto is_wordy = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  dsl::SourceSet sources;
  sources.AddInMemory("a.kernel", text);
  std::string error, out = blanks(0);
  std::string_view before;
  for (const Word& word : WordsOf(*sources.Open("a.kernel", {}, &error), sources)) {
    const std::string_view own = sources.Text(word.range);
    const bool beside_comment = own.starts_with("//") || before.starts_with("//");
    if (before.empty()) {
      out += std::string(below(3), '\n');
    } else if (word.breaks == 1 && word.begins_line && !beside_comment && below(3) == 0) {
      out += blanks(0) + ";" + blanks(0);
    } else if (word.breaks > 0) {
      out += blanks(0) + (below(4) == 0 ? "\r\n" : "\n");
      if (word.breaks > 1) out += blanks(0) + "\n" + std::string(below(3), '\n');
      out += blanks(0);
    } else {
      out += blanks(is_wordy(before.back()) && is_wordy(own.front()) ? 1 : 0);
    }
    out += own;
    before = own;
  }
  return out + blanks(0) + std::string(below(3), '\n');
}

TEST(FormatKernel, HoweverItIsSpacedItBecomesTheSame) {
  std::vector<std::string> texts;
  for (const auto& path : LibraryFiles()) texts.push_back(TextOf(path));
  texts.push_back(
      Formatted("kernel k\n\nx[i]=a[i]//b\n\n+c[i]-\n// d\n-1\n// e\n\n/// f\ny=1\nend//g"));
  int changed = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const std::string& text = texts[seed % texts.size()];
    const std::string other = Respaced(text, random);
    changed += other != text ? 1 : 0;
    EXPECT_EQ(Formatted(other), text) << "seed " << seed << ":\n" << other;
  }
  EXPECT_EQ(changed, 200);
}

}  // namespace
}  // namespace exh::kernels::notation
