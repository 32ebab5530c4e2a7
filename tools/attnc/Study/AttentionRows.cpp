#include "tools/attnc/Study/AttentionRows.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace attnc {

/// The size of a dimension that is a number; 0 of others.
static int64_t fixedSize(const attn_size_info &size) {
  bool isFixed = size.term_count == 1 && size.terms[0].factor_count == 0;
  return isFixed ? size.terms[0].coefficient : 0;
}

HeadsOfWeights::HeadsOfWeights(const attn_tensor_info &info, int64_t keyRank)
    : name(info.name), rank(info.rank), keyRank(keyRank) {
  for (int64_t d = 0; d + keyRank < rank; ++d)
    heads.push_back(d + keyRank + 1 < rank ? fixedSize(info.shape[d]) : 0);
}

int64_t HeadsOfWeights::count() const {
  int64_t count = 1;
  for (int64_t size : heads)
    count *= std::max<int64_t>(size, 1);
  return count;
}

std::string HeadsOfWeights::nameOf(int64_t head) const {
  std::vector<int64_t> indices;
  for (auto size = heads.rbegin(); size != heads.rend(); ++size)
    if (*size > 1) {
      indices.insert(indices.begin(), head % *size);
      head /= *size;
    }
  return indices.empty() ? name : fmt::format("{}[{}]", name, fmt::join(indices, ", "));
}

int64_t HeadsOfWeights::headOf(int64_t row, llvm::ArrayRef<int64_t> shape) const {
  int64_t head = 0, factor = 1;
  for (int64_t d = int64_t(heads.size()) - 1; d >= 0; row /= shape[d], --d)
    if (heads[d] > 1) {
      head += row % shape[d] * factor;
      factor *= heads[d];
    }
  return head;
}

int64_t HeadsOfWeights::keysOf(llvm::ArrayRef<int64_t> shape) const {
  int64_t keys = 1;
  for (int64_t size : shape.take_back(keyRank))
    keys *= size;
  return keys;
}

void Concentration::add(llvm::ArrayRef<float> row) {
  if (row.size() - size_t(std::count(row.begin(), row.end(), 0.0F)) < 2) { // nothing to choose
    ++withoutChoice;
    return;
  }
  double sum = 0, most = 0, information = 0;
  for (float weight : row)
    sum += std::abs(weight);
  for (float weight : row)
    if (double share = std::abs(weight) / sum; share > 0) {
      information -= share * std::log(share);
      most = std::max(most, share);
    }
  ++rows;
  entropy += information;
  largest += most;
  saturated += most > saturatedAbove ? 1 : 0;
}

} // namespace attnc
