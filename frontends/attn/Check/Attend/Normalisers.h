//===- Normalisers.h - what stands behind `by:` -------------------------------------------------------------------===//
//
// A word of the language is one of the normalisers that `attn.attend` has, of the score itself or of a score made from
// it: `sigmoid` is `none` of sigmoid(s), `sample` is `hard` of s and noise. A new word that is such a composition is a
// row of the table, and a line of `composeScore` (ComposedScores.cpp) where its score is new.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Typed.h"

#include <span>
#include <string>
#include <vector>

namespace attnc::check {

/// What a word normalises in place of the score s; u is a draw of [0, 1) for each pair.
enum class ComposedScore {
  Plain,   ///< s
  Sigmoid, ///< sigmoid(s), and -inf where s is
  Gumbel,  ///< s + g, with g = -log(-log u)
  Sampled, ///< stop(s) + g: its largest one is drawn with the probabilities softmax(s)
};

struct NormaliserWord {
  const char *word;
  typed::Normaliser normaliser;
  std::vector<std::string> arguments; ///< the first one may stand without its name where it is alone
  ComposedScore score = ComposedScore::Plain;
  bool hasLogp = false; ///< rows choose a key, whose log-probability they can yield
};

std::span<const NormaliserWord> normaliserWords();

} // namespace attnc::check
