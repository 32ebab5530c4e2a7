#include "attn/run.h"
#include "attn/files.h"
#include "attn/processor.h"
#include "attn/threads.h"
#include "tests/runtime/ModelRecord.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace {

// A handwritten entry point y[n, 2 n] of x[n] and c[3]; element i of y is i.
const attn_dimension_info dimensions[] = {{"n", 8, 0}};
const int32_t squared[] = {0, 0};
const attn_size_term n[] = {{1, squared, 1, 0, nullptr}}, three[] = {{3, nullptr, 0, 0, nullptr}},
                     twice[] = {{2, squared, 1, 0, nullptr}},
                     area[] = {{2, squared, 2, 0, nullptr}, {-1, nullptr, 0, 0, nullptr}};
const attn_size_info xShape[] = {{n, 1}}, cShape[] = {{three, 1}}, yShape[] = {{n, 1}, {twice, 1}};
const attn_tensor_info tensorInfos[] = {
    {"x", xShape, ATTN_F32, 1}, {"c", cShape, ATTN_I32, 1}, {"y", yShape, ATTN_F32, 2}};

int32_t failWith = ATTN_OK;

int32_t run(const attn_frame *frame) {
  auto *y = static_cast<float *>(frame->tensors[2]);
  for (int64_t i = 0; i < 2 * frame->dimensions[0] * frame->dimensions[0]; ++i)
    y[i] = float(i);
  return failWith;
}
int64_t arenaBytes(const int64_t *values, int64_t workers) { return 64 * values[0] * workers; }

const attn_entry_info entries[] = {{"e", run, arenaBytes, dimensions, tensorInfos, 1, 2, 1, 0, 0, 0, nullptr}};

attn_model model() { return modelOf(entries, 1); }

TEST(Size, IsASumOfProducts) {
  const attn_size_info size = {area, 2}, nothing = {nullptr, 0};
  const int64_t four = 4, none = 0, huge = int64_t(1) << 40;
  EXPECT_EQ(attn_size(&size, &four), 31);
  EXPECT_EQ(attn_size(&size, &none), -1);
  EXPECT_EQ(attn_size(&size, &huge), INT64_MAX);
  EXPECT_EQ(attn_size(&nothing, &four), 0);
}

TEST(Size, HasQuotients) { // 3 * (n * n / 4) - 1
  const attn_size_term square[] = {{1, squared, 2, 0, nullptr}};
  const attn_size_quotient quarter[] = {{{square, 1}, 4}};
  const attn_size_term terms[] = {{3, nullptr, 0, 1, quarter}, {-1, nullptr, 0, 0, nullptr}};
  const attn_size_info size = {terms, 2}, alone = {terms, 1};
  const int64_t five = 5, one = 1, huge = int64_t(1) << 40;
  EXPECT_EQ(attn_size(&size, &five), 17);
  EXPECT_EQ(attn_size(&size, &one), -1);
  EXPECT_EQ(attn_size(&size, &huge), INT64_MAX);
  EXPECT_EQ(attn_size(&size, nullptr), INT64_MAX);
  EXPECT_EQ(attn_size_dimension(&alone), -1);
}

struct Call {
  attn_model m = model();
  float x[8] = {}, y[128] = {};
  int32_t c[3] = {};
  alignas(64) char arena[1024];
  attn_tensor tensors[3] = {{x, {2}, ATTN_F32, 1}, {c, {3}, ATTN_I32, 1}, {y, {2, 4}, ATTN_F32, 2}};
  attn_context context = {nullptr, nullptr, arena, sizeof arena};
  attn_status status = {};
  std::string operator()(int64_t entry = 0, int64_t count = 3) {
    attn_code code = attn_run(&m, entry, &context, tensors, count, &status);
    EXPECT_EQ(code, status.code);
    return code == ATTN_OK ? "ok" : status.message;
  }
};

} // namespace

TEST(Run, CallsWhatFits) {
  Call call;
  EXPECT_EQ(call(), "ok");
  EXPECT_EQ(call.y[7], 7);
  EXPECT_EQ(attn_find_entry(&call.m, "e"), 0);
  EXPECT_EQ(attn_find_entry(&call.m, "f"), -1);
  call.m.abi_version = ATTN_ABI_VERSION - 1;
  EXPECT_EQ(attn_find_entry(&call.m, "e"), -1);
}

TEST(Run, ChecksTheLeastSize) {
  const attn_dimension_info atLeastOne = {"n", 8, 1};
  attn_entry_info entry = entries[0];
  entry.dimensions = &atLeastOne;
  Call call;
  call.m.entries = &entry;
  EXPECT_EQ(call(), "ok");
  call.tensors[0].shape[0] = call.tensors[2].shape[0] = call.tensors[2].shape[1] = 0;
  EXPECT_EQ(call(), "e: `n` is 0 (dimension 0 of 'x'), expected at least 1");
  EXPECT_EQ(call.status.code, ATTN_BAD_ARGUMENT);
}

TEST(Run, ChecksShapes) {
  Call call;
  call.tensors[2].shape[1] = 5;
  EXPECT_EQ(call(), "e: 'y' has shape [2, 5], expected [2, 4]");
  call.tensors[2].shape[0] = 3;
  EXPECT_EQ(call(), "e: dimension 0 of 'y' is 3, but `n` is 2 elsewhere");
  call.tensors[0].shape[0] = 9;
  EXPECT_EQ(call(), "e: `n` is 9 (dimension 0 of 'x'), expected at most 8");
  call.tensors[0].shape[0] = -1;
  EXPECT_EQ(call(), "e: dimension 0 of 'x' is -1, expected at least 0");
  call.tensors[0].rank = 2;
  EXPECT_EQ(call(), "e: 'x' has 2 dimensions, expected 1");
  call.tensors[0].dtype = ATTN_I32;
  EXPECT_EQ(call(), "e: 'x' has elements of type i32, expected f32");
}

TEST(Run, RefusesEachElementTypeForEachOther) {
  const std::map<int32_t, std::string> names = {
      {ATTN_F32, "f32"}, {ATTN_I32, "i32"}, {ATTN_BOOL, "bool"}, {ATTN_BF16, "bf16"}, {ATTN_F16, "f16"}};
  attn_tensor_info infos[3];
  std::copy_n(tensorInfos, 3, infos);
  attn_entry_info entry = entries[0];
  entry.tensors = infos;
  for (const auto &[expected, expectedName] : names)
    for (int32_t found : {0, 1, 2, 3, 4, 5, 6, 1000, -1, INT32_MIN, INT32_MAX}) {
      Call call;
      call.m.entries = &entry;
      infos[0].dtype = expected;
      call.tensors[0].dtype = found;
      std::string foundName = names.count(found) ? names.at(found) : "unknown";
      EXPECT_EQ(call(),
                found == expected ? "ok" : "e: 'x' has elements of type " + foundName + ", expected " + expectedName);
    }
}

TEST(Run, RefusesExecutorsThatRunNothing) {
  Call call;
  attn_executor executor = *attn_serial_executor();
  call.context.executor = &executor;
  EXPECT_EQ(call(), "ok");
  for (int64_t workers : {int64_t(0), int64_t(-1), INT64_MIN}) {
    executor.workers = workers;
    std::string expected = "the executor has " + std::to_string(workers) + " workers, expected at least 1";
    EXPECT_EQ(call(), "e: " + expected);
    attn_weights *weights = nullptr;
    EXPECT_EQ(attn_weights_initialise(&call.m, 0, &executor, &weights, &call.status), ATTN_BAD_ARGUMENT);
    EXPECT_EQ(call.status.message, "m: " + expected);
  }
  executor = {nullptr, nullptr, 1};
  EXPECT_EQ(call(), "e: the executor's parallel_for is a null pointer");
}

TEST(Run, InfersDimensionsOfAsManyTensorsAsThereAre) {
  Call call;
  int64_t n = 0;
  auto infer = [&](int64_t entry, int64_t count) -> std::string {
    bool ok = attn_infer_dimensions(&call.m, entry, call.tensors, count, &n, &call.status) == ATTN_OK;
    return ok ? "ok" : call.status.message;
  };
  EXPECT_EQ(infer(0, 2), "ok");
  EXPECT_EQ(n, 2);
  EXPECT_EQ(infer(0, 4), "e: 4 tensors, expected at most 2 inputs and 1 results");
  EXPECT_EQ(infer(0, -1), "e: -1 tensors, expected at most 2 inputs and 1 results");
  EXPECT_EQ(infer(-1, 2), "m: has 1 entry points, but number -1 was called");
}

TEST(Run, ChecksPointersAndCounts) {
  Call call;
  EXPECT_EQ(call(0, 2), "e: 2 tensors, expected 2 inputs and 1 results");
  EXPECT_EQ(call(1), "m: has 1 entry points, but number 1 was called");
  call.tensors[1].data = nullptr;
  EXPECT_EQ(call(), "e: 'c' is a null pointer");
  EXPECT_EQ(attn_run(nullptr, 0, &call.context, call.tensors, 3, &call.status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(call.status.message, "the model is a null pointer");
  EXPECT_EQ(attn_run(&call.m, 0, nullptr, call.tensors, 3, &call.status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(call.status.message, "the context is a null pointer");
  EXPECT_EQ(attn_run(&call.m, 0, &call.context, nullptr, 3, &call.status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(call.status.message, "the list of tensors is a null pointer");
}

TEST(Run, RefusesTensorsBeyond64Bits) {
  const attn_dimension_info unbounded = {"n", -1, 0};
  attn_entry_info entry = entries[0];
  entry.dimensions = &unbounded;
  Call call;
  call.m.entries = &entry;
  call.tensors[0].shape[0] = call.tensors[2].shape[0] = int64_t(1) << 61;
  call.tensors[2].shape[1] = int64_t(1) << 62;
  EXPECT_EQ(call(), "e: 'x' of shape [2305843009213693952] is beyond 64 bits");
}

TEST(Run, RefusesWeightsOfAnotherModel) {
  Call call, other;
  attn_weights *weights = nullptr;
  ASSERT_EQ(attn_weights_initialise(&other.m, 0, nullptr, &weights, nullptr), ATTN_OK);
  call.context.weights = weights;
  EXPECT_EQ(call(), "e: the weights are those of another model");
  other.context.weights = weights;
  EXPECT_EQ(other(), "ok");
  attn_weights_free(weights);
}

TEST(Run, ChecksTheArena) {
  Call call;
  call.context.arena_bytes = 127;
  EXPECT_EQ(call(), "e: the arena has 127 bytes, expected at least 128");
  call.context.arena_bytes = 128;
  EXPECT_EQ(call(), "ok");
  call.context.arena = call.arena + 1;
  EXPECT_EQ(call(), "e: the arena is not aligned to 64 bytes");
  call.context.arena = nullptr;
  EXPECT_EQ(call(), "e: the arena is a null pointer, expected 128 bytes");
}

TEST(Run, NeedsNoArenaOrDataWhereNothingIsComputed) {
  Call call;
  call.tensors[0].shape[0] = call.tensors[2].shape[0] = call.tensors[2].shape[1] = 0;
  call.tensors[0].data = call.tensors[2].data = nullptr;
  call.context.arena = nullptr;
  call.context.arena_bytes = 0;
  EXPECT_EQ(call(), "ok");
}

TEST(Run, ReportsWhatTheCodeReports) {
  Call call;
  failWith = ATTN_OUT_OF_RANGE;
  EXPECT_EQ(call(), "e: an index that comes from the inputs lies outside its tensor");
  failWith = ATTN_OK;
}

TEST(Run, RefusesCodeForABetterProcessor) {
  Call call;
  call.m.features = attn_processor_features();
  EXPECT_EQ(call(), "ok");
  call.m.features = uint64_t(3) << 61; // no processor has these features
  EXPECT_EQ(call(), "m: compiled for m, but this processor or its operating system has no feature 61, feature 62; "
                    "compile it for an older --target");
  EXPECT_EQ(call.status.code, ATTN_UNSUPPORTED);
  // The initialisation of weights executes the model's code too.
  attn_weights *weights = nullptr;
  EXPECT_EQ(attn_weights_initialise(&call.m, 0, nullptr, &weights, nullptr), ATTN_UNSUPPORTED);
  EXPECT_EQ(attn_weights_load(nullptr, "w.safetensors", 0, nullptr, &weights, &call.status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(call.status.message, "the model is a null pointer");
  call.m.features = 0;
  EXPECT_EQ(attn_weights_load(&call.m, nullptr, 0, nullptr, &weights, &call.status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(call.status.message, "the path of a safetensors file is a null pointer");
  EXPECT_EQ(weights, nullptr);
}

TEST(Run, WantsWeightsWhereThereAreParameters) {
  Call call;
  call.m.loaded_count = 1;
  EXPECT_EQ(call(), "e: the model has parameters, but there are no weights");
}
