// SPDX-License-Identifier: MIT
//
// What the reader takes, and what it says of the rest: the messages are what people see.
#include "kernels/fused/graph/read.h"

#include <gtest/gtest.h>

#include "kernels/fused/graph/batch.h"
#include "tests/kernels/fused/operator_text.h"

namespace exh::kernels::fused {
namespace {

using nlohmann::json;
using testing::GraphOf;
using testing::MistakesOf;
using testing::OperationText;
using testing::OperatorJson;

json Sum() {
  return OperatorJson(
      {"x: float32 [2, 3]", "z: float32 [3]"},
      {{"Add", {"x", "z"}, "s: float32 [2, 3]"}, {"Exp", {"s"}, "y: float32 [2, 3]"}}, {"y"});
}

TEST(Read, AGraphHasTensorsAndOperationsInOrder) {
  const Graph graph = GraphOf(Sum());
  EXPECT_EQ(graph.name, "Fused_test");
  ASSERT_EQ(graph.tensors.size(), 4u);
  EXPECT_EQ(graph.tensors[2].name, "s");
  EXPECT_EQ(graph.tensors[2].producer, 0);
  EXPECT_EQ(graph.tensors[0].producer, -1);
  ASSERT_EQ(graph.operations.size(), 2u);
  EXPECT_EQ(graph.operations[0].kind, Kind::kAdd);
  EXPECT_EQ(graph.operations[0].inputs[1].tensor, 1);
  EXPECT_EQ(graph.operations[1].output, 3);
  EXPECT_EQ(graph.outputs, std::vector<int>{3});
}

TEST(Read, ABatchSaysWhereAnOperatorIsFrom) {
  const json line = {
      {"network", "lenet"}, {"level", "level0"}, {"file", "a.info"}, {"operator", Sum()}};
  const ReadResult result = ReadOperator(line.dump());
  EXPECT_TRUE(result.graph);
  EXPECT_EQ(result.network, "lenet");
  EXPECT_EQ(result.file, "a.info");
  json wrong = line;
  wrong["operator"]["op_desc"][0]["input_desc"][1][0]["shape"] = {2};
  EXPECT_EQ(MistakesOf(wrong),
            "operator.op_desc[0].input_desc[1][0].shape: must be [3], the shape of 'z', not [2]\n");
}

TEST(Read, NumbersAreRoundedToTheirType) {
  const Graph graph = GraphOf(
      OperatorJson({"x: float16 [2]"}, {{"Mul", {"x", "0.1: float16"}, "y: float16 [2]"}}, {"y"}));
  EXPECT_EQ(graph.operations[0].inputs[1].number, 0.0999755859375);
}

TEST(Read, HintsChangeNothing) {
  json text = Sum();
  text["parallel_fusion"] = {{"fusion_type", "block_fusion"}};
  text["buffer_stitch"] = json::object();
  text["op_desc"][0]["attr"] = {{{"name", "parallel_fusion_type"}, {"value", "block_fusion"}}};
  EXPECT_EQ(MistakesOf(text), "");
}

/// y = OPERATION(a, b).
json Product(const std::string& name, const std::string& a, const std::string& b,
             const std::string& y, const json& attributes = json::object()) {
  return OperatorJson({"a: " + a, "b: " + b}, {{name, {"a", "b"}, "y: " + y, attributes}}, {"y"});
}

Attributes ProductAttributes(const std::string& name, const std::string& a, const std::string& b,
                             const std::string& y, const json& attributes = json::object()) {
  return GraphOf(Product(name, a, b, y, attributes)).operations.front().attributes;
}

TEST(Read, ProductsOfMatricesMayBeTransposed) {
  Attributes read =
      ProductAttributes("MatMul", "float16 [4, 6]", "float16 [6, 5]", "float16 [4, 5]");
  EXPECT_FALSE(read.transpose_a);
  EXPECT_FALSE(read.transpose_b);
  read = ProductAttributes("MatMul", "float16 [6, 4]", "float16 [6, 5]", "float16 [4, 5]",
                           {{"Akg", true},
                            {"dst_type", "float16"},
                            {"left_format", "DefaultFormat"},
                            {"right_format", "DefaultFormat"},
                            {"transpose_a", true},
                            {"transpose_b", false},
                            {"transpose_x1", true},
                            {"transpose_x2", false}});
  EXPECT_TRUE(read.transpose_a);
  EXPECT_FALSE(read.transpose_b);
  read = ProductAttributes("BatchMatMul", "int32 [2, 3, 4, 6]", "int32 [2, 3, 5, 6]",
                           "int32 [2, 3, 4, 5]", {{"transpose_x2", true}});
  EXPECT_FALSE(read.transpose_a);
  EXPECT_TRUE(read.transpose_b);
}

TEST(Read, ConvolutionsHaveChannelsLastOrFirst) {
  Attributes read = ProductAttributes("Conv2D", "float16 [2, 7, 9, 3]", "float16 [4, 3, 3, 3]",
                                      "float16 [2, 3, 4, 4]",
                                      {{"stride", {1, 1, 2, 2}},
                                       {"format", "NCHW"},
                                       {"groups", 1},
                                       {"group", 1},
                                       {"kernel_size", {3, 3}},
                                       {"mode", 1},
                                       {"out_channel", 4},
                                       {"pad_mode", "same"},
                                       {"dst_type", "float16"}});
  EXPECT_FALSE(read.channels_first);
  EXPECT_EQ(read.stride, (Shape{2, 2}));
  EXPECT_EQ(read.dilation, (Shape{1, 1}));
  EXPECT_EQ(read.head, (Shape{0, 0}));
  EXPECT_EQ(read.tail, (Shape{0, 0}));
  // Zeros above, below, to the left and to the right: the frame's own numbers count.
  read = ProductAttributes(
      "Conv2D", "float32 [1, 3, 6, 5]", "float32 [4, 3, 3, 2]", "float32 [1, 4, 5, 7]",
      {{"dilation", {2, 1}}, {"pad_list", {2, 1, 0, 3}}, {"pad", {0, 0, 0, 0}}});
  EXPECT_TRUE(read.channels_first);
  EXPECT_EQ(read.stride, (Shape{1, 1}));
  EXPECT_EQ(read.dilation, (Shape{2, 1}));
  EXPECT_EQ(read.head, (Shape{2, 0}));
  EXPECT_EQ(read.tail, (Shape{1, 3}));
  // Where both fit, channels are last.
  read = ProductAttributes("Conv2D", "float32 [1, 3, 3, 3]", "float32 [1, 3, 3, 3]",
                           "float32 [1, 1, 1, 1]", {{"stride", {1, 2, 3, 1}}});
  EXPECT_FALSE(read.channels_first);
  EXPECT_EQ(read.stride, (Shape{2, 3}));
}

// ---- messages ----

TEST(Mistakes, OfJson) {
  EXPECT_EQ(
      MistakesOf(std::string("{\"a\": ")),
      "no JSON: line 1, column 7: syntax error while parsing value - unexpected end of input; "
      "expected '[', '{', or a literal\n");
  EXPECT_EQ(MistakesOf(std::string("[1]")),
            "must be an object that describes an operator, not a list\n");
  EXPECT_EQ(MistakesOf(std::string("{}")),
            "op_desc: must be a list, not absent\noutput_desc: must be a list, not absent\n");
  json text = Sum();
  text["op_desc"][1]["name"] = 7;
  EXPECT_EQ(MistakesOf(text), "op_desc[1].name: must be a text, not 7\n");
  text = Sum();
  text["input_desc"][0] = "x";
  EXPECT_NE(MistakesOf(text).find("input_desc[0]: must be a list, not the text 'x'\n"),
            std::string::npos);
  text = Sum();
  text["input_desc"][1][0]["shape"][0] = 2.5;
  EXPECT_EQ(MistakesOf(text), "input_desc[1][0].shape[0]: must be a whole number, not 2.5\n");
  text["input_desc"][1][0]["shape"][0] = 18446744073709551615u;
  EXPECT_EQ(MistakesOf(text),
            "input_desc[1][0].shape[0]: must be a whole number, not 18446744073709551615\n");
}

TEST(Mistakes, OfOperators) {
  json text = Sum();
  text["op_desc"][1]["name"] = "Exq";
  EXPECT_EQ(MistakesOf(text), "op_desc[1].name: there is no operator 'Exq'; did you mean 'Exp'?\n");
  text["op_desc"][1]["name"] = "Custom";
  EXPECT_EQ(MistakesOf(text),
            "op_desc[1].name: Custom, a function that is written elsewhere, is not supported "
            "inside of a fused operator\n");
  EXPECT_EQ(ReadOperator(text.dump()).mistakes.front().reason, "operator Custom");
  EXPECT_TRUE(ReadOperator(text.dump()).is_parsed());
  text["op_desc"][1]["name"] = "Sub";
  EXPECT_EQ(MistakesOf(text), "op_desc[1].input_desc: Sub takes 2 operands, not 1\n");
}

TEST(Mistakes, OfTensors) {
  json text = Sum();
  std::swap(text["op_desc"][0], text["op_desc"][1]);
  EXPECT_EQ(MistakesOf(text),
            "op_desc[0].input_desc[0][0].tensor_name: 's' is read before op_desc[1] writes it: "
            "operations must stand in their order\n");
  text = Sum();  // A cycle.
  text["op_desc"][0]["input_desc"][0][0]["tensor_name"] = "y";
  EXPECT_EQ(MistakesOf(text),
            "op_desc[0].input_desc[0][0].tensor_name: 'y' is read before op_desc[1] writes it: "
            "operations must stand in their order\n");
  text = Sum();
  text["op_desc"][0]["input_desc"][1][0]["tensor_name"] = "zz";
  EXPECT_EQ(MistakesOf(text),
            "op_desc[0].input_desc[1][0].tensor_name: there is no tensor 'zz': it must be in "
            "input_desc, or an operation before this one must write it; did you mean 'z'?\n");
  text = Sum();
  text["op_desc"][1]["output_desc"][0]["tensor_name"] = "s";
  EXPECT_EQ(MistakesOf(text),
            "op_desc[1].output_desc[0].tensor_name: there is a tensor 's' already: each is written "
            "once\noutput_desc[0].tensor_name: no operation writes 'y'; did you mean 'x'?\n");
  text = Sum();
  text["output_desc"][0]["tensor_name"] = "yy";
  EXPECT_EQ(MistakesOf(text),
            "output_desc[0].tensor_name: no operation writes 'yy'; did you mean 'y'?\n");
  text["output_desc"][0] = text["input_desc"][0][0];
  EXPECT_EQ(MistakesOf(text),
            "output_desc[0].tensor_name: 'x' is an input: an operation must write "
            "an output\n");
}

TEST(Mistakes, OfShapes) {
  json text = Sum();
  text["input_desc"][1][0]["shape"] = {2};
  text["op_desc"][0]["input_desc"][1][0]["shape"] = {2};
  EXPECT_EQ(MistakesOf(text),
            "op_desc[0].input_desc[1].shape: [2] does not broadcast with [2, 3]: from the last one "
            "on, dimensions must be equal or 1\n");
  text = Sum();
  text["op_desc"][0]["output_desc"][0]["shape"] = {3, 2};
  EXPECT_EQ(MistakesOf(text),
            "op_desc[0].output_desc[0].shape: must be [2, 3], which Add makes of "
            "[2, 3] and [3], not [3, 2]\n");
  text = Sum();
  text["input_desc"][0][0]["shape"] = {2, 0};
  EXPECT_EQ(MistakesOf(text),
            "input_desc[0][0].shape: has the extent 0: a tensor without elements "
            "is not supported\n");
  text["input_desc"][0][0]["shape"] = {2, -3};
  EXPECT_EQ(MistakesOf(text), "input_desc[0][0].shape: has the extent -3; it must be 1 or more\n");
  text["input_desc"][0][0]["shape"] = {65536, 32768};
  EXPECT_EQ(MistakesOf(text),
            "input_desc[0][0].shape: [65536, 32768] has 2^31 elements or more; "
            "there may be fewer\n");
  text["input_desc"][0][0]["shape"] = {65536, 32767};
  EXPECT_EQ(MistakesOf(text),
            "op_desc[0].input_desc[0][0].shape: must be [65536, 32767], the shape "
            "of 'x', not [2, 3]\n");
  text["input_desc"][0][0]["shape"] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(MistakesOf(text), "input_desc[0][0].shape: has 9 dimensions; there may be 8\n");
}

TEST(Mistakes, OfTypes) {
  json text = Sum();
  text["op_desc"][0]["input_desc"][1][0]["data_type"] = "float16";
  EXPECT_EQ(MistakesOf(text),
            "op_desc[0].input_desc[1][0].data_type: must be float32, which 'z' is, "
            "not float16\n");
  text["input_desc"][1][0]["data_type"] = "float16";
  EXPECT_EQ(MistakesOf(text),
            "op_desc[0].input_desc[1]: must be float32, as the operand before it, not float16\n");
  text["input_desc"][1][0]["data_type"] = "float";
  EXPECT_EQ(MistakesOf(text),
            "input_desc[1][0].data_type: unknown type 'float'; legal: float64, float32, float16, "
            "bfloat16, float8_e4m3fn, float8_e5m2, int64, int32, uint32, int8, bool\n");
  text["input_desc"][1][0]["data_type"] = "uint8";
  EXPECT_EQ(MistakesOf(text),
            "input_desc[1][0].data_type: elements of type uint8 are not supported\n");
  EXPECT_EQ(MistakesOf(OperatorJson({"x: int32 [2]"}, {{"Exp", {"x"}, "y: int32 [2]"}}, {"y"})),
            "op_desc[0].input_desc[0]: Exp takes floats, not int32\n");
  EXPECT_EQ(
      MistakesOf(OperatorJson({"x: int32 [2]"}, {{"Less", {"x", "x"}, "y: int32 [2]"}}, {"y"})),
      "op_desc[0].output_desc[0]: must be bool, which Less yields, not int32\n");
  EXPECT_EQ(MistakesOf(OperatorJson({"x: int32 [2]"}, {{"Select", {"x", "x", "x"}, "y: int32 [2]"}},
                                    {"y"})),
            "op_desc[0].input_desc[0]: must be bool, the condition of Select, not int32\n");
  EXPECT_EQ(MistakesOf(OperatorJson({"x: int32 [2]"},
                                    {{"Add", {"x", "1.5: int32"}, "y: int32 [2]"}}, {"y"})),
            "op_desc[0].input_desc[1][0].value: must be a whole number from -2147483648 to "
            "2147483647, not 1.5\n");
}

/// Of y = OPERATION(x), x being [2, 3] and y as it says.
std::string OfAttributes(const std::string& name, const std::string& shape,
                         const json& attributes) {
  return MistakesOf(OperatorJson({"x: float32 [2, 3]"},
                                 {{name, {"x"}, "y: float32 " + shape, attributes}}, {"y"}));
}

TEST(Mistakes, OfAttributes) {
  EXPECT_EQ(OfAttributes("ReduceSum", "[2]", {{"axis", 2}}),
            "op_desc[0].attr[0].value: 2 is none of 2 dimensions: it must be -2 to 1\n");
  EXPECT_EQ(OfAttributes("ReduceSum", "[2]", {{"axis", {1, -1}}}),
            "op_desc[0].attr[0].value: axis 1 stands here twice\n");
  EXPECT_EQ(OfAttributes("ReduceSum", "[2]", json::object()),
            "op_desc[0].attr: ReduceSum needs the attribute 'axis'\n");
  EXPECT_EQ(OfAttributes("ReduceSum", "[2, 1]", {{"axis", 1}}),
            "op_desc[0].output_desc[0].shape: must be [2], which ReduceSum makes of [2, 3], not "
            "[2, 1]\n");
  EXPECT_EQ(OfAttributes("ReduceSum", "[2, 1]", {{"axis", 1}, {"keep_dims", 1}}),
            "op_desc[0].attr[1].value: must be true or false, not 1\n");
  EXPECT_EQ(OfAttributes("ReduceSum", "[2]", {{"axes", 1}}),
            "op_desc[0].attr[0].name: ReduceSum has no attribute 'axes'; did you mean 'axis'?\n");
  EXPECT_EQ(OfAttributes("Transpose", "[3, 2]", {{"perm", {1, 1}}}),
            "op_desc[0].attr[0].value: must name each of 2 dimensions once, not [1, 1]\n");
  EXPECT_EQ(OfAttributes("Transpose", "[2, 3]", {{"perm", {1, 0}}}),
            "op_desc[0].output_desc[0].shape: must be [3, 2], which Transpose makes of [2, 3], not "
            "[2, 3]\n");
  EXPECT_EQ(OfAttributes("Reshape", "[7]", {{"shape", {7}}}),
            "op_desc[0].output_desc[0].shape: [7] has 7 elements, and [2, 3] has 6: Reshape keeps "
            "their number\n");
  EXPECT_EQ(
      OfAttributes("Reshape", "[6]", {{"shape", {5}}}),
      "op_desc[0].attr[0].value: must be [6], the shape of the output, or -1 in the place of an "
      "extent, not [5]\n");
  EXPECT_EQ(
      OfAttributes("BroadcastTo", "[4, 3]", {{"shape", {4, 3}}}),
      "op_desc[0].output_desc[0].shape: [2, 3] does not broadcast to [4, 3]: from the last one "
      "on, its dimensions must be equal or 1\n");
  EXPECT_EQ(OfAttributes("PadAkg", "[3, 3]", {{"head", {1}}, {"tail", {0, 0}}}),
            "op_desc[0].attr[0].value: must have 2 numbers, one for each dimension, not 1\n");
  EXPECT_EQ(OfAttributes("UnPadAkg", "[1, 3]", {{"tail", {2, 0}}}),
            "op_desc[0].attr[0].value: nothing is left of dimension 0, which has 2\n");
  EXPECT_EQ(OfAttributes("Tile", "[2, 0]", {{"multiples", {1, 0}}}).substr(0, 55),
            "op_desc[0].output_desc[0].shape: has the extent 0: a te");
  EXPECT_EQ(OfAttributes("Tile", "[2, 3]", {{"multiples", {1, 0}}}),
            "op_desc[0].attr[0].value: 0 is out of range: it must be 1 or more, and less than "
            "2147483648\n");
  EXPECT_EQ(OfAttributes("Squeeze", "[3]", {{"axis", 0}}),
            "op_desc[0].attr[0].value: dimension 0 of [2, 3] has more than one element\n");
  EXPECT_EQ(OfAttributes("Cast", "[2, 3]", {{"dst_type", "int32"}}),
            "op_desc[0].attr[0].value: must be float32, the type of the output, not 'int32'\n");
}

TEST(Mistakes, OfProductsOfMatrices) {
  const auto of = [](const json& attributes) {
    return MistakesOf(
        Product("MatMul", "float16 [4, 6]", "float16 [6, 5]", "float16 [4, 5]", attributes));
  };
  EXPECT_EQ(of({{"left_format", "FRACTAL_NZ"}}),
            "op_desc[0].attr[0].value: matrices lie row by row, DefaultFormat, and not as "
            "FRACTAL_NZ\n");
  const json blocks = Product("BatchMatMul", "float16 [4, 6]", "float16 [6, 5]", "float16 [4, 5]",
                              {{"right_format", "FRACTAL_NZ"}});
  EXPECT_EQ(ReadOperator(blocks.dump()).mistakes.front().reason, "right_format of BatchMatMul");
  EXPECT_TRUE(ReadOperator(blocks.dump()).is_parsed());
  EXPECT_EQ(of({{"transpose_a", false}, {"transpose_x1", true}}),
            "op_desc[0].attr[1].value: must be what 'transpose_a' is\n");
  EXPECT_EQ(of({{"transpose_b", 1}}), "op_desc[0].attr[0].value: must be true or false, not 1\n");
  EXPECT_EQ(of({{"dst_type", "float32"}}),
            "op_desc[0].attr[0].value: must be float16, the type of the output, not 'float32'\n");
  EXPECT_EQ(of({{"transpose_a", true}}),
            "op_desc[0].input_desc[1].shape: [4, 6], transposed, has no product with [6, 5]\n");
  EXPECT_EQ(of({{"transpose_b", true}}),
            "op_desc[0].input_desc[1].shape: [4, 6] has no product with [6, 5], transposed\n");
  EXPECT_EQ(
      MistakesOf(Product("MatMul", "float16 [4, 6]", "float16 [6, 5]", "float16 [5, 4]")),
      "op_desc[0].output_desc[0].shape: must be [4, 5], which MatMul makes of [4, 6] and [6, 5], "
      "not [5, 4]\n");
  EXPECT_EQ(
      MistakesOf(Product("MatMul", "float16 [1, 4, 6]", "float16 [1, 6, 5]", "float16 [1, 4, 5]")),
      "op_desc[0].input_desc[0].shape: MatMul takes matrices, not [1, 4, 6]\n");
  EXPECT_EQ(
      MistakesOf(
          Product("BatchMatMul", "float16 [2, 4, 6]", "float16 [6, 5]", "float16 [2, 4, 5]")),
      "op_desc[0].input_desc[1].shape: BatchMatMul takes matrices, as many of both, not [6, 5]\n");
  EXPECT_EQ(MistakesOf(Product("BatchMatMul", "float16 [2, 4, 6]", "float16 [3, 6, 5]",
                               "float16 [2, 4, 5]")),
            "op_desc[0].input_desc[1].shape: [2, 4, 6] has no product with [3, 6, 5]\n");
  EXPECT_EQ(MistakesOf(Product("MatMul", "float16 [4, 6]", "float16 [6, 5]", "float32 [4, 5]")),
            "");
  EXPECT_EQ(MistakesOf(Product("MatMul", "float16 [4, 6]", "float16 [6, 5]", "int32 [4, 5]")),
            "op_desc[0].output_desc[0]: must be float16, which MatMul yields, not int32\n");
  EXPECT_EQ(MistakesOf(Product("MatMul", "bool [4, 6]", "bool [6, 5]", "bool [4, 5]")),
            "op_desc[0].input_desc[0]: MatMul takes numbers, not bool\n");
}

TEST(Mistakes, OfConvolutions) {
  const auto json_of = [](const json& attributes) {
    return Product("Conv2D", "float16 [2, 7, 9, 3]", "float16 [4, 3, 3, 3]", "float16 [2, 5, 7, 4]",
                   attributes);
  };
  const auto of = [&](const json& attributes) { return MistakesOf(json_of(attributes)); };
  EXPECT_EQ(of(json::object()), "");
  for (const std::string name : {"groups", "group"}) {
    const json groups = json_of({{name, 2}});
    EXPECT_EQ(MistakesOf(groups),
              "op_desc[0].attr[0].value: a convolution of 2 groups is not supported\n");
    EXPECT_EQ(ReadOperator(groups.dump()).mistakes.front().reason, name + " of Conv2D");
    EXPECT_TRUE(ReadOperator(groups.dump()).is_parsed());
  }
  EXPECT_EQ(of({{"stride", {1, 1, 2}}}),
            "op_desc[0].attr[0].value: must be two numbers from 1 on, of rows and columns, or four "
            "with ones for images and channels, not [1, 1, 2]\n");
  EXPECT_EQ(of({{"dilation", {0, 1}}}),
            "op_desc[0].attr[0].value: must be two numbers from 1 on, of rows and columns, or four "
            "with ones for images and channels, not [0, 1]\n");
  EXPECT_EQ(of({{"pad", {0, 0, -1, 0}}}),
            "op_desc[0].attr[0].value: must be four numbers from 0 on, rows before and behind the "
            "image and columns before and behind it, not [0, 0, -1, 0]\n");
  EXPECT_EQ(of({{"mode", 0}}),
            "op_desc[0].attr[0].value: a convolution of mode 0 is not supported; 1 is the sum of "
            "products of windows with the filter as it lies\n");
  EXPECT_EQ(of({{"kernel_size", {2, 3}}}),
            "op_desc[0].input_desc[1].shape: [4, 3, 3, 3] is no filter for [2, 7, 9, 3]: NHWC and "
            "KRSC, or NCHW and KCRS\n");
  EXPECT_EQ(of({{"dst_type", "float32"}}),
            "op_desc[0].attr[0].value: must be float16, the type of the output, not 'float32'\n");
  EXPECT_EQ(of({{"stride", {2, 2}}}),
            "op_desc[0].output_desc[0].shape: must be [2, 3, 4, 4], which Conv2D makes of "
            "[2, 7, 9, 3] and [4, 3, 3, 3], not [2, 5, 7, 4]\n");
  // Taps that reach farther than the image.
  EXPECT_EQ(of({{"dilation", {4, 1}}}),
            "op_desc[0].input_desc[1].shape: [4, 3, 3, 3] is no filter for [2, 7, 9, 3]: NHWC and "
            "KRSC, or NCHW and KCRS\n");
  EXPECT_EQ(MistakesOf(Product("Conv2D", "float16 [2, 7, 9, 3]", "float16 [4, 3, 3, 2]",
                               "float16 [2, 5, 7, 4]")),
            "op_desc[0].input_desc[1].shape: [4, 3, 3, 2] is no filter for [2, 7, 9, 3]: NHWC and "
            "KRSC, or NCHW and KCRS\n");
  EXPECT_EQ(MistakesOf(Product("Conv2D", "float16 [2, 7, 9, 3]", "float16 [3, 3, 3]",
                               "float16 [2, 5, 7, 4]")),
            "op_desc[0].input_desc[1].shape: Conv2D takes four dimensions, not [3, 3, 3]\n");
}

TEST(Mistakes, OfAssignments) {
  const std::vector<std::string> inputs = {"p: float32 [2]", "x: float32 [2]", "z: float32 [3]"};
  EXPECT_EQ(MistakesOf(OperatorJson(inputs, {{"Assign", {"p", "z"}, "f: float32 [2]"}}, {"f"})),
            "op_desc[0].input_desc[1].shape: must be [2], the shape of what it is assigned to, not "
            "[3]\n");
  EXPECT_EQ(
      MistakesOf(OperatorJson(
          inputs, {{"Exp", {"x"}, "a: float32 [2]"}, {"Assign", {"a", "x"}, "f: float32 [2]"}},
          {"f"})),
      "op_desc[1].input_desc[0][0].tensor_name: 'a' is assigned to, and must be in input_desc\n");
  EXPECT_EQ(MistakesOf(OperatorJson(inputs,
                                    {{"Assign", {"p", "x"}, "f: float32 [2]"},
                                     {"Assign", {"p", "x"}, "g: float32 [2]"}},
                                    {"f"})),
            "op_desc[1].input_desc[0][0].tensor_name: 'p' is assigned to twice\n");
}

// What hides behind a mistake is not another one.
TEST(Mistakes, DoNotCascade) {
  json text = Sum();
  text["op_desc"][0]["name"] = "Custom";
  EXPECT_EQ(ReadOperator(text.dump()).mistakes.size(), 1u);
  text = Sum();
  text["input_desc"][0][0]["data_type"] = "uint8";
  EXPECT_EQ(ReadOperator(text.dump()).mistakes.size(), 1u);
}

TEST(Batch, CountsByNetworkAndReason) {
  CountsByNetwork counts;
  const auto count = [&](const std::string& network, const json& text) {
    const json line = {{"network", network}, {"operator", text}};
    counts[network].Count(ReadOperator(line.dump()));
  };
  json custom = Sum(), wrong = Sum();
  custom["op_desc"][1]["name"] = "Custom";
  wrong["op_desc"][0]["output_desc"][0]["shape"] = {3, 2};
  count("lenet", Sum());
  count("lenet", custom);
  count("vgg16", Sum());
  count("vgg16", wrong);
  counts["vgg16"].Count(ReadOperator("{"));
  EXPECT_EQ(TextOf(counts),
            "network operators  parsed accepted refused malformed\n"
            "lenet           2       2        1       1         0\n"
            "vgg16           3       1        1       0         2\n"
            "all             5       3        2       1         2\n"
            "refused for operator Custom: 1\n"
            "malformed for malformed JSON: 1\n"
            "malformed for shapes: 1\n");
}

}  // namespace
}  // namespace exh::kernels::fused
