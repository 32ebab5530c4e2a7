#include "tools/attnc/Tensors/Vocabularies.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <gmock/gmock.h>

using namespace attnc;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = Vocabulary::Kind;

namespace {

class VocabulariesTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("vocabularies", path)); }
  void TearDown() override { llvm::sys::fs::remove_directories(path); }

  std::string at(const std::string &name) const { return (path + "/" + name).str(); }
  std::string write(const std::string &name, const std::string &text) const {
    std::error_code code;
    llvm::raw_fd_ostream(at(name), code) << text;
    return at(name);
  }
  Vocabularies open(const std::vector<std::string> &files, bool inFolder = true) const {
    return llvm::cantFail(Vocabularies::open(files, inFolder ? path.str().str() : ""));
  }
  /// The second word, which differs in each vocabulary, or the message of the error.
  static std::string wordOf(llvm::Expected<const Vocabulary *> found) {
    if (!found)
      return toString(found.takeError());
    return *found ? (**found)[2].str() : "none";
  }

  static std::string textOf(llvm::Expected<const Vocabulary *> found) {
    return found ? (*found)->text() : toString(found.takeError());
  }

  llvm::SmallString<128> path;
};

} // namespace

TEST_F(VocabulariesTest, AreSharedOrOfOneName) {
  write("vocabulary.txt", "<end>\n<unk>\nshared\n");
  write("vocabulary.source.txt", "<end>\n<unk>\nown\n");
  write("vocabulary.tag.txt", "a\nb\nlabel\n");
  Vocabularies vocabularies = open({});
  EXPECT_EQ(wordOf(vocabularies.find("text", Kind::Words)), "shared");
  EXPECT_EQ(wordOf(vocabularies.find("source", Kind::Words)), "own");
  EXPECT_EQ(wordOf(vocabularies.find("tag", Kind::Labels)), "label");
  EXPECT_EQ(wordOf(vocabularies.forFile("tag", "x.labels")), "label");
  EXPECT_EQ(wordOf(vocabularies.forFile("text", "x.words")), "shared");
  EXPECT_EQ(wordOf(vocabularies.forFile("text", "x.npy")), "none");
  EXPECT_EQ(wordOf(vocabularies.forText("prompt")), "shared");
  EXPECT_EQ(wordOf(vocabularies.ifLabels("text")), "none");
  EXPECT_EQ(wordOf(vocabularies.find("best", Kind::Labels)),
            "'best' has no vocabulary of labels; give it by --vocabulary best=FILE; " + path.str().str() +
                " has vocabulary.source.txt, vocabulary.tag.txt, vocabulary.txt");
  EXPECT_EQ(wordOf(vocabularies.find("tag", Kind::Words)),
            at("vocabulary.tag.txt") + ": is a vocabulary of labels, expected one of words for 'tag'");
}

TEST_F(VocabulariesTest, OfTheUserComeFirst) {
  write("vocabulary.txt", "<end>\n<unk>\nshared\n");
  write("vocabulary.source.txt", "<end>\n<unk>\nown\n");
  std::string mine = write("mine", "<end>\n<unk>\nmine\n"), other = write("other", "<end>\n<unk>\nother\n");
  EXPECT_EQ(wordOf(open({mine}).find("text", Kind::Words)), "mine");
  EXPECT_EQ(wordOf(open({mine}).find("source", Kind::Words)), "mine");
  Vocabularies named = open({"source=" + other, "prompt="});
  EXPECT_EQ(wordOf(named.find("source", Kind::Words)), "other");
  EXPECT_EQ(wordOf(named.find("text", Kind::Words)), "shared");
  EXPECT_EQ(wordOf(named.forText("prompt")), "none");
  EXPECT_EQ(toString(Vocabularies::open({"x=a", "x=b"}, "").takeError()),
            "--vocabulary x=b: 'x' has the vocabulary a already");
  EXPECT_EQ(toString(Vocabularies::open({"a", "b"}, "").takeError()),
            "--vocabulary b: all text has the vocabulary a already");
}

TEST_F(VocabulariesTest, OfOtherInputsAreNotUsedForText) {
  EXPECT_EQ(wordOf(open({}).forText("prompt")), "none");
  write("vocabulary.tag.txt", "a\nb\nlabel\n");
  EXPECT_EQ(wordOf(open({}).forText("prompt")), "none");
  write("vocabulary.source.txt", "<end>\n<unk>\nown\n");
  EXPECT_THAT(wordOf(open({}).forText("prompt")),
              HasSubstr("'prompt' has no vocabulary of words; give it by --vocabulary prompt=FILE, or read bytes by "
                        "--vocabulary prompt=; "));
}

TEST_F(VocabulariesTest, AreMadeFromTheTrainingPartOfTheData) {
  std::string source = write("a.words", "the dog\nthe cat\nheld out\n");
  std::string target = write("b.words", "le chien\nle chat\n\n");
  std::string tags = write("t.labels", "noun\nverb\nadverb\n"), keys = write("k.words", "key\n");
  Vocabularies vocabularies = open({}, false);
  VocabularyBuild from{{"source=" + source, "target=" + target, "tag=" + tags}, {"keys=" + keys}, 0.3, 0, {"target"}};
  ASSERT_FALSE(bool(vocabularies.build(from)));
  EXPECT_THAT(vocabularies.used(), testing::IsEmpty());
  EXPECT_EQ(textOf(vocabularies.find("source", Kind::Words)), "<end>\n<unk>\nthe\ncat\ndog\nkey\n");
  EXPECT_EQ(textOf(vocabularies.find("keys", Kind::Words)), "<end>\n<unk>\nthe\ncat\ndog\nkey\n");
  EXPECT_EQ(textOf(vocabularies.find("target", Kind::Words)), "<end>\n<unk>\nle\nchat\nchien\n");
  EXPECT_EQ(textOf(vocabularies.find("tag", Kind::Labels)), "adverb\nnoun\nverb\n");
  std::vector<std::string> names;
  for (const auto &[name, vocabulary] : vocabularies.used())
    names.push_back(name);
  EXPECT_THAT(names, ElementsAre("vocabulary.txt", "vocabulary.tag.txt", "vocabulary.target.txt"));
}

TEST_F(VocabulariesTest, OfASequenceAreMadeFromItsFirstTokens) {
  std::string text = write("a.words", "a b c\nd e f\n"); // eight tokens
  Vocabularies vocabularies = open({}, false), small = open({}, false);
  ASSERT_FALSE(bool(vocabularies.build({{text}, {}, 0.3, 0}))); // of which five
  ASSERT_FALSE(bool(small.build({{text}, {}, 0, 4})));
  EXPECT_EQ(small.fingerprint(1), 1u);
  EXPECT_EQ(textOf(vocabularies.find("tokens", Kind::Words)), "<end>\n<unk>\na\nb\nc\nd\n");
  EXPECT_EQ(textOf(small.find("tokens", Kind::Words)), "<end>\n<unk>\na\nb\n");
  EXPECT_NE(small.fingerprint(1), vocabularies.fingerprint(1));
}

TEST_F(VocabulariesTest, AreNotMadeIfThereIsAFile) {
  write("vocabulary.txt", "<end>\n<unk>\nshared\n");
  write("vocabulary.tag.txt", "a\nb\nlabel\n");
  std::string text = write("a.words", "new\n"), tags = write("t.labels", "new\n");
  VocabularyBuild from{{"text=" + text, "tag=" + tags}, {}, 0, 0};
  Vocabularies found = open({}), excluded = open({"tag=", "text="}), own = open({});
  ASSERT_FALSE(bool(found.build(from)));
  EXPECT_EQ(wordOf(found.find("text", Kind::Words)), "shared");
  EXPECT_EQ(wordOf(found.find("tag", Kind::Labels)), "label");
  ASSERT_FALSE(bool(excluded.build(from)));
  EXPECT_EQ(textOf(excluded.find("text", Kind::Words)), "<end>\n<unk>\nnew\n");
  EXPECT_EQ(textOf(excluded.find("tag", Kind::Labels)), "new\n");
  from.ownInputs = {"text"};
  ASSERT_FALSE(bool(own.build(from)));
  EXPECT_EQ(textOf(own.find("text", Kind::Words)), "<end>\n<unk>\nnew\n");
  EXPECT_EQ(wordOf(own.find("other", Kind::Words)), "shared");
  from = {{"text=" + text}, {}, 0, 5};
  EXPECT_EQ(toString(open({}).build(from)),
            "--vocab-size has no effect: no vocabulary is made from words (.words) of the data");
}

TEST_F(VocabulariesTest, FindsTokenizersInTheFolder) {
  write("tokenizer.json", R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2}, "merges": []}})");
  write("tokenizer_config.json", R"({"eos_token": "b"})");
  Vocabularies vocabularies = open({});
  EXPECT_EQ(wordOf(vocabularies.find("text", Kind::Words)), "c");
  EXPECT_EQ(wordOf(vocabularies.forText("prompt")), "c");
  ASSERT_EQ(vocabularies.used().size(), 1u);
  EXPECT_EQ(vocabularies.used()[0].first, "tokenizer.json");
  auto files = vocabularies.filesOfUsed();
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[1].first, "tokenizer_config.json");
  EXPECT_EQ(files[1].second, "{\n  \"eos_token\": \"b\"\n}\n");
  write("vocabulary.txt", "<end>\n<unk>\nshared\n"); // is found first
  EXPECT_EQ(wordOf(open({}).find("text", Kind::Words)), "shared");
  for (const char *name : {"tokenizer.json", "tokenizer.a.json", "tokenizer_config.json", "vocabulary.a.txt"})
    EXPECT_TRUE(Vocabularies::isVocabularyFile(name)) << name;
  for (const char *name : {"tokenizers.json", "vocabulary.json", "config.json", "tokenizer.txt"})
    EXPECT_FALSE(Vocabularies::isVocabularyFile(name)) << name;
}
