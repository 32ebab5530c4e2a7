#include "frontends/tokenizer/TokenStream.h"
#include "TokenizerFile.h"
#include "frontends/tokenizer/Utf8.h"
#include <rapidcheck.h>

using namespace attnc::tokenizer;
using nlohmann::json;

/// A vocabulary of words with "_" for a space, and of all bytes.
static std::string bytesFile() {
  json vocabulary = {{"_a", 0}, {"_b", 1}, {"!", 2}};
  static const char digits[] = "0123456789ABCDEF";
  for (int byte = 0; byte < 256; ++byte)
    vocabulary[std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + ">"] = byte + 3;
  return fileOf(json({{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array()}}).dump(), R"(
    "added_tokens": [{"id": 259, "content": "</s>", "special": true}],
    "decoder": {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "_"}, "content": " "},
      {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})");
}

TEST(TokenStream, ReturnsWholeCharacters) {
  Tokenizer tokenizer("t.json", bytesFile());
  TokenStream stream(tokenizer, false);
  EXPECT_EQ(stream.add(0), "a");
  EXPECT_EQ(stream.add(3 + 0xE2), "");
  EXPECT_EQ(stream.add(3 + 0x96), "");
  EXPECT_EQ(stream.add(3 + 0x81), "\xE2\x96\x81");
  EXPECT_EQ(stream.add(1), " b");
  EXPECT_EQ(stream.add(259), "");  // special
  EXPECT_EQ(stream.add(9999), ""); // no token
  EXPECT_EQ(stream.add(2), "!");
  EXPECT_EQ(stream.finish(), "");
  EXPECT_EQ(stream.add(1), "b"); // a new text
}

TEST(TokenStream, ShowsSpecialTokensOnRequest) {
  Tokenizer tokenizer("t.json", bytesFile());
  EXPECT_EQ(TokenStream(tokenizer, true).add(259), "</s>");
}

TEST(TokenStream, FinishesIncompleteCharacters) {
  Tokenizer tokenizer("t.json", bytesFile());
  TokenStream stream(tokenizer, false);
  EXPECT_EQ(stream.add(3 + 0xE2), "");
  EXPECT_EQ(stream.finish(), replacementCharacter);
  std::string text;
  for (int i = 0; i < 100; ++i) // bytes that never become a character
    text += stream.add(3 + 0x80);
  text += stream.finish();
  EXPECT_EQ(text.substr(0, 3), replacementCharacter);
}

TEST(TokenStream, EqualsDecodingOfAllTokens) {
  Tokenizer tokenizer("t.json", bytesFile());
  EXPECT_TRUE(rc::check([&](const std::string &bytes) {
    Ids ids;
    std::string text;
    TokenStream stream(tokenizer, false);
    std::string characters = repaired(bytes);
    auto add = [&](int32_t id) {
      ids.push_back(id);
      text += stream.add(id);
    };
    for (size_t at = 0; at < characters.size(); at += characterBytes(characters[at])) {
      Character character = characterAt(characters, at);
      if (character.codePoint == 0xFFFD)
        add(1);
      for (size_t byte = at; character.codePoint != 0xFFFD && byte < at + character.bytes; ++byte)
        add(3 + uint8_t(characters[byte]));
    }
    text += stream.finish();
    RC_ASSERT(text == tokenizer.decode(ids, false));
  }));
}
