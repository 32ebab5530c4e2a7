#include "frontends/tokenizer/Utf8.h"
#include <gtest/gtest.h>
#include <rapidcheck.h>

using namespace attnc::tokenizer;

TEST(Utf8, RepairsMaximalInvalidParts) {
  EXPECT_EQ(repaired("a\xFF"), "a\xEF\xBF\xBD");
  EXPECT_EQ(repaired("\xE2\x96x"), "\xEF\xBF\xBDx"); // one part: a sequence that ends too early
  EXPECT_EQ(repaired("\xE0\x80\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); // overlong
  EXPECT_EQ(repaired("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); // a surrogate
  EXPECT_EQ(repaired("\xF0\x9F\x98"), "\xEF\xBF\xBD");                         // the text ends too early
  EXPECT_EQ(repaired("\xF4\x90\x80\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"); // above U+10FFFF
  EXPECT_EQ(repaired("0123456789\xC0z"), "0123456789\xEF\xBF\xBDz");
}

TEST(Utf8, LeavesValidTextUnchanged) {
  std::string all;
  for (char32_t codePoint : {0x00, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF})
    appendCharacter(all, codePoint);
  EXPECT_TRUE(isUtf8(all));
  EXPECT_EQ(repaired(all), all);
  EXPECT_EQ(characterBefore(all, all.size()).codePoint, char32_t(0x10FFFF));
}

TEST(Utf8, RepairsAnyBytes) {
  EXPECT_TRUE(rc::check([](const std::string &bytes) {
    std::string text = repaired(bytes);
    RC_ASSERT(isUtf8(text));
    RC_ASSERT(repaired(text) == text);
    RC_ASSERT(isUtf8(bytes) == (text == bytes));
  }));
}
