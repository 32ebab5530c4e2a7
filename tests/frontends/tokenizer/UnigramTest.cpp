#include "TokenizerFile.h"
#include <random>
#include <rapidcheck.h>

using namespace attnc::tokenizer;
using nlohmann::json;

TEST(Unigram, FindsTheBestPath) {
  json model = {
      {"type", "Unigram"}, {"unk_id", 0}, {"vocab", json::parse(R"([["<unk>", 0], ["a", 0], ["b", 0], ["c", 0],
    ["d", 0], ["cd", 1], ["ab", 2], ["abc", 5], ["abcd", 10]])")}};
  EXPECT_EQ(encode(fileOf(model.dump()), "abcdacdxx"), (Ids{8, 1, 5, 0}));
  EXPECT_EQ(encode(fileOf(model.dump()), "x<unk>a"), (Ids{0, 1})); // the text of the unknown token joins unknown parts
}

TEST(Unigram, FallsBackToBytes) {
  json model = {{"type", "Unigram"},
                {"unk_id", 0},
                {"byte_fallback", true},
                {"vocab", json::parse(R"([["<unk>", 0], ["a", -1], ["<0xC3>", -2], ["<0xA9>", -3]])")}};
  EXPECT_EQ(encode(fileOf(model.dump()), "a\xC3\xA9"), (Ids{1, 2, 3}));
  EXPECT_EQ(encode(fileOf(model.dump()), "a\xC3\xAA"), (Ids{1, 0})); // a byte has no token
}

TEST(Unigram, ReportsFaultyEntries) {
  auto message = [](const std::string &entries) {
    return messageOf(fileOf("{\"type\": \"Unigram\", " + entries + "}"));
  };
  EXPECT_EQ(message(R"("unk_id": 1, "vocab": [["a", 0]])"),
            "t.json: model.unk_id: found 1, expected an integer from 0 to 0");
  EXPECT_EQ(message(R"("unk_id": 0, "vocab": [])"),
            "t.json: model.unk_id: found 0, expected an id of the vocabulary, which is empty");
  EXPECT_EQ(message(R"("vocab": [["a", 0], ["b"]])"),
            "t.json: model.vocab[1]: found an array of 1, expected a pair [token, score]");
  EXPECT_EQ(message(R"("vocab": [["a", "x"]])"), "t.json: model.vocab[0][1]: found 'x', expected a number");
  EXPECT_EQ(message(R"("vocab": {"a": 0})"), "t.json: model.vocab: found an object, expected an array");
  EXPECT_THROW(encode(fileOf(R"({"type": "Unigram", "vocab": [["a", 0]]})"), "b"), TextError);
}

/// The largest sum of scores of a text from a place on, by recursion over all first tokens.
static double bestScore(const std::vector<std::pair<std::string, double>> &vocabulary, std::string_view text) {
  if (text.empty())
    return 0;
  double best = -1e9;
  for (const auto &[token, score] : vocabulary)
    if (text.starts_with(token))
      best = std::max(best, score + bestScore(vocabulary, text.substr(token.size())));
  return best;
}

TEST(Unigram, EqualsExhaustiveSearch) {
  EXPECT_TRUE(rc::check([](uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<std::pair<std::string, double>> vocabulary;
    auto letters = [&](size_t count) {
      std::string text;
      for (size_t i = 0; i < count; ++i)
        text += char('a' + random() % 3);
      return text;
    };
    json list = json::array();
    for (std::string token :
         {std::string("a"), std::string("b"), std::string("c"), letters(2), letters(3), letters(4)}) {
      vocabulary.emplace_back(token, -double(random() % 1024) / 64);
      list.push_back({token, vocabulary.back().second});
    }
    std::string text = letters(1 + random() % 10);
    Ids ids = encode(fileOf(json({{"type", "Unigram"}, {"vocab", list}}).dump()), text);
    std::string joined;
    double score = 0;
    for (int32_t id : ids) {
      joined += vocabulary[size_t(id)].first;
      score += vocabulary[size_t(id)].second;
    }
    RC_ASSERT(joined == text);
    // A token that was drawn twice has the score of its larger id.
    for (size_t i = 0; i < vocabulary.size(); ++i)
      for (size_t j = i + 1; j < vocabulary.size(); ++j)
        if (vocabulary[i].first == vocabulary[j].first)
          vocabulary[i].second = vocabulary[j].second;
    RC_ASSERT(score == bestScore(vocabulary, text));
  }));
}
