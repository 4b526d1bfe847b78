// SPDX-License-Identifier: MIT
#include "search/tune/status/fleet_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "search/log/event_log.h"
#include "search/log/run_folder.h"
#include "search/tune/status/yardstick_means.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Json = nlohmann::json;

TuneShape Shape(const std::string& kernel, SizeList sizes) {
  TuneShape shape;
  shape.kernel = kernel;
  shape.name = kernel;
  for (const auto& [name, value] : sizes) shape.name += "-" + name + value;
  shape.sizes = std::move(sizes);
  return shape;
}

ReferenceRecord Reference(const std::string& name, double ns, double spread = 0.01) {
  ReferenceRecord record;
  record.name = name;
  record.verdict = kernels::Verdict::kCorrect;
  record.lo_ns = ns * (1 - spread);
  record.median_ns = ns;
  record.hi_ns = ns * (1 + spread);
  return record;
}

class Status : public testing::Test {
 protected:
  Status() : folder_(temporary_ / "fleet") {
    folder_.Make();
    options_.budgets = {"60s"};
  }

  /// A log of a shape whose best takes so long; with what it was measured against it has an end.
  void Log(const TuneShape& shape, double ns,
           const std::vector<ReferenceRecord>& references) const {
    MakeFolder(folder_.RunOf(shape));
    EventLog log(folder_.LogOf(shape));
    RunRecord run;
    run.tool = "search 0.1.0";
    run.kernel = shape.kernel;
    run.device = "cpu";
    run.limits = {{"model", "\"EPYC\""}};
    run.words = {{"type", "f16"}};
    run.flops = 2000;
    log.Write(run);
    for (std::uint64_t n = 1; n <= 3; ++n) {
      EvalRecord eval;
      eval.n = n;
      eval.dt = 2.0 * static_cast<double>(n);
      eval.verdict = n == 2 && ns > 0 ? kernels::Verdict::kCorrect : kernels::Verdict::kWrong;
      eval.best_ns = n == 2 ? ns : 0;
      eval.bound_ns = ns / 2;
      log.Write(eval);
      if (eval.verdict != kernels::Verdict::kCorrect) continue;
      BestRecord best;
      best.n = n;
      best.ns = ns;
      log.Write(best);
    }
    if (references.empty()) return;
    for (const ReferenceRecord& reference : references) log.Write(reference);
    EndRecord end;
    end.why = "budget:time";
    end.dt = 8;
    end.evaluations = 3;
    end.tree = "c0ffee";  // Only a search with a tree has a bound.
    end.bound_ns = ns / 4;
    log.Write(end);
  }

  Json Read() const {
    folder_.Write(options_, shapes_);
    return Json::parse(StatusJson(ReadFleetStatus(folder_.path()), 2));
  }

  TempFolder temporary_;
  FleetFolder folder_;
  FleetOptions options_;
  std::vector<TuneShape> shapes_;
};

TEST_F(Status, SaysAllOfAShapeThatIsDone) {
  shapes_ = {Shape("matmul", {{"m", "64"}, {"n", "32"}, {"type", "f16"}})};
  Log(shapes_[0], 1000,
      {Reference("winner", 1000), Reference("naive", 9000), Reference("eigen", 1500),
       Reference("record 1", 1100)});
  WriteFile(folder_.RunOf(shapes_[0]) + "/report.html", "x");
  const Json json = Read();
  EXPECT_EQ(json["shapes"][0], Json::parse(R"({
    "shape": "matmul-m64-n32-typef16", "state": "done", "kernel": "matmul", "type": "f16",
    "sizes": {"m": "64", "n": "32"}, "best_ns": 1000.0, "lo_ns": 990.0, "hi_ns": 1010.0,
    "best_bound_ns": 500.0, "bound_ns": 250.0, "gap": 0.75, "flops": 2000.0, "seconds": 8.0,
    "evaluations": 3,
    "yardsticks": [{"name": "eigen", "ns": 1500.0, "lo_ns": 1485.0, "hi_ns": 1515.0, "ratio": 1.5},
                   {"name": "naive", "ns": 9000.0, "lo_ns": 8910.0, "hi_ns": 9090.0, "ratio": 9.0}],
    "report": "matmul-m64-n32-typef16/report.html"})"))
      << json["shapes"][0].dump(2);
  EXPECT_EQ(json["machines"], Json({"cpu EPYC"}));
  EXPECT_EQ(json["programs"], Json({"search 0.1.0"}));
  EXPECT_EQ(json["budgets"], Json({"60s"}));
  EXPECT_EQ(json["seconds"], 8);
  EXPECT_EQ(json["evaluations"], 3);
}

TEST_F(Status, OfAFleetThatHasNotBegunIsAllWaiting) {
  shapes_ = {Shape("axpy", {{"n", "64"}})};
  const Json json = Read();
  EXPECT_EQ(json["shapes"][0],
            Json::parse(R"({"shape": "axpy-n64", "state": "waiting", "kernel": "axpy",
    "sizes": {"n": "64"}, "seconds": 0.0, "evaluations": 0})"));
  EXPECT_EQ(json["counts"], Json::parse(R"({"done": 0, "running": 0, "waiting": 1, "failed": 0})"));
  EXPECT_EQ(json["means"], Json::array());
  EXPECT_EQ(json["machines"], Json::array());
}

TEST_F(Status, SaysWhyAShapeFailedAndWhichGoOn) {
  shapes_ = {Shape("axpy", {{"n", "1"}}), Shape("axpy", {{"n", "2"}}), Shape("axpy", {{"n", "3"}}),
             Shape("axpy", {{"n", "4"}})};
  LineFile journal(folder_.JournalOf("local"));
  journal.Append(JournalLine("", "starts", ""));
  journal.Append(JournalLine("axpy-n1", "begins", ""));
  journal.Append(JournalLine("axpy-n2", "fails", "the machine is gone"));
  Log(shapes_[0], 500, {});
  Log(shapes_[2], 0, {Reference("naive", 9)});
  Log(shapes_[3], 700, {});
  const Json json = Read();
  EXPECT_EQ(json["shapes"][0]["state"], "running");
  EXPECT_EQ(json["shapes"][0]["best_ns"], 500);
  EXPECT_EQ(json["shapes"][0]["evaluations"], 3);
  EXPECT_EQ(json["shapes"][1]["why"], "the machine is gone");
  EXPECT_EQ(json["shapes"][2]["why"], "no implementation was found to be correct");
  EXPECT_EQ(json["shapes"][3]["note"], "interrupted after 6 s");
  EXPECT_EQ(json["counts"], Json::parse(R"({"done": 0, "running": 1, "waiting": 1, "failed": 2})"));
}

TEST_F(Status, MeansAreGeometricAndApartForEachKernelAndType) {
  for (const char* const type : {"f16", "f32"}) {
    for (const char* const n : {"1", "2"})
      shapes_.push_back(Shape("axpy", {{"n", n}, {"type", type}}));
  }
  Log(shapes_[0], 1000,
      {Reference("winner", 1000), Reference("naive", 4000), Reference("eigen", 2000)});
  Log(shapes_[1], 1000,
      {Reference("winner", 1000), Reference("naive", 1000), Reference("eigen", 500)});
  // While the machine is busy no time is one number.
  Log(shapes_[2], 1000, {Reference("winner", 1000), Reference("eigen", 9000, 0.5)});
  Log(shapes_[3], 1000, {Reference("winner", 1000), Reference("eigen", 3000)});
  const Json means = Read()["means"];
  EXPECT_EQ(
      means[0],
      Json::parse(
          R"({"kernel": "axpy", "type": "f16", "shapes": 2, "ratio": 1.0, "least": 0.5, "most": 2.0, "faster": 1})"));
  EXPECT_EQ(means[1]["yardstick"], "eigen");
  EXPECT_EQ(means[2]["yardstick"], "naive");
  EXPECT_NEAR(means[2]["ratio"].get<double>(), 2, 1e-9);
  EXPECT_EQ(means[3]["type"], "f32");
  EXPECT_EQ(means[3]["shapes"], 1);
  EXPECT_NEAR(means[3]["ratio"].get<double>(), 3, 1e-9);
  EXPECT_EQ(means.size(), 5U);
}

TEST_F(Status, KernelsThatAreTextsAreToldApartByIt) {
  TuneShape one = Shape("dense", {{"n", "1"}}), other = Shape("dense", {{"n", "2"}});
  one.text = "kernel dense …";
  other.text = "kernel dense … else";
  EXPECT_THAT(KernelOf(one), testing::StartsWith("dense-"));
  EXPECT_NE(KernelOf(one), KernelOf(other));
}

TEST_F(Status, OfWhatIsNoFleetIsRefused) {
  EXPECT_THROW(ReadFleetStatus(temporary_ / "nowhere"), UsageError);
}

}  // namespace
}  // namespace exh::search
