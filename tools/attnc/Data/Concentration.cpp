#include "tools/attnc/Data/Concentration.h"
#include <algorithm>
#include <cmath>

namespace attnc {

void Concentration::add(llvm::ArrayRef<float> row, int64_t kept) {
  int64_t weighted = int64_t(row.size()) - std::count(row.begin(), row.end(), 0.0F);
  if ((kept < 0 ? weighted : kept) < 2) { // no choice
    ++withoutChoice;
    return;
  }
  double sum = 0, most = 0, information = 0;
  for (float weight : row)
    sum += std::abs(weight);
  for (float weight : row)
    if (weight != 0) {
      double share = std::abs(weight) / sum;
      information -= share * std::log(share);
      most = std::max(most, share);
    }
  ++rows;
  single += weighted < 2 ? 1 : 0;
  entropy += information;
  largest += most;
  saturated += most > saturatedAbove ? 1 : 0;
}

} // namespace attnc
