//===- Statistics.h - statistics: the results of attention --------------------------------------------------------===//
//
// Table of the statistics that `yields` of an attention can name: word, element type, shape, supported normalisers, and
// the destination of the cotangent. Checker, verifier, shape inference, oracle and emitters read it; CONTRIBUTING.md
// lists the places of a new statistic. The header does not depend on MLIR.
//
// k is a key, p_k the normalised score of a row and a key, and p'_k the attention weight, the result of `weight` for
// p_k (p'_k = p_k without `weight`):
//
//   value         sum over k of p'_k value(k)
//   weights       p'_k for each key, zero for masked keys
//   lse           natural logarithm of the sum of exponentials of the scores, the sink included; for a row without keys
//                 the sink, or -inf without one
//   entropy       -sum over k of p_k log p_k, where 0 log 0 is 0
//   top           the keys of the n largest scores in descending order, the lowest key first among equal scores; keys
//                 with a score of NaN are omitted, and -1 follows the last key. A key of several indices is its number
//                 in row-major order
//   top_weights   p' of these keys, 0 after the last one
//   key_sums      the sum of p'_k over the outer dimensions in `summed`, for each key; terms are added in the order of
//                 rows
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "dialects/Attn/EnumTable.h"
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

namespace mlir::attn {

enum class Statistic { Value, Weights, Lse, Entropy, Top, TopWeights, KeySums };

/// Properties of the normalised scores p of a normaliser, which statistics require; a set of bits.
enum NormaliserTraits : unsigned {
  weightsAreAny = 0,
  weightsAreExponentials = 1, ///< p are exponentials of scores, divided by their sum
  weightsHaveEntropy = 2,     ///< the entropy, -sum of p log |p|, is implemented
  weightsFollowScores = 4,    ///< monotonic: a larger score has no smaller p
};

/// The numbers of a row, one for each key, that a statistic is a function of. The gradient of attention adds the
/// contribution of the statistic's cotangent to the cotangents of these numbers.
enum class PassesTo {
  Nothing,    ///< the statistic has no derivative: its elements are keys
  Scores,     ///< the scores
  Normalised, ///< p
  Weights,    ///< p'
};

/// A row of the table: the properties of one statistic.
struct StatisticInfo {
  Statistic statistic;
  const char *word; ///< name in programs and dumps
  bool isOfKeys;    ///< its elements are numbers of keys, i32; otherwise they are f32
  /// The shape: the outer sizes, without the `summed` ones if isSummed; then the key sizes if hasKeys, the number `top`
  /// if hasTop, the value sizes if hasValues.
  bool isSummed, hasKeys, hasTop, hasValues;
  unsigned needs; ///< NormaliserTraits that the normaliser must have
  PassesTo passesTo;
  const char *whyNot; ///< reason for messages if the normaliser lacks `needs`
};

inline constexpr StatisticInfo statisticInfos[] = {
    {Statistic::Value, "value", false, false, false, false, true, weightsAreAny, PassesTo::Weights, ""},
    {Statistic::Weights, "weights", false, false, true, false, false, weightsAreAny, PassesTo::Weights, ""},
    {Statistic::Lse, "lse", false, false, false, false, false, weightsAreExponentials, PassesTo::Scores,
     "only `softmax` has a log of the sum of exponentials"},
    {Statistic::Entropy, "entropy", false, false, false, false, false, weightsHaveEntropy, PassesTo::Normalised,
     "`entropy` is not implemented for the attention weights of this normaliser"},
    {Statistic::Top, "top", true, false, false, true, false, weightsFollowScores, PassesTo::Nothing,
     "the largest scores do not have the largest weights"},
    {Statistic::TopWeights, "top_weights", false, false, false, true, false, weightsFollowScores, PassesTo::Weights,
     "the largest scores do not have the largest weights"},
    {Statistic::KeySums, "key_sums", false, true, true, false, false, weightsAreAny, PassesTo::Weights, ""},
};

/// The number of statistics. Code that has to consider each of them asserts this number.
inline constexpr size_t statisticCount = std::size(statisticInfos);

static_assert(attnc::isIndexedByEnum(statisticInfos, &StatisticInfo::statistic));

/// Returns the row of the table; and the word.
constexpr const StatisticInfo &infoOf(Statistic statistic) { return statisticInfos[static_cast<size_t>(statistic)]; }

constexpr const char *textOf(Statistic statistic) { return infoOf(statistic).word; }

/// Returns the statistic with this word; null if there is none.
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

/// True if attention with this normaliser has the statistic. `Normaliser` is an enumeration in the order of
/// Normalisers.def: mlir::attn::Normaliser or the front end's.
template <typename Normaliser> constexpr bool hasStatistic(Normaliser normaliser, Statistic statistic) {
  unsigned needs = infoOf(statistic).needs;
  return (normaliserTraits[static_cast<size_t>(normaliser)] & needs) == needs;
}

} // namespace mlir::attn
