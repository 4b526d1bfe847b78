// SPDX-License-Identifier: MIT
#include "kernels/ir/text/op_functions.h"

#include <array>

#include "base/check.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::ir {
namespace {

bool Wraps(Type computes) {
  const Type type = ComputeTypeOf(computes);
  return type == Type::kI32 || type == Type::kI64;
}

/// A function of integers. In its bodies stand N, the type, and U, the same without a sign.
struct WholeFunction {
  std::string_view name, parameters;
  std::string_view scalar;  ///< What it returns, of scalars.
  std::string_view vector;  ///< The same of vectors; empty: it is that of each lane.
};

constexpr auto kWholeFunctions = std::to_array<WholeFunction>({
    {"exh_add", "N a, N b", "N(U(a) + U(b))", "(N)((U)a + (U)b)"},
    {"exh_sub", "N a, N b", "N(U(a) - U(b))", "(N)((U)a - (U)b)"},
    {"exh_mul", "N a, N b", "N(U(a) * U(b))", "(N)((U)a * (U)b)"},
    {"exh_mad", "N a, N b, N c", "N(U(a) * U(b) + U(c))", "(N)((U)a * (U)b + (U)c)"},
    {"exh_neg", "N a", "N(U(0) - U(a))", "(N)(-(U)a)"},
    {"exh_abs", "N a", "a < 0 ? N(U(0) - U(a)) : a", "a < 0 ? (N)(-(U)a) : a"},
    // The lowest number by -1 is a fault of processors.
    {"exh_div", "N a, N b", "b == -1 ? N(U(0) - U(a)) : a / b", ""},
});

/// With `number` and `bits` in the places of N and U.
std::string With(std::string_view text, std::string_view number, std::string_view bits) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == 'N') {
      out += number;
    } else if (text[i] == 'U') {
      out += bits;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// The name of a type as a function that makes one: "static_cast<int>".
std::string Maker(std::string_view type, Dialect in) {
  const std::string call = CastTo(type, "", in);
  return call.substr(0, call.size() - 2);
}

/// static_cast<int>(static_cast<unsigned>(a) + …).
std::string ScalarBody(const WholeFunction& of, Type type, Dialect in) {
  return With(of.scalar, Maker(ElementName(type, in), in),
              Maker(UnsignedName(type == Type::kI64, in), in));
}

/// C has one function of a name: in OpenCL C the type is a part of it.
std::string NameIn(std::string_view name, Type type, Dialect in) {
  const bool is_typed = in == Dialect::kOpenCl;
  return std::string(name) + (is_typed ? "_" + std::string(WordOf(type)) : "");
}

/// `kMax` and `kMin`.
struct Extreme {
  std::string_view name, sign, instruction;
};
constexpr auto kExtremes =
    std::to_array<Extreme>({{"exh_max", " > ", "max.NaN.f32"}, {"exh_min", " < ", "min.NaN.f32"}});

/// The form of processors: of scalars, and of vectors.
std::string Chosen(const Extreme& of) {
  return "a != a ? a : a" + std::string(of.sign) + "b ? a : b";
}

std::string ScalarExtreme(const Extreme& of, Type type, Dialect in) {
  const std::string number(ElementName(type, in));
  std::string text(FunctionHead(in));
  text += number + " " + NameIn(of.name, type, in) + "(" + number + " a, " + number + " b) {";
  const std::string chosen = "return " + Chosen(of) + ";";
  const bool has_instruction = in == Dialect::kCuda || in == Dialect::kHip;
  if (!has_instruction || type == Type::kF64) return text + " " + chosen + " }\n";
  // From GPUs of 8.0 on; HIP and hosts have other ways.
  return text + "\n#if !defined(__CUDA_ARCH__) || defined(EXH_SHIM)\n  " + chosen +
         "\n#elif __CUDA_ARCH__ < 800\n  " + chosen + "\n#else\n  float value;\n  asm(\"" +
         std::string(of.instruction) +
         " %0, %1, %2;\" : \"=f\"(value) : \"f\"(a), \"f\"(b));\n  return value;\n#endif\n}\n";
}

}  // namespace

std::string_view OpFunction(Op op, Type computes) {
  if (IsFloat(computes)) {
    return op == Op::kMax ? kExtremes[0].name : op == Op::kMin ? kExtremes[1].name : "";
  }
  if (!Wraps(computes)) return "";
  switch (op) {
    case Op::kAdd:
      return "exh_add";
    case Op::kSub:
      return "exh_sub";
    case Op::kMul:
      return "exh_mul";
    case Op::kMad:
      return "exh_mad";
    case Op::kNeg:
      return "exh_neg";
    case Op::kAbs:
      return "exh_abs";
    case Op::kDiv:
      return "exh_div";
    default:
      return "";
  }
}

std::string OpCall(Op op, Type computes, const std::vector<std::string>& operands,
                   HelperFunctions& in) {
  EXH_CHECK(!OpFunction(op, computes).empty());
  std::string text = NameIn(OpFunction(op, computes), ComputeTypeOf(computes), in.dialect());
  in.Note(text);
  const auto count = static_cast<std::size_t>(InfoOf(op).operands);
  EXH_CHECK(operands.size() >= count);
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "(" : ", ") + operands[i];
  return text + ")";
}

std::string OpFunctions(const HelperFunctions& called) {
  const Dialect in = called.dialect();
  std::string functions;
  for (const Extreme& one : kExtremes) {
    for (const Type type : {Type::kF32, Type::kF64}) {
      if (called.Has(NameIn(one.name, type, in))) functions += ScalarExtreme(one, type, in);
    }
  }
  for (const WholeFunction& one : kWholeFunctions) {
    for (const Type type : {Type::kI32, Type::kI64}) {
      const std::string name = NameIn(one.name, type, in), number(ElementName(type, in));
      if (!called.Has(name)) continue;
      functions += std::string(FunctionHead(in)) + number + " " + name + "(" +
                   With(one.parameters, number, "") + ") { return " + ScalarBody(one, type, in) +
                   "; }\n";
    }
  }
  return functions;
}

std::vector<std::string> VectorOpFunctions(const std::set<std::string_view>& names, Type type,
                                           std::uint32_t lanes, const std::string& vector,
                                           HelperFunctions& called) {
  std::vector<std::string> lines;
  const auto define = [&](std::string_view name, std::string_view parameters,
                          const std::string& body) {
    called.Note(NameIn(name, type, called.dialect()));
    lines.push_back("static inline " + vector + " " + std::string(name) + "(" +
                    With(parameters, vector, "") + ") { " + body + " }");
  };
  for (const Extreme& one : kExtremes) {
    if (names.contains(one.name)) define(one.name, "N a, N b", "return " + Chosen(one) + ";");
  }
  const std::string bits = vector + "_bits";
  for (const WholeFunction& one : kWholeFunctions) {
    if (!names.contains(one.name)) continue;
    if (lines.empty()) {
      lines.push_back("typedef " + std::string(UnsignedName(type == Type::kI64, Dialect::kCpp)) +
                      " " + bits + " __attribute__((vector_size(" +
                      std::to_string(lanes * BytesOf(type)) + ")));");
    }
    const std::string of_each = "for (int i = 0; i < " + std::to_string(lanes) +
                                "; ++i) a[i] = " + std::string(one.name) +
                                "(a[i], b[i]); return a;";
    define(one.name, one.parameters,
           one.vector.empty() ? of_each : "return " + With(one.vector, vector, bits) + ";");
  }
  return lines;
}

}  // namespace exh::kernels::ir
