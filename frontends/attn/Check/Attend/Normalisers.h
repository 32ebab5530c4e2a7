//===- Normalisers.h - normalisers of the language, the words after `by:` -----------------------------------------===//
//
// A normaliser is the function from the scores of a row to its attention weights. A word of the language stands for a
// normaliser of `attn.attend`, applied to the score s or to a score composed from s: `sigmoid` is the normaliser `none`
// of sigmoid(s), `sample` is `hard` of the sum of s and noise. The table has a row for each word. A new composition is
// a new row, and a line of `composeScore` (ComposedScores.cpp) if its score is new.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Typed.h"

#include <span>
#include <string>
#include <vector>

namespace attnc::check {

/// The score that a word normalises, as a function of the score s, the temperature t and a random number u. t is 1 if
/// it is omitted or the word has none. u is a random draw in [0, 1) for each query–key pair, raised to at least 2^-25.
enum class ComposedScore {
  Plain,   ///< s / t
  Sigmoid, ///< sigmoid(s); -inf if s is -inf
  Gumbel,  ///< (s + g) / t, with g = -log(-log u)
  Sampled, ///< stop(s / t) + g, with the same g; its maximum is a sample of softmax(s / t)
};

/// A word after `by:`, a row of the table.
struct NormaliserWord {
  const char *word;
  typed::Normaliser normaliser;       ///< the normaliser that is applied to the composed score
  std::vector<std::string> arguments; ///< names of its arguments; a call may omit the name if the word has only one
  ComposedScore score = ComposedScore::Plain; ///< the composed score
  bool hasLogp = false; ///< true if a row chooses one key, so that it can yield `logp`, the key's log-probability
};

/// Returns the table of words; the first one is softmax, the default.
std::span<const NormaliserWord> normaliserWords();

} // namespace attnc::check
