// Tests parameters with a tensor of its own in files for each index of the first dimension.
#include "attn/files.h"
#include "attn/safetensors.h"
#include "tests/runtime/ModelRecord.h"
#include "tests/runtime/TemporaryWeights.h"
#include <gtest/gtest.h>

namespace {

/// Experts of two layers, and a bias that is one tensor: w[3, 2] and b[3].
class Experts : public testing::Test {
protected:
  Experts() {
    parameters[0] = {"w", "h.{0}.e.[].w", shape, &layers, nullptr, 0, 1, ATTN_INIT_NORMAL, ATTN_F32, 2, 1, 0, 0, 0};
    parameters[1] = {"b", "b", shape, nullptr, nullptr, 0, 1, ATTN_INIT_NORMAL, ATTN_F32, 1, 0, layers, 0, 0};
    record = emptyModel();
    record.parameters = parameters;
    record.parameter_count = 2;
    record.loaded_count = layers + 1;
  }
  ~Experts() { attn_weights_free(weights); }

  std::vector<Entry> tensors() const {
    std::vector<Entry> all;
    for (int layer = 0; layer < layers; ++layer)
      for (int expert = 0; expert < 3; ++expert) {
        float first = float(100 * layer + 10 * expert);
        all.push_back({"h." + std::to_string(layer) + ".e." + std::to_string(expert) + ".w", "F32", "[2]",
                       floats({first, first + 1})});
      }
    all.push_back({"b", "F32", "[3]", floats({7, 8, 9})});
    return all;
  }

  attn_code load(const char *path) {
    attn_weights_free(weights);
    return attn_weights_load(&record, path, ATTN_KEEP_VALUES, nullptr, &weights, &status);
  }

  /// Value `index` of an entry of w.
  float at(int64_t entry, int64_t index) const {
    return static_cast<const float *>(attn_weights_table(weights)[entry])[index];
  }

  void expectValues() const {
    for (int64_t entry = 0; entry < layers; ++entry)
      for (int64_t index = 0; index < 6; ++index)
        EXPECT_EQ(at(entry, index), float(100 * entry + index / 2 * 10 + index % 2)) << entry << " " << index;
  }

  const int64_t layers = 2, shape[2] = {3, 2};
  attn_parameter_info parameters[2];
  attn_model record;
  attn_weights *weights = nullptr;
  attn_status status = {};
};

TEST_F(Experts, AreGatheredIntoOneValue) {
  ASSERT_EQ(load(TemporaryFile(tensors()).path), ATTN_OK) << status.message;
  expectValues();
}

TEST_F(Experts, ComeBackFromASavedFile) {
  ASSERT_EQ(load(TemporaryFile(tensors()).path), ATTN_OK) << status.message;
  TemporaryFile saved({});
  ASSERT_EQ(attn_weights_save(weights, saved.path, 0, &status), ATTN_OK) << status.message;
  attn_safetensors *file = nullptr;
  ASSERT_EQ(attn_safetensors_open(saved.path, &file, &status), ATTN_OK) << status.message;
  EXPECT_EQ(attn_safetensors_count(file), 7);
  const attn_file_tensor *last = attn_safetensors_find(file, "h.1.e.2.w");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->rank, 1);
  EXPECT_EQ(last->shape[0], 2);
  attn_safetensors_close(file);
  ASSERT_EQ(load(saved.path), ATTN_OK) << status.message;
  expectValues();
}

TEST_F(Experts, OfNarrowTypesAreWidened) {
  std::vector<Entry> all = tensors();
  all[4] = {"h.1.e.1.w", "BF16", "[2]", std::string("\x80\x3f\x00\xc0", 4)}; // 1, -2
  ASSERT_EQ(load(TemporaryFile(all).path), ATTN_OK) << status.message;
  EXPECT_EQ(at(1, 2), 1);
  EXPECT_EQ(at(1, 3), -2);
  EXPECT_EQ(at(1, 4), 120);
}

TEST_F(Experts, OfWhichOneIsMissingOrOfAnotherShape) {
  std::vector<Entry> all = tensors();
  all.erase(all.begin() + 5);
  TemporaryFile missing(all);
  EXPECT_EQ(load(missing.path), ATTN_BAD_WEIGHTS);
  EXPECT_EQ(status.message,
            std::string(missing.path) + ": tensor 'h.1.e.2.w' is missing, expected F32[2] (parameter w)");
  all.push_back({"h.1.e.2.w", "F32", "[1,2]", floats({1, 2})});
  TemporaryFile wrong(all);
  EXPECT_EQ(load(wrong.path), ATTN_BAD_WEIGHTS);
  EXPECT_EQ(status.message,
            std::string(wrong.path) + ": tensor 'h.1.e.2.w' is F32[1, 2], expected F32[2] (parameter w)");
  all = tensors();
  all.push_back({"h.1.e.3.w", "F32", "[2]", floats({1, 2})});
  TemporaryFile more(all);
  EXPECT_EQ(load(more.path), ATTN_BAD_WEIGHTS);
  EXPECT_EQ(status.message, std::string(more.path) + ": tensor 'h.1.e.3.w' is not a parameter of m");
}

} // namespace
