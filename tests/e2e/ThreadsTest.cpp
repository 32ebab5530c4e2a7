// Compares bits at any number of threads, at sizes that split every kernel into more chunks than threads.
#include "tests/e2e/CompiledModel.h"
#include "tests/e2e/Subject.h"
#include <gtest/gtest.h>

namespace attnc::e2e {
namespace {

using reference::Array;

/// Runs an entry point of split.attn with 1999 rows, queries or keys.
void expectSameBits(const CompiledModel &model, const char *name) {
  SCOPED_TRACE(name);
  const attn_entry_info *entry = model.entry(name);
  ASSERT_TRUE(entry);
  std::vector<int64_t> dimensions = {1999};
  std::vector<Array> inputs;
  for (int32_t number = 0; number < entry->input_count; ++number) {
    Random random(entry->tensors[number].name);
    Array &input = inputs.emplace_back(reference::Element::F32, shapeOf(entry->tensors[number], dimensions), 0.0);
    for (double &value : input.values)
      value = static_cast<float>(random.uniform(-1, 1));
  }
  std::map<std::string, int64_t> chunks;
  CallResults alone = model.call(*entry, inputs, dimensions, {.workers = 1, .chunks = &chunks});
  ASSERT_EQ(alone.status, ATTN_OK);
  constexpr int64_t most = 7;
  for (int64_t workers : {int64_t(2), int64_t(3), most})
    EXPECT_TRUE(model.call(*entry, inputs, dimensions, {.workers = workers}).bytes == alone.bytes)
        << workers << " workers";
  EXPECT_FALSE(chunks.empty());
  for (const auto &[kernel, count] : chunks)
    EXPECT_GT(count, most) << kernel << " is not split";
}

TEST(Threads, GiveTheSameBitsWhereWorkIsSplit) {
  const CompiledModel &model = compiledModel("split.attn");
  ASSERT_TRUE(model) << model.message();
  for (const char *entry : {"layers", "prefill", "decode"})
    expectSameBits(model, entry);
}

} // namespace
} // namespace attnc::e2e
