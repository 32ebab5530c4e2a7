// Tests models compiled for a device, except their results (EndToEndTest.cpp).
#include "tests/e2e/CompiledModel.h"
#include "tests/support/Ptxas.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

namespace attnc::e2e {
namespace {

TEST(Device, AssemblesWithoutSpills) {
  if (!hasPtxas())
    GTEST_SKIP() << "this machine has no ptxas";
  for (const char *file : {"device.attn", "tensors.attn"})
    for (const char *architecture : {"sm_80", "sm_90a"}) {
      const CompiledModel &model = compiledModel(file, {}, std::string("cuda:") + architecture);
      ASSERT_TRUE(model) << model.message();
      ASSERT_TRUE(model.table().device);
      EXPECT_STREQ(model.table().device->images[0].target, architecture);
      EXPECT_EQ(ptxasFault(model.table().device->images[0].ptx, architecture), "") << file << " for " << architecture;
    }
}

TEST(Device, EveryPhaseHasItsFunction) {
  const CompiledModel &model = compiledModel("tensors.attn", {}, "cuda");
  ASSERT_TRUE(model) << model.message();
  const attn_device_code &device = *model.table().device;
  int64_t phases = 0;
  for (int64_t kernel = 0; kernel < model.table().kernel_count; ++kernel)
    for (int64_t phase = 0; phase < model.table().kernels[kernel].phase_count; ++phase, ++phases) {
      ASSERT_LT(phases, device.phase_count);
      EXPECT_EQ(device.phases[phases].phase, model.table().kernels[kernel].phases[phase]);
      std::string entry = std::string(".entry ") + device.phases[phases].name + "(";
      EXPECT_NE(std::string(device.images[0].ptx).find(entry), std::string::npos) << entry;
    }
  EXPECT_EQ(phases, device.phase_count) << "nothing is moved between kernels there";
  EXPECT_FALSE(compiledModel("tensors.attn").table().device);
}

TEST(Device, AProcessorSaysThatItRunsNoneOfIt) {
  const CompiledModel &model = compiledModel("tensors.attn", {}, "cuda");
  ASSERT_TRUE(model) << model.message();
  float numbers[6] = {1}; // x and its results
  std::vector<attn_tensor> tensors;
  for (float &each : numbers)
    tensors.push_back({&each, {1}, ATTN_F32, 1});
  std::vector<char> arena(1 << 16);
  auto aligned = (reinterpret_cast<uintptr_t>(arena.data()) + ATTN_ALIGNMENT - 1) / ATTN_ALIGNMENT * ATTN_ALIGNMENT;
  attn_context context = {nullptr, nullptr, reinterpret_cast<void *>(aligned), (1 << 16) - ATTN_ALIGNMENT};
  attn_status status;
  EXPECT_EQ(attn_run(&model.table(), attn_find_entry(&model.table(), "activations"), &context, tensors.data(),
                     static_cast<int64_t>(tensors.size()), &status),
            ATTN_UNSUPPORTED);
  EXPECT_STREQ(status.message,
               "activations: its kernels are code for sm_80, and the context's executor runs those of a processor");
}

/// Returns the names of a file's entry points that a device runs, concatenated.
std::string runOnDevice(const std::string &file) {
  CompileOptions options;
  options.input = std::string(ATTNC_ROOT) + file;
  options.target = "cuda";
  options.dump = Phase::Plan;
  options.reproducerDirectory = "";
  Compilation made;
  std::string messages, names;
  llvm::raw_string_ostream stream(messages);
  if (compile(options, made, stream) == Outcome::Done)
    for (EntryPlan &plan : made.program.entries)
      names += (names.empty() ? "" : " ") + plan.entry.getName().str();
  return names;
}

/// All entry points of the examples except steps of training.
TEST(Device, RunsTheseOfTheExamples) {
  const std::pair<const char *, const char *> examples[] = {
      {"/examples/chargpt/chargpt.attn", "logits maps next_prefill next write loss"},
      {"/examples/digits/digits.attn", "classify leave_one_out influence"},
      {"/examples/gpt2/gpt2.attn", "logits last"},
      {"/examples/ntm/ntm.attn", "texts long_texts loss errors heads"},
      {"/examples/pointer/pointer.attn", "numbers points cities loss exact excess solve pointed"},
      {"/examples/seq2seq/seq2seq.attn", "accuracy alignment loss translate"},
  };
  for (auto [file, entries] : examples)
    EXPECT_EQ(runOnDevice(file), entries) << file;
}

} // namespace
} // namespace attnc::e2e
