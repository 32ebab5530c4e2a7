// Every score of the family with every normaliser and mask that it makes sense with.
#include "tests/attend/AttendCase.h"
#include <fmt/format.h>

namespace attnc::attend {

namespace {

struct Part {
  const char *name, *text;
};

/// Formulas of h, i, j.
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
  const char *score = "{}"; ///< of a score of any sign
  bool isSmooth = true;
};

constexpr Normaliser normalisers[] = {
    {"softmax", ""},
    {"ratio", "ratio", "exp(tanh({}))"},
    {"sink", "softmax(sink: slope[h])"},
    {"none", "none"},
    {"sigmoid", "sigmoid"},
    {"sparsemax", "sparsemax"},
    {"entmax", "entmax(1.5)"},
    {"hard", "hard", "{}", /*isSmooth=*/false},
    {"stick", "stick_breaking"},
};

constexpr Part weights[] = {{"plain", ""}, {"gate", "p * gate[h, j]"}, {"plus", "p + 0.125 * bias[i, j]"}};

} // namespace

/// Softmax with every score and mask, the other normalisers with every second pair of them; weights take turns.
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
      }
  return cases;
}

} // namespace attnc::attend
