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

double sumOf(ArrayRef<double> terms) { return std::accumulate(terms.begin(), terms.end(), 0.0); }

double dotOf(ArrayRef<double> a, ArrayRef<double> b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// A kept NaN, and +inf.
bool hasNoMaximum(Scores scores) {
  return llvm::any_of(scores, [](double score) { return std::isnan(score) || score == infinity; });
}

/// q_k (dp_k - sum of q dp / sum of q).
std::vector<double> centred(ArrayRef<double> ofWeights, ArrayRef<double> factors) {
  double total = sumOf(factors), mean = total == 0 ? 0 : dotOf(ofWeights, factors) / total;
  std::vector<double> result;
  for (auto [cotangent, factor] : llvm::zip_equal(ofWeights, factors))
    result.push_back(factor * (cotangent - mean));
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
  double sum = std::exp(arguments.sink - largest);
  for (double score : scores)
    sum += row.weights.emplace_back(std::exp(score - largest));
  for (double &weight : row.weights)
    weight /= sum;
  row.lse = largest + std::log(sum);
  return row;
}

NormaliserGradient ofSoftmax(Scores, const Arguments &arguments, const NormalisedRow &row, ArrayRef<double> ofWeights,
                             double ofLse) {
  NormaliserGradient gradient;
  double mean = dotOf(ofWeights, row.weights);
  for (auto [cotangent, weight] : llvm::zip_equal(ofWeights, row.weights))
    gradient.scores.push_back(weight * (cotangent - mean + ofLse));
  if (row.lse != -infinity)
    gradient.sink = std::exp(arguments.sink - row.lse) * (ofLse - mean);
  return gradient;
}

//===-------------------------------------------- ratio, none -------------------------------------------------===//

NormalisedRow ratio(Scores scores, const Arguments &) {
  if (hasNoMaximum(scores))
    return {std::vector<double>(scores.size(), notANumber)};
  double sum = sumOf(scores);
  NormalisedRow row;
  for (double score : scores)
    row.weights.push_back(sum == 0 ? 0 : score / sum);
  return row;
}

NormaliserGradient ofRatio(Scores scores, const Arguments &, const NormalisedRow &row, ArrayRef<double> ofWeights,
                           double) {
  NormaliserGradient gradient;
  double mean = dotOf(ofWeights, row.weights), total = sumOf(scores);
  for (double cotangent : ofWeights)
    gradient.scores.push_back(total == 0 ? 0 : (cotangent - mean) / total);
  return gradient;
}

NormalisedRow none(Scores scores, const Arguments &) { return {scores.vec()}; }

NormaliserGradient ofNone(Scores, const Arguments &, const NormalisedRow &, ArrayRef<double> ofWeights, double) {
  return {ofWeights.vec()};
}

//===-------------------------------------------- entmax ------------------------------------------------------===//

/// max(z - tau, 0)^(1 / (alpha - 1)) with z = (alpha - 1)(s - max s); tau, in [-1, 0], by bisection.
NormalisedRow entmax(Scores scores, const Arguments &arguments) {
  if (hasNoMaximum(scores))
    return {std::vector<double>(scores.size(), notANumber)};
  if (scores.empty())
    return {};
  double scale = arguments.alpha - 1, largest = *llvm::max_element(scores), low = -1, high = 0;
  NormalisedRow row;
  auto weigh = [&](double tau) {
    row.weights.clear();
    for (double score : scores)
      row.weights.push_back(std::pow(std::max(scale * (score - largest) - tau, 0.0), 1 / scale));
    return sumOf(row.weights);
  };
  for (int turn = 0; turn < 60; ++turn) {
    double middle = (low + high) / 2;
    (weigh(middle) >= 1 ? low : high) = middle;
  }
  double sum = weigh(low);
  for (double &weight : row.weights)
    weight /= sum;
  return row;
}

NormaliserGradient ofEntmax(Scores, const Arguments &arguments, const NormalisedRow &row, ArrayRef<double> ofWeights,
                            double) {
  std::vector<double> factors;
  for (double weight : row.weights)
    factors.push_back(weight == 0 ? 0 : std::pow(weight, 2 - arguments.alpha));
  return {centred(ofWeights, factors)};
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

/// As if the weights were a softmax.
NormaliserGradient ofHard(Scores scores, const Arguments &arguments, const NormalisedRow &, ArrayRef<double> ofWeights,
                          double ofLse) {
  return ofSoftmax(scores, arguments, softmax(scores, arguments), ofWeights, ofLse);
}

//===-------------------------------------------- stick breaking ----------------------------------------------===//

NormalisedRow stickBreaking(Scores scores, const Arguments &) {
  NormalisedRow row;
  double left = 1;
  for (double score : scores) {
    row.weights.push_back(sigmoid(score) * left);
    left *= sigmoid(-score);
  }
  return row;
}

NormaliserGradient ofStickBreaking(Scores scores, const Arguments &, const NormalisedRow &row,
                                   ArrayRef<double> ofWeights, double) {
  NormaliserGradient gradient;
  gradient.scores.resize(scores.size());
  double behind = 0;
  for (size_t key = scores.size(); key-- > 0;) {
    double weighted = row.weights[key] * ofWeights[key];
    gradient.scores[key] = sigmoid(-scores[key]) * weighted - sigmoid(scores[key]) * behind;
    behind += weighted;
  }
  return gradient;
}

/// In the order of attn::Normaliser.
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
