// SPDX-License-Identifier: MIT
//
// A report of 100,000 evaluations: its size and the time to write it: ./exh bench report RUN PAGE
//
// The evaluations of a run are repeated, with numbers and times that go on, until there are so
// many; its dead ends stand there once. ./exh bench report RUN COUNT PAGE is another number of
// them. PAGE is what ./exh report-assets made, build/report-assets/report.html.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "search/log/log_json.h"
#include "search/log/log_line.h"
#include "search/log/log_reader.h"
#include "search/log/run_folder.h"
#include "search/page/page.h"

namespace {

using exh::search::Log;
using exh::search::LogTail;
using Clock = std::chrono::steady_clock;

double Seconds(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// The log of the run with its events again and again.
std::string Repeated(const Log& log, std::uint64_t count) {
  std::string text;
  LogTail tail;
  const auto add = [&](const auto& record) {
    text += exh::search::SealLine(exh::search::RecordText(exh::search::ToJson(record)), tail);
  };
  add(*log.run);
  for (const auto& choice : log.choices) add(choice);
  std::uint64_t events = 0;
  for (const auto& select : log.selects) events = std::max(events, select.sequence);
  for (const auto& eval : log.evals) events = std::max(events, eval.sequence);
  std::uint64_t n = 0;
  for (std::uint64_t copy = 0; n < count; ++copy) {
    for (auto select : log.selects) {
      select.sequence += copy * events;
      add(select);
    }
    for (auto eval : log.evals) {
      if (n == count) break;
      eval.n = ++n;
      eval.dt += static_cast<double>(copy) * log.last_dt;
      eval.best_ns *= 1 + 1e-3 * static_cast<double>(n % 997);
      eval.sequence += copy * events;
      eval.selection += copy * events;
      add(eval);
    }
  }
  for (const auto& dead : log.deads) add(dead);
  for (const auto& best : log.bests) add(best);
  for (const auto& reference : log.references) add(reference);
  if (log.end) add(*log.end);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "report: ./exh bench report RUN [COUNT] PAGE\n");
    return 2;
  }
  const std::uint64_t count = argc > 3 ? std::strtoull(argv[2], nullptr, 10) : 100'000;
  const std::string page = exh::search::ReadTemplate(argv[argc - 1]);
  const std::string folder = std::filesystem::temp_directory_path() / "exh-bench-report";
  exh::search::MakeFolder(folder);
  exh::search::WriteFile(folder + "/log.jsonl", Repeated(exh::search::ReadLog(argv[1]), count));
  const auto begin = Clock::now();
  const auto runs = exh::search::ReadRuns({folder});
  std::printf("log      %7.1f MB, read in %.2f s\n",
              1e-6 * static_cast<double>(std::filesystem::file_size(folder + "/log.jsonl")),
              Seconds(begin));
  const std::string data = exh::search::PageData(runs, exh::search::TimeStamp());
  std::printf("data     %7.1f MB, after %.2f s\n", 1e-6 * static_cast<double>(data.size()),
              Seconds(begin));
  const std::string filled = exh::search::FillPage(page, exh::search::PageTitle(runs), data);
  exh::search::WriteFile(folder + "/report.html", filled);
  std::printf("page     %7.1f MB, after %.2f s: %s/report.html\n",
              1e-6 * static_cast<double>(filled.size()), Seconds(begin), folder.c_str());
  return 0;
}
