#include "tools/attnc/Tensors/Words.h"
#include <gmock/gmock.h>
#include <string>
#include <vector>

using namespace attnc;
using testing::ElementsAre;

static std::vector<std::string> wordsOf(llvm::StringRef text) {
  std::vector<std::string> words;
  eachWord(text, [&](llvm::StringRef word) { words.push_back(word.str()); });
  return words;
}

TEST(Words, AreSeparatedByWhiteSpaceAndMarks) {
  EXPECT_THAT(wordsOf(""), ElementsAre());
  EXPECT_THAT(wordsOf(" \t "), ElementsAre());
  EXPECT_THAT(wordsOf("The dog, the cat."), ElementsAre("The", "dog", ",", "the", "cat", "."));
  EXPECT_THAT(wordsOf("3.5 x_1 well-known ..."),
              ElementsAre("3", ".", "5", "x", "_", "1", "well", "-", "known", ".", ".", "."));
  EXPECT_THAT(wordsOf(llvm::StringRef("a\x01\x1b[31m\0b", 9)), ElementsAre("a", "[", "31m", "b"));
}

TEST(Words, HaveApostrophesInside) {
  EXPECT_THAT(wordsOf("don't 'tis dogs' o'clock''s"),
              ElementsAre("don't", "'", "tis", "dogs", "'", "o'clock", "'", "'", "s"));
  EXPECT_THAT(wordsOf("l\u2019\u00e9t\u00e9 \u2018a\u2019"),
              ElementsAre("l\u2019\u00e9t\u00e9", "\u2018", "a", "\u2019"));
}

TEST(Words, AreUnicode) {
  EXPECT_THAT(wordsOf("größer\u00a0Straße"), ElementsAre("größer", "Straße"));
  EXPECT_THAT(wordsOf("«да» — 5€"), ElementsAre("«", "да", "»", "—", "5", "€"));
  EXPECT_THAT(wordsOf("这。\u3000那\U0001F600"), ElementsAre("这", "。", "那", "\U0001F600"));
}

TEST(Words, KeepTheUnknownWordWhole) {
  EXPECT_THAT(wordsOf("a <unk>, <unkn> <end>"), ElementsAre("a", "<unk>", ",", "<", "unkn", ">", "<", "end", ">"));
  EXPECT_TRUE(isOneWord("<unk>"));
  EXPECT_TRUE(isOneWord("don't"));
  EXPECT_FALSE(isOneWord("the dog"));
  EXPECT_FALSE(isOneWord(" dog"));
  EXPECT_FALSE(isOneWord(""));
}

TEST(Words, TakeBytesThatAreNoTextAsCharacters) {
  EXPECT_THAT(wordsOf("a \xff b"), testing::SizeIs(testing::Ge(2u)));
  EXPECT_THAT(wordsOf("\xc3"), testing::SizeIs(testing::Le(1u)));
}
