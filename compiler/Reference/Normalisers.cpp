#include "compiler/Reference/Normalisers.h"
#include <cmath>
#include <numeric>

using namespace mlir;

namespace attnc::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

using Scores = ArrayRef<double>;
using Arguments = NormaliserArguments;

/// Rounds the result of a sum or a product.
double term(double exact, Rounding rounding) { return rounded(exact, rounding, Accuracy::Rounded); }

double sumOf(ArrayRef<double> terms, Rounding rounding) {
  return std::accumulate(terms.begin(), terms.end(), 0.0, [=](double a, double b) { return term(a + b, rounding); });
}

double dotOf(ArrayRef<double> a, ArrayRef<double> b, Rounding rounding) {
  double sum = 0;
  for (auto [x, y] : llvm::zip_equal(a, b))
    sum = term(sum + term(x * y, rounding), rounding);
  return sum;
}

/// a - b of two computed numbers, with the residue of Rounding.h. Compiled code may compute each number twice with
/// different errors: a gradient kernel recomputes scores with their terms in another order than `lse`.
double difference(double a, double b, Rounding rounding) {
  return term(a - b + residueOfSum(a, b, rounding), rounding);
}

/// Rounds an attention weight. Compiled code flushes weights below 2^-100 of the largest one to zero
/// (compiler/Codegen/Kernels/Attend/AttendExp.h); every second sample does so too.
double weightOf(double weight, Rounding rounding) {
  bool isFlushed = rounding.kind == Rounding::Loosely && rounding.draw % 2 == 1 && weight < 0x1p-100;
  return isFlushed ? 0 : rounded(weight, rounding);
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// True if a score is NaN or +inf, which makes all weights of the row NaN.
bool hasNoMaximum(Scores scores) {
  return llvm::any_of(scores, [](double score) { return std::isnan(score) || score == infinity; });
}

/// q_k (dp_k - sum of q dp / sum of q) with q = factors and dp = ofWeights.
std::vector<double> centred(ArrayRef<double> ofWeights, ArrayRef<double> factors, Rounding rounding) {
  double total = sumOf(factors, rounding);
  double mean = total == 0 ? 0 : rounded(dotOf(ofWeights, factors, rounding) / total, rounding);
  std::vector<double> result;
  for (auto [cotangent, factor] : llvm::zip_equal(ofWeights, factors))
    result.push_back(term(factor * difference(cotangent, mean, rounding), rounding));
  return result;
}

//===-------------------------------------------- softmax -----------------------------------------------------===//

NormalisedRow softmax(Scores scores, const Arguments &arguments) {
  if (hasNoMaximum(scores) || hasNoMaximum(arguments.sink))
    return {std::vector<double>(scores.size(), notANumber), notANumber};
  double largest = arguments.sink;
  for (double score : scores)
    largest = std::max(largest, score);
  if (largest == -infinity)
    return {};
  NormalisedRow row;
  Rounding rounding = arguments.rounding;
  auto exponential = [&](double score) { return rounded(std::exp(term(score - largest, rounding)), rounding); };
  double sum = exponential(arguments.sink);
  for (double score : scores)
    sum = term(sum + row.weights.emplace_back(exponential(score)), rounding);
  row.lse = term(largest + rounded(std::log(sum), rounding), rounding);
  for (auto [weight, score] : llvm::zip_equal(row.weights, scores))
    weight = weightOf(arguments.isFromLse ? std::exp(difference(score, row.lse, rounding)) : weight / sum, rounding);
  return row;
}

NormaliserGradient ofSoftmax(Scores, const Arguments &arguments, const NormalisedRow &row, ArrayRef<double> ofWeights,
                             double ofLse) {
  NormaliserGradient gradient;
  Rounding rounding = arguments.rounding;
  double mean = dotOf(ofWeights, row.weights, rounding);
  for (auto [cotangent, weight] : llvm::zip_equal(ofWeights, row.weights))
    gradient.scores.push_back(term(weight * term(difference(cotangent, mean, rounding) + ofLse, rounding), rounding));
  if (row.lse != -infinity)
    gradient.sink = rounded(std::exp(arguments.sink - row.lse) * term(ofLse - mean, rounding), rounding);
  return gradient;
}

//===-------------------------------------------- ratio, none -------------------------------------------------===//

NormalisedRow ratio(Scores scores, const Arguments &arguments) {
  if (hasNoMaximum(scores))
    return {std::vector<double>(scores.size(), notANumber)};
  double sum = sumOf(scores, arguments.rounding);
  NormalisedRow row;
  for (double score : scores)
    row.weights.push_back(sum == 0 ? 0 : rounded(score / sum, arguments.rounding));
  return row;
}

NormaliserGradient ofRatio(Scores scores, const Arguments &arguments, const NormalisedRow &row,
                           ArrayRef<double> ofWeights, double) {
  NormaliserGradient gradient;
  Rounding rounding = arguments.rounding;
  double mean = dotOf(ofWeights, row.weights, rounding), total = sumOf(scores, rounding);
  for (double cotangent : ofWeights)
    gradient.scores.push_back(total == 0 ? 0 : rounded(term(cotangent - mean, rounding) / total, rounding));
  return gradient;
}

NormalisedRow none(Scores scores, const Arguments &) { return {scores.vec()}; }

NormaliserGradient ofNone(Scores, const Arguments &, const NormalisedRow &, ArrayRef<double> ofWeights, double) {
  return {ofWeights.vec()};
}

//===-------------------------------------------- entmax ------------------------------------------------------===//

/// max(z - tau, 0)^(1 / (alpha - 1)) with z = (alpha - 1)(s - max s); bisection finds tau in [-1, 0].
NormalisedRow entmax(Scores scores, const Arguments &arguments) {
  if (hasNoMaximum(scores))
    return {std::vector<double>(scores.size(), notANumber)};
  if (scores.empty())
    return {};
  double scale = arguments.alpha - 1, largest = *llvm::max_element(scores), low = -1, high = 0;
  NormalisedRow row;
  auto weigh = [&](double tau, Rounding rounding) {
    row.weights.clear();
    for (double score : scores) {
      double above = term(term(scale * term(score - largest, rounding), rounding) - tau, rounding);
      row.weights.push_back(rounded(std::pow(std::max(above, 0.0), 1 / scale), rounding));
    }
    return sumOf(row.weights, rounding);
  };
  for (int iteration = 0; iteration < 60; ++iteration) {
    double middle = (low + high) / 2;
    (weigh(middle, Rounding::None) >= 1 ? low : high) = middle;
  }
  double sum = weigh(rounded(low, arguments.rounding), arguments.rounding);
  for (double &weight : row.weights)
    weight = rounded(weight / sum, arguments.rounding);
  return row;
}

NormaliserGradient ofEntmax(Scores, const Arguments &arguments, const NormalisedRow &row, ArrayRef<double> ofWeights,
                            double) {
  std::vector<double> factors;
  for (double weight : row.weights)
    factors.push_back(weight == 0 ? 0 : rounded(std::pow(weight, 2 - arguments.alpha), arguments.rounding));
  return {centred(ofWeights, factors, arguments.rounding)};
}

//===-------------------------------------------- hard --------------------------------------------------------===//

NormalisedRow hard(Scores scores, const Arguments &) {
  if (llvm::any_of(scores, [](double score) { return std::isnan(score); }))
    return {std::vector<double>(scores.size(), notANumber)};
  NormalisedRow row;
  row.weights.assign(scores.size(), 0.0);
  if (!scores.empty())
    row.weights[llvm::max_element(scores) - scores.begin()] = 1;
  return row;
}

/// Straight-through estimator: the gradient of softmax.
NormaliserGradient ofHard(Scores scores, const Arguments &arguments, const NormalisedRow &, ArrayRef<double> ofWeights,
                          double ofLse) {
  return ofSoftmax(scores, arguments, softmax(scores, arguments), ofWeights, ofLse);
}

//===-------------------------------------------- stick breaking ----------------------------------------------===//

NormalisedRow stickBreaking(Scores scores, const Arguments &arguments) {
  NormalisedRow row;
  double left = 1;
  for (double score : scores) {
    row.weights.push_back(rounded(sigmoid(score) * left, arguments.rounding));
    left = rounded(left * sigmoid(-score), arguments.rounding);
  }
  return row;
}

/// p_k dp_k - sigma(s_k) * (sum of p_j dp_j over j >= k), the formula of compiled code, which may cancel.
NormaliserGradient ofStickBreaking(Scores scores, const Arguments &arguments, const NormalisedRow &row,
                                   ArrayRef<double> ofWeights, double) {
  Rounding rounding = arguments.rounding;
  NormaliserGradient gradient;
  gradient.scores.resize(scores.size());
  double behind = 0;
  for (size_t key = scores.size(); key-- > 0;) {
    double weighted = term(row.weights[key] * ofWeights[key], rounding);
    behind = term(behind + weighted, rounding);
    gradient.scores[key] = term(weighted - rounded(sigmoid(scores[key]) * behind, rounding), rounding);
  }
  return gradient;
}

/// Functions of one normaliser; the table is in the order of attn::Normaliser.
struct Functions {
  NormalisedRow (*normalise)(Scores, const Arguments &);
  NormaliserGradient (*gradient)(Scores, const Arguments &, const NormalisedRow &, ArrayRef<double> ofWeights,
                                 double ofLse);
};
constexpr Functions table[] = {
    {softmax, ofSoftmax}, {ratio, ofRatio}, {none, ofNone},
    {entmax, ofEntmax},   {hard, ofHard},   {stickBreaking, ofStickBreaking},
};
static_assert(std::size(table) == attn::getMaxEnumValForNormaliser() + 1, "a normaliser is missing");

} // namespace

NormalisedRow normalise(attn::Normaliser normaliser, ArrayRef<double> scores, const NormaliserArguments &arguments) {
  return table[static_cast<int>(normaliser)].normalise(scores, arguments);
}

NormaliserGradient normaliserGradient(attn::Normaliser normaliser, ArrayRef<double> scores,
                                      const NormaliserArguments &arguments, const NormalisedRow &row,
                                      ArrayRef<double> ofWeights, double ofLse) {
  return table[static_cast<int>(normaliser)].gradient(scores, arguments, row, ofWeights, ofLse);
}

} // namespace attnc::reference
