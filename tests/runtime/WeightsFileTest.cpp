#include "attn/files.h"
#include "attn/run.h"
#include "attn/safetensors.h"
#include "tests/runtime/ModelWithTable.h"
#include "tests/runtime/TemporaryWeights.h"
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>

// Counts comparisons of names by the runtime (the linker option --wrap=strcmp).
static int64_t comparisons = 0;
extern "C" int __real_strcmp(const char *a, const char *b);
extern "C" int __wrap_strcmp(const char *a, const char *b) {
  ++comparisons;
  return __real_strcmp(a, b);
}

namespace {

struct Loaded {
  Loaded(const ModelWithTable &model, const char *path, int32_t flags)
      : code(attn_weights_load(&model.record, path, flags, nullptr, &weights, &status)) {}
  ~Loaded() { attn_weights_free(weights); }
  const float *at(int64_t place) const { return static_cast<const float *>(attn_weights_table(weights)[place]); }
  attn_weights *weights = nullptr;
  attn_status status = {};
  attn_code code;
};

/// Returns the resident memory of this process in bytes: "VmRSS", or its peak "VmHWM".
int64_t resident(const char *which) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(which))
      return 1024 * std::stoll(line.substr(strlen(which) + 1));
  return -1;
}

} // namespace

TEST(WeightsFile, GivesUpWhatKernelsReadPackedAlone) {
  ModelWithTable model(3, 5);
  TemporaryFile file(model.entries());
  Loaded loaded(model, file.path, 0);
  ASSERT_EQ(loaded.code, ATTN_OK) << loaded.status.message;
  for (int64_t layer = 0; layer < 3; ++layer) {
    EXPECT_EQ(loaded.at(layer), nullptr);
    EXPECT_EQ(loaded.at(4 + layer)[4], 2 * ModelWithTable::valueAt(layer, 4));
  }
  EXPECT_EQ(loaded.at(3)[1], ModelWithTable::valueAt(3, 1));
  ASSERT_EQ(attn_weights_repack(loaded.weights, nullptr, nullptr), ATTN_OK);
  EXPECT_EQ(loaded.at(6)[4], 2 * ModelWithTable::valueAt(2, 4)) << "packed anew from nothing";
  EXPECT_EQ(attn_weights_save(loaded.weights, "given-up.safetensors", 0, &loaded.status), ATTN_BAD_WEIGHTS);
  EXPECT_STREQ(
      loaded.status.message,
      "m: the values of w are in memory only as packed weights; to save them, load them with ATTN_KEEP_VALUES");
  EXPECT_NE(access("given-up.safetensors", F_OK), 0);
}

/// A parameter that no entry point reads is freed; the others are packed again.
TEST(WeightsFile, PacksAnewWhatIsKept) {
  ModelWithTable model(3, 5);
  model.parameters[1].unread = 1;
  TemporaryFile file(model.entries());
  for (bool keepsMatrices : {true, false}) {
    model.parameters[0].unread = !keepsMatrices;
    Loaded loaded(model, file.path, 0);
    ASSERT_EQ(loaded.code, ATTN_OK) << loaded.status.message;
    EXPECT_EQ(loaded.at(3), nullptr) << "this gives up nothing";
    if (keepsMatrices)
      const_cast<float *>(loaded.at(1))[4] = 7;
    ASSERT_EQ(attn_weights_repack(loaded.weights, nullptr, &loaded.status), ATTN_OK) << loaded.status.message;
    EXPECT_EQ(loaded.at(4)[4], 2 * ModelWithTable::valueAt(0, 4));
    EXPECT_EQ(loaded.at(5)[4], keepsMatrices ? 14 : 2 * ModelWithTable::valueAt(1, 4));
  }
}

TEST(WeightsFile, KeepsAllValuesWhereAsked) {
  ModelWithTable model(3, 5);
  TemporaryFile file(model.entries());
  for (int32_t flag : {ATTN_KEEP_VALUES, ATTN_TRAINABLE}) {
    Loaded loaded(model, file.path, flag);
    ASSERT_EQ(loaded.code, ATTN_OK) << loaded.status.message;
    EXPECT_EQ(loaded.at(2)[4], ModelWithTable::valueAt(2, 4));
    EXPECT_EQ(loaded.at(6)[4], 2 * ModelWithTable::valueAt(2, 4));
    EXPECT_EQ(attn_weights_save(loaded.weights, "kept.safetensors", 0, &loaded.status), ATTN_OK)
        << loaded.status.message;
    Loaded again(model, "kept.safetensors", 0);
    ASSERT_EQ(again.code, ATTN_OK) << again.status.message;
    EXPECT_EQ(again.at(6)[4], 2 * ModelWithTable::valueAt(2, 4));
    unlink("kept.safetensors");
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !__has_feature(address_sanitizer) &&            \
    !__has_feature(thread_sanitizer)
/// `ulimit -v` limits reserved addresses and reserved memory.
TEST(WeightsFile, ReservesOneValueThatIsGivenUp) {
  constexpr int64_t layers = 16, megabyte = 1 << 20, elements = 4 * megabyte / 4;
  ModelWithTable model(layers, elements);
  TemporaryFile file(model.entries());
  rlimit before, limit;
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  limit = before;
  int64_t read = 4 * elements * (layers + 1), rest = 16 * megabyte;
  limit.rlim_cur = rlim_t(resident("VmSize:") + read + 4 * elements + rest);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  Loaded loaded(model, file.path, 0);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  ASSERT_EQ(loaded.code, ATTN_OK) << loaded.status.message;
  EXPECT_EQ(loaded.at(2 * layers)[4], 2 * ModelWithTable::valueAt(layers - 1, 4));
}

TEST(WeightsFile, WhatIsResidentIsWhatKernelsRead) {
  constexpr int64_t layers = 8, megabyte = 1 << 20, elements = 4 * megabyte / 4;
  ModelWithTable model(layers, elements);
  TemporaryFile file(model.entries());
  std::ofstream("/proc/self/clear_refs") << 5; // resets VmHWM
  int64_t before = resident("VmRSS:");
  Loaded loaded(model, file.path, 0);
  ASSERT_EQ(loaded.code, ATTN_OK) << loaded.status.message;
  int64_t read = 4 * elements * (layers + 1), grown = resident("VmRSS:") - before;
  EXPECT_LE(grown, read + read / 8) << "packed weights and the table are " << read << " bytes";
  EXPECT_LE(resident("VmHWM:") - before, read + 4 * elements + read / 8) << "while loading: one matrix more";
  EXPECT_GE(grown, read) << "this measures nothing";
}

/// If `prepare` packs the largest value first, its memory is free before the other packed weights are written.
TEST(WeightsFile, HoldsNoMoreThanTheValueThatIsPacked) {
  static constexpr int64_t megabyte = 1 << 20, sizes[] = {4 * megabyte, megabyte / 4}, layers[] = {16};
  static constexpr int64_t bytes[] = {4 * sizes[0], 4 * sizes[1]};
  attn_parameter_info parameters[2] = {
      {"table", "table", &sizes[0], nullptr, nullptr, 0, 1, ATTN_INIT_NORMAL, ATTN_F32, 1, 0, 0, 0, 1},
      {"w", "h.{0}.w", &sizes[1], layers, nullptr, 0, 1, ATTN_INIT_NORMAL, ATTN_F32, 1, 1, 1, 0, 1}};
  std::vector<attn_packed_info> packed = {{bytes[0], 0, ""}};
  std::vector<Entry> entries = {{"table", "F32", "[" + std::to_string(sizes[0]) + "]", std::string(bytes[0], 'a')}};
  for (int64_t layer = 0; layer < layers[0]; ++layer) {
    packed.push_back({bytes[1], 1 + layer, ""});
    entries.push_back({"h." + std::to_string(layer) + ".w", "F32", "[" + std::to_string(sizes[1]) + "]",
                       std::string(bytes[1], char('b' + layer))});
  }
  attn_model model = emptyModel();
  model.parameters = parameters;
  model.parameter_count = 2;
  model.loaded_count = model.packed_count = int64_t(packed.size());
  model.packed = packed.data();
  model.prepare = [](const attn_frame *frame) -> int32_t {
    for (int64_t i = 0; i <= layers[0]; ++i) {
      void *buffers[] = {const_cast<void *>(frame->parameters[i]),
                         const_cast<void *>(frame->parameters[layers[0] + 1 + i])};
      int64_t size = bytes[i > 0];
      attn_kernel_args args = {buffers, &size, nullptr, nullptr};
      auto copy = [](const attn_kernel_args *args, int64_t, void *) {
        memcpy(args->buffers[1], args->buffers[0], args->sizes[0]);
      };
      frame->executor->parallel_for(frame->executor->self, copy, &args, 1, frame->arena, 0);
    }
    return ATTN_OK;
  };
  TemporaryFile file(entries);
  std::ofstream("/proc/self/clear_refs") << 5; // resets VmHWM
  int64_t before = resident("VmRSS:"), read = bytes[0] + layers[0] * bytes[1];
  attn_weights *weights = nullptr;
  attn_status status;
  ASSERT_EQ(attn_weights_load(&model, file.path, 0, nullptr, &weights, &status), ATTN_OK) << status.message;
  EXPECT_LE(resident("VmHWM:") - before, bytes[0] + read + megabyte) << "while the table is packed";
  EXPECT_LE(resident("VmHWM:") - before, read + bytes[1] + 2 * megabyte) << "while the last matrix is packed";
  auto *table = static_cast<const char *const *>(static_cast<const void *>(attn_weights_table(weights)));
  EXPECT_EQ(std::string(table[layers[0] + 1], 3), "aaa");
  EXPECT_EQ(std::string(table[2 * layers[0] + 1] + bytes[1] - 3, 3), std::string(3, char('b' + layers[0] - 1)));
  attn_weights_free(weights);
}
#endif

namespace {

/// Truncates the file when the first weight is packed.
struct Truncating {
  static void run(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *, int64_t) {
    EXPECT_EQ(truncate(static_cast<Truncating *>(self)->path, 100), 0);
    for (int64_t chunk = 0; chunk < chunks; ++chunk)
      fn(args, chunk, nullptr);
  }
  const char *path;
  attn_executor executor = {run, this, 1};
};

} // namespace

TEST(WeightsFile, AFileThatIsTruncatedWhileItIsLoadedIsAnError) {
  ModelWithTable model(2, 5000);
  TemporaryFile file(model.entries());
  Truncating truncating = {file.path};
  attn_weights *weights;
  attn_status status;
  EXPECT_EQ(attn_weights_load(&model.record, file.path, 0, &truncating.executor, &weights, &status), ATTN_BAD_FILE);
  EXPECT_EQ(weights, nullptr);
  std::string reason = file.path + std::string(": truncated since it was opened: h.1.w");
  EXPECT_TRUE(std::string(status.message).starts_with(reason)) << status.message;
}

TEST(WeightsFile, AFileThatIsTruncatedWhenLoadedIsNoConcernAfterwards) {
  ModelWithTable model(2, 5000);
  TemporaryFile file(model.entries());
  Loaded loaded(model, file.path, 0);
  ASSERT_EQ(loaded.code, ATTN_OK) << loaded.status.message;
  ASSERT_EQ(truncate(file.path, 0), 0);
  for (int64_t i = 0; i < 5000; ++i)
    ASSERT_EQ(loaded.at(2)[i], ModelWithTable::valueAt(2, i));
}

TEST(WeightsFile, FindsNamesInFewComparisons) {
  constexpr int64_t count = 20000;
  ModelWithTable model(count, 1);
  TemporaryFile file(model.entries());
  comparisons = 0;
  Loaded loaded(model, file.path, ATTN_KEEP_VALUES);
  ASSERT_EQ(loaded.code, ATTN_OK) << loaded.status.message;
  EXPECT_EQ(loaded.at(count - 1)[0], ModelWithTable::valueAt(count - 1, 0));
  EXPECT_GT(comparisons, count) << "this counts nothing";
  EXPECT_LT(comparisons, 60 * count) << "n log2 n is " << 15 * count;
  EXPECT_EQ(attn_weights_save(loaded.weights, "many.safetensors", 0, &loaded.status), ATTN_OK) << loaded.status.message;
  EXPECT_LT(comparisons, 60 * count);
  unlink("many.safetensors");
}

TEST(WeightsFile, ShardsAreLoadedAsTheSingleFile) {
  ModelWithTable model(3, 5);
  std::vector<Entry> entries = model.entries();
  ShardedCheckpoint checkpoint;
  checkpoint.add("2.safetensors", {entries[3], entries[0]});
  checkpoint.add("1.safetensors", {entries[2], entries[1]});
  for (const std::string &path : {checkpoint.writeIndex(), checkpoint.path()}) {
    Loaded loaded(model, path.c_str(), ATTN_KEEP_VALUES);
    ASSERT_EQ(loaded.code, ATTN_OK) << loaded.status.message;
    for (int64_t i = 0; i < 5; ++i) {
      for (int64_t layer = 0; layer < 3; ++layer)
        EXPECT_EQ(loaded.at(4 + layer)[i], 2 * ModelWithTable::valueAt(layer, i));
      EXPECT_EQ(loaded.at(3)[i], ModelWithTable::valueAt(3, i));
    }
  }
  checkpoint.add("3.safetensors", {{"other", "F32", "[1]", "1234"}});
  Loaded extra(model, checkpoint.writeIndex().c_str(), 0);
  EXPECT_EQ(extra.status.message,
            checkpoint.at("model.safetensors.index.json") + ": tensor 'other' is not a parameter of m");
  EXPECT_EQ(Loaded(model, checkpoint.path().c_str(), ATTN_ALLOW_EXTRA).code, ATTN_OK);
  ModelWithTable larger(4, 5);
  EXPECT_EQ(Loaded(larger, checkpoint.path().c_str(), ATTN_ALLOW_EXTRA).status.message,
            checkpoint.path() + ": tensor 'h.3.w' is missing, expected F32[5] (parameter w)");
}

TEST(WeightsFile, FindsNamesOfManyShardsInFewComparisons) {
  constexpr int64_t count = 20000, shards = 250;
  ModelWithTable model(count, 1);
  std::vector<Entry> entries = model.entries();
  ShardedCheckpoint checkpoint;
  for (int64_t shard = 0; shard < shards; ++shard) {
    std::vector<Entry> some;
    for (size_t i = shard; i < entries.size(); i += shards)
      some.push_back(entries[i]);
    checkpoint.add("model-" + std::to_string(shard) + ".safetensors", some);
  }
  std::string index = checkpoint.writeIndex();
  comparisons = 0;
  Loaded loaded(model, index.c_str(), ATTN_KEEP_VALUES);
  ASSERT_EQ(loaded.code, ATTN_OK) << loaded.status.message;
  for (int64_t layer = 0; layer < count; ++layer)
    ASSERT_EQ(loaded.at(layer)[0], ModelWithTable::valueAt(layer, 0));
  EXPECT_GT(comparisons, count) << "this counts nothing";
  EXPECT_LT(comparisons, 120 * count) << "n log2 n is " << 15 * count;
}

namespace {

const int64_t one[] = {1}, twelve[] = {12, 11};

attn_parameter_info scalar(const char *name, const char *checkpoint, int64_t first) {
  return {name, checkpoint, one, nullptr, nullptr, 0.0, 1.0, ATTN_INIT_NORMAL, ATTN_F32, 1, 0, first, 0, 0};
}

attn_model modelOf(const std::vector<attn_parameter_info> &parameters, int64_t places) {
  attn_model model = emptyModel();
  model.parameters = parameters.data();
  model.parameter_count = int64_t(parameters.size());
  model.loaded_count = places;
  return model;
}

} // namespace

TEST(WeightsFile, NamesOfAnyLengthAreDifferentAndComeBack) {
  for (size_t length : {200, 254, 255, 256, 257, 4096, 20000}) {
    std::string stem(length, 'n'), x = stem + ".x", y = stem + ".y", listed = stem + ".{0}." + stem + ".{1}";
    std::vector<attn_parameter_info> parameters = {scalar("x", x.c_str(), 0), scalar("y", y.c_str(), 1),
                                                   scalar("l", listed.c_str(), 2)};
    parameters[2].counts = twelve;
    parameters[2].list_rank = 2;
    attn_model model = modelOf(parameters, 2 + 132);
    attn_weights *made, *again;
    attn_status status;
    ASSERT_EQ(attn_weights_initialise(&model, 1, nullptr, &made, &status), ATTN_OK) << status.message;
    auto *values = reinterpret_cast<const float *const *>(attn_weights_table(made));
    EXPECT_NE(*values[0], *values[1]) << "names of " << length << " share a stream";
    EXPECT_NE(*values[132], *values[133]);
    ASSERT_EQ(attn_weights_save(made, "long.safetensors", 0, &status), ATTN_OK) << status.message;
    ASSERT_EQ(attn_weights_load(&model, "long.safetensors", 0, nullptr, &again, &status), ATTN_OK) << status.message;
    auto *loaded = reinterpret_cast<const float *const *>(attn_weights_table(again));
    for (int64_t place = 0; place < model.loaded_count; ++place)
      EXPECT_EQ(*loaded[place], *values[place]) << length << " " << place;
    attn_weights_free(made);
    attn_weights_free(again);
    unlink("long.safetensors");
  }
}

TEST(WeightsFile, MessagesCutLongNames) {
  std::string stem(3000, 'n'), x = stem + ".x", y = stem + ".y";
  std::vector<attn_parameter_info> parameters = {scalar("x", x.c_str(), 0)}, others = {scalar("y", y.c_str(), 0)};
  attn_model model = modelOf(parameters, 1), other = modelOf(others, 1);
  attn_weights *weights, *none;
  attn_status status;
  ASSERT_EQ(attn_weights_initialise(&model, 1, nullptr, &weights, &status), ATTN_OK);
  ASSERT_EQ(attn_weights_save(weights, "x.safetensors", 0, &status), ATTN_OK) << status.message;
  EXPECT_EQ(attn_weights_load(&other, "x.safetensors", 0, nullptr, &none, &status), ATTN_BAD_WEIGHTS);
  EXPECT_EQ(status.message, "x.safetensors: tensor '" + std::string(58, 'n') + "..." + std::string(56, 'n') +
                                ".y' is missing, expected F32[1] (parameter y)");
  attn_weights_free(weights);
  unlink("x.safetensors");
}

TEST(WeightsFile, TwoParametersOfOneNameAreNotWritten) {
  std::vector<attn_parameter_info> parameters = {scalar("x", "n", 0), scalar("z", "m", 1), scalar("y", "n", 2)};
  attn_model model = modelOf(parameters, 3);
  attn_weights *weights;
  attn_status status;
  ASSERT_EQ(attn_weights_initialise(&model, 1, nullptr, &weights, &status), ATTN_OK);
  EXPECT_EQ(attn_weights_save(weights, "twice.safetensors", 0, &status), ATTN_BAD_WEIGHTS);
  EXPECT_STREQ(status.message, "twice.safetensors: not written: two parameters of m have the name \"n\"");
  EXPECT_NE(access("twice.safetensors", F_OK), 0);
  attn_weights_free(weights);
}

TEST(WeightsFile, AParameterNamedAsTheMetadataIsNotWritten) {
  attn_status status;
  for (const char *name : {"__metadata__", "__metadata__.w", "a.__metadata__"}) {
    std::vector<attn_parameter_info> parameters = {scalar("x", "n", 0), scalar("y", name, 1)};
    attn_model model = modelOf(parameters, 2);
    attn_weights *weights;
    ASSERT_EQ(attn_weights_initialise(&model, 1, nullptr, &weights, &status), ATTN_OK);
    bool isReserved = strcmp(name, "__metadata__") == 0;
    EXPECT_EQ(attn_weights_save(weights, "reserved.safetensors", 0, &status), isReserved ? ATTN_BAD_WEIGHTS : ATTN_OK);
    EXPECT_STREQ(status.message, isReserved ? "reserved.safetensors: not written: a parameter of m has the name "
                                              "\"__metadata__\", which the file format reserves; rename it in the model"
                                            : "");
    EXPECT_EQ(unlink("reserved.safetensors") == 0, !isReserved) << name;
    attn_weights_free(weights);
  }
}

TEST(WeightsFile, ListsBeyondTheTenthAreNumbered) {
  const int64_t counts[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 7};
  attn_parameter_info parameter = scalar("x", "a.{10}.{11}.{0}.{", 0);
  parameter.counts = counts;
  parameter.list_rank = 11;
  char name[32];
  EXPECT_EQ(attn_parameter_name(&parameter, 5, name, sizeof name), 12);
  EXPECT_STREQ(name, "a.5.{11}.0.{");
  EXPECT_EQ(attn_parameter_name(&parameter, 5, name, 4), 12) << "what there would be with room";
  EXPECT_STREQ(name, "a.5");
}

TEST(WeightsFile, NamesHaveSumsOfIndices) {
  const int64_t counts[] = {4, 5};
  auto nameOf = [&](const char *pattern, int64_t entry) {
    attn_parameter_info parameter = scalar("x", pattern, 0);
    parameter.counts = counts;
    parameter.list_rank = 2;
    char name[64];
    attn_parameter_name(&parameter, entry, name, sizeof name);
    return std::string(name);
  };
  EXPECT_EQ(nameOf("h.{0*6+1}.w", 0), "h.0.w");
  EXPECT_EQ(nameOf("h.{0*6+1}.w", 19), "h.22.w");
  EXPECT_EQ(nameOf("h.{0*6+#5}.w", 19), "h.23.w");
  EXPECT_EQ(nameOf("h.{1+#7}.{0}", 13), "h.10.2");
  for (const char *text :
       {"{2}", "{0*6+2}", "{0*}", "{#1*}", "{0+}", "{+0}", "{#}", "{0", "{}", "{a}", "{99999999999999999999}"})
    EXPECT_EQ(nameOf(text, 19), text);
}
