#include "compiler/Json/Json.h"
#include <gtest/gtest.h>

namespace attnc {
namespace {

std::string levels(size_t count) { return std::string(count, '[') + std::string(count, ']'); }

std::string errorOf(const std::string &text) {
  auto value = parseJson(text);
  return value ? "" : toString(value.takeError());
}

TEST(Json, IsNestedAsDeepAsItMay) {
  EXPECT_EQ(errorOf(levels(mostJsonLevels)), "");
  EXPECT_EQ(errorOf("\n" + levels(mostJsonLevels + 1)), "line 2 is nested deeper than 64 levels");
  EXPECT_EQ(errorOf(std::string(10'000'000, '[')), "line 1 is nested deeper than 64 levels");
  EXPECT_EQ(errorOf(std::string(10'000'000, '{')), "line 1 is nested deeper than 64 levels");
}

TEST(Json, CountsNoBracketsOfTexts) {
  EXPECT_EQ(errorOf("[\"" + std::string(100, '[') + "\\\"" + std::string(100, '{') + "\"]"), "");
  std::string list = "[";
  for (int each = 0; each < 100; ++each)
    list += "[{\"a\": []}], ";
  EXPECT_EQ(errorOf(list + "0]"), "");
}

TEST(Json, SaysWhereItIsNone) {
  EXPECT_NE(errorOf("[1, }"), "");
  EXPECT_NE(errorOf("\"\\"), "");
  EXPECT_NE(errorOf(""), "");
}

} // namespace
} // namespace attnc
