// SPDX-License-Identifier: MIT
#include "tests/kernels/cuda/fake_gpu.h"

#include <unistd.h>

#include <algorithm>
#include <thread>

namespace exh::kernels::cuda {
namespace fake {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;
constexpr unsigned char kNobodysByte = 0xCD;

}  // namespace

Memory& Memory::Get() {
  static Memory* const memory = new Memory;  // A process may end while work is still pending.
  return *memory;
}

CUdeviceptr Memory::Allocate(std::size_t bytes) {
  if (bytes == 0 || bytes > kMostBytes - bytes_) return 0;
  bytes_ += bytes;
  auto block = std::make_unique<std::vector<unsigned char>>(bytes, kNobodysByte);
  const auto address = reinterpret_cast<CUdeviceptr>(block->data());
  allocations_.emplace(address, std::move(block));
  return address;
}

bool Memory::Free(CUdeviceptr address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return false;
  bytes_ -= found->second->size();
  allocations_.erase(found);
  return true;
}

void* Memory::Bytes(CUdeviceptr address, std::uint64_t bytes) {
  auto after = allocations_.upper_bound(address);
  if (after != allocations_.begin()) {
    const auto& [begin, block] = *--after;
    if (address - begin <= block->size() && bytes <= block->size() - (address - begin)) {
      return block->data() + (address - begin);
    }
  }
  Break(kIllegalAddress);
  return nullptr;
}

void Memory::Break(CUresult error) {
  if (error_ == kSuccess) error_ = error;
}

}  // namespace fake

void CudaStream::Enqueue(const fake::Work& work) {
  pending_.push_back({work, Clock::now()});
}

void CudaStream::Advance() {
  const fake::Memory& memory = fake::Memory::Get();
  while (!pending_.empty() && memory.error() == kSuccess) {
    Pending& front = pending_.front();
    if (!front.started) {
      front.started = true;
      front.ns = front.work.start();
      front.end = front.ns == fake::kForever
                      ? Clock::time_point::max()
                      : std::max(free_, front.enqueued) + std::chrono::nanoseconds(front.ns);
    }
    if (Clock::now() < front.end) return;
    free_ = front.end;
    ns += front.ns;
    front.work.finish();
    pending_.pop_front();
  }
  if (memory.error() != kSuccess) pending_.clear();
}

void CudaStream::Synchronize() {
  for (Advance(); !pending_.empty(); Advance()) {
    if (pending_.front().end == Clock::time_point::max()) {
      while (true) ::pause();
    }
    std::this_thread::sleep_until(pending_.front().end);
  }
}

}  // namespace exh::kernels::cuda
