// SPDX-License-Identifier: MIT
#include "search/own/own_subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "base/error.h"
#include "dsl/dsl.h"
#include "kernels/devices/backend.h"
#include "load/load.h"
#include "search/report/comparison.h"
#include "search/report/report.h"
#include "search/solve/branch_and_bound.h"
#include "search/subject/freeze_progress.h"

namespace exh::search {
namespace {

/// What the front end says, without its last line end.
std::string MessagesOf(const dsl::DiagnosticSink& sink) {
  std::string messages = dsl::RenderText(sink);
  while (!messages.empty() && messages.back() == '\n') messages.pop_back();
  return messages;
}

/// "spaces/my-conv.exh": "my-conv".
std::string StemOf(const std::string& path) {
  const std::string name = path.substr(path.find_last_of('/') + 1);
  return name.substr(0, name.find('.'));
}

/// What the space knows without objects: sizes of the command line, of the data, of the space.
DecidedValues::Sizes ConstantsOf(const dsl::Spec& spec, const load::Given& given) {
  dsl::DiagnosticSink none;  // It was loaded with the same.
  const auto data = load::ReadSpaceData(spec, given, none);
  DecidedValues::Sizes constants;
  for (std::size_t i = 0; data && i < spec.externals.size(); ++i) {
    const dsl::External& external = spec.externals[i];
    if (!external.constant || !external.arguments.empty()) continue;
    constants[external.name] = data->Number(static_cast<int>(i), {});
  }
  return constants;
}

/// All that an implementation decides.
kernels::Recipe RecipeOf(const char* name, const runtime::Candidate& implementation) {
  const runtime::Instance& instance = implementation.instance();
  kernels::Recipe recipe{name, {}, false};
  for (runtime::DecisionId id = 0; id < instance.num_decisions(); ++id) {
    if (instance.IsDerived(id) || !implementation.IsLive(id)) continue;
    recipe.wishes.push_back(
        {instance.DecisionName(id), {instance.ValueName(id, implementation.FirstValue(id))}});
  }
  return recipe;
}

}  // namespace

OwnSubject::OwnSubject(OwnText own, DecidedValues::Sizes sizes, const Allowance& allowance)
    : own_(std::move(own)), sizes_(std::move(sizes)) {
  const OwnFile& main = own_.files.front();
  std::map<std::string, std::string> files;
  for (const OwnFile& file : own_.files) files[file.path] = file.text;
  dsl::CompileOptions options;
  options.files = &files;
  if (own_.kernel.is_there()) {
    kernel_ = std::make_unique<OwnKernel>(own_.kernel);
    options.terms = kernel_->terms();
  }
  dsl::DiagnosticSink sink;
  const auto spec = dsl::CompileText(main.path, main.text, options, sink);
  std::optional<load::LoadedSpace> loaded;
  DecidedValues::Sizes constants;
  if (spec) {
    const load::Given given{sizes_, own_.data, "the data"};
    loaded = load::LoadSpace(*spec, StemOf(main.path), sink, given);
    if (loaded) constants = ConstantsOf(*spec, given);
  }
  const std::string messages = MessagesOf(sink);
  if (!loaded) throw UsageError(messages);
  if (!messages.empty()) fmt::print(stderr, "{}\n", messages);  // Warnings.
  instance_ = load::Freeze(*loaded, FreezeWithin(allowance));
  if (instance_->root_result() == runtime::Propagation::kDeadEnd) {
    throw Error(fmt::format("'{}' has no implementation ({})", name(),
                            OriginText(instance_->space(), instance_->root_conflict().origin)));
  }
  values_.emplace(*instance_, *spec, std::move(constants));
  if (kernel_ != nullptr) kernel_->Take(*spec, *loaded, instance_, *values_);
  if (const auto& bound = instance_->space().lower_bound) {
    lower_bound_.emplace(*instance_, bound->term, bound->text);
  }
  const OwnProgram& program = own_.program;
  values_->Check("--run", program.run);
  values_->Check("--build", program.build);
  if (!program.filter.empty()) {
    filter_ =
        std::make_unique<OwnFilter>(program.filter, program.timeout_s, *values_, allowance.stop);
  }
}

std::unique_ptr<Subject> OwnSubject::Of(const RunRecord& run, const Allowance& allowance) {
  return std::make_unique<OwnSubject>(ParseOwnText(run.text), run.sizes, allowance);
}

std::string OwnSubject::name() const {
  return StemOf(own_.files.front().path);
}

runtime::Candidate OwnSubject::root() const {
  return runtime::Candidate(instance_);
}

void OwnSubject::Describe(RunRecord& run) const {
  run.subject = kOwnSubject;
  run.kernel = name();
  run.text = WriteOwnText(own_);
  run.sizes = sizes_;
  run.device = kernel_ != nullptr ? kDeviceOfOwnKernel : "program";
  run.decisions = own_.files.front().path;
}

std::string OwnSubject::Outline(const runtime::Candidate& /*implementation*/) const {
  return "";
}

kernels::Source OwnSubject::Emit(const runtime::Candidate& implementation) const {
  kernels::Source source(values_->TextOf(implementation));
  if (kernel_ != nullptr) source.text += kernel_->RemarkOf(implementation);
  if (filter_ == nullptr) return source;
  try {
    if (filter_->Allows(source.text)) return source;
    source.verdict = kernels::Verdict::kRefused;
    source.why = "the filter says that it is none";
  } catch (const Interrupted& error) {
    source.verdict = kernels::Verdict::kStopped;
    source.why = error.what();
  } catch (const Error& error) {
    source.verdict = kernels::Verdict::kBroken;
    source.why = error.what();
  }
  return source;
}

std::unique_ptr<Evaluator> OwnSubject::MakeEvaluator(const EvaluatorOptions& options) const {
  if (kernel_ != nullptr) {
    return MakeOwnEvaluator(own_.program, *this, *values_, {1, options.jobs}, options.stop,
                            {kernel_.get(), kernels::MakeOwnBench(kernel_->Task(), options)});
  }
  if (!own_.program.measures()) {
    throw UsageError(
        "nothing measures this: its run was made of results. "
        "--run './bench.sh' is asked for each "
        "time, --serve './server' again and again, --cuda kernel.cu is a kernel of yours");
  }
  return MakeOwnEvaluator(own_.program, *this, *values_, {own_.program.at_once, options.jobs},
                          options.stop);
}

std::string OwnSubject::InWords(const Comparison& comparison) const {
  return ComparisonText(comparison.records);
}

std::vector<std::string> OwnSubject::notes() const {
  std::vector<std::string> notes;
  if (kernel_ != nullptr && !kernel_->note().empty()) notes.push_back(kernel_->note());
  if (own_.program.trust_times) {
    notes.emplace_back(
        "--trust-times: times without a verdict are believed; "
        "nothing says that "
        "what was computed is right");
  }
  const std::string commands = own_.program.build + " " + own_.program.run;
  if (const auto left_out = values_->LeftOut(commands); !left_out.empty()) {
    notes.push_back(
        fmt::format("the command does not name all parameters: the program has the others in its "
                    "environment alone, as {}",
                    fmt::join(left_out, ", ")));
  }
  return notes;
}

SearchBound OwnSubject::Bound(bool /*is_cold*/, WhichRates /*which*/) const {
  if (!lower_bound_) return {};
  const runtime::TimeBound& stated = *instance_->space().lower_bound;
  SearchBound bound;
  bound.bound = [this, unit = stated.unit_ns](const runtime::Candidate& candidate) {
    return std::max(0.0, unit * lower_bound_->LeastOver(candidate));
  };
  bound.resource = [](const runtime::Candidate&) { return std::string("what the space states"); };
  bound.name = "stated " + instance_->space().fingerprint;
  return bound;
}

models::Bound OwnSubject::Explain(const runtime::Candidate& candidate, bool is_cold) const {
  if (!lower_bound_) return Subject::Explain(candidate, is_cold);
  const runtime::TimeBound& stated = *instance_->space().lower_bound;
  const double least = std::max(0.0, lower_bound_->LeastOver(candidate));
  models::Bound bound;
  bound.least_blocks = bound.most_blocks = 0;
  bound.bottleneck = "stated";
  bound.ns = least * stated.unit_ns;
  bound.terms = {{"stated",
                  least,
                  stated.text,
                  1 / stated.unit_ns,
                  "as the space states it",
                  0,
                  bound.ns,
                  {}}};
  return bound;
}

std::vector<kernels::Recipe> OwnSubject::Recipes() const {
  std::vector<kernels::Recipe> recipes;
  if (kernel_ != nullptr) {
    recipes.push_back(RecipeOf("the default configuration", kernel_->default_implementation()));
  }
  if (!instance_->space().objective) return recipes;
  const runtime::Candidate root(instance_);
  const ChoiceOrder order = ChoiceOrder::Parse("", *instance_);
  constexpr double kSeconds = 2;
  StopToken stop;
  stop.StopIn(kSeconds);
  BranchAndBound search(*instance_, order,
                        {nullptr, [&stop](const SolveStatus&) { return stop.stopped(); }});
  const BestFound best = search.Run(root, [](const runtime::Candidate&, std::int64_t) {});
  if (best.solution) recipes.push_back(RecipeOf("what the space calls best", *best.solution));
  return recipes;
}

std::vector<OwnFile> OwnFilesOf(const std::string& path) {
  dsl::DiagnosticSink sink;
  const auto spec = dsl::Compile(path, {}, sink);
  if (!spec) throw UsageError(MessagesOf(sink));
  std::vector<OwnFile> files;
  for (const dsl::Spec::File& file : spec->files) files.push_back({file.path, file.text});
  return files;
}

}  // namespace exh::search
