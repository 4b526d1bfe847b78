// SPDX-License-Identifier: MIT
#include "search/exchange/launch/specified_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "load/json_data.h"
#include "search/exchange/launch/specified_arguments.h"
#include "search/exchange/launch/specified_terms.h"

namespace exh::search {
namespace {

constexpr std::size_t kAxes = 3;
constexpr std::array<const char*, kAxes> kAxisNames = {"X", "Y", "Z"};
constexpr const char* kAt = "KernelSpecification";
/// Words of the format.
constexpr std::string_view kLanguage = "CUDA", kOfBlocks = "CUDA", kOfThreads = "OpenCL";

/// The keys of a launch file a line each, and of its lists of objects each object.
std::string LinesOf(const Json& launch) {
  std::string text;
  for (const auto& [key, value] : launch.items()) {
    text += fmt::format("{} {}: ", text.empty() ? "{" : ",\n", Json(key).dump());
    if (!value.is_array() || value.empty() || !value.front().is_object()) {
      text += value.dump();
      continue;
    }
    for (const Json& one : value) {
      text += fmt::format("{}{}", &one == &value.front() ? "[\n    " : ",\n    ", one.dump());
    }
    text += "]";
  }
  return text + "}\n";
}

/// An extent, and where the file says it.
struct Axis {
  PythonNode extent;
  std::string place;
};

class SpecificationReader {
 public:
  SpecificationReader(const std::string& text, const std::string& path,
                      const TuningProblem& problem)
      : data_(text, path),
        folder_(std::filesystem::path(path).parent_path().generic_string()),
        problem_(problem),
        terms_(problem) {
    const Json* const found = data_.Find(kAt);
    if (found == nullptr) data_.Fail(kAt, "it is missing: --launch is made of it");
    data_.ExpectObject(*found, kAt, "the kernel and its arguments");
    specification_ = *found;
  }

  SpecifiedLaunch Read() {
    NameUnread();
    const std::string written_in = Text("Language", "the language of the kernel");
    if (written_in != kLanguage) {
      data_.Fail(Place("Language"), fmt::format("'{}': --cuda runs kernels in CUDA", written_in));
    }
    made_.entry = Text("KernelName", "the name of the kernel");
    made_.kernel_file = Beside(Text("KernelFile", "the file of the kernel"));
    ReadProblemSize();
    const std::vector<Axis> block = Block();
    Json launch = Json::object();
    launch["grid"] = ListOf(Grid(block));
    launch["block"] = ListOf(block);
    if (const Json* const shared = Find("SharedMemory")) {
      const Json bytes = AtPlace(data_, Place("SharedMemory"),
                                 [&] { return terms_.TermOf(terms_.Read(*shared)); });
      if (bytes != 0) launch["shared"] = bytes;
    }
    const Json* const arguments = Find("Arguments");
    if (arguments == nullptr) data_.Fail(Place("Arguments"), "it is missing");
    SpecifiedArguments taken = ArgumentsOf(data_, *arguments, Place("Arguments"), terms_, folder_);
    launch["arguments"] = std::move(taken.arguments);
    if (!taken.constants.empty()) launch["constants"] = std::move(taken.constants);
    made_.notes.insert(made_.notes.end(), taken.notes.begin(), taken.notes.end());
    if (Json options = Options(); !options.empty()) launch["options"] = std::move(options);
    if (Json usual = Usual(); !usual.empty()) launch["default"] = std::move(usual);
    made_.text = LinesOf(launch);
    return std::move(made_);
  }

 private:
  static std::string Place(const std::string& key) { return fmt::format("{}.{}", kAt, key); }

  /// Null: it is not there, or null.
  const Json* Find(const std::string& key) const {
    const auto found = specification_.find(key);
    return found == specification_.end() || found->is_null() ? nullptr : &*found;
  }
  std::string Text(const std::string& key, const std::string& what) const {
    const Json* const found = Find(key);
    if (found == nullptr) data_.Fail(Place(key), fmt::format("it is missing, {}", what));
    return data_.Text(*found, Place(key), what);
  }
  std::string Beside(const std::string& file) const {
    return (std::filesystem::path(folder_) / file).generic_string();
  }

  void NameUnread() {
    constexpr auto kRead = std::to_array<std::string_view>(
        {"Language", "KernelName", "KernelFile", "ProblemSize", "LocalSize", "GlobalSize",
         "GlobalSizeType", "GridDivX", "GridDivY", "GridDivZ", "SharedMemory", "Arguments",
         "CompilerOptions", "BenchmarkName"});
    for (const auto& [key, value] : specification_.items()) {
      if (value.is_null() || std::ranges::find(kRead, key) != kRead.end()) continue;
      made_.notes.push_back(key == "ReferenceArguments"
                                ? Place(key) +
                                      " is not read: results are compared with those of the default"
                                : Place(key) + " is not read");
    }
  }

  void ReadProblemSize() {
    const Json* const found = Find("ProblemSize");
    if (found == nullptr) return;
    const std::string place = Place("ProblemSize");
    const Json list = found->is_array() ? *found : Json::array({*found});
    if (list.empty() || list.size() > kAxes) {
      data_.Fail(place, fmt::format("one to three sizes are wanted, not {}", list.size()));
    }
    PythonList numbers;
    data_.ForEach(list, place, [&](const Json& json, const std::string& path) {
      problem_size_.push_back(AxisOf(json, path));
      if (const auto number = SpecifiedTerms::NumberOf(problem_size_.back().extent)) {
        numbers.push_back(*number);
      }
    });
    if (numbers.size() == problem_size_.size()) terms_.SetProblemSize(numbers);
  }

  Axis AxisOf(const Json& expression, const std::string& place) const {
    return {AtPlace(data_, place, [&] { return terms_.Read(expression); }), place};
  }

  /// What an object {"X": …, "Y": …} says of each axis; what is missing is 1.
  std::vector<Axis> AxesOf(const Json& json, const std::string& key) const {
    data_.ExpectObject(json, Place(key), R"({"X": "block_size_x"})");
    for (const auto& [axis, value] : json.items()) {
      if (std::ranges::find(kAxisNames, axis) == kAxisNames.end()) {
        data_.Fail(Place(key), fmt::format("'{}' is no axis; X, Y and Z are", axis));
      }
    }
    std::vector<Axis> axes;
    for (const char* const axis : kAxisNames) {
      const auto found = json.find(axis);
      const bool is_there = found != json.end() && !found->is_null();
      axes.push_back(AxisOf(is_there ? *found : Json(1), fmt::format("{}.{}", Place(key), axis)));
    }
    return axes;
  }

  /// Without LocalSize the parameters that Kernel Tuner takes for it.
  std::vector<Axis> Block() const {
    if (const Json* const local = Find("LocalSize")) return AxesOf(*local, "LocalSize");
    std::vector<Axis> axes;
    for (const char* const name : {"block_size_x", "block_size_y", "block_size_z"}) {
      const bool is_there = std::ranges::any_of(
          problem_.parameters, [&](const TuningParameter& one) { return one.name == name; });
      if (!is_there && axes.empty()) {
        data_.Fail(Place("LocalSize"), "it is missing, and there is no parameter 'block_size_x'");
      }
      axes.push_back(AxisOf(is_there ? Json(name) : Json(1), Place("LocalSize")));
    }
    return axes;
  }

  Axis Divided(const Axis& size, const std::vector<PythonNode>& divisors,
               const std::string& place) const {
    return {AtPlace(data_, place, [&] { return SpecifiedTerms::RatioUp(size.extent, divisors); }),
            place};
  }

  std::vector<Axis> Grid(const std::vector<Axis>& block) const {
    return problem_size_.empty() ? GridOfGlobalSize(block) : GridOfProblemSize(block);
  }

  std::vector<Axis> GridOfGlobalSize(const std::vector<Axis>& block) const {
    const Json* const global = Find("GlobalSize");
    if (global == nullptr) {
      data_.Fail(Place("GlobalSize"), "it is missing, and so is ProblemSize");
    }
    std::vector<Axis> grid = AxesOf(*global, "GlobalSize");
    if (Find("GlobalSizeType") == nullptr) return grid;
    const std::string type = Text("GlobalSizeType", "what is counted");
    if (type == kOfBlocks) return grid;
    if (type != kOfThreads) {
      data_.Fail(
          Place("GlobalSizeType"),
          fmt::format("'{}'; {} (blocks) and {} (threads) are known", type, kOfBlocks, kOfThreads));
    }
    for (std::size_t i = 0; i < kAxes; ++i) {
      grid[i] = Divided(grid[i], {block[i].extent}, grid[i].place);
    }
    return grid;
  }

  std::vector<Axis> GridOfProblemSize(const std::vector<Axis>& block) const {
    std::vector<Axis> grid;
    for (std::size_t i = 0; i < kAxes; ++i) {
      const std::string key = fmt::format("GridDiv{}", kAxisNames[i]);
      const Json* const named = Find(key);
      if (i >= problem_size_.size()) {
        if (named != nullptr && !named->empty()) {
          data_.Fail(Place(key), "ProblemSize has no such axis");
        }
        continue;
      }
      std::vector<PythonNode> divisors;
      if (named == nullptr) {
        divisors.push_back(block[i].extent);
      } else {
        data_.ForEach(*named, Place(key), [&](const Json& json, const std::string& path) {
          divisors.push_back(AxisOf(json, path).extent);
        });
      }
      grid.push_back(Divided(problem_size_[i], divisors, Place(key)));
    }
    return grid;
  }

  /// Without the axes at the end that are 1.
  Json ListOf(const std::vector<Axis>& axes) const {
    Json list = Json::array();
    for (const Axis& axis : axes) {
      list.push_back(AtPlace(data_, axis.place, [&] { return terms_.TermOf(axis.extent); }));
    }
    while (list.size() > 1 && list.back() == 1) list.erase(list.size() - 1);
    return list;
  }

  /// Without those that NVRTC does not have.
  Json Options() {
    Json options = Json::array();
    const Json* const found = Find("CompilerOptions");
    if (found == nullptr) return options;
    data_.ForEach(*found, Place("CompilerOptions"), [&](const Json& json, const std::string& path) {
      const std::string option = data_.Text(json, path, "an option of the compiler");
      const bool is_of_nvcc = std::ranges::any_of(
          std::to_array<std::string_view>(
              {"-O", "-arch", "--gpu-arch", "-gencode", "-Xptxas", "-Xcompiler", "-ccbin"}),
          [&](std::string_view one) { return option.starts_with(one); });
      if (is_of_nvcc) {
        made_.notes.push_back(
            fmt::format("{}: '{}' is left out, NVRTC has no such option", path, option));
      } else {
        options.push_back(option);
      }
    });
    return options;
  }

  /// The defaults of the parameters, where they are a configuration.
  Json Usual() {
    std::vector<PythonValue> values;
    Json usual = Json::object();
    for (const TuningParameter& parameter : problem_.parameters) {
      const bool is_only = parameter.values.size() == 1;
      if (!is_only && !parameter.usual) return Json::object();
      values.push_back(is_only ? parameter.values.front() : *parameter.usual);
      if (!is_only) usual[parameter.name] = JsonOf(values.back());
    }
    if (IsAllowed(problem_, values)) return usual;
    made_.notes.emplace_back(
        "the defaults of the parameters do not keep the restrictions, and are left out: results "
        "are compared with the first configuration");
    return Json::object();
  }

  const load::JsonData data_;
  const std::string folder_;
  const TuningProblem& problem_;
  SpecifiedTerms terms_;
  Json specification_;
  std::vector<Axis> problem_size_;
  SpecifiedLaunch made_;
};

}  // namespace

SpecifiedLaunch LaunchOfProblem(const std::string& text, const std::string& path,
                                const TuningProblem& problem) {
  return SpecificationReader(text, path, problem).Read();
}

}  // namespace exh::search
