#include "TokenizerFile.h"

using namespace attnc::tokenizer;

static const std::string model = R"({"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
  "max_input_chars_per_word": 6, "vocab": {"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3, "u": 4, "##a": 5, "\u00e9": 6}})";

TEST(WordPiece, TakesTheLongestTokens) {
  EXPECT_EQ(encode(fileOf(model), "unaff"), (Ids{1, 2}));
  EXPECT_EQ(encode(fileOf(model), "una"), (Ids{1, 5}));
  EXPECT_EQ(encode(fileOf(model), "u"), (Ids{4}));
  EXPECT_EQ(encode(fileOf(model), "\xC3\xA9"), (Ids{6}));
}

TEST(WordPiece, MapsWordsWithoutTokensToUnknown) {
  EXPECT_EQ(encode(fileOf(model), "unx"), (Ids{0}));
  EXPECT_EQ(encode(fileOf(model), "aff"), (Ids{0}));     // only after another token
  EXPECT_EQ(encode(fileOf(model), "unaaaaa"), (Ids{0})); // more than 6 characters
  EXPECT_THROW(encode(fileOf(R"({"type": "WordPiece", "vocab": {"a": 0}})"), "b"), TextError);
}

TEST(WordLevel, MapsWholePieces) {
  std::string words = fileOf(R"({"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "the": 1, "dog": 2}})",
                             R"("pre_tokenizer": {"type": "Whitespace"})");
  EXPECT_EQ(encode(words, "the cat, the dog"), (Ids{1, 0, 0, 1, 2}));
  EXPECT_EQ(encode(fileOf(R"({"vocab": {"a": 3}})"), "a"), (Ids{3})); // a file without model.type
  EXPECT_THROW(encode(fileOf(R"({"vocab": {"a": 3}})"), "b"), TextError);
}
