// SPDX-License-Identifier: MIT
//
// `search fused check`: what fused operators as JSON compute, and which of them are taken.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/system/user_file.h"
#include "kernels/fused/graph/batch.h"
#include "kernels/fused/graph/read.h"
#include "kernels/fused/group.h"
#include "kernels/fused/inputs.h"
#include "kernels/fused/lower.h"
#include "kernels/fused/reference.h"
#include "kernels/fused/schedule/schedules.h"
#include "poly/isl/owners.h"
#include "search/commands/fused/operators.h"
#include "search/commands/fused/scheduling_totals.h"

namespace exh::search {
namespace {

namespace fused = kernels::fused;
using fused::StatementList;
using fused::StatementTensor;
using nlohmann::json;

struct CheckOptions {
  std::string file, values, memory;
  bool batch = false, groups = false, evaluate = false, schedules = false, quiet = false;
  std::uint64_t seed = 1;
};

/// What JSON has no number for is a text.
json ToJson(const std::vector<double>& values) {
  json list = json::array();
  for (const double value : values) {
    if (std::isfinite(value)) {
      list.push_back(value);
    } else {
      list.push_back(std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    }
  }
  return list;
}

StatementList Statements(const fused::Graph& graph, const CheckOptions& options) {
  StatementList list = fused::StatementsOf(graph);
  return options.groups ? fused::Grouped(list) : list;
}

void PrintOperator(const fused::Graph& graph, const StatementList& list) {
  fmt::print("{}\n", graph.name.empty() ? "an operator" : graph.name);
  for (const StatementTensor& tensor : list.tensors) {
    constexpr const char* kWords[] = {"input", "updated", "", "output"};
    if (tensor.role == StatementTensor::Role::kTemporary) continue;
    fmt::print("  {:<7} {}: {} {}\n", kWords[static_cast<std::size_t>(tensor.role)], tensor.name,
               kernels::ir::WordOf(tensor.type), fused::TextOf(tensor.shape));
  }
  fmt::print("statements\n");
  for (const fused::Statement& statement : list.statements) {
    fmt::print("  {}: {}\n", statement.name, fused::TextOf(statement, list));
  }
}

void PrintValues(const StatementTensor& tensor, const kernels::ArrayData& of) {
  double least = INFINITY, largest = -INFINITY, tolerance = 0;
  std::size_t others = 0;
  for (std::size_t i = 0; i < of.reference.size(); ++i) {
    if (!std::isfinite(of.reference[i])) {
      ++others;
      continue;
    }
    least = std::min(least, of.reference[i]);
    largest = std::max(largest, of.reference[i]);
    tolerance = std::max(tolerance, of.tolerance[i]);
  }
  fmt::print("  {}: {} elements from {:.6g} to {:.6g}, {} not finite, tolerated up to {:.3g}\n",
             tensor.name, of.reference.size(), least, largest, others, tolerance);
}

/// What the reference says of drawn inputs. Returns a line of --values.
json Evaluate(const fused::Graph& graph, const StatementList& list, const CheckOptions& options) {
  const std::uint64_t most_bytes = MemoryFor(options.memory);
  fused::CheckReferenceBytes(list, most_bytes);  // Before anything is drawn.
  const auto inputs = fused::DrawInputs(graph, options.seed);
  const auto values = fused::Evaluate(list, inputs, most_bytes);
  json line = {{"op", graph.name}, {"inputs", json::object()}, {"results", json::object()}};
  for (std::size_t i = 0; i < list.tensors.size(); ++i) {
    const StatementTensor& tensor = list.tensors[i];
    if (!options.values.empty() && !inputs[i].empty()) {
      line["inputs"][tensor.name] = ToJson(inputs[i]);
    }
    if (!tensor.is_result()) continue;
    if (!options.quiet) PrintValues(tensor, values[i]);
    if (options.values.empty()) continue;
    line["results"][tensor.name] = ToJson(values[i].reference);
    line["tolerances"][tensor.name] = ToJson(values[i].tolerance);
  }
  return line;
}

class ValuesFile {
 public:
  explicit ValuesFile(const std::string& path) : path_(path) {
    if (path.empty()) return;
    out_.open(path, std::ios::binary);
    if (!out_) throw UsageError(fmt::format("cannot write '{}'", path));
  }
  void Write(const json& line) {
    if (!path_.empty()) out_ << line.dump() << "\n";
  }
  void Close() {
    if (path_.empty()) return;
    out_.close();
    if (!out_) throw Error(fmt::format("cannot write '{}'", path_));
  }

 private:
  std::string path_;
  std::ofstream out_;
};

int CheckOne(const std::string& text, const CheckOptions& options) {
  const fused::ReadResult result = fused::ReadOperator(text);
  for (const fused::Mistake& mistake : result.mistakes) {
    fmt::print(stderr, "{}: {}\n", options.file, fused::TextOf(mistake));
  }
  if (!result.graph) return 2;
  const StatementList list = Statements(*result.graph, options);
  PrintOperator(*result.graph, list);
  if (!options.evaluate) return 0;
  fmt::print("values of inputs drawn from seed {}\n", options.seed);
  ValuesFile file(options.values);
  try {
    file.Write(Evaluate(*result.graph, list, options));
  } catch (const TooLarge& error) {
    throw UsageError(fmt::format("{}; --memory allows more", error.what()));
  }
  file.Close();
  return 0;
}

int CheckBatch(std::string_view text, CheckOptions options) {
  options.quiet = true;
  fused::CountsByNetwork counts;
  ValuesFile file(options.values);
  SchedulingTotals scheduling;
  std::size_t statements = 0, evaluated = 0;
  ForEachOperator(text, [&](std::size_t line, const fused::ReadResult& result) {
    counts[result.network].Count(result);
    for (const fused::Mistake& mistake : result.mistakes) {
      fmt::print("{}: {}\n", PlaceOf(result, line), fused::TextOf(mistake));
    }
    if (!result.graph) return true;
    const StatementList list = Statements(*result.graph, options);
    statements += list.statements.size();
    try {
      if (options.schedules) {
        const fused::OperatorProgram program = fused::ProgramOf(list);
        scheduling.Add(fused::Schedules(program, poly::DependenceKind::kValue).Influenced());
      }
      if (options.evaluate) {
        file.Write(Evaluate(*result.graph, list, options));
        ++evaluated;
      }
    } catch (const TooLarge& error) {
      fmt::print("{}: {}\n", PlaceOf(result, line), error.what());
    } catch (const poly::IslError& error) {
      fmt::print("{}: {}\n", PlaceOf(result, line), error.what());
    }
    return true;
  });
  file.Close();
  fmt::print("{}{} statements\n", fused::TextOf(counts), statements);
  if (options.evaluate) fmt::print("{} evaluated\n", evaluated);
  if (options.schedules) fmt::print("{}", scheduling.Text());
  return 0;
}

int Check(const CheckOptions& options) {
  if (options.file.empty()) throw UsageError("check which operators? search fused check FILE.json");
  if (!options.values.empty() && !options.evaluate) {
    throw UsageError("--values has what --evaluate yields: it needs that");
  }
  const std::string text = ReadUserFile(options.file);
  const bool is_batch = options.batch || options.file.ends_with(".jsonl");
  if (options.schedules && !is_batch) {
    throw UsageError("--schedules is of a batch; of one operator: search fused explain FILE.json");
  }
  return is_batch ? CheckBatch(text, options) : CheckOne(text, options);
}

}  // namespace

void AddFusedCheck(CLI::App& command, Invocation& invocation) {
  CLI::App* const check = command.add_subcommand(
      "check", "what an operator computes, as statements; of a batch, how many are taken");
  const auto options = std::make_shared<CheckOptions>();
  check->add_option("file", options->file, "FILE.json, or FILE.jsonl: an operator a line");
  check->add_flag("--batch", options->batch, "an operator a line, whatever the file is called");
  check->add_flag("--groups", options->groups,
                  "statements that hand each other registers alone are one");
  check->add_flag("--evaluate", options->evaluate, "the reference's values of drawn inputs");
  check->add_flag("--schedules", options->schedules,
                  "of a batch: each operator is scheduled, and what that took is summed up");
  check->add_option("--seed", options->seed, "of the inputs (default 1)");
  AddMemoryOption(*check, options->memory, "for the reference");
  check->add_option("--values", options->values,
                    "file for the inputs and results of --evaluate, a line of JSON an operator");
  check->callback(
      [options, &invocation] { invocation.run = [options] { return Check(*options); }; });
}

}  // namespace exh::search
