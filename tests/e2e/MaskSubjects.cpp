#include "attn/status.h"
#include "tests/e2e/Subject.h"
#include <limits>

namespace attnc::e2e {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
static const Accuracy accuracy = {.c = 8, .reduction = 32, .along = {"m"}};

/// Returns the lengths of queries and keys at the boundaries of tiles.
static std::vector<Choice> lengths(int64_t heads) {
  auto sizes = [=](int64_t n, int64_t m) { return Dimensions{{"heads", heads}, {"n", n}, {"m", m}}; };
  return {
      {"one query, one key", sizes(1, 1)},
      {"one key", sizes(7, 1)},
      {"decode", sizes(1, 300)},
      {"a few queries", sizes(5, 130)},
      {"more queries than keys", sizes(150, 40)},
      {"more keys than queries", sizes(40, 150)},
      {"lengths of whole tiles", sizes(128, 128)},
      {"lengths that no tile divides", sizes(193, 211)},
      {"no queries", sizes(0, 9)},
      {"no keys", sizes(9, 0)},
      {"no heads", {{"heads", 0}, {"n", 3}, {"m", 3}}},
  };
}

static std::vector<Choice> valuesOfScores() {
  Dimensions sizes = {{"heads", 2}, {"n", 70}, {"m", 90}};
  return {
      {"equal scores", sizes, {{"q", constant(0)}}},
      {"huge scores", sizes, {{"q", uniform(-40, 40)}, {"k", uniform(-40, 40)}}, 0, 50},
      {"a score that is not a number", sizes, {{"k", except(uniform(-1, 1), 32 * 20, notANumber)}}},
      {"infinite scores", sizes, {{"k", except(uniform(-1, 1), 32 * 20, infinity)}}},
      {"an infinite value that every row keeps", sizes, {{"v", except(uniform(-1, 1), 5, infinity)}}},
      {"a value that only later rows may keep, not a number",
       sizes,
       {{"v", except(uniform(-1, 1), 32 * 20, notANumber)}}},
  };
}

std::vector<Subject> maskSubjects() {
  std::vector<Choice> everyLength = lengths(2), scores = valuesOfScores();
  std::vector<Choice> all = everyLength;
  all.insert(all.end(), scores.begin(), scores.end());
  auto batch = [](int64_t batch, int64_t n, int64_t m) { return Dimensions{{"batch", batch}, {"n", n}, {"m", m}}; };
  auto heads = [](int64_t heads, int64_t n) { return Dimensions{{"heads", heads}, {"n", n}}; };
  // The first sequence is empty; the second is full.
  auto tokens = [](int64_t element, int32_t token) { return Fillers{{"tokens", except(below(9), element, token)}}; };
  std::vector<Choice> padded = {
      {"a token out of range behind a length", batch(2, 40, 100), tokens(17, 9)},
      {"a negative token behind a length", batch(2, 40, 100), tokens(99, -7)},
      {"one query", batch(2, 1, 100), tokens(17, 1'000'000'000)},
      {"a token out of range that counts", batch(2, 40, 100), tokens(117, 9), ATTN_OUT_OF_RANGE},
      {"a negative token that counts", batch(2, 1, 100), tokens(199, -1), ATTN_OUT_OF_RANGE},
  };
  Accuracy overQueries = {.c = 8, .reduction = 32, .along = {"n"}};
  return {
      {"masks.attn", "unmasked", accuracy, all},
      {"masks.attn", "causal", accuracy, all},
      {"masks.attn", "causal_from_end", accuracy, everyLength},
      {"masks.attn", "window", accuracy, everyLength},
      {"masks.attn",
       "padded",
       accuracy,
       {{"an empty and a full sequence", batch(3, 40, 100)},
        {"decode", batch(4, 1, 200)},
        {"all empty", batch(2, 70, 70), {{"length", constant(0)}}}},
       {{"length", upTo("m")}}},
      {"masks.attn", "padded_tokens", accuracy, padded, {{"length", upTo("m")}}},
      {"masks.attn",
       "padded_tokens_gradient",
       {.c = 64, .reduction = 96, .along = {"n", "m"}},
       padded,
       {{"length", upTo("m")}}},
      {"masks.attn",
       "documents",
       overQueries,
       {{"short documents", heads(2, 130), {{"doc", runsOf(5)}}},
        {"long documents", heads(1, 200), {{"doc", runsOf(96)}}},
        {"one document", heads(1, 65), {{"doc", constant(3)}}},
        {"scattered documents", heads(1, 90), {{"doc", below(4)}}}}},
      {"masks.attn",
       "given",
       accuracy,
       {{"half of the pairs", {{"heads", 2}, {"n", 70}, {"m", 90}}, {{"allowed", below(2)}}},
        {"nothing kept", {{"heads", 1}, {"n", 70}, {"m", 90}}, {{"allowed", constant(0)}}},
        {"one pair", {{"heads", 1}, {"n", 70}, {"m", 90}}, {{"allowed", except(constant(0), 3000, 1)}}}}},
  };
}

} // namespace attnc::e2e
