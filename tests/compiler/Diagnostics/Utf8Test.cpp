#include "compiler/Diagnostics/Utf8.h"
#include <gtest/gtest.h>

using namespace attnc;

TEST(Utf8, CountsTheBytesOfACharacter) {
  EXPECT_EQ(characterLength("a"), 1u);
  EXPECT_EQ(characterLength("\xC3\xA9x"), 2u);
  EXPECT_EQ(characterLength("\xE2\x88\x91"), 3u);
  EXPECT_EQ(characterLength("\xF0\x9F\x98\x80"), 4u);
}

TEST(Utf8, RefusesWhatIsNoCharacter) {
  EXPECT_EQ(characterLength("\xA9"), 0u) << "a continuation";
  EXPECT_EQ(characterLength("\xC3"), 0u) << "cut off";
  EXPECT_EQ(characterLength("\xC3x"), 0u) << "no continuation";
  EXPECT_EQ(characterLength("\xC0\xAF"), 0u) << "an overlong form of two bytes";
  EXPECT_EQ(characterLength("\xE0\x80\xAF"), 0u) << "of three";
  EXPECT_EQ(characterLength("\xF0\x80\x80\xAF"), 0u) << "of four";
  EXPECT_EQ(characterLength("\xED\xA0\x80"), 0u) << "a surrogate";
  EXPECT_EQ(characterLength("\xF4\x90\x80\x80"), 0u) << "above U+10FFFF";
  EXPECT_EQ(characterLength("\xFF"), 0u);
}

TEST(Utf8, FindsTheFirstByteThatIsNoText) {
  EXPECT_EQ(findNonText("caf\xC3\xA9\n"), std::string_view::npos);
  EXPECT_EQ(findNonText(std::string_view("ab\0c", 4)), 2u);
  EXPECT_EQ(findNonText("\xC3\xA9\xE9"), 2u);
}
