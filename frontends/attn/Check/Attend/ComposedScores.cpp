#include "frontends/attn/Check/Attend/NormaliserClauses.h"

#include "frontends/attn/Check/Builtins/Builtins.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace attnc::check {

using namespace typed;

/// Returns -log(-log u) with a random draw u for each pair, limited to at least 2^-25.
static ExprRef gumbelNoise(Builder &build, Draws &draws, const PendingAttend &pending, SourceRange range) {
  std::set<unsigned> indices;
  for (ExprRef part : {pending.score, pending.mask, pending.value})
    if (part)
      indices.merge(build.freeOf(part).allIndices());
  for (const Index *key : pending.keys)
    indices.insert(build.numberOf(key));
  // The key is the last index, because it selects a number within the four words of a draw.
  std::vector<Index *> over;
  auto isKey = [&](unsigned number) {
    return std::any_of(pending.keys.begin(), pending.keys.end(),
                       [&](const Index *key) { return build.numberOf(key) == number; });
  };
  for (unsigned number : indices)
    if (!isKey(number))
      over.push_back(build.indexAt(number));
  over.insert(over.end(), pending.keys.begin(), pending.keys.end());
  ExprRef drawn = draws.draw(over, range);
  ExprRef u = build.elementwise(Op::Max, {drawn, build.real(0x1p-25, range)}, range);
  auto negativeLog = [&](ExprRef x) {
    return build.elementwise(Op::Neg, {build.elementwise(Op::Log, {x}, range)}, range);
  };
  return negativeLog(negativeLog(u));
}

/// A score of -inf, which means masked, is preserved.
static ExprRef sigmoidOfKept(Builder &build, ExprRef score, SourceRange range) {
  ExprRef lowest = build.real(-std::numeric_limits<double>::infinity(), range),
          sigmoid = sigmoidOf(build, score, range);
  return build.elementwise(Op::Select, {build.elementwise(Op::Eq, {score, lowest}, range), lowest, sigmoid}, range);
}

bool composeScore(Builder &build, Draws &draws, PendingAttend &pending, SourceRange range) {
  auto byTemperature = [&](ExprRef score) {
    return pending.temperature ? build.elementwise(Op::Div, {score, pending.temperature}, range) : score;
  };
  ComposedScore composed = pending.word->score;
  if (composed == ComposedScore::Plain || composed == ComposedScore::Sigmoid) {
    pending.score = byTemperature(pending.score);
    if (composed == ComposedScore::Sigmoid)
      pending.score = sigmoidOfKept(build, pending.score, range);
    return true;
  }
  if (!draws.mayDraw(range, fmt::format("`by: {}`", pending.word->word)))
    return false;
  ExprRef noise = gumbelNoise(build, draws, pending, range);
  if (composed == ComposedScore::Gumbel) {
    pending.score = byTemperature(build.elementwise(Op::Add, {pending.score, noise}, range));
    return true;
  }
  pending.plainScore = byTemperature(pending.score);
  ExprRef cut = build.elementwise(Op::Stop, {pending.plainScore}, range);
  pending.score = build.elementwise(Op::Add, {cut, noise}, range);
  return true;
}

} // namespace attnc::check
