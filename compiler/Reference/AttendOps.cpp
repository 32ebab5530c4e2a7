// Attention as its definition says: all scores of a row, then the weights, then the sum (dialects/Attn/AttnOps.td).
#include "compiler/Reference/AttendRow.h"
#include "compiler/Reference/Interpreter.h"
#include <cmath>

using namespace mlir;
using namespace attnc::reference;

/// sum over the kept keys of weight * value, for one tuple of value indices.
static FailureOr<double> sumOfValues(AttendFormulas &formulas, const AttendRow &row, ArrayRef<int64_t> index) {
  // A sink that is no number makes its row one, whatever it keeps.
  double sum = std::isnan(row.normalised.lse) ? row.normalised.lse : 0;
  for (size_t key = 0; key < row.keys.size(); ++key) {
    auto value = formulas.value->evaluate(row.pair(key, index));
    if (failed(value))
      return failure();
    sum += row.weights[key] * value->front();
  }
  return sum;
}

LogicalResult Interpreter::run(attn::AttendOp op) {
  Sizes outer = integersOf(op.getOuterSizes()), keys = integersOf(op.getKeySizes()),
        features = integersOf(op.getValueSizes());
  AttendFormulas formulas;
  if (failed(formulas.read(op, values, rounding, fault)))
    return failure();
  auto layout = op.getValueLayout();
  auto statistics = op.getStatistics();
  std::vector<Array> results;
  for (attn::Statistic statistic : statistics)
    results.emplace_back(Element::F32,
                         statistic == attn::Statistic::Value     ? permuted(joined(outer, features), layout)
                         : statistic == attn::Statistic::Weights ? joined(outer, keys)
                                                                 : outer,
                         0.0);
  AttendRow row;
  auto computeRow = [&](ArrayRef<int64_t> point) -> LogicalResult {
    row.outer.assign(point.begin(), point.end());
    if (failed(row.compute(formulas, keys)))
      return failure();
    for (auto [statistic, result] : llvm::zip_equal(statistics, results)) {
      auto put = [&](ArrayRef<int64_t> place, double value) { result.values[result.offsetOf(place)] = value; };
      if (statistic == attn::Statistic::Lse)
        put(point, row.normalised.lse);
      if (statistic == attn::Statistic::Weights)
        for (auto [weight, key] : llvm::zip_equal(row.weights, row.keys))
          put(joined(point, llvm::SmallVector<int64_t>(key.begin(), key.end())), weight);
      if (statistic != attn::Statistic::Value)
        continue;
      auto compute = [&](ArrayRef<int64_t> feature) -> LogicalResult {
        auto sum = sumOfValues(formulas, row, feature);
        if (succeeded(sum))
          put(permuted(joined(point, feature), layout), *sum);
        return sum;
      };
      if (failed(forEachIndex(features, compute)))
        return failure();
    }
    return success();
  };
  if (failed(forEachIndex(outer, computeRow)))
    return failure();
  int64_t terms = elementsOf(keys) + termsOfReductionsIn(op);
  for (auto [result, array] : llvm::zip_equal(op.getResults(), results))
    if (failed(define(cast<OpResult>(result), std::move(array), terms)))
      return failure();
  return success();
}
