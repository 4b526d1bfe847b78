// SPDX-License-Identifier: MIT
//
// The steps that a matrix unit does, as text: one instruction for each tile of a warp. Who has what
// of the operands and sums says kernels/ir/fragments.h; values and addresses know it by the classes
// of lanes and registers that TENSOR dims become, and nothing here but the order of registers is
// the hardware's.
#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "base/check.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/codegen/print/gpu/statements.h"
#include "kernels/codegen/print/op_text.h"

namespace exh::kernels::codegen {
namespace {

using ir::FragmentPart;
using ir::MatrixUnit;

std::string Join(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

/// "a0, a1", each with what stands before and behind it: "double a0, double a1".
std::string Numbered(const std::string& before, char name, std::uint32_t count,
                     const std::string& behind = "") {
  std::vector<std::string> texts;
  for (std::uint32_t i = 0; i < count; ++i)
    texts.push_back(before + name + std::to_string(i) + behind);
  return Join(texts);
}

/// "{%4, %5}".
std::string Places(std::uint32_t first, std::uint32_t count) {
  std::vector<std::string> places;
  for (std::uint32_t i = 0; i < count; ++i) places.push_back("%" + std::to_string(first + i));
  return "{" + Join(places) + "}";
}

constexpr std::uint32_t kWordBytes = 4;

/// Elements in a register of a unit.
std::uint32_t AtOnce(MatrixUnit unit, ir::Type element) {
  return ir::TakesBits(unit) ? kWordBytes / ir::BytesOf(element) : 1;
}

/// The unit whose instruction it is made of.
MatrixUnit Instruction(MatrixUnit unit) {
  return unit == MatrixUnit::kMmaChain ? MatrixUnit::kMma : unit;
}

/// The name of the function that reads so many matrices.
std::string MatrixName(std::uint32_t count, bool is_turned) {
  return (is_turned ? "exh_matrices_" : "exh_plain_matrices_") + std::to_string(count);
}

/// "0.0f", "-2.0": nothing but a number.
bool IsNumber(const std::string& text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  return first < text.size() && std::isdigit(static_cast<unsigned char>(text[first])) != 0 &&
         text.find(' ') == std::string::npos;
}

/// How the instruction of a unit is written.
struct UnitText {
  std::string function, instruction;
  std::string sum, factor;  ///< Types of the registers.
  std::string sum_constraint, factor_constraint;
  std::uint32_t sums, first, second;  ///< Registers.

  UnitText(MatrixUnit unit, ir::Type element) {
    const ir::UnitShape& shape = ir::ShapeOf(unit);
    sums = shape.sums(), first = shape.first_elements(), second = shape.second_elements();
    EXH_CHECK(unit == Instruction(unit));
    const std::string tile = "mma.sync.aligned.m" + std::to_string(shape.rows.size()) + "n" +
                             std::to_string(shape.columns.size()) + "k" +
                             std::to_string(shape.depth.size()) + ".row.col.";
    if (unit == MatrixUnit::kDmma) {
      function = "exh_dmma";
      instruction = tile + "f64.f64.f64.f64";
      sum = factor = "double";
      sum_constraint = factor_constraint = "d";
      return;
    }
    std::string word(ir::WordOf(element));
    function = "exh_mma_" + word;
    if (unit == MatrixUnit::kQmma) word.erase(0, 2);  // "e4m3" of "f8e4m3".
    factor = "unsigned", factor_constraint = "r";
    if (unit == MatrixUnit::kImma) {
      instruction = tile + "s32.s8.s8.s32";
      sum = "int", sum_constraint = "r";
    } else {
      instruction = tile + "f32." + word + "." + word + ".f32";
      sum = "float", sum_constraint = "f";
    }
    first /= AtOnce(unit, element), second /= AtOnce(unit, element);
  }
};

/// Registers that hold as many neighbours along the depth as the unit takes. `elements`: by depth,
/// `rows` of each.
std::vector<std::string> Words(const std::vector<std::string>& elements, std::size_t rows,
                               MatrixUnit unit, ir::Type element) {
  const std::uint32_t at_once = AtOnce(unit, element);
  const char* const make = at_once == 2                ? "exh_pair("
                           : unit == MatrixUnit::kQmma ? "exh_four_bits("
                                                       : "exh_four(";
  std::vector<std::string> words;
  for (std::size_t i = 0; i < elements.size(); i += at_once * rows) {
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<std::string> neighbours;
      for (std::size_t k = 0; k < at_once; ++k) neighbours.push_back(elements[i + k * rows + row]);
      words.push_back(make + Join(neighbours) + ")");
    }
  }
  return words;
}

/// What runs it on something else than a GPU has a function of that name.
std::string StepFunction(MatrixUnit unit, ir::Type element) {
  const UnitText text(unit, element);
  const std::uint32_t first = text.sums, second = text.sums + text.first;
  const auto constraints = [](const std::string& kind, char name, std::uint32_t count) {
    return Numbered("\"" + kind + "\"(", name, count, ")");
  };
  const std::string parameters = Numbered(text.sum + "& ", 'c', text.sums) + ", " +
                                 Numbered(text.factor + " ", 'a', text.first) + ", " +
                                 Numbered(text.factor + " ", 'b', text.second);
  return "#ifndef EXH_SHIM\nstatic __device__ __forceinline__ void " + text.function + "(" +
         parameters + ") {\n  asm volatile(\"" + text.instruction + " " + Places(0, text.sums) +
         ", " + Places(first, text.first) + ", " + Places(second, text.second) + ", " +
         Places(0, text.sums) +
         ";\"\n               : " + constraints("+" + text.sum_constraint, 'c', text.sums) +
         "\n               : " + constraints(text.factor_constraint, 'a', text.first) + ", " +
         constraints(text.factor_constraint, 'b', text.second) + ");\n}\n#endif";
}

// The hardware can add to 0 in the place of the sums where a condition of the whole block says so.
// Where all four sums of a lane begin as `condition ? value : 0`, ptxas of CUDA 13.0 uses that, and
// gives the third and the fourth sum of doubles the value of the second. It looks for choices
// between doubles. So the choice is made between floats, and what makes a double of one is an
// instruction that the compiler does not look into: it costs nothing, because floats have to be
// converted anyway. A sum of doubles has -0 added to its value, which changes no value. The other
// units have their choice where it belongs. (Known answers that a compiler is asked for hold it to
// that: kernels/devices/cuda/probes/known_texts.h.)
std::string BeginFunction(ir::Type type) {
  const std::string body = type == ir::Type::kF64
                               ? "return __dadd_rn(x, -0.0);"
                               : "double begin; asm(\"cvt.f64.f32 %0, %1;\" : \"=d\"(begin) : "
                                 "\"f\"(x)); return begin;";
  return "#ifndef EXH_SHIM\nstatic __device__ __forceinline__ double exh_begin(" +
         std::string(RegisterName(type)) + " x) { " + body + " }\n#endif";
}

}  // namespace

/// The name of a register that sums are in while the loops of a reduction run.
std::string GpuStatements::SumRegister(ir::InstId inst, const Key& key) const {
  const std::string own = Register(inst, key);
  return HasWideSums(inst) ? "a_" + own.substr(2) : own;
}

bool GpuStatements::HasWideSums(ir::InstId id) const {
  const ir::Instruction& inst = code_.function->inst(id);
  return code_.tree.SumType(*code_.function, inst) != ir::ComputeTypeOf(inst.type);
}

// Whether a condition stands here or in what computes the value makes no difference to a compiler:
// whatever is not a number goes this way.
std::string GpuStatements::SumBegin(const ir::Instruction& reduction, const std::string& first) {
  const bool is_double =
      code_.tree.IsUnit(reduction) && ir::UnitOf(*code_.function, reduction) == MatrixUnit::kDmma;
  if (!is_double || IsNumber(first)) return first;
  begins_.insert(ir::ComputeTypeOf(reduction.type));
  return "exh_begin(" + first + ")";
}

void GpuStatements::MultiplyTile(const ir::Instruction& inst) {
  int rows = -1, columns = -1, depth = -1;
  for (const ir::DimId dim : inst.dims) {
    const int c = code_.tree.class_of_dim[dim.index()];
    const FragmentPart part = code_.tree.class_of(dim).part;
    if (part == FragmentPart::kNone) continue;
    // The first of the copies that are registers of the tile stands for all of them.
    if (copy(c) != 0) return;
    (part == FragmentPart::kRow ? rows : part == FragmentPart::kColumn ? columns : depth) = c;
  }
  EXH_CHECK(rows >= 0 && columns >= 0 && depth >= 0);
  const auto moves_along_rows = [&](const ir::Operand& operand) {
    const ir::Communication& comm = code_.function->comm(operand.comm);
    return std::ranges::any_of(comm.pairs, [&](ir::PairId id) {
      return code_.tree.class_of_dim[code_.function->pair(id).dst.index()] == rows;
    });
  };
  const std::size_t first = moves_along_rows(inst.operands.front()) ? 0 : 1;
  const MatrixUnit unit = ir::UnitOf(*code_.function, inst);
  const ir::UnitShape& shape = ir::ShapeOf(unit);
  const ir::Type factor =
      ir::FactorsOf(unit, code_.function->TypeOf(inst.operands[first]).value_or(inst.type));
  const auto read = [&](std::size_t operand) {
    return ir::TakesBits(unit) ? ReadElement(inst, operand, factor)
                               : ReadAs(inst, operand, factor).text;
  };
  std::vector<std::string> a;
  for (std::uint32_t i = 0; i < shape.depth.registers; ++i) {
    SetIndex(depth, i);
    for (std::uint32_t h = 0; h < shape.rows.registers; ++h) {
      SetIndex(rows, h);
      a.push_back(read(first));
    }
    SetIndex(rows, 0);
  }
  if (ir::TakesBits(unit)) a = Words(a, shape.rows.registers, unit, factor);
  if (code_.fault == Fault::kWrongFragment) std::swap(a[a.size() / 2 - 1], a[a.size() / 2]);
  const MatrixUnit step = Instruction(unit);
  units_.emplace(step, factor);
  // Of several instructions side by side each has its own columns of the second operand.
  const std::uint32_t columns_each = ir::ShapeOf(step).columns.registers;
  for (std::uint32_t t = 0; t < shape.columns.registers / columns_each; ++t) {
    std::vector<std::string> b, sums;
    SetIndex(columns, t);
    for (std::uint32_t i = 0; i < shape.depth.registers; ++i) {
      SetIndex(depth, i);
      b.push_back(read(1 - first));
    }
    if (ir::TakesBits(unit)) b = Words(b, 1, unit, factor);
    SetIndex(depth, 0);
    for (std::uint32_t h = 0; h < shape.rows.registers; ++h) {
      for (std::uint32_t column = 0; column < columns_each; ++column) {
        SetIndex(rows, h);
        SetIndex(columns, t * columns_each + column);
        sums.push_back(SumRegister(inst.id, OwnKey(inst.id)));
      }
    }
    SetIndex(rows, 0);
    SetIndex(columns, 0);
    out_.Line(UnitText(step, factor).function + "(" + Join(sums) + ", " + Join(a) + ", " + Join(b) +
              ");");
  }
}

// Each register of a matrix is two neighbours along the depth: what the unit takes. Of a first
// operand the matrices are its two halves of rows, first of the one half of the depth and then of
// the other; of a second one the halves of the depth, first of the one copy and then of the next.
void GpuStatements::LoadMatrices(const ir::Instruction& inst) {
  const FragmentRead& read = code_.tree.reads[inst.id.index()];
  const bool is_first = read.rows_class >= 0;
  const std::int64_t own = read.copies_class < 0 ? 0 : copy(read.copies_class);
  const bool is_begun = copy(read.depth_class) != 0 || (is_first && copy(read.rows_class) != 0);
  if (is_begun || own % 2 != 0) return;
  const std::uint32_t copies = read.copies_class < 0 ? 1 : 2, rows = is_first ? 2 : 1;
  const std::uint32_t count = 2 * copies * rows;
  matrices_.emplace(count, read.is_turned);
  const std::string pointer = Pointer(inst);
  out_.Open("");
  out_.Line("unsigned " + Numbered("exh_", 'm', count) + ";");
  out_.Line(MatrixName(count, read.is_turned) + "(" + Numbered("exh_", 'm', count) + ", " +
            pointer + ");");
  for (std::uint32_t c = 0; c < copies; ++c) {
    if (copies > 1) SetIndex(read.copies_class, own + c);
    for (std::uint32_t r = 0; r < 4; ++r) {
      SetIndex(read.depth_class, r);
      for (std::uint32_t h = 0; h < rows; ++h) {
        if (is_first) SetIndex(read.rows_class, h);
        const std::string word = "exh_m" + std::to_string((2 * c + r / 2) * rows + h);
        ExecuteScalar(inst, "static_cast<unsigned short>(" + word + (r % 2 == 0 ? ")" : " >> 16)"));
      }
    }
  }
  SetIndex(read.depth_class, 0);
  if (is_first) SetIndex(read.rows_class, 0);
  if (copies > 1) SetIndex(read.copies_class, own);
  out_.Close();
}

std::string MatrixFunction(std::uint32_t count, bool is_turned) {
  const std::string number = std::to_string(count);
  return "#ifndef EXH_SHIM\nstatic __device__ __forceinline__ void " +
         MatrixName(count, is_turned) + "(" + Numbered("unsigned& ", 'm', count) +
         ", const unsigned short* row) {\n  asm volatile(\"ldmatrix.sync.aligned.m8n8.x" + number +
         (is_turned ? ".trans" : "") + ".shared.b16 " + Places(0, count) + ", [%" + number +
         "];\" : " + Numbered("\"=r\"(", 'm', count, ")") +
         " : \"r\"(static_cast<unsigned>(__cvta_generic_to_shared(row))) : \"memory\");\n}\n#endif";
}

// Two neighbours of a fragment become halves by one instruction, which leaves them in the register
// that the unit takes.
void GpuStatements::MakeBits(const ir::Instruction& inst) {
  const ir::Type from = code_.function->TypeOf(inst.operands.front()).value_or(inst.type);
  int pairs = -1;  // The class whose copies are neighbours.
  for (const KeyDim& key : Storage(inst.id).key) {
    const DimClass& dim_class = Class(key.dim_class);
    const bool are_neighbours = dim_class.part != FragmentPart::kNone && dim_class.step == 1;
    if (are_neighbours && dim_class.size % 2 == 0) pairs = key.dim_class;
  }
  if (pairs < 0 || ir::ComputeTypeOf(from) != ir::Type::kF32 || !ir::IsHalf(inst.type)) {
    return ExecuteScalar(inst, ReadElement(inst, 0, inst.type));
  }
  const std::int64_t own = copy(pairs);
  if (own % 2 == 0) return;  // Both are made with the second one.
  std::vector<std::string> values, halves;
  for (const std::int64_t index : {own - 1, own}) {
    SetIndex(pairs, index);
    values.push_back(ReadAs(inst, 0, ir::Type::kF32).text);
    halves.push_back(OwnRegister(inst.id));
  }
  const std::string word(ir::WordOf(inst.type));
  helpers_.Note("exh_to_" + word);
  made_pairs_.insert(inst.type);
  out_.Open("");
  out_.Line("const unsigned exh_both = exh_both_" + word + "(" + Join(values) + ");");
  out_.Line(halves[0] + " = static_cast<unsigned short>(exh_both); " + halves[1] +
            " = static_cast<unsigned short>(exh_both >> 16);");
  out_.Close();
}

std::string PairFunction(ir::Type type) {
  const std::string word(ir::WordOf(type));
  const std::string one = "exh_to_" + word;
  return "static __device__ __forceinline__ unsigned exh_both_" + word +
         "(float low, float high) {\n#ifdef EXH_SHIM\n  return " + one +
         "(low) | static_cast<unsigned>(" + one +
         "(high)) << 16;\n#else\n  unsigned both;\n  asm(\"cvt.rn." + word +
         "x2.f32 %0, %1, %2;\" : \"=r\"(both) : \"f\"(high), \"f\"(low));\n  return "
         "both;\n#endif\n}";
}

void GpuStatements::RoundSums(int node) {
  const ir::Instruction& inst = code_.function->inst(code_.tree.node(node).inst);
  out_.Line("// " + inst.name() + ": rounded");
  for (const Place& own : RegistersAt(inst.id, node)) {
    out_.Line(own.name + " = " +
              CastText("a_" + own.name.substr(2), code_.tree.SumType(*code_.function, inst),
                       HeldBy(inst.id), helpers_.dialect()) +
              ";");
  }
}

std::vector<std::string> UnitFunctions(const std::set<std::pair<ir::MatrixUnit, ir::Type>>& units,
                                       const std::set<ir::Type>& begins) {
  std::vector<std::string> texts;
  const auto has = [&](MatrixUnit wanted) {
    return std::ranges::any_of(units, [&](const auto& unit) { return unit.first == wanted; });
  };
  if (has(MatrixUnit::kImma)) {
    texts.push_back(
        "static __device__ __forceinline__ unsigned exh_four(signed char a, signed char b, signed "
        "char c, signed char d) {\n  return (a & 0xffu) | (b & 0xffu) << 8 | (c & 0xffu) << 16 | "
        "(d & 0xffu) << 24;\n}");
  }
  if (has(MatrixUnit::kQmma)) {
    texts.push_back(
        "static __device__ __forceinline__ unsigned exh_four_bits(unsigned a, unsigned b, unsigned "
        "c, unsigned d) {\n  return a | b << 8 | c << 16 | d << 24;\n}");
  }
  if (has(MatrixUnit::kMma)) {
    texts.push_back(
        "static __device__ __forceinline__ unsigned exh_pair(unsigned short low, unsigned short "
        "high) { return low | static_cast<unsigned>(high) << 16; }");
  }
  for (const auto& [unit, element] : units) texts.push_back(StepFunction(unit, element));
  for (const ir::Type type : begins) texts.push_back(BeginFunction(type));
  return texts;
}

}  // namespace exh::kernels::codegen
