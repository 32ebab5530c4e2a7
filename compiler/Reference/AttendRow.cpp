#include "compiler/Reference/AttendRow.h"
#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;

namespace attnc::reference {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

llvm::SmallVector<int64_t> joined(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  llvm::SmallVector<int64_t> all(a);
  all.append(b.begin(), b.end());
  return all;
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
  llvm::SmallVector<double> all = {probabilities[key]};
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

/// exp(s - m) / sum of exp(s - m) over the row, with m its largest score; gives m + log of that sum.
static double softmax(ArrayRef<double> scores, std::vector<double> &shares) {
  if (scores.empty())
    return -infinity;
  double largest = *llvm::max_element(scores), sum = 0;
  for (double score : scores)
    sum += shares.emplace_back(std::exp(score - largest));
  for (double &share : shares)
    share /= sum;
  return largest + std::log(sum);
}

/// s / sum of s over the row; zeros where that sum is zero.
static double ratio(ArrayRef<double> scores, std::vector<double> &shares) {
  double sum = std::accumulate(scores.begin(), scores.end(), 0.0);
  for (double score : scores)
    shares.push_back(sum == 0 ? 0 : score / sum);
  return -infinity;
}

void AttendRow::normalise(attn::Normaliser normaliser) {
  // Told apart first, so that a maximum never compares a NaN.
  if (llvm::any_of(scores, [](double score) { return std::isnan(score) || score == infinity; })) {
    probabilities.assign(scores.size(), notANumber);
    lse = notANumber;
    return;
  }
  // In the order of attn::Normaliser; they give lse, which is -inf where there is none.
  static constexpr double (*functions[])(ArrayRef<double>, std::vector<double> &) = {softmax, ratio};
  static_assert(std::size(functions) == attn::getMaxEnumValForNormaliser() + 1, "a normaliser is missing");
  lse = functions[static_cast<int>(normaliser)](scores, probabilities);
}

LogicalResult AttendRow::weigh(AttendFormulas &formulas) {
  weights = probabilities;
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

LogicalResult AttendRow::compute(AttendFormulas &formulas, ArrayRef<int64_t> keySizes, attn::Normaliser normaliser) {
  keys.clear();
  scores.clear();
  probabilities.clear();
  lse = -infinity;
  if (failed(score(formulas, keySizes)))
    return failure();
  normalise(normaliser);
  return weigh(formulas);
}

} // namespace attnc::reference
