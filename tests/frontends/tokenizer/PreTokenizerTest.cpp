#include "TokenizerFile.h"

using namespace attnc::tokenizer;

/// The pieces of a text, with bars between them.
static std::string pieces(const std::string &entry, std::string text) {
  nlohmann::json value = nlohmann::json::parse(entry);
  MatchMemory memory;
  Pieces pieces;
  pieces.ranges = {{0, text.size()}};
  pieces.text = std::move(text);
  PreTokenizer::read(JsonEntry(value, "t.json"))->split(pieces, memory);
  std::string result;
  for (Range range : pieces.ranges)
    result += (result.empty() ? "" : "|") + std::string(pieces[range]);
  return result;
}

static std::string split(const std::string &behavior, const std::string &more, const std::string &text) {
  return pieces(R"({"type": "Split", "behavior": ")" + behavior + R"(", "pattern": )" + more + "}", text);
}

TEST(PreTokenizer, TreatsDelimitersByBehavior) {
  const char *dash = R"({"String": "-"}, "invert": false)";
  EXPECT_EQ(split("Isolated", dash, "a--b-"), "a|-|-|b|-");
  EXPECT_EQ(split("Removed", dash, "a--b-"), "a|b");
  EXPECT_EQ(split("MergedWithPrevious", dash, "-a--b-"), "-|a-|-|b-");
  EXPECT_EQ(split("MergedWithNext", dash, "a--b-"), "a|-|-b|-");
  EXPECT_EQ(split("Contiguous", dash, "a--b-"), "a|--|b|-");
  EXPECT_EQ(split("Removed", R"({"Regex": "[a-z]+"}, "invert": true)", "a1bc2"), "a|bc");
}

TEST(PreTokenizer, SplitsAtClasses) {
  EXPECT_EQ(pieces(R"({"type": "BertPreTokenizer"})", "It's  a\xC2\xA0$5!"), "It|'|s|a|$|5|!");
  EXPECT_EQ(pieces(R"({"type": "Whitespace"})", "a_b  c--d\xCC\x81"), "a_b|c|--|d\xCC\x81");
  EXPECT_EQ(pieces(R"({"type": "WhitespaceSplit"})", " a-b\tc "), "a-b|c");
  EXPECT_EQ(pieces(R"({"type": "Punctuation"})", "a?!b"), "a|?|!|b");
  EXPECT_EQ(pieces(R"({"type": "Punctuation", "behavior": "Contiguous"})", "a?!b"), "a|?!|b");
  EXPECT_EQ(pieces(R"({"type": "Digits", "individual_digits": true})", "a12"), "a|1|2");
  EXPECT_EQ(pieces(R"({"type": "Digits", "individual_digits": false})", "a12\xC2\xBD"), "a|12\xC2\xBD");
  EXPECT_EQ(pieces(R"({"type": "CharDelimiterSplit", "delimiter": "\u2581"})", "a\xE2\x96\x81"
                                                                               "b"),
            "a|b");
  EXPECT_EQ(pieces(R"({"type": "FixedLength", "length": 2})", "a\xC3\xA9"
                                                              "b"),
            "a\xC3\xA9|b");
}

TEST(PreTokenizer, MarksSpaces) {
  const std::string mark = "\xE2\x96\x81";
  auto metaspace = [](const std::string &scheme, const std::string &split) {
    return R"({"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": ")" + scheme + R"(", "split": )" +
           split + "}";
  };
  EXPECT_EQ(pieces(metaspace("always", "true"), "a  b"), mark + "a|" + mark + "|" + mark + "b");
  EXPECT_EQ(pieces(metaspace("always", "true"), " a"), mark + "a");
  EXPECT_EQ(pieces(metaspace("never", "true"), "a b"), "a|" + mark + "b");
  EXPECT_EQ(pieces(metaspace("never", "false"), "a b"), "a" + mark + "b");
  EXPECT_EQ(pieces(R"({"type": "Metaspace", "replacement": "_", "add_prefix_space": false})", "a b"), "a|_b");
  std::string digits = R"({"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": true}, )";
  EXPECT_EQ(pieces(digits + metaspace("first", "true") + "]}", "a1"), mark + "a|1");
}

TEST(PreTokenizer, SplitsBytesAsGpt2) {
  EXPECT_EQ(pieces(R"({"type": "ByteLevel", "add_prefix_space": false})", "I've  a\n\n1b"), "I|'ve|\xC4\xA0|\xC4\xA0"
                                                                                            "a|\xC4\x8A|\xC4\x8A|1|b");
  EXPECT_EQ(pieces(R"({"type": "ByteLevel", "add_prefix_space": true, "use_regex": false})", "a b"), "\xC4\xA0"
                                                                                                     "a\xC4\xA0"
                                                                                                     "b");
  EXPECT_EQ(pieces(R"({"type": "ByteLevel", "add_prefix_space": true})", " \xC3\xA9"), "\xC4\xA0\xC3\x83\xC2\xA9");
}
