#include "frontends/tokenizer/PieceCache.h"
#include <gtest/gtest.h>

using namespace attnc::tokenizer;

TEST(PieceCache, FindsWhatWasAdded) {
  PieceCache cache;
  EXPECT_EQ(cache.find("ab"), nullptr);
  cache.add("ab", std::vector<int32_t>{1, 2});
  ASSERT_NE(cache.find("ab"), nullptr);
  EXPECT_EQ(std::vector(cache.find("ab")->begin(), cache.find("ab")->end()), (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(cache.find("ba"), nullptr);
}

TEST(PieceCache, IsEmptiedWhenItIsFull) {
  PieceCache cache;
  for (int32_t i = 0; i < 100000; ++i) {
    std::string piece = std::to_string(i);
    ASSERT_EQ(cache.find(piece), nullptr);
    cache.add(piece, std::vector<int32_t>{i});
    ASSERT_EQ((*cache.find(piece))[0], i);
  }
  EXPECT_EQ(cache.find("0"), nullptr);
}
