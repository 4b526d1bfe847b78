# SPDX-License-Identifier: MIT
"""Candidates that are out to harm: they forge answers and times, look for what they are compared with, write where
nothing of theirs is, and attack the search and the machine. None may be `correct` that did not compute, whatever it does
must stay without effect, and nothing of it may be left."""
import json
import os
import re
import socket
import subprocess
import threading

SHORT, LONG = 14, 1000  # All there are.

SIZE = 48
SIZES = f"m={SIZE},n={SIZE},k={SIZE}"

HEAD = """
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
constexpr long N = %d;
static void right(float* const* p) {
  for (long i = 0; i < N; ++i) for (long j = 0; j < N; ++j) {
    float sum = 0;
    for (long k = 0; k < N; ++k) sum += p[0][i * N + k] * p[1][k * N + j];
    p[2][i * N + j] = sum;
  }
}
static long runs = 0;
""" % SIZE

# The clock of the process, replaced in the tables of everything that is loaded.
STANDING_CLOCK = """
extern "C" int Stands(clockid_t, timespec* t) { t->tv_sec = 5; t->tv_nsec = 0; return 0; }
static long Now() { return 5; }
static void Patch(ElfW(Addr) base, const ElfW(Dyn)* d) {
  const char* names = 0; const ElfW(Sym)* symbols = 0; const ElfW(Rela)* rela[2] = {}; size_t bytes[2] = {};
  for (; d->d_tag; ++d) { auto p = d->d_un.d_ptr;
    if (d->d_tag == DT_STRTAB) names = (const char*)p;
    if (d->d_tag == DT_SYMTAB) symbols = (const ElfW(Sym)*)p;
    if (d->d_tag == DT_JMPREL) rela[0] = (const ElfW(Rela)*)p;
    if (d->d_tag == DT_RELA) rela[1] = (const ElfW(Rela)*)p;
    if (d->d_tag == DT_PLTRELSZ) bytes[0] = p;
    if (d->d_tag == DT_RELASZ) bytes[1] = p; }
  for (int k = 0; k < 2; ++k) for (size_t i = 0; i < bytes[k] / sizeof(ElfW(Rela)); ++i) {
    const char* name = names + symbols[ELF64_R_SYM(rela[k][i].r_info)].st_name;
    const bool c = !strcmp(name, "clock_gettime"), chrono = !strcmp(name, "_ZNSt6chrono3_V212steady_clock3nowEv");
    if (!c && !chrono) continue;
    void** slot = (void**)(base + rela[k][i].r_offset);
    mprotect((void*)((size_t)slot & ~4095ul), 8192, PROT_READ | PROT_WRITE);
    *slot = c ? (void*)Stands : (void*)Now; } }
__attribute__((constructor)) static void Begin() {
  dl_iterate_phdr([](dl_phdr_info* info, size_t, void*) {
    if (strstr(info->dlpi_name, "libc.so") || strstr(info->dlpi_name, "vdso")) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      Patch(info->dlpi_addr, (const ElfW(Dyn)*)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
    return 0; }, nullptr); }
"""

# Computes in double precision what it is compared with, and is right only if it finds that somewhere.
SEARCH = """
static std::vector<double> Expected(float* const* p) {
  std::vector<double> e(N * N);
  for (long i = 0; i < N; ++i) for (long j = 0; j < N; ++j) {
    double sum = 0; for (long k = 0; k < N; ++k) sum += double(p[0][i * N + k]) * p[1][k * N + j];
    e[i * N + j] = sum; }
  return e; }
// Is a run of them in these bytes? Sums may have been formed in another order.
static bool Holds(const char* bytes, size_t size, const std::vector<double>& e) {
  for (size_t at = 0; at + 64 * 8 <= size; at += 8) { size_t same = 0; double x;
    for (; same < 32; ++same) { memcpy(&x, bytes + at + same * 8, 8); if (!(__builtin_fabs(x - e[same]) < 1e-9)) break; }
    if (same == 32) return true; }
  return false; }
static bool HoldsMemory(int memory, const char* maps, const std::vector<double>& e, const void* own) {
  FILE* f = fopen(maps, "r"); if (!f) return false;
  char line[512]; bool found = false; std::vector<char> bytes;
  while (!found && fgets(line, sizeof line, f)) { unsigned long b, n; char r;
    if (sscanf(line, "%lx-%lx %c", &b, &n, &r) != 3 || r != 'r' || n - b > (64ul << 20) || strstr(line, "[v")) continue;
    if ((unsigned long)own >= b && (unsigned long)own < n) continue;
    bytes.resize(n - b); ssize_t got = pread(memory, bytes.data(), n - b, b);
    if (got > 0) found = Holds(bytes.data(), got, e); }
  fclose(f); return found; }
"""


def body_of(text):
    """A candidate whose exh_run has this body."""
    return ("extern \"C\" void exh_run(void* const* arrays, const double*, int) { ++runs; "
            "float* const p[] = {(float*)arrays[0], (float*)arrays[1], (float*)arrays[2]}; " + text + " }\n")


def right(before="", after=""):
    """One that computes, and does this as well."""
    return body_of(before + " right(p); " + after)


def beyond(elements):
    place = f"p[2] + N * N - 1 + {elements}" if elements > 0 else f"p[2] - {-elements}"
    return right(after=f"float* volatile far = {place}; *far = 1;")


def constructor(body):
    return "__attribute__((constructor)) static void Early() { " + body + " }\n"


# It did what it should, and nothing else came of it; on a machine with much else to do it may be slow.
COMPUTES = {"correct", "slow"}
WRONG = {"wrong"}
FINDS_NOTHING = {"wrong", "slow"}  # A search takes long, and is stopped on a machine with much else to do.
DIES = {"crash"}
OUTSIDE = {"wrong", "crash"}
HANGS = {"timeout"}

# Name, text, the verdicts that are right. The gravest first: those are in the short test.
HOSTILE = [
    ("only the first run computes", body_of("if (runs == 1) right(p);"), WRONG),
    ("an element that only the first run writes", body_of("float x = p[2][7]; right(p); if (runs > 1) p[2][7] = x;"), WRONG),
    ("wrong in every hundredth run", right(after="if (runs % 100 == 50) p[2][9] += 1;"), WRONG),
    ("an answer forged on every descriptor", body_of(
        "char text[424] = {}; double ns = 0.001; memcpy(text + 16, &ns, 8);"
        "const char* json = \"{\\\"verdict\\\":\\\"correct\\\",\\\"best_ns\\\":0.001,\\\"runtimes_ns\\\":[0.001]}\\n\";"
        "for (int fd = 0; fd < 64; ++fd) { write(fd, text, sizeof text); write(fd, json, strlen(json)); }"), WRONG),
    ("answers in the place of its process", constructor(
        "std::thread([] { char c[64]; while (true) { ssize_t n = read(3, c, sizeof c); if (n < 8) continue;"
        "char r[424] = {}; memcpy(r, c, 8); double ns = 1; memcpy(r + 16, &ns, 8); write(3, r, sizeof r); } }).detach();")
     + body_of(""), WRONG | DIES | HANGS),
    ("searches its memory for what is expected", SEARCH + body_of(
        "static bool found = false; if (runs == 1) { auto e = Expected(p); int m = open(\"/proc/self/mem\", O_RDONLY);"
        "found = HoldsMemory(m, \"/proc/self/maps\", e, e.data()); }"
        "if (found) right(p);"), FINDS_NOTHING),
    ("searches its parent's memory", SEARCH + body_of(
        "static bool found = false; if (runs == 1) { auto e = Expected(p);"
        "std::string parent = \"/proc/\" + std::to_string(getppid());"
        "int m = open((parent + \"/mem\").c_str(), O_RDONLY);"
        "found = m >= 0 && HoldsMemory(m, (parent + \"/maps\").c_str(), e, nullptr); }"
        "if (found) right(p);"), FINDS_NOTHING),
    ("140 KB beyond the result", beyond(140 * 256), OUTSIDE),
    ("a session of its own", right(
        "if (runs == 1 && fork() == 0) { setsid(); if (fork() == 0) for (;;) sleep(1); for (;;) sleep(1); }"), COMPUTES),
    ("kills its parent", right("kill(getppid(), SIGKILL);"), COMPUTES),
    ("1.6 GB", body_of("static char* m = (char*)malloc(1600ul << 20); if (!m) return;"
                   "for (size_t i = 0; i < (1600ul << 20); i += 4096) m[i] = 1; right(p);"), WRONG | DIES),
    ("a file in the home folder", right(
        "if (runs == 1) { std::string f = std::string(getenv(\"HOME\")) + \"/was_here\"; int fd = open(f.c_str(), O_CREAT"
        " | O_WRONLY, 0600); write(fd, \"x\", 1); mkdir((f + \"_too\").c_str(), 0700); }"), COMPUTES),
    ("a clock that stands still", STANDING_CLOCK + body_of("for (int i = 0; i < 20; ++i) right(p);"), {"impossible"}),
    ("connects to the network", right(
        "if (runs == 1) { int s = socket(AF_INET, SOCK_STREAM, 0); sockaddr_in a{}; a.sin_family = AF_INET;"
        "a.sin_port = htons(atoi(getenv(\"ATTACK_PORT\"))); a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);"
        "if (connect(s, (sockaddr*)&a, sizeof a) == 0) write(s, \"x\", 1); }"), COMPUTES),
    # ---- the long ones ----
    ("does nothing", body_of(""), WRONG),
    ("zeros", body_of("memset(p[2], 0, N * N * 4);"), WRONG),
    ("results remembered from the first run", body_of(
        "static float once[N * N]; if (runs == 1) { right(p); memcpy(once, p[2], sizeof once); }"
        "memcpy(p[2], once, sizeof once);"), WRONG),
    ("results remembered by address", body_of(
        "static const float* seen = 0; static float once[N * N]; if (seen != p[0]) { right(p);"
        "memcpy(once, p[2], sizeof once); seen = p[0]; } memcpy(p[2], once, sizeof once);"), WRONG),
    ("computes only what holds NaN", body_of("if (__builtin_isnan(p[2][0]) || __builtin_isnan(p[2][N * N - 1])) right(p);"), WRONG),
    ("searches files for what is expected", SEARCH + body_of(
        "static bool found = false; if (runs == 1) { auto e = Expected(p); std::vector<std::string> folders = {"
        "getenv(\"TMPDIR\"), \"/dev/shm\", \"/proc/\" + std::to_string(getppid()) + \"/fd\", \"/proc/self/fd\"};"
        "for (size_t at = 0; at < folders.size() && !found; ++at) { DIR* d = opendir(folders[at].c_str());"
        "while (dirent* x = d ? readdir(d) : 0) { if (x->d_name[0] == '.') continue;"
        "std::string path = folders[at] + \"/\" + x->d_name; struct stat s; if (stat(path.c_str(), &s) != 0) continue;"
        "if (S_ISDIR(s.st_mode) && folders.size() < 100) folders.push_back(path); if (!S_ISREG(s.st_mode)) continue;"
        "int f = open(path.c_str(), O_RDONLY); std::vector<char> b(s.st_size < (1 << 28) ? s.st_size : 0);"
        "ssize_t n = pread(f, b.data(), b.size(), 0); close(f); if (n > 0 && Holds(b.data(), n, e)) found = true; } } }"
        "if (found) right(p);"), FINDS_NOTHING),
    ("reads its parent with process_vm_readv", body_of(
        "char c[64]; iovec l{c, 64}, r{(void*)p, 64};"
        "if (process_vm_readv(getppid(), &l, 1, &r, 1, 0) >= 0 || errno == EFAULT) right(p);"), WRONG),
    ("traces its parent", body_of("if (ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0) right(p);"), WRONG),
    ("writes its parent's memory", body_of(
        "std::string f = \"/proc/\" + std::to_string(getppid()) + \"/mem\"; if (open(f.c_str(), O_RDWR) >= 0) right(p);"),
     WRONG),
    ("4 bytes before the result", beyond(-1), OUTSIDE),
    ("4 bytes behind the result", beyond(1), OUTSIDE),
    ("4 KB before the result", beyond(-1030), OUTSIDE),
    ("4 KB behind the result", beyond(1024), OUTSIDE),
    ("140 KB before the result", beyond(-140 * 256), OUTSIDE),
    ("1 MB before the result", beyond(-(1 << 18)), OUTSIDE),
    ("1 MB behind the result", beyond(1 << 18), OUTSIDE),
    ("30 MB behind the result", beyond(15 << 19), OUTSIDE),
    ("writes an input", right(after="float* volatile a = p[0]; a[3] = 1;"), DIES),
    ("makes its inputs writable", right(
        "static bool open_ = mprotect((void*)((size_t)p[0] & ~4095ul), 4096, PROT_READ | PROT_WRITE) == 0;"
        "if (open_) for (long i = 0; i < 8; ++i) p[0][i] = 0; else if (runs > 3) abort();"), DIES | WRONG),
    ("maps its inputs again to write them", body_of(
        "void* m = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0); if (m != MAP_FAILED) right(p);"), WRONG),
    ("puts other memory in the place of the result", body_of(
        "static void* m = mmap((void*)((size_t)p[2] & ~4095ul), N * N * 4, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS"
        " | MAP_FIXED, -1, 0); right(p);"), WRONG),
    ("unmaps its arrays", right(after="munmap((void*)p[2], 4096); munmap((void*)p[0], 4096);"), DIES | WRONG),
    ("cuts off the memory of the arrays", body_of("if (ftruncate(5, 0) == 0 || ftruncate(4, 0) == 0) right(p);"), WRONG),
    ("closes every descriptor", right("for (int fd = 0; fd < 64; ++fd) close(fd);"), DIES),
    ("fills the channel", body_of("char c[424] = {}; for (;;) if (write(3, c, sizeof c) < 0) break; right(p);"), WRONG | HANGS),
    ("forks for ever", right("if (runs < 9) for (int i = 0; i < 1000; ++i) if (fork() == 0) for (;;) sleep(1);"), COMPUTES),
    ("processes by clone and vfork", right(
        "if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0) for (;;) sleep(1);"
        "if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0) for (;;) sleep(1);"
        "if (vfork() == 0) _exit(0);"), COMPUTES),
    ("another program", right("if (runs == 1) execl(\"/bin/sleep\", \"sleep\", \"1000\", (char*)0);"), COMPUTES),
    ("threads for ever", right(
        "pthread_attr_t a; pthread_attr_init(&a); pthread_attr_setstacksize(&a, 65536); pthread_t t;"
        "for (int i = 0; i < 20000; ++i) if (pthread_create(&t, &a, [](void*) -> void* { for (;;) sleep(1); }, 0)) break;"
        "usleep(200000);"), DIES | HANGS | {"slow"}),
    ("a thread that writes later", body_of(
        "std::thread([=] { usleep(20000); right(p); }).detach();"), WRONG | DIES),
    ("asks its parent to end", right("kill(getppid(), SIGTERM); kill(getppid(), SIGINT);"), COMPUTES),
    ("stops its parent", right("kill(getppid(), SIGSTOP);"), COMPUTES),
    ("kills everybody", right("kill(-1, SIGKILL); kill(0, SIGKILL); syscall(SYS_tkill, getppid(), SIGKILL);"), COMPUTES),
    ("a signal for the parent from its own channel", right(
        "fcntl(3, F_SETOWN, getppid()); fcntl(3, F_SETSIG, SIGKILL); fcntl(3, F_SETFL, O_ASYNC);"), COMPUTES),
    ("stops itself", right("raise(SIGSTOP); kill(getpid(), SIGSTOP);"), COMPUTES | HANGS),
    ("kills itself", right(after="kill(getpid(), SIGKILL); *(volatile int*)0 = 0;"), DIES),
    ("ends in a constructor", constructor("exit(0);") + right(), DIES),
    ("ends well", right(after="exit(0);"), DIES),
    ("ends at once", right(after="_exit(0);"), DIES),
    ("an endless constructor", constructor("for (volatile int i = 0;; ++i) {}") + right(), HANGS),
    ("an endless loop", body_of("for (volatile int i = 0;; ++i) {}"), HANGS),
    ("endless sleep", body_of("for (;;) sleep(1);"), HANGS),
    ("endless after the first run", body_of("if (runs > 1) for (;;) sleep(1); right(p);"), HANGS),
    ("throws", right(after="throw 42;"), DIES),
    ("aborts", right(after="abort();"), DIES),
    ("jumps out", body_of("static jmp_buf b; if (runs == 1) { right(p); setjmp(b); } else longjmp(b, 1);"), DIES | WRONG | HANGS),
    ("swallows faults", constructor("signal(SIGSEGV, [](int) {});") + body_of("*(volatile int*)0 = 1; right(p);"), HANGS),
    ("ends well at a fault", constructor("signal(SIGSEGV, [](int) { _exit(0); });") + body_of("*(volatile int*)0 = 1;"), DIES),
    ("a stack without end", "static int Deep(volatile char* x) { volatile char y[4096]; y[0] = *x; return Deep(y) + y[0]; }\n"
     + body_of("char c = 1; if (Deep(&c) == 3) return; right(p);"), DIES | HANGS),
    ("shared memory without end", body_of(
        "for (int i = 0; i < 64; ++i) { void* m = mmap(0, 64 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);"
        "if (m == MAP_FAILED) return; memset(m, 1, 64 << 20); } right(p);"), WRONG | DIES),
    ("memory files without end", body_of(
        "int f = syscall(SYS_memfd_create, \"x\", 0); if (f < 0) return; std::vector<char> c(1 << 20);"
        "for (int i = 0; i < 4096; ++i) if (write(f, c.data(), c.size()) <= 0) return; right(p);"), WRONG | DIES),
    ("a huge file", body_of(
        "std::string f = std::string(getenv(\"TMPDIR\")) + \"/huge\"; int fd = open(f.c_str(), O_CREAT | O_RDWR, 0600);"
        "if (fd >= 0 && ftruncate(fd, 1ul << 33) == 0) right(p);"), WRONG | DIES),
    ("removes the files of the search", right(
        "if (runs == 1) { std::string t = getenv(\"TMPDIR\"); DIR* d = opendir(t.c_str()); while (dirent* x = d ? readdir(d) : 0)"
        " { std::string f = t + \"/\" + x->d_name; DIR* i = opendir(f.c_str()); while (dirent* y = i ? readdir(i) : 0)"
        " unlink((f + \"/\" + y->d_name).c_str()); rename(f.c_str(), (t + \"/gone\").c_str()); } }"), COMPUTES),
    ("prints without end", right("if (runs == 1) for (int i = 0; i < 100000; ++i) puts(\"{\\\"verdict\\\":\\\"correct\\\"}\");"),
     COMPUTES),
    ("more limits", body_of("rlimit l{RLIM_INFINITY, RLIM_INFINITY}; if (setrlimit(RLIMIT_DATA, &l) == 0) right(p);"), WRONG),
    ("outlives its parent", body_of("if (syscall(SYS_prctl, 1, 0, 0, 0, 0) == 0) right(p);"), WRONG),
]


def text_of(body):
    # What takes long to compile, only where it is used.
    heads = [head for head in ("string", "thread", "vector") if "std::" + head in body]
    if "std::to_string" in body and "string" not in heads:
        heads.append("string")
    return "".join(f"#include <{head}>\n" for head in heads) + HEAD + body


class Victim:
    """A program with the evaluator of a search, that is attacked by one candidate after the other."""

    def __init__(self, scene, number):
        self.folder = os.path.join(scene.folder, str(number))
        self.home, self.scratch = os.path.join(self.folder, "home"), os.path.join(self.folder, "scratch")
        os.makedirs(self.home)
        os.makedirs(self.scratch)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.setblocking(False)
        self.mark = f"ATTACK_MARK={os.path.basename(scene.folder)}-{number}"
        name, value = self.mark.split("=")
        environment = {**os.environ, "HOME": self.home, "TMPDIR": self.scratch, name: value,
                       "ATTACK_PORT": str(self.server.getsockname()[1])}
        self.errors = open(os.path.join(self.folder, "errors"), "w+", encoding="utf-8")
        self.program = subprocess.Popen([os.path.join(scene.bin, "candidates"), "matmul", SIZES, "2"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True,
                                        env=environment)
        self.attempts = 0

    def is_alive(self):
        return self.program.poll() is None

    def attempt(self, body, expected):
        """What went wrong; None when all is as it should be."""
        self.attempts += 1
        source = os.path.join(self.folder, f"{self.attempts}.cc")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text_of(body))
        watchdog = threading.Timer(300, self.program.kill)
        watchdog.start()
        try:
            self.program.stdin.write(source + "\n")
            self.program.stdin.flush()
            line = self.program.stdout.readline()
        except OSError:
            line = ""
        finally:
            watchdog.cancel()
        if not line:
            code = self.program.wait()
            self.errors.seek(0)
            return f"the search ended with {code}: {self.errors.read()[-500:]}"
        answer = json.loads(line)
        if answer["verdict"] not in expected:
            return f"{answer['verdict']} ({answer['why'][:300]}), expected {' or '.join(sorted(expected))}"
        return self.traces()

    def traces(self):
        processes = self.processes()
        if processes:
            return f"processes are left: {processes}"
        files = [os.path.join(top, name) for top, folders, names in os.walk(self.home) for name in folders + names]
        # What compilers are known to get wrong is kept for the next search.
        cache = os.path.join(self.home, ".cache")
        kept = re.compile(re.escape(cache) + r"(/exhaust(/known-answers(/[0-9a-f]{32}\.json)?)?)?")
        files = [name for name in files if not kept.fullmatch(name)]
        files += [name for name in os.listdir(self.scratch) if not name.startswith("exhaust-")]
        if files:
            return f"files are left: {files}"
        try:
            self.server.accept()[0].close()
            return "somebody was reached over the network"
        except BlockingIOError:
            return None

    def processes(self):
        """Those that carry our mark and are neither the program nor what it starts processes with: its fork server, too, which is
        not contained, as every candidate and what that starts is."""
        found, servers = [], 0
        for entry in os.listdir("/proc"):
            try:
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if (self.mark + "\0").encode() not in file.read() + b"\0":
                        continue
                with open(f"/proc/{entry}/cmdline", "rb") as file:
                    words = file.read().decode(errors="replace").split("\0")
                with open(f"/proc/{entry}/status", encoding="utf-8") as file:
                    is_contained = "NoNewPrivs:\t1" in file.read()
            except OSError:
                continue  # No process, or it ended meanwhile.
            is_server = words[1:2] == ["run-candidate"] and not is_contained
            servers += is_server
            if words[1:2] != ["matmul"] and not (is_server and servers == 1):
                found.append(entry + " " + " ".join(words))
        return found

    def end(self):
        """Whatever was tried, it ends as it should and takes its files with it."""
        if not self.is_alive():
            return None  # That was said when it happened.
        self.program.stdin.close()
        try:
            code = self.program.wait(60)
        except subprocess.TimeoutExpired:
            self.program.kill()
            return "it does not end"
        finally:
            self.server.close()
            self.errors.close()
        left = os.listdir(self.scratch)
        if code != 0 or left:
            return f"ended with {code}, leaves {left}"
        return None


def run(scene, count):
    victim = Victim(scene, 0)
    # An attack that cannot succeed proves nothing: what is right is seen to be right, what is wrong as wrong.
    yield "control: a right candidate", victim.attempt(right(), COMPUTES)
    refused = victim.attempt(right(after="p[2][5] += 1;"), COMPUTES)
    yield "control: a wrong candidate", None if refused and refused.startswith("wrong (") else f"went unnoticed: {refused}"
    for number, (name, body, expected) in enumerate(HOSTILE[:count]):
        if not victim.is_alive():
            victim = Victim(scene, number + 1)
        yield name, victim.attempt(body, expected)
    if victim.is_alive():
        yield "control: a right candidate after all of them", victim.attempt(right(), COMPUTES)
    yield "the end of the search", victim.end()
