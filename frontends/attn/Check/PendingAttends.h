//===- PendingAttends.h - `attend` expressions that are checked and not yet completed -----------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include <deque>

namespace attnc::check {

struct NormaliserWord;

/// An `attend` after its check, before Elements (Indices/Elements.h) rewrites it to a typed::Attend. An `attend` inside
/// of index notation that depends on its indices, `[b, i] => attend j { ... }`, is pending until the enclosing
/// expression is closed (Builder.h), because only then its outer indices are known.
///
/// Its formulas are open expressions. `sink` and `temperature` are scalars of a row of scores; `score`, `mask` and
/// `weight` are scalars of a query–key pair; `value` is a scalar or has dimensions. Each of them is null if omitted,
/// `score` never. Before PendingAttends::add, composeScore applies `temperature` and the composition of `word` to
/// `score`. The results of the `attend` are LocalRefs to `yields`.
struct PendingAttend {
  std::vector<typed::Index *> keys;     ///< the indices that the `attend` binds
  const NormaliserWord *word = nullptr; ///< the word after `by:` (Attend/Normalisers.h), set by NormaliserClauses
  typed::Normaliser normaliser = typed::Normaliser::Softmax;
  double alpha = 2; ///< of entmax
  typed::ExprRef sink = nullptr, temperature = nullptr;
  typed::ExprRef plainScore = nullptr; ///< only of `sample`: score / temperature, before composeScore adds noise
  typed::ExprRef score = nullptr, mask = nullptr, weight = nullptr, value = nullptr;
  const typed::Local *weightIn = nullptr; ///< the parameter of `weight`: the normalised score
  std::vector<typed::Statistic> statistics;
  std::vector<const typed::Local *> yields; ///< one for each of `statistics`, in order, with its shape for one row
  int64_t top = 0;                          ///< number of keys of `top(n)`; 0 without such a yield
  std::vector<typed::Index *> summed;       ///< outer indices over which the statistic KeySums sums
  std::optional<size_t> logpPlace; ///< position of `logp`, which is no statistic, among the results; null without it
  std::string module;              ///< path of the module in checkpoints, "blocks.{0}.mix"; empty in the model itself
  SourceRange range;
};

/// Owns the pending attends of a program, and finds them by their yields. A pending attend never changes or moves.
class PendingAttends {
public:
  explicit PendingAttends(Builder &build) : build(build) {}

  /// Adds an attend. References to its yields that are created afterwards have the free variables of its formulas
  /// without the keys and the `w` of the weight, and the `summed` indices.
  const PendingAttend &add(PendingAttend pending);
  /// Returns the attend that has the local among its `yields`; null for other locals.
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
