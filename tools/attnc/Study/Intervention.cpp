#include "tools/attnc/Study/Intervention.h"
#include "attn/random.h"
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace attnc {

const char *textOf(Intervention intervention) {
  switch (intervention) {
  case Intervention::Largest:
    return "largest erased";
  case Intervention::Random:
    return "random erased";
  case Intervention::Permuted:
    return "permuted";
  case Intervention::Uniform:
    return "uniform";
  }
  return "";
}

double Draws::next() {
  constexpr uint64_t stream = 0x7374756479; // "study"
  return attn_random_uniform(seed, stream, drawn++);
}

int64_t Draws::below(int64_t count) { return std::min(int64_t(next() * double(count)), count - 1); }

/// Sets a weight to 0. If all weights have the same sign, the others grow in proportion, so that the sum stays the
/// same. If weights have both signs, the sum of the others may be near 0, so they stay unchanged.
static void erase(llvm::MutableArrayRef<float> row, int64_t key) {
  double sum = 0;
  bool isShared = true;
  for (float weight : row) {
    sum += weight;
    isShared &= weight >= 0;
  }
  double rest = sum - row[key];
  row[key] = 0;
  if (isShared && rest > 0)
    for (float &weight : row)
      weight = float(weight * (sum / rest));
}

bool intervene(Intervention intervention, llvm::MutableArrayRef<float> row, Draws &draws) {
  std::vector<int64_t> keys;
  for (size_t key = 0; key < row.size(); ++key)
    if (row[key] != 0)
      keys.push_back(int64_t(key));
  auto count = int64_t(keys.size());
  if (count < 2)
    return false;
  auto largest = std::max_element(keys.begin(), keys.end(),
                                  [&](int64_t a, int64_t b) { return std::abs(row[a]) < std::abs(row[b]); });
  switch (intervention) {
  case Intervention::Largest:
    erase(row, *largest);
    break;
  case Intervention::Random:
    std::swap(*largest, keys.back()); // the last key is not drawn
    erase(row, keys[draws.below(count - 1)]);
    break;
  case Intervention::Permuted:
    for (int64_t last = count - 1; last > 0; --last) // Fisher–Yates shuffle
      std::swap(row[keys[last]], row[keys[draws.below(last + 1)]]);
    break;
  case Intervention::Uniform: {
    double sum = 0;
    for (int64_t key : keys)
      sum += row[key];
    for (int64_t key : keys)
      row[key] = float(sum / double(count));
    break;
  }
  }
  return true;
}

} // namespace attnc
