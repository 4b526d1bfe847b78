// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/gpu/words.h"

#include <algorithm>

#include "base/check.h"
#include "kernels/ir/device.h"

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

// A compiler for an older GPU refuses these: with nothing in their place, launches that overlap
// would read too early.
constexpr std::string_view kOverlapFunctions = R"(#ifndef EXH_SHIM
// Blocks of the next kernel may begin when all blocks of this one have: they take no place away.
static __device__ __forceinline__ void exh_let_next_begin() {
  asm volatile("griddepcontrol.launch_dependents;");
}
// Returns when the kernel before has ended, and what it wrote is there.
static __device__ __forceinline__ void exh_await_previous() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}
#endif
)";

// Where threads of a warp return at different times, compilers let the first of them wait for the
// others at the end of the kernel, and these may wait for them at a barrier. Threads that exit are
// gone.
constexpr std::string_view kClockFunctions =
    R"(static __device__ __forceinline__ void exh_look(unsigned long long deadline) {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  if (now > deadline) asm volatile("exit;");
}
)";

/// CUDA's own type. Of others a union has the elements, and the words that are moved.
bool IsVector(const WideType& type) {
  return type.element == ir::Type::kF32 && (type.lanes == 2 || type.lanes == 4);
}

std::uint32_t BytesOf(const WideType& type) {
  return type.lanes * ir::BytesOf(type.element);
}

std::uint32_t WordsIn(const WideType& type) {
  return std::max(1u, BytesOf(type) / 16);
}

std::string WordOf(const WideType& type) {
  if (IsVector(type)) return type.lanes == 2 ? "float2" : "float4";
  switch (BytesOf(type) / WordsIn(type)) {
    case 2:
      return "unsigned short";
    case 4:
      return "unsigned";
    case 8:
      return "uint2";
    default:
      EXH_CHECK(BytesOf(type) % 16 == 0);
      return "uint4";
  }
}

/// Narrow floats are bits, and bools are bytes.
std::string ElementWord(ir::Type element) {
  if (ir::IsHalf(element)) return "u16";
  return element == ir::Type::kBool || ir::IsF8(element) ? "u8" : std::string(ir::WordOf(element));
}

std::string FunctionOf(const GpuWords& words, const WideAccess& access) {
  const WideType& type = access.type;
  const std::string element = words.Element(type.element), word = WordOf(type);
  // The words of the memory, and those of `q`.
  const auto place = [&](std::uint32_t i) {
    const std::string pointer =
        words.CastPointer((access.is_load ? "const " : "") + word + "*", "p");
    return i == 0 ? pointer : "(" + pointer + " + " + std::to_string(i) + ")";
  };
  const auto load = [&](std::uint32_t i) {
    return access.suffix.empty() ? "*" + place(i) : "__ld" + access.suffix + "(" + place(i) + ")";
  };
  const auto store = [&](std::uint32_t i, const std::string& value) {
    return access.suffix.empty() ? "*" + place(i) + " = " + value + "; "
                                 : "__st" + access.suffix + "(" + place(i) + ", " + value + "); ";
  };
  const auto own = [](std::uint32_t i) { return "q.words[" + std::to_string(i) + "]"; };
  std::string body;
  if (access.is_load) {
    if (IsVector(type)) {
      body = "return " + load(0) + "; ";
    } else {
      body = words.Name(type) + " q; ";
      for (std::uint32_t i = 0; i < WordsIn(type); ++i) body += own(i) + " = " + load(i) + "; ";
      body += "return q; ";
    }
    return words.function + words.Name(type) + " " + access.name + "(const " + element + "* p) { " +
           body + "}";
  }
  if (IsVector(type)) {
    body = store(0, "v");
  } else {
    for (std::uint32_t i = 0; i < WordsIn(type); ++i) body += store(i, own(i));
  }
  return words.function + "void " + access.name + "(" + element + "* p, " + words.Name(type) +
         (IsVector(type) ? " v" : " q") + ") { " + body + "}";
}

}  // namespace

GpuWords::GpuWords() : widen_byte(kWidenByte) {}

std::string GpuWords::Kernel(std::uint32_t threads, std::uint32_t blocks) const {
  return "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(threads) + ", " +
         std::to_string(blocks) + ")";
}

std::string GpuWords::Shared(std::uint64_t /*bytes*/) const {
  return "extern __shared__ float4 exh_shared[];";
}

std::string GpuWords::SharedAt(std::uint64_t alignment) const {
  return "extern __shared__ __align__(" + std::to_string(alignment) + ") float4 exh_shared[];";
}

std::string GpuWords::Pointer(const std::string& type, MemSpace space) const {
  return (space == MemSpace::SHARED ? shared : global) + type + "*";
}

std::string GpuWords::CastPointer(const std::string& pointer_type, const std::string& text) const {
  return "reinterpret_cast<" + pointer_type + ">(" + text + ")";
}

std::string GpuWords::Shuffle(const std::string& value, std::uint32_t bit,
                              std::uint32_t threads) const {
  const std::string all =
      threads < ir::kWarpLanes ? std::to_string((1u << threads) - 1) + "u" : "0xffffffffu";
  return "__shfl_xor_sync(" + all + ", " + value + ", " + std::to_string(bit) + ")";
}

std::string GpuWords::LookBackFunctions() const {
  // Relaxed, and of the whole GPU: a word is all that one says.
  return R"(#ifndef EXH_SHIM
static __device__ __forceinline__ void exh_tell(unsigned long long* to, unsigned long long word) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(to), "l"(word) : "memory");
}
static __device__ __forceinline__ unsigned long long exh_hear(const unsigned long long* from) {
  unsigned long long word;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
  return word;
}
static __device__ __forceinline__ void exh_pause(unsigned nanoseconds) { __nanosleep(nanoseconds); }
#define exh_ballot(is_set) __ballot_sync(0xffffffffu, is_set)
#define exh_swap(value, bit) __shfl_xor_sync(0xffffffffu, value, bit)
#endif
)";
}

std::string GpuWords::Name(const WideType& type) const {
  if (IsVector(type)) return "float" + std::to_string(type.lanes);
  return "exh_" + ElementWord(type.element) + "x" + std::to_string(type.lanes);
}

std::string GpuWords::Member(const WideType& type, std::uint32_t lane) const {
  constexpr const char* kMembers[] = {".x", ".y", ".z", ".w"};
  return IsVector(type) ? kMembers[lane] : ".e[" + std::to_string(lane) + "]";
}

std::string GpuWords::Make(const WideType& type, const std::string& elements) const {
  return IsVector(type) ? "make_" + Name(type) + "(" + elements + ")"
                        : Name(type) + "{{" + elements + "}}";
}

std::string GpuWords::Load(const WideAccess& access, const std::string& pointer) const {
  return access.name + "(" + pointer + ")";
}

std::string GpuWords::Store(const WideAccess& access, const std::string& pointer,
                            const std::string& value) const {
  return access.name + "(" + pointer + ", " + value + ")";
}

std::string_view OverlapFunctions() {
  return kOverlapFunctions;
}

std::string_view ClockFunctions() {
  return kClockFunctions;
}

const GpuWords& WordsOf(ir::Dialect dialect) {
  static const GpuWords cuda;
  if (dialect == ir::Dialect::kHip) return HipWords();
  if (dialect == ir::Dialect::kOpenCl) return OpenClWords();
  EXH_CHECK(dialect == ir::Dialect::kCuda);
  return cuda;
}

std::vector<std::string> GpuWords::Definitions(const std::set<WideAccess>& accesses) const {
  std::set<std::string> types;  // "union exh_u16x8 { unsigned short e[8]; uint4 words[1]; };"
  for (const WideAccess& access : accesses) {
    const WideType& type = access.type;
    if (IsVector(type)) continue;
    types.insert("union " + Name(type) + " { " + Element(type.element) + " e[" +
                 std::to_string(type.lanes) + "]; " + WordOf(type) + " words[" +
                 std::to_string(WordsIn(type)) + "]; };");
  }
  std::vector<std::string> lines(types.begin(), types.end());
  for (const WideAccess& access : accesses) lines.push_back(FunctionOf(*this, access));
  return lines;
}

}  // namespace exh::kernels::codegen
