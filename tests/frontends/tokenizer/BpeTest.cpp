#include "TokenizerFile.h"
#include "frontends/tokenizer/ByteAlphabet.h"
#include <random>
#include <rapidcheck.h>

using namespace attnc::tokenizer;
using nlohmann::json;

/// A model with the tokens of `vocabulary`, numbered from 0, and merges "a b".
static json bpe(const std::vector<std::string> &vocabulary, const json &merges) {
  json model = {{"type", "BPE"}, {"merges", merges}};
  for (const std::string &token : vocabulary)
    model["vocab"][token] = model["vocab"].size();
  return model;
}

static Ids encode(const json &model, std::string_view text, const std::string &more = "") {
  return encode(fileOf(model.dump(), more), text);
}

TEST(Bpe, MergesByRankFromTheLeft) {
  json model = bpe({"a", "b", "c", "ab", "bc", "abc", "aa"}, {"b c", "a b", "a bc", "a a"});
  EXPECT_EQ(encode(model, "abc"), (Ids{5}));
  EXPECT_EQ(encode(model, "abab"), (Ids{3, 3}));
  EXPECT_EQ(encode(model, "aaa"), (Ids{6, 0}));
}

TEST(Bpe, ReadsMergesAsPairs) {
  json model = bpe({"a", "b ", "ab "}, json::array({{"a", "b "}}));
  model["vocab"]["b"] = 3, model["vocab"][" "] = 4;
  model["merges"] = json::array({{"b", " "}, {"a", "b "}});
  EXPECT_EQ(encode(model, "ab "), (Ids{2}));
}

TEST(Bpe, KeepsTheLastRankOfAPair) {
  json model = bpe({"a", "b", "c", "ab", "bc"}, {"a b", "b c", "a b"});
  EXPECT_EQ(encode(model, "abc"), (Ids{0, 4}));
}

TEST(Bpe, MapsUnknownCharacters) {
  json model = bpe({"?", "a"}, json::array());
  EXPECT_EQ(encode(model, "axya"), (Ids{1, 1})); // without an unknown token, they are left out
  model["unk_token"] = "?";
  EXPECT_EQ(encode(model, "axya"), (Ids{1, 0, 0, 1}));
  model["fuse_unk"] = true;
  EXPECT_EQ(encode(model, "axya"), (Ids{1, 0, 1}));
  model["unk_token"] = "!";
  EXPECT_EQ(encode(model, "a"), (Ids{1}));
  EXPECT_THROW(encode(model, "x"), TextError);
}

TEST(Bpe, FallsBackToBytes) {
  json model = bpe({"?", "a", "<0xC3>", "<0xA9>", "<0x78>"}, json::array());
  model["unk_token"] = "?";
  model["byte_fallback"] = true;
  EXPECT_EQ(encode(model, "a\xC3\xA9x"), (Ids{1, 2, 3, 4}));
  EXPECT_EQ(encode(model, "zxa"), (Ids{4, 0, 1})); // the unknown token is in front of the next known character
}

TEST(Bpe, IgnoresMergesOfWholePieces) {
  json model = bpe({"a", "b", "ab", "c"}, json::array());
  model["ignore_merges"] = true;
  EXPECT_EQ(encode(model, "ab"), (Ids{2}));
  EXPECT_EQ(encode(model, "abc"), (Ids{0, 1, 3}));
}

TEST(Bpe, WritesPrefixesAndSuffixes) {
  json model = bpe({"a", "##a", "b</w>", "##b</w>", "ab</w>"}, {"a ##b</w>"});
  model["continuing_subword_prefix"] = "##";
  model["end_of_word_suffix"] = "</w>";
  EXPECT_EQ(encode(model, "ab"), (Ids{4}));
  EXPECT_EQ(encode(model, "b"), (Ids{2}));
  EXPECT_EQ(encode(model, "aab"), (Ids{0, 1, 3}));
}

TEST(Bpe, TakesBytes) {
  json model = bpe({"h", "\xC4\xA0", "\xC3\x83", "\xC2\xA9", "\xC3\x83\xC2\xA9", "\xC4\xA0h"}, {"\xC3\x83 \xC2\xA9"});
  std::string byteLevel = R"("pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false})";
  EXPECT_EQ(encode(model, "h h\xC3\xA9", byteLevel), (Ids{0, 1, 0, 4}));
  model["ignore_merges"] = true;
  EXPECT_EQ(encode(model, "h h", byteLevel), (Ids{0, 5}));
}

TEST(Bpe, ReportsFaultyEntries) {
  auto message = [](const json &model) { return messageOf(fileOf(model.dump())); };
  EXPECT_EQ(message(bpe({"a"}, {"a b"})), "t.json: model.merges[0]: found the token 'b', which is not in model.vocab");
  EXPECT_EQ(message(bpe({"a", "b"}, {"a b"})),
            "t.json: model.merges[0]: found the token 'ab', which is not in model.vocab");
  EXPECT_EQ(message(bpe({"a"}, {"ab"})),
            "t.json: model.merges[0]: found 'ab', expected two tokens, as \"a b\" or [\"a\", \"b\"]");
  EXPECT_EQ(message(bpe({"a"}, {7})),
            "t.json: model.merges[0]: found 7, expected two tokens, as \"a b\" or [\"a\", \"b\"]");
  json model = bpe({"a"}, json::array());
  model["dropout"] = 0.5;
  EXPECT_EQ(message(model), "t.json: model.dropout: found 0.5, expected 0 or null: dropout makes ids random");
  model = bpe({"a"}, "x");
  EXPECT_EQ(message(model), "t.json: model.merges: found 'x', expected an array");
  model = bpe({"a", "b"}, json::array());
  model["vocab"]["b"] = 0;
  EXPECT_EQ(message(model), "t.json: model.vocab['b']: found the id 0, which 'a' has already");
  for (json id : {json(-1), json(1.5), json("1"), json(uint64_t(1) << 40), json(UINT64_MAX)}) {
    model["vocab"]["b"] = id;
    EXPECT_EQ(message(model).find("t.json: model.vocab['b']: found "), 0u) << message(model);
  }
}

namespace {
/// Tokens over the letters a, b and c, and merges that make them.
struct RandomModel {
  std::vector<std::string> vocabulary = {"a", "b", "c"};
  std::vector<std::pair<size_t, size_t>> pairs;
  json merges = json::array();

  explicit RandomModel(uint32_t seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 12; ++i) {
      size_t left = random() % vocabulary.size(), right = random() % vocabulary.size();
      std::string merged = vocabulary[left] + vocabulary[right];
      if (std::ranges::find(vocabulary, merged) != vocabulary.end())
        continue;
      pairs.emplace_back(left, right);
      merges.push_back(vocabulary[left] + " " + vocabulary[right]);
      vocabulary.push_back(merged);
    }
  }

  /// Applies one merge after the other in the order of ranks, always the leftmost of least rank.
  Ids encode(const std::string &text) const {
    Ids ids;
    for (char letter : text)
      ids.push_back(letter - 'a');
    for (bool hasMerged = true; hasMerged;) {
      hasMerged = false;
      for (size_t rank = 0; rank < pairs.size() && !hasMerged; ++rank)
        for (size_t i = 0; i + 1 < ids.size() && !hasMerged; ++i)
          if (ids[i] == int32_t(pairs[rank].first) && ids[i + 1] == int32_t(pairs[rank].second)) {
            ids[i] = int32_t(rank + 3);
            ids.erase(ids.begin() + ptrdiff_t(i) + 1);
            hasMerged = true;
          }
    }
    return ids;
  }
};
} // namespace

TEST(Bpe, EqualsTheDefinition) {
  EXPECT_TRUE(rc::check([](uint32_t seed) {
    RandomModel model(seed);
    Tokenizer tokenizer("t.json", fileOf(bpe(model.vocabulary, model.merges).dump()));
    std::mt19937 random(seed + 1);
    for (size_t length : {1, 5, 31, 32, 33, 60, 200}) { // with and without a heap, with and without the cache
      std::string text;
      while (text.size() < length)
        text += char('a' + random() % 3);
      Ids ids;
      tokenizer.encode(text, false, ids);
      RC_ASSERT(ids == model.encode(text));
    }
  }));
}

TEST(Bpe, TakesNearlyLinearTimeForLongPieces) {
  RandomModel model(7);
  Tokenizer tokenizer("t.json", fileOf(bpe(model.vocabulary, model.merges).dump()));
  Ids ids;
  tokenizer.encode(std::string(1 << 20, 'a'), false, ids); // a quadratic algorithm takes hours
  EXPECT_GT(ids.size(), 0u);
}

TEST(Bpe, SplitsAtSpacesWithoutAnEffect) {
  const std::string mark = "\xE2\x96\x81";
  std::vector<std::string> vocabulary = {"a", "b", mark, mark + "a", mark + mark, "ab", mark + "ab"};
  json plain = bpe(vocabulary, {mark + " " + mark, "a b", mark + " a", mark + " ab"});
  vocabulary.push_back("a" + mark);
  json crossing = plain;
  crossing["vocab"]["b" + mark] = 7;
  crossing["merges"].push_back("b " + mark);
  EXPECT_EQ(encode(plain, "ab" + mark + mark + "ab" + mark + "a"), (Ids{5, 4, 5, 3}));
  EXPECT_EQ(encode(crossing, "b" + mark + "b"), (Ids{7, 1}));
}
