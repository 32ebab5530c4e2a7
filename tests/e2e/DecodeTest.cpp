// Compares compiled decoding loops with the same loops written here over the whole function: rows of different lengths,
// rows that end, prompts of any length, and draws against those of the oracle.
#include "tests/e2e/CompiledModel.h"
#include "tests/e2e/Subject.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

namespace attnc::e2e {
namespace {

using Rows = std::vector<std::vector<int32_t>>;

constexpr int64_t atMost = 12, sources = 5;

struct Call {
  attn_code status = ATTN_OK;
  Rows tokens;                 ///< the tokens of each row, up to its length
  std::vector<int32_t> behind; ///< the elements after them
};

class Decode : public testing::Test {
protected:
  explicit Decode(std::string file = "decode.attn") : file(std::move(file)) {}
  const CompiledModel &model() const { return compiledModel(file); }
  void SetUp() override { ASSERT_TRUE(model()) << model().message(); }

  static Rows prompts(std::vector<int64_t> lengths, const char *seed) {
    Random random(seed);
    Rows rows;
    for (int64_t length : lengths)
      for (rows.emplace_back(); int64_t(rows.back().size()) < length;)
        rows.back().push_back(int32_t(random.below(13)));
    return rows;
  }

  /// Calls `name` on inputs given by name, in the order of the entry point's parameters.
  CallResults call(const std::string &name, Dimensions sizes, const std::map<std::string, reference::Array> &inputs) {
    const attn_entry_info &entry = *model().entry(name);
    std::vector<int64_t> dimensions;
    std::vector<reference::Array> arguments;
    for (int32_t number = 0; number < entry.dimension_count; ++number)
      dimensions.push_back(sizes.at(entry.dimensions[number].name));
    for (int32_t number = 0; number < entry.input_count; ++number)
      arguments.push_back(inputs.at(entry.tensors[number].name));
    return model().call(entry, arguments, dimensions, {2});
  }

  static reference::Array integers(const Rows &rows, int64_t width, double padding = 0) {
    reference::Array array(reference::Element::I32, {int64_t(rows.size()), width}, padding);
    for (size_t row = 0; row < rows.size(); ++row)
      for (size_t i = 0; i < rows[row].size(); ++i)
        array.values[row * width + i] = rows[row][i];
    return array;
  }

  std::map<std::string, reference::Array> inputsOf(const Rows &prompt, int64_t seq, int32_t seed) {
    std::map<std::string, reference::Array> inputs;
    inputs["prompt"] = inputs["tokens"] = integers(prompt, seq, 7); // any token after the prompt
    reference::Array lengths(reference::Element::I32, {int64_t(prompt.size())});
    for (size_t row = 0; row < prompt.size(); ++row)
      lengths.values[row] = double(prompt[row].size());
    inputs["prompt_length"] = lengths;
    inputs["source"] = integers(prompts(std::vector<int64_t>(prompt.size(), sources), "source"), sources);
    inputs["seed"] = reference::Array::scalar(reference::Element::I32, seed);
    inputs.insert(choice.begin(), choice.end());
    return inputs;
  }

  std::map<std::string, reference::Array> choice; ///< inputs of the sampler

  static reference::Array numbers(reference::Element element, std::vector<double> values) {
    reference::Array array(element, {int64_t(values.size())});
    array.values.assign(values.begin(), values.end());
    return array;
  }

  static std::vector<int32_t> wordsOf(const std::vector<char> &bytes) {
    std::vector<int32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  }

  Call write(const std::string &name, const Rows &prompt, int64_t seq, int32_t seed = 1) {
    Dimensions sizes = {{"batch", int64_t(prompt.size())}, {"seq", seq}, {"n", sources}};
    CallResults results = call(name, sizes, inputsOf(prompt, seq, seed));
    Call found;
    found.status = attn_code(results.status);
    if (found.status != ATTN_OK)
      return found;
    std::vector<int32_t> tokens = wordsOf(results.bytes[0]), lengths = wordsOf(results.bytes[1]);
    size_t width = tokens.size() / prompt.size();
    for (size_t row = 0; row < prompt.size(); ++row) {
      auto begin = tokens.begin() + row * width;
      found.tokens.emplace_back(begin, begin + lengths[row]);
      found.behind.insert(found.behind.end(), begin + lengths[row], begin + width);
    }
    return found;
  }

  /// Returns the logits of the last of these tokens of a row, by the whole function.
  std::vector<float> logitsOf(const std::string &whole, const std::vector<int32_t> &tokens, size_t row, size_t rows) {
    std::map<std::string, reference::Array> inputs;
    inputs["source"] = integers({prompts(std::vector<int64_t>(rows, sources), "source")[row]}, sources);
    inputs["tokens"] = integers({tokens}, int64_t(tokens.size()));
    CallResults results = call(whole, {{"batch", 1}, {"seq", int64_t(tokens.size())}, {"n", sources}}, inputs);
    EXPECT_EQ(results.status, ATTN_OK);
    std::vector<float> logits(results.bytes[0].size() / 4);
    std::memcpy(logits.data(), results.bytes[0].data(), results.bytes[0].size());
    return {logits.end() - 13, logits.end()};
  }

  /// Returns the likeliest tokens by the whole function, each from all tokens before it.
  Rows expected(const std::string &whole, const Rows &prompt, int32_t stop, int64_t most = atMost, double sign = 1) {
    Rows written;
    for (size_t row = 0; row < prompt.size(); ++row) {
      std::vector<int32_t> tokens = prompt[row], &own = written.emplace_back();
      while (int64_t(own.size()) < most) {
        std::vector<float> logits = logitsOf(whole, tokens, row, prompt.size());
        auto better = [&](float a, float b) { return sign * a < sign * b; };
        int32_t token = int32_t(std::max_element(logits.begin(), logits.end(), better) - logits.begin());
        if (token == stop)
          break;
        own.push_back(token);
        tokens.push_back(token);
      }
    }
    return written;
  }

  struct Beam {
    std::vector<int32_t> tokens; ///< after the prompt
    double score = 0;
    bool ended = false;
  };

  /// Returns the successors of a beam: the beam itself if it has ended, otherwise one per token.
  std::vector<Beam> followersOf(const Beam &beam, const std::vector<float> &logits, int32_t stop) {
    double sum = 0;
    for (float logit : logits)
      sum += std::exp(double(logit));
    std::vector<Beam> followers;
    for (int32_t token = 0; token < 13; ++token) {
      Beam &next = followers.emplace_back(beam);
      next.score += logits[token] - std::log(sum);
      next.ended = token == stop;
      if (!next.ended)
        next.tokens.push_back(token);
    }
    return followers;
  }

  /// Returns the best of `count` beams by the whole function.
  Rows searched(const std::string &whole, const Rows &prompt, size_t count, int32_t stop, int64_t most = atMost) {
    Rows written;
    for (size_t row = 0; row < prompt.size(); ++row) {
      std::vector<Beam> beams = {{}};
      for (int64_t iteration = 0; iteration < most; ++iteration) {
        std::multimap<double, Beam, std::greater<>> all; // equal scores stay in order
        for (const Beam &beam : beams) {
          std::vector<int32_t> tokens = prompt[row];
          tokens.insert(tokens.end(), beam.tokens.begin(), beam.tokens.end());
          std::vector<Beam> next = beam.ended ? std::vector<Beam>{beam}
                                              : followersOf(beam, logitsOf(whole, tokens, row, prompt.size()), stop);
          for (const Beam &follower : next)
            all.emplace(follower.score, follower);
        }
        beams.clear();
        for (const auto &[score, beam] : all)
          if (beams.size() < count)
            beams.push_back(beam);
      }
      written.push_back(beams.front().tokens);
    }
    return written;
  }

  const std::string file;
};

/// Decoders that contain scans along the positions.
class DecodeScan : public Decode {
protected:
  DecodeScan() : Decode("recurrent.attn") {}
};

TEST_F(Decode, WritesTheLikeliestTokens) {
  Rows prompt = prompts({7, 1, 4, 9}, "likeliest");
  EXPECT_EQ(write("write", prompt, 9).tokens, expected("logits", prompt, -1));
  EXPECT_EQ(write("write", prompt, 9).tokens, write("write", prompt, 15).tokens) << "padding";
  EXPECT_EQ(write("write_least", prompt, 9).tokens, expected("logits", prompt, -1, atMost, -1))
      << "a function of the file";
}

TEST_F(Decode, EndsRowsWhereTheyStop) {
  std::vector<int64_t> lengths;
  for (int64_t row = 0; row < 60; ++row)
    lengths.push_back(1 + row % 8);
  Rows prompt = prompts(lengths, "stop");
  Call found = write("write_until", prompt, 8);
  EXPECT_EQ(found.tokens, expected("logits", prompt, 5));
  EXPECT_FALSE(found.behind.empty()) << "no row stops";
  EXPECT_EQ(std::set<int32_t>(found.behind.begin(), found.behind.end()), std::set<int32_t>{5});
  EXPECT_EQ(write("write_one", prompt, 8).tokens, expected("logits", prompt, 6, 1));
}

TEST_F(Decode, EndsWhenAllRowsHave) {
  Rows prompt = prompts({3, 6, 2, 5, 8, 4}, "stop");
  for (const std::vector<int32_t> &row : prompt) {
    Rows alone = {row};
    EXPECT_EQ(write("write_until", alone, int64_t(row.size())).tokens, expected("logits", alone, 5));
  }
}

TEST_F(Decode, WritesFromRings) {
  Rows prompt = prompts({3, 17, 1, 6}, "rings"); // longer and shorter than the window
  Call found = write("write_near", prompt, 20);
  Rows wanted;
  for (const std::vector<int32_t> &row : prompt)
    wanted.push_back(expected("last", {row}, -1).front());
  EXPECT_EQ(found.tokens, wanted);
}

TEST_F(Decode, WritesFromWhatAnEncoderGives) {
  Rows prompt = prompts({1, 3, 2}, "translation");
  EXPECT_EQ(write("write_translation", prompt, 3).tokens, expected("translated", prompt, 6));
}

TEST_F(Decode, SearchesOverBeams) {
  Rows prompt = prompts({7, 1, 4, 9}, "beams");
  Rows found = write("search", prompt, 9).tokens;
  EXPECT_EQ(found, searched("logits", prompt, 3, -1));
  EXPECT_NE(found, expected("logits", prompt, -1)) << "no row where the likeliest tokens are not the likeliest text";
  EXPECT_EQ(found, write("search", prompt, 13).tokens) << "padding";
}

TEST_F(Decode, SearchesWithOneBeamForTheLikeliestTokens) {
  Rows prompt = prompts({3, 6, 2, 5, 8, 4}, "stop");
  Call found = write("search_one", prompt, 8), likeliest = write("write_until", prompt, 8);
  EXPECT_EQ(found.tokens, likeliest.tokens);
  EXPECT_EQ(found.behind, likeliest.behind);
}

TEST_F(Decode, KeepsBeamsThatHaveEnded) {
  std::vector<int64_t> lengths;
  for (int64_t row = 0; row < 24; ++row)
    lengths.push_back(1 + row % 8);
  Rows prompt = prompts(lengths, "ended");
  Call found = write("search_until", prompt, 8);
  EXPECT_EQ(found.tokens, searched("logits", prompt, 4, 5));
  EXPECT_EQ(std::set<int32_t>(found.behind.begin(), found.behind.end()), std::set<int32_t>{5});
  Rows alone = {prompt[3]};
  EXPECT_EQ(write("search_until", alone, 4).tokens, Rows{found.tokens[3]});
}

TEST_F(Decode, SearchesOverMoreBeamsThanTokens) {
  Rows prompt = prompts({2, 5}, "wide");
  EXPECT_EQ(write("search_wide", prompt, 5).tokens, searched("logits", prompt, 20, 6, 3));
}

TEST_F(Decode, SearchesFromRings) {
  Rows prompt = prompts({3, 17, 1, 6}, "rings"); // longer and shorter than the window
  Rows wanted;
  for (const std::vector<int32_t> &row : prompt)
    wanted.push_back(searched("last", {row}, 3, 5).front());
  EXPECT_EQ(write("search_near", prompt, 20).tokens, wanted);
}

TEST_F(Decode, SearchesFromWhatAnEncoderGives) {
  Rows prompt = prompts({1, 3, 2}, "translation");
  EXPECT_EQ(write("search_translation", prompt, 3).tokens, searched("translated", prompt, 3, 6));
}

/// Returns the rows of a result i32[batch, 12].
static Rows rowsOf(const std::vector<char> &bytes) {
  Rows rows(bytes.size() / (4 * size_t(atMost)), std::vector<int32_t>(size_t(atMost)));
  for (size_t row = 0; row < rows.size(); ++row)
    std::memcpy(rows[row].data(), bytes.data() + row * rows[row].size() * 4, rows[row].size() * 4);
  return rows;
}

TEST_F(Decode, IsCalledByFunctions) {
  Rows prompt = prompts({7, 1, 4, 9}, "called");
  Dimensions sizes = {{"batch", 4}, {"seq", 9}, {"n", sources}};
  std::map<std::string, reference::Array> inputs = inputsOf(prompt, 9, 3);
  CallResults called = call("texts", sizes, inputs);
  ASSERT_EQ(called.status, ATTN_OK);
  const char *names[] = {"write_until", "search_translation", "draw_few"};
  for (size_t number = 0; number < 3; ++number)
    EXPECT_EQ(rowsOf(called.bytes[number]), rowsOf(call(names[number], sizes, inputs).bytes[0])) << names[number];
}

TEST_F(Decode, IsCalledInLoops) {
  Rows prompt = {{3}, {8}}, texts;
  CallResults called = call("repeated", {{"batch", 2}}, {{"tokens", numbers(reference::Element::I32, {3, 8})}});
  ASSERT_EQ(called.status, ATTN_OK);
  Rows first = write("write", prompt, 1).tokens;
  Rows second = write("write", {{first[0].back()}, {first[1].back()}}, 1).tokens;
  Rows third = write("write", {{second[0].back()}, {second[1].back()}}, 1).tokens;
  EXPECT_EQ(rowsOf(called.bytes[0]), second);
  EXPECT_EQ(rowsOf(called.bytes[1]), (Rows{first[0], second[0], third[0], first[1], second[1], third[1]}));
}

TEST_F(DecodeScan, WritesTheLikeliestTokens) {
  Rows prompt = prompts({7, 1, 4, 9}, "likeliest");
  EXPECT_EQ(write("write", prompt, 9).tokens, expected("logits", prompt, -1));
  EXPECT_EQ(write("write_step", prompt, 9).tokens, expected("linear", prompt, -1));
}

TEST_F(DecodeScan, SearchesOverBeams) {
  Rows prompt = prompts({7, 1, 4, 9}, "beams");
  EXPECT_EQ(write("search", prompt, 9).tokens, searched("logits", prompt, 3, 5));
  EXPECT_EQ(write("search_translation", prompt, 9).tokens, searched("translated", prompt, 3, 6));
}

TEST_F(Decode, RefusesParentsThatThereAreNot) {
  Rows prompt = prompts({3, 2}, "parents");
  EXPECT_EQ(write("search_strange", prompt, 4).status, ATTN_OUT_OF_RANGE);
}

TEST_F(Decode, DrawsByTheSeed) {
  Rows prompt = prompts({5, 5, 5, 5}, "seed");
  prompt[1] = prompt[0];
  Call one = write("draw", prompt, 5, 1), same = write("draw", prompt, 5, 1), other = write("draw", prompt, 5, 2);
  EXPECT_EQ(one.tokens, same.tokens);
  EXPECT_NE(one.tokens, other.tokens);
  EXPECT_NE(one.tokens[0], one.tokens[1]) << "rows draw for themselves";
}

TEST_F(Decode, DrawsTheLikeliestWhereOnlyThatIsLeft) {
  Rows prompt = prompts({5, 2, 7}, "first");
  Rows wanted = expected("logits", prompt, -1);
  for (const char *name : {"draw_first", "draw_likely"})
    for (int32_t seed : {1, 2, 3})
      EXPECT_EQ(write(name, prompt, 7, seed).tokens, wanted) << name;
  EXPECT_EQ(write("draw_cold", prompt, 7).tokens, wanted);
}

TEST_F(Decode, DrawsWithTheProbabilitiesOfTheLogits) {
  Rows prompt(800, prompts({4}, "same").front());
  std::map<std::string, reference::Array> inputs = {{"tokens", integers({prompt[0]}, 4)}};
  CallResults results = call("logits", {{"batch", 1}, {"seq", 4}}, inputs);
  std::vector<float> logits(results.bytes[0].size() / 4);
  std::memcpy(logits.data(), results.bytes[0].data(), results.bytes[0].size());
  std::vector<double> weights, counts(13), fewCounts(13);
  for (size_t token = 0; token < 13; ++token)
    weights.push_back(std::exp(double(logits[logits.size() - 13 + token])));
  double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (const std::vector<int32_t> &row : write("draw", prompt, 4).tokens)
    counts[row.front()] += 1.0 / double(prompt.size());
  for (size_t token = 0; token < 13; ++token)
    EXPECT_NEAR(counts[token], weights[token] / sum, 0.06) << token;
  // The smallest set of at most four tokens with 0.8 of their total probability.
  std::set<int32_t> drawn, allowed;
  for (const std::vector<int32_t> &row : write("draw_few", prompt, 4).tokens)
    drawn.insert(row.empty() ? 6 : row.front());
  std::vector<int32_t> order(13);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return weights[a] > weights[b]; });
  double top = 0, reached = 0;
  for (int32_t i = 0; i < 4; ++i)
    top += std::pow(weights[order[i]], 1 / 0.7);
  for (int32_t i = 0; i < 4 && reached < 0.8 * top; ++i) {
    reached += std::pow(weights[order[i]], 1 / 0.7);
    allowed.insert(order[i]);
  }
  EXPECT_EQ(drawn, allowed);
}

TEST_F(Decode, DrawsByNumbersOfEachRow) {
  using reference::Element;
  Rows prompt = prompts({5, 5, 5, 5, 5}, "numbers");
  choice = {{"temperature", numbers(Element::F32, {1, 0.7, 0.5, 1, 0})},
            {"top_k", numbers(Element::I32, {0, 4, 1, 0, 0})},
            {"top_p", numbers(Element::F32, {1, 0.8, 1, 0.000001, 1})}};
  Rows found = write("draw_by", prompt, 5, 3).tokens;
  const char *names[] = {"draw", "draw_few", "draw_first", "draw_likely", "draw_cold"};
  for (size_t row = 0; row < prompt.size(); ++row) {
    std::vector<int32_t> wanted = write(names[row], prompt, 5, 3).tokens[row];
    found[row].resize(wanted.size()); // draw_few ends early
    EXPECT_EQ(found[row], wanted) << names[row];
  }
}

TEST_F(Decode, GivesTheChoiceWhatItTakes) {
  using reference::Element;
  Rows prompt = prompts({4, 7, 2}, "apart"), likeliest = expected("logits", prompt, 6);
  choice = {{"bias", numbers(Element::F32, std::vector<double>(13))},
            {"used", numbers(Element::I1, {0, 1, 0})},
            {"scale", reference::Array::scalar(Element::F32, 1000)}};
  choice["bias"].values[3] = 1;
  Rows found = write("write_apart", prompt, 7).tokens;
  EXPECT_EQ(found[0], likeliest[0]);
  EXPECT_EQ(found[1], std::vector<int32_t>(atMost, 3));
  EXPECT_EQ(found[2], likeliest[2]);
}

TEST_F(Decode, GivesASearchWhatItTakes) {
  Rows prompt = prompts({4, 7}, "apart");
  choice = {{"bias", reference::Array(reference::Element::F32, {2, 13})}};
  choice["bias"].values[13 + 3] = 1000; // for the second row
  Rows found = write("search_apart", prompt, 7).tokens;
  EXPECT_EQ(found[0], expected("logits", {prompt[0]}, -1)[0]);
  EXPECT_EQ(found[1], std::vector<int32_t>(atMost, 3));
}

TEST_F(Decode, RefusesLengthsThatThePromptDoesNotHave) {
  Rows prompt = prompts({3, 0}, "none");
  EXPECT_EQ(write("write", prompt, 4).status, ATTN_OUT_OF_RANGE);
  EXPECT_EQ(write("write_near", prompt, 4).status, ATTN_OUT_OF_RANGE);
  std::map<std::string, reference::Array> inputs = inputsOf(prompts({3, 4}, "long"), 4, 0);
  for (double length : {5.0, 1e9, -1e9}) {
    inputs["prompt_length"].values[1] = length;
    EXPECT_EQ(call("write", {{"batch", 2}, {"seq", 4}}, inputs).status, ATTN_OUT_OF_RANGE);
    EXPECT_EQ(call("write_near", {{"batch", 2}, {"seq", 4}}, inputs).status, ATTN_OUT_OF_RANGE);
  }
}

TEST_F(Decode, LeavesRoomForWhatItWrites) {
  EXPECT_EQ(model().entry("write")->dimensions[1].max, 40 - atMost + 1);
  Rows prompt = prompts({29}, "room");
  EXPECT_EQ(write("write", prompt, 29).tokens, expected("logits", prompt, -1));
}

} // namespace
} // namespace attnc::e2e
