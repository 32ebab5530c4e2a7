// The runtime's part for devices (attn/cuda.h) on a driver that is a fake: what it computes with compiled models, what
// it keeps and gives back, and what it says where something fails.
#include "attn/cuda.h"
#include "tests/e2e/CompiledModel.h"
#include "tests/e2e/Subject.h"
#include "tests/support/FakeCuda.h"
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

namespace attnc::e2e {
namespace {

/// A call of the entry point `residual` or `embed` of device.attn.
struct Call {
  const CompiledModel &model;
  int64_t entry;
  std::vector<std::vector<char>> memory;
  std::vector<attn_tensor> tensors;

  Call(const CompiledModel &model, const char *name, std::vector<int64_t> dimensions)
      : model(model), entry(attn_find_entry(&model.table(), name)) {
    const attn_entry_info &info = model.table().entries[entry];
    for (int32_t number = 0; number < info.input_count + info.result_count; ++number) {
      attn_tensor tensor{nullptr, {}, info.tensors[number].dtype, info.tensors[number].rank};
      int64_t elements = 1;
      for (auto [d, size] : llvm::enumerate(shapeOf(info.tensors[number], dimensions))) {
        tensor.shape[d] = size;
        elements *= size;
      }
      memory.emplace_back(elements * 4, 0);
      tensors.push_back(tensor);
    }
    for (auto [tensor, bytes] : llvm::zip(tensors, memory))
      tensor.data = bytes.data();
  }

  attn_code run(attn_cuda *cuda, attn_status &status) {
    return attn_cuda_run(cuda, entry, tensors.data(), static_cast<int64_t>(tensors.size()), &status);
  }
};

class Cuda : public testing::Test {
protected:
  void SetUp() override {
    fake = findFakeCuda();
    if (!fake)
      GTEST_SKIP() << "libcuda.so.1 is not the fake: run by ctest";
    *fake = FakeCuda();
    fake->parameters = [this](const std::string &kernel) {
      const attn_device_phase &phase = phaseNamed(kernel);
      return static_cast<size_t>(phase.buffer_count + phase.size_count + 2);
    };
    fake->run = [this](const std::string &kernel, int64_t blocks, int64_t threads, int64_t blockBytes,
                       std::vector<uint64_t> parameters) {
      DeviceExecutor::Launch launch{kernel, blocks, threads, std::move(parameters), blockBytes};
      return model.executor().run(launch, Order::Shuffled) == "" ? 0 : 719;
    };
    unsetenv("ATTN_DEVICE");
    ASSERT_TRUE(model) << model.message();
  }

  const attn_device_phase &phaseNamed(const std::string &name) {
    const attn_device_phase *phase = model.table().device->phases;
    while (phase->name != name)
      ++phase;
    return *phase;
  }

  attn_code open(int32_t device = ATTN_ANY_DEVICE) {
    return attn_cuda_open(&model.table(), model.weightsOfModel(), device, &cuda, &status);
  }

  void expectNothingLeft() {
    attn_cuda_close(cuda);
    cuda = nullptr;
    EXPECT_EQ(fake->allocations, 0);
    EXPECT_EQ(fake->modules, 0);
    EXPECT_EQ(fake->contexts, 0);
    EXPECT_EQ(fake->pushed, 0);
  }

  FakeCuda *fake = nullptr;
  const CompiledModel &model = compiledModel("device.attn", {}, "cuda");
  attn_cuda *cuda = nullptr;
  attn_status status{};
};

TEST_F(Cuda, ComputesWhatTheKernelsDo) {
  ASSERT_EQ(open(), ATTN_OK) << status.message;
  EXPECT_STREQ(attn_cuda_device_name(cuda), "Fake 0");
  for (int64_t rows : {67, 3, 0}) {
    Call call(model, "residual", {rows});
    reference::Array x(reference::Element::F32, {rows, 48}, 0.0);
    Random random("x");
    for (double &value : x.values)
      value = static_cast<float>(random.uniform(-1, 1));
    for (size_t i = 0; i < x.values.size(); ++i)
      reinterpret_cast<float *>(call.memory[0].data())[i] = static_cast<float>(x.values[i]);
    ASSERT_EQ(call.run(cuda, status), ATTN_OK) << status.message;
    EXPECT_EQ(call.memory[1], model.call(*model.entry("residual"), {x}, {rows}, {}).bytes[0]) << rows << " rows";
  }
  expectNothingLeft();
}

TEST_F(Cuda, KeepsMemoryFromCallToCall) {
  ASSERT_EQ(open(), ATTN_OK) << status.message;
  int before = fake->calls["cuMemAlloc_v2"];
  for (int64_t rows : {9, 9, 4, 9})
    ASSERT_EQ(Call(model, "residual", {rows}).run(cuda, status), ATTN_OK) << status.message;
  EXPECT_EQ(fake->calls["cuMemAlloc_v2"], before + 1);
  ASSERT_EQ(Call(model, "residual", {90}).run(cuda, status), ATTN_OK) << status.message;
  EXPECT_EQ(fake->allocations, 2) << "the parameters, and the memory of calls";
  expectNothingLeft();
}

/// What the driver answers at an entry point, and what the user is told.
struct Failure {
  const char *entryPoint;
  int answer;
  attn_code code;
  const char *message;
};

TEST_F(Cuda, WhatCantBeOpened) {
  for (const Failure &each : {
           Failure{"cuInit", 100, ATTN_UNSUPPORTED, "there is no NVIDIA device"},
           Failure{"cuInit", 999, ATTN_UNSUPPORTED, "the NVIDIA driver does not start: CUDA_ERROR_UNKNOWN"},
           Failure{"cuDevicePrimaryCtxRetain", 2, ATTN_NO_MEMORY,
                   "device: can't make a context on Fake 0: CUDA_ERROR_OUT_OF_MEMORY"},
           Failure{"cuModuleLoadData", 222, ATTN_UNSUPPORTED, "device: the NVIDIA driver is older than code for sm_80"},
           Failure{"cuModuleLoadData", 218, ATTN_DEVICE_FAULT,
                   "device: can't load the code on Fake 0: an error without a name"},
           Failure{"cuMemAlloc_v2", 2, ATTN_NO_MEMORY,
                   "device: can't copy the parameters on Fake 0: CUDA_ERROR_OUT_OF_MEMORY"},
           Failure{"cuMemcpyHtoD_v2", 719, ATTN_DEVICE_FAULT,
                   "device: can't copy the parameters on Fake 0: CUDA_ERROR_LAUNCH_FAILED"},
       }) {
    fake->failures = {{each.entryPoint, each.answer}};
    EXPECT_EQ(open(), each.code) << each.entryPoint;
    EXPECT_STREQ(status.message, each.message);
    EXPECT_EQ(cuda, nullptr);
    expectNothingLeft();
  }
}

TEST_F(Cuda, WhichDevice) {
  fake->devices = 3;
  ASSERT_EQ(open(2), ATTN_OK) << status.message;
  EXPECT_STREQ(attn_cuda_device_name(cuda), "Fake 2");
  expectNothingLeft();
  setenv("ATTN_DEVICE", "1", 1);
  ASSERT_EQ(open(), ATTN_OK) << status.message;
  EXPECT_STREQ(attn_cuda_device_name(cuda), "Fake 1");
  expectNothingLeft();
  setenv("ATTN_DEVICE", "3", 1);
  EXPECT_EQ(open(), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "device 3 is wanted, expected one of the 3 that there are, from 0");
  setenv("ATTN_DEVICE", "first", 1);
  EXPECT_EQ(open(), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "ATTN_DEVICE is 'first', expected the number of a device");
  unsetenv("ATTN_DEVICE");
  fake->capability = 75;
  EXPECT_EQ(open(), ATTN_UNSUPPORTED);
  EXPECT_STREQ(status.message, "device: compiled for sm_80, but Fake 0 has the architecture sm_75");
  fake->capability = 120;
  EXPECT_EQ(open(), ATTN_OK) << "newer devices run older code: " << status.message;
  expectNothingLeft();
}

TEST_F(Cuda, AFailedCallLeavesResultsAlone) {
  ASSERT_EQ(open(), ATTN_OK) << status.message;
  for (const Failure &each : {
           Failure{"cuMemAlloc_v2", 2, ATTN_NO_MEMORY,
                   "device: can't have memory for the call on Fake 0: CUDA_ERROR_OUT_OF_MEMORY"},
           Failure{"cuMemcpyHtoD_v2", 719, ATTN_DEVICE_FAULT,
                   "device: can't copy the inputs on Fake 0: CUDA_ERROR_LAUNCH_FAILED"},
           // The norm inside is the kernel that `apply_norm` has too.
           Failure{"cuLaunchKernel", 719, ATTN_DEVICE_FAULT,
                   "device: apply_norm_rows_0 on Fake 0: CUDA_ERROR_LAUNCH_FAILED"},
           Failure{"cuCtxSynchronize", 719, ATTN_DEVICE_FAULT,
                   "device: its kernels on Fake 0: CUDA_ERROR_LAUNCH_FAILED"},
       }) {
    Call call(model, "residual", {5});
    std::vector<char> before = call.memory[1];
    fake->failures = {{each.entryPoint, each.answer}};
    EXPECT_EQ(call.run(cuda, status), each.code) << each.entryPoint;
    EXPECT_STREQ(status.message, each.message);
    EXPECT_EQ(call.memory[1], before);
    fake->failures.clear();
    EXPECT_EQ(call.run(cuda, status), ATTN_OK) << "behind a failure of " << each.entryPoint << ": " << status.message;
    EXPECT_NE(call.memory[1], before);
  }
  expectNothingLeft();
}

TEST_F(Cuda, DataOutOfRange) {
  ASSERT_EQ(open(), ATTN_OK) << status.message;
  Call call(model, "embed", {1, 2});
  const int32_t tokens[2] = {3, 64};
  std::memcpy(call.memory[0].data(), tokens, sizeof tokens);
  std::vector<char> before = call.memory[1];
  EXPECT_EQ(call.run(cuda, status), ATTN_OUT_OF_RANGE);
  EXPECT_STREQ(status.message, "embed: an index that comes from the inputs lies outside its tensor");
  EXPECT_EQ(call.memory[1], before);
  call.tensors[1].shape[2] = 47;
  EXPECT_EQ(call.run(cuda, status), ATTN_BAD_ARGUMENT) << "calls are checked as on a processor";
  expectNothingLeft();
}

TEST_F(Cuda, ModelsOfProcessorsAreRefused) {
  const CompiledModel &other = compiledModel("tensors.attn");
  EXPECT_EQ(attn_cuda_open(&other.table(), nullptr, 0, &cuda, &status), ATTN_BAD_ARGUMENT);
  EXPECT_NE(std::string(status.message).find("expected a model of --target cuda"), std::string::npos);
  EXPECT_EQ(attn_cuda_open(&model.table(), nullptr, 0, &cuda, &status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "device: the model has parameters, but there are no weights");
  expectNothingLeft();
}

TEST(CudaDriver, IsTooOldOrMissing) {
  if (findFakeCuda())
    GTEST_SKIP() << "there is a driver";
  const CompiledModel &model = compiledModel("tensors.attn", {}, "cuda");
  ASSERT_TRUE(model) << model.message();
  attn_cuda *cuda;
  attn_status status;
  const char *expected = getenv("ATTNC_TEST_DRIVER_SAYS");
  if (!expected)
    GTEST_SKIP() << "run by ctest";
  EXPECT_EQ(attn_cuda_open(&model.table(), nullptr, 0, &cuda, &status), ATTN_UNSUPPORTED);
  EXPECT_EQ(std::string(status.message).substr(0, std::strlen(expected)), expected);
}

} // namespace
} // namespace attnc::e2e
