#include "compiler/Diagnostics/Spelling.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

TEST(EditDistance, InsertDropReplaceSwap) {
  EXPECT_EQ(editDistance("score", "score", 3), 0u);
  EXPECT_EQ(editDistance("score", "scores", 3), 1u);
  EXPECT_EQ(editDistance("score", "scor", 3), 1u);
  EXPECT_EQ(editDistance("score", "scope", 3), 1u);
  EXPECT_EQ(editDistance("score", "socre", 3), 1u);
  EXPECT_EQ(editDistance("kitten", "sitting", 3), 3u);
  EXPECT_EQ(editDistance("", "abc", 3), 3u);
}

TEST(EditDistance, StopsAtItsLimit) {
  EXPECT_EQ(editDistance("kitten", "sitting", 2), 3u);
  EXPECT_EQ(editDistance("a", "abcdefgh", 2), 3u);
}

TEST(Nearest, TheNearestIfNearEnough) {
  std::vector<std::string> names = {"batch", "seq", "head_dim", "heads"};
  EXPECT_EQ(nearest("haed_dim", names), "head_dim");
  EXPECT_EQ(nearest("head", names), "heads");
  EXPECT_EQ(nearest("sqe", names), "seq");
  EXPECT_EQ(nearest("vocab", names), std::nullopt);
  EXPECT_EQ(nearest("x", names), std::nullopt);
}

TEST(Nearest, TheFirstOfEquals) {
  std::vector<std::string> names = {"norm1", "norm2"};
  EXPECT_EQ(nearest("norm3", names), "norm1");
}

TEST(Nearest, NeverTheWordItself) {
  std::vector<std::string> names = {"heads"};
  EXPECT_EQ(nearest("heads", names), std::nullopt);
}

TEST(DidYouMean, StandsBehindAMessage) {
  std::vector<std::string> words = {"loss", "logits"};
  EXPECT_EQ(didYouMean("los", words), "; did you mean `loss`?");
  EXPECT_EQ(didYouMean("train", words), "");
}

} // namespace
