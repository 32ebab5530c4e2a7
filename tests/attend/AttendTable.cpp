// All cases of attention: every score with each normaliser and mask that it makes sense with.
#include "tests/attend/AttendCase.h"
#include <fmt/format.h>
#include <iterator>
#include <sstream>

namespace attnc::attend {

namespace {

struct Part {
  const char *name, *text;
};

/// Formulas of h, i and j.
constexpr Part scores[] = {
    {"dot", "dot(q[h, i], k[h, j])"},
    {"scaled", "dot(q[h, i], k[h, j]) / sqrt(8)"},
    {"general", "dot(q[h, i] @ w, k[h, j])"},
    {"additive", "dot(u, tanh(q[h, i] + k[h, j]))"},
    {"location", "sum f => q[h, i, f] * l[f, j]"},
    {"content", "beta[h, i] * dot(q[h, i], k[h, j]) / (norm(q[h, i]) * norm(k[h, j]))"},
    {"gaussian", "-0.5 * sq((x[h, i] - y[h, j]) / 0.7)"},
    {"distance", "-0.25 * sum f => sq(q[h, i, f] - k[h, j, f])"},
    {"biased", "dot(q[h, i], k[h, j]) + bias[i, j]"},
    {"sloped", "dot(q[h, i], k[h, j]) - slope[h] * abs(i - j)"},
    {"capped", "3.0 * tanh(dot(q[h, i], k[h, j]) / 3.0)"},
    {"gated", "dot(q[h, i], k[h, j]) * sigmoid(dot(q[h, i] @ w, k[h, j]))"},
};

constexpr Part masks[] = {
    {"full", ""},
    {"causal", "j <= i"},
    {"window", "abs(i - j) <= 3"},
    {"prefix", "j <= i or j < 4"},
    {"lengths", "j < length[h]"},
    {"documents", "row[i] == column[j]"},
    {"dilated", "j <= i and (i - j) % 3 == 0"},
    {"open", "open[i, j]"},
    {"tree", "first[j] <= i and i < last[j]"},
};

struct Normaliser {
  const char *name, *by;
  const char *score = "{}"; ///< for scores of any sign
  bool isSmooth = true;
  const char *yields = "value top(3) top_weights(3) key_sums(i)"; ///< all results of the normaliser
};

constexpr Normaliser normalisers[] = {
    {"softmax", "", "{}", true, "value weights lse entropy top(3) top_weights(3) key_sums(i)"},
    {"ratio", "ratio", "exp(tanh({}))", true, "value entropy top(3) top_weights(3) key_sums(i)"},
    {"sink", "softmax(sink: slope[h])", "{}", true, "value lse entropy top(3) top_weights(3) key_sums(i)"},
    {"none", "none"},
    {"sigmoid", "sigmoid"},
    {"sparsemax", "sparsemax", "{}", true, "value entropy top(3) top_weights(3) key_sums(i)"},
    {"entmax", "entmax(1.5)", "{}", true, "value entropy top(3) top_weights(3) key_sums(i)"},
    {"hard", "hard", "{}", /*isSmooth=*/false},
    {"stick", "stick_breaking", "{}", true, "value entropy key_sums(i)"},
};

std::vector<std::string> wordsOf(const std::string &text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

constexpr Part weights[] = {{"plain", ""}, {"gate", "p * gate[h, j]"}, {"plus", "p + 0.125 * bias[i, j]"}};

/// Returns cases of each normaliser with all of its results, with some, and with each alone.
std::vector<AttendCase> casesOfOutputs() {
  std::vector<AttendCase> cases;
  for (auto [n, normaliser] : llvm::enumerate(normalisers)) {
    std::vector<std::string> all = wordsOf(normaliser.yields);
    std::vector<std::vector<std::string>> choices = {all, {all.begin() + 1, all.end()}, {"value", all.back()}};
    for (const std::string &one : llvm::drop_begin(all))
      choices.push_back({"value", one});
    for (auto [c, yields] : llvm::enumerate(choices)) {
      const Part &score = scores[(n + 3 * c) % std::size(scores)], &mask = masks[(2 * n + c) % std::size(masks)],
                 &weight = weights[(n + c) % std::size(weights)];
      std::string formula = fmt::format(fmt::runtime(normaliser.score), score.text);
      cases.push_back({fmt::format("outputs_{}_{}", normaliser.name, c), formula, mask.text, normaliser.by, weight.text,
                       "v[h, j]", normaliser.isSmooth, yields});
    }
  }
  return cases;
}

/// Returns gradients of attention whose rows or keys read the same row of an operand. The keys of some cases are pairs
/// (g, j), of which those with equal j read the same row of k and v.
std::vector<AttendCase> casesOfSharedRows() {
  std::vector<AttendCase> cases;
  for (const char *name : {"dot", "general", "additive", "distance", "biased"})
    for (const char *operands : {"q", "k", "v", "qkv", "pairs"}) {
      const Part &score = *std::find_if(std::begin(scores), std::end(scores),
                                        [&](const Part &each) { return each.name == std::string_view(name); });
      AttendCase &each = cases.emplace_back(AttendCase{fmt::format("shared_{}_{}", operands, name), score.text});
      each.hasValues = false;
      if (operands == std::string_view("pairs")) {
        each.keys = "g < 3, j < m";
        continue;
      }
      for (char operand : std::string_view(operands))
        shareRows(each, std::string(1, operand));
    }
  return cases;
}

} // namespace

/// Returns cases of softmax with every score and mask, and of the other normalisers with every second pair; the weights
/// alternate.
std::vector<AttendCase> tableOfCases() {
  std::vector<AttendCase> cases;
  for (auto [n, normaliser] : llvm::enumerate(normalisers))
    for (auto [s, score] : llvm::enumerate(scores))
      for (auto [m, mask] : llvm::enumerate(masks)) {
        if (n != 0 && (n + s + m) % 2 != 0)
          continue;
        const Part &weight = weights[(n + s + 2 * m) % std::size(weights)];
        std::string name = fmt::format("{}_{}_{}_{}", normaliser.name, score.name, mask.name, weight.name);
        std::string formula = fmt::format(fmt::runtime(normaliser.score), score.text);
        cases.push_back({name, formula, mask.text, normaliser.by, weight.text, "v[h, j]", normaliser.isSmooth});
        cases.back().hasSlopes = (n + s / 3 + m) % 3 == 0;
        cases.back().hasValues = !cases.back().hasSlopes;
      }
  for (const std::vector<AttendCase> &more : {casesOfOutputs(), casesOfSharedRows()})
    cases.insert(cases.end(), more.begin(), more.end());
  return cases;
}

} // namespace attnc::attend
