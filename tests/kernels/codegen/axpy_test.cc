// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/codegen/print/cpu_printer.h"
#include "tests/kernels/codegen/hand_backbone.h"
#include "tests/kernels/codegen/reference_run.h"

namespace exh::kernels::codegen::testing {
namespace {

using ::testing::HasSubstr;

const char kOuter[] = "load_x.n0 + load_y.n0 + mad.n0 + store.n0";

void ExpectCorrect(const ir::Function& f, const Schedule& s) {
  EXPECT_EQ(CheckByInterpreter(f, s), "");
  EXPECT_EQ(CheckByCompiler(f, s), "");
}

TEST(Axpy, OneLoopNest) {
  const ir::Function f = Axpy(24);
  ExpectCorrect(
      f,
      Draw(f,
           {Loop(kOuter, 2,
                 {Loop("load_x.n1 + load_y.n1 + mad.n1 + store.n1", 3,
                       {Loop("load_x.n2 + load_y.n2 + mad.n2 + store.n2", 4,
                             {Exec("load_x"), Exec("load_y"), Exec("mad"), Exec("store")})})})}));
}

/// Whole vectors from load_x, lanes extracted where mad runs across them, registers assembled to
/// vectors from load_y.
TEST(Axpy, VectorsAndRegistersMeetInEveryWay) {
  const ir::Function f = Axpy(48);
  const Schedule s =
      Draw(f, {Block(kOuter, 3,
                     {Unroll("load_x.n1", 4, {Vector("load_x.n2", 4, {Exec("load_x")})}),
                      Unroll("load_y.n1", 4, {Unroll("load_y.n2", 4, {Exec("load_y")})}),
                      Unroll("mad.n2", 4, {Vector("mad.n1", 4, {Exec("mad")})}),
                      Unroll("store.n1", 4, {Vector("store.n2", 4, {Exec("store")})})})});
  const std::string text = PrintCpu(f, s);
  // mad.n1 = lane of the new vector, mad.n2 = 1 = lane of the old ones.
  EXPECT_THAT(text, HasSubstr("v_mad_1 = vec4{v_load_x_0[1], v_load_x_1[1], v_load_x_2[1], "
                              "v_load_x_3[1]} * s_alpha + vec4{v_load_y_0_1, v_load_y_1_1, "
                              "v_load_y_2_1, v_load_y_3_1};"));
  ExpectCorrect(f, s);
}

/// Both nests on one thread axis: values cross in arrays by thread, and the stores of a nest that
/// leaves the second axis unused are guarded.
TEST(Axpy, ThreadsOfTwoAxes) {
  const ir::Function f = Axpy(24);
  const Schedule s =
      Draw(f, {Thread(0, "load_x.n0 + tmp.load_x.st.n0", 2,
                      {Thread(1, "load_x.n1 + tmp.load_x.st.n1", 3,
                              {Loop("load_x.n2 + tmp.load_x.st.n2", 4,
                                    {Exec("load_x"), Exec("tmp.load_x.st")})})}),
               Thread(1, "tmp.load_x.ld.n1 + load_y.n1 + mad.n1", 3,
                      {Loop("tmp.load_x.ld.n0 + load_y.n0 + mad.n0 + ", 2,
                            {Loop("tmp.load_x.ld.n2 + load_y.n2 + mad.n2 +", 4,
                                  {Exec("tmp.load_x.ld"), Exec("load_y"), Exec("mad")})})})});
  // The store is not drawn: the value of mad is dead and nothing is stored.
  EXPECT_NE(CheckByInterpreter(f, s), "");
  const Schedule whole =
      Draw(f, {Thread(0, "load_x.n0 + tmp.load_x.st.n0", 2,
                      {Thread(1, "load_x.n1 + tmp.load_x.st.n1", 3,
                              {Loop("load_x.n2 + tmp.load_x.st.n2", 4,
                                    {Exec("load_x"), Exec("tmp.load_x.st")})})}),
               Thread(1, "tmp.load_x.ld.n1 + load_y.n1 + mad.n1", 3,
                      {Unroll("tmp.load_x.ld.n0 + load_y.n0 + mad.n0", 2,
                              {Vector("tmp.load_x.ld.n2 + load_y.n2 + mad.n2", 4,
                                      {Exec("tmp.load_x.ld"), Exec("load_y"), Exec("mad")})})}),
               Thread(1, "store.n1", 3,
                      {Unroll("store.n0", 2, {Vector("store.n2", 4, {Exec("store")})})})});
  ExpectCorrect(f, whole);
  const std::string text = PrintCpu(f, whole);
  EXPECT_THAT(text, HasSubstr("vec4 v_mad_0[6], v_mad_1[6];"));
  EXPECT_THAT(text, HasSubstr("if (t0 == 0) store4("));

  for (const Fault fault : {Fault::kWrongStride, Fault::kMissingBarrier, Fault::kDroppedGuard}) {
    EXPECT_NE(CheckByInterpreter(f, whole, fault), "");
    EXPECT_NE(CheckByCompiler(f, whole, fault), "");
  }
}

TEST(Axpy, GlobalTemporaryOfBlocksOnTwoHostThreads) {
  const ir::Function f = Axpy(96);
  const Schedule s = Draw(
      f,
      {Block(kOuter + std::string(" + tmp.load_x.st.n0 + tmp.load_x.ld.n0"), 8,
             {Loop("load_x.n1 + tmp.load_x.st.n1", 3,
                   {Vector("load_x.n2 + tmp.load_x.st.n2", 4,
                           {Exec("load_x"), Exec("tmp.load_x.st")})}),
              Loop("tmp.load_x.ld.n1 + load_y.n1 + mad.n1 + store.n1", 3,
                   {Loop("tmp.load_x.ld.n2 + load_y.n2 + mad.n2 + store.n2", 4,
                         {Exec("tmp.load_x.ld"), Exec("load_y"), Exec("mad"), Exec("store")})})})},
      {{"tmp.load_x", {MemSpace::GLOBAL, {"n2", "n1"}}}});
  EXPECT_THAT(PrintCpu(f, s), HasSubstr("static thread_local float tmp_load_x[12];"));
  ExpectCorrect(f, s);
}

TEST(Axpy, DimsStandAsComments) {
  const ir::Function f = Axpy(24);
  const Schedule s =
      Draw(f, {Loop(kOuter, 2,
                    {Loop("load_x.n1 + load_y.n1 + mad.n1 + store.n1", 3,
                          {Loop("load_x.n2 + load_y.n2 + mad.n2 + store.n2", 4,
                                {Exec("load_x"), Exec("load_y"), Exec("mad"), Exec("store")})})})});
  const std::string text = PrintCpu(f, s);
  EXPECT_THAT(text, HasSubstr("// LOOP load_x.n0 + load_y.n0 + mad.n0 + store.n0\n"));
}

}  // namespace
}  // namespace exh::kernels::codegen::testing
