// Reference attention: all scores of a row, then the attention weights, then the sum (dialects/Attn/AttnOps.td).
#include "compiler/Reference/AttendRow.h"
#include "compiler/Reference/OpEvaluation.h"
#include <cmath>

using namespace mlir;
using namespace attnc::reference;

/// Sum of weight * value over the unmasked keys, for one tuple of feature indices.
static FailureOr<double> sumOfValues(AttendFormulas &formulas, const AttendRow &row, ArrayRef<int64_t> index) {
  // A NaN sink makes the result NaN, even if the row has no unmasked key.
  double sum = std::isnan(row.normalised.lse) ? row.normalised.lse : 0;
  for (size_t key = 0; key < row.keys.size(); ++key) {
    auto value = formulas.value->evaluate(row.pair(key, index));
    if (failed(value))
      return failure();
    double term = rounded(row.weights[key] * value->front(), formulas.rounding, Accuracy::Rounded);
    sum = rounded(sum + term, formulas.rounding, Accuracy::Rounded);
  }
  return sum;
}

namespace {

/// Result tensors of one attention op, filled row by row.
class RowResults {
public:
  using Sizes = llvm::SmallVector<int64_t>;

  RowResults(attn::AttendOp op, Sizes keys, Sizes features)
      : op(op), keys(std::move(keys)), features(std::move(features)) {}

  std::vector<Array> arrays; ///< one for each statistic

  LogicalResult put(AttendFormulas &formulas, const AttendRow &row, ArrayRef<int64_t> point) {
    for (auto [statistic, array] : llvm::zip_equal(op.getStatistics(), arrays))
      if (failed(put(statistic, array, formulas, row, point)))
        return failure();
    return success();
  }

private:
  LogicalResult put(attn::Statistic statistic, Array &array, AttendFormulas &formulas, const AttendRow &row,
                    ArrayRef<int64_t> point) {
    auto at = [&](ArrayRef<int64_t> place) -> double & { return array.values[array.offsetOf(place)]; };
    switch (statistic) {
    case attn::Statistic::Value:
      return forEachIndex(features, [&](ArrayRef<int64_t> feature) -> LogicalResult {
        auto sum = sumOfValues(formulas, row, feature);
        if (succeeded(sum))
          at(permuted(joined(point, feature), op.getValueLayout())) = *sum;
        return sum;
      });
    case attn::Statistic::Weights:
      for (auto [weight, key] : llvm::zip_equal(row.weights, row.keys))
        at(joined(point, wholeNumbers(key))) = weight;
      return success();
    case attn::Statistic::Lse:
      at(point) = row.normalised.lse;
      return success();
    case attn::Statistic::Entropy:
      at(point) = row.entropy();
      return success();
    case attn::Statistic::Top:
    case attn::Statistic::TopWeights:
      for (auto [rank, place] : llvm::enumerate(row.largest(*op.getTop())))
        at(joined(point, int64_t(rank))) =
            statistic == attn::Statistic::Top ? numberOf(row.keys[place]) : row.weights[place];
      return success();
    case attn::Statistic::KeySums:
      for (auto [weight, key] : llvm::zip_equal(row.weights, row.keys)) {
        double &sum = at(joined(unsummed(point, *op.getSummed()), wholeNumbers(key)));
        sum = rounded(sum + weight, formulas.rounding, Accuracy::Rounded);
      }
      return success();
    }
    llvm_unreachable("a statistic");
  }

  /// The row-major number of a key.
  double numberOf(ArrayRef<double> key) const {
    double number = 0;
    for (auto [index, size] : llvm::zip_equal(key, keys))
      number = number * static_cast<double>(size) + index;
    return number;
  }

  attn::AttendOp op;
  Sizes keys, features;
};

} // namespace

FailureOr<std::vector<SummedArray>> attnc::reference::evaluate(attn::AttendOp op, const OpContext &context) {
  auto outer = context.integersOf(op.getOuterSizes()), keys = context.integersOf(op.getKeySizes());
  AttendFormulas formulas;
  if (failed(formulas.read(op, context.values, context.rounding, context.fault)))
    return failure();
  RowResults results(op, keys, context.integersOf(op.getValueSizes()));
  for (attn::Statistic statistic : op.getStatistics()) {
    bool isOfKeys = attn::infoOf(statistic).isOfKeys;
    results.arrays.emplace_back(isOfKeys ? Element::I32 : Element::F32,
                                context.integersOf(attn::sizesOf(op, statistic)), isOfKeys ? -1.0 : 0.0);
  }
  AttendRow row;
  auto computeRow = [&](ArrayRef<int64_t> point) -> LogicalResult {
    row.outer.assign(point.begin(), point.end());
    return success(succeeded(row.compute(formulas, keys)) && succeeded(results.put(formulas, row, point)));
  };
  if (failed(forEachIndex(outer, computeRow)))
    return failure();
  int64_t inRow = elementsOf(keys) + context.termsOfReductionsIn(op);
  std::vector<SummedArray> summed;
  for (auto [statistic, array] : llvm::zip_equal(op.getStatistics(), results.arrays)) {
    int64_t rows = attn::infoOf(statistic).isSummed ? elementsOf(outer) : 0;
    summed.push_back({std::move(array), inRow + rows});
  }
  return summed;
}
