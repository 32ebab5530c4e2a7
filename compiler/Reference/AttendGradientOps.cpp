// Reference gradients of attention (attn.attend_gradient), pair by pair, and scatter-add (attn.scatter_add), both as
// defined in dialects/Attn/AttnOps.td.
#include "compiler/Reference/AttendRow.h"
#include "compiler/Reference/OpEvaluation.h"
#include <cmath>
#include <map>

using namespace mlir;
using namespace attnc::reference;

namespace {

/// Gradient tensors of one attention op, accumulated row by row.
class RowGradients {
public:
  RowGradients(attn::AttendGradientOp op, const Environment &values, Rounding rounding) : op(op), rounding(rounding) {
    for (Value tensor : op.getOf()) {
      const Array &array = *values.at(tensor);
      sums.emplace_back(Element::F32, array.shape, 0.0);
      places[tensor.getAsOpaquePointer()] = sums.size() - 1;
    }
    for (auto [statistic, cotangent] : llvm::zip_equal(op.getStatistics(), op.getCotangents()))
      cotangents[statistic] = values.at(cotangent).get();
  }

  std::vector<Array> sums; ///< one for each tensor of `of`

  LogicalResult add(AttendFormulas &formulas, const AttendRow &row, ArrayRef<int64_t> point,
                    ArrayRef<int64_t> features) {
    std::vector<double> ofWeights(row.keys.size(), 0.0);
    for (size_t key = 0; key < row.keys.size(); ++key)
      if (failed(passValue(formulas, row, point, features, key, ofWeights[key])))
        return failure();
    passTop(row, point, ofWeights);
    for (size_t key = 0; key < row.keys.size(); ++key)
      if (failed(passWeight(formulas, row, key, ofWeights[key])))
        return failure();
    passEntropy(row, point, ofWeights);
    NormaliserGradient gradient = row.differentiate(formulas, ofWeights, cotangentAt(attn::Statistic::Lse, point));
    for (size_t key = 0; key < row.keys.size(); ++key) {
      auto score = formulas.score->differentiate(row.pair(key));
      if (failed(score))
        return failure();
      addScaled(score->second, gradient.scores[key]);
    }
    if (failed(formulas.sink))
      return success();
    auto sink = formulas.sink->differentiate(row.outer);
    if (succeeded(sink))
      addScaled(sink->second, gradient.sink);
    return sink;
  }

private:
  double cotangentAt(attn::Statistic statistic, ArrayRef<int64_t> place) const {
    auto found = cotangents.find(statistic);
    return found == cotangents.end() ? 0 : found->second->at(place);
  }

  /// Adds factor * gradient to the elements of the tensors in `of`. Derivatives, terms and sums are rounded, as the sum
  /// may cancel: cotangents of a row's scores sum to 0. If the derivatives are nearly equal for all keys, the result is
  /// small compared with its terms and consists largely of rounding errors.
  void addScaled(const Gradient &gradient, double factor) {
    for (auto [source, derivative] : gradient)
      if (auto found = places.find(source.first); found != places.end()) {
        double &sum = sums[found->second].values[source.second];
        double term = rounded(factor * rounded(derivative, rounding), rounding, Accuracy::Rounded);
        sum = sumOf(sum, term);
      }
  }

  double sumOf(double a, double b) const { return rounded(a + b, rounding, Accuracy::Rounded); }

  /// Computes dp' of one pair from the cotangents of value, attention weights and key sums; adds the value's gradient.
  LogicalResult passValue(AttendFormulas &formulas, const AttendRow &row, ArrayRef<int64_t> point,
                          ArrayRef<int64_t> features, size_t key, double &ofWeight) {
    llvm::SmallVector<int64_t> index = wholeNumbers(row.keys[key]);
    ofWeight = cotangentAt(attn::Statistic::Weights, joined(point, index));
    if (cotangents.count(attn::Statistic::KeySums))
      ofWeight += cotangentAt(attn::Statistic::KeySums, joined(unsummed(point, *op.getSummed()), index));
    if (failed(formulas.value) || !cotangents.count(attn::Statistic::Value))
      return success();
    return forEachIndex(features, [&](ArrayRef<int64_t> feature) -> LogicalResult {
      auto value = formulas.value->differentiate(row.pair(key, feature));
      if (failed(value))
        return failure();
      double cotangent = cotangentAt(attn::Statistic::Value, permuted(joined(point, feature), op.getValueLayout()));
      ofWeight = sumOf(ofWeight, rounded(cotangent * value->first, rounding, Accuracy::Rounded));
      addScaled(value->second, rounded(row.weights[key] * cotangent, rounding, Accuracy::Rounded));
      return success();
    });
  }

  /// Adds the cotangents of the top keys' weights to dp'.
  void passTop(const AttendRow &row, ArrayRef<int64_t> point, std::vector<double> &ofWeights) {
    if (cotangents.count(attn::Statistic::TopWeights))
      for (auto [rank, place] : llvm::enumerate(row.largest(*op.getTop())))
        ofWeights[place] += cotangentAt(attn::Statistic::TopWeights, joined(point, int64_t(rank)));
  }

  /// Adds the entropy's contribution to dp: -cotangent * (log |p| + 1) for each nonzero attention weight p.
  void passEntropy(const AttendRow &row, ArrayRef<int64_t> point, std::vector<double> &ofWeights) const {
    if (double cotangent = cotangentAt(attn::Statistic::Entropy, point); cotangent != 0)
      for (auto [weight, ofWeight] : llvm::zip_equal(row.normalised.weights, ofWeights))
        if (weight != 0)
          ofWeight = sumOf(ofWeight, -rounded(cotangent * rounded(std::log(std::abs(weight)) + 1, rounding), rounding));
  }

  /// Differentiates the weight formula: replaces dp' by dp, and adds the gradients of the formula's captured tensors.
  LogicalResult passWeight(AttendFormulas &formulas, const AttendRow &row, size_t key, double &cotangent) {
    if (failed(formulas.weight))
      return success();
    auto weight = formulas.weight->differentiate(row.weighted(key));
    if (failed(weight))
      return failure();
    addScaled(weight->second, cotangent);
    cotangent = rounded(cotangent * rounded(weight->second.at({nullptr, 0}), rounding), rounding, Accuracy::Rounded);
    return success();
  }

  attn::AttendGradientOp op;
  Rounding rounding;
  std::map<attn::Statistic, const Array *> cotangents;
  std::map<const void *, size_t> places; ///< index in `sums` of each tensor of `of`
};

} // namespace

FailureOr<std::vector<SummedArray>> attnc::reference::evaluate(attn::AttendGradientOp op, const OpContext &context) {
  auto outer = context.integersOf(op.getOuterSizes()), keys = context.integersOf(op.getKeySizes()),
       features = context.integersOf(op.getValueSizes());
  AttendFormulas formulas;
  if (failed(formulas.read(op, context.values, context.rounding, context.fault)))
    return failure();
  RowGradients gradients(op, context.values, context.rounding);
  AttendRow row;
  auto visit = [&](ArrayRef<int64_t> point) -> LogicalResult {
    row.outer.assign(point.begin(), point.end());
    if (failed(row.compute(formulas, keys)))
      return failure();
    return gradients.add(formulas, row, point, features);
  };
  if (failed(forEachIndex(outer, visit)))
    return failure();
  int64_t inRow = elementsOf(keys) + elementsOf(features) + context.termsOfReductionsIn(op);
  int64_t triples = elementsOf(outer) * elementsOf(keys) * elementsOf(features);
  std::vector<SummedArray> summed;
  for (Array &array : gradients.sums) {
    int64_t anElement = triples / std::max<int64_t>(elementsOf(array.shape), 1);
    summed.push_back({std::move(array), inRow + anElement});
  }
  return summed;
}

FailureOr<std::vector<SummedArray>> attnc::reference::evaluate(attn::ScatterAddOp op, const OpContext &context) {
  Array sum = context.arrayOf(op.getInit());
  auto body = context.formula(op.getBody());
  if (failed(body))
    return failure();
  Rounding way = sum.element == Element::F32 ? context.rounding : Rounding::None;
  auto add = [&](ArrayRef<int64_t> point) -> LogicalResult {
    auto term = body->evaluate(llvm::SmallVector<double>(point.begin(), point.end()));
    if (failed(term))
      return failure();
    llvm::SmallVector<int64_t> place;
    for (double subscript : term->drop_front())
      place.push_back(static_cast<int64_t>(subscript));
    int64_t offset = sum.offsetOf(place);
    if (offset < 0)
      return context.fault.at(op, "a subscript is outside of " + describe(sum.element, sum.shape));
    sum.values[offset] = rounded(sum.values[offset] + term->front(), way, Accuracy::Rounded);
    return success();
  };
  auto sizes = context.integersOf(op.getSizes());
  if (failed(forEachIndex(sizes, add)))
    return failure();
  return std::vector<SummedArray>{{std::move(sum), elementsOf(sizes)}};
}
