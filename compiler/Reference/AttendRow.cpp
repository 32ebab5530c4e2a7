#include "compiler/Reference/AttendRow.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace attnc::reference {

static constexpr double infinity = std::numeric_limits<double>::infinity();

llvm::SmallVector<int64_t> joined(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  llvm::SmallVector<int64_t> all(a);
  all.append(b.begin(), b.end());
  return all;
}

llvm::SmallVector<int64_t> unsummed(ArrayRef<int64_t> point, ArrayRef<int64_t> summed) {
  llvm::SmallVector<int64_t> left;
  for (auto [dimension, index] : llvm::enumerate(point))
    if (!llvm::is_contained(summed, int64_t(dimension)))
      left.push_back(index);
  return left;
}

llvm::SmallVector<int64_t> wholeNumbers(ArrayRef<double> key) {
  return llvm::SmallVector<int64_t>(key.begin(), key.end());
}

llvm::SmallVector<int64_t> permuted(ArrayRef<int64_t> tuple, std::optional<ArrayRef<int64_t>> layout) {
  if (!layout)
    return llvm::SmallVector<int64_t>(tuple);
  return llvm::map_to_vector(*layout, [&](int64_t dimension) { return tuple[dimension]; });
}

llvm::SmallVector<double> AttendRow::pair(size_t key, ArrayRef<int64_t> indices) const {
  llvm::SmallVector<double> all(outer);
  all.append(keys[key].begin(), keys[key].end());
  all.append(indices.begin(), indices.end());
  return all;
}

llvm::SmallVector<double> AttendRow::weighted(size_t key) const {
  llvm::SmallVector<double> all = {normalised.weights[key]};
  all.append(pair(key));
  return all;
}

LogicalResult AttendRow::score(AttendFormulas &formulas, ArrayRef<int64_t> keySizes) {
  return forEachIndex(keySizes, [&](ArrayRef<int64_t> index) -> LogicalResult {
    llvm::SmallVector<double> key(index.begin(), index.end()), pair(outer);
    pair.append(key);
    if (succeeded(formulas.mask)) {
      auto kept = formulas.mask->evaluate(pair);
      if (failed(kept) || kept->front() == 0)
        return success(succeeded(kept));
    }
    auto score = formulas.score->evaluate(pair);
    if (succeeded(score) && score->front() != -infinity) {
      keys.push_back(key);
      scores.push_back(score->front());
    }
    return score;
  });
}

LogicalResult AttendRow::weigh(AttendFormulas &formulas) {
  weights = normalised.weights;
  if (failed(formulas.weight))
    return success();
  for (size_t key = 0; key < keys.size(); ++key) {
    auto changed = formulas.weight->evaluate(weighted(key));
    if (failed(changed))
      return failure();
    weights[key] = changed->front();
  }
  return success();
}

LogicalResult AttendRow::readArguments(AttendFormulas &formulas) {
  arguments = {};
  arguments.rounding = formulas.rounding;
  arguments.isFromLse = formulas.isGradient;
  if (formulas.alpha)
    arguments.alpha = *formulas.alpha;
  if (failed(formulas.sink))
    return success();
  auto sink = formulas.sink->evaluate(outer);
  if (succeeded(sink))
    arguments.sink = sink->front();
  return sink;
}

LogicalResult AttendRow::compute(AttendFormulas &formulas, ArrayRef<int64_t> keySizes) {
  keys.clear();
  scores.clear();
  if (failed(score(formulas, keySizes)) || failed(readArguments(formulas)))
    return failure();
  normalised = normalise(formulas.normaliser, scores, arguments);
  return weigh(formulas);
}

double AttendRow::entropy() const {
  double sum = std::isnan(normalised.lse) ? normalised.lse : 0;
  for (double weight : normalised.weights)
    if (weight != 0)
      sum = rounded(sum - rounded(weight * std::log(std::abs(weight)), arguments.rounding), arguments.rounding);
  return sum;
}

std::vector<size_t> AttendRow::largest(int64_t count) const {
  std::vector<size_t> places;
  for (size_t key = 0; key < scores.size(); ++key)
    if (!std::isnan(scores[key]))
      places.push_back(key);
  std::sort(places.begin(), places.end(),
            [&](size_t a, size_t b) { return scores[a] == scores[b] ? a < b : scores[a] > scores[b]; });
  places.resize(std::min<size_t>(places.size(), count));
  return places;
}

NormaliserGradient AttendRow::differentiate(const AttendFormulas &formulas, ArrayRef<double> ofWeights,
                                            double ofLse) const {
  return normaliserGradient(formulas.normaliser, scores, arguments, normalised, ofWeights, ofLse);
}

} // namespace attnc::reference
