// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/cuda_statements.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/codegen/print/op_text.h"

namespace exh::kernels::codegen {
namespace {

constexpr std::size_t kWidth = 92;  ///< Declarations are broken into lines of about this length.

/// The suffix of the intrinsic that a value of `cache` stands for: "cg" as in __ldcg.
std::string CacheSuffix(Cache cache, bool is_load) {
  if (cache == Cache::CACHE_GLOBAL) return "cg";
  if (cache == Cache::NO_CACHE) return "cs";
  if (cache == Cache::CACHE_READ_ONLY && is_load) return "g";
  return "";
}

std::string Literal(float value) {
  if (std::isfinite(value)) return FloatLiteral(value);
  return "__int_as_float(" + std::to_string(std::bit_cast<std::int32_t>(value)) + ")";
}

constexpr const char* kMembers[] = {".x", ".y", ".z", ".w"};

}  // namespace

CudaStatements::CudaStatements(const LoweredCode& code, const CodeNames& names, TextWriter& out)
    : code_(code), names_(names), out_(out), copy_(code.tree.classes.size()) {
  for (const int node : code.tree.node_of_inst) {
    int band = node;
    while (band >= 0 && code.tree.node(band).layout < 0) band = code.tree.node(band).parent;
    band_.push_back(band);
  }
  for (const AdvancedRead& read : code.values.ahead) band_[read.inst.index()] = -1;
}

void CudaStatements::MoveLoop(int dim_class, const std::string& index) {
  moved_class_ = dim_class;
  moved_index_ = index;
}

/// v_mad_0_3: the register of one point of the unrolled dims.
std::string CudaStatements::Register(ir::InstId inst, const std::vector<std::int64_t>& key) const {
  std::string text = names_.value(inst);
  for (const std::int64_t index : key) text += "_" + std::to_string(index);
  return text;
}

std::string CudaStatements::OwnRegister(ir::InstId inst) const {
  std::vector<std::int64_t> key;
  for (const KeyDim& dim : Storage(inst).key) key.push_back(copy_[At(dim.dim_class)]);
  return Register(inst, key);
}

void CudaStatements::Declare(ir::InstId inst) {
  std::vector<std::string> points = {names_.value(inst)};
  for (const KeyDim& key : Storage(inst).key) {
    std::vector<std::string> longer;
    for (const std::string& point : points) {
      for (std::uint32_t i = 0; i < key.size; ++i) {
        longer.push_back(point + "_" + std::to_string(i));
      }
    }
    points = std::move(longer);
  }
  std::string line;
  for (const std::string& point : points) {
    if (line.size() + point.size() > kWidth) {
      out_.Line(line + ";");
      line.clear();
    }
    line += (line.empty() ? "float " : ", ") + point;
  }
  out_.Line(line + ";");
}

std::string CudaStatements::Read(const ir::Instruction& inst, std::size_t operand) const {
  const ir::Operand& source = inst.operands[operand];
  if (source.kind == ir::Operand::Kind::kLiteral) return Literal(source.literal);
  if (source.kind == ir::Operand::Kind::kScalar) {
    const auto& scalars = code_.function->scalars;
    const auto it = std::find_if(scalars.begin(), scalars.end(),
                                 [&](const ir::Scalar& s) { return s.name == source.scalar; });
    return names_.scalar(static_cast<std::size_t>(it - scalars.begin()));
  }
  const ValueRead& read = Values(inst.id).reads[operand];
  std::vector<std::int64_t> key;
  for (const KeySource& index : read.index) key.push_back(copy_[At(index.dim_class)]);
  return Register(read.producer, key);
}

/// The right-hand side. A reduction's own register is its last operand.
std::string CudaStatements::Compute(const ir::Instruction& inst) const {
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < inst.operands.size(); ++i) inputs.push_back(Read(inst, i));
  if (inst.is_reduction()) inputs.push_back(OwnRegister(inst.id));
  if (inst.op == ir::Op::kStore || inst.op == ir::Op::kTempStore) return inputs.front();
  return CudaOpText(inst.op, inputs);
}

/// Elements of the array are too many for an int.
bool CudaStatements::IsLarge(const ir::Instruction& inst) const {
  if (inst.op != ir::Op::kLoad && inst.op != ir::Op::kStore) return false;
  return code_.function->array(inst.array).elements >
         static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
}

std::string CudaStatements::Terms(const ir::Instruction& inst,
                                  const std::function<bool(int)>& wanted,
                                  std::int64_t constant) const {
  const std::string wide = IsLarge(inst) ? "ll" : "";
  std::string text;
  for (const Affine::Term& term : code_.memory.address[inst.id.index()].terms) {
    if (!wanted(term.dim_class) || Kind(term.dim_class) == DimKind::VECTOR) continue;
    if (Kind(term.dim_class) == DimKind::UNROLL) {
      constant += copy_[At(term.dim_class)] * term.coefficient;
      continue;
    }
    const bool is_moved = term.dim_class == moved_class_;
    if (is_moved && moved_index_ == "0") continue;
    text += (text.empty() ? "" : " + ") + (is_moved ? moved_index_ : names_.index(term.dim_class));
    if (term.coefficient != 1) text += " * " + std::to_string(term.coefficient) + wide;
  }
  if (constant == 0) return text;
  return text.empty() ? std::to_string(constant) : text + " + " + std::to_string(constant);
}

namespace {

/// Terms that stand in the pointer which a band declares: those that nothing inside of it moves.
bool IsFixedIn(const LoopTree& tree, int band, int dim_class) {
  const DimKind kind = tree.classes[static_cast<std::size_t>(dim_class)].kind;
  if (kind == DimKind::UNROLL || kind == DimKind::VECTOR) return false;
  const std::vector<int> around = tree.ClassesAround(band);
  return std::find(around.begin(), around.end(), dim_class) != around.end();
}

}  // namespace

void CudaStatements::DeclarePointers(int band) {
  for (const ir::Instruction& inst : code_.function->insts) {
    if (!inst.is_memory() || code_.tree.node_of_inst[inst.id.index()] < 0) continue;
    if (band_[inst.id.index()] != band) continue;
    const bool is_argument = inst.op == ir::Op::kLoad || inst.op == ir::Op::kStore;
    const std::string terms = Terms(
        inst, [&](int c) { return IsFixedIn(code_.tree, band, c); },
        code_.memory.address[inst.id.index()].constant);
    const std::string& array = is_argument ? names_.array(inst.array) : names_.temp(inst.block);
    out_.Line("const auto p_" + names_.value(inst.id).substr(2) + " = " + array +
              (terms.empty() ? "" : " + (" + terms + ")") + ";");
  }
}

CudaStatements::Place CudaStatements::PlaceOf(const ir::Instruction& inst) const {
  const int band = band_[inst.id.index()];
  const bool is_argument = inst.op == ir::Op::kLoad || inst.op == ir::Op::kStore;
  const std::string& array = is_argument ? names_.array(inst.array) : names_.temp(inst.block);
  const std::string base = band < 0 ? array : "p_" + names_.value(inst.id).substr(2);
  const std::string terms = Terms(
      inst, [&](int c) { return band < 0 || !IsFixedIn(code_.tree, band, c); },
      band < 0 ? code_.memory.address[inst.id.index()].constant : 0);
  return {base, terms};
}

std::string CudaStatements::Pointer(const ir::Instruction& inst) const {
  const Place place = PlaceOf(inst);
  return place.offset.empty() ? place.base : place.base + " + " + place.offset;
}

/// "p_load_a[i_k0 * 8 + 3]".
std::string CudaStatements::Element(const ir::Instruction& inst) const {
  const Place place = PlaceOf(inst);
  return place.base + "[" + (place.offset.empty() ? "0" : place.offset) + "]";
}

std::string CudaStatements::AxisIndex(int index, bool bounded) const {
  const ThreadAxis& axis = code_.tree.axes[At(index)];
  std::string text = "t";
  if (axis.stride != 1) text += " / " + std::to_string(axis.stride);
  const std::uint32_t threads =
      bounded ? code_.tree.layouts[At(axis.layout)].threads : code_.tree.num_threads;
  if (axis.stride * axis.size != threads) text += " % " + std::to_string(axis.size);
  return text;
}

std::string CudaStatements::Condition(const ThreadGuard& guard) const {
  std::string text;
  for (const int axis : guard.axes) {
    text += (text.empty() ? "" : " && ") + AxisIndex(axis, guard.below != 0) + " == 0";
  }
  if (guard.below != 0) text += (text.empty() ? "t < " : " && t < ") + std::to_string(guard.below);
  return text;
}

CudaStatements::Width CudaStatements::WidthOf(const ir::Instruction& inst) const {
  const InstValues& values = Values(inst.id);
  const Affine& address = code_.memory.address[inst.id.index()];
  if (values.lanes > 1 && address.coefficient(values.vector_class) != 0) {
    return {values.vector_class, values.lanes};
  }
  const std::uint32_t vec = code_.schedule->vec.Or(1, inst.id);
  for (const Affine::Term& term : address.terms) {
    if (vec > 1 && term.coefficient == 1 && Kind(term.dim_class) == DimKind::UNROLL) {
      return {term.dim_class, vec};
    }
  }
  return {};
}

/// "load4_cg(p_load_a + 8)", "tmp_load_a[3]" …: an expression of type float, float2 or float4.
std::string CudaStatements::Load(const ir::Instruction& inst, std::uint32_t lanes) {
  const bool is_shared = inst.op == ir::Op::kTempLoad;
  const std::string suffix = is_shared ? "" : CacheSuffix(code_.schedule->cache(inst.id), true);
  const std::string pointer = Pointer(inst);
  if (lanes == 1) return suffix.empty() ? Element(inst) : "__ld" + suffix + "(" + pointer + ")";
  const std::string helper = "load" + std::to_string(lanes) + (suffix.empty() ? "" : "_" + suffix);
  helpers_.insert(helper);
  return helper + "(" + pointer + ")";
}

void CudaStatements::WriteInit(const InitWrite& write, const std::string& value,
                               std::vector<std::int64_t>& key) {
  const ValueStorage& storage = Storage(write.reduction);
  if (key.size() == storage.key.size()) {
    out_.Line(Register(write.reduction, key) + " = " + value + ";");
    return;
  }
  const KeySource& source = write.index[key.size()];
  const std::int64_t first = source.every ? 0 : copy_[At(source.dim_class)];
  const std::int64_t last = source.every ? storage.key[key.size()].size - 1 : first;
  for (std::int64_t index = first; index <= last; ++index) {
    key.push_back(index);
    WriteInit(write, value, key);
    key.pop_back();
  }
}

/// The value of one point: into its own register, and into those of the reductions it starts.
void CudaStatements::ExecuteScalar(const ir::Instruction& inst, const std::string& value) {
  const InstValues& values = Values(inst.id);
  const bool has_register = Storage(inst.id).is_read || inst.is_reduction();
  std::string text = value;
  if (has_register) {
    const std::string target = OwnRegister(inst.id);
    out_.Line(target + " = " + value + ";");
    text = target;
  }
  for (const InitWrite& write : values.inits) {
    std::vector<std::int64_t> key;
    WriteInit(write, text, key);
  }
}

void CudaStatements::ExecuteLoad(const ir::Instruction& inst) {
  const Width width = WidthOf(inst);
  if (width.lanes == 1) return ExecuteScalar(inst, Load(inst, 1));
  // The first of the copies that a wide access serves loads for all of them.
  const std::int64_t first = copy_[At(width.dim_class)];
  if (first % width.lanes != 0) return;
  const std::string lanes = std::to_string(width.lanes);
  out_.Open("");
  out_.Line("const float" + lanes + " q = " + Load(inst, width.lanes) + ";");
  for (std::uint32_t lane = 0; lane < width.lanes; ++lane) {
    SetIndex(width.dim_class, first + lane);
    ExecuteScalar(inst, std::string("q") + kMembers[lane]);
  }
  SetIndex(width.dim_class, first);
  out_.Close();
}

void CudaStatements::ExecuteStore(const ir::Instruction& inst) {
  const std::string condition = Condition(code_.threads.store[inst.id.index()]);
  const std::string guard = condition.empty() ? "" : "if (" + condition + ") ";
  const bool is_output = inst.op == ir::Op::kStore;
  const std::string suffix = is_output ? CacheSuffix(code_.schedule->cache(inst.id), false) : "";
  const Width width = WidthOf(inst);
  if (width.lanes == 1) {
    const std::string pointer = Pointer(inst), value = Compute(inst);
    out_.Line(guard + (suffix.empty() ? Element(inst) + " = " + value + ";"
                                      : "__st" + suffix + "(" + pointer + ", " + value + ");"));
    return;
  }
  const std::string lanes = std::to_string(width.lanes);
  const std::string helper = "store" + lanes + (suffix.empty() ? "" : "_" + suffix);
  helpers_.insert(helper);
  // The last of the copies that a wide access serves stores for all of them. (Lanes of a VECTOR dim
  // are not copies: there is one, number 0.)
  const std::int64_t copy = copy_[At(width.dim_class)];
  const bool is_copy = Kind(width.dim_class) == DimKind::UNROLL;
  if (is_copy && copy % width.lanes != width.lanes - 1) return;
  const std::int64_t first = is_copy ? copy + 1 - width.lanes : 0;
  std::string values;
  for (std::uint32_t lane = 0; lane < width.lanes; ++lane) {
    SetIndex(width.dim_class, first + lane);
    values += (lane > 0 ? ", " : "") + Compute(inst);
  }
  SetIndex(width.dim_class, first);
  out_.Line(guard + helper + "(" + Pointer(inst) + ", make_float" + lanes + "(" + values + "));");
  SetIndex(width.dim_class, copy);
}

void CudaStatements::Execute(ir::InstId id) {
  const ir::Instruction& inst = code_.function->inst(id);
  if (inst.op == ir::Op::kStore || inst.op == ir::Op::kTempStore) return ExecuteStore(inst);
  const InstValues& values = Values(id);
  const bool has_register = Storage(id).is_read || inst.is_reduction();
  if (!has_register && values.inits.empty()) return;  // Nobody wants the value.
  if (inst.op == ir::Op::kLoad || inst.op == ir::Op::kTempLoad) return ExecuteLoad(inst);
  for (std::uint32_t lane = 0; lane < values.lanes; ++lane) {
    if (values.lanes > 1) SetIndex(values.vector_class, lane);
    ExecuteScalar(inst, Compute(inst));
  }
  if (values.lanes > 1) SetIndex(values.vector_class, 0);
}

std::vector<std::string> CudaStatements::Helpers() const {
  std::vector<std::string> lines;
  for (const std::string& name : helpers_) {
    const bool is_load = name.starts_with("load");
    const std::size_t underscore = name.find('_');
    const std::string lanes = name.substr(is_load ? 4 : 5, 1);
    const std::string suffix = underscore == std::string::npos ? "" : name.substr(underscore + 1);
    const std::string type = "float" + lanes;
    const std::string device = "static __device__ __forceinline__ ";
    if (is_load) {
      const std::string pointer = "reinterpret_cast<const " + type + "*>(p)";
      lines.push_back(device + type + " " + name + "(const float* p) { return " +
                      (suffix.empty() ? "*" + pointer : "__ld" + suffix + "(" + pointer + ")") +
                      "; }");
    } else {
      const std::string pointer = "reinterpret_cast<" + type + "*>(p)";
      lines.push_back(
          device + "void " + name + "(float* p, " + type + " v) { " +
          (suffix.empty() ? "*" + pointer + " = v" : "__st" + suffix + "(" + pointer + ", v)") +
          "; }");
    }
  }
  return lines;
}

}  // namespace exh::kernels::codegen
