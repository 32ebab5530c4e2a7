#include "attn/weights.h"
#include "attn/files.h"
#include "attn/run.h"
#include "attn/safetensors.h"
#include "attn/threads.h"
#include "tests/runtime/ModelRecord.h"
#include "tests/runtime/TemporaryWeights.h"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <unistd.h>

namespace {

const int64_t shape[] = {2, 2}, counts[] = {2};

// Two layers of w[2, 2] and one b[2], w doubled by prepare into one packed weight.
const attn_parameter_info parameters[] = {
    {"blocks.w", "h.{0}.w", shape, counts, nullptr, 0.0, 0.5, ATTN_INIT_NORMAL, ATTN_F32, 2, 1, 0, 0, 0},
    {"b", "b", shape, nullptr, nullptr, 3.0, 0.0, ATTN_INIT_CONSTANT, ATTN_F32, 1, 0, 2, 0, 0}};
const attn_packed_info packed[] = {{16, 0, "doubled"}};

int32_t prepare(const attn_frame *frame) {
  auto *from = static_cast<const float *>(frame->parameters[0]);
  auto *to = static_cast<float *>(const_cast<void *>(frame->parameters[3]));
  for (int i = 0; i < 4; ++i)
    to[i] = 2 * from[i];
  return ATTN_OK;
}

attn_model model() {
  attn_model m = emptyModel();
  m.parameters = parameters;
  m.parameter_count = 2;
  m.loaded_count = 3;
  m.packed_count = 1;
  m.packed = packed;
  m.prepare = prepare;
  return m;
}

const Entry h0 = {"h.0.w", "F32", "[2,2]", floats({1, 2, 3, 4})}, h1 = {"h.1.w", "F32", "[2,2]", floats({5, 6, 7, 8})},
            b = {"b", "F32", "[2]", floats({9, 10})};

std::string messageOf(const std::vector<Entry> &entries, int32_t flags = 0) {
  TemporaryFile file(entries);
  attn_model m = model();
  attn_weights *weights;
  attn_status status;
  attn_code code = attn_weights_load(&m, file.path, flags, nullptr, &weights, &status);
  attn_weights_free(weights);
  if (code == ATTN_OK)
    return "ok";
  EXPECT_EQ(weights, nullptr);
  return std::string(status.message).replace(0, strlen(file.path), "f");
}

} // namespace

TEST(Weights, LoadsAndPacks) {
  TemporaryFile file({b, h1, h0});
  attn_model m = model();
  attn_weights *weights;
  attn_status status;
  ASSERT_EQ(attn_weights_load(&m, file.path, 0, nullptr, &weights, &status), ATTN_OK) << status.message;
  auto *table = reinterpret_cast<const float *const *>(attn_weights_table(weights));
  EXPECT_EQ(table[0][3], 4);
  EXPECT_EQ(table[1][0], 5);
  EXPECT_EQ(table[2][1], 10);
  EXPECT_EQ(table[3][3], 8);
  attn_weights_free(weights);
}

TEST(Weights, WidensHalfPrecision) {
  // 1, -2, 65504 (largest), 2^-24 (smallest subnormal) as F16; 1, -2, +inf, 0 as BF16.
  uint16_t half[] = {0x3C00, 0xC000, 0x7BFF, 0x0001}, brain[] = {0x3F80, 0xC000, 0x7F80, 0};
  TemporaryFile file({{"h.0.w", "F16", "[2,2]", std::string(reinterpret_cast<char *>(half), 8)},
                      {"h.1.w", "BF16", "[2,2]", std::string(reinterpret_cast<char *>(brain), 8)},
                      b});
  attn_model m = model();
  attn_weights *weights;
  attn_status status;
  ASSERT_EQ(attn_weights_load(&m, file.path, 0, nullptr, &weights, &status), ATTN_OK) << status.message;
  auto *table = reinterpret_cast<const float *const *>(attn_weights_table(weights));
  EXPECT_EQ(table[0][0], 1);
  EXPECT_EQ(table[0][1], -2);
  EXPECT_EQ(table[0][2], 65504);
  EXPECT_EQ(table[0][3], 0x1p-24f);
  EXPECT_EQ(table[1][1], -2);
  EXPECT_TRUE(std::isinf(table[1][2]));
  attn_weights_free(weights);
}

TEST(Weights, NamesWhatIsWrong) {
  EXPECT_EQ(messageOf({h0, h1, b}), "ok");
  EXPECT_EQ(messageOf({h0, b}), "f: tensor 'h.1.w' is missing, expected F32[2, 2] (parameter blocks.w)");
  EXPECT_EQ(messageOf({h0, h1, b, {"h.0.bias", "F32", "[1]", floats({0})}}),
            "f: tensor 'h.0.bias' is not a parameter of m");
  EXPECT_EQ(messageOf({h0, h1, b, {"h.0.bias", "F32", "[1]", floats({0})}}, ATTN_ALLOW_EXTRA), "ok");
  EXPECT_EQ(messageOf({h0, h1, {"b", "F32", "[3]", floats({0, 0, 0})}}),
            "f: tensor 'b' is F32[3], expected F32[2] (parameter b)");
  EXPECT_EQ(messageOf({h0, h1, {"b", "I32", "[2]", floats({0, 0})}}),
            "f: tensor 'b' is I32[2], expected F32[2] (parameter b)");
}

TEST(Weights, InitialValuesAreTheSameAtAnyThreadCount) {
  attn_model m = model();
  attn_pool *pool;
  attn_weights *alone, *together;
  ASSERT_EQ(attn_pool_create(3, &pool, nullptr), ATTN_OK);
  ASSERT_EQ(attn_weights_initialise(&m, 5, nullptr, &alone, nullptr), ATTN_OK);
  ASSERT_EQ(attn_weights_initialise(&m, 5, attn_pool_executor(pool), &together, nullptr), ATTN_OK);
  auto *x = reinterpret_cast<const float *const *>(attn_weights_table(alone));
  auto *y = reinterpret_cast<const float *const *>(attn_weights_table(together));
  EXPECT_EQ(memcmp(x[0], y[0], 16), 0);
  EXPECT_NE(memcmp(x[0], x[1], 16), 0) << "layers draw from streams of their own";
  EXPECT_EQ(x[2][0], 3);
  attn_weights_free(alone);
  attn_weights_free(together);
  attn_pool_destroy(pool);
}

namespace {

// The same parameters with a moment of each w, and a training entry point.
const attn_parameter_info trained[] = {
    parameters[0],
    parameters[1],
    {"t.m.blocks.w", "t.m.h.{0}.w", shape, counts, nullptr, 0.5, 0.0, ATTN_INIT_CONSTANT, ATTN_F32, 2, 1, 3, 1, 0},
    {"t.count", "t.count", nullptr, nullptr, nullptr, 0.0, 0.0, ATTN_INIT_CONSTANT, ATTN_I32, 0, 0, 5, 1, 0}};

int32_t addOne(const attn_frame *frame) {
  for (int place : {0, 2, 3})
    *static_cast<float *>(const_cast<void *>(frame->parameters[place])) += 1;
  ++*static_cast<int32_t *>(const_cast<void *>(frame->parameters[5]));
  return ATTN_OK;
}

int32_t prepareTrained(const attn_frame *frame) {
  *static_cast<float *>(const_cast<void *>(frame->parameters[6])) = *static_cast<const float *>(frame->parameters[0]);
  return ATTN_OK;
}

int32_t nothing(const attn_frame *) { return ATTN_OK; }
int64_t noArena(const int64_t *, int64_t) { return 0; }

const attn_entry_info entries[] = {{"t", addOne, noArena, nullptr, nullptr, 0, 0, 0, 1, 0, 0, nullptr},
                                   {"f", nothing, noArena, nullptr, nullptr, 0, 0, 0, 0, 0, 0, nullptr}};

attn_model trainedModel() {
  attn_model m = model();
  m.identity = "0123456789abcdef";
  m.entries = entries;
  m.entry_count = 2;
  m.parameters = trained;
  m.parameter_count = 4;
  m.loaded_count = 6;
  m.prepare = prepareTrained;
  return m;
}

struct Training {
  explicit Training(attn_model &m, const char *path = nullptr) {
    code = path ? attn_weights_load(&m, path, ATTN_TRAINABLE, nullptr, &weights, &status)
                : attn_weights_initialise(&m, 1, nullptr, &weights, &status);
    context.weights = weights;
  }
  ~Training() { attn_weights_free(weights); }
  const void *place(int number) const { return attn_weights_table(weights)[number]; }
  std::string bytes() const {
    std::string all;
    for (int number = 0; number < 6; ++number)
      all.append(static_cast<const char *>(place(number)), number == 5 ? 4 : number == 2 ? 8 : 16);
    return all;
  }
  attn_code code;
  attn_status status = {};
  attn_weights *weights = nullptr;
  attn_context context = {};
};

} // namespace

TEST(Training, GoesOnFromWhatWasSaved) {
  attn_model m = trainedModel();
  Training first(m);
  ASSERT_EQ(first.code, ATTN_OK) << first.status.message;
  ASSERT_EQ(attn_run(&m, 0, &first.context, nullptr, 0, nullptr), ATTN_OK);
  ASSERT_EQ(attn_weights_save(first.weights, "training.safetensors", ATTN_SAVE_STATES, &first.status), ATTN_OK)
      << first.status.message;
  Training second(m, "training.safetensors");
  ASSERT_EQ(second.code, ATTN_OK) << second.status.message;
  EXPECT_EQ(second.bytes(), first.bytes());
  EXPECT_EQ(*static_cast<const int32_t *>(second.place(5)), 1);
  attn_safetensors *file;
  ASSERT_EQ(attn_safetensors_open("training.safetensors", &file, nullptr), ATTN_OK);
  EXPECT_STREQ(attn_safetensors_object(file), "0123456789abcdef");
  attn_safetensors_close(file);
  unlink("training.safetensors");
}

TEST(Training, StartsAnewFromParametersAlone) {
  attn_model m = trainedModel();
  Training first(m);
  ASSERT_EQ(attn_run(&m, 0, &first.context, nullptr, 0, nullptr), ATTN_OK);
  ASSERT_EQ(attn_weights_save(first.weights, "parameters.safetensors", 0, nullptr), ATTN_OK);
  Training second(m, "parameters.safetensors");
  ASSERT_EQ(second.code, ATTN_OK) << second.status.message;
  EXPECT_EQ(*static_cast<const float *>(second.place(3)), 0.5f);
  EXPECT_EQ(*static_cast<const int32_t *>(second.place(5)), 0);
  EXPECT_EQ(memcmp(second.place(0), first.place(0), 16), 0);
  unlink("parameters.safetensors");
}

TEST(Training, NeedsWeightsThatMayChange) {
  attn_model m = trainedModel();
  TemporaryFile file({h0, h1, b});
  attn_context context = {};
  attn_status status;
  ASSERT_EQ(attn_weights_load(&m, file.path, 0, nullptr, &context.weights, &status), ATTN_OK) << status.message;
  EXPECT_EQ(attn_run(&m, 0, &context, nullptr, 0, &status), ATTN_BAD_WEIGHTS);
  EXPECT_STREQ(status.message, "t: updates parameters, but these weights are not loaded for training (ATTN_TRAINABLE)");
  EXPECT_EQ(attn_run(&m, 1, &context, nullptr, 0, &status), ATTN_OK);
  attn_weights_free(context.weights);
}

TEST(Training, NeverReadsPackedWeightsOfBefore) {
  attn_model m = trainedModel();
  Training training(m);
  EXPECT_EQ(attn_run(&m, 1, &training.context, nullptr, 0, nullptr), ATTN_OK);
  EXPECT_EQ(attn_run(&m, 0, &training.context, nullptr, 0, nullptr), ATTN_OK);
  EXPECT_EQ(attn_run(&m, 1, &training.context, nullptr, 0, &training.status), ATTN_BAD_WEIGHTS);
  EXPECT_STREQ(training.status.message, "f: the parameters have changed since they were packed (attn_weights_repack)");
  ASSERT_EQ(attn_weights_repack(training.weights, nullptr, nullptr), ATTN_OK);
  EXPECT_EQ(attn_run(&m, 1, &training.context, nullptr, 0, nullptr), ATTN_OK);
  EXPECT_EQ(*static_cast<const float *>(training.place(6)), *static_cast<const float *>(training.place(0)));
}

TEST(Training, RefusesSomeOfTheStates) {
  attn_model m = trainedModel();
  TemporaryFile file({h0, h1, b, {"t.count", "I32", "[]", std::string(4, 0)}});
  Training training(m, file.path);
  EXPECT_EQ(training.code, ATTN_BAD_WEIGHTS);
  EXPECT_EQ(std::string(training.status.message).replace(0, strlen(file.path), "f"),
            "f: has the state of training 't.count' but not 't.m.blocks.w', expected all or none");
  // The last entry of a list of states alone.
  TemporaryFile last({h0, h1, b, {"t.m.h.1.w", "F32", "[2,2]", floats({0, 0, 0, 0})}});
  Training other(m, last.path);
  EXPECT_EQ(other.code, ATTN_BAD_WEIGHTS);
  EXPECT_EQ(std::string(other.status.message).replace(0, strlen(last.path), "f"),
            "f: tensor 't.m.h.0.w' is missing, expected F32[2, 2] (parameter t.m.blocks.w)");
}

TEST(Training, KeepsTheOldFileWhereTheNewOneFails) {
  attn_model m = trainedModel();
  Training training(m);
  attn_status status;
  EXPECT_EQ(attn_weights_save(training.weights, "no/such/directory/x.safetensors", 0, &status), ATTN_BAD_FILE);
  EXPECT_STREQ(status.message, "no/such/directory/x.safetensors: cannot be written: No such file or directory");
}

TEST(Weights, RefusesAnotherAbi) {
  attn_model m = model();
  m.abi_version = 99;
  attn_weights *weights;
  attn_status status;
  EXPECT_EQ(attn_weights_initialise(&m, 5, nullptr, &weights, &status), ATTN_UNSUPPORTED);
  EXPECT_EQ(status.message, "m: compiled for ABI version 99, this runtime has " + std::to_string(ATTN_ABI_VERSION));
}

TEST(Weights, TablesMustBeWhole) {
  attn_model m = model();
  float values[4] = {};
  const void *table[] = {values, nullptr, values};
  attn_weights *weights;
  attn_status status;
  EXPECT_EQ(attn_weights_from_table(&m, table, nullptr, &weights, &status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "m: entry 1 of the parameter table is null");
  EXPECT_EQ(attn_weights_embedded(&m, nullptr, &weights, &status), ATTN_BAD_WEIGHTS);
  EXPECT_EQ(weights, nullptr);
}

TEST(Weights, AreSavedWithEachElementType) {
  const std::map<int32_t, int32_t> types = {{ATTN_F32, ATTN_FILE_F32},
                                            {ATTN_I32, ATTN_FILE_I32},
                                            {ATTN_BOOL, ATTN_FILE_BOOL},
                                            {ATTN_BF16, ATTN_FILE_BF16},
                                            {ATTN_F16, ATTN_FILE_F16}};
  for (auto [dtype, inFile] : types) {
    attn_parameter_info parameter = parameters[1];
    parameter.dtype = dtype;
    parameter.first = 0;
    attn_model m = emptyModel();
    m.parameters = &parameter;
    m.parameter_count = m.loaded_count = 1;
    const int64_t values = 0;
    const void *table[] = {&values};
    TemporaryFile saved({});
    attn_weights *weights = nullptr;
    attn_safetensors *file = nullptr;
    attn_status status;
    ASSERT_EQ(attn_weights_from_table(&m, table, nullptr, &weights, &status), ATTN_OK) << status.message;
    ASSERT_EQ(attn_weights_save(weights, saved.path, 0, &status), ATTN_OK) << status.message;
    ASSERT_EQ(attn_safetensors_open(saved.path, &file, &status), ATTN_OK) << status.message;
    EXPECT_EQ(attn_safetensors_find(file, "b")->dtype, inFile);
    attn_safetensors_close(file);
    attn_weights_free(weights);
  }
}
