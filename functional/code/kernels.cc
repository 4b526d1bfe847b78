// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "functional/code/lowerer.h"
#include "functional/infer/maps.h"
#include "kernels/loops/loop_text.h"

namespace exh::functional {
namespace {

/// Threads of a group when nothing but the whole device is divided.
constexpr std::int64_t kThreadsOfDevice = 256, kRowOfDevice = 64;

}  // namespace

Lowerer::Lowerer(const Program& program, const Assignment& parameters, const ProgramLimits& limits)
    : program_(program), parameters_(parameters), limits_(limits) {
  AddArrays();
}

void Lowerer::AddArrays() {
  const auto add = [&](const std::string& name, const Node& node, bool is_result) {
    const std::vector<ScalarShape> scalars = ScalarsOf(*node.type, numbers());
    if (scalars.size() != 1) Refuse(node, fmt::format("'{}' is made of tuples", name));
    if (scalars[0].scalar != "float") {
      Refuse(node, fmt::format("'{}' has type '{}': only 'float' runs", name, scalars[0].scalar));
    }
    auto storage = std::make_shared<Storage>();
    storage->leaves.push_back(
        LeafOf(scalars[0], (is_result ? "out_" : "in_") + name, MemorySpace::kGlobal));
    arrays_.push_back({name, is_result, storage->leaves[0].elements});
    if (arrays_.back().elements > (std::int64_t{1} << 31)) {
      Refuse(node, fmt::format("'{}' has {} elements: too many", name, arrays_.back().elements));
    }
    auto value = std::make_shared<Readable>();
    value->target = TargetOf(storage);
    by_name_[name] = std::move(value);
  };
  for (const auto& [name, node] : InputsOf(program_)) add(name, *node, false);
  for (const ProgramKernel& kernel : program_.kernels) add(kernel.name, *kernel.result, true);
}

void Lowerer::AddKernel(const ProgramKernel& kernel, const Codes& codes) {
  ChooseCounts(kernel, codes);
  BeginText();
  Write(*kernel.result, nullptr, by_name_.at(kernel.name)->target);
  EndText();
}

void Lowerer::ChooseCounts(const ProgramKernel& kernel, const Codes& codes) {
  const std::vector<ConcreteMap> maps = MapsOf(kernel);
  codes_.clear();
  std::vector<std::int64_t> totals;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    codes_[maps[i].node] = i < codes.size() ? std::max(0, codes[i]) : 0;
    totals.push_back(Number(maps[i].node->inputs[0]->type->length));
  }
  for (std::size_t i = maps.size(); i-- > 0;) {
    if (codes_[maps[i].node] == 1 && maps[i].may_fuse) totals[*maps[i].parent] *= totals[i];
  }
  threads_ = groups_ = {1, 1, 1};
  Threads device = {1, 1, 1};
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const int code = codes_[maps[i].node];
    const auto at = static_cast<std::size_t>(code % 10);
    if (code / 10 == 1) threads_[at] = std::max(threads_[at], totals[i]);
    if (code / 10 == 2) groups_[at] = std::max(groups_[at], totals[i]);
    if (code / 10 == 3) device[at] = std::max(device[at], totals[i]);
  }
  std::int64_t left = kThreadsOfDevice;
  for (std::size_t at = 0; at < 3; ++at) {
    if (threads_[at] == 1)
      threads_[at] = std::min({device[at], left, at == 0 ? kThreadsOfDevice : kRowOfDevice});
    left = std::max<std::int64_t>(1, left / threads_[at]);
  }
  // Too many threads do some elements one after the other, along the outermost dimension first.
  for (std::size_t at = 3; at-- > 0;) {
    while (threads_[at] > 1 && threads_[0] * threads_[1] * threads_[2] > limits_.threads) {
      threads_[at] = (threads_[at] + 1) / 2;
    }
  }
  for (std::size_t at = 0; at < 3; ++at) {
    groups_[at] = std::max(groups_[at], (device[at] + threads_[at] - 1) / threads_[at]);
  }
  for (std::size_t at = 3; at-- > 0;) {
    while (groups_[at] > 1 && groups_[0] * groups_[1] * groups_[2] > limits_.groups) {
      groups_[at] = (groups_[at] + 1) / 2;
    }
  }
}

void Lowerer::BeginText() {
  kernel_ = static_cast<int>(texts_.size());
  state_.lines.clear();
  state_.indexes_private.clear();
  state_.globals.clear();
  state_.local_bytes = 0;
  state_.work = {};
}

void Lowerer::EndText() {
  Text text;
  const auto add = [&](const char* cuda, const Threads& counts, std::string (*name)(int)) {
    std::int64_t within = 1;
    for (int at = 0; at < 3; ++at) {
      const std::int64_t count = counts[static_cast<std::size_t>(at)];
      if (count > 1) {
        const bool is_first = within * count == counts[0] * counts[1] * counts[2];
        text.lines.push_back(fmt::format("  const int {} = {};", name(at),
                                         kernels::loops::DigitText(cuda, within, count, is_first)));
      }
      within *= count;
    }
    return within;
  };
  text.launch.threads = add("threadIdx.x", threads_, ThreadName);
  text.launch.groups = add("blockIdx.x", groups_, GroupName);
  text.launch.local_bytes = state_.local_bytes;
  text.launch.work = state_.work;
  for (const auto& [name, declaration] : globals_) {
    if (state_.globals.contains(name)) text.lines.push_back("  " + declaration);
  }
  text.lines.insert(text.lines.end(), state_.lines.begin(), state_.lines.end());
  texts_.push_back(std::move(text));
}

GpuProgram Lowerer::Take(const std::string& main_name) {
  GpuProgram program;
  program.arrays = arrays_;
  program.global_bytes = state_.global_bytes;
  program.calls = state_.calls;
  // Threads hand each other what lies in results and in exh_global. A compiler may move accesses to
  // a restricted pointer across barriers, as if nobody else could reach it.
  std::string parameters;
  for (const GpuArray& array : arrays_) {
    parameters +=
        fmt::format("{}{}_{}", parameters.empty() ? "" : ", ",
                    array.is_result ? "float* out" : "const float* __restrict__ in", array.name);
  }
  if (program.global_bytes > 0) parameters += ", unsigned char* exh_global";
  const bool has_local =
      std::ranges::any_of(texts_, [](const Text& text) { return text.launch.local_bytes > 0; });
  if (has_local) program.text += "extern __shared__ float4 exh_shared[];\n";
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    GpuLaunch launch = texts_[i].launch;
    launch.kernel = i + 1 == texts_.size() ? main_name : fmt::format("exh_before_{}", i);
    program.text += fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{\n",
                                launch.threads, launch.kernel, parameters);
    for (const std::string& line : texts_[i].lines) program.text += line + "\n";
    program.text += "}\n";
    program.launches.push_back(std::move(launch));
  }
  return program;
}

std::int64_t Lowerer::Number(const Term& term) const {
  if (const auto number = term.AsNumber()) return *number;
  const auto number = program_.terms.Evaluate(term, parameters_);
  if (!number) {
    throw Unlowerable(fmt::format("the length {} has no value", program_.terms.Text(term)));
  }
  return *number;
}

int Lowerer::CodeOf(const Node& map) const {
  const auto found = codes_.find(&map);
  return found == codes_.end() ? 0 : found->second;
}

void Lowerer::Refuse(const Node& node, const std::string& why) {
  throw Unlowerable(node.name.empty() ? why : fmt::format("{} ('{}')", why, node.name));
}

void Lowerer::Line(const std::string& text) {
  state_.lines.push_back(std::string(2 * static_cast<std::size_t>(depth_), ' ') + text);
}

void Lowerer::Open(const std::string& text) {
  Line(text.empty() ? "{" : text + " {");
  ++depth_;
}

void Lowerer::Close() {
  --depth_;
  Line("}");
}

std::string Lowerer::NewName(const char* prefix) {
  return fmt::format("{}{}", prefix, ++names_);
}

IndexVariable Lowerer::NewVariable(std::int64_t extent) {
  std::string name = NewName("i");
  return IndexVariable::Of(names_ + 2, std::move(name), extent);
}

GpuProgram Lower(const Program& program, const Assignment& parameters,
                 const std::vector<Codes>& codes, const ProgramLimits& limits,
                 const std::string& main_name) {
  Lowerer lowerer(program, parameters, limits);
  for (std::size_t i = 0; i < program.kernels.size(); ++i) {
    lowerer.AddKernel(program.kernels[i], i < codes.size() ? codes[i] : Codes());
  }
  return lowerer.Take(main_name);
}

std::optional<std::vector<bool>> VectorMaps(const Program& program, const ProgramKernel& kernel,
                                            const Assignment& parameters) {
  const bool are_known = std::ranges::all_of(
      program.parameters,
      [&](const ProgramParameter& parameter) { return parameters.contains(parameter.name); });
  if (!are_known) return std::nullopt;
  const std::vector<ConcreteMap> maps = MapsOf(kernel);
  Codes codes(maps.size(), 0);
  const auto can_be_run = [&] {
    try {
      Lowerer lowerer(program, parameters, {});
      lowerer.AddKernel(kernel, codes);
      return true;
    } catch (const Unlowerable&) {
      return false;
    }
  };
  if (!can_be_run()) return std::nullopt;
  std::vector<bool> can(maps.size());
  for (std::size_t i = 0; i < maps.size(); ++i) {
    // What else there is in a map with others in it is never a calculation alone.
    if (maps[i].node->body->kind != Node::Kind::kUser) continue;
    codes[i] = 2;
    can[i] = can_be_run();
    codes[i] = 0;
  }
  return can;
}

std::vector<Codes> CodesOf(const Program& program) {
  std::vector<Codes> all;
  for (const ProgramKernel& kernel : program.kernels) {
    all.emplace_back();
    for (const ConcreteMap& map : MapsOf(kernel)) all.back().push_back(map.code);
  }
  return all;
}

}  // namespace exh::functional
