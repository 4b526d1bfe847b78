// SPDX-License-Identifier: MIT
//
// Programs that are wrong in one small thing each: what comes of the right program is spoilt behind
// it, or what goes into it before. The problems of an operator find all of them. What is spoilt
// with the time, such as what remembers its first result, tests/attack tries in a process.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "kernels/fused/code/code.h"
#include "kernels/fused/lower.h"
#include "kernels/ir/ops.h"
#include "tests/kernels/fused/operator_text.h"
#include "tests/kernels/fused/program_run.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::fused {
namespace {

using ir::Type;
using testing::GraphOf;
using testing::OperatorJson;

/// Changes an element; `type` is that of its array.
using Change = std::function<double(Type type, double value)>;

struct Sabotage {
  const char* name;
  Change input, output;
  /// What it changes nothing of.
  std::function<bool(const StatementList&)> spares = [](const StatementList&) { return false; };
};

double Of(Type type, const Change& change, double value) {
  return change ? ir::Rounded(type, change(type, value)) : value;
}

/// With so many bits.
double Keep(double value, int bits) {
  if (!std::isfinite(value) || value == 0) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

Change OfFloats(double (*change)(double)) {
  return [change](Type type, double value) { return ir::IsFloat(type) ? change(value) : value; };
}
Change OfIntegers(double (*change)(double)) {
  return [change](Type type, double value) {
    return ir::InfoOf(type).is_integer() ? change(value) : value;
  };
}

bool HasType(const StatementList& list, bool (*is)(Type), bool results) {
  return std::ranges::any_of(list.tensors, [&](const StatementTensor& tensor) {
    const bool is_one = results ? tensor.is_result()
                                : tensor.role == StatementTensor::Role::kInput ||
                                      tensor.role == StatementTensor::Role::kUpdated;
    return is_one && is(tensor.type);
  });
}
bool IsInteger(Type type) {
  return type == Type::kI32 || type == Type::kU32 || type == Type::kI64;
}
bool IsSingle(Type type) {
  return type == Type::kF32;
}
bool HasReductions(const StatementList& list) {
  return std::ranges::any_of(list.statements,
                             [](const Statement& of) { return of.reduces.has_value(); });
}

std::vector<Sabotage> Sabotages() {
  const auto without = [](bool (*is)(Type), bool results) {
    return [=](const StatementList& list) { return !HasType(list, is, results); };
  };
  return {
      {"half a percent too large",
       {},
       OfFloats([](double x) { return x * 1.005; }),
       without(ir::IsFloat, true)},
      {"NaN becomes 0",
       {},
       OfFloats([](double x) { return std::isnan(x) ? 0 : x; }),
       without(ir::IsFloat, true)},
      {"NaN of inputs is 0",
       OfFloats([](double x) { return std::isnan(x) ? 0 : x; }),
       {},
       without(ir::IsFloat, false)},
      {"infinity is cut",
       {},
       OfFloats([](double x) { return std::isinf(x) ? std::copysign(6e4, x) : x; }),
       // A sum of everything is NaN or it is not.
       [](const StatementList& list) {
         return !HasType(list, ir::IsFloat, true) || list.name == "total";
       }},
      {"flushed denormals",
       {},
       OfFloats([](double x) { return std::abs(x) < 0x1p-126 ? 0 * x : x; }),
       [](const StatementList& list) {
         // Sums of denormals alone are looked at in kernels; here they meet other numbers.
         return !HasType(list, IsSingle, false) || !HasType(list, IsSingle, true) ||
                HasReductions(list) || list.name == "wide";
       }},
      {"inputs are at most 1.5",
       OfFloats([](double x) { return std::abs(x) > 1.5 ? std::copysign(1.5, x) : x; }),
       {},
       without(ir::IsFloat, false)},
      {"integers of 16 bits",
       OfIntegers([](double x) {
         return static_cast<double>(static_cast<std::int16_t>(static_cast<std::int64_t>(x)));
       }),
       {},
       without(IsInteger, false)},
      {"inputs in half of their bits",
       OfFloats([](double x) { return Keep(x, 6); }),
       {},
       without(ir::IsFloat, false)},
      {"one element of each result more",
       {},
       [first = std::make_shared<int>(6)](Type type, double x) {
         // Of whole numbers and of bools, too.
         return ++*first % 7 == 0 ? (type == Type::kBool ? 1 - x
                                     : std::isfinite(x)  ? x + 1
                                                         : x)
                                  : x;
       }},
  };
}

struct Target {
  Graph graph;
  OperatorProgram program;
  Source source;
};

std::vector<Target> Targets() {
  const std::vector<std::pair<const char*, nlohmann::json>> all = {
      {"elements", OperatorJson({"x: float32 [6, 40]", "z: float32 [40]"},
                                {{"Mul", {"x", "z"}, "m: float32 [6, 40]"},
                                 {"Sub", {"m", "x"}, "y: float32 [6, 40]"}},
                                {"y"})},
      {"halves", OperatorJson({"x: float16 [6, 40]", "z: float16 [40]"},
                              {{"Mul", {"x", "z"}, "m: float16 [6, 40]"},
                               {"Add", {"m", "x"}, "a: float16 [6, 40]"},
                               {"Mul", {"a", "0.3: float16"}, "b: float16 [6, 40]"},
                               {"Sub", {"b", "z"}, "c: float16 [6, 40]"},
                               {"Mul", {"c", "x"}, "y: float16 [6, 40]"}},
                              {"y"})},
      {"functions of halves", OperatorJson({"x: float16 [64, 40]"},
                                           {{"Tanh", {"x"}, "a: float16 [64, 40]"},
                                            {"Mul", {"a", "x"}, "b: float16 [64, 40]"},
                                            {"Exp", {"b"}, "c: float16 [64, 40]"},
                                            {"Add", {"c", "a"}, "d: float16 [64, 40]"},
                                            {"Mul", {"d", "0.7: float16"}, "e: float16 [64, 40]"},
                                            {"Sqrt", {"e"}, "f: float16 [64, 40]"},
                                            {"Add", {"f", "c"}, "y: float16 [64, 40]"}},
                                           {"y"})},
      {"rows", OperatorJson({"x: float32 [40, 70]"},
                            {{"Mul", {"x", "x"}, "q: float32 [40, 70]"},
                             {"ReduceSum", {"q"}, "s: float32 [40]", {{"axis", 1}}},
                             {"ReduceMax", {"x"}, "m: float32 [40]", {{"axis", 1}}}},
                            {"s", "m"})},
      {"total", OperatorJson({"x: float32 [30, 20]"},
                             {{"ReduceSum", {"x"}, "s: float32 [1]", {{"axis", {0, 1}}}}}, {"s"})},
      {"integers", OperatorJson({"x: int32 [6, 40]", "z: int32 [40]"},
                                {{"Add", {"x", "z"}, "a: int32 [6, 40]"},
                                 {"Less", {"x", "z"}, "l: bool [6, 40]"},
                                 {"ReduceSum", {"a"}, "s: int32 [6]", {{"axis", 1}}}},
                                {"a", "l", "s"})},
      {"wide", OperatorJson({"x: float64 [6, 40]"},
                            {{"Exp", {"x"}, "e: float64 [6, 40]"},
                             {"Add", {"e", "x"}, "y: float64 [6, 40]"}},
                            {"y"})},
  };
  std::vector<Target> targets;
  for (const auto& [name, text] : all) {
    Target target{GraphOf(text), {}, {}};
    target.graph.name = name;
    target.program = ProgramOf(StatementsOf(target.graph));
    const Schedules schedules(target.program, poly::DependenceKind::kValue);
    target.source = CpuText(target.program, NestsOf(schedules, schedules.Influenced(), true));
    targets.push_back(std::move(target));
  }
  return targets;
}

TEST(FusedSabotage, IsFoundByTheProblemsAndWhatIsRightPasses) {
  const std::vector<Target> targets = Targets();
  const auto unique = [&](std::size_t i) {
    std::string text = targets[i].source.text;
    const std::string name = "exh_run(";
    text.replace(text.find(name), name.size(), "exh_run_" + std::to_string(i) + "(");
    return "namespace t" + std::to_string(i) + " {\n" + text + "}\n";
  };
  const kernels::testing::CompiledTexts texts(targets.size(), unique, "", "-O1 -fopenmp");
  int refused = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    using RunFunction = void (*)(void* const*, const double*, int);
    const auto run = reinterpret_cast<RunFunction>(texts.Find(i, "exh_run_" + std::to_string(i)));
    ASSERT_NE(run, nullptr) << texts.CompilerError(i);
    const testing::AllProblems problems(targets[i].graph, targets[i].program);
    const auto spoilt = [&](const Sabotage* sabotage) {
      return [&, sabotage](const std::vector<void*>& arrays, const cpu::Problem& view) {
        const auto change = [&](bool outputs, const Change& how) {
          for (std::size_t a = 0; a < arrays.size(); ++a) {
            const cpu::ProblemArray& array = view.arrays[a];
            if (array.is_output != outputs) continue;
            const std::uint32_t bytes = ir::BytesOf(array.type);
            for (std::size_t e = 0; e < array.elements(); ++e) {
              std::byte* const element = static_cast<std::byte*>(arrays[a]) + e * bytes;
              ir::WriteElement(array.type, element,
                               Of(array.type, how, ir::ReadElement(array.type, element)));
            }
          }
        };
        if (sabotage != nullptr) change(false, sabotage->input);
        run(arrays.data(), nullptr, 2);
        if (sabotage != nullptr) change(true, sabotage->output);
        return std::string();
      };
    };
    EXPECT_EQ(problems.Compared(spoilt(nullptr)), "") << targets[i].graph.name;
    for (const Sabotage& sabotage : Sabotages()) {
      StatementList list = targets[i].program.list;
      list.name = targets[i].graph.name;
      if (sabotage.spares(list)) continue;
      EXPECT_NE(problems.Compared(spoilt(&sabotage)), "")
          << targets[i].graph.name << ", " << sabotage.name;
      ++refused;
    }
  }
  EXPECT_GT(refused, 35);
}

/// What is tolerated of whole numbers, and what the special ones hold.
TEST(FusedProblems, AreWhatTheySay) {
  const std::vector<Target> targets = Targets();
  for (const Target& target : targets) {
    const testing::AllProblems problems(target.graph, target.program);
    bool has_nan = false, tolerates = false, has_large = false;
    for (std::size_t number = 0; number < problems.all().size(); ++number) {
      for (const cpu::ProblemArray& array : problems.all()[number]->View().arrays) {
        for (std::size_t e = 0; e < array.elements(); ++e) {
          if (array.is_output) {
            tolerates = tolerates || (kCheckedProblems[number].inputs == Inputs::kWholeNumbers &&
                                      array.tolerance[e] > 0);
            continue;
          }
          const double value =
              ir::ReadElement(array.type, array.values.data() + e * ir::BytesOf(array.type));
          has_nan = has_nan || std::isnan(value);
          has_large = has_large || (std::isfinite(value) && std::abs(value) > 40000);
        }
      }
    }
    const bool has_floats = HasType(target.program.list, ir::IsFloat, false);
    const bool has_functions = target.graph.name.find("functions") == 0 ||
                               target.graph.name == "wide" || target.graph.name == "halves";
    EXPECT_EQ(has_nan, has_floats) << target.graph.name;
    EXPECT_EQ(tolerates, has_functions && target.graph.name != "halves") << target.graph.name;
    EXPECT_EQ(has_large, !has_floats) << target.graph.name;
  }
}

}  // namespace
}  // namespace exh::kernels::fused
