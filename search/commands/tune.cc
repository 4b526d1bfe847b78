// SPDX-License-Identifier: MIT
//
// `search tune`: many shapes, one after the other on each GPU, or as a job array of Slurm; and how
// far they are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "base/parallel.h"
#include "base/spelling.h"
#include "base/system/process.h"
#include "base/system/process_tree.h"
#include "base/system/signals.h"
#include "kernels/devices/backend.h"
#include "search/commands/command.h"
#include "search/commands/machine/gpu_list.h"
#include "search/commands/search_options.h"
#include "search/commands/session.h"
#include "search/log/run_folder.h"
#include "search/tune/fleet_folder.h"
#include "search/tune/job_array.h"
#include "search/tune/lanes.h"
#include "search/tune/shapes/shape_reader.h"
#include "search/tune/shared/winner_board.h"
#include "search/tune/status/fleet_status.h"

namespace exh::search {
namespace {

struct TuneOptions {
  std::string shapes, launch = "local", status, format = "text";
  std::optional<int> element;
  bool skip_mistakes = false;
  std::vector<std::string> sbatch;
  SearchOptions search;  ///< What every shape is searched with.
};

/// Options of tune itself, and those that it passes on in another way. All others are passed on as
/// they stand.
constexpr std::array kOwn = {"--out",           "--budget",  "--device", "--type",
                             "--gpu",           "--gpus",    "--launch", "--status",
                             "--format",        "--element", "--sbatch", "--plugin",
                             "--skip-mistakes", "shapes",    "--trace",  "--help"};

/// The options that are passed on, as words of a command line: "--jobs=4".
std::vector<std::string> PassedOn(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::ranges::find(kOwn, name) != kOwn.end()) continue;
    const bool is_flag = option->get_items_expected_max() == 0;
    for (const std::string& value : option->results()) {
      words.push_back(is_flag ? name : name + "=" + value);
    }
  }
  return words;
}

std::string OptionOf(const std::string& word) {
  return word.substr(0, word.find('='));
}

/// What is said now goes before what was said when the fleet was made, option by option.
void Merge(const std::vector<std::string>& now, std::vector<std::string>& words) {
  std::set<std::string> names;
  for (const std::string& word : now) names.insert(OptionOf(word));
  std::erase_if(words, [&](const std::string& word) { return names.contains(OptionOf(word)); });
  words.insert(words.end(), now.begin(), now.end());
}

/// Only a search with a tree and descents near its best begins with what it is given.
bool HandsWinners(const FleetOptions& options) {
  return std::ranges::none_of(options.words, [](const std::string& word) {
    return word == "--policy=random" || word == "--local=0%";
  });
}

/// And only one with a cost model begins with a prior: with one of the fleet, unless --prior says
/// something.
bool HandsPriors(const FleetOptions& options) {
  return !HasOption(options.words, "--prior") &&
         std::ranges::none_of(options.words, [](const std::string& word) {
           return word == "--policy=random" || word == "--screen=1";
         });
}

/// The shapes of the file, all of them or those without a mistake. Throws UsageError.
std::vector<TuneShape> AskedFor(const TuneOptions& options) {
  ShapeList list = ReadShapes(options.shapes, options.search.problem.type);
  for (const std::string& note : list.notes) fmt::print("note: {}\n", note);
  if (list.mistakes.empty()) return std::move(list.shapes);
  const std::string all = fmt::format("{}", fmt::join(list.mistakes, "\n"));
  if (!options.skip_mistakes) {
    throw UsageError(
        fmt::format("{}\n{} of its lines cannot be tuned, and nothing was run: mend them, or leave "
                    "them out with "
                    "--skip-mistakes",
                    all, list.mistakes.size()));
  }
  if (list.shapes.empty()) throw UsageError(all + "\nnone of its lines can be tuned");
  fmt::print(stderr, "left out: {}\n", fmt::join(list.mistakes, "\nleft out: "));
  return std::move(list.shapes);
}

/// A fleet as it is now: what its folder says, and what the command line adds.
struct Fleet {
  FleetFolder folder;
  FleetOptions options;
  std::vector<TuneShape> shapes;
};

void AddShapes(const std::vector<TuneShape>& asked, std::vector<TuneShape>& shapes) {
  std::set<std::string> known;
  for (const TuneShape& shape : shapes) known.insert(shape.name);
  for (const TuneShape& shape : asked) {
    if (known.insert(shape.name).second) shapes.push_back(shape);
  }
}

/// Throws UsageError.
Fleet FleetOf(const CLI::App& command, const TuneOptions& options) {
  const SearchOptions& search = options.search;
  Fleet fleet{FleetFolder(search.out), {}, {}};
  const bool exists = fleet.folder.Exists();
  if (options.shapes.empty() && !exists && !options.element) {
    throw UsageError(
        "tune what? search tune SHAPES --out FOLDER, with a .jsonl or a .csv of shapes");
  }
  if (exists || options.element) {
    fleet.folder.Read(fleet.options, fleet.shapes);
    if (command.count("--device") > 0 && search.problem.device != fleet.options.device) {
      throw UsageError(fmt::format("--device {}: '{}' is of the device {}; give another --out",
                                   search.problem.device, fleet.folder.path(),
                                   fleet.options.device));
    }
  } else {
    fleet.options.device = search.problem.device;
  }
  if (!options.shapes.empty()) AddShapes(AskedFor(options), fleet.shapes);
  if (!search.budgets.empty()) fleet.options.budgets = search.budgets;
  Merge(PassedOn(command), fleet.options.words);
  return fleet;
}

std::vector<std::optional<int>> LanesOf(const TuneOptions& options,
                                        const kernels::ir::Device& device) {
  const std::optional<int> gpu = options.search.problem.gpu;
  const std::string& text = options.search.gpus;
  if (text.empty()) return {gpu};
  if (gpu) throw UsageError("--gpu and --gpus: one of them says where shapes run");
  // A lane whose GPU is not there would take one shape after the other, and fail.
  const std::vector<int> gpus = ParseGpusOf(text, device);
  return {gpus.begin(), gpus.end()};
}

std::vector<std::string> ChildProgram(const Invocation& invocation) {
  std::vector<std::string> program = {ThisProgram()};
  for (const std::string& file : invocation.plugins) {
    program.insert(program.end(), {"--plugin", file});
  }
  return program;
}

std::string Counted(std::size_t shapes) {
  return shapes == 1 ? "1 shape" : fmt::format("{} shapes", shapes);
}

/// What came of it, in a line. Returns the exit code.
int Conclude(const LaneTotals& totals, std::size_t all, const std::string& folder,
             const std::string& program, bool was_interrupted) {
  std::string text = fmt::format("{} of {} done", totals.done, Counted(all));
  if (totals.before > 0) text += fmt::format(", {} of them before", totals.before);
  if (!totals.failures.empty()) {
    text += fmt::format("; {} failed: {}", totals.failures.size(), totals.failures.front());
    if (totals.failures.size() > 1) text += ", …";
  }
  if (was_interrupted) text += "; interrupted";
  const bool is_done = totals.done == all;
  text += is_done ? fmt::format("\nto go on: {} install-kernel {}/* --out tuned", program, folder)
                  : fmt::format("\nto go on: {} tune --out {}", program, folder);
  fmt::print("{}\n", text);
  return is_done ? 0 : 1;
}

/// Where shapes run: this machine.
struct Place {
  kernels::ir::Device device;
  std::vector<std::optional<int>> lanes;
};

/// Before anything is written. Throws UsageError.
Place PlaceOf(const TuneOptions& options, const Fleet& fleet) {
  ProblemOptions problem = options.search.problem;
  problem.device = fleet.options.device;
  Place place{FindDevice(problem), {}};
  kernels::RequireRuns(place.device);
  place.lanes = LanesOf(options, place.device);
  return place;
}

/// Runs shapes on this machine. Returns the exit code.
int RunHere(const Place& place, const Fleet& fleet, const std::vector<TuneShape>& shapes,
            const std::string& element, const Invocation& invocation) {
  const StopToken stop(&ListenForSignals());
  // Searches beside one another share the processor.
  const int at_once = static_cast<int>(place.lanes.size());
  const int jobs = at_once > 1 ? std::max(1, NumCores() / at_once) : 0;
  const ShapeRunner runner{fleet.folder, fleet.options, ChildProgram(invocation), &stop, jobs};
  const LaneWork work{runner,
                      shapes,
                      element,
                      place.lanes,
                      DeviceKey(place.device.name, DeviceLimits(place.device)),
                      HandsWinners(fleet.options),
                      HandsPriors(fleet.options)};
  fmt::print("{} on {}{}\n", Counted(shapes.size()), place.device.name,
             work.lanes.size() > 1 ? fmt::format(", {} at once", work.lanes.size()) : "");
  std::fflush(stdout);
  const LaneTotals totals = RunLanes(work);
  return Conclude(totals, shapes.size(), fleet.folder.path(), invocation.program, stop.stopped());
}

/// Does a job need one? The machine that submits it often has none, and then nothing can be said of
/// the device but its name.
bool NeedsGpu(const std::string& name) {
  ProblemOptions problem;
  const bool is_usual = name == problem.device;
  problem.device = name;
  std::optional<kernels::ir::Device> device;
  try {
    device = FindDevice(problem);
    kernels::RequireGpu(*device, "a job with a GPU");
    return true;
  } catch (const UsageError&) {
    return !device && !is_usual;
  }
}

/// Writes the script of the job array, and submits it. Returns the exit code.
int Launch(const TuneOptions& options, Fleet& fleet, const std::string& who,
           const Invocation& invocation) {
  RequireSlurm();
  fleet.folder.Make();
  const std::string script = fleet.folder.slurm() + "/array.sh";
  std::vector<int> elements;
  {
    // Let go of before the elements begin.
    const FleetLock lock(fleet.folder, who, /*shared=*/false);
    int& size = fleet.options.shapes_per_element;
    if (size == 0) size = ShapesPerElement(fleet.options.budgets);
    fleet.folder.Write(fleet.options, fleet.shapes);
    const std::vector<ShapeStatus> all = StatusOf(fleet.folder, fleet.shapes);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int element = static_cast<int>(i) / size;
      const bool is_new = elements.empty() || elements.back() != element;
      if (all[i].state.phase != ShapePhase::kDone && is_new) elements.push_back(element);
    }
    if (elements.empty()) {
      fmt::print("{} of {} done\n", all.size(), Counted(all.size()));
      return 0;
    }
    const std::set<int> queued = QueuedElements(fleet.folder);
    std::erase_if(elements, [&](int element) { return queued.contains(element); });
    if (!queued.empty()) {
      fmt::print("elements {} are in Slurm's queue\n", ArrayText({queued.begin(), queued.end()}));
    }
    if (elements.empty()) return 0;
    MakeFolder(fleet.folder.slurm());
    WriteFile(script, ScriptText({fleet.folder, fleet.options, elements, ChildProgram(invocation),
                                  NeedsGpu(fleet.options.device)}));
  }
  std::vector<std::string> words;
  for (const std::string& text : options.sbatch) {
    for (const std::string_view word : Split(text, ' ')) {
      if (!word.empty()) words.emplace_back(word);
    }
  }
  fmt::print("{}: elements {} of {} shapes each\n", script, ArrayText(elements),
             fleet.options.shapes_per_element);
  std::fflush(stdout);
  const std::string said = Submit(script, words);
  AddJob(fleet.folder, JobIn(said));
  fmt::print("{}\nto see how far it is: {} tune --status {}\n", said, invocation.program,
             fleet.folder.path());
  return 0;
}

int Status(const TuneOptions& options) {
  if (options.format != "text" && options.format != "json") {
    throw UsageError(UnknownName("format", options.format, {"text", "json"}));
  }
  const FleetStatus fleet = ReadFleetStatus(options.status);
  constexpr int kIndent = 2;
  fmt::print("{}", options.format == "json" ? StatusJson(fleet, kIndent) : StatusText(fleet));
  return 0;
}

int Tune(const CLI::App& command, const TuneOptions& options, const Invocation& invocation) {
  if (!options.status.empty()) return Status(options);
  if (command.count("--format") > 0) throw UsageError("--format goes with --status");
  if (options.launch != "local" && options.launch != "slurm") {
    throw UsageError(UnknownName("launcher", options.launch, {"local", "slurm"}));
  }
  const SearchOptions& search = options.search;
  if (search.out.empty()) {
    throw UsageError("tune where? --out takes the folder of all runs, for example --out fleet");
  }
  CheckRunOptions(search);
  PolicyOf(search.policy(), search.policy_options);
  search.cold();
  const bool is_slurm = options.launch == "slurm";
  if (is_slurm && (!search.gpus.empty() || search.problem.gpu)) {
    throw UsageError(
        "--launch slurm: Slurm gives each element its GPU; leave --gpu and --gpus out");
  }
  if (!options.sbatch.empty() && !is_slurm) throw UsageError("--sbatch goes with --launch slurm");
  const bool is_element = options.element.has_value();
  if (is_element && (is_slurm || !options.shapes.empty())) {
    throw UsageError("--element runs shapes of a fleet that is there, on this machine");
  }
  StartSupervisor();
  const TraceFile trace = TraceOf(search, "fleet");
  TraceProcess("search tune: " + search.out);
  Fleet fleet = FleetOf(command, options);
  const std::string who = Shortened(
      fmt::format("search {}", fmt::join(invocation.argv.begin() + 1, invocation.argv.end(), " ")),
      200);
  if (is_slurm) return Launch(options, fleet, who, invocation);
  const Place place = PlaceOf(options, fleet);
  if (is_element) {
    const auto shapes = ShapesOf(fleet.options, fleet.shapes, *options.element);
    const FleetLock lock(fleet.folder, who, /*shared=*/true);
    return RunHere(place, fleet, shapes, std::to_string(*options.element), invocation);
  }
  fleet.folder.Make();
  const FleetLock lock(fleet.folder, who, /*shared=*/false);
  fleet.folder.Write(fleet.options, fleet.shapes);
  return RunHere(place, fleet, fleet.shapes, "local", invocation);
}

}  // namespace

void AddTuneCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "tune", "searches many shapes: one after the other on each GPU, or as a job array of Slurm");
  const auto options = std::make_shared<TuneOptions>();
  SearchOptions& search = options->search;
  command->add_option("shapes", options->shapes,
                      "what to search: a .jsonl, or a .csv of PyTorch's TunableOp or of aiter "
                      "(docs/fleet.md); without it a fleet goes on that is there");
  command->add_option("--launch", options->launch,
                      "where: local (default), on this machine; slurm, as a job array");
  command
      ->add_option("--sbatch", options->sbatch,
                   "with --launch slurm: more options of sbatch, such as '--partition=gpu'")
      ->allow_extra_args(false);
  command->add_flag("--skip-mistakes", options->skip_mistakes,
                    "leave out lines that cannot be tuned; without it nothing runs then");
  command->add_option("--element", options->element,
                      "runs the shapes of one element of the job array; what the array calls");
  command->add_option("--status", options->status, "how far the shapes of this folder are");
  command->add_option("--format", options->format, "of --status: text (default) or json");
  AddTypeOption(*command, search.problem);
  command->get_option("--type")->description("as of search, for lines that say no type");
  AddDeviceOptions(*command, search.problem);
  command->add_option("--space", search.problem.space, "as of search: default or paper");
  AddMemoryOption(*command, search.problem.memory, "to build a space");
  AddRunOptions(*command, search);
  command->get_option("--gpus")->description(
      "with --launch local: 0-3, 0,2 or all, each of which searches a shape at a time (default: "
      "the one of --gpu)");
  command->get_option("--out")->description("folder of all runs: one for each shape");
  command->get_option("--budget")->description("of each shape (default 60s)");
  command->get_option("--cache")->description(
      "folder that the searches share (default: one of the fleet; none: as of search)");
  command->get_option("--trace")->description(
      "file for what lanes do over time, as a Chrome trace; nothing of the searches themselves");
  command->get_option("--prior")->description(
      "what cost models begin with (default: what shapes of the fleet that have ended say, and "
      "until there are four of a kernel auto); auto, none or a file: as of search");
  command->remove_option(command->get_option("--progress"));  // Nobody watches a child.
  command->add_option("--l2", search.l2, "as of search: warm (default) or cold");
  command->callback([command, options, &invocation] {
    invocation.run = [command, options, &invocation] {
      return Tune(*command, *options, invocation);
    };
  });
}

}  // namespace exh::search
