//===- Intervention.h - what is done to a row of attention --------------------------------------------------------===//
//
//   largest    the largest weight (by size) is taken away, the others grow so that their sum stays, but where
//              weights have both signs: there they stay
//              (Serrano and Smith, "Is Attention Interpretable?", ACL 2019)
//   random     the same to another weight, drawn evenly: what taking away any weight would do
//   permuted   the weights change places at random (Jain and Wallace, "Attention is not Explanation", NAACL 2019)
//   uniform    each key has the same weight (Wiegreffe and Pinter, "Attention is not not Explanation", EMNLP 2019)
//
// Keys that have no weight take no part: they are masked, or chosen not to be looked at.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace attnc {

enum class Intervention { Largest, Random, Permuted, Uniform };
constexpr Intervention interventions[] = {Intervention::Largest, Intervention::Random, Intervention::Permuted,
                                          Intervention::Uniform};
/// "largest erased"
const char *textOf(Intervention intervention);

/// Numbers of [0, 1), the same for the same seed.
class Draws {
public:
  explicit Draws(uint64_t seed) : seed(seed) {}
  double next();
  /// Of 0 to count - 1.
  int64_t below(int64_t count);

private:
  uint64_t seed, drawn = 0;
};

/// Changes a row. Says no, and leaves it as it is, where fewer than two keys have weight.
bool intervene(Intervention intervention, llvm::MutableArrayRef<float> row, Draws &draws);

} // namespace attnc
