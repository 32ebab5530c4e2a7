//===- PendingAttends.h - attends whose yields are not bound yet --------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include <deque>

namespace attnc::check {

struct NormaliserWord;

/// An `attend` as checked, before Elements rewrites it to a typed::Attend. Its formulas are open expressions: `sink`
/// and `temperature` are scalars of the row, `score`, `mask` and `weight` scalars of a query–key pair, `value` is a
/// scalar or a row. Each is null if omitted. The results of the `attend` are LocalRefs to `yields`.
struct PendingAttend {
  std::vector<typed::Index *> keys;
  const NormaliserWord *word = nullptr; ///< the word after `by:`, set by NormaliserClauses
  typed::Normaliser normaliser = typed::Normaliser::Softmax;
  double alpha = 2; ///< of entmax
  typed::ExprRef sink = nullptr, temperature = nullptr;
  typed::ExprRef plainScore = nullptr; ///< of `sample`: the score, by temperature, before composeScore added noise
  typed::ExprRef score = nullptr, mask = nullptr, weight = nullptr, value = nullptr;
  const typed::Local *weightIn = nullptr; ///< the parameter of `weight`: the normalised score
  std::vector<typed::Statistic> statistics;
  std::vector<const typed::Local *> yields; ///< one for each of `statistics`, with its shape for one row
  int64_t top = 0;                          ///< number of keys of `top(n)`; 0 without such a yield
  std::vector<typed::Index *> summed;       ///< indices over which KeySums sums
  std::optional<size_t> logpPlace; ///< position of `logp`, which is no statistic, among the results; null without it
  std::string module;              ///< path of the module, "blocks.{0}.mix"
  SourceRange range;
};

/// Owns the attends of a program.
class PendingAttends {
public:
  explicit PendingAttends(Builder &build) : build(build) {}

  /// Adds an attend. References to its yields then have the free variables of its formulas, without the keys.
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
