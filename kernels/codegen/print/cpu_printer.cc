// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/cpu_printer.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

#include "base/check.h"
#include "base/error.h"
#include "base/text_writer.h"
#include "kernels/codegen/print/code_names.h"
#include "kernels/codegen/print/cpu_statements.h"
#include "kernels/codegen/print/loop_printer.h"
#include "kernels/codegen/print/op_text.h"
#include "kernels/ir/ops.h"
#include "kernels/ir/text/math_text.h"
#include "kernels/ir/text/op_functions.h"
#include "kernels/loops/loop_text.h"

namespace exh::kernels::codegen {
namespace {

constexpr const char* kCheckedMacros[] = {
    "// Every store to an output is counted, so that tests see elements written twice or never.",
    "#define EXH_STORE(array_index, array, element, value)                             \\",
    "  do {                                                                            \\",
    "    const long e_ = (element);                                                    \\",
    "    (array)[e_] = (value);                                                        \\",
    "    if (written) __atomic_fetch_add(&written[array_index][e_], 1, __ATOMIC_RELAXED); \\",
    "  } while (0)",
    "#define EXH_STORE_VECTOR(lanes, array_index, array, element, value)               \\",
    "  do {                                                                            \\",
    "    const auto v_ = (value);                                                      \\",
    "    for (int l_ = 0; l_ < (lanes); ++l_)                                          \\",
    "      EXH_STORE(array_index, array, (element) + l_, v_[l_]);                      \\",
    "  } while (0)",
};

/// What converts narrow floats, of scalars and of vectors alike: Bits are unsigned (or a vector of
/// it), of which the lowest ones count. Nothing here depends on how denormal floats are treated.
constexpr const char* kF16[] = {
    "template <typename Float, typename Bits>",
    "static inline Float exh_f16_float(Bits bits) {",
    "  const Bits size = (bits & 0x7fffu) << 13;",
    "  // Denormal: the bits of 2^-14 and the number, less 2^-14.",
    "  const Float denormal = __builtin_bit_cast(Float, size + 0x38800000u) - 0x1p-14f;",
    "  const Bits normal = size + (size >= 0xf800000u ? 0x70000000u : 0x38000000u);",
    "  const Bits out = size < 0x800000u ? __builtin_bit_cast(Bits, denormal) : normal;",
    "  return __builtin_bit_cast(Float, out | (bits & 0x8000u) << 16);",
    "}",
    "template <typename Bits, typename Float>",
    "static inline Bits exh_f16_bits(Float x) {",
    "  const Bits bits = __builtin_bit_cast(Bits, x), size = bits & 0x7fffffffu;",
    "  // Denormal: the steps of floats at 0.5 are those of denormal halves.",
    "  const Bits denormal =",
    "      __builtin_bit_cast(Bits, __builtin_bit_cast(Float, size) + 0.5f) - 0x3f000000u;",
    "  const Bits normal = (size - 0x37fff001u + (size >> 13 & 1u)) >> 13;",
    "  const Bits finite = size < 0x38800000u ? denormal : normal;",
    "  const Bits beyond = size > 0x7f800000u ? 0x7e00u : 0x7c00u;",
    "  return (size >= 0x47800000u ? beyond : finite) | (bits >> 16 & 0x8000u);",
    "}",
};
constexpr const char* kBf16[] = {
    "template <typename Float, typename Bits>",
    "static inline Float exh_bf16_float(Bits bits) {",
    "  return __builtin_bit_cast(Float, bits << 16);",
    "}",
    "template <typename Bits, typename Float>",
    "static inline Bits exh_bf16_bits(Float x) {",
    "  const Bits bits = __builtin_bit_cast(Bits, x);",
    "  const Bits rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;",
    "  return (bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | 0x40u : rounded;",
    "}",
};

constexpr const char* kF8E4M3[] = {
    "template <typename Float, typename Bits>",
    "static inline Float exh_f8e4m3_float(Bits bits) {",
    "  const Bits size = (bits & 0x7fu) << 20;",
    "  // Denormal: the bits of 2^-6 and the number, less 2^-6.",
    "  const Float denormal = __builtin_bit_cast(Float, size + 0x3c800000u) - 0x1p-6f;",
    "  const Bits normal = size + (size == 0x7f00000u ? 0x77d00000u : 0x3c000000u);",
    "  const Bits out = size < 0x800000u ? __builtin_bit_cast(Bits, denormal) : normal;",
    "  return __builtin_bit_cast(Float, out | (bits & 0x80u) << 24);",
    "}",
    "template <typename Bits, typename Float>",
    "static inline Bits exh_f8e4m3_bits(Float x) {",
    "  const Bits bits = __builtin_bit_cast(Bits, x), size = bits & 0x7fffffffu;",
    "  // Denormal: the steps of floats at 2^14 are those of denormals here.",
    "  const Bits denormal =",
    "      __builtin_bit_cast(Bits, __builtin_bit_cast(Float, size) + 16384.0f) - 0x46800000u;",
    "  const Bits normal = (size - 0x3bf80001u + (size >> 20 & 1u)) >> 20;",
    "  const Bits finite = size < 0x3c800000u ? denormal : normal;",
    "  const Bits beyond = size > 0x7f800000u ? 0x7fu : 0x7eu;",
    "  return (size >= 0x43e00000u ? beyond : finite) | (bits >> 24 & 0x80u);",
    "}",
};
constexpr const char* kF8E5M2[] = {
    "template <typename Float, typename Bits>",
    "static inline Float exh_f8e5m2_float(Bits bits) {",
    "  const Bits size = (bits & 0x7fu) << 21;",
    "  // Denormal: the bits of 2^-14 and the number, less 2^-14.",
    "  const Float denormal = __builtin_bit_cast(Float, size + 0x38800000u) - 0x1p-14f;",
    "  const Bits normal = size + (size >= 0xf800000u ? 0x70000000u : 0x38000000u);",
    "  const Bits out = size < 0x800000u ? __builtin_bit_cast(Bits, denormal) : normal;",
    "  return __builtin_bit_cast(Float, out | (bits & 0x80u) << 24);",
    "}",
    "template <typename Bits, typename Float>",
    "static inline Bits exh_f8e5m2_bits(Float x) {",
    "  const Bits bits = __builtin_bit_cast(Bits, x), size = bits & 0x7fffffffu;",
    "  // Denormal: the steps of floats at 2^7 are those of denormals here.",
    "  const Bits denormal =",
    "      __builtin_bit_cast(Bits, __builtin_bit_cast(Float, size) + 128.0f) - 0x43000000u;",
    "  const Bits normal = (size - 0x37f00001u + (size >> 21 & 1u)) >> 21;",
    "  const Bits finite = size < 0x38800000u ? denormal : normal;",
    "  const Bits beyond = size > 0x7f800000u ? 0x7eu : 0x7cu;",
    "  return (size >= 0x47800000u ? beyond : finite) | (bits >> 24 & 0x80u);",
    "}",
};

std::span<const char* const> Conversions(ir::Type type) {
  switch (type) {
    case ir::Type::kF16:
      return kF16;
    case ir::Type::kBf16:
      return kBf16;
    case ir::Type::kF8E4M3:
      return kF8E4M3;
    case ir::Type::kF8E5M2:
      return kF8E5M2;
    default:
      return {};
  }
}

/// What a temporary holds before it is written: nothing that a computation yields.
std::string Poison(ir::Type type) {
  if (ir::IsFloatBits(type)) return ir::IsHalf(type) ? "0xffff" : "0xff";
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::int64_t kConspicuous = 0x5a5a5a5a5a5a5a5a;
  if (ir::IsFloat(type)) return NumberText(kNan, type, Dialect::kCpp);
  const int bits = 8 * static_cast<int>(ir::BytesOf(type));
  return std::to_string(kConspicuous >> (64 - bits)) + (bits == 64 ? "ll" : "");
}

/// A type of vectors: elements in memory, and what a register holds of them. Narrow elements are
/// vectors of the type that they are computed in.
struct VectorText {
  ir::Type type;
  std::uint32_t lanes;
  ir::Type compute = ir::ComputeTypeOf(type);
  bool is_narrow = type != compute;
  std::string element = std::string(ElementName(type));
  std::string name = std::to_string(lanes) + VectorSuffix(type), memory = "vec" + name;
  std::string held = VectorName(compute, lanes);

  std::uint64_t bytes() const { return std::uint64_t{lanes} * ir::BytesOf(type); }
  std::string Widened(const std::string& x) const {
    return is_narrow ? "widen" + name + "(" + x + ")" : x;
  }
  std::string Narrowed(const std::string& x) const {
    return is_narrow ? "narrow" + name + "(" + x + ")" : x;
  }
};

class CpuPrinter : LoopPrinter {
 public:
  CpuPrinter(const LoweredCode& code, const PrinterOptions& options, const CodeNames& names,
             CpuStatements& statements, ir::HelperFunctions& helpers, TextWriter& out)
      : LoopPrinter(code, names, statements, out),
        checked_(options.checked),
        helpers_(helpers),
        statements_(statements) {
    for (const SplitReduction& split : code.splits.reductions) {
      EXH_CHECK(split.way == AcrossBlocks::SECOND_LAUNCH);  // All that the device has.
    }
  }

  std::string Run() {
    PrintSourceHeader(code_, out_);
    const std::string head = out_.Take();
    Prelude();
    if (checked_) {
      for (const char* line : kCheckedMacros) out_.Line(line);
      out_.Line();
    }
    Workspace();
    for (const Part& part : code_.splits.parts) BlockFunction(part);
    Entry();
    const std::string text = out_.Take();
    const std::string functions = ir::OpFunctions(helpers_);
    return head + functions + (functions.empty() ? "" : "\n") + text;
  }

 private:
  static std::string Number(std::uint64_t value) { return std::to_string(value); }
  /// Types by lanes, scalars first: all that the text may mention.
  std::map<std::uint32_t, std::set<ir::Type>> TypesByLanes() const {
    const ir::Function& function = *code_.function;
    std::map<std::uint32_t, std::set<ir::Type>> types;
    for (const ir::Array& array : function.arrays) types[1].insert(array.type);
    for (const ir::Scalar& scalar : function.scalars) types[1].insert(scalar.type);
    for (const ir::Instruction& inst : function.insts) {
      if (tree_.node_of_inst[inst.id.index()] < 0) continue;
      std::set<ir::Type> named = {inst.type, ir::ComputeTypeOf(EvaluatedIn(inst))};
      for (const ir::Operand& operand : inst.operands) {
        if (const auto type = function.TypeOf(operand)) named.insert(*type);
      }
      for (const InitWrite& init : code_.values.insts[inst.id.index()].inits) {
        named.insert(function.inst(init.reduction).type);
      }
      if (inst.block.valid()) named.insert(function.block(inst.block).type);
      if (inst.array.valid()) named.insert(function.array(inst.array).type);
      // Those that it passes through: masks of comparisons, bits of narrow floats.
      const bool is_choice = ir::InfoOf(inst.op).compares() || inst.op == ir::Op::kSelect;
      std::set<ir::Type> all = named;
      for (const ir::Type type : named) {
        all.insert(ir::ComputeTypeOf(type));
        if (ir::IsFloatBits(type)) all.insert(ir::Type::kU32);
        if (is_choice && ir::BytesOf(type) == ir::BytesOf(ir::Type::kI64)) {
          all.insert(ir::Type::kI64);
        }
      }
      if (is_choice) all.insert(ir::Type::kI32);
      types[1].insert(named.begin(), named.end());
      const std::uint32_t lanes = code_.values.insts[inst.id.index()].lanes;
      if (lanes > 1) types[lanes].insert(all.begin(), all.end());
    }
    return types;
  }

  void Prelude() {
    std::map<std::uint32_t, std::set<ir::Type>> types = TypesByLanes();
    for (const ir::Type type : types[1]) FloatBitsFunctions(type);
    types.erase(1);
    for (const auto& [lanes, named] : types) {
      for (const bool narrow : {false, true}) {  // Narrow ones name the others.
        for (const ir::Type type : named) {
          if (ir::InfoOf(type).is_narrow() == narrow) VectorType({type, lanes});
        }
      }
    }
    VectorMath();
    Hold();
    statements_.LaneFunctions();
  }

  void FloatBitsFunctions(ir::Type type) {
    if (!ir::IsFloatBits(type)) return;
    out_.Line(type == ir::Type::kF8E4M3
                  ? "// Rounded to even; beyond its range the largest number that it has."
                  : "// Rounded to even; infinite beyond its range.");
    for (const char* line : Conversions(type)) out_.Line(line);
    const std::string word(ir::WordOf(type));
    const std::string element(ElementName(type));
    out_.Line("static inline float exh_from_" + word + "(" + element + " x) { return exh_" + word +
              "_float<float, unsigned>(x); }");
    out_.Line("static inline " + element + " exh_to_" + word + "(float x) { return static_cast<" +
              element + ">(exh_" + word + "_bits<unsigned>(x)); }");
    out_.Line();
  }

  /// Elements in memory stand at any address.
  void VectorType(const VectorText& v) {
    const std::string typedef_of = "typedef " + v.element + " " + v.memory;
    const std::string size = "vector_size(" + Number(v.bytes()) + ")";
    out_.Line(typedef_of + " __attribute__((" + size + "));");
    out_.Line(typedef_of + "u __attribute__((" + size + ", aligned(" + Number(ir::BytesOf(v.type)) +
              "), may_alias));");
    if (v.is_narrow) Narrowing(v);
    out_.Line("static inline " + v.held + " load" + v.name + "(const " + v.element +
              "* p) { return " + v.Widened("*(const " + v.memory + "u*)p") + "; }");
    out_.Line("static inline void store" + v.name + "(" + v.element + "* p, " + v.held +
              " v) { *(" + v.memory + "u*)p = " + v.Narrowed("v") + "; }");
    if (MayBePart(v.type, v.lanes)) PartialAccesses(v);
    if (MayStream(v.type, v.lanes)) StreamStore(v);
    if (!v.is_narrow) {
      std::string copies = "x";
      for (std::uint32_t lane = 1; lane < v.lanes; ++lane) copies += ", x";
      out_.Line("static inline " + v.memory + " splat" + v.name + "(" + v.element +
                " x) { return " + v.memory + "{" + copies + "}; }");
      for (const std::string& line :
           ir::VectorOpFunctions(Calls(v.type), v.type, v.lanes, v.memory, helpers_)) {
        out_.Line(line);
      }
    }
    out_.Line();
  }

  /// The functions that the text may call, of what is computed in the type.
  std::set<std::string_view> Calls(ir::Type type) const {
    std::set<std::string_view> names;
    for (const ir::Instruction& inst : code_.function->insts) {
      const ir::Type computes = EvaluatedIn(inst);
      const bool is_there = tree_.node_of_inst[inst.id.index()] >= 0;
      if (!is_there || ir::ComputeTypeOf(computes) != type) continue;
      for (const ir::Op op : {inst.op, ir::CombinedBy(inst.op)}) {
        if (!ir::OpFunction(op, computes).empty()) names.insert(ir::OpFunction(op, computes));
      }
    }
    return names;
  }

  /// Are there vectors of elements of which some may be beyond a covered axis?
  bool MayBePart(ir::Type type, std::uint32_t lanes) const {
    return std::ranges::any_of(code_.function->insts, [&](const ir::Instruction& inst) {
      return inst.array.valid() && code_.function->array(inst.array).type == type &&
             code_.values.insts[inst.id.index()].lanes == lanes &&
             std::ranges::any_of(code_.memory.guards[inst.id.index()], &GuardIndex::is_cover);
    });
  }

  /// Are there vectors of results that go past the caches?
  bool MayStream(ir::Type type, std::uint32_t lanes) const {
    return std::ranges::any_of(code_.function->insts, [&](const ir::Instruction& inst) {
      return inst.array.valid() && code_.function->array(inst.array).type == type &&
             code_.values.insts[inst.id.index()].lanes == lanes && Streams(code_, inst);
    });
  }

  /// A store that reads no line first, where the vector is as long as a register and aligned.
  void StreamStore(const VectorText& v) {
    struct Register {
      std::uint64_t bytes;
      const char *macro, *builtin;
    };
    constexpr Register kRegisters[] = {{16, "__SSE__", "movntps"},
                                       {32, "__AVX__", "movntps256"},
                                       {64, "__AVX512F__", "movntps512"}};
    out_.Open("static inline void stream" + v.name + "(" + v.element + "* p, " + v.held + " v)");
    for (const Register& one : kRegisters) {
      if (one.bytes != v.bytes()) continue;
      out_.Raw("#if defined(" + std::string(one.macro) + ") && !defined(__clang__)");
      out_.Line("typedef float floats __attribute__((vector_size(" + Number(one.bytes) + ")));");
      out_.Open("if ((unsigned long)p % " + Number(one.bytes) + " == 0)");
      out_.Line("__builtin_ia32_" + std::string(one.builtin) +
                "((float*)p, __builtin_bit_cast(floats, " + v.Narrowed("v") + "));");
      out_.Line("return;");
      out_.Close();
      out_.Raw("#endif");
    }
    out_.Line("store" + v.name + "(p, v);");
    out_.Close();
  }

  /// Of the first lanes only; the others are 0, and are not written.
  void PartialAccesses(const VectorText& v) {
    const std::string each =
        "for (long lane = 0; lane < " + Number(v.lanes) + "; ++lane) if (lane < count) ";
    out_.Line("static inline " + v.held + " part_load" + v.name + "(const " + v.element +
              "* p, long count) { " + v.memory + " x = {}; " + each + "x[lane] = p[lane]; return " +
              v.Widened("x") + "; }");
    out_.Line("static inline void part_store" + v.name + "(" + v.element + "* p, " + v.held +
              " v, long count) { const " + v.memory + " x = " + v.Narrowed("v") + "; " + each +
              "p[lane] = x[lane]; }");
  }

  /// Between a register and the elements of memory.
  void Narrowing(const VectorText& v) {
    std::string widened = "__builtin_convertvector(x, " + v.held + ")", narrowed = "x";
    if (ir::IsFloat(v.type)) {
      const std::string bits = VectorName(ir::Type::kU32, v.lanes), word(ir::WordOf(v.type));
      widened = "exh_" + word + "_float<" + v.held + ">(__builtin_convertvector(x, " + bits + "))";
      narrowed = "exh_" + word + "_bits<" + bits + ">(x)";
    }
    out_.Line("static inline " + v.held + " widen" + v.name + "(" + v.memory + " x) { return " +
              widened + "; }");
    out_.Line("static inline " + v.memory + " narrow" + v.name + "(" + v.held +
              " x) { return __builtin_convertvector(" + narrowed + ", " + v.memory + "); }");
  }

  /// What stays in a register; nothing where no register is as long.
  void Hold() {
    if (std::ranges::none_of(code_.function->insts, [&](const ir::Instruction& inst) {
          return tree_.node_of_inst[inst.id.index()] >= 0 && IsHeld(code_, inst);
        })) {
      return;
    }
    out_.Line("// The compiler may not read it again from where it came from.");
    out_.Line("template <typename Vector>");
    out_.Open("static inline __attribute__((always_inline)) void hold(Vector& x)");
    out_.Raw("#if defined(__AVX512F__)");
    out_.Line("if constexpr (sizeof(x) >= 16 && sizeof(x) <= 64) __asm__(\"\" : \"+v\"(x));");
    out_.Raw("#elif defined(__AVX__)");
    out_.Line("if constexpr (sizeof(x) >= 16 && sizeof(x) <= 32) __asm__(\"\" : \"+x\"(x));");
    out_.Raw("#elif defined(__SSE2__)");
    out_.Line("if constexpr (sizeof(x) == 16) __asm__(\"\" : \"+x\"(x));");
    out_.Raw("#elif defined(__aarch64__)");
    out_.Line("if constexpr (sizeof(x) == 16) __asm__(\"\" : \"+w\"(x));");
    out_.Raw("#endif");
    out_.Close();
    out_.Line();
  }

  /// Functions of the mathematical library, of the vectors that the text calls them with.
  void VectorMath() {
    std::set<std::tuple<ir::Op, ir::Type, std::uint32_t>> all;
    for (const ir::Instruction& inst : code_.function->insts) {
      const std::uint32_t lanes = code_.values.insts[inst.id.index()].lanes;
      const ir::Type type = ir::ComputeTypeOf(inst.computes);
      if (IsFunction(inst.op, inst.computes) && lanes > 1) all.emplace(inst.op, type, lanes);
      const ValueStorage& storage = code_.values.storage[inst.id.index()];
      if (storage.beside == BesideValue::kBefore && storage.lanes > 1) {
        all.emplace(ir::Op::kExp, type, storage.lanes);
      }
    }
    if (all.empty()) return;
    for (const char* line : ir::kVectorMathHead) out_.Raw(line);
    for (const auto& [op, type, lanes] : all) {
      for (const std::string& line :
           ir::VectorMathFunction(op, type, lanes, VectorName(type, lanes))) {
        out_.Line(line);
      }
    }
    out_.Line();
  }

  static std::string PointerTo(const ir::Array& array) {
    const bool is_input = array.role == ir::ArrayRole::kInput;
    return (is_input ? "const " : "") + std::string(ElementName(array.type)) + "*";
  }

  std::string Parameters() const {
    std::string text;
    for (const ir::Array& array : code_.function->arrays) {
      text += PointerTo(array) + " __restrict " + names_.array(array.id) + ", ";
    }
    for (std::size_t i = 0; i < code_.function->scalars.size(); ++i) {
      const ir::Type type = code_.function->scalars[i].type;
      text += std::string(RegisterName(ir::ComputeTypeOf(type))) + " " + names_.scalar(i) + ", ";
    }
    if (checked_) text += "unsigned char* const* written, ";
    return text + "long block";
  }

  std::string Arguments() {
    std::string text;
    for (const ir::Array& array : code_.function->arrays) {
      text += "static_cast<" + PointerTo(array) + ">(arrays[" + Number(array.id.value) + "]), ";
    }
    for (std::size_t i = 0; i < code_.function->scalars.size(); ++i) {
      const std::string scalar = "scalars[" + Number(i) + "]";
      const ir::Type type = code_.function->scalars[i].type;
      text += (type == ir::Type::kI64 ? ir::FromCellText(scalar, type)
                                      : Convert({scalar}, ir::Type::kF64, type, 1, helpers_).text) +
              ", ";
    }
    if (checked_) text += "written, ";
    return text + "block";
  }

  /// What blocks have of divided reductions.
  void Workspace() {
    for (const SplitReduction& split : code_.splits.reductions) {
      const ir::Type type = ir::ComputeTypeOf(code_.function->inst(split.id).type);
      out_.Line("alignas(64) static " + std::string(RegisterName(type)) + " " +
                statements_.PartialName(split.id) + "[" + Number(split.elements()) + "];");
    }
    if (!code_.splits.empty()) out_.Line();
  }

  /// "Block", "Finish", "Finish1".
  std::string NameOf(const Part& part) const {
    const auto number = &part - code_.splits.parts.data();
    if (number == 0) return "Block";
    return number == 1 ? "Finish" : "Finish" + std::to_string(number - 1);
  }
  std::uint64_t Blocks() const {
    std::uint64_t blocks = 1;
    for (const int c : BlockClasses()) blocks *= Class(c).size;
    return blocks;
  }

  void BlockFunction(const Part& part) {
    Select(part);
    out_.Line("// One work item. Not inlined: only parameters keep what __restrict promises.");
    out_.Open("static __attribute__((noinline)) void " + NameOf(part) + "(" + Parameters() + ")");
    const std::vector<int>& classes = BlockClasses();
    BlockIndices("block", "long", false);
    if (classes.empty()) out_.Line("(void)block;");
    for (const TempArray& temp : code_.memory.temps) {
      if (part.insts[code_.function->block(temp.block).store.index()]) Temporary(temp);
    }
    const std::string inside = BlocksInside(classes);
    if (!inside.empty()) {
      out_.Open("if (" + inside + ")");
      Body(0);
      out_.Close();
      for (const int c : classes) statements_.SetWholeRange(c);
      out_.Open("else");
    }
    splits_loops_ = inside.empty();
    Body(0);
    splits_loops_ = true;
    if (!inside.empty()) out_.Close();
    StreamsEnd(part);
    out_.Close();
    out_.Line();
  }

  // ---- what is beyond covered axes ----
  //
  // Iterations and blocks that are inside of every covered axis ask no guards: they are printed by
  // themselves, and what is left behind them. Of an axis of 1000 that is covered by 32 times 32, 31
  // iterations are inside, and the last one has guards:
  //
  //   for (long i_n0 = 0; i_n0 < 31; ++i_n0) …   whole vectors
  //   for (long i_n0 = 31; i_n0 < 32; ++i_n0) …  vectors of which the last lanes are not there
  //
  // All blocks that are inside are one text, and all others a second one, in which no loop is
  // divided once more.

  /// Statements below a node, with all their copies.
  std::uint64_t Statements(int index) const {
    const LoopNode& node = tree_.node(index);
    if (!Runs(index)) return 0;
    if (node.kind == NodeKind::kExec) return 1;
    std::uint64_t sum = 0;
    for (const int child : node.children) sum += Statements(child);
    return node.kind == NodeKind::kUnroll ? sum * Class(node.dim_class).size : sum;
  }
  /// More are not printed twice: compilers take longer than it is worth.
  static constexpr std::uint64_t kMostTwice = 200;

  std::int64_t IterationsInside(int index, int dim_class) const {
    const LoopNode& node = tree_.node(index);
    std::int64_t inside = Class(dim_class).size;
    if (!Runs(index)) return inside;
    if (node.kind == NodeKind::kExec) return statements_.IterationsInside(node.inst, dim_class);
    for (const int child : node.children) {
      inside = std::min(inside, IterationsInside(child, dim_class));
    }
    return inside;
  }

  /// Is a block inside of every axis that is covered? From here on those are printed. Empty: all
  /// are, or it is not asked.
  std::string BlocksInside(const std::vector<int>& classes) {
    std::string text;
    if (Statements(0) > kMostTwice) return text;
    for (const int c : classes) {
      const std::int64_t inside = IterationsInside(0, c);
      if (inside <= 0 || inside >= std::int64_t{Class(c).size}) continue;
      text += (text.empty() ? "" : " && ") + names_.index(c) + " < " + std::to_string(inside);
      statements_.SetRange(c, 0, inside - 1);
    }
    return text;
  }

  void Loop(int index) override {
    const int c = tree_.node(index).dim_class;
    const std::int64_t size = Class(c).size, inside = IterationsInside(index, c);
    if (const SkippedTiles* const skipped = SkippedBy(index)) {
      const std::string end = DeclareEnd(*skipped, "long");
      out_.Open(loops::ForText("long", names_.index(c), "0", names_.index(c) + " < " + end),
                "LOOP " + DimNames(code_, c));
      Body(index);
      return out_.Close();
    }
    const bool is_divided =
        splits_loops_ && inside > 0 && inside < size && Statements(index) <= kMostTwice;
    LoopFrom(index, 0, is_divided ? inside : size);
    if (is_divided) LoopFrom(index, inside, size);
  }
  void LoopFrom(int index, std::int64_t first, std::int64_t end) {
    const int c = tree_.node(index).dim_class;
    statements_.SetRange(c, first, end - 1);
    out_.Open(loops::ForText("long", names_.index(c), first, end), "LOOP " + DimNames(code_, c));
    Body(index);
    out_.Close();
    statements_.SetWholeRange(c);
  }

  /// What went past the caches is there for all before anybody is told that the block has ended.
  void StreamsEnd(const Part& part) {
    const auto streams = [&](const ir::Instruction& inst) {
      return part.insts[inst.id.index()] && Streams(code_, inst);
    };
    if (!std::ranges::any_of(code_.function->insts, streams)) return;
    out_.Raw("#if defined(__SSE__) && !defined(__clang__)");
    out_.Line("__builtin_ia32_sfence();");
    out_.Raw("#endif");
  }

  void Temporary(const TempArray& temp) {
    const std::string& name = names_.temp(temp.block);
    // A GLOBAL temporary outlives the block: one per host thread, reused by its blocks.
    const bool global = temp.space == MemSpace::GLOBAL;
    const ir::Type type = code_.function->block(temp.block).type;
    const std::string element(ElementName(type));
    out_.Line(std::string("alignas(64) ") + (global ? "static thread_local " : "") + element + " " +
              name + "[" + Number(temp.elements) + "];  // " + (global ? "GLOBAL" : "SHARED"));
    if (checked_) PoisonAll(name, element, type);
  }

  void PoisonAll(const std::string& array, const std::string& element, ir::Type type) {
    out_.Line("for (" + element + "& x : " + array + ") x = " + Poison(type) + ";");
  }

  void Children(int index) override {
    std::vector<int> children = tree_.node(index).children;
    std::erase_if(children, [&](int child) { return !Runs(child); });
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (tree_.node(children[i]).kind != NodeKind::kThreads) {
        Node(children[i]);
        continue;
      }
      // One loop per Threads node is the barrier; nodes without one between them share a loop.
      std::size_t last = i;
      while (last + 1 < children.size() &&
             tree_.node(children[last + 1]).kind == NodeKind::kThreads &&
             !tree_.node(children[last + 1]).barrier_before) {
        ++last;
      }
      out_.Open(loops::ForText("long", "t", 0, tree_.num_threads));
      for (const ThreadLayout& layout : tree_.layouts) {
        if (layout.patch != 1) out_.Line(PatchLine("long", layout, false));
      }
      for (; i < last; ++i) {
        out_.Open("");
        Threads(children[i]);
        out_.Close();
      }
      Threads(children[last]);
      out_.Close();
    }
  }

  void Threads(int index) override {
    std::set<int> used;
    for (const int c : tree_.node(index).thread_classes) {
      used.insert(Class(c).axis);
      out_.Line("const long " + names_.index(c) + " = " + statements_.AxisIndex(Class(c).axis) +
                ";  // THREAD " + DimNames(code_, c));
    }
    for (const int axis : GuardAxes(index)) {
      out_.Line("const long t" + std::to_string(axis) + " = " + statements_.AxisIndex(axis) +
                ";  // Axis not used here: its threads repeat the work.");
    }
    Body(index);
  }

  /// Axes that guards of stores inside the node ask for.
  std::set<int> GuardAxes(int index) const {
    std::set<int> axes;
    const LoopNode& node = tree_.node(index);
    if (!Runs(index)) return axes;
    if (node.kind == NodeKind::kExec) {
      const auto& guards = code_.values.insts[node.inst.index()].guard.axes;
      axes.insert(guards.begin(), guards.end());
    }
    for (const int child : node.children) axes.merge(GuardAxes(child));
    return axes;
  }

  void Ending(int index) override {
    const LoopNode& node = tree_.node(index);
    switch (node.kind) {
      case NodeKind::kLanes:
        return statements_.CombineLanes(index);
      case NodeKind::kCombine:
        return statements_.CombineSlices(node.inst);
      case NodeKind::kCorrect:
        return statements_.Correct(index);
      case NodeKind::kSettle:
        return statements_.Settle(index);
      default:
        EXH_CHECK(node.kind == NodeKind::kHandOver);
        return statements_.HandOver(index);
    }
  }

  void Entry() {
    const std::string arguments = "void* const* arrays, const double* scalars, int threads";
    const std::string all = checked_ ? arguments + ", unsigned char* const* written" : arguments;
    out_.Open(checked_ ? "extern \"C\" void exh_run_checked(" + all + ")"
                       : "extern \"C\" void exh_run(" + all + ")");
    out_.Line("(void)arrays, (void)scalars, (void)threads;");
    if (checked_) {
      for (const SplitReduction& split : code_.splits.reductions) {
        const ir::Type type = ir::ComputeTypeOf(code_.function->inst(split.id).type);
        PoisonAll(statements_.PartialName(split.id), std::string(RegisterName(type)), type);
      }
    }
    for (const Part& part : code_.splits.parts) {
      const std::string call = NameOf(part) + "(" + Arguments() + ");";
      Select(part);
      if (const std::uint64_t blocks = Blocks(); blocks > 1) {
        const bool is_static =
            code_.schedule->block_schedule.Or(BlockSchedule::DYNAMIC) == BlockSchedule::STATIC;
        out_.Line(std::string("#pragma omp parallel for schedule(") +
                  (is_static ? "static" : "dynamic") + ") num_threads(threads)");
        out_.Line(loops::ForText("long", "block", 0, static_cast<std::int64_t>(blocks)) + " " +
                  call);
      } else {
        const bool is_alone = code_.splits.parts.size() == 1;
        if (!is_alone) out_.Open("");
        out_.Line("const long block = 0;");
        out_.Line(call);
        if (!is_alone) out_.Close();
      }
    }
    out_.Close();
    if (!checked_) return;
    out_.Line();
    out_.Open("extern \"C\" void exh_run(" + arguments + ")");
    out_.Line("exh_run_checked(arrays, scalars, threads, nullptr);");
    out_.Close();
  }

  const bool checked_;
  ir::HelperFunctions& helpers_;
  CpuStatements& statements_;
  bool splits_loops_ = true;  ///< Into iterations that ask no guards, and the others.
};

}  // namespace

std::string PrintCpu(const LoweredCode& code, const PrinterOptions& options) {
  TextWriter out;
  const CodeNames names(code);
  ir::HelperFunctions helpers(Dialect::kCpp);
  CpuStatements statements(code, names, options.checked, helpers, out);
  return CpuPrinter(code, options, names, statements, helpers, out).Run();
}

std::string PrintCpu(const ir::Function& function, const Schedule& schedule,
                     const PrinterOptions& options) {
  const LoweredCode code = LowerSchedule(function, schedule, options.fault, TensorForm::kLoops);
  if (!code.error.empty()) throw Refused(code.error);
  return PrintCpu(code, options);
}

}  // namespace exh::kernels::codegen
