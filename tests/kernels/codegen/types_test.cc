// SPDX-License-Identifier: MIT
//
// Arrays, scalars and values of every type, in the interpreter and as compiled text.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "kernels/codegen/interpreter.h"
#include "kernels/codegen/print/cpu_printer.h"
#include "kernels/codegen/print/gpu/printer.h"
#include "kernels/codegen/print/op_text.h"
#include "kernels/ir/builder.h"
#include "kernels/ir/lowering.h"
#include "kernels/ir/ops.h"
#include "kernels/ir/text/op_functions.h"
#include "tests/kernels/codegen/hand_backbone.h"
#include "tests/kernels/codegen/random_matmul.h"
#include "tests/kernels/codegen/temporary_folder.h"

namespace exh::kernels::codegen::testing {
namespace {

using ir::Op;
using ir::Type;
using ::testing::HasSubstr;
using ::testing::Not;
using Numbers = std::vector<double>;

constexpr std::uint32_t kLength = 32;  ///< Of axis n, which is 2 * 2 * 8.
const Type kTypes[] = {Type::kF64,    Type::kF32,    Type::kF16, Type::kBf16,
                       Type::kF8E4M3, Type::kF8E5M2, Type::kI64, Type::kI32,
                       Type::kU32,    Type::kI8,     Type::kBool};

/// Arrays in the order of the function; outputs are what is expected.
using Arrays = std::vector<Numbers>;

ir::Function Build(const std::function<void(ir::Builder&)>& write) {
  ir::Function f;
  f.name = "types";
  ir::Builder builder(f, true);
  write(builder);
  ir::PlanLowering(f);
  return f;
}

ir::AxisRef AxisN(ir::Builder& b) {
  return b.Axis("n", kLength, {{2, 1024}, {2, 64}});
}

/// The level of the dims of all instructions: "load_x.n1 + store.n1".
std::string All(const ir::Function& f, const std::string& level) {
  std::string text;
  for (const ir::Instruction& inst : f.insts) {
    if (inst.planned) continue;
    text += (text.empty() ? "" : " + ") + inst.name() + "." + level;
  }
  return text;
}

Items InOrder(const ir::Function& f) {
  Items items;
  for (const ir::Instruction& inst : f.insts) {
    if (!inst.planned) items.push_back(Exec(inst.name()));
  }
  return items;
}

/// One loop nest over n around all instructions, whose inner loops are copies and lanes …
Schedule Wide(const ir::Function& f) {
  return Draw(f, {Block(All(f, "n0"), 2,
                        {Unroll(All(f, "n1"), 2, {Vector(All(f, "n2"), 8, InOrder(f))})})});
}
/// … or loops.
Schedule Plain(const ir::Function& f) {
  return Draw(
      f, {Loop(All(f, "n0"), 2, {Loop(All(f, "n1"), 2, {Loop(All(f, "n2"), 8, InOrder(f))})})});
}

std::string Compare(const ir::Function& f, const Arrays& got, const Arrays& expected,
                    const std::vector<std::vector<std::uint8_t>>& written) {
  for (const ir::Array& array : f.arrays) {
    if (array.role != ir::ArrayRole::kOutput) continue;
    const std::size_t a = array.id.index();
    for (std::size_t i = 0; i < array.elements; ++i) {
      if (got[a][i] == expected[a][i] && written[a][i] == 1) continue;
      std::ostringstream why;
      why << array.name << "[" << i << "] is " << got[a][i] << ", not " << expected[a][i]
          << ", written " << int{written[a][i]} << " times\n";
      return why.str();
    }
  }
  return "";
}

std::string Interpreted(const ir::Function& f, const Schedule& schedule, const Arrays& arrays) {
  const LoweredCode code = LowerSchedule(f, schedule);
  if (!code.error.empty()) return code.error;
  InterpreterData data{arrays, {}};
  for (const ir::Array& array : f.arrays) {
    if (array.role != ir::ArrayRole::kOutput) continue;
    data.arrays[array.id.index()].assign(array.elements, std::nan(""));
  }
  for (const ir::Scalar& scalar : f.scalars) data.scalars.push_back(scalar.value);
  const InterpreterResult result = Interpret(code, data);
  return result.error.empty() ? Compare(f, data.arrays, arrays, result.written) : result.error;
}

std::string Compiled(const ir::Function& f, const Schedule& schedule, const Arrays& arrays) {
  const std::string source = PrintCpu(f, schedule, {.checked = true});
  const kernels::testing::TemporaryFolder folder;
  const std::string path = folder.path() + "/a";
  std::ofstream(path + ".cc") << source;
  const std::string command =
      "g++ -O2 -march=native -fopenmp -Wall -Werror -Wno-unused-variable "
      "-Wno-unused-but-set-variable -Wno-psabi "
      "-ffp-contract=fast -shared -fPIC " +
      path + ".cc -o " + path + ".so > " + path + ".log 2>&1";
  if (std::system(command.c_str()) != 0) {
    std::ostringstream why;
    why << std::ifstream(path + ".log").rdbuf() << "\n" << source;
    return why.str();
  }
  void* library = ::dlopen((path + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return ::dlerror();
  using Run = void (*)(void* const*, const double*, int, unsigned char* const*);
  const Run run = reinterpret_cast<Run>(::dlsym(library, "exh_run_checked"));

  std::vector<std::vector<std::byte>> memory;
  std::vector<std::vector<std::uint8_t>> written;
  std::vector<void*> pointers;
  std::vector<unsigned char*> written_pointers;
  Numbers scalars;
  for (const ir::Array& array : f.arrays) {
    std::vector<std::byte>& bytes = memory.emplace_back(array.bytes());
    written.emplace_back(array.elements, 0);
    for (std::size_t i = 0; i < array.elements; ++i) {
      const bool is_input = array.role == ir::ArrayRole::kInput;
      ir::WriteElement(array.type, &bytes[i * ir::BytesOf(array.type)],
                       is_input ? arrays[array.id.index()][i] : 77);
    }
  }
  for (std::size_t i = 0; i < memory.size(); ++i) {
    pointers.push_back(memory[i].data());
    written_pointers.push_back(written[i].data());
  }
  for (const ir::Scalar& scalar : f.scalars) {
    scalars.push_back(std::bit_cast<double>(scalar.value.Cell(scalar.type)));
  }
  run(pointers.data(), scalars.data(), 2, written_pointers.data());
  Arrays got;
  for (const ir::Array& array : f.arrays) {
    Numbers& numbers = got.emplace_back();
    for (std::size_t i = 0; i < array.elements; ++i) {
      const std::byte* element = &memory[array.id.index()][i * ir::BytesOf(array.type)];
      numbers.push_back(ir::ReadElement(array.type, element));
    }
  }
  const std::string why = Compare(f, got, arrays, written);
  return why.empty() ? why : why + source;
}

void ExpectCorrect(const ir::Function& f, const Schedule& schedule, const Arrays& arrays) {
  EXPECT_EQ(Interpreted(f, schedule, arrays), "");
  EXPECT_EQ(Compiled(f, schedule, arrays), "");
}

void ExpectCorrect(const ir::Function& f, const Arrays& arrays) {
  ExpectCorrect(f, Plain(f), arrays);
  ExpectCorrect(f, Wide(f), arrays);
}

/// Small whole numbers that the type has, `seed` tells rows of them apart.
Numbers Small(Type type, std::size_t count, unsigned seed) {
  const int least = type == Type::kU32 || type == Type::kBool ? 0 : -4;
  const int most = type == Type::kBool ? 1 : 4;
  Numbers numbers;
  for (std::size_t i = 0; i < count; ++i) {
    const auto mixed = static_cast<int>((i * 7 + i / 5 + seed * 3) % 64);
    numbers.push_back(least + mixed % (most - least + 1));
  }
  return numbers;
}

Numbers ForEach(std::size_t count, const std::function<double(std::size_t)>& value) {
  Numbers numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(value(i));
  return numbers;
}

class EveryType : public ::testing::TestWithParam<Type> {};
INSTANTIATE_TEST_SUITE_P(Types, EveryType, ::testing::ValuesIn(kTypes), [](const auto& parameter) {
  return std::string(ir::WordOf(parameter.param));
});

TEST_P(EveryType, Axpy) {
  const Type type = GetParam();
  const ir::Function f = Build([&](ir::Builder& b) {
    const auto x = b.InputArray("x", kLength, type), y = b.InputArray("y", kLength, type);
    const auto z = b.OutputArray("z", kLength, type);
    b.Scalar("a", type == Type::kBool ? 1 : 3, type);
    const ir::AxisRef n = AxisN(b);
    const ir::Value load_x = b.Load("load_x", x, {{n, 1}}), load_y = b.Load("load_y", y, {{n, 1}});
    const ir::Value mad =
        b.Compute("mad", Op::kMad, {n},
                  {ir::ScalarArg("a"), ir::InRegisters(load_x), ir::InRegisters(load_y)});
    b.Store("store", z, {{n, 1}}, ir::InRegisters(mad));
  });
  const double a = type == Type::kBool ? 1 : 3;
  const Numbers x = Small(type, kLength, 1), y = Small(type, kLength, 2);
  ExpectCorrect(
      f, {x, y, ForEach(kLength, [&](auto i) { return ir::Rounded(type, a * x[i] + y[i]); })});
}

/// To every type, by a cast, and by a store alone.
TEST_P(EveryType, BecomesEveryOther) {
  const Type type = GetParam();
  const ir::Function f = Build([&](ir::Builder& b) {
    const auto x = b.InputArray("x", kLength, type);
    std::vector<ir::ArrayId> outputs;
    for (const char* kind : {"cast_", "stored_"}) {
      for (const Type to : kTypes) {
        outputs.push_back(b.OutputArray(kind + std::string(ir::WordOf(to)), kLength,
                                        kind[0] == 'c' ? Type::kF64 : to));
      }
    }
    const ir::AxisRef n = AxisN(b);
    const ir::Value load = b.Load("load_x", x, {{n, 1}});
    for (std::size_t i = 0; i < std::size(kTypes); ++i) {
      const std::string word(ir::WordOf(kTypes[i]));
      const ir::Value cast =
          b.Compute("to_" + word, Op::kConst, {n}, {ir::InRegisters(load)}, kTypes[i]);
      b.Store("store_" + word, outputs[i], {{n, 1}}, ir::InRegisters(cast));
      b.Store("direct_" + word, outputs[i + std::size(kTypes)], {{n, 1}}, ir::InRegisters(load));
    }
  });
  // 70000 is an infinite half: what C makes an integer of that is not said.
  const double large = type == Type::kF16 || type == Type::kF8E5M2 ? 60000 : 70000;
  const Numbers values = {0, 0.25, 1, 2.75, 3, 100, 257, 259, 2049, 2051, 0x1p-24, large};
  Arrays arrays = {
      ForEach(kLength, [&](auto i) { return ir::Rounded(type, values[i % values.size()]); })};
  for (int kind = 0; kind < 2; ++kind) {
    for (const Type to : kTypes) {
      arrays.push_back(ForEach(kLength, [&](auto i) { return ir::Rounded(to, arrays[0][i]); }));
    }
  }
  ExpectCorrect(f, arrays);
}

TEST_P(EveryType, ComparesAndSelects) {
  const Type type = GetParam();
  const ir::Function f = Build([&](ir::Builder& b) {
    const auto x = b.InputArray("x", kLength, type), y = b.InputArray("y", kLength, type);
    const auto least = b.OutputArray("least", kLength, type);
    const auto differ = b.OutputArray("differ", kLength, Type::kBool);
    const auto chosen = b.OutputArray("chosen", kLength, Type::kF64);
    const ir::AxisRef n = AxisN(b);
    const ir::Value load_x = b.Load("load_x", x, {{n, 1}}), load_y = b.Load("load_y", y, {{n, 1}});
    const auto compute = [&](const char* name, Op op, const std::vector<ir::Input>& in) {
      return b.Compute(name, op, {n}, in);
    };
    const ir::Input in_x = ir::InRegisters(load_x), in_y = ir::InRegisters(load_y);
    const ir::Value less = compute("less", Op::kLess, {in_x, in_y});
    const ir::Value equal = compute("equal", Op::kEqual, {in_x, in_y});
    const ir::Value most =
        compute("most", Op::kOr, {ir::InRegisters(less), ir::InRegisters(equal)});
    const ir::Value select = compute("select", Op::kSelect, {ir::InRegisters(most), in_x, in_y});
    b.Store("store_least", least, {{n, 1}}, ir::InRegisters(select));
    const ir::Value not_equal = compute("not_equal", Op::kNot, {ir::InRegisters(equal)});
    b.Store("store_differ", differ, {{n, 1}}, ir::InRegisters(not_equal));
    // A condition that is a number, arms that are wide.
    const ir::Value wide = b.Compute("wide", Op::kConst, {n}, {in_y}, Type::kF64);
    const ir::Value choice =
        compute("choice", Op::kSelect, {in_x, ir::InRegisters(wide), ir::Literal(0.5)});
    b.Store("store_chosen", chosen, {{n, 1}}, ir::InRegisters(choice));
  });
  const Numbers x = Small(type, kLength, 1), y = Small(type, kLength, 2);
  ExpectCorrect(f, {x, y, ForEach(kLength, [&](auto i) { return std::min(x[i], y[i]); }),
                    ForEach(kLength, [&](auto i) { return x[i] != y[i] ? 1 : 0; }),
                    ForEach(kLength, [&](auto i) { return x[i] != 0 ? y[i] : 0.5; })});
}

/// Sums and maxima of rows, and the temporaries that they are read through.
TEST_P(EveryType, ReducesAndStages) {
  const Type type = GetParam();
  constexpr std::uint32_t kRows = 8, kColumns = 4;
  const Type sum_type = ir::ResultType(Op::kAdd, type);
  const ir::Function f = Build([&](ir::Builder& b) {
    const auto x = b.InputArray("x", kRows * kColumns, type);
    const auto sums = b.OutputArray("sums", kRows, sum_type);
    const auto maxima = b.OutputArray("maxima", kRows, type);
    const ir::AxisRef m = b.Axis("m", kRows, {{2, 64}}), k = b.Axis("k", kColumns, {{2, 64}});
    const ir::Value load = b.Load("load_x", x, {{m, 1}, {k, kRows}});
    const ir::Value zero = b.Compute("zero", Op::kConst, {m}, {ir::Literal(0)}, sum_type);
    const ir::Value sum = b.Reduce("sum", Op::kAdd, {m, k}, {k}, zero, {ir::MayStage(load)});
    const Type most_type = ir::ResultType(Op::kMax, type);
    const ir::Value least = b.Compute(
        "least", Op::kConst, {m}, {ir::Literal(ir::IdentityOf(Op::kMax, most_type))}, most_type);
    const ir::Value most = b.Reduce("most", Op::kMax, {m, k}, {k}, least, {ir::InRegisters(load)});
    b.Store("store_sum", sums, {{m, 1}}, ir::InRegisters(sum));
    b.Store("store_most", maxima, {{m, 1}}, ir::InRegisters(most));
  });
  const std::string rows =
      "load_x.m0 + zero.m0 + sum.m0 + least.m0 + most.m0 + store_sum.m0 + "
      "store_most.m0";
  const std::string columns = "load_x.k0 + sum.k0 + most.k0";
  const auto nest = [&](bool staged) -> Items {
    const auto lanes = [](const std::string& inst) {
      return Vector(inst + ".m1", 4, {Exec(inst)});
    };
    const std::string read = staged ? "tmp.load_x.ld" : "sum";
    const Items load = staged ? Items{Vector("load_x.m1 + tmp.load_x.st.m1", 4,
                                             {Exec("load_x"), Exec("tmp.load_x.st")}),
                                      lanes("tmp.load_x.ld")}
                              : Items{lanes("load_x")};
    const std::string temps = staged ? " + tmp.load_x.st.m0 + tmp.load_x.ld.m0" : "";
    const std::string temp_columns = staged ? " + tmp.load_x.st.k0 + tmp.load_x.ld.k0" : "";
    const std::string inner = staged ? " + tmp.load_x.st.k1 + tmp.load_x.ld.k1" : "";
    Items body = load;
    body.push_back(lanes("sum"));
    body.push_back(lanes("most"));
    return {Block(
        rows + temps, 2,
        {lanes("zero"), lanes("least"),
         Loop(columns + temp_columns, 2, {Loop("load_x.k1 + sum.k1 + most.k1" + inner, 2, body)}),
         lanes("store_sum"), lanes("store_most")})};
  };
  const Numbers x = Small(type, kRows * kColumns, 1);
  const auto reduced = [&](const auto& op) {
    return ForEach(kRows, [&](auto m) {
      double value = x[m];
      for (std::size_t k = 1; k < kColumns; ++k) value = op(value, x[k * kRows + m]);
      return value;
    });
  };
  const Arrays arrays = {x, reduced([](double a, double b) { return a + b; }),
                         reduced([](double a, double b) { return std::max(a, b); })};
  for (const bool staged : {false, true}) {
    const Schedule schedule = Draw(f, nest(staged));
    ExpectCorrect(f, schedule, arrays);
    const std::string element(ElementName(type));
    const bool has_temporary =
        PrintCpu(f, schedule).find("alignas(64) " + element + " tmp_load_x[4];") !=
        std::string::npos;
    EXPECT_EQ(has_temporary, staged);
  }
}

/// x[i - 1] + x[i + 1], 0 beyond the ends: lanes leave the array one by one.
TEST_P(EveryType, StencilLeavesItsArray) {
  const Type type = GetParam();
  const ir::Function f = Build([&](ir::Builder& b) {
    const auto x = b.InputArray("x", kLength, type);
    const auto z = b.OutputArray("z", kLength, ir::ResultType(Op::kAdd, type));
    const ir::AxisRef n = AxisN(b);
    const auto load = [&](const char* name, std::int64_t offset) {
      return ir::InRegisters(
          b.Load(name, x, {{n, 1}}, offset, {{offset, {{n, 1}}, std::int64_t{kLength}}}));
    };
    const ir::Input left = load("left", -1), right = load("right", 1);
    b.Store("store", z, {{n, 1}}, ir::InRegisters(b.Compute("sum", Op::kAdd, {n}, {left, right})));
  });
  const Numbers x = Small(type, kLength, 1);
  const auto at = [&](std::size_t i) { return i < kLength ? x[i] : 0; };
  ExpectCorrect(f, {x, ForEach(kLength, [&](auto i) { return at(i - 1) + at(i + 1); })});
}

/// Rows of lanes that are outside as a whole, or for all copies of a loop.
TEST(Types, WholeVectorsAreOutside) {
  constexpr std::uint32_t kRows = 4, kColumns = 8;
  const ir::Function f = Build([&](ir::Builder& b) {
    const auto x = b.InputArray("x", kRows * kColumns, Type::kF16);
    const auto z = b.OutputArray("z", kRows * kColumns, Type::kF16);
    const ir::AxisRef m = b.Axis("m", kRows, {{2, 64}}), n = b.Axis("n", kColumns, {});
    const ir::Value load = b.Load("load_x", x, {{m, kColumns}, {n, 1}}, -std::int64_t{kColumns},
                                  {{-1, {{m, 1}}, kRows}, {0, {{n, 1}}, kColumns}});
    b.Store("store", z, {{m, kColumns}, {n, 1}}, ir::InRegisters(load));
  });
  const auto draw = [&](bool unrolled) {
    const Items inner = {Vector("load_x.n0 + store.n0", 8, {Exec("load_x"), Exec("store")})};
    const std::string outer = "load_x.m0 + store.m0", middle = "load_x.m1 + store.m1";
    return unrolled ? Draw(f, {Unroll(outer, 2, {Unroll(middle, 2, inner)})})
                    : Draw(f, {Loop(outer, 2, {Loop(middle, 2, inner)})});
  };
  const Numbers x = Small(Type::kF16, kRows * kColumns, 1);
  const Numbers z =
      ForEach(kRows * kColumns, [&](auto i) { return i < kColumns ? 0 : x[i - kColumns]; });
  for (const bool unrolled : {false, true}) ExpectCorrect(f, draw(unrolled), {x, z});
  EXPECT_THAT(PrintCpu(f, draw(false)),
              HasSubstr(" - 1 >= 0 ? load8_f16(arg_x + i_load_x_m0 * 16 + i_load_x_m1 * 8 - 8) : "
                        "splat8(0.0f);"));
  // Where everything is known, nothing is asked.
  const std::string known = PrintCpu(f, draw(true));
  EXPECT_THAT(known, HasSubstr("v_load_x_0_0 = splat8(0.0f);"));
  EXPECT_THAT(known, HasSubstr("v_load_x_0_1 = load8_f16(arg_x + 0);"));
}

TEST(Types, IndexValues) {
  const ir::Function f = Build([&](ir::Builder& b) {
    const auto whole = b.OutputArray("whole", kLength, Type::kI32);
    const auto wide = b.OutputArray("wide", kLength, Type::kI64);
    const auto number = b.OutputArray("number", kLength, Type::kF32);
    const ir::AxisRef n = AxisN(b);
    const ir::Value index = b.Index("index", {{n, -3}}, 7);
    const ir::Value large = b.Index("large", {{n, std::int64_t{1} << 31}}, 1);
    EXPECT_EQ(b.TypeOf(index), Type::kI32);
    EXPECT_EQ(b.TypeOf(large), Type::kI64);
    b.Store("store_whole", whole, {{n, 1}}, ir::InRegisters(index));
    b.Store("store_wide", wide, {{n, 1}}, ir::InRegisters(large));
    b.Store("store_number", number, {{n, 1}}, ir::InRegisters(index));
  });
  const auto value = [](std::size_t i) { return 7 - 3 * static_cast<double>(i); };
  ExpectCorrect(f, {ForEach(kLength, value),
                    ForEach(kLength, [](auto i) { return 1 + 0x1p31 * static_cast<double>(i); }),
                    ForEach(kLength, value)});
}

TEST(Types, Bits) {
  for (const Type type : {Type::kI64, Type::kI32, Type::kU32, Type::kI8}) {
    const ir::Function f = Build([&](ir::Builder& b) {
      const auto x = b.InputArray("x", kLength, type), y = b.InputArray("y", kLength, type);
      const auto z = b.OutputArray("z", kLength, type);
      const ir::AxisRef n = AxisN(b);
      const auto compute = [&](const char* name, Op op, const std::vector<ir::Input>& in) {
        return ir::InRegisters(b.Compute(name, op, {n}, in));
      };
      const ir::Input in_x = ir::InRegisters(b.Load("load_x", x, {{n, 1}}));
      const ir::Input in_y = ir::InRegisters(b.Load("load_y", y, {{n, 1}}));
      const ir::Input both = compute("both", Op::kAnd, {in_x, in_y});
      const ir::Input flipped = compute("flipped", Op::kXor, {both, ir::Literal(5)});
      b.Store("store", z, {{n, 1}}, compute("inverse", Op::kNot, {flipped}));
    });
    const Numbers x = Small(type, kLength, 1), y = Small(type, kLength, 2);
    ExpectCorrect(f, {x, y, ForEach(kLength, [&](auto i) {
                        const auto a = static_cast<std::int64_t>(x[i]);
                        const auto b = static_cast<std::int64_t>(y[i]);
                        return ir::Rounded(type, static_cast<double>(~((a & b) ^ 5)));
                      })});
  }
}

TEST(Types, FunctionsOfLanes) {
  for (const Type type : {Type::kF64, Type::kF16, Type::kI32}) {
    const ir::Function f = Build([&](ir::Builder& b) {
      const auto x = b.InputArray("x", kLength, type), z = b.OutputArray("z", kLength, type);
      const ir::AxisRef n = AxisN(b);
      const ir::Input in = ir::InRegisters(b.Load("load_x", x, {{n, 1}}));
      const ir::Input size = ir::InRegisters(b.Compute("size", Op::kAbs, {n}, {in}));
      if (!ir::IsFloat(type)) return b.Store("store", z, {{n, 1}}, size);
      const ir::Value root = b.Compute("root", Op::kSqrt, {n}, {size});
      b.Store("store", z, {{n, 1}}, ir::InRegisters(root));
    });
    const Numbers x = ForEach(kLength, [](auto i) { return i % 2 == 0 ? 4.0 : -16.0; });
    ExpectCorrect(f, {x, ForEach(kLength, [&](auto i) {
                        return ir::IsFloat(type) ? std::sqrt(std::abs(x[i])) : std::abs(x[i]);
                      })});
  }
}

/// Values go between lanes, registers and temporaries in every way.
TEST(Types, RandomImplementations) {
  for (const Type type :
       {Type::kF64, Type::kF16, Type::kBf16, Type::kF8E4M3, Type::kI64, Type::kI8}) {
    for (unsigned seed = 2000; seed < 2060; ++seed) {
      const auto matmul = MakeRandomMatmul(seed, type);
      const ir::Function& f = matmul->function;
      const auto total = [&](const std::string& axis) -> std::size_t {
        const auto is_it = [&](const auto& dim) { return dim.name == "mad." + axis; };
        return std::ranges::find_if(f.logical_dims, is_it)->total;
      };
      const std::size_t m = total("m"), n = total("n"), k = total("k");
      const Numbers a = Small(type, f.arrays[0].elements, 1);
      const Numbers b = Small(type, f.arrays[1].elements, 2);
      const std::size_t stride = a.size() / (m * k);
      const Numbers c = ForEach(m * n, [&](auto i) {
        double sum = matmul->first;
        for (std::size_t p = 0; p < k; ++p) sum += a[(i / n * k + p) * stride] * b[p * n + i % n];
        return ir::Rounded(type, sum);
      });
      ASSERT_EQ(Interpreted(f, matmul->schedule, {a, b, c}), "") << "seed " << seed;
      if (seed % 20 != 0) continue;
      ASSERT_EQ(Compiled(f, matmul->schedule, {a, b, c}), "") << "seed " << seed;
    }
  }
}

/// A compiler that knows factors to be bytes makes wrong code of a product: no text tells it.
TEST(Types, BytesAreWidenedWhereNoCompilerSees) {
  const auto printed = [](Type type) {
    const ir::Function f = Build([&](ir::Builder& b) {
      const auto x = b.InputArray("x", kLength, type), z = b.OutputArray("z", kLength, type);
      const ir::AxisRef n = AxisN(b);
      const ir::Input in_x = ir::InRegisters(b.Load("load_x", x, {{n, 1}}));
      b.Store("store", z, {{n, 1}},
              ir::InRegisters(b.Compute("twice", Op::kAdd, {n}, {in_x, in_x})));
    });
    const Schedule schedule = Plain(f);
    return PrintGpu(LowerSchedule(f, schedule)).source;
  };
  EXPECT_THAT(printed(Type::kI8), HasSubstr("= exh_from_i8(arg_x["));
  EXPECT_THAT(printed(Type::kI8), HasSubstr("asm(\"cvt.s32.s8"));
  EXPECT_THAT(printed(Type::kI32), Not(HasSubstr("exh_from_i8")));
}

TEST(OpText, NumbersReadBack) {
  const auto cpp = [](double value, Type type) { return NumberText(value, type, Dialect::kCpp); };
  EXPECT_EQ(cpp(0, Type::kF32), "0.0f");
  EXPECT_EQ(cpp(-1.5, Type::kF32), "(-1.5f)");
  EXPECT_EQ(cpp(0.1, Type::kF64), "0.1");
  EXPECT_EQ(cpp(1e300, Type::kF32), "__builtin_inff()");
  EXPECT_EQ(cpp(-INFINITY, Type::kF64), "(-__builtin_inf())");
  EXPECT_EQ(NumberText(INFINITY, Type::kF32, Dialect::kCuda), "__int_as_float(2139095040)");
  EXPECT_EQ(NumberText(-INFINITY, Type::kF64, Dialect::kCuda),
            "__longlong_as_double(-4503599627370496ll)");
  EXPECT_EQ(cpp(3, Type::kI64), "3ll");
  EXPECT_EQ(cpp(4294967295.0, Type::kU32), "4294967295u");
  EXPECT_EQ(cpp(-7.9, Type::kI32), "(-7)");
  EXPECT_EQ(cpp(std::numeric_limits<std::int32_t>::lowest(), Type::kI32), "(-2147483647 - 1)");
  EXPECT_EQ(cpp(-0x1p63, Type::kI64), "(-9223372036854775807ll - 1)");
  EXPECT_EQ(cpp(0x1p63, Type::kI64), "9223372036854775807ll");
}

TEST(OpText, OperatorsGoByType) {
  const auto cuda = [](Op op, Type type, const std::vector<std::string>& names) {
    std::vector<ValueText> operands;
    for (const std::string& name : names) operands.push_back({name});
    ir::HelperFunctions called(Dialect::kCuda);
    return OpText(op, type, operands, 1, called).text;
  };
  EXPECT_EQ(cuda(Op::kMad, Type::kF32, {"a", "b", "c"}), "fmaf(a, b, c)");
  EXPECT_EQ(cuda(Op::kMad, Type::kF64, {"a", "b", "c"}), "fma(a, b, c)");
  EXPECT_EQ(cuda(Op::kMad, Type::kI32, {"a", "b", "c"}), "exh_mad(a, b, c)");
  EXPECT_EQ(cuda(Op::kMad, Type::kU32, {"a", "b", "c"}), "a * b + c");
  EXPECT_EQ(cuda(Op::kRsqrt, Type::kF64, {"a"}), "rsqrt(a)");
  EXPECT_EQ(cuda(Op::kAbs, Type::kI64, {"a"}), "exh_abs(a)");
  EXPECT_EQ(cuda(Op::kMax, Type::kF32, {"a", "b"}), "exh_max(a, b)");
  EXPECT_EQ(cuda(Op::kMax, Type::kI32, {"a", "b"}), "a > b ? a : b");
  ir::HelperFunctions cpp(Dialect::kCpp), halves(Dialect::kCuda);
  EXPECT_EQ(OpText(Op::kMin, Type::kF32, {{"a", true}, {"b"}}, 8, cpp).text,
            "exh_min(a, splat8(b))");
  EXPECT_EQ(cuda(Op::kLess, Type::kF32, {"a", "b"}), "a < b ? 1 : 0");
  EXPECT_EQ(cuda(Op::kNot, Type::kBool, {"a"}), "1 - a");
  EXPECT_EQ(cuda(Op::kNot, Type::kI32, {"a"}), "~a");
  EXPECT_EQ(OpText(Op::kExp, Type::kF64, {{"a"}}, 1, cpp).text, "__builtin_exp(a)");
  EXPECT_EQ(OpText(Op::kRsqrt, Type::kF32, {{"a"}}, 1, cpp).text, "1.0f / __builtin_sqrtf(a)");
  EXPECT_EQ(Convert({"a"}, Type::kF64, Type::kF16, 1, halves).text,
            "exh_from_f16(exh_to_f16(static_cast<float>(a)))");
  EXPECT_EQ(CastText("a", Type::kI32, Type::kF32, Dialect::kCpp), "static_cast<float>(a)");
  EXPECT_EQ(CastText("a", Type::kI32, Type::kI32, Dialect::kCpp), "a");
}

TEST(OpText, OpenClHasWordsOfItsOwn) {
  ir::HelperFunctions called(Dialect::kOpenCl);
  const auto text = [&](Op op, Type type, const std::vector<std::string>& names) {
    std::vector<ValueText> operands;
    for (const std::string& name : names) operands.push_back({name});
    return OpText(op, type, operands, 1, called).text;
  };
  EXPECT_EQ(text(Op::kMad, Type::kF32, {"a", "b", "c"}), "fma(a, b, c)");
  EXPECT_EQ(text(Op::kExp, Type::kF32, {"a"}), "exp(a)");
  // C has one function of a name.
  EXPECT_EQ(text(Op::kMad, Type::kI64, {"a", "b", "c"}), "exh_mad_i64(a, b, c)");
  EXPECT_EQ(text(Op::kMax, Type::kF16, {"a", "b"}), "exh_max_f32(a, b)");
  EXPECT_EQ(ToElementText("a", Type::kF32, Type::kBf16, called), "exh_to_bf16(a)");
  const std::string functions = called.Text();
  EXPECT_THAT(functions, HasSubstr("static inline float exh_max_f32(float a, float b) {"));
  EXPECT_THAT(functions, HasSubstr("static inline ushort exh_to_bf16(float value) {"));
  ir::HelperFunctions of_f8(Dialect::kOpenCl);
  EXPECT_EQ(FromElementText("a", Type::kF8E5M2, of_f8), "exh_from_f8e5m2(a)");
  EXPECT_THAT(of_f8.Text(), HasSubstr("static inline float exh_from_f8e5m2(unsigned char bits) {"));
  EXPECT_THAT(of_f8.Text(), HasSubstr("as_uint(as_float(size + 0x38800000u)"));
  EXPECT_THAT(functions, Not(HasSubstr("double")));
  EXPECT_EQ(CastText("a", Type::kI32, Type::kI64, Dialect::kOpenCl), "(long)(a)");
  EXPECT_EQ(NumberText(3, Type::kI64, Dialect::kOpenCl), "3l");
  EXPECT_EQ(NumberText(INFINITY, Type::kF32, Dialect::kOpenCl), "as_float(2139095040)");
}

/// Texts of f32 alone hold nothing of other types.
TEST(Types, TextsOfFloatsAreAsTheyWere) {
  const ir::Function f = Axpy(kLength);
  const Schedule s = Wide(f);
  const std::string text = PrintCpu(f, s);
  EXPECT_THAT(text, HasSubstr("v_mad_1 = v_load_x_1 * s_alpha + v_load_y_1;"));
  EXPECT_THAT(text, HasSubstr("exh_run(void* const* arrays, const double* scalars, int threads)"));
  EXPECT_THAT(text, HasSubstr("static_cast<const float*>(arrays[0])"));
  for (const char* other : {"exh_from", "vec8_", "convertvector", "int v_"}) {
    EXPECT_THAT(text, Not(HasSubstr(other)));
  }
}

}  // namespace
}  // namespace exh::kernels::codegen::testing
