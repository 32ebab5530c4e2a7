#include "attn/weights.h"
#include "attn/threads.h"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace {

const int64_t shape[] = {2, 2}, counts[] = {2};

// Two layers of w[2, 2] and one b[2], w doubled by prepare into one packed place.
const attn_parameter_info parameters[] = {
    {"blocks.w", "h.{0}.w", shape, counts, nullptr, 0.0, 0.5, ATTN_INIT_NORMAL, ATTN_F32, 2, 1, 0},
    {"b", "b", shape, nullptr, nullptr, 3.0, 0.0, ATTN_INIT_CONSTANT, ATTN_F32, 1, 0, 2}};
const int64_t packedBytes[] = {16};

int32_t prepare(const attn_frame *frame) {
  auto *from = static_cast<const float *>(frame->parameters[0]);
  auto *to = static_cast<float *>(const_cast<void *>(frame->parameters[3]));
  for (int i = 0; i < 4; ++i)
    to[i] = 2 * from[i];
  return ATTN_OK;
}

attn_model model() {
  attn_model m = {};
  m.abi_version = ATTN_ABI_VERSION;
  m.name = "m";
  m.parameters = parameters;
  m.parameter_count = 2;
  m.loaded_count = 3;
  m.packed_count = 1;
  m.packed_bytes = packedBytes;
  m.prepare = prepare;
  return m;
}

struct Entry {
  std::string name, dtype, shape, bytes;
};

std::string floats(std::initializer_list<float> values) {
  return std::string(reinterpret_cast<const char *>(values.begin()), values.size() * 4);
}

class TemporaryFile {
public:
  explicit TemporaryFile(const std::vector<Entry> &entries) {
    std::string header = "{", data;
    for (const Entry &entry : entries) {
      header += (header.size() > 1 ? ",\"" : "\"") + entry.name + R"(":{"dtype":")" + entry.dtype + R"(","shape":)" +
                entry.shape + R"(,"data_offsets":[)" + std::to_string(data.size()) + "," +
                std::to_string(data.size() + entry.bytes.size()) + "]}";
      data += entry.bytes;
    }
    header += "}";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    uint64_t size = header.size();
    strcpy(path, "weightsXXXXXX");
    int descriptor = mkstemp(path);
    std::string all = std::string(reinterpret_cast<char *>(&size), 8) + header + data;
    EXPECT_EQ(write(descriptor, all.data(), all.size()), ssize_t(all.size()));
    close(descriptor);
  }
  ~TemporaryFile() { unlink(path); }
  char path[32];
};

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
                      {"h.1.w", "BF16", "[2,2]", std::string(reinterpret_cast<char *>(brain), 8)}, b});
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
            "f: tensor 'h.0.bias' is no parameter of m");
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

TEST(Weights, RefusesAnotherAbi) {
  attn_model m = model();
  m.abi_version = 99;
  attn_weights *weights;
  attn_status status;
  EXPECT_EQ(attn_weights_initialise(&m, 5, nullptr, &weights, &status), ATTN_UNSUPPORTED);
  EXPECT_STREQ(status.message, "m: compiled for ABI version 99, this runtime has 1");
}

TEST(Weights, TablesMustBeWhole) {
  attn_model m = model();
  float values[4] = {};
  const void *table[] = {values, nullptr, values};
  attn_weights *weights;
  attn_status status;
  EXPECT_EQ(attn_weights_from_table(&m, table, nullptr, &weights, &status), ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(status.message, "m: place 1 of the parameter table is null");
  EXPECT_EQ(attn_weights_embedded(&m, nullptr, &weights, &status), ATTN_BAD_WEIGHTS);
  EXPECT_EQ(weights, nullptr);
}
