#include "TokenizerFile.h"

using namespace attnc::tokenizer;

static std::string withProcessor(const std::string &entry) {
  return fileOf(characterModel("abcd"), "\"post_processor\": " + entry);
}

static std::string templateOf(const std::string &single, const std::string &special) {
  return R"({"type": "TemplateProcessing", "single": )" + single + R"(, "pair": [], "special_tokens": )" + special +
         "}";
}

static const char *const special = R"({"S": {"id": "S", "ids": [3, 4], "tokens": ["c", "d"]}})";
static const char *const text = R"({"Sequence": {"id": "A", "type_id": 0}})";

TEST(PostProcessor, AddsSpecialTokensOnRequest) {
  std::string token = R"({"SpecialToken": {"id": "S", "type_id": 0}})";
  std::string file = withProcessor(templateOf("[" + token + ", " + text + "]", special));
  EXPECT_EQ(encode(file, "ab", true), (Ids{3, 4, 1, 2}));
  EXPECT_EQ(encode(file, "ab", false), (Ids{1, 2}));
  EXPECT_EQ(encode(file, "", true), (Ids{3, 4}));
  for (const char *type : {"BertProcessing", "RobertaProcessing"})
    EXPECT_EQ(encode(withProcessor(std::string(R"({"type": ")") + type + R"(", "cls": ["c", 3], "sep": ["d", 4]})"),
                     "a", true),
              (Ids{3, 1, 4}));
}

TEST(PostProcessor, AppliesASequence) {
  std::string bert = R"({"type": "BertProcessing", "cls": ["c", 3], "sep": ["d", 4]})";
  EXPECT_EQ(encode(withProcessor(R"({"type": "Sequence", "processors": [{"type": "ByteLevel"}, )" + bert + ", " + bert +
                                 "]}"),
                   "a", true),
            (Ids{3, 3, 1, 4, 4}));
}

TEST(PostProcessor, ReportsFaultyEntries) {
  EXPECT_EQ(messageOf(withProcessor(R"({"type": "BertProcessing", "cls": ["c", 5], "sep": ["d", 4]})")),
            "t.json: post_processor.cls[1]: found 5, expected the id of a token");
  EXPECT_EQ(messageOf(withProcessor(R"({"type": "BertProcessing", "cls": 5, "sep": ["d", 4]})")),
            "t.json: post_processor.cls: found 5, expected a pair [token, id]");
  EXPECT_EQ(messageOf(withProcessor(templateOf(R"([{"SpecialToken": {"id": "T", "type_id": 0}}])", special))),
            "t.json: post_processor.single[0].SpecialToken.id: found 'T', expected a name of special_tokens");
  EXPECT_EQ(messageOf(withProcessor(templateOf(R"([{"Sequence": {"id": "B", "type_id": 0}}])", special))),
            "t.json: post_processor.single[0].Sequence.id: found 'B', expected A, the only text of this template");
}
