// Attention as its definition says: all scores of a row, then the weights, then the sum (dialects/Attn/AttnOps.td).
#include "compiler/Reference/Interpreter.h"
#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace attnc::reference;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

namespace {
/// The kept keys of one row.
struct Row {
  llvm::SmallVector<double> outer;
  std::vector<llvm::SmallVector<double>> keys;
  std::vector<double> scores, weights;
  double lse = -infinity;
};

/// The regions of one attention op, bound to what they capture.
struct Formulas {
  FailureOr<Formula> score = failure(), mask = failure(), weight = failure(), value = failure();

  LogicalResult read(attn::AttendOp op, const Environment &environment, Fault &fault) {
    auto readInto = [&](Region &region, FailureOr<Formula> &formula) -> LogicalResult {
      if (region.empty())
        return success();
      formula = Formula::read(region, environment, fault);
      return formula;
    };
    return success(succeeded(readInto(op.getScore(), score)) && succeeded(readInto(op.getMask(), mask)) &&
                   succeeded(readInto(op.getWeight(), weight)) && succeeded(readInto(op.getValue(), value)));
  }
};
} // namespace

static llvm::SmallVector<double> numbers(ArrayRef<int64_t> indices) { return {indices.begin(), indices.end()}; }

static llvm::SmallVector<double> joined(ArrayRef<double> a, ArrayRef<double> b) {
  llvm::SmallVector<double> all(a);
  all.append(b.begin(), b.end());
  return all;
}

/// exp(s - m) / sum of exp(s - m) over the row, with m its largest score; lse is m + log of that sum.
static void softmax(Row &row) {
  if (row.scores.empty())
    return;
  double largest = *llvm::max_element(row.scores);
  double sum = 0;
  for (double score : row.scores)
    sum += row.weights.emplace_back(std::exp(score - largest));
  for (double &weight : row.weights)
    weight /= sum;
  row.lse = largest + std::log(sum);
}

/// s / sum of s over the row; zeros where that sum is zero.
static void ratio(Row &row) {
  double sum = std::accumulate(row.scores.begin(), row.scores.end(), 0.0);
  for (double score : row.scores)
    row.weights.push_back(sum == 0 ? 0 : score / sum);
}

static void normalise(Row &row, attn::Normaliser normaliser) {
  row.weights.clear();
  row.lse = -infinity;
  // Told apart first, so that a maximum never compares a NaN.
  if (llvm::any_of(row.scores, [](double score) { return std::isnan(score) || score == infinity; })) {
    row.weights.assign(row.scores.size(), notANumber);
    row.lse = notANumber;
    return;
  }
  static constexpr void (*functions[])(Row &) = {softmax, ratio};
  static_assert(std::size(functions) == attn::getMaxEnumValForNormaliser() + 1, "a normaliser is missing");
  functions[static_cast<int>(normaliser)](row);
}

/// Fills in the keys that the mask keeps and whose score is not -inf, and their scores.
static LogicalResult scoreRow(Formulas &formulas, ArrayRef<int64_t> keySizes, Row &row) {
  row.keys.clear();
  row.scores.clear();
  return forEachIndex(keySizes, [&](ArrayRef<int64_t> key) -> LogicalResult {
    auto pair = joined(row.outer, numbers(key));
    if (succeeded(formulas.mask)) {
      auto kept = formulas.mask->evaluate(pair);
      if (failed(kept) || kept->front() == 0)
        return success(succeeded(kept));
    }
    auto score = formulas.score->evaluate(pair);
    if (succeeded(score) && score->front() != -infinity) {
      row.keys.push_back(numbers(key));
      row.scores.push_back(score->front());
    }
    return score;
  });
}

static LogicalResult weighRow(Formulas &formulas, Row &row) {
  if (failed(formulas.weight))
    return success();
  for (auto [weight, key] : llvm::zip_equal(row.weights, row.keys)) {
    auto changed = formulas.weight->evaluate(joined({weight}, joined(row.outer, key)));
    if (failed(changed))
      return failure();
    weight = changed->front();
  }
  return success();
}

/// sum over the kept keys of weight * value, for one tuple of value indices.
static FailureOr<double> sumOfValues(Formulas &formulas, const Row &row, ArrayRef<int64_t> index) {
  double sum = 0;
  for (auto [weight, key] : llvm::zip_equal(row.weights, row.keys)) {
    auto value = formulas.value->evaluate(joined(joined(row.outer, key), numbers(index)));
    if (failed(value))
      return failure();
    sum += weight * value->front();
  }
  return sum;
}

static llvm::SmallVector<int64_t> joinedIndices(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  llvm::SmallVector<int64_t> all(a);
  all.append(b.begin(), b.end());
  return all;
}

/// Result dimension d is iteration dimension layout[d].
static llvm::SmallVector<int64_t> permuted(ArrayRef<int64_t> tuple, std::optional<ArrayRef<int64_t>> layout) {
  if (!layout)
    return llvm::SmallVector<int64_t>(tuple);
  return llvm::map_to_vector(*layout, [&](int64_t dimension) { return tuple[dimension]; });
}

LogicalResult Interpreter::run(attn::AttendOp op) {
  Sizes outer = integersOf(op.getOuterSizes()), keys = integersOf(op.getKeySizes()),
        features = integersOf(op.getValueSizes());
  Formulas formulas;
  if (failed(formulas.read(op, values, fault)))
    return failure();
  auto layout = op.getValueLayout();
  auto statistics = op.getStatistics();
  std::vector<Array> results;
  for (attn::Statistic statistic : statistics)
    results.emplace_back(Element::F32,
                         statistic == attn::Statistic::Value     ? permuted(joinedIndices(outer, features), layout)
                         : statistic == attn::Statistic::Weights ? joinedIndices(outer, keys)
                                                                 : outer,
                         0.0);
  Row row;
  auto computeRow = [&](ArrayRef<int64_t> point) -> LogicalResult {
    row.outer = numbers(point);
    if (failed(scoreRow(formulas, keys, row)))
      return failure();
    normalise(row, op.getNormaliser());
    if (failed(weighRow(formulas, row)))
      return failure();
    for (auto [statistic, result] : llvm::zip_equal(statistics, results)) {
      auto put = [&](ArrayRef<int64_t> place, double value) { result.values[result.offsetOf(place)] = value; };
      if (statistic == attn::Statistic::Lse)
        put(point, row.lse);
      if (statistic == attn::Statistic::Weights)
        for (auto [weight, key] : llvm::zip_equal(row.weights, row.keys))
          put(joinedIndices(point, llvm::SmallVector<int64_t>(key.begin(), key.end())), weight);
      if (statistic != attn::Statistic::Value)
        continue;
      auto compute = [&](ArrayRef<int64_t> feature) -> LogicalResult {
        auto sum = sumOfValues(formulas, row, feature);
        if (succeeded(sum))
          put(permuted(joinedIndices(point, feature), layout), *sum);
        return sum;
      };
      if (failed(forEachIndex(features, compute)))
        return failure();
    }
    return success();
  };
  if (failed(forEachIndex(outer, computeRow)))
    return failure();
  for (auto [result, array] : llvm::zip_equal(op.getResults(), results))
    if (failed(define(cast<OpResult>(result), std::move(array))))
      return failure();
  return success();
}
