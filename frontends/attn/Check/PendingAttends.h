//===- PendingAttends.h - attends whose yields are not bound yet --------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include <deque>

namespace attnc::check {

struct NormaliserWord;

/// attend { ... } as checked, in rows. Its results are LocalRefs to `yields` until Elements binds them.
struct PendingAttend {
  std::vector<typed::Index *> keys;
  const NormaliserWord *word = nullptr; ///< the word after `by:`
  typed::Normaliser normaliser = typed::Normaliser::Softmax;
  double alpha = 2;
  typed::ExprRef sink = nullptr, temperature = nullptr;
  typed::ExprRef plainScore = nullptr; ///< score without noise, if the score has noise
  typed::ExprRef score = nullptr, mask = nullptr, weight = nullptr, value = nullptr;
  const typed::Local *weightIn = nullptr;
  std::vector<typed::Statistic> statistics;
  std::vector<const typed::Local *> yields;
  int64_t top = 0;                    ///< number of keys, if a yield requires it
  std::vector<typed::Index *> summed; ///< indices over which KeySums sums
  std::optional<size_t> logpPlace;    ///< position among the yields, if requested
  std::string module;                 ///< path of the module, "blocks.{0}.mix"
  SourceRange range;
};

class PendingAttends {
public:
  explicit PendingAttends(Builder &build) : build(build) {}

  /// References to the yields have the free variables of the attend.
  const PendingAttend &add(PendingAttend pending);
  /// Returns the attend of which the local is a yield; null for other locals.
  const PendingAttend *find(const typed::Local *local) const {
    auto found = byYield.find(local);
    return found == byYield.end() ? nullptr : found->second;
  }

private:
  Builder &build;
  std::deque<PendingAttend> pendings;
  std::unordered_map<const typed::Local *, const PendingAttend *> byYield;
};

} // namespace attnc::check
