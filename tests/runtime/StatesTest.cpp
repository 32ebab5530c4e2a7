// Tests truncation and reordering of states' rows.
#include "attn/states.h"
#include "tests/runtime/ModelRecord.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

namespace {

// next(length[batch], a[2, batch, 3], b[batch]), where `a` and `b` are states.
const attn_dimension_info dimensions[] = {{"batch", -1, 0}};
const int32_t batch[] = {0};
const attn_size_term rows[] = {{1, batch, 1, 0, nullptr}}, two[] = {{2, nullptr, 0, 0, nullptr}},
                     three[] = {{3, nullptr, 0, 0, nullptr}};
const attn_size_info aShape[] = {{two, 1}, {rows, 1}, {three, 1}}, bShape[] = {{rows, 1}};
const attn_tensor_info tensors[] = {
    {"length", bShape, ATTN_I32, 1}, {"a", aShape, ATTN_F32, 3}, {"b", bShape, ATTN_BOOL, 1}};

struct States {
  explicit States(int32_t takeBack) {
    entry.name = "next";
    entry.dimensions = dimensions;
    entry.tensors = tensors;
    entry.dimension_count = 1;
    entry.input_count = 3;
    entry.state_count = 2;
    entry.take_back = takeBack;
  }
  std::string truncate(std::vector<int32_t> &length, std::vector<int32_t> to) {
    attn_code code = attn_states_truncate(&model, 0, int64_t(to.size()), length.data(), to.data(), &status);
    EXPECT_EQ(code, status.code);
    return code == ATTN_OK ? "ok" : status.message;
  }
  std::string reorder(std::vector<int32_t> from, const char *name = "batch") {
    int64_t count = int64_t(from.size());
    a.resize(2 * count * 3);
    std::iota(a.begin(), a.end(), 0.0f);
    b.resize(count);
    std::iota(b.begin(), b.end(), 0);
    attn_tensor states[] = {{a.data(), {2, count, 3}, ATTN_F32, 3}, {b.data(), {count}, ATTN_BOOL, 1}};
    attn_code code = attn_states_reorder(&model, 0, name, states, from.data(), &status);
    EXPECT_EQ(code, status.code);
    return code == ATTN_OK ? "ok" : status.message;
  }
  attn_entry_info entry = {};
  attn_model model = modelOf(&entry, 1);
  attn_status status = {};
  std::vector<float> a;
  std::vector<uint8_t> b;
};

} // namespace

TEST(States, TakeAnyPositionsBack) {
  States states(0);
  std::vector<int32_t> length = {9, 4};
  EXPECT_EQ(states.truncate(length, {1, 4}), "ok");
  EXPECT_EQ(length, (std::vector<int32_t>{1, 4}));
  EXPECT_EQ(states.truncate(length, {1, 5}), "next: row 1 has 4 positions, so it cannot keep 5");
  EXPECT_EQ(states.truncate(length, {-1, 4}), "next: row 0 has 1 positions, so it cannot keep -1");
  EXPECT_EQ(length, (std::vector<int32_t>{1, 4}));
  attn_code code = attn_states_truncate(&states.model, 0, -1, length.data(), length.data(), &states.status);
  EXPECT_EQ(code, ATTN_BAD_ARGUMENT);
  EXPECT_STREQ(states.status.message, "next: -1 rows, expected at least 0");
}

TEST(States, TakeBackWhatRingsKeep) {
  States states(3);
  std::vector<int32_t> length = {9, 4};
  EXPECT_EQ(states.truncate(length, {5, 4}),
            "next: row 0 would lose 4 positions, but its states store only what the last 3 need");
  EXPECT_EQ(states.status.code, ATTN_OUT_OF_RANGE);
  EXPECT_EQ(length, (std::vector<int32_t>{9, 4}));
  EXPECT_EQ(states.truncate(length, {6, 0}), "ok");
  EXPECT_EQ(length, (std::vector<int32_t>{6, 0}));
}

/// Neither states nor lengths record an earlier truncation: the caller passes the largest length of the row.
TEST(States, CheckTwoTruncationsInARowEachFromTheLengthGiven) {
  States states(3);
  std::vector<int32_t> length = {9};
  EXPECT_EQ(states.truncate(length, {6}), "ok");
  EXPECT_EQ(states.truncate(length, {3}), "ok");
  EXPECT_EQ(length, std::vector<int32_t>{3});
}

TEST(States, MoveElementsOfTwoBytes) {
  const attn_tensor_info narrow[] = {{"length", bShape, ATTN_I32, 1}, {"a", aShape, ATTN_BF16, 3}};
  States states(0);
  states.entry.tensors = narrow;
  states.entry.input_count = 2;
  states.entry.state_count = 1;
  std::vector<uint16_t> a(12);
  std::iota(a.begin(), a.end(), uint16_t(0));
  attn_tensor state = {a.data(), {2, 2, 3}, ATTN_BF16, 3};
  const int32_t from[] = {1, 1};
  EXPECT_EQ(attn_states_reorder(&states.model, 0, "batch", &state, from, &states.status), ATTN_OK);
  EXPECT_EQ(a, (std::vector<uint16_t>{3, 4, 5, 3, 4, 5, 9, 10, 11, 9, 10, 11}));
}

TEST(States, GiveRowsToOthersInEveryOrder) {
  States states(0);
  for (int32_t count = 0; count <= 4; ++count) {
    int32_t orders = 1;
    for (int32_t row = 0; row < count; ++row)
      orders *= count;
    for (int32_t order = 0; order < orders; ++order) {
      std::vector<int32_t> from;
      for (int32_t row = 0, left = order; row < count; ++row, left /= count)
        from.push_back(left % count);
      ASSERT_EQ(states.reorder(from), "ok");
      for (int32_t row = 0; row < count; ++row) {
        ASSERT_EQ(states.b[row], from[row]) << order << " of " << count;
        for (int32_t i = 0; i < 2; ++i)
          for (int32_t k = 0; k < 3; ++k)
            ASSERT_EQ(states.a[(i * count + row) * 3 + k], float((i * count + from[row]) * 3 + k));
      }
    }
  }
}

TEST(States, RefuseTensorsThatAreNoStates) {
  States states(0);
  float a[12];
  uint8_t b[2];
  const int32_t from[] = {1, 0};
  const attn_tensor good[] = {{a, {2, 2, 3}, ATTN_F32, 3}, {b, {2}, ATTN_BOOL, 1}};
  auto reorder = [&](attn_tensor first, attn_tensor second) -> std::string {
    const attn_tensor given[] = {first, second};
    bool ok = attn_states_reorder(&states.model, 0, "batch", given, from, &states.status) == ATTN_OK;
    return ok ? "ok" : states.status.message;
  };
  EXPECT_EQ(reorder(good[0], good[1]), "ok");
  EXPECT_EQ(reorder({a, {2, 2, 3}, ATTN_BF16, 3}, good[1]), "next: 'a' has elements of type bf16, expected f32");
  EXPECT_EQ(reorder({a, {2, 2, 3}, 17, 3}, good[1]), "next: 'a' has elements of type unknown, expected f32");
  EXPECT_EQ(reorder(good[0], {b, {2, 1}, ATTN_BOOL, 2}), "next: 'b' has 2 dimensions, expected 1");
  EXPECT_EQ(reorder({a, {-2, 2, -3}, ATTN_F32, 3}, good[1]), "next: dimension 0 of 'a' is -2, expected at least 0");
  EXPECT_EQ(reorder({nullptr, {2, 2, 3}, ATTN_F32, 3}, good[1]), "next: 'a' is a null pointer");
  EXPECT_EQ(reorder({nullptr, {0, 2, 3}, ATTN_F32, 3}, good[1]), "ok");
}

TEST(States, RefuseOrdersOfOtherRows) {
  States states(0);
  EXPECT_EQ(states.reorder({0, 2}), "next: row 1 is to be row 2, of 2");
  EXPECT_EQ(states.reorder({0, -1}), "next: row 1 is to be row -1, of 2");
  EXPECT_EQ(states.reorder({0, 1}, "rows"), "next: 'a' has no dimension `rows`");
  states.entry.state_count = 0;
  EXPECT_EQ(states.reorder({0, 1}), "next: the entry point has no states");
}
