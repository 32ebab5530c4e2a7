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

/// The score that a word normalises instead of s; u is a random draw in [0, 1) for each pair.
enum class ComposedScore {
  Plain,   ///< s
  Sigmoid, ///< sigmoid(s); -inf if s is -inf
  Gumbel,  ///< s + g, with g = -log(-log u)
  Sampled, ///< stop(s) + g, whose maximum is a sample of softmax(s)
};

struct NormaliserWord {
  const char *word;
  typed::Normaliser normaliser;
  std::vector<std::string> arguments; ///< a single argument may omit the name of the first one
  ComposedScore score = ComposedScore::Plain;
  bool hasLogp = false; ///< a row chooses one key and can yield its log-probability
};

std::span<const NormaliserWord> normaliserWords();

} // namespace attnc::check
