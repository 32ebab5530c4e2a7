//===- Normalisers.h - normalisers of the language, the words after `by:` -----------------------------------------===//
//
// A word stands for a normaliser of `attn.attend`, applied to the score or to a score composed from it: `sigmoid` is
// `none` of sigmoid(s), `sample` is `hard` of s and noise. A new composition is a row of the table, and a line of
// `composeScore` (ComposedScores.cpp) if its score is new.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Typed.h"

#include <span>
#include <string>
#include <vector>

namespace attnc::check {

/// The score that a word normalises instead of the score s. t is the temperature, 1 if it is omitted or the word has
/// none; u is a random draw in [0, 1) for each query–key pair, raised to at least 2^-25.
enum class ComposedScore {
  Plain,   ///< s / t
  Sigmoid, ///< sigmoid(s); -inf if s is -inf
  Gumbel,  ///< (s + g) / t, with g = -log(-log u)
  Sampled, ///< stop(s / t) + g, whose maximum is a sample of softmax(s / t)
};

/// A word after `by:`.
struct NormaliserWord {
  const char *word;
  typed::Normaliser normaliser;
  std::vector<std::string> arguments; ///< names of its arguments; a call may omit the name if the word has only one
  ComposedScore score = ComposedScore::Plain;
  bool hasLogp = false; ///< a row chooses one key and can yield its log-probability
};

/// Returns the table of words; the first one is softmax, the default.
std::span<const NormaliserWord> normaliserWords();

} // namespace attnc::check
