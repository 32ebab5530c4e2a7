// Tests generated headers of models for devices on a fake driver.
#include "moves.h"
#include "tests/e2e/CompiledModel.h"
#include "tests/support/FakeCuda.h"
#include <array>
#include <gtest/gtest.h>

namespace attnc::e2e {
namespace {

constexpr int64_t Batch = 3, Vocab = 13;

class CudaHeader : public testing::Test {
protected:
  void SetUp() override {
    fake = findFakeCuda();
    if (!fake)
      GTEST_SKIP() << "libcuda.so.1 is not the fake: run by ctest";
    *fake = FakeCuda();
    const CompiledModel &same = compiledModel("moves.attn", {}, "cuda");
    ASSERT_TRUE(same) << same.message();
    fake->run = [&same](const std::string &kernel, int64_t blocks, int64_t threads, int64_t blockBytes,
                        std::vector<uint64_t> parameters) {
      std::string fault =
          same.executor().run({kernel, blocks, threads, std::move(parameters), blockBytes}, Order::Shuffled);
      return fault.empty() ? 0 : 719;
    };
    ASSERT_EQ(attn_weights_initialise(&moves_model, 1, nullptr, &weights, &status), ATTN_OK) << status.message;
    ASSERT_EQ(attn_cuda_open(&moves_model, weights, ATTN_ANY_DEVICE, &cuda, &status), ATTN_OK) << status.message;
  }
  void TearDown() override {
    attn_cuda_close(cuda);
    attn_weights_free(weights);
  }

  FakeCuda *fake = nullptr;
  attn_weights *weights = nullptr;
  attn_cuda *cuda = nullptr;
  attn_status status{};
};

TEST_F(CudaHeader, ComputesOnTheDevice) {
  float x[2][8], sums[2][8], last[8];
  for (int d = 0; d < 8; ++d) {
    x[0][d] = float(d);
    x[1][d] = 0.5f;
  }
  ASSERT_EQ(moves_running(cuda, 2, x[0], sums[0], last, &status), ATTN_OK) << status.message;
  for (int d = 0; d < 8; ++d) {
    EXPECT_EQ(sums[0][d], float(d));
    EXPECT_EQ(last[d], float(d) + 0.5f);
  }
}

/// Computes three positions of rows that begin with `tokens`, on a state that stays on the device. `from` reorders the
/// rows after the first position. Returns the logits of the last position, which depend on the first.
TEST_F(CudaHeader, MovesRowsOfStatesOnTheDevice) {
  auto lastLogits = [&](std::array<int32_t, Batch> tokens, std::array<int32_t, Batch> from) {
    attn_tensor past{nullptr, {Batch, 3, 8}, ATTN_F32, 3};
    EXPECT_EQ(attn_cuda_allocate(cuda, &past, &status), ATTN_OK) << status.message;
    auto *state = static_cast<float *>(past.data);
    std::array<float, Batch * Vocab> logits;
    for (int32_t position = 0; position < 3; ++position) {
      std::array<int32_t, Batch> length;
      length.fill(position);
      EXPECT_EQ(moves_next(cuda, Batch, tokens.data(), length.data(), state, logits.data(), &status), ATTN_OK)
          << status.message;
      if (position == 0)
        EXPECT_EQ(moves_next_reorder(cuda, Batch, state, from.data(), &status), ATTN_OK) << status.message;
      tokens.fill(5);
    }
    attn_cuda_free(cuda, &past);
    return logits;
  };
  auto moved = lastLogits({3, 7, 11}, {1, 2, 0});
  EXPECT_EQ(moved, lastLogits({7, 11, 3}, {0, 1, 2}));
  EXPECT_NE(moved, lastLogits({3, 7, 11}, {0, 1, 2}));
}

} // namespace
} // namespace attnc::e2e
