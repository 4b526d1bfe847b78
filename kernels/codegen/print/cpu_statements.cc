// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/cpu_statements.h"

#include <algorithm>

namespace exh::kernels::codegen {

CpuStatements::CpuStatements(const LoweredCode& code, const CodeNames& names, bool checked,
                             TextWriter& out)
    : code_(code), names_(names), checked_(checked), out_(out), copy_(code.tree.classes.size()) {}

/// v_mad_0_3[t]: the register of one point of the unrolled dims.
std::string CpuStatements::Register(ir::InstId inst,
                                    const std::vector<std::int64_t>& unrolled) const {
  std::string text = names_.value(inst);
  for (const std::int64_t index : unrolled) text += "_" + std::to_string(index);
  if (Storage(inst).per_thread) text += "[t]";
  return text;
}

std::string CpuStatements::OwnRegister(ir::InstId inst) const {
  std::vector<std::int64_t> unrolled;
  for (const KeyDim& key : Storage(inst).key) {
    if (!key.is_vector) unrolled.push_back(copy_[At(key.dim_class)]);
  }
  return Register(inst, unrolled);
}

// float v_acc_0, v_acc_1;   or   vec8 v_acc_0[64], v_acc_1[64];
void CpuStatements::Declare(ir::InstId inst) {
  const ValueStorage& storage = Storage(inst);
  std::vector<std::string> points = {names_.value(inst)};
  for (const KeyDim& key : storage.key) {
    if (key.is_vector) continue;
    std::vector<std::string> longer;
    for (const std::string& point : points) {
      for (std::uint32_t i = 0; i < key.size; ++i) {
        longer.push_back(point + "_" + std::to_string(i));
      }
    }
    points = std::move(longer);
  }
  const std::string type = storage.lanes > 1 ? "vec" + std::to_string(storage.lanes) : "float";
  const std::string threads =
      storage.per_thread ? "[" + std::to_string(code_.tree.num_threads) + "]" : "";
  std::string line;
  for (const std::string& point : points) {
    if (line.size() + point.size() > 88) {
      out_.Line(line + ";");
      line.clear();
    }
    line += (line.empty() ? type + " " : ", ") + point + threads;
  }
  out_.Line(line + ";");
}

/// The scalar that lane `lane` of the reader reads.
std::string CpuStatements::Lane(const ValueRead& read, int vector_class, std::int64_t lane) const {
  const ValueStorage& storage = Storage(read.producer);
  std::vector<std::int64_t> unrolled;
  std::string extract;
  for (std::size_t i = 0; i < storage.key.size(); ++i) {
    const int source = read.index[i].dim_class;
    const std::int64_t index = source == vector_class ? lane : copy_[At(source)];
    if (storage.key[i].is_vector) {
      extract = "[" + std::to_string(index) + "]";
    } else {
      unrolled.push_back(index);
    }
  }
  return Register(read.producer, unrolled) + extract;
}

CpuStatements::Expression CpuStatements::Read(const ir::Instruction& inst,
                                              std::size_t operand) const {
  const ir::Operand& source = inst.operands[operand];
  if (source.kind == ir::Operand::Kind::kLiteral) return {FloatLiteral(source.literal), false};
  if (source.kind == ir::Operand::Kind::kScalar) {
    const auto& scalars = code_.function->scalars;
    const auto it = std::find_if(scalars.begin(), scalars.end(),
                                 [&](const ir::Scalar& s) { return s.name == source.scalar; });
    return {names_.scalar(static_cast<std::size_t>(it - scalars.begin())), false};
  }

  const InstValues& values = Values(inst.id);
  const ValueRead& read = values.reads[operand];
  const ValueStorage& storage = Storage(read.producer);
  bool per_lane = false, whole_vector = false;
  std::vector<std::int64_t> unrolled;
  for (std::size_t i = 0; i < storage.key.size(); ++i) {
    const bool moves = values.vector_class >= 0 && read.index[i].dim_class == values.vector_class;
    per_lane |= moves;
    whole_vector |= moves && storage.key[i].is_vector;
    if (!storage.key[i].is_vector) {
      per_lane = per_lane || moves;
      unrolled.push_back(copy_[At(read.index[i].dim_class)]);
    }
  }
  if (!per_lane) return {Lane(read, -1, 0), false};
  if (whole_vector) return {Register(read.producer, unrolled), true};
  std::string text = "vec" + std::to_string(values.lanes) + "{";
  for (std::uint32_t lane = 0; lane < values.lanes; ++lane) {
    text += (lane > 0 ? ", " : "") + Lane(read, values.vector_class, lane);
  }
  return {text + "}", true};
}

/// i_m0 * 4096 + i_k0 * 8 + 3. A vector access starts at its lane 0.
std::string CpuStatements::Address(const ir::Instruction& inst) const {
  const Affine& address = code_.memory.address[inst.id.index()];
  std::string text;
  std::int64_t constant = address.constant;
  for (const Affine::Term& term : address.terms) {
    const DimKind kind = code_.tree.classes[At(term.dim_class)].kind;
    if (kind == DimKind::VECTOR) continue;
    if (kind == DimKind::UNROLL) {
      constant += copy_[At(term.dim_class)] * term.coefficient;
      continue;
    }
    text += (text.empty() ? "" : " + ") + names_.index(term.dim_class);
    if (term.coefficient != 1) text += " * " + std::to_string(term.coefficient);
  }
  if (text.empty()) return std::to_string(constant);
  return constant == 0 ? text : text + " + " + std::to_string(constant);
}

CpuStatements::Expression CpuStatements::Load(const ir::Instruction& inst) const {
  const InstValues& values = Values(inst.id);
  const std::string& array =
      inst.op == ir::Op::kLoad ? names_.array(inst.array) : names_.temp(inst.block);
  const bool lanes_move = values.lanes > 1 && code_.memory.address[inst.id.index()].coefficient(
                                                  values.vector_class) != 0;
  if (!lanes_move) return {array + "[" + Address(inst) + "]", false};
  return {"load" + std::to_string(values.lanes) + "(" + array + " + " + Address(inst) + ")", true};
}

/// The right-hand side. A reduction's own register is its last operand.
CpuStatements::Expression CpuStatements::Compute(const ir::Instruction& inst) const {
  if (inst.op == ir::Op::kLoad || inst.op == ir::Op::kTempLoad) return Load(inst);
  std::vector<Expression> inputs;
  for (std::size_t i = 0; i < inst.operands.size(); ++i) inputs.push_back(Read(inst, i));
  const std::uint32_t lanes = Values(inst.id).lanes;
  if (inst.is_reduction()) inputs.push_back({OwnRegister(inst.id), lanes > 1});
  // The stores: the value itself.
  if (inst.op == ir::Op::kStore || inst.op == ir::Op::kTempStore) return inputs.front();
  return CpuOpText(inst.op, inputs, lanes);
}

void CpuStatements::Store(const ir::Instruction& inst) {
  const Expression value = Compute(inst);
  const std::uint32_t lanes = Values(inst.id).lanes;
  const bool is_output = inst.op == ir::Op::kStore;
  const std::string& array = is_output ? names_.array(inst.array) : names_.temp(inst.block);
  std::string guard;
  for (const int axis : Values(inst.id).guard.axes) {
    guard += (guard.empty() ? "t" : " && t") + std::to_string(axis) + " == 0";
  }
  if (const std::uint32_t below = Values(inst.id).guard.below; below != 0) {
    guard += (guard.empty() ? "t < " : " && t < ") + std::to_string(below);
  }
  if (!guard.empty()) guard = "if (" + guard + ") ";
  const std::string vector_text = lanes > 1 ? AsVector(value, lanes) : "";
  if (checked_ && is_output) {
    const std::string where =
        std::to_string(inst.array.value) + ", " + array + ", " + Address(inst) + ", ";
    out_.Line(guard + (lanes > 1 ? "EXH_STORE_VECTOR(" + std::to_string(lanes) + ", " + where +
                                       "(" + vector_text + "));"
                                 : "EXH_STORE(" + where + value.text + ");"));
  } else if (lanes > 1) {
    out_.Line(guard + "store" + std::to_string(lanes) + "(" + array + " + " + Address(inst) + ", " +
              vector_text + ");");
  } else {
    out_.Line(guard + array + "[" + Address(inst) + "] = " + value.text + ";");
  }
}

void CpuStatements::WriteInitAt(const InitWrite& write, int vector_class, std::int64_t lane,
                                const Expression& value, std::vector<std::int64_t>& unrolled) {
  const ValueStorage& storage = Storage(write.reduction);
  // Position of the next key dim that is not the vector.
  std::size_t position = 0, seen = 0;
  const KeySource* vector_source = nullptr;
  while (position < storage.key.size() &&
         (storage.key[position].is_vector || seen < unrolled.size())) {
    if (storage.key[position].is_vector) {
      vector_source = &write.index[position];
    } else {
      ++seen;
    }
    ++position;
  }
  if (position < storage.key.size()) {
    const KeySource& source = write.index[position];
    const std::int64_t first = source.every ? 0
                               : source.dim_class == vector_class && lane >= 0
                                   ? lane
                                   : copy_[At(source.dim_class)];
    const std::int64_t last = source.every ? storage.key[position].size - 1 : first;
    for (std::int64_t index = first; index <= last; ++index) {
      unrolled.push_back(index);
      WriteInitAt(write, vector_class, lane, value, unrolled);
      unrolled.pop_back();
    }
    return;
  }
  const std::string target = Register(write.reduction, unrolled);
  if (vector_source == nullptr) {
    out_.Line(target + " = " + value.text + ";");
  } else if (vector_source->every || vector_source->dim_class == vector_class) {
    out_.Line(target + " = " + AsVector(value, storage.lanes) + ";");
  } else {
    out_.Line(target + "[" + std::to_string(copy_[At(vector_source->dim_class)]) +
              "] = " + value.text + ";");
  }
}

void CpuStatements::WriteInit(const ir::Instruction& inst, const InitWrite& write,
                              const Expression& value) {
  const InstValues& values = Values(inst.id);
  const ValueStorage& storage = Storage(write.reduction);
  bool scatter = false;  // Lanes of the init go to different registers.
  for (std::size_t i = 0; i < storage.key.size(); ++i) {
    scatter |= values.vector_class >= 0 && !storage.key[i].is_vector &&
               write.index[i].dim_class == values.vector_class;
  }
  std::vector<std::int64_t> unrolled;
  if (!scatter) return WriteInitAt(write, values.vector_class, -1, value, unrolled);
  for (std::uint32_t lane = 0; lane < values.lanes; ++lane) {
    const std::string text =
        value.is_vector ? value.text + "[" + std::to_string(lane) + "]" : value.text;
    WriteInitAt(write, values.vector_class, lane, {text, false}, unrolled);
  }
}

void CpuStatements::Execute(ir::InstId id) {
  const ir::Instruction& inst = code_.function->inst(id);
  if (inst.op == ir::Op::kStore || inst.op == ir::Op::kTempStore) return Store(inst);
  const InstValues& values = Values(id);
  const bool has_register = Storage(id).is_read || inst.is_reduction();
  if (!has_register && values.inits.empty()) return;  // Nobody wants the value.
  Expression value = Compute(inst);
  if (has_register) {
    const std::string target = OwnRegister(id);
    out_.Line(target + " = " + (values.lanes > 1 ? AsVector(value, values.lanes) : value.text) +
              ";");
    value = {target, values.lanes > 1};
  }
  if (values.inits.empty()) return;
  const bool name_it = !has_register && inst.op != ir::Op::kConst;
  if (name_it) {
    out_.Open("");
    out_.Line("const auto init = " + value.text + ";");
    value.text = "init";
  }
  for (const InitWrite& write : values.inits) WriteInit(inst, write, value);
  if (name_it) out_.Close();
}

}  // namespace exh::kernels::codegen
