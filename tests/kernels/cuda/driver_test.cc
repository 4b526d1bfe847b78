// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/driver/driver.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace exh::kernels::cuda {
namespace {

/// Sets the fault of the fake driver for the life of the object.
class Fault {
 public:
  explicit Fault(const char* fault) { ::setenv("EXH_FAKE_CUDA", fault, 1); }
  ~Fault() { ::unsetenv("EXH_FAKE_CUDA"); }
};

TEST(Driver, ShowsItsVersionAndTheGpusThatAnswer) {
  const auto [driver, problem] =
      Driver::Load(std::vector<std::string>{"libthat-is-nowhere.so.1", EXH_FAKE_DRIVER});
  ASSERT_TRUE(driver.has_value()) << problem;
  EXPECT_EQ(driver->version(), "13.0");
  const std::vector<DeviceFacts> devices = driver->Devices();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].name, "Fake GPU");
  EXPECT_EQ(devices[0].capability_major, 9);
  EXPECT_EQ(devices[0].capability_minor, 0);
  EXPECT_EQ(devices[0].multiprocessors, 4);
  EXPECT_EQ(devices[0].memory_bytes, std::uint64_t{3} << 30);
  EXPECT_EQ(devices[0].shared_bytes, 232448u);
  EXPECT_EQ(devices[0].l2_bytes, 1u << 20);
}

TEST(Driver, ThatIsNotThereIsNamedWithWhatHelps) {
  const auto [driver, problem] = Driver::Load(std::vector<std::string>{"libthat-is-nowhere.so.1"});
  EXPECT_FALSE(driver.has_value());
  EXPECT_EQ(problem, "libthat-is-nowhere.so.1 is not there: install the driver of your NVIDIA GPU");
}

TEST(Driver, ThatLacksAFunctionIsRefused) {
  const auto [driver, problem] = Driver::Load(std::vector<std::string>{EXH_NO_DRIVER});
  EXPECT_FALSE(driver.has_value());
  EXPECT_NE(problem.find("has no 'cuDriverGetVersion'"), std::string::npos) << problem;
}

TEST(Driver, MayLackTensorMaps) {
  const auto [driver, problem] =
      Driver::Load(std::vector<std::string>{EXH_FAKE_DRIVER_WITHOUT_MAPS});
  ASSERT_TRUE(driver.has_value()) << problem;
  EXPECT_EQ(driver->functions().cuTensorMapEncodeTiled, nullptr);
  EXPECT_EQ(driver->Devices().size(), 1u);
}

TEST(Driver, ThatIsTooOldIsRefusedByItsVersion) {
  const Fault fault("old");
  const auto [driver, problem] = Driver::Load(std::vector<std::string>{EXH_FAKE_DRIVER});
  EXPECT_FALSE(driver.has_value());
  EXPECT_NE(problem.find("is a driver for CUDA 12.4: install one that supports CUDA 12.8 or later"),
            std::string::npos)
      << problem;
}

TEST(Driver, ThatDoesNotStartSaysWhy) {
  {
    const Fault fault("no-device");
    const auto [driver, problem] = Driver::Load(std::vector<std::string>{EXH_FAKE_DRIVER});
    EXPECT_FALSE(driver.has_value());
    EXPECT_NE(problem.find("cannot start: CUDA_ERROR_NO_DEVICE (no CUDA-capable device"),
              std::string::npos)
        << problem;
  }
  const Fault fault("dumb");
  const auto [driver, problem] = Driver::Load(std::vector<std::string>{EXH_FAKE_DRIVER});
  EXPECT_FALSE(driver.has_value());
  EXPECT_NE(problem.find("cannot start: error 100"), std::string::npos) << problem;
}

}  // namespace
}  // namespace exh::kernels::cuda
