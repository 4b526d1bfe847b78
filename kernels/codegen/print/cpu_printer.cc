// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/cpu_printer.h"

#include <cstdio>
#include <cstdlib>
#include <set>

#include "base/text_writer.h"
#include "kernels/codegen/print/code_names.h"
#include "kernels/codegen/print/cpu_statements.h"
#include "kernels/codegen/print/op_text.h"

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

class CpuPrinter {
 public:
  CpuPrinter(const LoweredCode& code, const PrinterOptions& options)
      : code_(code),
        tree_(code.tree),
        checked_(options.checked),
        names_(code),
        statements_(code, names_, options.checked, out_) {}

  std::string Run() {
    PrintSourceHeader(code_, out_);
    VectorTypes();
    if (checked_) {
      for (const char* line : kCheckedMacros) out_.Line(line);
      out_.Line();
    }
    BlockFunction();
    Entry();
    return out_.Take();
  }

 private:
  static std::string Number(std::uint64_t value) { return std::to_string(value); }
  const DimClass& Class(int index) const { return tree_.classes[static_cast<std::size_t>(index)]; }

  void VectorTypes() {
    std::set<std::uint32_t> lanes;
    for (const InstValues& inst : code_.values.insts) {
      if (inst.lanes > 1) lanes.insert(inst.lanes);
    }
    for (const std::uint32_t n : lanes) {
      const std::string width = Number(n), bytes = Number(4ULL * n), vec = "vec" + width;
      out_.Line("typedef float " + vec + " __attribute__((vector_size(" + bytes + ")));");
      out_.Line("typedef float " + vec + "u __attribute__((vector_size(" + bytes +
                "), aligned(4), may_alias));");
      out_.Line("static inline " + vec + " load" + width + "(const float* p) { return *(const " +
                vec + "u*)p; }");
      out_.Line("static inline void store" + width + "(float* p, " + vec + " v) { *(" + vec +
                "u*)p = v; }");
      std::string copies = "x";
      for (std::uint32_t lane = 1; lane < n; ++lane) copies += ", x";
      out_.Line("static inline " + vec + " splat" + width + "(float x) { return " + vec + "{" +
                copies + "}; }");
      out_.Line();
    }
    const auto calls = [&](const ir::Instruction& inst) {
      return IsFunction(inst.op) && code_.values.insts[inst.id.index()].lanes > 1;
    };
    if (!std::ranges::any_of(code_.function->insts, calls)) return;
    out_.Line("// The function of each lane.");
    out_.Line("template <typename Vector, typename Function>");
    out_.Open("static inline Vector each(Vector x, Function function)");
    out_.Line(
        "for (unsigned lane = 0; lane < sizeof(x) / sizeof(x[0]); ++lane) x[lane] = "
        "function(x[lane]);");
    out_.Line("return x;");
    out_.Close();
    out_.Line();
  }

  std::string Parameters() const {
    std::string text;
    for (const ir::Array& array : code_.function->arrays) {
      text += array.role == ir::ArrayRole::kInput ? "const float* " : "float* ";
      text += "__restrict " + names_.array(array.id) + ", ";
    }
    for (std::size_t i = 0; i < code_.function->scalars.size(); ++i) {
      text += "float " + names_.scalar(i) + ", ";
    }
    if (checked_) text += "unsigned char* const* written, ";
    return text + "long block";
  }

  std::string Arguments() const {
    std::string text;
    for (const ir::Array& array : code_.function->arrays) {
      text += "arrays[" + Number(array.id.value) + "], ";
    }
    for (std::size_t i = 0; i < code_.function->scalars.size(); ++i) {
      text += "scalars[" + Number(i) + "], ";
    }
    if (checked_) text += "written, ";
    return text + "block";
  }

  void BlockFunction() {
    out_.Line("// One work item. Not inlined: only parameters keep what __restrict promises.");
    out_.Open("static __attribute__((noinline)) void Block(" + Parameters() + ")");
    std::uint64_t stride = tree_.num_blocks;
    for (const int c : tree_.block_classes) {
      stride /= Class(c).size;
      out_.Line("const long " + names_.index(c) + " = block" +
                (stride == 1 ? "" : " / " + Number(stride)) + " % " + Number(Class(c).size) +
                ";  // BLOCK " + DimNames(code_, c));
    }
    if (tree_.block_classes.empty()) out_.Line("(void)block;");
    for (const TempArray& temp : code_.memory.temps) Temporary(temp);
    Body(0);
    out_.Close();
    out_.Line();
  }

  void Temporary(const TempArray& temp) {
    const std::string& name = names_.temp(temp.block);
    // A GLOBAL temporary outlives the block: one per host thread, reused by its blocks.
    const bool global = temp.space == MemSpace::GLOBAL;
    out_.Line(std::string("alignas(64) ") + (global ? "static thread_local " : "") + "float " +
              name + "[" + Number(temp.elements) + "];  // " + (global ? "GLOBAL" : "SHARED"));
    if (checked_) out_.Line("for (float& x : " + name + ") x = __builtin_nanf(\"\");");
  }

  /// Declarations that live in the node, then its children.
  void Body(int index) {
    for (const ir::Instruction& inst : code_.function->insts) {
      if (tree_.node_of_inst[inst.id.index()] < 0) continue;
      const ValueStorage& storage = code_.values.storage[inst.id.index()];
      const bool has_register = storage.is_read || inst.is_reduction();
      if (storage.home == index && has_register) statements_.Declare(inst.id);
    }
    const std::vector<int>& children = tree_.node(index).children;
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
      out_.Open("for (long t = 0; t < " + Number(tree_.num_threads) + "; ++t)");
      for (; i < last; ++i) {
        out_.Open("");
        Threads(children[i]);
        out_.Close();
      }
      Threads(children[last]);
      out_.Close();
    }
  }

  void Threads(int index) {
    std::set<int> used;
    for (const int c : tree_.node(index).thread_classes) {
      used.insert(Class(c).axis);
      out_.Line("const long " + names_.index(c) + " = " + AxisIndex(Class(c).axis) +
                ";  // THREAD " + DimNames(code_, c));
    }
    for (const int axis : GuardAxes(index)) {
      out_.Line("const long t" + std::to_string(axis) + " = " + AxisIndex(axis) +
                ";  // Axis not used here: its threads repeat the work.");
    }
    Body(index);
  }

  std::string AxisIndex(int index) const {
    const ThreadAxis& axis = tree_.axes[static_cast<std::size_t>(index)];
    std::string text = "t";
    if (axis.stride != 1) text += " / " + Number(axis.stride);
    // The outermost axis of the largest layout needs no remainder.
    if (axis.stride * axis.size != tree_.num_threads) text += " % " + Number(axis.size);
    return text;
  }

  /// Axes that guards of stores inside the node ask for.
  std::set<int> GuardAxes(int index) const {
    std::set<int> axes;
    const LoopNode& node = tree_.node(index);
    if (node.kind == NodeKind::kExec) {
      const auto& guards = code_.values.insts[node.inst.index()].guard.axes;
      axes.insert(guards.begin(), guards.end());
    }
    for (const int child : node.children) axes.merge(GuardAxes(child));
    return axes;
  }

  void Node(int index) {
    const LoopNode& node = tree_.node(index);
    switch (node.kind) {
      case NodeKind::kRoot:
      case NodeKind::kThreads:
      case NodeKind::kBlock:
        return Body(index);
      case NodeKind::kExec:
        return statements_.Execute(node.inst);
      case NodeKind::kLoop: {
        const std::string& i = names_.index(node.dim_class);
        out_.Open("for (long " + i + " = 0; " + i + " < " + Number(Class(node.dim_class).size) +
                      "; ++" + i + ")",
                  "LOOP " + DimNames(code_, node.dim_class));
        Body(index);
        out_.Close();
        return;
      }
      case NodeKind::kUnroll:
        Comment("// UNROLL ", node.dim_class);
        PrintCopies(tree_, node, statements_, repeats_, [&] { Body(index); });
        return;
      case NodeKind::kVector:
        Comment("// VECTOR ", node.dim_class);
        return Body(index);
    }
  }

  /// Unrolled copies after the first say nothing new.
  void Comment(const std::string& kind, int dim_class) {
    if (repeats_ == 0) out_.Line(kind + DimNames(code_, dim_class));
  }

  void Entry() {
    const std::string arguments = "float* const* arrays, const float* scalars, int threads";
    const std::string all = checked_ ? arguments + ", unsigned char* const* written" : arguments;
    out_.Open(checked_ ? "extern \"C\" void exh_run_checked(" + all + ")"
                       : "extern \"C\" void exh_run(" + all + ")");
    out_.Line("(void)arrays, (void)scalars, (void)threads;");
    if (tree_.num_blocks > 1) {
      out_.Line("#pragma omp parallel for schedule(dynamic) num_threads(threads)");
      out_.Line("for (long block = 0; block < " + Number(tree_.num_blocks) + "; ++block) Block(" +
                Arguments() + ");");
    } else {
      out_.Line("const long block = 0;");
      out_.Line("Block(" + Arguments() + ");");
    }
    out_.Close();
    if (!checked_) return;
    out_.Line();
    out_.Open("extern \"C\" void exh_run(" + arguments + ")");
    out_.Line("exh_run_checked(arrays, scalars, threads, nullptr);");
    out_.Close();
  }

  const LoweredCode& code_;
  const LoopTree& tree_;
  bool checked_;
  TextWriter out_;
  CodeNames names_;
  CpuStatements statements_;
  int repeats_ = 0;  ///< Unrolled dims around that are past their first copy.
};

}  // namespace

std::string PrintCpu(const LoweredCode& code, const PrinterOptions& options) {
  return CpuPrinter(code, options).Run();
}

std::string PrintCpu(const ir::Function& function, const Schedule& schedule,
                     const PrinterOptions& options) {
  const LoweredCode code = LowerSchedule(function, schedule, options.fault);
  if (!code.error.empty()) {
    std::fprintf(stderr, "PrintCpu: the space allowed an implementation without code: %s\n",
                 code.error.c_str());
    std::abort();
  }
  return PrintCpu(code, options);
}

}  // namespace exh::kernels::codegen
