// SPDX-License-Identifier: MIT
//
// The kernel of a tuning problem as a launch file: what comes of each part, and what is refused
// with its place.
#include "search/exchange/launch/specified_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "search/own/launch_file.h"

namespace exh::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A convolution as the field has it.
Json Problem() {
  return Json::parse(R"x({
    "ConfigurationSpace": {
      "TuningParameters": [
        {"Name": "block_size_x", "Type": "int", "Values": "[16, 32]", "Default": 32},
        {"Name": "block_size_y", "Type": "int", "Values": "[1, 2]", "Default": 2},
        {"Name": "Tile", "Type": "int", "Values": "[1, 2, 3]", "Default": 3},
        {"Name": "width", "Type": "int", "Values": "[15]", "Default": 15},
        {"Name": "mode", "Type": "string", "Values": "['a', 'b']", "Default": "b"}],
      "Conditions": []},
    "KernelSpecification": {
      "Language": "CUDA", "KernelName": "conv", "KernelFile": "conv.cu",
      "CompilerOptions": ["-std=c++17", "-O3"],
      "LocalSize": {"X": "block_size_x", "Y": "block_size_y", "Z": "1"},
      "GridDivX": ["block_size_x", "Tile"],
      "ProblemSize": [4096, 2048], "SharedMemory": 0, "Stream": null,
      "Arguments": [
        {"Name": "out", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "FillType": "Constant",
         "Size": "ProblemSize[0]*ProblemSize[1]", "FillValue": 0.0, "Output": 1},
        {"Name": "in", "Type": "float4", "MemoryType": "Vector", "AccessType": "ReadOnly", "FillType": "Random",
         "Size": "(ProblemSize[0]+max(width)-1) // 3", "FillValue": 1.0},
        {"Name": "weights", "Type": "uint16", "MemoryType": "Vector", "MemType": "Constant", "FillType": "Constant",
         "Size": "width * max(Tile)", "FillValue": 7},
        {"Name": "scale", "Type": "double", "MemoryType": "Scalar", "FillValue": 0.5},
        {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": "ProblemSize[0] * Tile"}]}})x");
}

SpecifiedLaunch LaunchOf(const Json& json, const std::string& path = "dir/conv.json") {
  const std::string text = json.dump();
  return LaunchOfProblem(text, path, ParseTuningProblem(text));
}

std::string MistakeOf(const Json& json) {
  try {
    LaunchOf(json);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(SpecifiedLaunch, IsALaunchFile) {
  const SpecifiedLaunch launch = LaunchOf(Problem());
  EXPECT_EQ(launch.kernel_file, "dir/conv.cu");
  EXPECT_EQ(launch.entry, "conv");
  EXPECT_EQ(
      launch.text,
      R"x({ "grid": ["(4096 + block_size_x() * tile() - 1) div (block_size_x() * tile())","(2048 + block_size_y() - 1) div block_size_y()"],
 "block": ["block_size_x()","block_size_y()"],
 "arguments": [
    {"name":"out","type":"f32","elements":8388608,"role":"out"},
    {"name":"in","type":"f32","elements":5480,"fill":"random"},
    {"name":"weights","type":"u16","elements":45,"fill":7},
    {"name":"scale","type":"f64","value":0.5},
    {"name":"n","type":"i32","value":"4096 * tile()"}],
 "constants": [
    {"name":"weights","type":"u16","elements":45,"fill":7}],
 "options": ["-std=c++17"],
 "default": {"block_size_x":32,"block_size_y":2,"Tile":3,"mode":"b"}}
)x");
  EXPECT_THAT(launch.notes,
              ElementsAre("KernelSpecification.CompilerOptions[1]: '-O3' is left out, NVRTC has no "
                          "such option"));
  const LaunchFile read = ParseLaunchFile(launch.text, "l.json", "");
  EXPECT_EQ(read.arguments.size(), 5u);
  EXPECT_EQ(read.constants.size(), 1u);
}

TEST(SpecifiedLaunch, TheGridIsThatOfKernelTuner) {
  const auto grid = [](const Json& changes) {
    Json json = Problem();
    json["KernelSpecification"]["Arguments"][0]["Size"] = 8;
    json["KernelSpecification"]["Arguments"][4]["FillValue"] = 8;
    json["KernelSpecification"]["Arguments"].erase(1);
    json["KernelSpecification"].merge_patch(changes);
    return Json::parse(LaunchOf(json).text).at("grid");
  };
  const Json divided = "(2048 + block_size_y() - 1) div block_size_y()";
  EXPECT_EQ(grid({{"GridDivX", Json::array()}}), Json::array({4096, divided}));
  EXPECT_EQ(grid({{"ProblemSize", 1000}, {"GridDivX", {"7", "Tile"}}}),
            Json::array({"(1000 + 7 * tile() - 1) div (7 * tile())"}));
  EXPECT_EQ(
      grid({{"ProblemSize", {100, "2 * 5", "Tile"}}, {"GridDivX", {"width"}}, {"GridDivZ", {3}}}),
      Json::array({7, "(10 + block_size_y() - 1) div block_size_y()", "(tile() + 3 - 1) div 3"}));
  const Json none = {{"ProblemSize", nullptr},
                     {"GlobalSize", {{"X", "(512 // block_size_x) // Tile"}, {"Y", 9}}}};
  EXPECT_EQ(grid(none), Json::array({"512 div block_size_x() div tile()", 9}));
  Json threads = none;
  threads["GlobalSizeType"] = "OpenCL";
  threads["GlobalSize"] = {{"X", 4096}, {"Y", "4096 * block_size_y"}};
  EXPECT_EQ(grid(threads),
            Json::array({"(4096 + block_size_x() - 1) div block_size_x()",
                         "(4096 * block_size_y() + block_size_y() - 1) div block_size_y()"}));
  threads["LocalSize"] = nullptr;
  EXPECT_EQ(grid(threads).at(0), "(4096 + block_size_x() - 1) div block_size_x()");
}

TEST(SpecifiedLaunch, WhatIsNotTakenIsNamed) {
  Json json = Problem();
  json["KernelSpecification"]["Stream"] = 1;
  json["KernelSpecification"]["ReferenceArguments"] = Json::array();
  json["KernelSpecification"]["Arguments"][1]["Shape"] = 3;
  json["KernelSpecification"]["Arguments"][1]["FillType"] = "Uninitialized";
  json["ConfigurationSpace"]["Conditions"] = {{{"Expression", "Tile < 3"}}};
  EXPECT_THAT(
      LaunchOf(json).notes,
      ElementsAre(HasSubstr("KernelSpecification.Stream"), HasSubstr("ReferenceArguments"),
                  "KernelSpecification.Arguments[1].Shape is not read",
                  HasSubstr("Arguments[1].FillType: 'Uninitialized' becomes 0"),
                  HasSubstr("CompilerOptions[1]"), HasSubstr("do not keep the restrictions")));
}

TEST(SpecifiedLaunch, MistakesHaveTheirPlace) {
  struct Case {
    const char* at;
    Json value;
    const char* says;
  };
  const std::vector<Case> cases = {
      {"/Language", "OpenCL",
       "conv.json: KernelSpecification.Language: 'OpenCL': --cuda runs kernels in CUDA"},
      {"/KernelFile", {"a.cu"}, "KernelSpecification.KernelFile: the file of the kernel is wanted"},
      {"/KernelName", nullptr, "KernelSpecification.KernelName: it is missing"},
      {"/LocalSize/X", "block_size", "LocalSize.X: column 1: unknown parameter 'block_size'"},
      {"/LocalSize/X", "block_size_x / 2", "LocalSize.X: there is no term for it: a fraction"},
      {"/LocalSize/X", "mode",
       "LocalSize.X: there is no term for it: a parameter that is no whole number"},
      {"/LocalSize/X", "open('f')", "LocalSize.X: column 1: unknown function 'open'"},
      {"/LocalSize/W", 1, "LocalSize: 'W' is no axis"},
      {"/GridDivX/0", "block_size_x - 16", "GridDivX"},
      {"/GridDivZ", {"Tile"}, "GridDivZ: ProblemSize has no such axis"},
      {"/ProblemSize", Json::array(), "one to three sizes are wanted, not 0"},
      {"/ProblemSize", nullptr, "GlobalSize: it is missing, and so is ProblemSize"},
      {"/SharedMemory", "mode", "KernelSpecification.SharedMemory"},
      {"/Arguments/0/Type", "cudaTextureObject_t",
       "Arguments[0].Type: unknown type 'cudaTextureObject_t'"},
      {"/Arguments/0/MemoryType", "Local", "Arguments[0].MemoryType: 'Local'"},
      {"/Arguments/0/Size", "Tile * 4",
       "Arguments[0].Size: it depends on the parameter 'Tile', which has 3 values"},
      {"/Arguments/0/Size", "ProblemSize[2]", "Arguments[0].Size: [2] of a list of 2"},
      {"/Arguments/0/Size", "1 // 0", "Arguments[0].Size"},
      {"/Arguments/0/Size", 0, "an array of 0 elements"},
      {"/Arguments/0/Size", "__import__('os')", "Arguments[0].Size: column 1: unknown function"},
      {"/Arguments/0/AccessType", "ReadOnly", "'ReadOnly', and it is an Output"},
      {"/Arguments/1/FillType", "Generator",
       "Arguments[1].FillType: 'Generator': no code of the file is run"},
      {"/Arguments/1/FillType", "BinaryHDF", "'BinaryRaw'"},
      {"/Arguments/1/FillType", "BinaryRaw", "Arguments[1].DataSource: it is missing"},
      {"/Arguments/1/FillType", "Randm", "did you mean 'Random'?"},
      {"/Arguments/2/AccessType", "ReadWrite", "what is in constant memory is ReadOnly"},
      {"/Arguments/2/Name", nullptr, "Arguments[2].Name"},
      {"/Arguments/3/Type", "float2", "Arguments[3].Type: a scalar of float2"},
      {"/Arguments/4/FillValue", 0.5, "Arguments[4].FillValue: it is no whole number"},
      {"/Arguments/4/FillValue", nullptr, "Arguments[4].FillValue"},
  };
  for (const Case& one : cases) {
    Json json = Problem();
    json["KernelSpecification"][Json::json_pointer(one.at)] = one.value;
    EXPECT_THAT(MistakeOf(json), HasSubstr(one.says)) << one.at << " " << one.value;
  }
  Json none = Problem();
  none.erase("KernelSpecification");
  EXPECT_THAT(MistakeOf(none), HasSubstr("KernelSpecification: it is missing"));
}

/// Whatever stands anywhere in it: a launch file, or a mistake of the user's.
TEST(SpecifiedLaunch, AnythingAnywhereIsTakenOrRefused) {
  const Json flat = Problem().at("KernelSpecification").flatten();
  const std::vector<Json> others = {nullptr,
                                    true,
                                    -1,
                                    0,
                                    1e300,
                                    0.5,
                                    "",
                                    "x",
                                    "1 // 0",
                                    "'a'",
                                    "ProblemSize",
                                    "ProblemSize[0]",
                                    "block_size_x",
                                    "max(Tile)",
                                    "[1, 2][1]",
                                    "2**63",
                                    std::string(5000, '('),
                                    Json::array(),
                                    Json::object(),
                                    {1, "Tile"},
                                    {{"X", 1}},
                                    "\xff",
                                    "9223372036854775807 * 1.0",
                                    "range(3)"};
  std::size_t taken = 0, refused = 0;
  for (const auto& [at, value] : flat.items()) {
    std::vector<std::string> places = {at};
    const std::string outer = at.substr(0, at.rfind('/'));
    if (!outer.empty()) places.push_back(outer);
    for (const std::string& place : places) {
      for (const Json& other : others) {
        Json json = Problem();
        json["KernelSpecification"][Json::json_pointer(place)] = other;
        std::string text;
        try {
          const std::string dumped = json.dump(-1, ' ', false, Json::error_handler_t::replace);
          text = LaunchOfProblem(dumped, "dir/conv.json", ParseTuningProblem(dumped)).text;
        } catch (const UsageError& error) {
          EXPECT_THAT(error.what(), HasSubstr("conv.json: KernelSpecification"));
          ++refused;
          continue;
        }
        ++taken;
        EXPECT_NO_THROW(ParseLaunchFile(text, "l.json", "")) << place << " " << other << text;
      }
    }
  }
  EXPECT_GT(taken, 100u);
  EXPECT_GT(refused, 400u);
}

TEST(SpecifiedLaunch, FilesLieBesideTheProblem) {
  Json json = Problem();
  json["KernelSpecification"]["Arguments"][1]["FillType"] = "BinaryRaw";
  json["KernelSpecification"]["Arguments"][1]["DataSource"] = "data/in.bin";
  EXPECT_THAT(LaunchOf(json).text, HasSubstr(R"("file":"dir/data/in.bin")"));
  EXPECT_THAT(LaunchOf(json, "conv.json").text, HasSubstr(R"("file":"data/in.bin")"));
  EXPECT_EQ(LaunchOf(json, "conv.json").kernel_file, "conv.cu");
  json["KernelSpecification"]["Arguments"][2]["MemoryType"] = "Symbol";
  const Json launch = Json::parse(LaunchOf(json).text);
  EXPECT_EQ(launch.at("arguments").size(), 4u);
  EXPECT_EQ(launch.at("constants").size(), 1u);
}

}  // namespace
}  // namespace exh::search
