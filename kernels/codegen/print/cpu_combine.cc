// SPDX-License-Identifier: MIT
//
// How parts of a reduction become one value on the cpu device: those of lanes, and of threads.
#include "base/error.h"
#include "kernels/codegen/print/cpu_statements.h"
#include "kernels/ir/ops.h"
#include "kernels/loops/loop_text.h"

namespace exh::kernels::codegen {

/// Axis by axis: the threads at index 0 take what the others along it have, then all of them get
/// what the first one has.
void CpuStatements::CombineSlices(ir::InstId id) {
  const ir::Instruction& inst = code_.function->inst(id);
  if (inst.is_scan()) return JoinSlicesOfScan(id);
  const std::vector<int> slices = code_.tree.SliceAxes(inst);
  const std::uint32_t threads =
      code_.tree.layouts[At(code_.tree.axes[At(slices.front())].layout)].threads;
  std::string first = loops::DigitText("t", 1, threads, false);
  for (const int slice : slices) {
    const ThreadAxis& axis = code_.tree.axes[At(slice)];
    const std::string stride = std::to_string(axis.stride);
    first += " - " + AxisIndex(slice) + (axis.stride == 1 ? "" : " * " + stride);
    out_.Open(loops::ForText("long", "t", 0, threads), inst.name() + ": one of all slices");
    out_.Line("if (" + AxisIndex(slice) + " != 0) continue;");
    out_.Open(loops::ForText("long", "s", 1, axis.size));
    for (const std::string& name : Registers(id)) {
      const std::string own = name + "[t]";
      out_.Line(own + " = " +
                Combined(inst, own, name + "[t + s * " + stride + "]", Storage(id).lanes) + ";");
    }
    out_.Close();
    out_.Close();
  }
  out_.Open(loops::ForText("long", "t", 0, code_.tree.num_threads));
  out_.Line("const long first = " + first + ";");
  for (const std::string& name : Registers(id)) out_.Line(name + "[t] = " + name + "[first];");
  out_.Close();
}

/// One slice after the other, in their order: what is carried to it comes before each of its steps.
void CpuStatements::JoinSlicesOfScan(ir::InstId id) {
  if (code_.splits.draws_numbers()) throw Refused("no work item of a processor looks back");
  const ir::Instruction& scan = code_.function->inst(id);
  const std::vector<int> slices = code_.tree.SliceAxes(scan);
  const std::uint32_t threads =
      code_.tree.layouts[At(code_.tree.axes[At(slices.front())].layout)].threads;
  const std::uint32_t lanes = Storage(id).lanes;
  std::string skips, of_slice;
  std::uint32_t count = 1;
  for (auto slice = slices.rbegin(); slice != slices.rend(); ++slice) {
    const ThreadAxis& axis = code_.tree.axes[At(*slice)];
    skips += (skips.empty() ? "" : " || ") + AxisIndex(*slice) + " != 0";
    of_slice += " + " + loops::DigitText("s", count, axis.size, false) + " * " +
                std::to_string(axis.stride);
    count *= axis.size;
  }
  const auto at = [](std::string name, const std::string& thread) {
    const std::size_t index = name.find("[t]");
    return index == name.npos ? name + "[" + thread + "]" : name.replace(index + 1, 1, thread);
  };
  out_.Open(loops::ForText("long", "t", 0, threads), scan.name() + ": from slice to slice");
  out_.Line("if (" + skips + ") continue;");
  for (const auto& [carry, rows] : ScannedRegisters(id)) {
    out_.Open("");
    out_.Line("auto carried = " + at(carry, "t") + ";");
    for (const std::vector<std::string>& steps : rows) {
      out_.Open(loops::ForText("long", "s", 0, count));
      out_.Line("const long u = t" + of_slice + ";");
      out_.Line("const auto all = " + Combined(scan, "carried", at(steps.back(), "u"), lanes) +
                ";");
      for (std::size_t i = steps.size(); i-- > 0;) {
        const bool is_before = scan.keeps == ir::Keeps::kBefore;
        const std::string own = at(steps[i], "u");
        const std::string until = is_before ? i == 0 ? "" : at(steps[i - 1], "u") : own;
        out_.Line(own + " = " +
                  (until.empty() ? "carried" : Combined(scan, "carried", until, lanes)) + ";");
      }
      out_.Line(code_.fault == Fault::kLostCarry ? "(void)all;" : "carried = all;");
      out_.Close();
    }
    out_.Open(loops::ForText("long", "s", 0, count));
    out_.Line("const long u = t" + of_slice + ";");
    out_.Line(at(carry, "u") + " = carried;");
    out_.Close();
    out_.Close();
  }
  out_.Close();
  if (threads == code_.tree.num_threads) return;
  out_.Open(loops::ForText("long", "t", threads, code_.tree.num_threads));
  out_.Line("const long first = t % " + std::to_string(threads) + ";");
  for (const auto& [carry, rows] : ScannedRegisters(id)) {
    out_.Line(at(carry, "t") + " = " + at(carry, "first") + ";");
    for (const std::vector<std::string>& steps : rows) {
      for (const std::string& step : steps) {
        out_.Line(at(step, "t") + " = " + at(step, "first") + ";");
      }
    }
  }
  out_.Close();
}

/// "lanes_mad_0_3", without a thread.
std::vector<std::string> CpuStatements::PartNames(ir::InstId id, const std::string& name) const {
  // In the order of the interpreter: the first dim is the fastest.
  std::vector<std::string> parts = {""};
  const std::vector<KeyDim>& copies = Storage(id).parts.copies;
  for (auto copy = copies.rbegin(); copy != copies.rend(); ++copy) {
    std::vector<std::string> longer;
    for (const std::string& part : parts) {
      for (std::uint32_t i = 0; i < copy->size; ++i) {
        longer.push_back("_" + std::to_string(i) + part);
      }
    }
    parts = std::move(longer);
  }
  for (std::string& part : parts) part = name + part;
  return parts;
}

std::vector<std::string> CpuStatements::Parts(ir::InstId id, const Key& unrolled) const {
  std::string name = LanesName(id);
  for (const std::int64_t index : unrolled) name += "_" + std::to_string(index);
  std::vector<std::string> parts = PartNames(id, name);
  for (std::string& part : parts) part += Storage(id).per_thread ? "[t]" : "";
  return parts;
}

void CpuStatements::BeginParts(const InitWrite& write, const Key& unrolled,
                               const std::string& value) {
  const ir::Instruction& reduction = code_.function->inst(write.reduction);
  const ir::Type held = HeldBy(reduction.id);
  const std::string others = write.first_lane_only ? IdentityOf(reduction) : value;
  const std::vector<std::string> parts = Parts(reduction.id, unrolled);
  for (const std::string& part : parts) {
    out_.Line(part + " = " + AsVector({others}, held, Storage(reduction.id).parts.lanes) + ";");
  }
  if (write.first_lane_only) out_.Line(parts.front() + "[0] = " + value + ";");
}

void CpuStatements::CombineLanes(int index) {
  const ir::InstId id = code_.tree.node(index).inst;
  const ir::Instruction& inst = code_.function->inst(id);
  const ValueStorage& storage = Storage(id);
  const bool for_threads = storage.per_thread && !code_.tree.InThreads(index);
  const std::string comment = inst.name() + ": one of all lanes";
  if (for_threads) {
    out_.Open(loops::ForText("long", "t", 0, code_.tree.num_threads), comment);
  } else {
    out_.Line("// " + comment);
  }
  for (const Place& place : RegistersAt(id, index)) {
    const std::vector<std::string> parts = Parts(id, place.key);
    for (std::size_t count = parts.size(); count > 1;) {
      const std::size_t half = (count + 1) / 2;
      for (std::size_t i = half; i < count; ++i) {
        const std::string& own = parts[i - half];
        out_.Line(own + " = " + Combined(inst, own, parts[i], storage.parts.lanes) + ";");
      }
      count = half;
    }
    out_.Line(place.name + " = " + OneOfLanesName(id) + "(" + parts.front() + ");");
  }
  if (for_threads) out_.Close();
}

// The lower half of the lanes takes the upper half. The upper half takes the lower one, too, for
// that is one operation like those of the loop: what the first lane has in the end is the value.
void CpuStatements::LaneFunctions() {
  for (const ir::Instruction& inst : code_.function->insts) {
    const std::uint32_t lanes = Storage(inst.id).parts.lanes;
    if (code_.tree.node_of_inst[inst.id.index()] < 0 || lanes == 1) continue;
    const ir::Type held = HeldBy(inst.id);
    const std::string vector = VectorName(held, lanes);
    out_.Line("// One of all lanes, by halves.");
    out_.Open("static inline " + std::string(RegisterName(held)) + " " + OneOfLanesName(inst.id) +
              "(" + vector + " x)");
    for (std::uint32_t half = lanes / 2; half > 0; half /= 2) {
      std::string order;
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        order += ", " + std::to_string(lane ^ half);
      }
      const std::string more = "x" + std::to_string(half);
      out_.Line("const " + vector + " " + more + " = __builtin_shufflevector(x, x" + order + ");");
      out_.Line("x = " + Combined(inst, "x", more, lanes) + ";");
    }
    out_.Line("return x[0];");
    out_.Close();
    if (GuardAlongLanes(inst) != nullptr) FirstLanesFunction(inst);
    out_.Line();
  }
}

/// What keeps the lanes of a register that are beyond a covered axis as they are.
void CpuStatements::FirstLanesFunction(const ir::Instruction& inst) {
  const std::uint32_t lanes = Storage(inst.id).parts.lanes;
  const ir::Type held = HeldBy(inst.id);
  const std::string vector = VectorName(held, lanes);
  // A vector is compared with a number that is as wide as its elements.
  const std::string number = ir::BytesOf(held) == ir::BytesOf(ir::Type::kI64) ? "long" : "int";
  std::string order;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    order += (lane > 0 ? ", " : "") + std::to_string(lane);
  }
  out_.Open("static inline " + vector + " " + FirstLanesName(inst.id) + "(" + vector + " x, " +
            vector + " own, long count)");
  out_.Line("const decltype(x < own) lane = {" + order + "};");
  out_.Line("const " + number + " end = count < 0 ? 0 : static_cast<" + number + ">(count);");
  out_.Line("return lane < end ? x : own;");
  out_.Close();
}

/// A step along lanes of which the last ones may be beyond a covered axis.
void CpuStatements::StepOfFirstLanes(const ir::Instruction& inst, const GuardIndex& cover,
                                     const std::string& own, const std::string& value) {
  const std::string all = Inside(inst, {std::int64_t{Values(inst.id).lanes} - 1});
  std::string fixed = InsideOfAllLanes(inst);
  if (!fixed.empty()) fixed = "if (" + fixed + ") ";
  const std::string whole = own + " = " + value + ";";
  const std::string part = own + " = " + FirstLanesName(inst.id) + "(" + value + ", " + own + ", " +
                           LanesInside(inst, cover) + ");";
  if (all.empty()) return out_.Line(whole);
  if (all == kNever) return out_.Line(fixed + part);
  out_.Line("if (" + all + ") " + whole);
  out_.Line("else " + fixed + part);
}

}  // namespace exh::kernels::codegen
