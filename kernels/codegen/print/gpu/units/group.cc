// SPDX-License-Identifier: MIT
//
// The steps of groups of warps as text: what memory/group_plan.h decides. A step is one instruction
// of all four warps. It is asynchronous, and so has three things around it:
//
//   exh_group_begin()    before a batch: what the warps have done to registers of the sums comes
//                        first
//   exh_group_wait<n>()  behind it: all batches but the last n have ended, and their sums are there
//   exh_publish()        before a barrier: what the thread has stored in shared memory, by copies
//                        that it has waited for, too, is there for what reads it past registers
//
// Promoted sums have registers beside them, u_… of v_…: the batch adds to these, and its first step
// does not read them. exh_promote() takes them behind the wait.
#include "kernels/codegen/print/gpu/units/group.h"

#include <algorithm>
#include <cctype>

#include "base/check.h"
#include "kernels/codegen/print/gpu/statements.h"

namespace exh::kernels::codegen {
namespace {

// A descriptor of the PTX ISA: addresses and steps in units of 16 bytes, and the swizzle.
constexpr const char* kCommon =
    R"(#ifndef EXH_SHIM
static __device__ __forceinline__ void exh_publish() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
static __device__ __forceinline__ void exh_group_begin() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ __forceinline__ void exh_group_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int batches>
static __device__ __forceinline__ void exh_group_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(batches) : "memory");
}
static __device__ __forceinline__ unsigned exh_shared_address(const void* place) {
  return static_cast<unsigned>(__cvta_generic_to_shared(place));
}
#endif
static __device__ __forceinline__ unsigned long long exh_matrix(unsigned place, unsigned leading, unsigned stride, unsigned swizzle) {
  return static_cast<unsigned long long>(swizzle) << 62 | static_cast<unsigned long long>(stride / 16) << 32 | static_cast<unsigned long long>(leading / 16) << 16 | (place & 0x3ffffu) / 16;
})";

// What a batch has come to is an operand of nothing, so that no compiler adds it before the wait.
constexpr const char* kPromote =
    R"(static __device__ __forceinline__ void exh_promote(float& sum, float& beside) {
#ifndef EXH_SHIM
  asm volatile("" : "+f"(beside) :: "memory");
#endif
  sum += beside;
})";

std::string Join(std::uint32_t count, const std::string& before, const std::string& behind = "") {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) {
    text += (i == 0 ? "" : ", ") + before + std::to_string(i) + behind;
  }
  return text;
}

/// What PTX calls the elements and the sums, and what stands behind both descriptors: of floats the
/// signs of the operands, and of halves which of them have their rows across.
struct StepWords {
  std::string element, sums, behind;

  explicit StepWords(const GroupStep& step) : element(ir::WordOf(step.element)), sums("f32") {
    if (step.element == ir::Type::kI8) {
      element = "s8", sums = "s32";
      return;
    }
    if (ir::IsF8(step.element)) {
      element.erase(0, 2);  // "e4m3" of "f8e4m3".
      behind = ", 1, 1";
      return;
    }
    behind = std::string(", 1, 1, ") + (step.is_first_across ? "1" : "0") + ", " +
             (step.is_second_across ? "1" : "0");
  }
};

/// The register of a batch beside that of a promoted sum: "u_mad_0" of "v_mad_0".
std::string Beside(std::string sum) {
  sum.front() = 'u';
  return sum;
}

std::string StepFunction(const GroupStep& step) {
  const std::uint32_t sums = step.columns / 2;
  const StepWords words(step);
  const std::uint32_t depth = ir::kGroupDepthBytes / ir::BytesOf(step.element);
  const bool is_whole = step.element == ir::Type::kI8;
  const std::string sum = is_whole ? "int" : "float";
  const std::string constraint =
      std::string(step.begins ? "\"=" : "\"+") + (is_whole ? "r\"" : "f\"");
  std::string shim_name(ir::WordOf(step.element));
  shim_name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(shim_name[0])));
  return "static __device__ __forceinline__ void " + step.Function() +
         "(unsigned long long first, unsigned long long second, " + Join(sums, sum + "& c") +
         ") {\n#ifdef EXH_SHIM\n  exh_shim::MultiplyInPlace<exh_shim::Factor::k" + shim_name +
         (step.begins ? ", true" : "") + ">(__LINE__, " + (step.is_first_across ? "1, " : "0, ") +
         (step.is_second_across ? "1" : "0") + ", first, second, " + Join(sums, "c") +
         ");\n#else\n  asm volatile(\"{ .reg .pred p; setp.ne.b32 p, " + (step.begins ? "0" : "1") +
         ", 0; "
         "wgmma.mma_async.sync.aligned.m64n" +
         std::to_string(step.columns) + "k" + std::to_string(depth) + "." + words.sums + "." +
         words.element + "." + words.element + " {" + Join(sums, "%") + "}, %" +
         std::to_string(sums) + ", %" + std::to_string(sums + 1) + ", p" + words.behind +
         "; }\"\n               : " + Join(sums, constraint + "(c", ")") +
         " : \"l\"(first), \"l\"(second));\n#endif\n}";
}

}  // namespace

std::string GroupStep::Function() const {
  return "exh_group_" + std::string(ir::WordOf(element)) + "_" + std::to_string(columns) + "_" +
         (is_first_across ? "m" : "k") + (is_second_across ? "n" : "k") + (begins ? "_begin" : "");
}

std::vector<std::string> GroupFunctions(const std::set<GroupStep>& steps) {
  std::vector<std::string> texts;
  if (!steps.empty()) texts.emplace_back(kCommon);
  if (std::ranges::any_of(steps, [](const GroupStep& step) { return ir::IsF8(step.element); })) {
    texts.emplace_back(kPromote);
  }
  for (const GroupStep& step : steps) texts.push_back(StepFunction(step));
  return texts;
}

std::string GpuStatements::MatrixOf(const GroupProduct& product, const GroupOperand& operand) {
  std::string place = SumOf(operand.first, false, nullptr, 0);
  const std::string& warp = names_.index(product.group_class);
  if (operand.group_step != 0 && Class(product.group_class).size > ir::kGroupWarps) {
    place += (place.empty() ? "" : " + ") + warp + " / " + std::to_string(ir::kGroupWarps) + " * " +
             std::to_string(operand.group_step);
  }
  const ir::Instruction& load = code_.function->inst(operand.load);
  const std::uint32_t stride =
      code_.fault == Fault::kWrongDescriptor ? 2 * operand.stride : operand.stride;
  return "exh_matrix(exh_shared_address(" + Moved(ArrayOf(load), place) + "), " +
         std::to_string(operand.leading) + ", " + std::to_string(stride) + ", " +
         std::to_string(operand.swizzle) + ")";
}

void GpuStatements::MultiplyInPlace(const ir::Instruction& inst) {
  const GroupProduct& product = *code_.groups.Find(inst.id);
  int rows = -1, columns = -1;
  for (const ir::DimId dim : inst.dims) {
    const int c = code_.tree.class_of_dim[dim.index()];
    const ir::FragmentPart part = Class(c).part;
    // The first of the copies that are registers of the tile stands for all of them.
    if ((part != ir::FragmentPart::kNone || c == product.copies_class) && copy(c) != 0) return;
    if (part == ir::FragmentPart::kRow) rows = c;
    if (part == ir::FragmentPart::kColumn) columns = c;
  }
  std::vector<std::string> sums;
  for (std::uint32_t n = 0; n < product.copies; ++n) {
    if (product.copies_class >= 0) SetIndex(product.copies_class, n);
    for (std::uint32_t h = 0; h < Class(rows).size; ++h) {
      SetIndex(rows, h);
      for (std::uint32_t b = 0; b < Class(columns).size; ++b) {
        SetIndex(columns, b);
        sums.push_back(SumRegister(inst.id, OwnKey(inst.id)));
      }
    }
  }
  SetIndex(rows, 0);
  SetIndex(columns, 0);
  if (product.copies_class >= 0) SetIndex(product.copies_class, 0);
  const GroupStep step = {code_.function->block(product.operands[0].block).type, product.columns(),
                          product.operands[0].is_across, product.operands[1].is_across,
                          product.is_promoted && BesideSums(sums)};
  group_steps_.insert(step);
  std::string registers;
  for (const std::string& sum : sums) registers += ", " + sum;
  out_.Line(step.Function() + "(" + MatrixOf(product, product.operands[0]) + ", " +
            MatrixOf(product, product.operands[1]) + registers + ");");
}

bool GpuStatements::BesideSums(std::vector<std::string>& sums) {
  const bool begins = std::ranges::find(promoted_, sums.front()) == promoted_.end();
  if (begins) promoted_.insert(promoted_.end(), sums.begin(), sums.end());
  for (std::string& sum : sums) sum = Beside(sum);
  if (begins) DeclareAs(words_.Register(ir::Type::kF32), sums);
  return begins && code_.fault != Fault::kUnbegunBatch;
}

void GpuStatements::BeginBatch(const GroupProduct& product) {
  if (product.is_promoted) out_.Open("");
  if (code_.fault != Fault::kMissingGroupFence) out_.Line("exh_group_begin();");
}

void GpuStatements::EndBatch(const GroupProduct& product) {
  out_.Line("exh_group_commit();");
  AwaitBatches(product.lag);
  if (!product.is_promoted) return;
  for (const std::string& sum : promoted_) {
    if (code_.fault != Fault::kMissingPromotion) {
      out_.Line("exh_promote(" + sum + ", " + Beside(sum) + ");");
    }
  }
  promoted_.clear();
  out_.Close();
}

void GpuStatements::AwaitBatches(std::uint32_t left) {
  if (code_.fault == Fault::kMissingGroupWait) return;
  out_.Line("exh_group_wait<" + std::to_string(left) + ">();");
}

}  // namespace exh::kernels::codegen
