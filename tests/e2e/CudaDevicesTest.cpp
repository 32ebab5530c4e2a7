// Tests the enumeration of NVIDIA devices (attn/cuda.h) on a fake driver.
#include "attn/cuda.h"
#include "tests/support/FakeCuda.h"
#include <gtest/gtest.h>

namespace attnc::e2e {
namespace {

class CudaDevices : public testing::Test {
protected:
  void SetUp() override {
    fake = findFakeCuda();
    if (!fake)
      GTEST_SKIP() << "libcuda.so.1 is not the fake: run by ctest";
    *fake = FakeCuda();
  }

  FakeCuda *fake = nullptr;
  attn_status status{};
  attn_cuda_device device{};
};

} // namespace

TEST_F(CudaDevices, WhichThereAre) {
  fake->devices = 2;
  int32_t count = -1;
  EXPECT_EQ(attn_cuda_count(&count, &status), ATTN_OK) << status.message;
  EXPECT_EQ(count, 2);
  EXPECT_EQ(attn_cuda_describe(1, &device, &status), ATTN_OK) << status.message;
  EXPECT_STREQ(device.name, "Fake 1");
  EXPECT_EQ(device.memory_bytes, int64_t(1) << 34);
  EXPECT_EQ(device.architecture, 80);
  EXPECT_EQ(device.processors, 132);
  EXPECT_EQ(attn_cuda_describe(2, &device, &status), ATTN_BAD_ARGUMENT);
  fake->failures = {{"cuInit", 100}};
  EXPECT_EQ(attn_cuda_count(&count, &status), ATTN_UNSUPPORTED);
  EXPECT_EQ(count, 0);
  EXPECT_STREQ(status.message, "there is no NVIDIA device");
}

/// A description is zero after an error, even if the driver has answered the first questions.
TEST_F(CudaDevices, DescriptionAfterAnError) {
  for (const char *failing : {"cuDeviceGetName", "cuDeviceTotalMem_v2", "cuDeviceGetAttribute"}) {
    fake->failures = {{failing, 999}};
    EXPECT_EQ(attn_cuda_describe(0, &device, &status), ATTN_DEVICE_FAULT);
    EXPECT_STREQ(status.message, "can't query device 0: CUDA_ERROR_UNKNOWN");
    EXPECT_STREQ(device.name, "") << failing;
    EXPECT_EQ(device.memory_bytes, 0) << failing;
    EXPECT_EQ(device.processors, 0) << failing;
  }
}

} // namespace attnc::e2e
