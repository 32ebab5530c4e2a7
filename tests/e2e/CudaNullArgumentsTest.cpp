// Passes null pointers for each argument of each function of attn/cuda.h, on a fake driver.
#include "moves.h"
#include "attn/cuda.h"
#include "tests/support/FakeCuda.h"
#include "tests/support/NullArguments.h"

namespace attnc {
namespace {

class CudaNullArguments : public testing::Test {
protected:
  void SetUp() override {
    FakeCuda *fake = findFakeCuda();
    if (!fake)
      GTEST_SKIP() << "libcuda.so.1 is not the fake: run by ctest";
    *fake = FakeCuda();
    fake->run = [](const std::string &, int64_t, int64_t, int64_t, const std::vector<uint64_t> &) { return 0; };
    ASSERT_EQ(attn_weights_initialise(&moves_model, 1, nullptr, &weights, &status), ATTN_OK) << status.message;
    ASSERT_EQ(attn_cuda_open(&moves_model, weights, ATTN_ANY_DEVICE, &cuda, &status), ATTN_OK) << status.message;
  }
  void TearDown() override {
    attn_cuda_close(cuda);
    attn_weights_free(weights);
  }
  void tidy() {
    attn_cuda_close(out);
    attn_cuda_free(cuda, &allocated);
    out = nullptr;
    attn_cuda_wait(cuda, nullptr); // completes attn_cuda_start
  }

  attn_status status{};
  attn_weights *weights = nullptr;
  attn_cuda *cuda = nullptr, *out = nullptr;
  attn_tensor allocated{nullptr, {2, 2}, ATTN_F32, 2};
};

TEST_F(CudaNullArguments, AreRefusedByEveryFunction) {
  NullArguments calls(status, [&] { tidy(); });
  const char *const noDevice = "the attn_cuda is a null pointer", *const noTensor = "the tensor is a null pointer",
                    *const noList = "the list of tensors is a null pointer";

  int32_t count = 0;
  attn_cuda_device about;
  calls.check("attn_cuda_count", attn_cuda_count, {&count, &status}, "ok",
              {"the place for the number of devices is a null pointer", "ok"});
  calls.check("attn_cuda_describe", attn_cuda_describe, {0, &about, &status}, "ok",
              {"the place for the device's description is a null pointer", "ok"});
  calls.check("attn_cuda_open", attn_cuda_open, {&moves_model, weights, ATTN_ANY_DEVICE, &out, &status}, "ok",
              {"the model is a null pointer", "moves: the model has parameters, but there are no weights",
               "the place for the device is a null pointer", "ok"});
  calls.check("attn_cuda_close", attn_cuda_close, {nullptr}, "nothing", {"nothing"});
  calls.check("attn_cuda_device_name", attn_cuda_device_name, {cuda}, "Fake 0", {"null"});
  calls.check("attn_cuda_image", attn_cuda_image, {cuda}, attn_cuda_image(cuda), {"null"});

  float memory[2][16] = {};
  attn_tensor past{nullptr, {2, 3, 8}, ATTN_F32, 3};
  ASSERT_EQ(attn_cuda_allocate(cuda, &past, &status), ATTN_OK) << status.message;
  attn_tensor tensor{nullptr, {2, 2}, ATTN_F32, 2};
  ASSERT_EQ(attn_cuda_allocate(cuda, &tensor, &status), ATTN_OK) << status.message;
  calls.check("attn_cuda_allocate", attn_cuda_allocate, {cuda, &allocated, &status}, "ok", {noDevice, noTensor, "ok"});
  attn_tensor none{};
  calls.check("attn_cuda_free", attn_cuda_free, {cuda, &none}, "nothing", {"nothing", "nothing"});
  calls.check("attn_cuda_upload", attn_cuda_upload, {cuda, &tensor, memory, &status}, "ok",
              {noDevice, noTensor, "the memory to copy from is a null pointer", "ok"});
  calls.check("attn_cuda_download", attn_cuda_download, {cuda, memory, &tensor, &status}, "ok",
              {noDevice, "the memory to copy to is a null pointer", noTensor, "ok"});
  const int32_t from[] = {1, 0};
  int64_t next = attn_find_entry(&moves_model, "next"), running = attn_find_entry(&moves_model, "running");
  calls.check("attn_cuda_states_reorder", attn_cuda_states_reorder, {cuda, next, "batch", &past, from, &status}, "ok",
              {noDevice, "the name of the dimension of rows is a null pointer", "the list of states is a null pointer",
               "the list of rows is a null pointer", "ok"});

  const attn_tensor tensors[] = {
      {memory[0], {2, 8}, ATTN_F32, 2}, {memory[1], {2, 8}, ATTN_F32, 2}, {memory[1], {8}, ATTN_F32, 1}};
  calls.check("attn_cuda_run", attn_cuda_run, {cuda, running, tensors, 3, &status}, "ok", {noDevice, noList, "ok"});
  calls.check("attn_cuda_start", attn_cuda_start, {cuda, running, tensors, 3, &status}, "ok", {noDevice, noList, "ok"});
  calls.check("attn_cuda_wait", attn_cuda_wait, {cuda, &status}, "moves: there is no call to wait for",
              {noDevice, "bad argument"});
  EXPECT_EQ(calls.functions, functionsOf(ATTNC_ROOT "/runtime/cuda/include/attn/cuda.h"));
}

TEST_F(CudaNullArguments, TensorsHaveAnElementType) {
  for (int32_t dtype : {int32_t(ATTN_PACKED_WEIGHT), ATTN_F16 + 1, -1, INT32_MIN, INT32_MAX}) {
    attn_tensor tensor{nullptr, {2, 2}, dtype, 2};
    EXPECT_EQ(attn_cuda_allocate(cuda, &tensor, &status), ATTN_BAD_ARGUMENT);
    EXPECT_EQ(status.message,
              "a tensor has elements of type " + std::to_string(dtype) + ", expected an attn_dtype of tensors");
  }
}

} // namespace
} // namespace attnc
