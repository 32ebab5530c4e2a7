//===- Statistics.h - what attention yields ---------------------------------------------------------------------===//
//
// The one table of what may stand behind `yields`: its name, elements and shape, which normalisers have it, and how a
// cotangent of it reaches the scores. Checker, verifier, shapes, oracle and emitters read it; a new statistic is a row
// here, its value in compiler/Reference/AttendOps.cpp and its code in compiler/Codegen/CPU/Attend. It uses nothing of
// MLIR. With p the weights of a row and p' what `weight` makes of them:
//
//   value         sum over k of p'_k value(k)
//   weights       p', zero where a key is masked
//   lse           natural logarithm of the sum of exponentials of the scores; -inf for a row without keys
//   entropy       -sum of p_k log p_k over the keys, 0 log 0 = 0
//   top           the n keys of the largest scores, the largest first, of equal ones the lowest; -1 where a row has no
//                 more. A key of several indices is its number in row-major order
//   top_weights   p' of these keys, 0 where there is none
//   key_sums      the sum of p' over the outer dimensions that `summed` names, in the order of rows
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

namespace mlir::attn {

enum class Statistic { Value, Weights, Lse, Entropy, Top, TopWeights, KeySums };

/// What the weights of a normaliser are; a statistic may ask for it.
enum NormaliserTraits : unsigned {
  weightsAreAny = 0,
  weightsAreExponentials = 1, ///< of scores, divided by their sum
  weightsShareAWhole = 2,     ///< among several keys
  weightsFollowScores = 4,    ///< a larger score has no smaller weight
};

/// Whose cotangent a statistic's own one adds to.
enum class PassesTo {
  Nothing,    ///< keys have no derivative
  Scores,     ///< s
  Normalised, ///< p
  Weights,    ///< p'
};

struct StatisticInfo {
  Statistic statistic;
  const char *word; ///< in programs and dumps
  bool isOfKeys;    ///< its elements are numbers of keys, i32; otherwise they are f32
  /// Its shape: outer sizes (but for `summed` ones, where it `isSummed`), then those of keys, `top` or values.
  bool isSummed, hasKeys, hasTop, hasValues;
  unsigned needs; ///< NormaliserTraits
  PassesTo passesTo;
  const char *whyNot; ///< the normaliser has none, where `needs` is not met: `... of `x``
};

inline constexpr StatisticInfo statisticInfos[] = {
    {Statistic::Value, "value", false, false, false, false, true, weightsAreAny, PassesTo::Weights, ""},
    {Statistic::Weights, "weights", false, false, true, false, false, weightsAreAny, PassesTo::Weights, ""},
    {Statistic::Lse, "lse", false, false, false, false, false, weightsAreExponentials, PassesTo::Scores,
     "only `softmax` has a log of the sum of exponentials"},
    {Statistic::Entropy, "entropy", false, false, false, false, false, weightsShareAWhole, PassesTo::Normalised,
     "only weights that share a whole among the keys have an entropy"},
    {Statistic::Top, "top", true, false, false, true, false, weightsFollowScores, PassesTo::Nothing,
     "the largest scores have not the largest weights"},
    {Statistic::TopWeights, "top_weights", false, false, false, true, false, weightsFollowScores, PassesTo::Weights,
     "the largest scores have not the largest weights"},
    {Statistic::KeySums, "key_sums", false, true, true, false, false, weightsAreAny, PassesTo::Weights, ""},
};

constexpr const StatisticInfo &infoOf(Statistic statistic) { return statisticInfos[static_cast<size_t>(statistic)]; }

constexpr const char *textOf(Statistic statistic) { return infoOf(statistic).word; }

constexpr std::optional<Statistic> statisticNamed(std::string_view word) {
  for (const StatisticInfo &info : statisticInfos)
    if (word == info.word)
      return info.statistic;
  return std::nullopt;
}

/// The traits of each normaliser, in the order of Normalisers.def.
inline constexpr unsigned normaliserTraits[] = {
#define ATTN_NORMALISER(NAME, WORD, TRAITS) TRAITS,
#include "dialects/Attn/Normalisers.def"
};

/// Whether rows that normaliser number `normaliser` weighs have the statistic.
template <typename Normaliser> constexpr bool hasStatistic(Normaliser normaliser, Statistic statistic) {
  unsigned needs = infoOf(statistic).needs;
  return (normaliserTraits[static_cast<size_t>(normaliser)] & needs) == needs;
}

} // namespace mlir::attn
