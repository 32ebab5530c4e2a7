//===- EntryContext.h - derivations of the entry point that is being checked --------------------------------------===//
#pragma once

#include "frontends/attn/Check/Value.h"

namespace attnc::check {

/// The derivation (Entries/Derivation.h) of the entry point that is being checked; functions check differently by it.
struct EntryContext {
  bool isTraining = false;            ///< `minimize` derives a training step from it
  std::optional<Value> minimizedOver; ///< the `over:` of the last `minimize`; null: all parameters
  bool isDifferentiated = false;      ///< its gradients are computed
  bool isPositional = false;          ///< `incremental` derives its computation position by position
  bool returnsWeights = false;        ///< `attention` derives an entry point that returns its attention weights
  /// The parameter whose optimizer step is being checked; null in functions of the model.
  const typed::Parameter *steppedParameter = nullptr;
};

/// True if `minimizedOver` is the parameter or state, contains it, or is null.
bool isMinimizedOver(const EntryContext &context, const typed::Parameter &parameter);

/// The counters of the loops around a statement, outermost first.
using LoopNest = std::vector<const typed::LoopCounter *>;

} // namespace attnc::check
