// SPDX-License-Identifier: MIT
#include "kernels/cpu/contain/containment.h"

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kernels/cpu/contain/system_calls.h"

namespace exh::kernels::cpu {
namespace {

constexpr std::uint64_t kMiB = 1ULL << 20;

bool Limit(int resource, std::uint64_t value) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) return false;
  if (limit.rlim_max != RLIM_INFINITY) value = std::min<std::uint64_t>(value, limit.rlim_max);
  limit = {value, value};  // Both: what it lost it does not get back.
  return ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) == 0;
}

/// What this process has by now, in bytes.
struct Memory {
  std::uint64_t addresses = 0, own = 0;
};

Memory MemoryNow() {
  unsigned long long size = 0, data = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return {};
  const int read = std::fscanf(file, "%llu %*u %*u %*u %*u %llu", &size, &data);
  std::fclose(file);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return read == 2 ? Memory{size * page, data * page} : Memory{};
}

bool SetLimits(const ProcessAllowance& allowance) {
  // What counts is memory of its own. Addresses are limited too, for what slips past that, but
  // generously: the C library reserves a lot for the heaps of threads and uses little.
  constexpr std::uint64_t kReserved = 8ULL << 30;
  constexpr std::uint64_t kOpenFiles = 64;
  const Memory now = MemoryNow();
  bool good = Limit(RLIMIT_DATA, now.own + allowance.memory_bytes);
  good &= Limit(RLIMIT_AS, now.addresses + 2 * allowance.memory_bytes + kReserved);
  good &= Limit(RLIMIT_FSIZE, 0);
  good &= Limit(RLIMIT_CORE, 0);
  good &= Limit(RLIMIT_NOFILE, kOpenFiles);
  return good;
}

bool DropPrivileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3]{};
  return ::syscall(SYS_capset, &header, none) == 0;
}

// ---- Landlock: by number, as old headers lack it
// -------------------------------------------------

constexpr long kCreateRuleset = 444, kRestrictSelf = 446;
constexpr std::uint64_t kVersionFlag = 1;

struct Ruleset {
  std::uint64_t files = 0, network = 0, scoped = 0;
};

/// Forbids all that is more than reading. Returns Landlock's version; 0: not offered.
int ForbidWriting() {
  const long version = ::syscall(kCreateRuleset, nullptr, 0UL, kVersionFlag);
  if (version < 1) return 0;
  Ruleset rules;
  // Everything that this version knows (bits 0 to 12 in the first one), but reading files and
  // folders. Nothing is allowed again, and programs cannot be executed either.
  constexpr std::uint64_t kReadFile = 1 << 2, kReadFolder = 1 << 3;
  rules.files = ((1ULL << 13) - 1) & ~(kReadFile | kReadFolder);
  if (version >= 2) rules.files |= 1ULL << 13;  // To move into other folders.
  if (version >= 3) rules.files |= 1ULL << 14;  // To cut off.
  if (version >= 4) rules.network = 3;          // To bind and to connect.
  if (version >= 5) rules.files |= 1ULL << 15;  // ioctl of devices.
  if (version >= 6) rules.scoped = 3;           // Abstract sockets, signals.
  const long ruleset = ::syscall(kCreateRuleset, &rules, sizeof rules, 0UL);
  if (ruleset < 0) return 0;
  const bool good = ::syscall(kRestrictSelf, ruleset, 0UL) == 0;
  ::close(static_cast<int>(ruleset));
  return good ? static_cast<int>(version) : 0;
}

}  // namespace

ProcessAllowance AllowanceFor(std::uint64_t array_bytes, int threads) {
  constexpr std::uint64_t kAnyone = 256 * kMiB, kThread = 64 * kMiB, kArrays = 4;
  ProcessAllowance allowance;
  const auto count = static_cast<std::uint64_t>(std::max(threads, 1));
  allowance.memory_bytes = kAnyone + count * (kThread + kArrays * array_bytes);
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"}) {
    allowance.may_pin_threads |= std::getenv(name) != nullptr;
  }
  return allowance;
}

Containment Contain(const ProcessAllowance& allowance) {
  Containment containment;
  containment.limits = SetLimits(allowance);
  containment.privileges = DropPrivileges();
  containment.files = ForbidWriting();
  containment.calls = AllowOnlyComputing(allowance.may_pin_threads);
  return containment;
}

Containment TryContainment() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const ProcessAllowance allowance = AllowanceFor(0, 1);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::uint64_t bits = ToBits(Contain(allowance));
    const bool good = ::write(ends[1], &bits, sizeof bits) == sizeof bits;
    ::_exit(good ? 0 : 1);
  }
  ::close(ends[1]);
  std::uint64_t bits = 0;
  const bool good = child > 0 && ::read(ends[0], &bits, sizeof bits) == sizeof bits;
  ::close(ends[0]);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return good ? ContainmentOfBits(bits) : Containment{};
}

std::string ContainmentText(const Containment& containment) {
  std::vector<std::string> parts;
  if (containment.limits) parts.push_back("limits of memory and files");
  if (containment.privileges) parts.push_back("no privileges");
  if (containment.calls) parts.push_back("no processes, signals or sockets (seccomp)");
  if (containment.files > 0) {
    parts.push_back(fmt::format("no writing of files (Landlock {})", containment.files));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string MissingContainmentText(const Containment& containment) {
  std::vector<std::string> parts;
  if (!containment.limits) parts.push_back("memory and files are not limited");
  if (!containment.privileges) parts.push_back("privileges are kept");
  if (!containment.calls) {
    parts.push_back("processes, signals and sockets are not refused (no seccomp filters)");
  }
  if (containment.files == 0) {
    parts.push_back(
        "files of yours can be written and other processes read (no Landlock: "
        "Linux 5.13 with CONFIG_SECURITY_LANDLOCK and 'landlock' in lsm=)");
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::uint64_t ToBits(const Containment& containment) {
  return std::uint64_t{containment.limits} | std::uint64_t{containment.privileges} << 1 |
         std::uint64_t{containment.calls} << 2 | static_cast<std::uint64_t>(containment.files) << 8;
}

Containment ContainmentOfBits(std::uint64_t bits) {
  return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, static_cast<int>(bits >> 8 & 0xFF)};
}

}  // namespace exh::kernels::cpu
