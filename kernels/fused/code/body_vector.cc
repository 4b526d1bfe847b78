// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "kernels/fused/code/body_printer.h"
#include "kernels/fused/element.h"
#include "kernels/ir/text/op_functions.h"

namespace exh::kernels::fused {
namespace {

constexpr const char* kLanes[] = {"x", "y", "z", "w"};

/// "exh_float4".
std::string VectorName(ir::Type type, int width) {
  std::string name = fmt::format("exh_{}{}", ir::ElementName(type), width);
  std::ranges::replace(name, ' ', '_');
  return name;
}

/// Accesses of 64 and 128 bits are worth it.
bool IsWorthIt(ir::Type type, int width) {
  constexpr std::uint32_t kLeastBytes = 8;
  return ir::BytesOf(type) * static_cast<std::uint32_t>(width) >= kLeastBytes;
}

}  // namespace

std::string BodyPrinter::WideType(ir::Type type, int width) {
  return *wide_types_.insert(VectorName(type, width)).first;
}

std::string BodyPrinter::Prelude() const {
  std::string text = helpers_.Text();
  // Also beside the function for values of that name, as in the texts that logs have.
  const auto has_function = [&](ir::Op op) {
    return helpers_.Has(ir::OpFunction(op, ir::Type::kF32));
  };
  if (extremes_.min || has_function(ir::Op::kMin)) {
    text += "#define min(a, b) ((a) < (b) ? (a) : (b))\n";
  }
  if (extremes_.max || has_function(ir::Op::kMax)) {
    text += "#define max(a, b) ((a) > (b) ? (a) : (b))\n";
  }
  std::set<std::string> known;
  for (const ir::TypeInfo& info : ir::AllTypes()) {
    for (const int width : {2, 4}) {
      const std::string name = VectorName(info.type, width);
      if (!wide_types_.contains(name) || !known.insert(name).second) continue;
      text += fmt::format("struct alignas({}) {} {{\n  {} {};\n}};\n",
                          info.bytes * static_cast<std::uint32_t>(width), name,
                          ir::ElementName(info.type), width == 2 ? "x, y" : "x, y, z, w");
    }
  }
  return text;
}

/// The loop's variable is that of this lane of a vector: the vector's first value is as far from
/// the end as that takes.
void BodyPrinter::BeginLane(const NestNode& loop, int lane) {
  ir::IndexVariable first = loop.range.variable;
  first.max -= loop.mapping.vector - 1;
  lane_ = {first.number, ir::Index(first) + ir::Index(lane)};
}

// What a statement reads of what one before it wrote must be in a register: wide writes come last.
bool BodyPrinter::CanBeWide(const NestNode& loop) const {
  std::map<int, ir::Index> written;
  const std::vector<const NestNode*> calls = loops::CallsOf(loop.body()).value();
  for (const NestNode* call : calls) {
    for (const Use& use : UsesOf(*call)) {
      const auto found = written.find(use.cell.first);
      if (found != written.end() && found->second != use.cell.second) return false;
      if (use.is_write) written.insert(use.cell);
    }
  }
  return true;
}

void BodyPrinter::PrintVector(const NestNode& loop) {
  std::vector<Use> uses;
  AddUses(loop, uses);
  Forget(uses);
  const auto outside = registers_;
  BeforeLoop(loop);
  Open(LoopHeader(loop, loop.mapping.vector));
  PrintWide(loop);
  Close();
  registers_ = outside;
}

void BodyPrinter::PrintWide(const NestNode& loop) {
  const std::vector<const NestNode*> calls = loops::CallsOf(loop.body()).value();
  std::set<int> before;
  for (const NestNode* call : calls) {
    ReadWide(*call, loop, before);
    before.insert(UsesOf(*call).back().cell.first);
  }
  for (const int written : before) {
    if (IsWorthIt(array(written).type, loop.mapping.vector)) wide_.insert(written);
  }
  std::map<Cell, std::vector<Cell>> lanes;  // By the cell of the first lane.
  for (int lane = 0; lane < loop.mapping.vector; ++lane) {
    for (const NestNode* call : calls) {
      BeginLane(loop, 0);
      const Cell first = UsesOf(*call).back().cell;
      BeginLane(loop, lane);
      PrintCall(*call);
      std::vector<Cell>& of_first = lanes[first];
      of_first.resize(static_cast<std::size_t>(lane) + 1);
      of_first.back() = UsesOf(*call).back().cell;
    }
  }
  EndLanes();
  for (const auto& [first, of_first] : lanes) {
    if (wide_.contains(first.first)) WriteWide(first, of_first);
  }
  wide_.clear();
}

void BodyPrinter::ReadWide(const NestNode& call, const NestNode& loop,
                           const std::set<int>& before) {
  const StatementPiece& piece = PieceOf(call);
  if (piece.what == StatementPiece::What::kBegin) return;
  const Statement& of = StatementOf(call);
  const auto read = [&](const Access& access, int index) {
    const auto cell_in = [&](int lane) -> Cell {
      BeginLane(loop, lane);
      return {index, ElementOf(access, array(index).shape, ArgumentsOf(call))};
    };
    const Cell cell = cell_in(0);
    if (before.contains(index) || registers_.contains(cell)) return;
    if (!access.is_affine() || access.is_guarded) return;
    const ir::Type type = array(index).type;
    if (!IsWide(cell.second, loop.range.variable, loop.mapping.vector) ||
        !IsWorthIt(type, loop.mapping.vector)) {
      return;
    }
    const std::string name = NewName(), vector = WideType(type, loop.mapping.vector);
    read_.insert(index);
    Line(fmt::format("const {} {} = *reinterpret_cast<const {}*>({});", vector, name, vector,
                     PointerText(cell)));
    for (int lane = 0; lane < loop.mapping.vector; ++lane) {
      registers_[cell_in(lane)] =
          derived::LoadText(fmt::format("{}.{}", name, kLanes[lane]), type, helpers_);
    }
  };
  if (piece.what == StatementPiece::What::kWhole || piece.what == StatementPiece::What::kTake) {
    for (const Access& access : of.reads) read(access, access.tensor);
  }
  if (piece.what != StatementPiece::What::kWhole) {
    read(of.write, program_.accumulators[static_cast<std::size_t>(piece.statement)]);
  }
}

void BodyPrinter::WriteWide(const Cell& first, const std::vector<Cell>& lanes) {
  if (!IsStored(first.first)) return;
  if (!array(first.first).is_result()) kept_.insert(first.first);
  if (leaves_out_stores_) return;
  const ir::Type type = array(first.first).type;
  std::string values;
  for (const Cell& cell : lanes) {
    values += (values.empty() ? "" : ", ") +
              derived::StoreText({registers_.at(cell)}, type, type, helpers_);
  }
  const std::string vector = WideType(type, static_cast<int>(lanes.size()));
  PrintStore(fmt::format("*reinterpret_cast<{0}*>({1}) = {0}{{{2}}};", vector, PointerText(first),
                         values));
}

}  // namespace exh::kernels::fused
