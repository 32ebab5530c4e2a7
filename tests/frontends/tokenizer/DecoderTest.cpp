#include "TokenizerFile.h"

using namespace attnc::tokenizer;

/// The text of a list of tokens.
static std::string decode(const std::string &entry, std::vector<std::string> tokens) {
  nlohmann::json value = nlohmann::json::parse(entry);
  MatchMemory memory;
  Decoder::read(JsonEntry(value, "t.json"))->decode(tokens, memory);
  std::string text;
  for (const std::string &token : tokens)
    text += token;
  return text;
}

TEST(Decoder, JoinsBytes) {
  EXPECT_EQ(decode(R"({"type": "ByteLevel"})", {"a",
                                                "\xC4\xA0"
                                                "b",
                                                "\xC3\x83", "\xC2\xA9"}),
            "a b\xC3\xA9");
  EXPECT_EQ(decode(R"({"type": "ByteLevel"})", {"\xC3\x83"}), "\xEF\xBF\xBD");
  EXPECT_EQ(decode(R"({"type": "ByteLevel"})", {"\xE4\xB8\xAD"}),
            "\xE4\xB8\xAD"); // a character outside of the alphabet
  EXPECT_EQ(decode(R"({"type": "ByteFallback"})", {"a", "<0xC3>", "<0xa9>", "<0xZZ>"}), "a\xC3\xA9<0xZZ>");
  EXPECT_EQ(decode(R"({"type": "ByteFallback"})", {"<0xC3>", "<0x41>", "b"}), "\xEF\xBF\xBD\xEF\xBF\xBD"
                                                                              "b");
}

TEST(Decoder, JoinsWords) {
  EXPECT_EQ(decode(R"({"type": "WordPiece", "prefix": "##", "cleanup": true})", {"it", "'", "s", "o", "##k", "."}),
            "it ' s ok.");
  EXPECT_EQ(decode(R"({"type": "WordPiece", "prefix": "##", "cleanup": false})", {"ok", "."}), "ok .");
  EXPECT_EQ(decode(R"({"type": "BPEDecoder", "suffix": "</w>"})", {"a", "b</w>", "c</w>"}), "ab c");
  EXPECT_EQ(decode(R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "always"})", {"_a", "_b"}), "a b");
  EXPECT_EQ(decode(R"({"type": "Metaspace", "replacement": "_", "prepend_scheme": "never"})", {"_a", "_b"}), " a b");
  EXPECT_EQ(decode(R"({"type": "CTC", "pad_token": "-", "word_delimiter_token": "|", "cleanup": true})",
                   {"-", "h", "h", "-", "h", "|", "|", "o"}),
            "hh o");
}

TEST(Decoder, AppliesASequence) {
  EXPECT_EQ(decode(R"({"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "_"}, "content": " "},
                       {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 2}]})",
                   {"__a", "b__"}),
            " ab");
}

TEST(Decoder, JoinsTokensBySpacesWithoutADecoder) {
  Tokenizer tokenizer("t.json", fileOf(characterModel("ab")));
  EXPECT_EQ(tokenizer.decode(Ids{1, 2, 99, -1, 1}, false), "a b a");
}

TEST(Decoder, LeavesOutSpecialTokens) {
  Tokenizer tokenizer("t.json", fileOf(characterModel("ab"), R"("decoder": {"type": "Fuse"}, "added_tokens": [
                                  {"id": 3, "content": "<s>", "special": true}, {"id": 4, "content": "X"}])"));
  EXPECT_EQ(tokenizer.decode(Ids{3, 1, 4}, false), "aX");
  EXPECT_EQ(tokenizer.decode(Ids{3, 1, 4}, true), "<s>aX");
}
