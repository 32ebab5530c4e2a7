//===- Intervention.h - interventions on a row of attention weights -----------------------------------------------===//
//
//   largest    the weight of largest magnitude becomes 0, and the others grow so that their sum stays the same. If
//              weights have both signs, the others do not grow
//              (Serrano and Smith, "Is Attention Interpretable?", ACL 2019)
//   random     a weight that is drawn uniformly becomes 0 in the same way: the effect of erasing any weight
//   permuted   the weights are permuted at random (Jain and Wallace, "Attention is not Explanation", NAACL 2019)
//   uniform    each key has the same weight (Wiegreffe and Pinter, "Attention is not not Explanation", EMNLP 2019)
//
// Keys of weight 0 are excluded: they are masked, or their attention weight vanishes.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace attnc {

enum class Intervention { Largest, Random, Permuted, Uniform };
constexpr Intervention interventions[] = {Intervention::Largest, Intervention::Random, Intervention::Permuted,
                                          Intervention::Uniform};
/// The heading of a column, such as "largest erased".
const char *textOf(Intervention intervention);

/// A sequence of random numbers in [0, 1) that is a function of the seed.
class Draws {
public:
  explicit Draws(uint64_t seed) : seed(seed) {}
  double next();
  /// A random integer from 0 to count - 1.
  int64_t below(int64_t count);

private:
  uint64_t seed, drawn = 0;
};

/// Changes a row. Returns false, and leaves the row unchanged, if fewer than two keys have a nonzero weight.
bool intervene(Intervention intervention, llvm::MutableArrayRef<float> row, Draws &draws);

} // namespace attnc
