//===- Intervention.h - interventions on a row of attention weights -----------------------------------------------===//
//
//   largest    The weight of largest magnitude becomes 0. The others grow in proportion, so that the sum of the row is
//              unchanged; if a weight is negative, the others do not grow.
//              (Serrano and Smith, "Is Attention Interpretable?", ACL 2019)
//   random     A weight other than the largest, drawn uniformly, becomes 0 in the same way, for comparison with
//              `largest`.
//   permuted   The weights are permuted at random (Jain and Wallace, "Attention is not Explanation", NAACL 2019).
//   uniform    Each key has the same weight, and the sum stays the same (Wiegreffe and Pinter, "Attention is not not
//              Explanation", EMNLP 2019).
//
// Keys of weight 0 keep weight 0: they are masked, or their attention weight vanishes.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace attnc {

enum class Intervention { Largest, Random, Permuted, Uniform };
/// All interventions, in the order of columns.
constexpr Intervention interventions[] = {Intervention::Largest, Intervention::Random, Intervention::Permuted,
                                          Intervention::Uniform};
/// The heading of a column for this intervention, such as "largest erased".
const char *textOf(Intervention intervention);

/// A pseudo-random sequence that is a function of the seed (attn/random.h).
class Draws {
public:
  explicit Draws(uint64_t seed) : seed(seed) {}
  double next(); ///< a number in [0, 1)
  /// A random integer from 0 to count - 1. Requires count > 0.
  int64_t below(int64_t count);

private:
  uint64_t seed, drawn = 0;
};

/// Changes `row`, the attention weights of all keys of one row. Random and Permuted take numbers from `draws`. Returns
/// false, and leaves the row unchanged, if fewer than two keys have a nonzero weight.
bool intervene(Intervention intervention, llvm::MutableArrayRef<float> row, Draws &draws);

} // namespace attnc
