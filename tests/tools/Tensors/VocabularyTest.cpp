#include "tools/attnc/Tensors/Vocabulary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <gmock/gmock.h>

using namespace attnc;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TextLines linesOf(const std::string &text) { return llvm::cantFail(TextLines::split("a.words", text)); }

std::string errorOf(llvm::Error error) { return toString(std::move(error)); }

std::string parseError(const std::string &text) { return errorOf(Vocabulary::parse(linesOf(text)).takeError()); }

std::vector<int32_t> numbersOf(const HostTensor &tensor) {
  return {tensor.integers(), tensor.integers() + tensor.count()};
}

HostTensor tensorOf(std::vector<int64_t> shape, std::vector<int32_t> values) {
  HostTensor tensor(ATTN_I32, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.integers());
  return tensor;
}

const llvm::StringMap<int64_t> counts = {{"the", 5}, {"dog", 2}, {"cat", 2}, {"<unk>", 9}, {"Bird", 2}, {"runs", 1}};

} // namespace

TEST(Vocabulary, OrdersWordsByFrequencyThenBytes) {
  EXPECT_EQ(Vocabulary::ofWords(counts, 0).text(), "<end>\n<unk>\nthe\nBird\ncat\ndog\nruns\n");
  EXPECT_EQ(Vocabulary::ofWords(counts, 4).text(), "<end>\n<unk>\nthe\nBird\n");
  EXPECT_EQ(Vocabulary::ofWords(counts, 2).text(), "<end>\n<unk>\n");
  EXPECT_EQ(Vocabulary::ofWords({}, 0).size(), 2);
}

TEST(Vocabulary, OrdersLabelsByBytes) {
  Vocabulary labels = Vocabulary::ofLabels({{"verb", 3}, {"World news", 1}, {"noun", 9}});
  EXPECT_EQ(labels.kind(), Vocabulary::Kind::Labels);
  EXPECT_EQ(labels.text(), "World news\nnoun\nverb\n");
}

TEST(Vocabulary, ReadsWhatItWrites) {
  Vocabulary words = Vocabulary::ofWords(counts, 0);
  Vocabulary again = llvm::cantFail(Vocabulary::parse(linesOf(words.text())));
  EXPECT_EQ(again.kind(), Vocabulary::Kind::Words);
  EXPECT_EQ(again.text(), words.text());
  Vocabulary labels = llvm::cantFail(Vocabulary::parse(linesOf("b\na c\n")));
  EXPECT_EQ(labels.kind(), Vocabulary::Kind::Labels);
  EXPECT_EQ(labels[1], "a c");
  EXPECT_EQ(labels[2], "\xEF\xBF\xBD");
  EXPECT_EQ(labels[-1], "\xEF\xBF\xBD");
}

TEST(Vocabulary, RejectsFilesThatAreNoVocabularies) {
  EXPECT_EQ(parseError("<end>\n<unk>\nthe\ndog\nthe\n"), "a.words:5: has 'the', which line 3 has already");
  EXPECT_EQ(parseError("<end>\n<unk>\nNew York\n"), "a.words:3: has 'New York', expected one word or punctuation mark");
  EXPECT_EQ(parseError("noun\n\nverb\n"), "a.words:2: has '', expected a word or label without spaces around it");
  EXPECT_EQ(parseError("noun \n"), "a.words:1: has 'noun ', expected a word or label without spaces around it");
  EXPECT_THAT(errorOf(Vocabulary::read("absent.txt").takeError()), HasSubstr("absent.txt: can't be read: "));
}

TEST(Vocabulary, EncodesRowsOfWords) {
  Vocabulary words = Vocabulary::ofWords(counts, 0);
  HostTensor rows = llvm::cantFail(words.encode(linesOf("the dog\n\nthe zebra runs <unk>\n")));
  EXPECT_THAT(rows.shape, ElementsAre(3, 5));
  EXPECT_THAT(numbersOf(rows), ElementsAre(2, 5, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 6, 1, 0));
  EXPECT_THAT(llvm::cantFail(words.encode(linesOf(""))).shape, ElementsAre(0, 1));
  EXPECT_THAT(llvm::cantFail(words.sequenceOf(linesOf("the dog\n\ncat"))), ElementsAre(2, 5, 0, 0, 4, 0));
  EXPECT_EQ(lengthOfSequence(linesOf("the dog\n\ncat")), 6);
}

TEST(Vocabulary, EncodesLabels) {
  Vocabulary labels = Vocabulary::ofLabels({{"World news", 1}, {"noun", 1}});
  HostTensor rows = llvm::cantFail(labels.encode(linesOf("noun\n World news \r\nnoun")));
  EXPECT_THAT(rows.shape, ElementsAre(3));
  EXPECT_THAT(numbersOf(rows), ElementsAre(1, 0, 1));
  EXPECT_EQ(errorOf(labels.encode(linesOf("noun\nnuon\n")).takeError()),
            "a.words:2: has the label 'nuon', which is not in the vocabulary: World news, noun; did you mean `noun`?");
  EXPECT_EQ(errorOf(labels.encode(linesOf("noun\n \n")).takeError()), "a.words:2: is empty, expected a label");
  llvm::StringMap<int64_t> many;
  for (int label = 10; label < 30; ++label)
    many[std::to_string(label)] = 1;
  EXPECT_EQ(
      errorOf(Vocabulary::ofLabels(many).encode(linesOf("9")).takeError()),
      "a.words:1: has the label '9', which is not in the vocabulary: 10, 11, 12, 13, 14, 15, 16, 17, ... (20 labels)");
}

TEST(Vocabulary, Decodes) {
  Vocabulary words = Vocabulary::ofWords(counts, 0);
  EXPECT_EQ(llvm::cantFail(words.decode(tensorOf({2, 3}, {2, 5, 0, 1, 0, 4}))), "the dog\n<unk>\n");
  EXPECT_EQ(llvm::cantFail(words.decode(tensorOf({0, 3}, {}))), "");
  EXPECT_EQ(errorOf(words.decode(tensorOf({2, 2}, {2, 0, 7, 0})).takeError()),
            "row 1 has the token 7, outside of the vocabulary of 7");
  EXPECT_EQ(errorOf(words.decode(HostTensor(ATTN_F32, {2, 2})).takeError()),
            "words are written from tokens, i32[.., n]");
  Vocabulary labels = Vocabulary::ofLabels({{"noun", 1}, {"verb", 1}});
  EXPECT_EQ(llvm::cantFail(labels.decode(tensorOf({3}, {1, 0, 1}))), "verb\nnoun\nverb\n");
  EXPECT_EQ(llvm::cantFail(labels.decode(tensorOf({}, {1}))), "verb\n");
  EXPECT_EQ(errorOf(labels.decode(tensorOf({1}, {-1})).takeError()),
            "row 0 has the label -1, outside of the vocabulary of 2");
}

TEST(Vocabulary, WritesTextThatItReadsAgain) {
  Vocabulary words = Vocabulary::ofWords({{"don't", 1}, {"«", 1}, {".", 1}}, 0);
  std::vector<int32_t> tokens = {2, 1, 4, 3, 3, 2};
  EXPECT_EQ(llvm::cantFail(words.tokensOf(words.textOf(tokens))), tokens);
}

TEST(Vocabulary, KnowsTokenizers) {
  std::string folder = testing::TempDir() + "attnc-vocabulary";
  llvm::sys::fs::create_directories(folder);
  auto write = [&](const char *name, const char *text) {
    std::error_code code;
    llvm::raw_fd_ostream(folder + "/" + name, code) << text;
  };
  write("tokenizer.json", R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "</s>": 3}, "merges": ["a b"]},
    "decoder": {"type": "Fuse"}, "added_tokens": [{"id": 3, "content": "</s>", "special": true}],
    "post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}},
      {"SpecialToken": {"id": "</s>", "type_id": 0}}], "pair": [],
      "special_tokens": {"</s>": {"id": "</s>", "ids": [3], "tokens": ["</s>"]}}}})");
  write("tokenizer_config.json", R"({"eos_token": "</s>"})");
  Vocabulary tokenizer = llvm::cantFail(Vocabulary::read(folder + "/tokenizer.json"));
  EXPECT_EQ(tokenizer.kind(), Vocabulary::Kind::Words);
  EXPECT_EQ(tokenizer.size(), 4);
  EXPECT_EQ(tokenizer.end(), 3);
  EXPECT_EQ(tokenizer[2], "ab");
  EXPECT_EQ(tokenizer[4], "\xEF\xBF\xBD");
  EXPECT_THAT(llvm::cantFail(tokenizer.tokensOf("ab")), ElementsAre(2));
  EXPECT_THAT(llvm::cantFail(tokenizer.promptOf("aab")), ElementsAre(0, 2));
  EXPECT_THAT(llvm::cantFail(tokenizer.rowOf("ab")), ElementsAre(2, 3)); // the post-processor adds the end
  EXPECT_THAT(llvm::cantFail(tokenizer.sequenceOf(linesOf("ab\n\na"))), ElementsAre(2, 3, 3, 0, 3));
  HostTensor rows = llvm::cantFail(tokenizer.encode(linesOf("aab\nb")));
  EXPECT_THAT(rows.shape, ElementsAre(2, 3));
  EXPECT_THAT(numbersOf(rows), ElementsAre(0, 2, 3, 1, 3, 3));
  EXPECT_EQ(llvm::cantFail(tokenizer.decode(rows)), "aab\nb\n");
  EXPECT_EQ(tokenizer.tokenizerFile()->config(), "{\n  \"eos_token\": \"</s>\"\n}\n");
  llvm::sys::fs::remove_directories(folder);
}
