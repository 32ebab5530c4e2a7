#include "compiler/Schedule/Override.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

TEST(Override, WhatIsBeforeTheLastDot) {
  EXPECT_EQ(llvm::cantFail(parseOverride("logits_gemm_1.mr=6")), (Override{"logits_gemm_1", "mr", "6"}));
  EXPECT_EQ(llvm::cantFail(parseOverride(" a/gpt.attn:41:9.fusion = none ")),
            (Override{"a/gpt.attn:41:9", "fusion", "none"}));
  EXPECT_EQ(textOf({"model", "emitter", "cpu"}), "model.emitter=cpu");
}

TEST(Override, HasThreeParts) {
  for (const char *text : {"mr=6", "logits_gemm_1", "logits_gemm_1.mr=", ".mr=6", "logits_gemm_1.=6"})
    EXPECT_EQ(llvm::toString(parseOverride(text).takeError()),
              std::string("`") + text + "` is not an override, expected what.key=value");
}

TEST(Strategy, IsAFileWithCommentsAndLines) {
  auto overrides = parseStrategy("a.strategy", "# tuned\nlogits_gemm_0.mr = 6   # rows\n\nmodel.fusion=none\n");
  ASSERT_TRUE(bool(overrides));
  EXPECT_EQ(*overrides, (std::vector<Override>{{"logits_gemm_0", "mr", "6", "a.strategy:2"},
                                               {"model", "fusion", "none", "a.strategy:4"}}));
  EXPECT_EQ(llvm::cantFail(parseStrategy("", "gemm.mr = 6")), (std::vector<Override>{{"gemm", "mr", "6"}}));
  EXPECT_EQ(llvm::toString(parseStrategy("a.strategy", "\nlogits_gemm_0\n").takeError()),
            "a.strategy:2: `logits_gemm_0` is not an override, expected what.key=value");
}

TEST(Strategy, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(llvm::cantFail(parseStrategy("", "\xEF\xBB\xBFmodel.fusion=none")),
            (std::vector<Override>{{"model", "fusion", "none"}}));
}

} // namespace
} // namespace attnc
