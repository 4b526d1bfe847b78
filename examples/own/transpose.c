// SPDX-License-Identifier: MIT
// b = a', in tiles of ROWS x COLUMNS. It checks its result, and says how long it took.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static float a[N][N], b[N][N];

static void transpose(void) {
  for (int i0 = 0; i0 < N; i0 += ROWS) {
    for (int j0 = 0; j0 < N; j0 += COLUMNS) {
#if INNER_ROWS
      for (int j = j0; j < j0 + COLUMNS && j < N; ++j) {
        for (int i = i0; i < i0 + ROWS && i < N; ++i) b[j][i] = a[i][j];
      }
#else
      for (int i = i0; i < i0 + ROWS && i < N; ++i) {
        for (int j = j0; j < j0 + COLUMNS && j < N; ++j) b[j][i] = a[i][j];
      }
#endif
    }
  }
}

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e6 * time.tv_sec + 1e-3 * time.tv_nsec;
}

int main(void) {
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) a[i][j] = (float)(i * 31 + j);
  }
  transpose();
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) {
      if (b[j][i] == a[i][j]) continue;
      printf("{\"verdict\": \"wrong\", \"why\": \"b[%d][%d]\"}\n", j, i);
      return 0;
    }
  }
  double us[5];
  for (int run = 0; run < 5; ++run) {
    const double begin = now_us();
    transpose();
    us[run] = now_us() - begin;
  }
  printf("{\"verdict\": \"correct\", \"time_us\": [%f, %f, %f, %f, %f]}\n", us[0], us[1], us[2], us[3], us[4]);
  return 0;
}
