#include "TokenizerFile.h"
#include "frontends/tokenizer/ByteAlphabet.h"
#include "frontends/tokenizer/Utf8.h"
#include <rapidcheck.h>
#include <thread>

using namespace attnc::tokenizer;
using nlohmann::json;

/// Byte-level BPE with all bytes and a few merges.
static std::string byteLevelFile() {
  json vocabulary, merges = {"t h", "th e", "\xC4\xA0 the", "\xC3\x83 \xC2\xA9"};
  for (int byte = 0; byte < 256; ++byte)
    vocabulary[characterOfByte(uint8_t(byte))] = byte;
  for (const char *token : {"th", "the", "\xC4\xA0the", "\xC3\x83\xC2\xA9"})
    vocabulary[token] = vocabulary.size();
  return fileOf(json({{"type", "BPE"}, {"vocab", vocabulary}, {"merges", merges}}).dump(), R"(
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}, "decoder": {"type": "ByteLevel"})");
}

TEST(Tokenizer, DecodesEncodedText) {
  Tokenizer tokenizer("t.json", byteLevelFile());
  EXPECT_TRUE(rc::check([&](const std::string &bytes) {
    Ids ids;
    tokenizer.encode(bytes, false, ids);
    RC_ASSERT(tokenizer.decode(ids, false) == repaired(bytes));
  }));
}

TEST(Tokenizer, EncodesInParallel) {
  Tokenizer tokenizer("t.json", byteLevelFile());
  std::string text = "the cat, the dog and the caf\xC3\xA9 ";
  for (int i = 0; i < 6; ++i)
    text += text;
  Ids expected;
  tokenizer.encode(text, false, expected);
  std::vector<Ids> results(4);
  std::vector<std::thread> threads;
  for (Ids &result : results)
    threads.emplace_back([&] {
      for (int run = 0; run < 10; ++run) {
        result.clear();
        tokenizer.encode(text, false, result);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const Ids &result : results)
    EXPECT_EQ(result, expected);
}

TEST(Tokenizer, InfersTheTypeOfTheModel) {
  EXPECT_EQ(messageOf(fileOf(R"({"vocab": {"a": 0}, "merges": []})")), "ok");
  EXPECT_EQ(encode(fileOf(R"({"vocab": {"a": 0, "##b": 1}, "continuing_subword_prefix": "##"})"), "ab"), (Ids{0, 1}));
  EXPECT_EQ(encode(fileOf(R"({"vocab": [["a", -1], ["b", -2]]})"), "b"), (Ids{1}));
}

TEST(Tokenizer, ReportsWhatIsNotJson) {
  EXPECT_EQ(messageOf("{\"model\": ").find("t.json: is not JSON: parse error at line 1, column 11"), 0u);
  EXPECT_EQ(messageOf("").find("t.json: is not JSON: "), 0u);
  EXPECT_EQ(messageOf("{\"a\": \"\xFF\"}").find("t.json: is not JSON: "), 0u);
  EXPECT_EQ(messageOf("[]"),
            "t.json: found an array of 0, expected an object with the entry 'model', as in tokenizer.json");
  EXPECT_EQ(messageOf("{}"),
            "t.json: found an object, expected an object with the entry 'model', as in tokenizer.json");
}

TEST(Tokenizer, ReportsEveryPrefixOfAFile) {
  std::string file = byteLevelFile();
  for (size_t bytes = 0; bytes < file.size(); bytes += bytes < 100 ? 1 : 37)
    EXPECT_NE(messageOf(file.substr(0, bytes)), "ok") << bytes;
}

TEST(Tokenizer, ReportsUnknownComponents) {
  auto message = [](const std::string &more) { return messageOf(fileOf(characterModel("a"), more)); };
  EXPECT_EQ(message(R"("pre_tokenizer": {"type": "Foo"})"),
            "t.json: pre_tokenizer.type: found 'Foo', expected one of BertPreTokenizer, ByteLevel, CharDelimiterSplit, "
            "Digits, FixedLength, Metaspace, Punctuation, Split, Whitespace, WhitespaceSplit, Sequence");
  EXPECT_EQ(
      message(R"("normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Bar"}]})"),
      "t.json: normalizer.normalizers[1].type: found 'Bar', expected one of NFC, NFD, NFKC, NFKD, BertNormalizer, "
      "Lowercase, Strip, StripAccents, Prepend, Replace, Precompiled, Nmt, ByteLevel, Sequence");
  EXPECT_EQ(message(R"("decoder": {})"), "t.json: decoder.type: found nothing, expected one of ByteLevel, WordPiece, "
                                         "Metaspace, BPEDecoder, CTC, ByteFallback, Fuse, Strip, Replace, Sequence");
  EXPECT_EQ(message(R"("post_processor": {"type": 7})"), "t.json: post_processor.type: found 7, expected one of "
                                                         "TemplateProcessing, BertProcessing, RobertaProcessing, "
                                                         "ByteLevel, Sequence");
  EXPECT_EQ(messageOf(fileOf(R"({"type": "LSTM"})")),
            "t.json: model.type: found 'LSTM', expected one of BPE, WordPiece, Unigram, WordLevel");
  EXPECT_EQ(messageOf(R"({"version": "2.0", "model": {}})"), "t.json: version: found '2.0', expected one of 1.0");
}

TEST(Tokenizer, ReportsFaultySettings) {
  auto message = [](const std::string &more) { return messageOf(fileOf(characterModel("a"), more)); };
  EXPECT_EQ(message(R"("pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a"}, "behavior": "Isolated"})"),
            "t.json: pre_tokenizer.pattern.Regex: found '(a': missing closing parenthesis");
  EXPECT_EQ(message(R"("pre_tokenizer": {"type": "Split", "pattern": "a", "behavior": "Isolated"})"),
            "t.json: pre_tokenizer.pattern: found 'a', expected {\"String\": ...} or {\"Regex\": ...}");
  EXPECT_EQ(message(R"("pre_tokenizer": {"type": "CharDelimiterSplit", "delimiter": "ab"})"),
            "t.json: pre_tokenizer.delimiter: found 'ab', expected one character");
  EXPECT_EQ(message(R"("pre_tokenizer": {"type": "FixedLength", "length": 0})"),
            "t.json: pre_tokenizer.length: found 0, expected an integer from 1 to 2147483647");
  EXPECT_EQ(message(R"("pre_tokenizer": {"type": "Digits"})"),
            "t.json: pre_tokenizer.individual_digits: found nothing, expected true or false");
  EXPECT_EQ(message(R"("pre_tokenizer": [])"), "t.json: pre_tokenizer: found an array of 0, expected an object");
}

TEST(Tokenizer, ReportsDeeplyNestedSequences) {
  std::string inner = "null", entry = "null";
  for (int depth = 0; depth < 100000; ++depth)
    entry.insert(0, R"({"type": "Sequence", "normalizers": [)");
  for (int depth = 0; depth < 100000; ++depth)
    entry += "]}";
  std::string message = messageOf(fileOf(characterModel("a"), "\"normalizer\": " + entry));
  EXPECT_NE(message.find("found more than 16 nested sequences"), message.npos) << message;
}
