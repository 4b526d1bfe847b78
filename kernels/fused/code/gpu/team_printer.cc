// SPDX-License-Identifier: MIT
#include "kernels/fused/code/gpu/team_printer.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/derived/expression.h"
#include "kernels/ir/ops.h"
#include "kernels/loops/loop_text.h"

namespace exh::kernels::fused {
namespace {

using ir::Type;
using Kind = NestNode::Kind;

constexpr std::uint64_t kLargestElement = 8;

std::int64_t IterationsOf(const std::vector<const NestNode*>& loops) {
  std::int64_t iterations = 1;
  for (const NestNode* loop : loops) iterations *= *loop->range.count;
  return iterations;
}

}  // namespace

// ---- what is planned ----

bool TeamPrinter::IsReduction(const NestNode& loop) const {
  const std::vector<Taken> taken = TakenIn(loop);
  return !taken.empty() && taken.size() == NumAccumulated(loop);
}

bool TeamPrinter::CanShare(const NestNode& node) const {
  if (node.kind == Kind::kCall) return !IsTake(node);
  if (node.is_loop()) {
    const bool is_divided =
        !DividedLoops(node).empty() && (node.facts.is_parallel || IsReduction(node));
    return is_divided || (loops::HasLoops(node.body()) && CanShare(node.body()));
  }
  return std::ranges::all_of(node.children, [&](const NestNode& child) { return CanShare(child); });
}

const NestNode* TeamPrinter::FirstReduction(const NestNode& body) const {
  const NestNode* first = &body;
  if (body.kind == Kind::kBlock) {
    const auto found = std::ranges::find_if_not(body.children, &NestNode::is_begin);
    if (found == body.children.end()) return nullptr;
    first = &*found;
  }
  const bool is_one = first->is_loop() && !first->facts.is_parallel &&
                      !DividedLoops(*first).empty() && IsReduction(*first);
  return is_one ? first : nullptr;
}

Team TeamPrinter::Planned(const std::vector<const NestNode*>& parallel,
                          const NestNode& body) const {
  Team team = TeamFor(parallel, body);
  if (team.size == 1 || !CanShare(body)) return {};
  const NestNode* const first = FirstReduction(body);
  if (first == nullptr) return team;
  const std::vector<Taken> taken = TakenIn(*first);
  const bool may_share = std::ranges::all_of(
      taken, [](const Taken& of) { return ir::BytesOf(of.type) >= sizeof(std::int32_t); });
  if (may_share) team.splits = SplitsFor(team, IterationsOf(DividedLoops(*first)));
  return team;
}

std::uint64_t TeamPrinter::SharedBytes(const Team& team) {
  return static_cast<std::uint64_t>(team.threads()) * kLargestElement;
}

// ---- places ----

void TeamPrinter::PrintPlace(const Team& team) {
  const auto place = [&](const char* name, std::int64_t stride, std::int64_t count) {
    const std::string in_block = count == 1
                                     ? "0"
                                     : loops::DigitText("static_cast<int>(threadIdx.x)", stride,
                                                        count, stride * count == team.threads());
    Line(fmt::format("const int {} = {};", name, in_block));
  };
  place("exh_member", team.is_together ? 1 : team.points, team.size);
  place("exh_team", team.is_together ? team.size : 1, team.points);
  const std::int64_t blocks = team.blocks();
  if (team.splits > 1) {
    Line(fmt::format("const int exh_block = {0} % {1}, exh_split = {0} / {1};", block_, blocks));
  } else {
    Line(fmt::format("const int exh_block = {};", block_));
  }
  const bool fits = team.all_points % team.points == 0;
  Line(fmt::format("const int exh_own = exh_block * {} + exh_team;", team.points));
  if (fits) {
    Line("const bool exh_is_first = exh_member == 0;");
    Line("const int exh_point = exh_own;");
    return;
  }
  Line(fmt::format("const bool exh_is_in = exh_own < {};", team.all_points));
  Line("const bool exh_is_first = exh_is_in && exh_member == 0;");
  Line(fmt::format("const int exh_point = exh_is_in ? exh_own : {};", team.all_points - 1));
}

void TeamPrinter::PrintTeam(const Team& team, const NestNode& body, std::uint64_t tickets,
                            TeamSpace& space) {
  team_ = team;
  tickets_ = tickets;
  space_ = &space;
  stored_.clear();
  is_shared_ = team.splits > 1;
  Run(body);
  set_store_condition("");
}

// ---- nodes ----

void TeamPrinter::Run(const NestNode& node) {
  if (node.kind == Kind::kBlock) {
    for (const NestNode& child : node.children) Run(child);
    return;
  }
  BarrierBefore(node);
  if (node.is_loop()) return RunLoop(node);
  set_store_condition("exh_is_first");
  // Blocks share what begins here: the last of them stores it.
  set_leaves_out_stores(is_shared_);
  Print(node);
  set_leaves_out_stores(false);
  if (!is_shared_) NoteStores(node);
}

void TeamPrinter::RunLoop(const NestNode& loop) {
  const std::vector<const NestNode*> divided = DividedLoops(loop);
  if (!divided.empty() && (loop.facts.is_parallel || IsReduction(loop))) return Divide(divided);
  Registers outside = Enter(loop);
  Open(LoopHeader(loop, 1));
  Run(loop.body());
  // What one iteration stored the next one may read.
  if (!stored_.empty()) Line("__syncthreads();");
  stored_.clear();
  Close();
  Leave(std::move(outside));
}

void TeamPrinter::Divide(const std::vector<const NestNode*>& loops) {
  const NestNode& outer = *loops.front();
  const std::vector<Taken> taken = outer.facts.is_parallel ? std::vector<Taken>() : TakenIn(outer);
  const bool is_shared = is_shared_ && !taken.empty();
  std::vector<std::string> before, parts;
  for (const Taken& of : taken) {
    before.push_back(Load(of.cell));
    if (!is_shared) before.back() = Named(of, before.back());
  }
  Registers outside = Enter(outer);
  for (const Taken& of : taken) {
    parts.push_back(NewName());
    const double nothing = ir::IdentityOf(of.op, of.type);
    Line(fmt::format("{} {} = {};", ir::RegisterName(of.type), parts.back(),
                     derived::NumberText(nothing, derived::Dialect::kCuda, of.type)));
    BeginTaking(of.cell, parts.back());
  }
  set_store_condition("");
  Open(
      fmt::format("for (int exh_at = {}; {}exh_at < {}; exh_at += {})",
                  is_shared ? fmt::format("exh_member + {} * exh_split", team_.size) : "exh_member",
                  team_.all_points % team_.points == 0 ? "" : "exh_is_in && ", IterationsOf(loops),
                  team_.size * (is_shared ? team_.splits : 1)));
  std::int64_t within = IterationsOf(loops);
  for (const NestNode* loop : loops) {
    const std::int64_t extent = *loop->range.count;
    within /= extent;
    const bool is_outermost = loop == loops.front();
    Line(VariableLine(*loop, loops::DigitText("exh_at", within, extent, is_outermost), 1));
  }
  Print(loops.back()->children.front());
  Close();
  Leave(std::move(outside));
  NoteStores(outer);
  for (std::size_t i = 0; i < taken.size(); ++i) Meet(taken[i], parts[i]);
  if (is_shared) {
    MeetBlocks(taken, parts);
    // The last block alone looks at what it will write.
    for (std::size_t i = 0; i < taken.size(); ++i) before[i] = Named(taken[i], before[i]);
    Line("__syncthreads();");
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const Taken& of = taken[i];
    Line(derived::AccumulateText(of.op, parts[i], {derived::Piece{before[i]}}, helpers(), of.type));
    EndTaking(of.cell, parts[i]);
    set_store_condition("exh_is_first");
    StoreTaken(of.cell, parts[i]);
    stored_.insert(of.cell.first);
  }
}

std::string TeamPrinter::Named(const Taken& taken, const std::string& value) {
  const std::string name = NewName();
  Line(fmt::format("const {} {} = {};", ir::RegisterName(taken.type), name, value));
  return name;
}

// ---- threads and blocks meet ----

void TeamPrinter::Meet(const Taken& taken, const std::string& part) {
  if (team_.size == 1) return;
  const std::string type(ir::RegisterName(taken.type));
  const std::int64_t stride = team_.is_together ? 1 : team_.points;
  Open("");
  Line(fmt::format("{0}* const exh_parts = reinterpret_cast<{0}*>(exh_shared);", type));
  Line(fmt::format("exh_parts[threadIdx.x] = {};", part));
  Line("__syncthreads();");
  Open(fmt::format("for (int half = {}; half > 0; half /= 2)", team_.size / 2));
  Open("if (exh_member < half)");
  const std::string other = fmt::format("exh_parts[threadIdx.x + half * {}]", stride);
  Line(derived::AccumulateText(taken.op, part, {derived::Piece{other}}, helpers(), taken.type));
  Line(fmt::format("exh_parts[threadIdx.x] = {};", part));
  Close();
  Line("__syncthreads();");
  Close();
  Line(fmt::format("{} = exh_parts[threadIdx.x - exh_member * {}];", part, stride));
  Line("__syncthreads();");
  Close();
  stored_.clear();
}

void TeamPrinter::MeetBlocks(const std::vector<Taken>& taken,
                             const std::vector<std::string>& parts) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const std::string type(ir::RegisterName(taken[i].type));
    const auto count = static_cast<std::uint64_t>(team_.splits * team_.all_points);
    names.push_back(NewName());
    Line(fmt::format("{0}* const {1} = reinterpret_cast<{0}*>(exh_global + {2});", type,
                     names.back(), space_->Take(count * ir::BytesOf(taken[i].type))));
    Line(fmt::format("if (exh_is_first) {}[exh_split * {} + exh_point] = {};", names.back(),
                     team_.all_points, parts[i]));
  }
  const std::string ticket = NewName();
  Line(fmt::format("unsigned* const {} = reinterpret_cast<unsigned*>(exh_global + {});", ticket,
                   tickets_));
  // What all threads wrote comes before the ticket.
  Line("__threadfence();");
  Line("__syncthreads();");
  Line(
      fmt::format("if (!__syncthreads_or(threadIdx.x == 0 && atomicAdd({} + exh_block, 1u) == "
                  "{}u)) return;",
                  ticket, team_.splits - 1));
  Line("__threadfence();");
  Line(fmt::format("if (threadIdx.x == 0) atomicExch({} + exh_block, 0u);", ticket));
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const double nothing = ir::IdentityOf(taken[i].op, taken[i].type);
    Line(fmt::format("{} = {};", parts[i],
                     derived::NumberText(nothing, derived::Dialect::kCuda, taken[i].type)));
    Open(fmt::format("for (int split = exh_member; split < {}; split += {})", team_.splits,
                     team_.size));
    // A load that compilers leave where it is, behind the ticket.
    const std::string element =
        fmt::format("__ldcv({} + (split * {} + exh_point))", names[i], team_.all_points);
    Line(derived::AccumulateText(taken[i].op, parts[i], {derived::Piece{element}}, helpers(),
                                 taken[i].type));
    Close();
    Meet(taken[i], parts[i]);
  }
  is_shared_ = false;
}

void TeamPrinter::BarrierBefore(const NestNode& node) {
  const std::set<int> reads = ReadIn(node);
  const bool is_needed =
      std::ranges::any_of(stored_, [&](int array) { return reads.contains(array); });
  if (!is_needed) return;
  Line("__syncthreads();");
  stored_.clear();
}

void TeamPrinter::NoteStores(const NestNode& node) {
  for (const int array : WrittenIn(node)) stored_.insert(array);
}

}  // namespace exh::kernels::fused
