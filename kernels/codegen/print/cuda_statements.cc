// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/cuda_statements.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "base/check.h"
#include "kernels/codegen/print/cuda_printer.h"
#include "kernels/codegen/print/op_text.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::codegen {
namespace {

/// What the compiler of CUDA 13.0 knows to be bytes it multiplies and adds two at a time, and takes
/// the wrong bytes (a load of four bytes as two numbers of 16 bits for dp2a). So it is not told.
constexpr const char* kWidenByte =
    "static __device__ __forceinline__ int exh_from_i8(signed char x) {\n"
    "#if defined(__CUDACC_RTC__) || defined(__NVCC__)\n"
    "  int wide;\n"
    "  asm(\"cvt.s32.s8 %0, %1;\" : \"=r\"(wide) : \"r\"(static_cast<int>(x)));\n"
    "  return wide;\n"
    "#else\n"
    "  return x;\n"
    "#endif\n"
    "}";

constexpr std::size_t kWidth = 92;  ///< Declarations are broken into lines of about this length.

/// The suffix of the intrinsic that a value of `cache` stands for: "cg" as in __ldcg.
std::string CacheSuffix(Cache cache, bool is_load) {
  if (cache == Cache::CACHE_GLOBAL) return "cg";
  if (cache == Cache::NO_CACHE) return "cs";
  if (cache == Cache::CACHE_READ_ONLY && is_load) return "g";
  return "";
}

constexpr const char* kMembers[] = {".x", ".y", ".z", ".w"};

/// Several elements that are loaded or stored at once.
struct WideType {
  ir::Type element = ir::Type::kF32;
  std::uint32_t lanes = 1;

  /// CUDA's own type. Of others a union has the elements, and the words that are moved.
  bool is_vector() const { return element == ir::Type::kF32 && (lanes == 2 || lanes == 4); }
  std::string name() const {
    if (is_vector()) return "float" + std::to_string(lanes);
    return "exh_" + std::string(ElementWord()) + "x" + std::to_string(lanes);
  }
  /// What stands behind the name of one to mean an element of it.
  std::string member(std::uint32_t lane) const {
    return is_vector() ? kMembers[lane] : ".e[" + std::to_string(lane) + "]";
  }
  /// One that has these elements.
  std::string Make(const std::string& elements) const {
    return is_vector() ? "make_" + name() + "(" + elements + ")" : name() + "{{" + elements + "}}";
  }

  std::uint32_t bytes() const { return lanes * ir::BytesOf(element); }
  std::uint32_t words() const { return std::max(1u, bytes() / 16); }
  std::string_view word() const {
    if (is_vector()) return lanes == 2 ? "float2" : "float4";
    switch (bytes() / words()) {
      case 2:
        return "unsigned short";
      case 4:
        return "unsigned";
      case 8:
        return "uint2";
      default:
        EXH_CHECK(bytes() % 16 == 0);
        return "uint4";
    }
  }
  /// "union exh_u16x8 { unsigned short e[8]; uint4 words[1]; };"
  std::string Definition() const {
    return "union " + name() + " { " + std::string(ElementName(element)) + " e[" +
           std::to_string(lanes) + "]; " + std::string(word()) + " words[" +
           std::to_string(words()) + "]; };";
  }

 private:
  /// Halves are bits, and bools are bytes.
  std::string_view ElementWord() const {
    if (ir::IsHalf(element)) return "u16";
    return element == ir::Type::kBool ? "u8" : ir::WordOf(element);
  }
};

/// "p_x + 3", "p_x - 3".
std::string Moved(const std::string& base, const std::string& offset) {
  if (offset.empty()) return base;
  return offset.front() == '-' ? base + " - " + offset.substr(1) : base + " + " + offset;
}

/// Both conditions; an empty one always holds.
std::string And(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + " && " + b;
}

bool FitsInt(std::int64_t value) {
  return std::in_range<std::int32_t>(value);
}

}  // namespace

CudaStatements::CudaStatements(const LoweredCode& code, const Part& part, const CodeNames& names,
                               TextWriter& out)
    : code_(code), part_(&part), names_(names), out_(out), copy_(code.tree.classes.size()) {
  for (const int node : code.tree.node_of_inst) band_.push_back(code.tree.BandAround(node));
  for (const AdvancedRead& read : code.values.ahead) band_[read.inst.index()] = -1;
  for (const Ring& ring : code.rings.rings) {
    for (const RingBlock& block : ring.blocks) {
      if (block.is_async) band_[block.read.index()] = band_[block.store.index()];
    }
  }
}

void CudaStatements::MoveLoop(int dim_class, const std::string& index) {
  moved_class_ = dim_class;
  moved_index_ = index;
  const bool is_number = !index.empty() && index.find_first_not_of("0123456789") == index.npos;
  moved_number_ = is_number ? std::optional(std::stoll(index)) : std::nullopt;
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

std::vector<std::string> CudaStatements::Registers(ir::InstId inst) const {
  return RegistersOf(names_.value(inst), Storage(inst), true);
}

void CudaStatements::Declare(ir::InstId inst) {
  const auto declare = [&](std::string_view type, const std::vector<std::string>& points) {
    std::string line;
    for (const std::string& point : points) {
      if (line.size() + point.size() > kWidth) {
        out_.Line(line + ";");
        line.clear();
      }
      line += (line.empty() ? std::string(type) + " " : ", ") + point;
    }
    out_.Line(line + ";");
  };
  std::vector<std::string> points = Registers(inst);
  if (Storage(inst).is_bits) return declare(ElementName(code_.function->inst(inst).type), points);
  declare(RegisterName(code_.function->inst(inst).type), points);
  if (!HasWideSums(inst)) return;
  for (std::string& point : points) point.front() = 'a';
  declare(RegisterName(code_.tree.SumType(*code_.function, code_.function->inst(inst))), points);
}

ir::Type CudaStatements::TypeOf(const ir::Instruction& inst, std::size_t operand,
                                ir::Type literal) const {
  const ir::Operand& source = inst.operands[operand];
  if (source.kind != ir::Operand::Kind::kComm) {
    return code_.function->TypeOf(source).value_or(literal);
  }
  return code_.function->inst(Values(inst.id).reads[operand].producer).type;
}

std::string CudaStatements::Read(const ir::Instruction& inst, std::size_t operand,
                                 ir::Type type) const {
  const ir::Operand& source = inst.operands[operand];
  if (source.kind == ir::Operand::Kind::kLiteral) {
    return NumberText(source.literal, type, Language::kCuda);
  }
  const ir::Type from = ir::ComputeTypeOf(TypeOf(inst, operand, type));
  if (source.kind == ir::Operand::Kind::kScalar) {
    const auto& scalars = code_.function->scalars;
    const auto it = std::find_if(scalars.begin(), scalars.end(),
                                 [&](const ir::Scalar& s) { return s.name == source.scalar; });
    return CastText(names_.scalar(static_cast<std::size_t>(it - scalars.begin())), from, type);
  }
  return CastText(ReadRegister(inst, operand), from, type);
}

std::string CudaStatements::ReadRegister(const ir::Instruction& inst, std::size_t operand) const {
  const ValueRead& read = Values(inst.id).reads[operand];
  std::vector<std::int64_t> key;
  for (const KeySource& index : read.index) key.push_back(copy_[At(index.dim_class)]);
  return Register(read.producer, key);
}

std::string CudaStatements::ReadElement(const ir::Instruction& inst, std::size_t operand,
                                        ir::Type element) const {
  const ir::InstId producer = Values(inst.id).reads[operand].producer;
  if (producer.valid() && Storage(producer).is_bits) return ReadRegister(inst, operand);
  const ir::Type from = TypeOf(inst, operand, element);
  return ToElementText(Read(inst, operand, ir::ComputeTypeOf(from)), from, element);
}

/// The value itself, or as another type.
std::string CudaStatements::Cast(const ir::Instruction& inst) {
  const ir::Operand& source = inst.operands.front();
  if (source.kind == ir::Operand::Kind::kLiteral) {
    return NumberText(ir::Rounded(inst.type, source.literal), ir::ComputeTypeOf(inst.type),
                      Language::kCuda);
  }
  const ir::Type from = TypeOf(inst, 0, inst.type);
  const std::string value = Read(inst, 0, ir::ComputeTypeOf(from));
  if (from == inst.type) return value;
  return ConvertText(value, from, inst.type);
}

/// The right-hand side. A reduction's own register is its last operand.
std::string CudaStatements::Compute(const ir::Instruction& inst) {
  if (inst.op == ir::Op::kConst) return Cast(inst);
  if (inst.op == ir::Op::kIndex) {
    const Affine& value = code_.memory.address[inst.id.index()];
    const std::string text = Sum(
        value, inst.type == ir::Type::kI64, [](int) { return true; }, value.constant);
    return text.empty() ? "0" : text;
  }
  const ir::Type type = ir::ComputeTypeOf(inst.computes);
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < inst.operands.size(); ++i) {
    const bool is_condition = inst.op == ir::Op::kSelect && i == 0;
    inputs.push_back(Read(inst, i, is_condition ? ir::ComputeTypeOf(TypeOf(inst, i, type)) : type));
  }
  if (inst.is_reduction()) {
    inputs.push_back(CastText(OwnRegister(inst.id), ir::ComputeTypeOf(inst.type), type));
  }
  return CudaOpText(inst.op, inst.computes, inputs);
}

/// Elements of the array are too many for an int, or what loops count beyond covered axes is.
bool CudaStatements::IsLarge(const ir::Instruction& inst) const {
  if (inst.op != ir::Op::kLoad && inst.op != ir::Op::kStore) return false;
  if (code_.memory.window(inst) != nullptr) return false;
  const Affine& address = code_.memory.address[inst.id.index()];
  std::int64_t most = address.constant;
  for (const Affine::Term& term : address.terms) {
    const std::int64_t last = code_.tree.classes[At(term.dim_class)].size - std::int64_t{1};
    most += std::max(std::int64_t{0}, last * term.coefficient);
  }
  return !FitsInt(most) || code_.function->array(inst.array).elements >
                               static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
}

std::string CudaStatements::Sum(const Affine& affine, bool is_large,
                                const std::function<bool(int)>& wanted,
                                std::int64_t constant) const {
  std::string text;
  for (const Affine::Term& term : affine.terms) {
    if (!wanted(term.dim_class)) continue;
    if (IsCopied(term.dim_class)) {
      constant += copy_[At(term.dim_class)] * term.coefficient;
      continue;
    }
    const bool is_moved = term.dim_class == moved_class_;
    if (is_moved && moved_number_) {
      constant += *moved_number_ * term.coefficient;
      continue;
    }
    text += (text.empty() ? "" : " + ") + (is_moved ? moved_index_ : names_.index(term.dim_class));
    if (term.coefficient != 1) {
      text += " * " + std::to_string(term.coefficient) + (is_large ? "ll" : "");
    }
  }
  if (constant == 0) return text;
  const std::string number = std::to_string(constant);
  return text.empty() ? number : Moved(text, number);
}

std::optional<std::string> CudaStatements::Inside(const ir::Instruction& inst) const {
  std::string text;
  for (const GuardIndex& guard : code_.memory.guards[inst.id.index()]) {
    // What the index may be at these copies.
    std::int64_t least = guard.index.constant, most = least;
    for (const Affine::Term& term : guard.index.terms) {
      if (IsCopied(term.dim_class)) {
        least += copy_[At(term.dim_class)] * term.coefficient;
        most += copy_[At(term.dim_class)] * term.coefficient;
      } else if (term.dim_class == moved_class_ && moved_number_) {
        least += *moved_number_ * term.coefficient;
        most += *moved_number_ * term.coefficient;
      } else {
        const std::int64_t last = code_.tree.classes[At(term.dim_class)].size - std::int64_t{1};
        (term.coefficient < 0 ? least : most) += last * term.coefficient;
      }
    }
    if (least >= 0 && most < guard.extent) continue;
    if (most < 0 || least >= guard.extent) return std::nullopt;
    const bool is_large = !FitsInt(guard.extent) || !FitsInt(least) || !FitsInt(most);
    // Below 0 is far beyond the extent without a sign.
    text += text.empty() ? "" : " && ";
    text += is_large ? "static_cast<unsigned long long>(" : "static_cast<unsigned>(";
    text += Sum(
        guard.index, is_large, [](int) { return true; }, guard.index.constant);
    text += ") < " + std::to_string(guard.extent) + (is_large ? "ull" : "u");
  }
  return text;
}

bool CudaStatements::IsFixedIn(int band, int dim_class) const {
  if (band < 0 || IsCopied(dim_class)) return false;
  const std::vector<int> around = code_.tree.ClassesAround(band);
  return std::find(around.begin(), around.end(), dim_class) != around.end();
}

void CudaStatements::DeclarePointers(int band) {
  for (const ir::Instruction& inst : code_.function->insts) {
    if (!inst.is_memory() || !part_->insts[inst.id.index()]) continue;
    if (band_[inst.id.index()] != band) continue;
    const Affine& address = code_.memory.address[inst.id.index()];
    const std::string terms = Sum(
        address, IsLarge(inst), [&](int c) { return IsFixedIn(band, c); }, address.constant);
    if (const XorLayout* layout = LayoutOf(inst)) {
      DeclarePlace(inst, *layout, terms);
      continue;
    }
    out_.Line("const auto p_" + names_.value(inst.id).substr(2) + " = " + ArrayOf(inst) +
              (terms.empty() ? "" : " + (" + terms + ")") + ";");
  }
}

CudaStatements::Place CudaStatements::PlaceOf(const ir::Instruction& inst) {
  const int band = band_[inst.id.index()];
  if (const XorLayout* layout = LayoutOf(inst)) {
    return {ArrayOf(inst), PlacedOffset(inst, *layout)};
  }
  const std::string base = band < 0 ? ArrayOf(inst) : "p_" + names_.value(inst.id).substr(2);
  const Affine& address = code_.memory.address[inst.id.index()];
  const std::string terms = Sum(
      address, IsLarge(inst), [&](int c) { return !IsFixedIn(band, c); },
      band < 0 ? address.constant : 0);
  return {base, terms};
}

std::string CudaStatements::Pointer(const ir::Instruction& inst) {
  const Place place = PlaceOf(inst);
  return Moved(place.base, place.offset);
}

/// "p_load_a[i_k0 * 8 + 3]".
std::string CudaStatements::Element(const ir::Instruction& inst) {
  const Place place = PlaceOf(inst);
  return place.base + "[" + (place.offset.empty() ? "0" : place.offset) + "]";
}

std::string CudaStatements::AxisIndex(int index, bool bounded) const {
  const ThreadAxis& axis = code_.tree.axes[At(index)];
  const ThreadLayout& layout = code_.tree.layouts[At(axis.layout)];
  const std::uint32_t threads = bounded ? layout.threads : code_.tree.num_threads;
  return ThreadIndex(axis.stride, axis.size, threads, layout.patch == 1 ? "t" : kPlaceInPatches);
}

std::string CudaStatements::Condition(const ThreadGuard& guard) const {
  std::string text;
  for (const int axis : guard.axes) {
    text += (text.empty() ? "" : " && ") + AxisIndex(axis, guard.below != 0) + " == 0";
  }
  if (guard.below != 0) text += (text.empty() ? "t < " : " && t < ") + std::to_string(guard.below);
  return text;
}

bool CudaStatements::IsSplit(const ir::Instruction& inst, const Width& width) const {
  return codegen::IsSplit(code_.memory, inst.id, width.dim_class, width.lanes);
}

bool CudaStatements::HasScopeOfEach(const ir::Instruction& inst, int dim_class) const {
  const InstValues& values = Values(inst.id);
  const ir::InstId value = values.reads.empty() ? inst.id : values.reads[0].producer;
  if (!value.valid()) return false;  // A literal.
  for (int node = Storage(value).home; node >= 0; node = code_.tree.node(node).parent) {
    const LoopNode& around = code_.tree.node(node);
    if (around.kind == NodeKind::kUnroll && around.dim_class == dim_class) return true;
  }
  return false;
}

CudaStatements::Width CudaStatements::WidthOf(const ir::Instruction& inst) const {
  const InstValues& values = Values(inst.id);
  const Affine& address = code_.memory.address[inst.id.index()];
  if (values.lanes > 1 && address.coefficient(values.vector_class) != 0) {
    const Width width = {values.vector_class, values.lanes};
    return IsSplit(inst, width) ? Width{} : width;
  }
  const std::uint32_t vec = code_.schedule->vec.Or(1, inst.id);
  for (const Affine::Term& term : address.terms) {
    if (vec > 1 && term.coefficient == 1 && Kind(term.dim_class) == DimKind::UNROLL) {
      const Width width = {term.dim_class, vec};
      return IsSplit(inst, width) || HasScopeOfEach(inst, term.dim_class) ? Width{} : width;
    }
  }
  return {};
}

std::string CudaStatements::WideHelper(ir::Type element, std::uint32_t lanes, bool is_load,
                                       const std::string& suffix) {
  std::string name = (is_load ? "load" : "store") + std::to_string(lanes);
  if (!suffix.empty()) name += "_" + suffix;
  // All halves are the same bits.
  if (element == ir::Type::kBf16) element = ir::Type::kF16;
  helpers_.insert({name, element, lanes, is_load, suffix});
  return name;
}

/// "load4_cg(p_load_a + 8)", "tmp_load_a[3]" …: an element, or a WideType.
std::string CudaStatements::Load(const ir::Instruction& inst, std::uint32_t lanes) {
  const bool is_shared = inst.op == ir::Op::kTempLoad || code_.memory.window(inst) != nullptr;
  const std::string suffix = is_shared ? "" : CacheSuffix(code_.schedule->cache(inst.id), true);
  const std::string pointer = Pointer(inst);
  if (lanes == 1) return suffix.empty() ? Element(inst) : "__ld" + suffix + "(" + pointer + ")";
  return WideHelper(code_.function->element_type(inst), lanes, true, suffix) + "(" + pointer + ")";
}

std::string CudaStatements::LoadPiece(const ir::Window& window, const std::string& pointer,
                                      std::uint32_t lanes) {
  const std::string suffix = CacheSuffix(code_.schedule->cache(window.read), true);
  if (lanes > 1) return WideHelper(window.type, lanes, true, suffix) + "(" + pointer + ")";
  return suffix.empty() ? "*(" + pointer + ")" : "__ld" + suffix + "(" + pointer + ")";
}

std::string CudaStatements::ZeroPiece(const ir::Window& window, std::uint32_t lanes) {
  const std::string zero =
      ir::IsHalf(window.type) ? "0" : NumberText(0, window.type, Language::kCuda);
  if (lanes == 1) return zero;
  std::string zeros;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) zeros += (lane == 0 ? "" : ", ") + zero;
  return WideType{window.type, lanes}.Make(zeros);
}

void CudaStatements::WriteInit(const InitWrite& write, const std::string& value,
                               std::vector<std::int64_t>& key) {
  const ValueStorage& storage = Storage(write.reduction);
  if (key.size() == storage.key.size()) {
    std::string condition;
    for (const int axis : write.slices) {
      condition += (condition.empty() ? "" : " && ") + AxisIndex(axis, false) + " == 0";
    }
    for (const int split : write.splits) {
      condition += (condition.empty() ? "" : " && ") + names_.index(split) + " == 0";
    }
    const ir::Instruction& reduction = code_.function->inst(write.reduction);
    const ir::Type held = ir::ComputeTypeOf(reduction.type);
    const double identity = ir::IdentityOf(ir::CombinedBy(reduction.op), reduction.type);
    const std::string first = condition.empty() ? value
                                                : condition + " ? " + value + " : " +
                                                      NumberText(identity, held, Language::kCuda);
    out_.Line(SumRegister(write.reduction, key) + " = " + SumBegin(reduction, first) + ";");
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
    // A step of a reduction is not taken beyond a covered axis.
    const std::optional<std::string> inside =
        inst.is_reduction() ? Inside(inst) : std::optional<std::string>("");
    const std::string guard = !inside || inside->empty() ? "" : "if (" + *inside + ") ";
    if (inside) out_.Line(guard + target + " = " + value + ";");
    text = target;
  }
  for (const InitWrite& write : values.inits) {
    std::vector<std::int64_t> key;
    WriteInit(write, text, key);
  }
}

void CudaStatements::ExecuteLoad(const ir::Instruction& inst) {
  const InstValues& values = Values(inst.id);
  const Width width = WidthOf(inst);
  if (values.lanes == 1 || width.dim_class == values.vector_class) return LoadElements(inst, width);
  // The lanes share an element.
  for (std::uint32_t lane = 0; lane < values.lanes; ++lane) {
    SetIndex(values.vector_class, lane);
    LoadElements(inst, width);
  }
  SetIndex(values.vector_class, 0);
}

void CudaStatements::LoadElements(const ir::Instruction& inst, const Width& width) {
  const ir::Type element = code_.function->element_type(inst);
  const bool is_bits = Storage(inst.id).is_bits;
  const auto value_of = [&](const std::string& text) {
    if (is_bits) return text;
    if (element != ir::Type::kI8) return FromElementText(text, element);
    widens_bytes_ = true;
    return "exh_from_i8(" + text + ")";
  };
  const std::optional<std::string> inside = Inside(inst);
  const std::string zero =
      is_bits ? "0" : NumberText(0, ir::ComputeTypeOf(inst.type), Language::kCuda);
  if (width.lanes == 1) {
    if (!inside) return ExecuteScalar(inst, zero);
    const std::string value = value_of(Load(inst, 1));
    return ExecuteScalar(inst, inside->empty() ? value : *inside + " ? " + value + " : " + zero);
  }
  // The first of the copies that a wide access serves loads for all of them. All are read, or none.
  const std::int64_t first = copy_[At(width.dim_class)];
  if (first % width.lanes != 0) return;
  const auto each = [&](const auto& value) {
    for (std::uint32_t lane = 0; lane < width.lanes; ++lane) {
      SetIndex(width.dim_class, first + lane);
      ExecuteScalar(inst, value(lane));
    }
    SetIndex(width.dim_class, first);
  };
  const auto zeros = [&](std::uint32_t) { return zero; };
  if (!inside) return each(zeros);
  const WideType type = {element, width.lanes};
  out_.Open(inside->empty() ? "" : "if (" + *inside + ")");
  out_.Line("const " + type.name() + " q = " + Load(inst, width.lanes) + ";");
  each([&](std::uint32_t lane) { return value_of("q" + type.member(lane)); });
  out_.Close();
  if (inside->empty()) return;
  out_.Open("else");
  each(zeros);
  out_.Close();
}

void CudaStatements::ExecuteStore(const ir::Instruction& inst) {
  const InstValues& values = Values(inst.id);
  const Width width = WidthOf(inst);
  if (values.lanes == 1 || width.lanes > 1) return StoreElements(inst, width);
  // Lanes of which some are beyond a covered axis.
  for (std::uint32_t lane = 0; lane < values.lanes; ++lane) {
    SetIndex(values.vector_class, lane);
    StoreElements(inst, width);
  }
  SetIndex(values.vector_class, 0);
}

std::string CudaStatements::WhenStored(const ir::Instruction& inst) const {
  std::string last;
  const int group = code_.splits.last_of[inst.id.index()];
  if (group >= 0 && !code_.splits.groups[At(group)].ends_the_others) {
    last = "exh_last_" + std::to_string(group);
  }
  return And(last, Condition(code_.threads.store[inst.id.index()]));
}

std::int64_t CudaStatements::FirstOfStore(const Width& width) const {
  // Lanes of a VECTOR dim are not copies: there is one, number 0.
  const bool is_copy = width.lanes > 1 && Kind(width.dim_class) == DimKind::UNROLL;
  if (!is_copy) return 0;
  const std::int64_t copy = copy_[At(width.dim_class)];
  return copy % width.lanes == width.lanes - 1 ? copy + 1 - width.lanes : -1;
}

void CudaStatements::StoreElements(const ir::Instruction& inst, const Width& width) {
  const bool is_wide = width.lanes > 1;
  const std::int64_t copy = is_wide ? copy_[At(width.dim_class)] : 0;
  const std::int64_t first = FirstOfStore(width);
  if (first < 0) return;
  if (is_wide) SetIndex(width.dim_class, first);
  const std::optional<std::string> inside = Inside(inst);
  const std::string condition = And(WhenStored(inst), inside.value_or(""));
  const std::string guard = condition.empty() ? "" : "if (" + condition + ") ";
  const bool is_output = inst.op == ir::Op::kStore;
  const std::string suffix = is_output ? CacheSuffix(code_.schedule->cache(inst.id), false) : "";
  const ir::Type element = code_.function->element_type(inst);
  const std::string pointer = Pointer(inst);
  const int split = code_.splits.of_store[inst.id.index()];  // It adds to the output.
  if (!is_wide) {
    if (!inside) return;
    const std::string value = ReadElement(inst, 0, element);
    if (split >= 0) {
      out_.Line(guard + AtomicText(code_.splits.reductions[At(split)], pointer, value) + ";");
      return;
    }
    out_.Line(guard + (suffix.empty() ? Element(inst) + " = " + value + ";"
                                      : "__st" + suffix + "(" + pointer + ", " + value + ");"));
    return;
  }
  std::string values;
  for (std::uint32_t lane = 0; lane < width.lanes; ++lane) {
    SetIndex(width.dim_class, first + lane);
    values += (lane > 0 ? ", " : "") + ReadElement(inst, 0, element);
  }
  SetIndex(width.dim_class, copy);
  if (!inside) return;
  const WideType type = {element, width.lanes};
  const std::string function =
      split >= 0 ? "atomicAdd" : WideHelper(element, width.lanes, false, suffix);
  const std::string to =
      split >= 0 ? "reinterpret_cast<" + type.name() + "*>(" + pointer + ")" : pointer;
  out_.Line(guard + function + "(" + to + ", " + type.Make(values) + ");");
}

void CudaStatements::Execute(ir::InstId id) {
  const ir::Instruction& inst = code_.function->inst(id);
  if (code_.rings.of_inst[id.index()] >= 0) {
    const RingBlock& block = code_.rings.BlockOf(inst);
    if (block.is_async) {
      if (id == block.store) CopyAsync(inst, code_.function->inst(block.read));
      return;
    }
  }
  if (inst.op == ir::Op::kStore || inst.op == ir::Op::kTempStore) return ExecuteStore(inst);
  if (inst.op == ir::Op::kWindow) return CopyWindow(inst);
  const InstValues& values = Values(id);
  const bool has_register = Storage(id).is_read || inst.is_reduction();
  if (!has_register && values.inits.empty()) return;  // Nobody wants the value.
  if (inst.op == ir::Op::kLoad || inst.op == ir::Op::kTempLoad) return ExecuteLoad(inst);
  if (code_.tree.IsUnit(inst)) return MultiplyTile(inst);
  for (std::uint32_t lane = 0; lane < values.lanes; ++lane) {
    if (values.lanes > 1) SetIndex(values.vector_class, lane);
    ExecuteScalar(inst, Compute(inst));
  }
  if (values.lanes > 1) SetIndex(values.vector_class, 0);
}

std::string CudaStatements::Definition(const Helper& helper) {
  const WideType type = {helper.element, helper.lanes};
  const std::string element(ElementName(helper.element)), word(type.word());
  const std::string device = "static __device__ __forceinline__ ";
  // The words of the memory, and those of `q`.
  const auto place = [&](std::uint32_t i) {
    const std::string pointer =
        "reinterpret_cast<" + std::string(helper.is_load ? "const " : "") + word + "*>(p)";
    return i == 0 ? pointer : "(" + pointer + " + " + std::to_string(i) + ")";
  };
  const auto load = [&](std::uint32_t i) {
    return helper.suffix.empty() ? "*" + place(i) : "__ld" + helper.suffix + "(" + place(i) + ")";
  };
  const auto store = [&](std::uint32_t i, const std::string& value) {
    return helper.suffix.empty() ? "*" + place(i) + " = " + value + "; "
                                 : "__st" + helper.suffix + "(" + place(i) + ", " + value + "); ";
  };
  const auto own = [](std::uint32_t i) { return "q.words[" + std::to_string(i) + "]"; };
  std::string body;
  if (helper.is_load) {
    if (type.is_vector()) {
      body = "return " + load(0) + "; ";
    } else {
      body = type.name() + " q; ";
      for (std::uint32_t i = 0; i < type.words(); ++i) body += own(i) + " = " + load(i) + "; ";
      body += "return q; ";
    }
    return device + type.name() + " " + helper.name + "(const " + element + "* p) { " + body + "}";
  }
  if (type.is_vector()) {
    body = store(0, "v");
  } else {
    for (std::uint32_t i = 0; i < type.words(); ++i) body += store(i, own(i));
  }
  return device + "void " + helper.name + "(" + element + "* p, " + type.name() +
         (type.is_vector() ? " v" : " q") + ") { " + body + "}";
}

std::vector<std::string> CudaStatements::Helpers() const {
  std::vector<std::string> lines;
  std::set<std::string> types;
  for (const Helper& helper : helpers_) {
    const WideType type = {helper.element, helper.lanes};
    if (!type.is_vector()) types.insert(type.Definition());
  }
  lines.insert(lines.end(), types.begin(), types.end());
  for (const Helper& helper : helpers_) lines.push_back(Definition(helper));
  lines.insert(lines.end(), combiners_.begin(), combiners_.end());
  lines.insert(lines.end(), places_.begin(), places_.end());
  if (widens_bytes_) lines.push_back(kWidenByte);
  std::ranges::move(CudaUnitFunctions(units_, begins_), std::back_inserter(lines));
  return lines;
}

}  // namespace exh::kernels::codegen
