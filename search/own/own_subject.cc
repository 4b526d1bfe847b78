// SPDX-License-Identifier: MIT
#include "search/own/own_subject.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "base/error.h"
#include "dsl/dsl.h"
#include "load/load.h"
#include "search/report/comparison.h"
#include "search/report/report.h"
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

}  // namespace

OwnSubject::OwnSubject(OwnText own, DecidedValues::Sizes sizes, const Allowance& allowance)
    : own_(std::move(own)), sizes_(std::move(sizes)) {
  const OwnFile& main = own_.files.front();
  std::map<std::string, std::string> files;
  for (const OwnFile& file : own_.files) files[file.path] = file.text;
  dsl::CompileOptions options;
  dsl::DiagnosticSink sink;
  const auto spec = dsl::CompileText(main.path, main.text, options, sink);
  std::optional<load::LoadedSpace> loaded;
  if (spec) {
    loaded = load::LoadSpace(*spec, StemOf(main.path), sink);
  }
  const std::string messages = MessagesOf(sink);
  if (!loaded) throw UsageError(messages);
  if (!messages.empty()) fmt::print(stderr, "{}\n", messages);  // Warnings.
  instance_ = load::Freeze(*loaded, FreezeWithin(allowance));
  if (instance_->root_result() == runtime::Propagation::kDeadEnd) {
    throw Error(fmt::format("'{}' has no implementation ({})", name(),
                            OriginText(instance_->space(), instance_->root_conflict().origin)));
  }
  values_.emplace(*instance_, *spec, sizes_);
  const OwnProgram& program = own_.program;
  values_->Check("--run", program.run);
  values_->Check("--build", program.build);
  if (!program.filter.empty()) {
    filter_ = std::make_unique<Filter>(program.filter, program.timeout_s, *values_, allowance.stop);
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
  run.device = "program";
  run.decisions = own_.files.front().path;
}

std::string OwnSubject::Outline(const runtime::Candidate& /*implementation*/) const {
  return "";
}

kernels::Source OwnSubject::Emit(const runtime::Candidate& implementation) const {
  kernels::Source source(values_->TextOf(implementation));
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
  if (!own_.program.measures()) {
    throw UsageError(
        "nothing measures this: its run was made of results. --run './bench.sh' is asked for each "
        "time, --serve './server' again and again");
  }
  return MakeOwnEvaluator(own_.program, *this, *values_, {own_.program.at_once, options.jobs},
                          options.stop);
}

std::string OwnSubject::InWords(const Comparison& comparison) const {
  return ComparisonText(comparison.records);
}

std::vector<std::string> OwnSubject::notes() const {
  std::vector<std::string> notes;
  if (own_.program.trust_times) {
    notes.emplace_back(
        "--trust-times: times without a verdict are believed; nothing says that "
        "what was computed is right");
  }
  return notes;
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
