// SPDX-License-Identifier: MIT
//
// A process that compiles for a CompilePool, without a compiler. The first word of a text says what
// becomes of it:
//
//   error     it is refused, with a line and a place
//   silent    it is refused without a word
//   shared    likewise; it asks for more shared memory than there is
//   spills    it compiles, with registers that do not suffice
//   stack     it compiles, with arrays that do not fit registers
//   trouble   the compiler fails, and the text is not to blame
//   hang      there is no answer
//   crash     the process aborts
//   killed    somebody kills the process
//   memory    it is refused for want of memory
//   garbage   the answer cannot be read
//   stale     the answer is one to another request
//   twice     there are two answers
//   leaves    the process ends after its answer
//
// and any other compiles. Its option is how it starts: --exit, --hang, --garbage, --none (no
// compiler), --version=NAME.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/devices/cuda/process/compile_protocol.h"

namespace {

using namespace exh::kernels::cuda;  // NOLINT: this program speaks its protocol

void Say(const std::string& line) {
  std::cout << line << std::flush;
}

[[noreturn]] void Hang() {
  while (true) ::pause();
}

CompileAnswer Answer(const CompileRequest& request, const std::string& word) {
  CompileAnswer answer;
  answer.id = request.id;
  answer.compile_ms = 12;
  answer.resources.registers = 32;
  if (word == "error") {
    answer.log = "ptxas info: nothing\nkernel.cu(3): error: " + request.source + "\n  here\n";
  } else if (word == "memory") {
    answer.log = "NVVM: out of memory\n";
  } else if (word == "silent") {
    answer.resources.registers = 0;
  } else if (word == "shared") {
    answer.resources.shared_bytes = 300000;
  } else if (word == "trouble") {
    answer.why = "no memory";
  } else {
    if (word == "spills") answer.resources.spill_bytes = 24;
    if (word == "spills" || word == "stack") answer.resources.local_bytes = 40;
    std::ofstream file(request.file);
    file << "machine code of " << request.source;
    for (const std::string& option : request.options) file << " " << option;
    file.close();
    answer.ok = file.good();
    if (!answer.ok) answer.why = "cannot write " + request.file;
  }
  return answer;
}

void Start(std::string_view how) {
  if (how == "--exit") std::cerr << "no licence\n";
  if (how == "--exit") std::exit(9);
  if (how == "--hang") Hang();
  CompileReady ready;
  ready.compiler = how.starts_with("--version=") ? how.substr(10) : "fake 1.0";
  if (how == "--none") ready.why = "there is no compiler";
  Say(how == "--garbage" ? "hello\n" : ToJsonLine(ready));
}

}  // namespace

int main(int argc, char** argv) {
  Start(argc > 1 ? argv[1] : "");
  std::string line;
  while (std::getline(std::cin, line)) {
    const std::optional<CompileRequest> request = ParseCompileRequest(line);
    if (!request) return 2;
    const std::string word = request->source.substr(0, request->source.find_first_of(" \n"));
    if (word == "hang") Hang();
    if (word == "crash") std::cerr << "internal error: no more registers\n";
    if (word == "crash") std::abort();
    if (word == "killed") ::kill(::getpid(), SIGKILL);
    CompileAnswer answer = Answer(*request, word);
    if (word == "stale") --answer.id;
    std::string text = word == "garbage" ? "{\"ok\": tru\n" : ToJsonLine(answer);
    if (word == "twice") text += text;
    Say(text);
    if (word == "leaves") return 0;
  }
  return 0;
}
