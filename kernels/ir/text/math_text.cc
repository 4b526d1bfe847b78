// SPDX-License-Identifier: MIT
#include "kernels/ir/text/math_text.h"

#include "kernels/ir/text/type_text.h"
#include "kernels/ir/types.h"

namespace exh::kernels::ir {
namespace {

/// Since which version glibc has it of vectors, 2.x; 0: it has not.
int VectorsSince(Op op) {
  switch (op) {
    case Op::kExp:
    case Op::kLog:
    case Op::kPow:
      return 22;
    case Op::kTanh:
    case Op::kErf:
      return 35;
    default:
      return 0;
  }
}

/// A register of the processor, as the names of functions of vectors spell it (the ABI of vector
/// functions, as GCC and glibc have it).
struct Register {
  std::uint64_t bytes;
  char letter;
  const char* macro;
};
constexpr Register kRegisters[] = {
    {16, 'b', "__x86_64__"}, {32, 'd', "__AVX2__"}, {64, 'e', "__AVX512F__"}};

}  // namespace

std::string_view MathFunction(Op op, Type computes) {
  if (!IsFloat(computes)) return {};
  switch (op) {
    case Op::kAbs:
      return "fabs";
    case Op::kSqrt:
      return "sqrt";
    case Op::kRsqrt:
      return "rsqrt";
    case Op::kExp:
      return "exp";
    case Op::kLog:
      return "log";
    case Op::kTanh:
      return "tanh";
    case Op::kErf:
      return "erf";
    case Op::kPow:
      return "pow";
    default:
      return {};
  }
}

std::string MathName(Op op, Type computes, Dialect in) {
  const bool is_of_all = ComputeTypeOf(computes) == Type::kF64 || in == Dialect::kOpenCl;
  return std::string(MathFunction(op, computes)) + (is_of_all ? "" : "f");
}

std::string VectorMathCall(Op op, Type computes, const std::vector<std::string>& operands) {
  std::string text = "exh_" + std::string(MathFunction(op, computes)) + "(" + operands[0];
  return text + (op == Op::kPow ? ", " + operands[1] : "") + ")";
}

std::vector<std::string> VectorMathFunction(Op op, Type computes, std::uint32_t lanes,
                                            const std::string& vector) {
  const bool is_pow = op == Op::kPow;
  const std::string name = MathName(op, computes);
  const std::string head = "static inline " + vector + " " +
                           VectorMathCall(op, computes, {vector + " x", vector + " y"}) + " { ";
  std::string lane = "__builtin_" + name + "(x[lane]" + (is_pow ? ", y[lane]" : "") + ")";
  if (op == Op::kRsqrt) {
    const std::string root = MathName(Op::kSqrt, computes);
    lane = NumberText(1, computes, Dialect::kCpp) + " / __builtin_" + root + "(x[lane])";
  }
  const std::string each = head + "for (int lane = 0; lane < " + std::to_string(lanes) +
                           "; ++lane) x[lane] = " + lane + "; return x; }";
  const std::uint64_t bytes = std::uint64_t{lanes} * BytesOf(ComputeTypeOf(computes));
  for (const Register& one : kRegisters) {
    if (one.bytes != bytes || VectorsSince(op) == 0) continue;
    const std::string of_library = std::string("_ZGV") + one.letter + "N" + std::to_string(lanes) +
                                   (is_pow ? "vv_" : "v_") + name;
    return {"#if defined(__GLIBC__) && defined(" + std::string(one.macro) +
                ") && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= " + std::to_string(VectorsSince(op)) +
                ")",
            "extern \"C\" " + vector + " " + of_library + "(" + vector +
                (is_pow ? ", " + vector : "") + ");",
            head + "return " + of_library + (is_pow ? "(x, y)" : "(x)") + "; }",
            "#else",
            each,
            "#endif"};
  }
  return {each};
}

}  // namespace exh::kernels::ir
