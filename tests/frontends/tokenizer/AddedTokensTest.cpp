#include "TokenizerFile.h"

using namespace attnc::tokenizer;
using nlohmann::json;

/// A file with the tokens "a" to "e" and space from 1 to 6, and added tokens from 7 on.
static std::string withTokens(std::vector<json> tokens, const std::string &more = "") {
  for (size_t i = 0; i < tokens.size(); ++i) {
    tokens[i].emplace("id", i + 7);
    tokens[i].emplace("normalized", false);
  }
  return fileOf(characterModel("abcde "), "\"added_tokens\": " + json(tokens).dump() + more);
}

TEST(AddedTokens, CutsOutTheLongest) {
  std::string file = withTokens({{{"content", "<a>"}}, {{"content", "<a><b>"}}, {{"content", "<a"}}});
  EXPECT_EQ(encode(file, "a<a><b>b"), (Ids{1, 8, 2}));
  EXPECT_EQ(encode(file, "<a><a"), (Ids{7, 9}));
  EXPECT_EQ(encode(file, "<"), (Ids{0}));
}

TEST(AddedTokens, StripsWhiteSpace) {
  EXPECT_EQ(encode(withTokens({{{"content", "X"}, {"lstrip", true}}}), "a  X b"), (Ids{1, 7, 6, 2}));
  EXPECT_EQ(encode(withTokens({{{"content", "X"}, {"rstrip", true}}}), "a X  b"), (Ids{1, 6, 7, 2}));
}

TEST(AddedTokens, CanBeSingleWords) {
  std::string file = withTokens({{{"content", "X"}, {"single_word", true}}});
  EXPECT_EQ(encode(file, "X aX X\xC3\xA9 (X)"), (Ids{7, 6, 1, 0, 6, 0, 0, 6, 0, 7, 0}));
}

TEST(AddedTokens, AreFoundInNormalisedText) {
  std::string file = withTokens({{{"content", "CAB"}, {"normalized", true}}, {{"content", "DE"}}},
                                R"(, "normalizer": {"type": "Lowercase"})");
  EXPECT_EQ(encode(file, "cabCAB"), (Ids{7, 7}));
  EXPECT_EQ(encode(file, "DEde"), (Ids{8, 4, 5}));
}

TEST(AddedTokens, HaveTheIdsOfTheVocabulary) {
  std::string file = withTokens({{{"content", "a"}, {"id", 1}}, {{"content", "X"}, {"id", 7}}});
  Tokenizer tokenizer("t.json", file);
  EXPECT_EQ(tokenizer.size(), 8);
  EXPECT_EQ(tokenizer.id("X"), 7);
  EXPECT_EQ(tokenizer.id("b"), 2);
  EXPECT_EQ(*tokenizer.token(7), "X");
  EXPECT_EQ(*tokenizer.token(2), "b");
  EXPECT_EQ(tokenizer.token(8), nullptr);
  EXPECT_EQ(messageOf(withTokens({{{"content", "a"}, {"id", 2}}})),
            "t.json: added_tokens[0].id: found 2, expected 1, the id of this token in the vocabulary, for 'a'");
  EXPECT_EQ(messageOf(withTokens({{{"content", "X"}, {"id", 70}}})),
            "t.json: added_tokens[0].id: found 70, expected 7, the next id after the vocabulary, for 'X'");
  EXPECT_EQ(messageOf(withTokens({{{"content", 3}}})), "t.json: added_tokens[0].content: found 3, expected a string");
}
