// Tests the runtime for NVIDIA devices (attn/cuda.h) on a fake driver: results of compiled models, memory that is
// reused and freed, and messages of failures.
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

  /// Draws an input of f32.
  reference::Array fill(int32_t number, const std::string &seed) {
    reference::Array drawn(reference::Element::F32, {tensors[number].shape, size_t(tensors[number].rank)}, 0.0);
    Random random(seed);
    auto *to = reinterpret_cast<float *>(memory[number].data());
    for (double &value : drawn.values)
      value = *to++ = static_cast<float>(random.uniform(-1, 1));
    return drawn;
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
    fake->run = [this](const std::string &kernel, int64_t blocks, int64_t threads, int64_t blockBytes,
                       std::vector<uint64_t> parameters) {
      return running->executor().run({kernel, blocks, threads, std::move(parameters), blockBytes}, Order::Shuffled) ==
                     ""
                 ? 0
                 : 719;
    };
    unsetenv("ATTN_DEVICE");
    ASSERT_TRUE(model) << model.message();
  }

  attn_code open(int32_t device = ATTN_ANY_DEVICE) {
    return attn_cuda_open(&running->table(), running->weightsOfModel(), device, &cuda, &status);
  }

  const CompiledModel &openMoves() {
    running = &compiledModel("moves.attn", {}, "cuda");
    EXPECT_TRUE(*running) << running->message();
    EXPECT_EQ(open(), ATTN_OK) << status.message;
    return *running;
  }

  void expectNothingLeft() {
    attn_cuda_close(cuda);
    cuda = nullptr;
    for (const auto &[kind, count] : fake->alive)
      EXPECT_EQ(count, 0) << kind;
  }

  /// Calls `residual` on inputs drawn from a seed, and compares the results with those of the kernels alone.
  void expectResidual(int64_t rows, const std::string &seed) {
    Call call(model, "residual", {rows});
    reference::Array x = call.fill(0, seed);
    ASSERT_EQ(call.run(cuda, status), ATTN_OK) << status.message;
    EXPECT_EQ(call.memory[1], model.call(*model.entry("residual"), {x}, {rows}, {}).bytes[0]) << rows << " rows";
  }

  FakeCuda *fake = nullptr;
  const CompiledModel &model = compiledModel("device.attn", {}, "cuda"), *running = &model;
  attn_cuda *cuda = nullptr;
  attn_status status{};
};

TEST_F(Cuda, ComputesWhatTheKernelsDo) {
  ASSERT_EQ(open(), ATTN_OK) << status.message;
  EXPECT_STREQ(attn_cuda_device_name(cuda), "Fake 0");
  for (int64_t rows : {67, 3, 0})
    expectResidual(rows, "x");
  expectNothingLeft();
}

TEST_F(Cuda, LaunchesThatComeAgainAreAGraph) {
  ASSERT_EQ(open(), ATTN_OK) << status.message;
  expectResidual(9, "first");
  int launches = fake->calls["cuLaunchKernel"];
  EXPECT_GT(launches, 1);
  EXPECT_EQ(fake->calls["cuGraphCreate"], 0);
  for (const char *again : {"second", "third"}) // the same memory
    expectResidual(9, again);
  EXPECT_EQ(fake->calls["cuGraphAddKernelNode"], launches);
  EXPECT_EQ(fake->calls["cuGraphLaunch"], 2);
  EXPECT_EQ(fake->calls["cuGraphExecKernelNodeSetParams"], 0);
  expectResidual(6, "fewer rows");
  int changed = fake->calls["cuGraphExecKernelNodeSetParams"];
  EXPECT_GT(changed, 0);
  expectResidual(90, "more memory");
  EXPECT_GT(fake->calls["cuGraphExecKernelNodeSetParams"], changed);
  EXPECT_EQ(fake->calls["cuLaunchKernel"], launches);
  EXPECT_EQ(fake->calls["cuGraphInstantiateWithFlags"], 1);
  expectNothingLeft();
}

TEST_F(Cuda, TensorsStayOnTheDevice) {
  ASSERT_EQ(open(), ATTN_OK) << status.message;
  const int64_t rows = 5;
  Call host(model, "residual", {rows});
  host.fill(0, "x");
  attn_tensor a = host.tensors[0], b = host.tensors[1];
  ASSERT_EQ(attn_cuda_allocate(cuda, &a, &status), ATTN_OK) << status.message;
  ASSERT_EQ(attn_cuda_allocate(cuda, &b, &status), ATTN_OK) << status.message;
  std::vector<char> read(rows * 48 * 4, 1), zeros(read.size(), 0);
  ASSERT_EQ(attn_cuda_download(cuda, read.data(), &a, &status), ATTN_OK) << status.message;
  EXPECT_EQ(read, zeros) << "memory begins with zeros";
  ASSERT_EQ(attn_cuda_upload(cuda, &a, host.memory[0].data(), &status), ATTN_OK) << status.message;

  // Calls from a to b and from b back to a; neither is copied to host memory.
  int copies = fake->calls["cuMemcpyHtoDAsync_v2"];
  for (auto [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    attn_tensor tensors[2] = {*from, *to};
    ASSERT_EQ(attn_cuda_run(cuda, host.entry, tensors, 2, &status), ATTN_OK) << status.message;
  }
  EXPECT_EQ(fake->calls["cuMemcpyHtoDAsync_v2"], copies + 2) << "the status";
  ASSERT_EQ(attn_cuda_download(cuda, read.data(), &a, &status), ATTN_OK) << status.message;
  for (int iteration = 0; iteration < 2; ++iteration, host.memory[0] = host.memory[1])
    ASSERT_EQ(host.run(cuda, status), ATTN_OK) << status.message;
  EXPECT_EQ(read, host.memory[1]);

  // A slice of a tensor is a tensor: it begins at a multiple of the access width and ends inside a row.
  attn_tensor row = {static_cast<char *>(a.data) + 4 * 48 * 4, {1, 48}, ATTN_F32, 2}, tensors[2] = {row, b};
  tensors[1].shape[0] = 1;
  EXPECT_EQ(attn_cuda_run(cuda, host.entry, tensors, 2, &status), ATTN_OK) << status.message;
  tensors[0].shape[0] = tensors[1].shape[0] = 3;
  EXPECT_EQ(attn_cuda_run(cuda, host.entry, tensors, 2, &status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "residual: 'x' has 576 bytes, but its memory on the device ends before that");
  tensors[0] = {static_cast<char *>(a.data) + 4, {1, 48}, ATTN_F32, 2};
  tensors[1].shape[0] = 1;
  EXPECT_EQ(attn_cuda_run(cuda, host.entry, tensors, 2, &status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "residual: 'x' (192 bytes) is not aligned to 16 bytes");
  EXPECT_EQ(attn_cuda_upload(cuda, &host.tensors[0], read.data(), &status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "the tensor is not in memory that attn_cuda_allocate allocated on Fake 0");
  attn_cuda_free(cuda, &b);
  EXPECT_EQ(b.data, nullptr);
  EXPECT_EQ(fake->alive["memory"], 3) << "the parameters, the memory of calls, and a";
  expectNothingLeft();
}

TEST_F(Cuda, CallsInTwo) {
  ASSERT_EQ(open(), ATTN_OK) << status.message;
  Call call(model, "residual", {3});
  reference::Array x = call.fill(0, "x");
  std::vector<char> before = call.memory[1];
  auto start = [&] { return attn_cuda_start(cuda, call.entry, call.tensors.data(), 2, &status); };
  ASSERT_EQ(start(), ATTN_OK) << status.message;
  EXPECT_EQ(call.memory[1], before);
  EXPECT_EQ(start(), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "residual: a call is running; call attn_cuda_wait first");
  call.memory[0].assign(call.memory[0].size(), 0x7f); // the inputs belong to the caller again
  ASSERT_EQ(attn_cuda_wait(cuda, &status), ATTN_OK) << status.message;
  EXPECT_EQ(call.memory[1], model.call(*model.entry("residual"), {x}, {3}, {}).bytes[0]);
  EXPECT_EQ(attn_cuda_wait(cuda, &status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "device: there is no call to wait for");
  ASSERT_EQ(start(), ATTN_OK) << status.message;
  expectNothingLeft(); // a call is in flight
}

TEST_F(Cuda, WhateverFailsIsToldAndAllIsGivenBack) {
  auto use = [&] {
    attn_tensor kept = {nullptr, {2, 48}, ATTN_F32, 2};
    std::vector<char> bytes(2 * 48 * 4);
    attn_code code = open();
    if (code == ATTN_OK)
      code = attn_cuda_allocate(cuda, &kept, &status);
    if (code == ATTN_OK)
      code = attn_cuda_upload(cuda, &kept, bytes.data(), &status);
    for (int64_t rows : {2, 2, 2, 1, 9}) { // launched, captured as a graph, replayed, with other sizes, in other memory
      if (code != ATTN_OK)
        break;
      Call call(model, "residual", {rows});
      std::vector<char> before = call.memory[1];
      code = call.run(cuda, status);
      EXPECT_TRUE(code == ATTN_OK || call.memory[1] == before) << status.message;
    }
    return code == ATTN_OK ? attn_cuda_download(cuda, bytes.data(), &kept, &status) : code;
  };
  EXPECT_EQ(use(), ATTN_OK) << status.message;
  int calls = fake->numCalls; // calls before closing
  expectNothingLeft();
  for (int number = 1; number <= calls; ++number) {
    fake->numCalls = 0;
    fake->failing = number;
    fake->calls.clear();
    attn_code code = use();
    // Only a function that frees may fail without an error.
    if (code == ATTN_OK)
      EXPECT_TRUE(fake->lastFailed.find("Free") != std::string::npos ||
                  fake->lastFailed.find("Pop") != std::string::npos)
          << fake->lastFailed << ", call " << number;
    else
      EXPECT_NE(std::string(status.message).find("CUDA_ERROR_UNKNOWN"), std::string::npos)
          << status.message << " where " << fake->lastFailed << " fails";
    expectNothingLeft();
  }
}

/// An error that a function of the driver returns, and the message for the user.
struct Failure {
  const char *entryPoint;
  int answer;
  attn_code code;
  const char *message;
};

/// Fills two prompts, of three tokens and of one.
void fillPrompts(Call &call) {
  const int32_t prompts[6] = {3, 1, 4, 1, 0, 0}, lengths[2] = {3, 1};
  std::memcpy(call.memory[0].data(), prompts, sizeof prompts);
  std::memcpy(call.memory[1].data(), lengths, sizeof lengths);
}

TEST_F(Cuda, LoopsEndByWhatKernelsCompute) {
  const CompiledModel &moves = openMoves();
  reference::Array prompts(reference::Element::I32, {2, 3}, {3, 1, 4, 1, 0, 0}),
      lengths(reference::Element::I32, {2}, {3, 1});
  CallResults expected = moves.call(*moves.entry("write"), {prompts, lengths}, {2, 3}, {});
  for (int iteration = 0; iteration < 2; ++iteration) {
    Call call(moves, "write", {2, 3});
    fillPrompts(call);
    ASSERT_EQ(call.run(cuda, status), ATTN_OK) << status.message;
    EXPECT_EQ(call.memory[2], expected.bytes[0]);
    EXPECT_EQ(call.memory[3], expected.bytes[1]);
  }
  EXPECT_LT(fake->calls["cuGraphInstantiateWithFlags"], 6) << "iterations of the loop share a graph";
  for (Failure each : {Failure{"cuMemcpyDtoHAsync_v2", 719, ATTN_DEVICE_FAULT,
                               "moves: its kernels on Fake 0: CUDA_ERROR_LAUNCH_FAILED"},
                       Failure{"cuGraphLaunch", 719, ATTN_DEVICE_FAULT,
                               "moves: its graph of kernels on Fake 0: CUDA_ERROR_LAUNCH_FAILED"}}) {
    Call call(moves, "write", {2, 3});
    fillPrompts(call);
    std::vector<char> before = call.memory[2];
    fake->failures = {{each.entryPoint, each.answer}};
    EXPECT_EQ(call.run(cuda, status), each.code);
    EXPECT_STREQ(status.message, each.message);
    EXPECT_EQ(call.memory[2], before);
    fake->failures.clear();
  }
  expectNothingLeft();
}

TEST_F(Cuda, StatesStayOnTheDevice) {
  const CompiledModel &moves = openMoves();
  const attn_model &table = moves.table();
  Call host(moves, "next", {3});
  host.fill(2, "past");
  attn_tensor state = host.tensors[2];
  ASSERT_EQ(attn_cuda_allocate(cuda, &state, &status), ATTN_OK) << status.message;
  ASSERT_EQ(attn_cuda_upload(cuda, &state, host.memory[2].data(), &status), ATTN_OK) << status.message;
  std::vector<char> read(host.memory[2].size());
  const std::vector<std::vector<int32_t>> orders = {{0, 1, 2}, {2, 0, 1}, {1, 1, 0}, {0, 2, 1}};
  for (int32_t step = 0; step < 4; ++step) {
    const int32_t tokens[3] = {step, 5, 2 * step}, lengths[3] = {step, step + 2, step};
    std::memcpy(host.memory[0].data(), tokens, sizeof tokens);
    std::memcpy(host.memory[1].data(), lengths, sizeof lengths);
    std::vector<char> result(host.memory[3].size());
    std::vector<attn_tensor> onDevice = host.tensors;
    onDevice[2] = state;
    onDevice[3].data = result.data();
    ASSERT_EQ(attn_cuda_run(cuda, host.entry, onDevice.data(), 4, &status), ATTN_OK) << status.message;
    ASSERT_EQ(host.run(cuda, status), ATTN_OK) << status.message;
    EXPECT_EQ(result, host.memory[3]) << "step " << step;
    ASSERT_EQ(attn_states_reorder(&table, host.entry, "batch", &host.tensors[2], orders[step].data(), &status),
              ATTN_OK);
    ASSERT_EQ(attn_cuda_states_reorder(cuda, host.entry, "batch", &state, orders[step].data(), &status), ATTN_OK)
        << status.message;
    ASSERT_EQ(attn_cuda_download(cuda, read.data(), &state, &status), ATTN_OK) << status.message;
    EXPECT_EQ(read, host.memory[2]) << "step " << step;
  }
  // A negative length is an error: nothing is appended, on the host or on the device.
  const int32_t bad[3] = {1, -1, 1};
  std::memcpy(host.memory[1].data(), bad, sizeof bad);
  std::vector<attn_tensor> onDevice = host.tensors;
  onDevice[2] = state;
  EXPECT_EQ(attn_cuda_run(cuda, host.entry, onDevice.data(), 4, &status), ATTN_FULL);
  ASSERT_EQ(attn_cuda_download(cuda, read.data(), &state, &status), ATTN_OK) << status.message;
  EXPECT_EQ(read, host.memory[2]);
  EXPECT_EQ(attn_cuda_states_reorder(cuda, host.entry, "batch", &host.tensors[2], bad, &status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "the tensor is not in memory that attn_cuda_allocate allocated on Fake 0");
  state.shape[0] = -1;
  EXPECT_EQ(attn_cuda_states_reorder(cuda, host.entry, "batch", &state, bad, &status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "dimension 0 of a tensor is -1, expected at least 0");
  expectNothingLeft();
}

TEST_F(Cuda, ParametersThatWerePackedAnewAreCopiedAgain) {
  attn_weights *weights = nullptr;
  ASSERT_EQ(attn_weights_initialise(&model.table(), 1, nullptr, &weights, &status), ATTN_OK) << status.message;
  auto openAgain = [&] {
    attn_cuda_close(cuda);
    return attn_cuda_open(&model.table(), weights, ATTN_ANY_DEVICE, &cuda, &status);
  };
  Call call(model, "residual", {3});
  call.fill(0, "x");
  auto result = [&] {
    EXPECT_EQ(call.run(cuda, status), ATTN_OK) << status.message;
    return call.memory[1];
  };
  ASSERT_EQ(openAgain(), ATTN_OK) << status.message;
  std::vector<char> before = result();
  for (int64_t place = 0; place < model.table().loaded_count; ++place)
    *static_cast<float *>(const_cast<void *>(attn_weights_table(weights)[place])) += 1;
  EXPECT_EQ(result(), before);
  ASSERT_EQ(attn_weights_repack(weights, nullptr, &status), ATTN_OK) << status.message;
  std::vector<char> behind = result();
  EXPECT_NE(behind, before);
  ASSERT_EQ(openAgain(), ATTN_OK) << status.message;
  EXPECT_EQ(result(), behind);
  expectNothingLeft();
  attn_weights_free(weights);
}

TEST_F(Cuda, KeepsMemoryFromCallToCall) {
  ASSERT_EQ(open(), ATTN_OK) << status.message;
  int before = fake->calls["cuMemAlloc_v2"];
  for (int64_t rows : {9, 9, 4, 9})
    ASSERT_EQ(Call(model, "residual", {rows}).run(cuda, status), ATTN_OK) << status.message;
  EXPECT_EQ(fake->calls["cuMemAlloc_v2"], before + 1);
  ASSERT_EQ(Call(model, "residual", {900}).run(cuda, status), ATTN_OK) << status.message;
  int growing = fake->calls["cuMemAlloc_v2"];
  for (int64_t rows = 901; rows < 930; ++rows)
    ASSERT_EQ(Call(model, "residual", {rows}).run(cuda, status), ATTN_OK) << status.message;
  EXPECT_LE(fake->calls["cuMemAlloc_v2"], growing + 1) << "a row more each time";
  EXPECT_EQ(fake->alive["memory"], 2) << "the parameters, and the memory of calls";
  expectNothingLeft();
}

TEST_F(Cuda, WhatCantBeOpened) {
  for (const Failure &each : {
           Failure{"cuInit", 100, ATTN_UNSUPPORTED, "there is no NVIDIA device"},
           Failure{"cuInit", 999, ATTN_UNSUPPORTED, "the NVIDIA driver does not start: CUDA_ERROR_UNKNOWN"},
           Failure{"cuDevicePrimaryCtxRetain", 2, ATTN_NO_MEMORY,
                   "device: can't create a context on Fake 0: CUDA_ERROR_OUT_OF_MEMORY"},
           Failure{"cuModuleLoadData", 222, ATTN_UNSUPPORTED, "device: the NVIDIA driver is older than code for sm_80"},
           Failure{"cuModuleLoadData", 218, ATTN_DEVICE_FAULT,
                   "device: can't load the code on Fake 0: an error without a name"},
           Failure{"cuMemAlloc_v2", 2, ATTN_NO_MEMORY,
                   "device: can't allocate memory for the parameters on Fake 0: CUDA_ERROR_OUT_OF_MEMORY"},
           Failure{"cuStreamCreate", 2, ATTN_NO_MEMORY,
                   "device: can't create a stream on Fake 0: CUDA_ERROR_OUT_OF_MEMORY"},
           Failure{"cuMemcpyHtoDAsync_v2", 719, ATTN_DEVICE_FAULT,
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
  EXPECT_STREQ(status.message, "there is no device 3; the system has 3, numbered from 0");
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

TEST_F(Cuda, TooLittleSharedMemoryForABlock) {
  fake->blockBytes = 1024;
  EXPECT_EQ(open(), ATTN_UNSUPPORTED);
  EXPECT_NE(std::string(status.message).find("bytes of shared memory for a block, but Fake 0 has 1024"),
            std::string::npos)
      << status.message;
  EXPECT_EQ(cuda, nullptr);
  expectNothingLeft();
}

/// The limit includes a kernel's static shared memory.
TEST_F(Cuda, TooLittleSharedMemoryForWhatAKernelHas) {
  fake->ownBlockBytes = fake->blockBytes + 1;
  EXPECT_EQ(open(), ATTN_UNSUPPORTED);
  EXPECT_NE(std::string(status.message).find("bytes of shared memory for a block"), std::string::npos)
      << status.message;
  expectNothingLeft();
}

/// Dynamic shared memory begins at a multiple of 1024 bytes after the static memory.
TEST_F(Cuda, SharedMemoryBetweenWhatAKernelHasAndWhatLaunchesAdd) {
  const attn_device_code &code = *model.table().device;
  int32_t most = 0;
  for (int64_t phase = 0; phase < code.phase_count; ++phase)
    most = std::max(most, code.phases[phase].block_bytes);
  ASSERT_GT(most, 1024);
  fake->ownBlockBytes = 16;
  fake->blockBytes = most + 1023;
  EXPECT_EQ(open(), ATTN_UNSUPPORTED);
  EXPECT_NE(std::string(status.message).find(std::to_string(most + 1024) + " bytes"), std::string::npos)
      << status.message;
  fake->blockBytes = most + 1024;
  EXPECT_EQ(open(), ATTN_OK) << status.message;
  expectNothingLeft();
}

TEST_F(Cuda, AFailedCallLeavesResultsAlone) {
  for (const Failure &each : {
           Failure{"cuMemAlloc_v2", 2, ATTN_NO_MEMORY,
                   "device: can't allocate memory for the call on Fake 0: CUDA_ERROR_OUT_OF_MEMORY"},
           Failure{"cuMemHostAlloc", 2, ATTN_NO_MEMORY,
                   "device: can't allocate page-locked memory on Fake 0: CUDA_ERROR_OUT_OF_MEMORY"},
           Failure{"cuMemcpyHtoDAsync_v2", 719, ATTN_DEVICE_FAULT,
                   "device: can't copy the inputs on Fake 0: CUDA_ERROR_LAUNCH_FAILED"},
           // The norm of `residual` is the kernel of `apply_norm`.
           Failure{"cuLaunchKernel", 719, ATTN_DEVICE_FAULT,
                   "device: apply_norm_rows_0 on Fake 0: CUDA_ERROR_LAUNCH_FAILED"},
           Failure{"cuStreamSynchronize", 719, ATTN_DEVICE_FAULT,
                   "device: its kernels on Fake 0: CUDA_ERROR_LAUNCH_FAILED"},
       }) {
    expectNothingLeft(); // launches and allocations depend on earlier calls
    ASSERT_EQ(open(), ATTN_OK) << status.message;
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

TEST_F(Cuda, MoreBlocksThanALaunchCanHave) {
  ASSERT_EQ(open(), ATTN_OK) << status.message;
  Call call(model, "any_rows", {int64_t(1) << 40, 0}); // 2^40 rows of 0 bytes
  EXPECT_EQ(call.run(cuda, status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "any_rows: kernel any_rows_rows_0 has more blocks than a launch can have");
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

/// A model with two images that differ only in their version; each phase is in one image.
struct TwoImages {
  explicit TwoImages(uint64_t images)
      : newer(model.table().device->images[0].ptx),
        phases(model.table().device->phases, model.table().device->phases + model.table().device->phase_count) {
    newer.replace(newer.find(".version"), std::strlen(".version 7.0"), ".version 8.6");
    both[0] = model.table().device->images[0];
    both[1] = {"sm_90a", newer.c_str()};
    for (attn_device_phase &phase : phases)
      phase.images = images;
    code.images = both;
    code.image_count = 2;
    code.phases = phases.data();
    table.device = &code;
  }

  const CompiledModel &model = compiledModel("tensors.attn", {}, "cuda");
  std::string newer;
  attn_device_image both[2];
  std::vector<attn_device_phase> phases;
  attn_device_code code = *model.table().device;
  attn_model table = model.table();
};

/// Returns the name of the loaded image, and true if a kernel was launched.
static std::pair<std::string, bool> runsOn(FakeCuda &fake, uint64_t images) {
  TwoImages model(images);
  bool launches = false;
  fake.run = [&](const std::string &, int64_t, int64_t, int64_t, const std::vector<uint64_t> &) {
    launches = true;
    return 0;
  };
  attn_cuda *cuda;
  attn_status status;
  EXPECT_EQ(attn_cuda_open(&model.table, nullptr, 0, &cuda, &status), ATTN_OK) << status.message;
  std::string image = attn_cuda_image(cuda);
  Call call(model.model, "activations", {3});
  EXPECT_EQ(call.run(cuda, status), ATTN_OK) << status.message;
  attn_cuda_close(cuda);
  return {image, launches};
}

TEST_F(Cuda, RunsTheImageThatIsMadeForTheDevice) {
  for (int capability : {80, 89, 90, 100}) {
    fake->capability = capability;
    std::string expected = capability == 90 ? "sm_90a" : "sm_80";
    EXPECT_EQ(runsOn(*fake, 1), std::pair(expected, capability != 90)) << capability;
    EXPECT_EQ(runsOn(*fake, 2), std::pair(expected, capability == 90)) << capability;
  }
  expectNothingLeft();
}

TEST_F(Cuda, RunsAnOlderImageWhereTheDriverIsOld) {
  fake->capability = 90;
  fake->ptxVersion = 85;
  EXPECT_EQ(runsOn(*fake, 1), std::pair(std::string("sm_80"), true));
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
