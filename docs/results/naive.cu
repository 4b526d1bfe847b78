// SPDX-License-Identifier: MIT
//
// The matrix product that everyone writes first, as a yardstick: one thread for each element of C,
// blocks of 16 x 16, threadIdx.x along n, no shared memory. C = A * B, row-major, single precision.
//
//   nvcc -O3 -arch=native naive.cu -o naive && ./naive [m n k]
//
// Checks 4096 elements against double precision, then prints the median of 20 timed runs.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

__global__ void Naive(int m, int n, int k, const float* __restrict__ a, const float* __restrict__ b,
                      float* __restrict__ c) {
  const int column = blockIdx.x * 16 + threadIdx.x;
  const int row = blockIdx.y * 16 + threadIdx.y;
  if (row >= m || column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) {
    sum += a[static_cast<size_t>(row) * k + i] * b[static_cast<size_t>(i) * n + column];
  }
  c[static_cast<size_t>(row) * n + column] = sum;
}

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t result = (call);                                   \
    if (result != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(result));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

int main(int argc, char** argv) {
  int sizes[3] = {1024, 1024, 1024};
  if (argc != 1 && argc != 4) {
    std::fprintf(stderr, "usage: naive [m n k]\n");
    return 2;
  }
  for (int i = 1; i < argc; ++i) {
    sizes[i - 1] = std::atoi(argv[i]);
    if (sizes[i - 1] < 1 || sizes[i - 1] > 32768) {
      std::fprintf(stderr, "naive: '%s' is not a size from 1 to 32768\n", argv[i]);
      return 2;
    }
  }
  const int m = sizes[0], n = sizes[1], k = sizes[2];
  const size_t size_a = static_cast<size_t>(m) * k, size_b = static_cast<size_t>(k) * n;
  const size_t size_c = static_cast<size_t>(m) * n;
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> a(size_a), b(size_b), c(size_c, std::nanf(""));
  for (float& x : a) x = uniform(random);
  for (float& x : b) x = uniform(random);

  float *device_a = nullptr, *device_b = nullptr, *device_c = nullptr;
  CHECK(cudaMalloc(&device_a, size_a * sizeof(float)));
  CHECK(cudaMalloc(&device_b, size_b * sizeof(float)));
  CHECK(cudaMalloc(&device_c, size_c * sizeof(float)));
  CHECK(cudaMemcpy(device_a, a.data(), size_a * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_b, b.data(), size_b * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_c, c.data(), size_c * sizeof(float), cudaMemcpyHostToDevice));

  const dim3 block(16, 16), grid((n + 15) / 16, (m + 15) / 16);
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  std::vector<float> times;
  for (int run = -3; run < 20; ++run) {
    CHECK(cudaEventRecord(start));
    Naive<<<grid, block>>>(m, n, k, device_a, device_b, device_c);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    if (run >= 0) times.push_back(milliseconds);
  }
  CHECK(cudaMemcpy(c.data(), device_c, size_c * sizeof(float), cudaMemcpyDeviceToHost));

  // The error of a sum of k products of numbers below 1 grows with its length.
  const double tolerance = 1e-6 * k + 1e-6;
  for (int sample = 0; sample < 4096; ++sample) {
    const size_t row = random() % static_cast<unsigned>(m),
                 column = random() % static_cast<unsigned>(n);
    double sum = 0;
    for (int i = 0; i < k; ++i) {
      sum += static_cast<double>(a[row * k + i]) *
             static_cast<double>(b[static_cast<size_t>(i) * n + column]);
    }
    const double got = c[row * n + column];
    if (!(std::fabs(got - sum) <= tolerance)) {
      std::fprintf(stderr, "naive: C[%zu][%zu] is %.9g, wanted %.9g\n", row, column, got, sum);
      return 1;
    }
  }
  std::nth_element(times.begin(), times.begin() + 10, times.end());
  const double seconds = times[10] * 1e-3;
  std::printf("naive %d x %d x %d: %.1f us, %.0f GFLOP/s\n", m, n, k, seconds * 1e6,
              2.0 * m * n * k / seconds * 1e-9);
  return 0;
}
